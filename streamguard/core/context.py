"""The context of an answer: question, retrieved chunks, the gate's verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from streamguard.core.derive.announced import ASKED_FOR, Operation, announced
from streamguard.core.facts.said import MAX_COMPARED
from streamguard.core.index.content import content_of, cut_blocks
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.chunks import ChunkLike, as_chunks, chunks_of_passages, wrong_type
from streamguard.core.model.types import ContextOrigin, Retrieval, RetrievedChunk
from streamguard.core.names.reading import Name, untitled
from streamguard.core.reading.slots import CONTENT, Slot, read_slots
from streamguard.errors import ConfigError, StreamStateError
from streamguard.text.normalise import fold
from streamguard.text.patterns import lazy, lazy_re
from streamguard.text.words import parts_in
from streamguard.values import Anchor, read_anchors


@dataclass(frozen=True)
class Context:
    """Question and passages behind one answer.

    `chunks`: None means that retrieval is unknown; an empty sequence that retrieval ran and found
    nothing. Without `chunks` those of `retrieval` count, else `prompt_context` is split at its
    marks (`[C1]`, `[1]`, `Source 1:`, tags). `origins` says where the chunks were read; without it
    they count as given. `uncertain` says why the passages of a message cannot be told from its
    user's words, where no chunks are given. `citations`: the caller's own list wins over the tags
    in the text; empty means none. `language` is that of answer and passages ("en", "pt-BR");
    without it each sentence's words tell it, and only English ones are judged in full. Plain
    strings, dicts with `text` and `id`, and the documents of LangChain, LlamaIndex and Haystack may
    stand for chunks. One context may serve many answers; its evidence index is built once. Raises
    `ConfigError` for anything else among the chunks.
    """

    query: str | None = None
    chunks: Sequence[ChunkLike] | None = None
    prompt_context: str | None = None
    citations: Sequence[str] | None = None
    citations_requested: bool = False
    retrieval: Retrieval | None = None
    language: str | None = None
    origins: tuple[ContextOrigin, ...] = field(default=(), compare=False)
    uncertain: str | None = field(default=None, compare=False)
    evidence: Evidence | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, kind in (("query", str), ("prompt_context", str), ("retrieval", Retrieval)):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise wrong_type(name, value, f"{kind.__name__} or None")
        object.__setattr__(self, "citations", _as_citations(self.citations))
        if self.language is not None and not _is_language(self.language):
            said = "expected a language as in BCP 47, such as 'en' or 'pt-BR'"
            raise ConfigError(f"language is {self.language!r}, {said}")
        chunks = self._chunks()
        object.__setattr__(self, "chunks", chunks)
        object.__setattr__(self, "evidence", None if chunks is None else Evidence(chunks))

    def __getstate__(self) -> dict[str, Any]:
        """Leave the index out: another process builds its own."""
        return {name: value for name, value in vars(self).items() if name != "evidence"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state of `__getstate__`."""
        vars(self).update(state)
        chunks: tuple[RetrievedChunk, ...] | None = state["chunks"]
        object.__setattr__(self, "evidence", None if chunks is None else Evidence(chunks))

    def prepare(self) -> None:
        """Build the evidence index now; without it, it is built in slices while pieces arrive."""
        if self.evidence is not None:
            self.evidence.build()

    def _chunks(self) -> tuple[RetrievedChunk, ...] | None:
        whence = self.retrieval if self.retrieval is not None else self.prompt_context
        given = self.chunks
        if isinstance(given, _ReadChunks) and given.whence != whence:
            given = None  # `dataclasses.replace` was given something else to read
        if given is not None:
            return given if isinstance(given, _ReadChunks) else as_chunks(given)
        if self.retrieval is not None:
            return _ReadChunks(as_chunks(self.retrieval.chunks), whence)
        if self.prompt_context is not None:
            # Most contexts have chunks: the marks of prompts are read in when one has none.
            from streamguard.prompt.passages import passages_of_context

            read = passages_of_context(self.prompt_context)
            return _ReadChunks(chunks_of_passages(read), whence)
        return None


class _ReadChunks(tuple[RetrievedChunk, ...]):
    """Chunks read from something else, and their origin."""

    whence: Any

    def __new__(cls, chunks: Iterable[RetrievedChunk], whence: Any) -> Self:
        read = super().__new__(cls, chunks)
        read.whence = whence
        return read

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self), self.whence)


