"""The marks that prompts and answers share: boundary lines, `[Cn]` passages, citation tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from streamguard.core.model.types import RetrievedChunk
from streamguard.text.patterns import lazy_re, sliced_re

BOUNDARY_START = "════════════════ DOCUMENT CONTEXT START ════════════════"
BOUNDARY_END = "════════════════ DOCUMENT CONTEXT END ════════════════"
STANDARD_REFUSAL = "I cannot answer this based on the provided documents."

# A boundary is a line of its own; people write fewer or other rules around the words.
_RULE = r"[ \t═=─*#-]{0,40}"
_START_LINE = sliced_re(rf"^{_RULE}DOCUMENT CONTEXT START{_RULE}$", re.MULTILINE)
_END_LINE = sliced_re(rf"^{_RULE}DOCUMENT CONTEXT END{_RULE}$", re.MULTILINE)
_PASSAGE_HEAD = sliced_re(r"^[ \t]{0,8}\[C(\d{1,6})\][ \t:.-]{0,4}", re.MULTILINE)
_SOURCE_LINE = lazy_re(
    r"\s{0,3}[(\[]?source:[ \t]{0,4}([^\n]{1,500}?)[)\]]?[ \t]*(?:\n|$)", re.IGNORECASE
)
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


def context_block(text: str) -> tuple[int, int] | None:
    """Return the half-open span between the boundary lines of `text`, or None without a start.

    A block without an end line runs to the end of the text.
    """
    start = _START_LINE.search(text)
    if start is None:
        return None
    end = _END_LINE.search(text, start.end())
    return start.end(), end.start() if end else len(text)


def passages(text: str) -> list[RetrievedChunk]:
    """Split a prompt's context into its `[Cn]` passages, in order.

    A passage runs from after its mark (a source line excluded) to the next mark or boundary line,
    stripped. Empty passages are left out, the number of each stays with it as `Cn`.
    """
    heads = list(_PASSAGE_HEAD.finditer(text))
    found = []
    for head, following in zip_longest(heads, heads[1:]):  # the last has none after it
        end = following.start() if following else len(text)
        boundary = _END_LINE.search(text, head.end(), end)
        body = text[head.end() : boundary.start() if boundary else end]
        source, body = source_line(body) or (None, body)
        if body.strip():
            label = f"C{int(head.group(1))}"
            found.append(RetrievedChunk(body.strip(), id=label, source=source))
    return found


def chunks_of_prompt(text: str) -> tuple[RetrievedChunk, ...]:
    """Return the chunks a prompt's context block holds: its `[Cn]` passages, else all as one."""
    block = context_block(text)
    inner = text[slice(*block)] if block else text
    found = tuple(passages(inner))
    if found or not inner.strip():
        return found
    return (RetrievedChunk(inner.strip(), id="C1"),)


def without_block(text: str, block: tuple[int, int]) -> str:
    """Return what stands before and behind the `block` of `text`, without its boundary lines."""
    before = _START_LINE.sub("", text[: block[0]])
    return f"{before}\n{_END_LINE.sub('', text[block[1] :])}"


def source_line(body: str) -> tuple[str, str] | None:
    """Return the source that a passage's first line names, and the rest; None without one."""
    found = _SOURCE_LINE.match(body)
    return (found.group(1).strip(), body[found.end() :]) if found else None
