"""Citation tags in an answer, what the chunks are called, and the standard refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from streamguard.core.model.types import RetrievedChunk
from streamguard.text.normalise import fold, scalar_text
from streamguard.text.patterns import lazy_re

STANDARD_REFUSAL = "I cannot answer this based on the provided documents."

# What a tag may call a passage: "[Source 2]", "(see Document 3)", "[Source: pricing.md]".
_CALLED = (
    r"(?:see[ ])?(?:sources?|refs?\.?|references?|passages?|documents?|docs?|chunks?|excerpts?"
    r"|cit(?:e|ed|ation|ations)|quellen?|dokument|fuentes?|fontes?|fonti)(?:[ ]?[:#][ ]?|[ ])"
)
_NUMBER = rf"(?:{_CALLED})?C?\d{{1,6}}"
# One tag may name several passages: [C1], [C1, C3], [C1-C3], [C1; 4], [1], [^1], [C1 and C2]; a
# page may follow.
_NUMBERS = lazy_re(
    rf"(?i)\s?\^?(?:see\s)?(?P<cited>{_NUMBER}"
    rf"(?:\s{{0,2}}(?:[,;&–-]|/(?=c)|(?<=\s)and(?=\s))\s{{0,2}}{_NUMBER}){{0,20}})"
    r"(?:,?\s(?:p|pp|page|pages)\.?\s?\d{1,5}(?:[–-]\d{1,5})?)?\s?"
)
_RANGE = lazy_re(r"(?i)C?(\d{1,6})(?:\s{0,2}[–-]\s{0,2}C?(\d{1,6}))?")
_NAMED = lazy_re(rf"(?i){_CALLED}")
_TAG = lazy_re(
    r"[\[【](?P<square>[^\[\]【】\n]{1,120})[\]】](?P<link>\([^()\s]{0,300}\))?"
    rf"|\((?P<round>(?:(?i:{_CALLED})|(?:see[ ])?[Cc](?=\d))[^()\[\]\n]{{1,120}}"
    r"|[^()\[\]\s]{1,100}\.[a-z]{2,5})\)"
)
_INLINE_CODE = lazy_re(r"`[^`\n]{1,200}`")
_MAX_BARE = 99  # a larger number in brackets is a year or a figure; guess
_MAX_RANGE = 20  # passages one tag may span


def refusal_message(topic: str | None = None) -> str:
    """Return the standard refusal; `topic` names what the documents do not answer."""
    if topic is None or not topic.strip():
        return STANDARD_REFUSAL
    return f"{STANDARD_REFUSAL} They do not cover {topic.strip().rstrip('.')}."


@dataclass(frozen=True, slots=True)
class Citation:
    """A tag in an answer: its half-open span, and the passage it names as a chunk label."""

    start: int
    end: int
    label: str


def citations_in(
    text: str, labels: Mapping[str, Sequence[str]] | None = None
) -> Iterator[Citation]:
    """Yield the citations of `text` in order.

    `[C2]`, `[2]`, `[^2]`, `【C2】`, `(C2)`, `[Source 2]` and `(Source 2)` are label `C2`;
    `[C1, C3]`, `[C1-C3]` and `[C1 and C3]` yield one citation per passage, all with one span; a
    tag that holds a key of `labels` yields its values, also behind a word (`[Source: key]`).
    Numbers alone count from 1 to 99. A link's label is a citation only with its C, and the span
    then holds the link; inline code holds none.
    """
    if "[" not in text and "(" not in text and "【" not in text:
        return
    if not any(map(str.isalnum, text)):
        return
    plain = _INLINE_CODE.sub(lambda code: " " * len(code.group()), text) if "`" in text else text
    for tag in _TAG.finditer(plain):
        inner, linked = tag["square"] or tag["round"], bool(tag["link"])
        cited: Sequence[str] = ()
        if labels and not linked:
            key = inner.strip()
            called = _NAMED.match(key)
            cited = labels.get(key) or (labels.get(key[called.end() :], ()) if called else ())
        for label in cited or [f"C{number}" for number in _cited_numbers(inner, linked=linked)]:
            yield Citation(tag.start(), tag.end(), label)


def _cited_numbers(inner: str, *, linked: bool) -> list[int]:
    """Return the passages that the inside of a tag names, none where it is something else."""
    found = _NUMBERS.fullmatch(inner)
    if found is None:
        return []
    cited = found["cited"]
    bare = "C" not in _NAMED.sub("", cited).upper()
    numbers: list[int] = []
    for first, last in _RANGE.findall(cited):
        end = min(int(last or first), int(first) + _MAX_RANGE)
        numbers.extend(range(int(first), end + 1))
    if bare and (linked or not all(1 <= number <= _MAX_BARE for number in numbers)):
        return []
    return numbers


_NUMBERED = lazy_re(r"C\d{1,6}")
TOOL_LABEL = "tool:"  # what a tool returned says so by its label; a citation may leave it out
# So does what came in the answer's own stream, by its kind.
SOURCE_LABELS = (
    TOOL_LABEL, "mcp:", "file_search:", "web_search:", "web_fetch:", "code:", "retrieval:",
    "citation:",
)  # fmt: skip
_MOST_OF_SOURCE = 50  # chunks that one tag cites by their source or id; guess
_MOST_SOURCES = 500  # whose names are read: 3 ms; guess, no prompt holds as many
_MACHINES = lazy_re(r"[0-9a-fA-F-]{16,64}")  # UUIDs and digests, which people cannot look up
_DIGITS = lazy_re(r"[0-9]{1,6}")


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
        self.folded = named | self.folded
        self._hold_numbers = any(
            _NUMBERED.fullmatch(_without_kind(chunk.id)) for chunk in chunks if chunk.id
        )

    def for_people(self, label: str) -> str:
        """Return what to call the chunk of `label`; its place and source for a machine's id."""
        if not _MACHINES.fullmatch(label):
            return label
        number = self._numbers[label]
        source = self._chunks[number].source
        return f"C{number + 1} ({source.rpartition('/')[2]})" if source else f"C{number + 1}"

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


def _without_kind(label: str) -> str:
    return label.partition(":")[2] if label.startswith(SOURCE_LABELS) else label