class LateContext:
    """Stands for a context until it is given; one late context may serve many answers.

    Text passes meanwhile. Sentences wait, and are judged once, when the context is there: the
    result is that of a context known from the start. If none comes by the end of the stream,
    retrieval is unknown, as with `Context()`.
    """

    def __init__(self) -> None:
        self._context: Context | None = None

    @property
    def context(self) -> Context | None:
        """The context, None until it is given."""
        return self._context

    @property
    def evidence(self) -> Evidence | None:
        """The context's index, None until there is one."""
        return self._context.evidence if self._context is not None else None

    def give(self, context: Context) -> None:
        """Give the answer's context, from any function that runs meanwhile.

        Raises `StreamStateError` if it is given already, `ConfigError` for anything else.
        """
        if not isinstance(context, Context):
            raise ConfigError(f"give() takes a Context, not {type(context).__name__}")
        if self._context is not None:
            raise StreamStateError("the context is given already: it cannot change under a stream")
        self._context = context


def _is_language(tag: object) -> bool:
    return isinstance(tag, str) and _TAG.fullmatch(tag) is not None


def _as_citations(citations: Sequence[str] | None) -> tuple[str, ...] | None:
    if citations is None:
        return None
    if isinstance(citations, (str, bytes)) or not isinstance(citations, Iterable):
        raise wrong_type("citations", citations, "a sequence of str")
    labels = tuple(citations)
    for number, label in enumerate(labels):
        if not isinstance(label, str):
            raise wrong_type(f"citations[{number}]", label, "a str")
    return labels


_BLOCK_CHARS = 250  # of a question, between two pauses; more than all but pasted texts; guess
_ALIKE = 2  # places of one word or value that are kept: more say nothing further

_TAG = lazy_re(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4}")

T = TypeVar("T")


class Question:
    """The question, read once: its words, content keys, values, slots and names.

    `reading` reads it with pauses; a part that is asked for earlier is read at once.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._words: list[str] = []
        self._keys: list[str] = []
        self._parts: list[str] = []
        self._anchors: list[Anchor] = []
        self._slots: list[Slot] = []
        self._asks: set[Operation] = set()
        self._steps = self._read()

    def reading(self) -> Generator[None, None, None]:
        """Read the rest of it, with a pause between its blocks."""
        return self._steps

    def _read(self) -> Generator[None, None, None]:
        seen = Counter[str]()
        for start, end in cut_blocks(self.text, _BLOCK_CHARS):
            if start:
                yield
            folded = fold(self.text[start:end]).text
            anchors = read_anchors(folded, MAX_COMPARED)
            content = content_of(folded, anchors)
            self._anchors += anchors
            self._words += content.words
            self._keys += content.keys
            for slot in read_slots(folded, anchors):
                seen[slot.key] += 1
                if slot.kind in CONTENT and seen[slot.key] <= _ALIKE:
                    self._slots.append(slot)
            self._parts += parts_in(folded.casefold())
            self._asks |= announced(folded.lower()) & ASKED_FOR

    def _all(self, read: list[T]) -> list[T]:
        for _ in self._steps:
            pass
        return read

    @lazy
    def anchors(self) -> list[Anchor]:
        """Values the question holds; their spans count from the start of a block."""
        return self._all(self._anchors)

    @lazy
    def asks(self) -> frozenset[Operation]:
        """The reckonings that it asks for: "How much is that in total?"."""
        self._all(self._parts)
        return frozenset(self._asks)

    @lazy
    def words(self) -> list[str]:
        """Case-folded word tokens, in order."""
        return self._all(self._words)

    @lazy
    def keywords(self) -> tuple[str, ...]:
        """Distinct content keys, in order of appearance."""
        return tuple(dict.fromkeys(self._all(self._keys)))

    @lazy
    def keys(self) -> frozenset[str]:
        """The content keys."""
        return frozenset(self.keywords)

    @lazy
    def values(self) -> frozenset[str]:
        """Keys of the question's values, for telling an echo from a statement."""
        return frozenset(anchor.key for anchor in self.anchors)

    @lazy
    def slots(self) -> list[Slot]:
        """Its subjects: words, names and values, of each the first places.

        Their spans count from the start of a block.
        """
        return self._all(self._slots)

    def holds_name(self, name: Name) -> bool:
        """Return whether the question speaks of `name`, case, hyphens and a title aside."""
        ways = name.tokens, untitled(name.tokens)
        return any(f" {' '.join(tokens)} " in self._phrases for tokens in ways)

    @lazy
    def _phrases(self) -> str:
        return f" {' '.join(self._all(self._parts))} "
