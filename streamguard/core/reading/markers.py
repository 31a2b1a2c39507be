"""Citation tags in an answer, the names of the chunks, and the standard refusal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from streamguard.core.model.types import RetrievedChunk
from streamguard.text.citations import CitationMark, find_marks
from streamguard.text.normalise import fold, scalar_text
from streamguard.text.patterns import lazy_re

STANDARD_REFUSAL = "I cannot answer this based on the provided documents."

_SHORTEST_PAIR = 2  # numbers in brackets that may be an interval


def refusal_message(topic: str | None = None) -> str:
    """Return the standard refusal; `topic` names the subject that the documents lack."""
    if topic is None or not topic.strip():
        return STANDARD_REFUSAL
    return f"{STANDARD_REFUSAL} They do not cover {topic.strip().rstrip('.')}."


@dataclass(frozen=True, slots=True)
class Citation:
    """A mark in an answer: its half-open span, and the passage it names as a chunk label.

    The label is empty if the mark counts results that only its product has, or names something
    that no passage is called: nobody can tell which passage it means.
    """

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class ReadMarks:
    """The marks of a text: its citations, and the spans that are no words of the answer."""

    citations: tuple[Citation, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


_NONE = ReadMarks()


def read_marks(
    text: str,
    labels: Mapping[str, Sequence[str]] | None = None,
    passages: int | None = None,
    held: Callable[[str], bool] | None = None,
    most: int | None = None,
) -> ReadMarks:
    """Return the citation marks of folded `text`, in any of the forms of `text.citation_forms`.

    `labels`: the passages that answer to an id, file or address. `passages`: how many there are;
    without it every place counts. `held`: whether the passages hold a bracket as it stands ("[3,
    12]", "rows[7]"), which is no mark then. The number of citations that are read is bounded.
    """
    citations: list[Citation] = []
    spans: list[tuple[int, int]] = []
    for mark in find_marks(text):
        named = labels_of(mark, labels or {}, passages)
        if named is None or (held is not None and _is_content(text, mark, held, passages)):
            continue
        spans.append((mark.start, mark.end))
        citations += [Citation(mark.start, mark.end, label) for label in named]
        if most is not None and len(citations) >= most:
            break
    return ReadMarks(tuple(citations[:most]), tuple(spans)) if spans else _NONE


def citations_in(
    text: str, labels: Mapping[str, Sequence[str]] | None = None, passages: int | None = None
) -> Iterator[Citation]:
    """Yield the citations of folded `text` in order; one per passage, where a mark names several.

    `[C2]`, `[2]`, `[^2]`, `【C2】`, `(C2)`, `[Source 2]` and `[doc2]` are label `C2`, and so are
    `[ID:1]` and other marks that count from 0; a mark that holds a key of `labels` yields its
    values. Numbers alone count from 1 to 99.
    """
    yield from read_marks(text, labels, passages).citations


def labels_of(
    mark: CitationMark, labels: Mapping[str, Sequence[str]], passages: int | None = None
) -> Sequence[str] | None:
    """Return the labels of the passages that a mark names; None if it is text of the answer.

    A name that a passage answers to comes before a place. `("",)` stands for an unknown mark; empty
    for a mark that is no citation by itself.
    """
    form = mark.form
    if form is None:
        return ()
    is_source = form.by == "file"
    known = [label for name in mark.names for label in _called(name, labels, is_source)]
    if not known and mark.names and any(sign in mark.names[0] for sign in ",;"):
        inside = mark.names[-1 if is_source else 0].replace(";", ",")
        parts = [part.strip() for part in inside.split(",")]
        named = [_called(part, labels, is_source) for part in parts]
        # "(Source: price list, C1)" names one in two ways, "[pricing, 2024]" is no citation.
        known = [label for part in named for label in part] if is_source or all(named) else []
    if known:
        return tuple(dict.fromkeys(known))
    places = _places_of(mark, passages)
    if places and form.unknown == "error" and _is_like_an_id(mark.names, labels):
        return mark.names[:1]
    if places and (form.unknown == "error" or passages is None or max(places) <= passages):
        return [f"C{place}" for place in places]
    if form.unknown == "unread":
        return ("",)
    return () if form.name == "address" else None  # where a link leads is no word of the answer


def _called(name: str, labels: Mapping[str, Sequence[str]], is_source: bool) -> Sequence[str]:
    """Return the labels of the passages that answer to a name; a source's may be their title."""
    return labels.get(name) or (labels.get(titled(name), ()) if is_source else ())


