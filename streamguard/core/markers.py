"""The marks that prompts and answers share: boundary lines, `[Cn]` passages, citation tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from streamguard.core.types import RetrievedChunk

BOUNDARY_START = "════════════════ DOCUMENT CONTEXT START ════════════════"
BOUNDARY_END = "════════════════ DOCUMENT CONTEXT END ════════════════"
STANDARD_REFUSAL = "I cannot answer this based on the provided documents."

# A boundary is a line of its own; people write fewer or other rules around the words.
_RULE = r"[ \t═=─*#-]{0,40}"
_START_LINE = re.compile(rf"^{_RULE}DOCUMENT CONTEXT START{_RULE}$", re.MULTILINE)
_END_LINE = re.compile(rf"^{_RULE}DOCUMENT CONTEXT END{_RULE}$", re.MULTILINE)
_PASSAGE_HEAD = re.compile(r"^[ \t]{0,8}\[C(\d{1,6})\][ \t:.-]{0,4}", re.MULTILINE)
_SOURCE_LINE = re.compile(
    r"\s{0,3}[(\[]?source:[ \t]{0,4}([^\n]{1,500}?)[)\]]?[ \t]*(?:\n|$)", re.IGNORECASE
)
# A question that follows the passages of an unbounded prompt.
_QUESTION_HEAD = re.compile(
    r"^[ \t]{0,4}(?:user[ \t]{1,4})?(?:question|query)[ \t]{0,4}:", re.IGNORECASE | re.MULTILINE
)
# One tag may name several passages: [C1], [C1, C3], [C1; 4], [1].
_CITATION = re.compile(
    r"\[(C?\d{1,6}(?:[ \t]{0,2}[,;][ \t]{0,2}C?\d{1,6}){0,20})\](?!\()", re.IGNORECASE
)
_CITATION_PART = re.compile(r"\d{1,6}")


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


def citations_in(text: str, ids: frozenset[str] = frozenset()) -> Iterator[Citation]:
    """Yield the citations of `text` in order; `ids` are further bracketed names that count.

    `[C2]` and `[2]` are label `C2`; `[C1, C3]` yields two citations with one span; a bracket that
    holds exactly one of `ids` is that id. A Markdown link's label is no citation.
    """
    for tag in _brackets(text):
        inner = tag.group(1).strip()
        if inner in ids:
            yield Citation(tag.start(), tag.end(), inner)
        elif _CITATION.fullmatch(tag.group()):
            for part in _CITATION_PART.findall(inner):
                yield Citation(tag.start(), tag.end(), f"C{int(part)}")


_BRACKET = re.compile(r"\[([^\[\]\n]{1,120})\](?!\()")


def _brackets(text: str) -> Iterator[re.Match[str]]:
    return _BRACKET.finditer(text) if "[" in text else iter(())


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
        source = _SOURCE_LINE.match(body)
        body = body[source.end() :] if source else body
        if body.strip():
            label = f"C{int(head.group(1))}"
            name = source.group(1).strip() if source else None
            found.append(RetrievedChunk(body.strip(), id=label, source=name))
    return found


def chunks_of_prompt(text: str) -> tuple[RetrievedChunk, ...]:
    """Return the chunks a prompt's context block holds: its `[Cn]` passages, else all as one."""
    block = context_block(text)
    inner = text[slice(*block)] if block else text
    found = tuple(passages(inner))
    if found or not inner.strip():
        return found
    return (RetrievedChunk(inner.strip(), id="C1"),)


def split_question(text: str) -> tuple[str, str]:
    """Split a user message into the context it carries and the question that remains.

    The context is the text between boundary lines, or from the first `[Cn]` line to a
    `Question:` head behind the last one. Without either the context is empty.
    """
    block = context_block(text)
    if block is not None:
        before = _START_LINE.sub("", text[: block[0]])
        after = _END_LINE.sub("", text[block[1] :])
        return text[block[0] : block[1]], _bare_question(f"{before}\n{after}")
    heads = list(_PASSAGE_HEAD.finditer(text))
    if not heads:
        return "", text.strip()
    asked = list(_QUESTION_HEAD.finditer(text, heads[-1].end()))
    end = asked[-1].start() if asked else len(text)
    rest = text[: heads[0].start()] + (text[end:] if asked else "")
    return text[heads[0].start() : end], _bare_question(rest)


def _bare_question(text: str) -> str:
    """Return what follows the last `Question:` head, or all of `text`, stripped."""
    heads = list(_QUESTION_HEAD.finditer(text))
    return text[heads[-1].end() :].strip() if heads else text.strip()
