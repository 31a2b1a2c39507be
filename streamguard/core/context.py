"""What the answer is checked against: the question, the retrieved chunks, the gate's verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from streamguard.core.evidence import Evidence
from streamguard.core.markers import chunks_of_prompt
from streamguard.core.types import Retrieval, RetrievedChunk
from streamguard.errors import ConfigError


@dataclass(frozen=True)
class Context:
    """Question and passages behind one answer.

    `chunks`: None means that nobody said whether anything was retrieved; an empty sequence that
    retrieval ran and nothing passed. Without `chunks` those of `retrieval` count, else
    `prompt_context` is split at its `[Cn]` marks. `citations`: the caller's own list wins over
    the tags in the text; empty means none. Plain strings may stand for chunks.
    One context may serve many answers; its evidence index is built once. Raises `ConfigError`
    for anything else among the chunks.
    """

    query: str | None = None
    chunks: Sequence[RetrievedChunk | str] | None = None
    prompt_context: str | None = None
    citations: Sequence[str] | None = None
    citations_requested: bool = False
    retrieval: Retrieval | None = None
    evidence: Evidence | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        chunks = self._chunks()
        object.__setattr__(self, "chunks", chunks)
        object.__setattr__(self, "evidence", None if chunks is None else Evidence(chunks))

    def prepare(self) -> None:
        """Build the evidence index now; without it, it is built in slices while pieces arrive."""
        if self.evidence is not None:
            self.evidence.build()

    def _chunks(self) -> tuple[RetrievedChunk, ...] | None:
        if self.chunks is not None:
            return as_chunks(self.chunks)
        if self.retrieval is not None:
            return self.retrieval.chunks
        if self.prompt_context is not None:
            return chunks_of_prompt(self.prompt_context)
        return None


def as_chunks(chunks: Iterable[RetrievedChunk | str]) -> tuple[RetrievedChunk, ...]:
    """Return `chunks` with plain strings made into chunks; `ConfigError` for anything else."""
    if isinstance(chunks, (str, bytes)):
        kind = type(chunks).__name__
        raise ConfigError(f"chunks is one {kind}, expected a sequence of RetrievedChunk or str")
    return tuple(_as_chunk(chunk, number) for number, chunk in enumerate(chunks))


def _as_chunk(chunk: RetrievedChunk | str, number: int) -> RetrievedChunk:
    if isinstance(chunk, RetrievedChunk):
        return chunk
    if isinstance(chunk, str):
        return RetrievedChunk(chunk)
    raise ConfigError(
        f"chunks[{number}] is a {type(chunk).__name__}, expected RetrievedChunk or str"
    )