def _is_like_an_id(names: Sequence[str], labels: Mapping[str, Sequence[str]]) -> bool:
    """Return whether a name of no passage is formed like the names that they have: "doc-8"."""
    stem = names[0].rstrip("0123456789").lower() if names else ""
    if len(stem) < 2 or not stem.isascii() or stem[-1].isspace():
        return False
    ids = (label.lower() for label in labels)
    return any(label.startswith(stem) and label[len(stem) :][:1].isdigit() for label in ids)


def _places_of(mark: CitationMark, passages: int | None) -> Sequence[int]:
    """Return a mark's places; of "¹²" 1 and 2, where there are no twelve."""
    places = mark.places
    if passages and mark.form is not None and mark.form.name == "superscript":
        return [
            each
            for place in places
            for each in ([place] if place <= passages else map(int, str(place)))
        ]
    return places


def _is_content(
    text: str, mark: CitationMark, held: Callable[[str], bool], passages: int | None
) -> bool:
    """Return whether the passages hold a bracket of numbers as it stands: an interval, an index."""
    if mark.form is None or mark.form.name not in ("tag", "unknown"):
        return False
    written = text[mark.start : mark.end]
    if not mark.places:
        return held(written)
    if len(mark.places) >= _SHORTEST_PAIR and written[1].isdigit() and held(written):
        return True
    word = _WORD_BEFORE.search(text, max(0, mark.start - _WORD_CHARS), mark.start)
    if word is None:
        return False
    is_known = passages is not None and max(mark.places) <= passages
    return held(word[0] + written) or (not is_known and held(f"{word[0]}["))


_WORD_CHARS = 24  # of a word in front of an index, "rows[7]"
_WORD_BEFORE = lazy_re(r"[\w.]+\Z")
# A bracket in a passage, with the word that it is glued to, and that word with the open bracket.
_BRACKETS = lazy_re(rf"([\w.]{{0,{_WORD_CHARS}}})(\[[^\[\]\n]{{1,40}}\])")
_MOST_BRACKETS = 4_000  # kept of a context; guess, some 400 kB


class Brackets:
    """Holds the brackets of the passages between calls, as the answer may quote them."""

    def __init__(self) -> None:
        self._held: set[str] = set()

    def add(self, text: str) -> None:
        """Take the brackets of folded text of a passage."""
        if "[" in text and len(self._held) < _MOST_BRACKETS:
            for word, bracket in _BRACKETS.findall(text):
                self._held.update((bracket, f"{word}{bracket}", f"{word}["))

    def hold(self, written: str) -> bool:
        """Return whether a passage has it: "[3, 12]", "rows[7]", or "rows[" of any index."""
        return written in self._held


_NUMBERED = lazy_re(r"C\d{1,6}")
TOOL_LABEL = "tool:"  # what a tool returned says so by its label; a citation may leave it out
# So does what came in the answer's own stream, by its kind.
SOURCE_LABELS = (
    TOOL_LABEL,
    "mcp:",
    "file_search:",
    "web_search:",
    "web_fetch:",
    "code:",
    "retrieval:",
    "citation:",
)
_MOST_OF_SOURCE = 50  # chunks that one tag cites by their source or id; guess
_MOST_SOURCES = 500  # whose names are read: 3 ms; guess, no prompt holds as many
_MACHINES = lazy_re(r"[0-9a-fA-F-]{16,64}")  # UUIDs and digests, which people cannot look up
_DIGITS = lazy_re(r"[0-9]{1,6}")
# How keys of titles begin, which no name does; a longer text is no title; guess.
_TITLE, _TITLE_CHARS = "\0", 100


