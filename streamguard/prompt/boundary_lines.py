"""The package's own form of context: boundary lines with `[Cn]` passages between them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from streamguard.text.patterns import lazy_re, sliced_re

# How passages were set off: between boundary lines, by tags, by numbered marks, between rules,
# behind a head or an announcing sentence.
Form = Literal["boundary", "tags", "marks", "rules", "head", "lead", "template"]

BOUNDARY_START = "════════════════ DOCUMENT CONTEXT START ════════════════"
BOUNDARY_END = "════════════════ DOCUMENT CONTEXT END ════════════════"

# A boundary is a line of its own; people write fewer or other rules around the words.
_RULE = r"[ \t═=─*#-]{0,40}"
_START_LINE = sliced_re(rf"^{_RULE}DOCUMENT CONTEXT START{_RULE}$", re.MULTILINE)
_END_LINE = sliced_re(rf"^{_RULE}DOCUMENT CONTEXT END{_RULE}$", re.MULTILINE)
BOUNDARY_LINE = sliced_re(rf"^{_RULE}DOCUMENT CONTEXT (?:START|END){_RULE}$", re.MULTILINE)
_PASSAGE_HEAD = sliced_re(r"^[ \t]{0,8}\[C(\d{1,6})\][ \t:.-]{0,4}", re.MULTILINE)
_SOURCE_LINE = lazy_re(
    r"\s{0,3}[(\[]?source:[ \t]{0,4}([^\n]{1,500}?)[)\]]?[ \t]*(?:\n|$)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage of a prompt: its text, its name, and its source, if named."""

    text: str
    id: str | None = None
    source: str | None = None


def context_block(text: str, *, last_end: bool = False) -> tuple[int, int] | None:
    """Return the half-open span between the boundary lines of `text`, None without a start.

    The first end line after the start ends it; with `last_end` the last one, since in a text that
    is all the application's the others belong to passages. A block without an end line extends to
    the end of the text.
    """
    start = _START_LINE.search(text)
    if start is None:
        return None
    ends = _END_LINE.finditer(text, start.end())
    end = next(ends, None)
    for later in ends if last_end else ():
        end = later
    return start.end(), end.start() if end else len(text)


def passages(text: str) -> list[Passage]:
    """Split a prompt's context into its `[Cn]` passages, in order.

    A passage extends from its mark (without a source line) to the next mark or the last boundary
    line of the text, stripped. A repeated number belongs to a passage's own text. Empty passages
    are left out; the others keep their number `Cn`.
    """
    heads = {int(head[1]): head for head in reversed([*_PASSAGE_HEAD.finditer(text)])}
    in_order = sorted(heads.values(), key=lambda head: head.start())
    last = in_order[-1].end() if in_order else len(text)
    *_, boundary = (None, *_END_LINE.finditer(text, last))
    last_end = boundary.start() if boundary else len(text)
    found = []
    for head, following in zip_longest(in_order, in_order[1:]):  # the last has none after it
        end = following.start() if following else last_end
        body = text[head.end() : end]
        source, body = source_line(body) or (None, body)
        if body.strip():
            label = f"C{int(head.group(1))}"
            found.append(Passage(body.strip(), id=label, source=source))
    return found


def passages_of_block(text: str, *, last_end: bool = True) -> tuple[Passage, ...]:
    """Return the passages in a prompt's context block: its `[Cn]` passages, else one for all.

    Text before the first mark is a passage of its own, after the others. `last_end` as in
    `context_block`.
    """
    block = context_block(text, last_end=last_end)
    inner = text[slice(*block)] if block else text
    found = passages(inner)
    first = _PASSAGE_HEAD.search(inner)
    before = inner[: first.start()].strip() if first else inner.strip()
    if not before:
        return tuple(found)
    free = max((int((each.id or "C0")[1:]) for each in found), default=0) + 1
    return (*found, Passage(before, id=f"C{free}"))


def source_line(body: str) -> tuple[str, str] | None:
    """Return the source named in a passage's first line, and the rest; None without one."""
    found = _SOURCE_LINE.match(body)
    return (found.group(1).strip(), body[found.end() :]) if found else None
