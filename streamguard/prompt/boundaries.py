"""What a context of this package's own form is: boundary lines and `[Cn]` passages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from streamguard.text.patterns import lazy_re, sliced_re

# How passages were set off: between boundary lines, by tags, by numbered marks, between rules,
# behind a head or an announcing sentence.
Form = Literal["boundary", "tags", "marks", "rules", "head", "lead"]

BOUNDARY_START = "════════════════ DOCUMENT CONTEXT START ════════════════"
BOUNDARY_END = "════════════════ DOCUMENT CONTEXT END ════════════════"

# A boundary is a line of its own; people write fewer or other rules around the words.
_RULE = r"[ \t═=─*#-]{0,40}"
_START_LINE = sliced_re(rf"^{_RULE}DOCUMENT CONTEXT START{_RULE}$", re.MULTILINE)
_END_LINE = sliced_re(rf"^{_RULE}DOCUMENT CONTEXT END{_RULE}$", re.MULTILINE)
_PASSAGE_HEAD = sliced_re(r"^[ \t]{0,8}\[C(\d{1,6})\][ \t:.-]{0,4}", re.MULTILINE)
_SOURCE_LINE = lazy_re(
    r"\s{0,3}[(\[]?source:[ \t]{0,4}([^\n]{1,500}?)[)\]]?[ \t]*(?:\n|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage of a prompt: its words, what it is called, and the source that is named."""

    text: str
    id: str | None = None
    source: str | None = None


def context_block(text: str) -> tuple[int, int] | None:
    """Return the half-open span between the boundary lines of `text`, or None without a start.

    A block without an end line runs to the end of the text.
    """
    start = _START_LINE.search(text)
    if start is None:
        return None
    end = _END_LINE.search(text, start.end())
    return start.end(), end.start() if end else len(text)


def passages(text: str) -> list[Passage]:
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
            found.append(Passage(body.strip(), id=label, source=source))
    return found


def passages_of_block(text: str) -> tuple[Passage, ...]:
    """Return the passages a prompt's context block holds: its `[Cn]` passages, else all as one."""
    block = context_block(text)
    inner = text[slice(*block)] if block else text
    found = tuple(passages(inner))
    if found or not inner.strip():
        return found
    return (Passage(inner.strip(), id="C1"),)


def without_block(text: str, block: tuple[int, int]) -> str:
    """Return what stands before and behind the `block` of `text`, without its boundary lines."""
    before = _START_LINE.sub("", text[: block[0]])
    return f"{before}\n{_END_LINE.sub('', text[block[1] :])}"


def source_line(body: str) -> tuple[str, str] | None:
    """Return the source that a passage's first line names, and the rest; None without one."""
    found = _SOURCE_LINE.match(body)
    return (found.group(1).strip(), body[found.end() :]) if found else None