class Labels:
    """The chunks' labels in their order: the id, or `Cn` where a chunk has none.

    Of an id that several have, the others' labels end in their number. `folded`: which labels a
    tag names by an id, or by the source of chunks.
    """

    def __init__(self, chunks: Sequence[RetrievedChunk]) -> None:
        self._chunks = chunks
        self._numbers: dict[str, int] = {}
        self.folded: dict[str, tuple[str, ...]] = {}
        for number, chunk in enumerate(chunks):
            label = name = scalar_text(chunk.id) if chunk.id else f"C{number + 1}"
            while label in self._numbers:
                label = f"{label}.{number + 1}"
            self._numbers[label] = number
            key = fold(name).text
            self.folded[key] = (*self.folded.get(key, ()), label)[:_MOST_OF_SOURCE]
        self.all = tuple(self._numbers)
        for number, label in enumerate(self.all):
            bare = _without_kind(label)
            if bare != label and bare not in self._numbers:
                self._numbers[bare] = number
                self.folded.setdefault(fold(bare).text, (bare,))
        of_source: dict[str, list[str]] = {}
        for label, chunk in zip(self.all, chunks, strict=True):
            if chunk.source:
                of_source.setdefault(chunk.source, []).append(label)
        named: dict[str, tuple[str, ...]] = {}  # the labels of a source, also by its file's name
        for source, found in islice(of_source.items(), _MOST_SOURCES):
            for name in dict.fromkeys((source, source.rpartition("/")[2])):
                key = fold(scalar_text(name)).text.strip()
                if any(map(str.isalpha, key)):
                    named[key] = (*named.get(key, ()), *found)[:_MOST_OF_SOURCE]
        for label, chunk in zip(self.all[:_MOST_SOURCES], chunks, strict=False):
            for title in _titles(chunk.text):
                named[title] = (*named.get(title, ()), label)[:_MOST_OF_SOURCE]
        self.folded = named | self.folded
        self._hold_numbers = any(
            _NUMBERED.fullmatch(_without_kind(chunk.id)) for chunk in chunks if chunk.id
        )

    def for_people(self, label: str) -> str:
        """Return a name for the chunk of `label`, which names no source: its place for an id."""
        return f"C{self._numbers[label] + 1}" if _MACHINES.fullmatch(label) else label

    def numbers_of(self, name: str) -> tuple[int, ...]:
        """Return the indexes of all chunks that answer to `name`, as their source as well."""
        labels = self.folded.get(fold(name.strip("[] ")).text, (name,))
        return tuple(number for each in labels if (number := self.number_of(each)) is not None)

    def number_of(self, label: str) -> int | None:
        """Return the index of the chunk that answers to `label`, or None.

        A chunk answers to its id, to its number as `Cn` and `n`, and to these in brackets.
        """
        bare = label.strip("[] ")
        found = self._numbers.get(label, self._numbers.get(bare))
        digits = bare[1:] if bare.startswith(("C", "c")) else bare
        if found is not None or not _DIGITS.fullmatch(digits):
            return found
        number = int(digits)
        found = self._numbers.get(f"C{number}")
        # The place counts only where no chunk bears such a label itself.
        if found is None and not self._hold_numbers and 1 <= number <= len(self.all):
            return number - 1
        return found


def titled(name: str) -> str:
    """Return the key in `Labels.folded` of chunks whose title is `name`, which is folded."""
    return f"{_TITLE}{name.lower()}"


def _titles(text: str) -> set[str]:
    """Return the keys of a chunk's title: its first line, and that up to a dash, if it is short."""
    line = text.lstrip()[:_TITLE_CHARS].partition("\n")[0]
    if len(line) == _TITLE_CHARS or line.endswith((".", "!", "?")):
        return set()
    title = fold(scalar_text(line)).text.strip(" #*_:")
    return {titled(each) for each in (title, title.partition(" - ")[0].strip()) if each}


def _without_kind(label: str) -> str:
    return label.partition(":")[2] if label.startswith(SOURCE_LABELS) else label
