"""Citation tags in an answer, and the standard refusal that may stand for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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
        cited = _labelled(inner.strip(), labels) if labels and not linked else ()
        for label in cited or [f"C{number}" for number in _cited_numbers(inner, linked=linked)]:
            yield Citation(tag.start(), tag.end(), label)


def _labelled(inner: str, labels: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the labels that the inside of a tag names by a key of `labels`."""
    called = _NAMED.match(inner)
    return labels.get(inner) or (labels.get(inner[called.end() :], ()) if called else ())


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
