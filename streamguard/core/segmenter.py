"""Cut a text into sentences while it arrives.

One pass: a search for the next sign that could matter, and a decision about it that is a pure
function of a bounded window (`boundaries`). A decision that the next characters could change
waits for them, and therefore no span depends on how the text was cut into pieces.

Every newline is a boundary: paragraphs, headings, list items, table rows, block-quote lines and
code lines each stand alone, and a line that was wrapped by hand ends where it was wrapped.
"""

from __future__ import annotations

import re

from streamguard.core.boundaries import (
    LEFT_CHARS,
    MARKS,
    NO_BOUNDARY,
    WIDE_MARKS,
    boundary_after,
)
from streamguard.core.items import BULLETS, LIST_MARK, LIST_MARK_CHARS, next_item
from streamguard.core.languages import language_table
from streamguard.core.trailing import NEWLINES, RIGHT_CHARS, SPACES, MoreTextNeeded
from streamguard.errors import StreamStateError

MAX_SENTENCE_CHARS = 2_000  # forced boundary; SPEC section 6
CUT_BACK_CHARS = 200  # how far before it a forced boundary looks for white space; guess
CODE_CHARS = 200  # an inline code span or
BRACKET_CHARS = 120  # a bracket that is longer is taken for an unclosed one; guesses

_ENDINGS = MARKS + WIDE_MARKS
_EVENT = re.compile("[" + re.escape(_ENDINGS + NEWLINES + "`~[])" + BULLETS) + "]")
_find_event = _EVENT.search
_WINDOWS = (6, 40, RIGHT_CHARS)  # most decisions need two characters, few a whole citation
_WHOLE_LINE = re.compile(r"[>\s]{0,12}(?:\||#{1,6}[ \t])")  # table rows and headings
_FENCE_PREFIX = re.compile(r"[>\s]{0,12}(?:[-*+][ \t]{1,4}|\d{1,3}[.)][ \t]{1,4})?")


class Segmenter:
    """Find sentence spans in a text that arrives in pieces of any size, also empty ones.

    Spans are half-open code point offsets into the whole text, without white space at their ends,
    in order and never overlapping. `language` is an IETF tag; a language without a table is cut by
    the neutral one. `lower_case` lets a sentence start with a small letter after a plain word.
    Work is linear in the text and memory bounded by `MAX_SENTENCE_CHARS` and the largest piece.
    """

    __slots__ = (
        "_base",
        "_bracket_limit",
        "_buffer",
        "_cap",
        "_closed",
        "_code_limit",
        "_code_width",
        "_fence",
        "_fence_line",
        "_first",
        "_fresh",
        "_lower_case",
        "_plain_until",
        "_position",
        "_read_again",
        "_spans",
        "_start",
        "_table",
        "_wake",
        "_wake_end",
        "_wake_from",
        "_whole",
    )

    def __init__(self, language: str = "en", *, lower_case: bool = True) -> None:
        self._table = language_table(language)
        self._lower_case = lower_case
        self._closed = False
        self._buffer = ""  # the text from the current sentence on
        self._base = 0  # offset of the buffer in the whole text
        self._position = 0  # the scan goes on here; all positions below are in the buffer
        self._start = 0  # of the current sentence
        self._fresh = True  # only white space since the last boundary: `_start` may still move
        self._cap = MAX_SENTENCE_CHARS
        self._plain_until = -1  # up to this length of the buffer only an event matters; -1: no
        self._read_again = 0  # characters read behind `_position`, or again
        self._first = True  # the current sentence is the first of its line
        self._whole: bool | None = None  # the line is a heading or row; None: not known yet
        self._code_width = 0  # of the open inline code span
        self._code_limit = 0  # where it is over even without its end
        self._bracket_limit = -1  # where an open "[" is over even without its end
        self._fence: tuple[str, int] | None = None  # sign and width of the open code fence
        self._fence_line = False  # still on the line that opened it
        self._wake: re.Pattern[str] | None = None  # nothing is decided before this is met ...
        self._wake_from = 0  # ... behind here ...
        self._wake_end = 0  # ... or the text reaches this far
        self._spans: list[tuple[int, int]] = []

    @property
    def chars_scanned(self) -> int:
        """Characters handed to any search so far, each as often as it was handed to one."""
        return self._base + self._position + self._read_again

    def feed(self, text: str) -> list[tuple[int, int]]:
        """Return the spans that `text` settles.

        Raises StreamStateError after `close`.
        """
        self._buffer = buffer = self._buffer + text
        if len(buffer) <= self._plain_until:
            if _find_event(buffer, self._position) is None:
                self._position = len(buffer)
                return []
            self._read_again += len(buffer) - self._position
        elif self._closed:
            self._buffer = ""
            raise StreamStateError("feed was called after close; use a new Segmenter per text")
        elif self._wake is not None and not self._awake():
            return []
        return self._advance(final=False)

    def close(self) -> list[tuple[int, int]]:
        """Return the spans that the end of the text settles; a second call returns nothing."""
        if self._closed:
            return []
        self._closed = True
        self._wake = None
        spans = self._advance(final=True)
        if not self._fresh:
            self._settle(len(self._buffer))
            spans = spans + self._taken()
        self._buffer = ""
        return spans

    def _awake(self) -> bool:
        assert self._wake is not None
        size = len(self._buffer)
        self._read_again += size - self._wake_from
        if size < self._wake_end and not self._wake.search(self._buffer, self._wake_from):
            self._wake_from = size
            return False
        self._wake = None
        return True

    def _advance(self, *, final: bool) -> list[tuple[int, int]]:
        self._plain_until = -1
        while self._step(final):
            pass
        if self._start:
            self._drop(self._start)
        return self._taken()

    def _drop(self, length: int) -> None:
        """Forget the settled `length` characters at the start of the buffer."""
        self._buffer = self._buffer[length:]
        self._base += length
        self._start = 0
        self._position -= length
        self._cap -= length
        self._plain_until -= length
        self._code_limit -= length
        self._bracket_limit = max(self._bracket_limit - length, -1)
        self._wake_from -= length
        self._wake_end -= length

    def _taken(self) -> list[tuple[int, int]]:
        spans, self._spans = self._spans, []
        return spans

    def _step(self, final: bool) -> bool:
        """Go on to the next event and take it; return False to wait for more text."""
        if self._fresh and not self._begin():
            return False
        buffer = self._buffer
        limit = min(len(buffer), self._cap)
        found = _find_event(buffer, self._position, limit)
        if found is not None:
            self._read_again += 1
            at = found.start()
            return self._take(at, buffer[at], final)
        self._position = limit
        if len(buffer) > self._cap:
            self._cut()
            return True
        self._plain_until = self._cap
        return False

    def _begin(self) -> bool:
        """Skip the white space before a sentence; return False if there is nothing else yet."""
        spaces = SPACES.match(self._buffer, self._position)
        assert spaces is not None
        self._position = self._start = spaces.end()
        if self._start == len(self._buffer):
            return False
        self._cap = self._start + MAX_SENTENCE_CHARS
        self._fresh = False
        return True

    def _begin_at(self, start: int) -> None:
        """Begin the next sentence at `start`, which lies behind the scan."""
        self._start = start
        self._cap = start + MAX_SENTENCE_CHARS
        self._fresh = False

    def _take(self, at: int, sign: str, final: bool) -> bool:
        if sign in NEWLINES:
            self._settle(at)
            self._new_line(at)
        elif sign in "`~":
            return self._take_tick(at, sign, final)
        elif self._fence is not None or self._is_whole_line(at):
            self._position = at + 1
        elif sign == "[":
            self._bracket_limit = at + BRACKET_CHARS
            self._position = at + 1
        elif sign == "]":
            return self._take_bracket(at, final)
        elif sign == ")" or sign in BULLETS:
            self._take_list_mark(at)
        elif self._hidden(at):
            self._position = at + 1
        else:
            return self._take_mark(at, at + 1, final)
        return True

    def _settle(self, end: int) -> None:
        length = len(self._buffer[self._start : end].rstrip())
        if length:
            start = self._base + self._start
            self._spans.append((start, start + length))
        self._start = end
        self._position = max(self._position, end)
        self._fresh = True
        self._first = False

    def _new_line(self, at: int) -> None:
        self._start = self._position = at + 1
        self._first = True
        self._whole = None
        self._code_width = 0
        self._bracket_limit = -1
        self._fence_line = False

    def _cut(self) -> None:
        """Force a boundary at the cap: at the last white space before it, if one is near."""
        self._is_whole_line(self._cap)
        cap = self._cap
        tail = self._buffer[cap - CUT_BACK_CHARS : cap]
        back = len(tail) - len(tail.rstrip())
        words = tail.rstrip().rsplit(None, 1)
        cut = cap if back or len(words) < 2 else cap - len(words[1])
        self._settle(cut)
        if cut < cap:
            self._begin_at(cut)

    def _is_whole_line(self, at: int) -> bool:
        """Say whether the line is a heading or a table row, which no mark divides."""
        if self._whole is None:
            opening = self._buffer[self._start] in "|#>"
            self._whole = opening and bool(_WHOLE_LINE.match(self._buffer, self._start, at))
        return self._whole

    def _hidden(self, at: int) -> bool:
        """Say whether `at` is in inline code or between brackets."""
        return at <= self._bracket_limit or (self._code_width > 0 and at <= self._code_limit)

    def _take_mark(self, at: int, rest: int, final: bool) -> bool:
        """Decide about the mark before `rest`; `at` is where the event ends less one."""
        buffer = self._buffer
        following = buffer[rest : rest + 1] if rest < self._cap else "\n"
        if not following and not final:
            self._position = at
            return False
        if following and (following.isdecimal() or following.islower() or following in MARKS):
            self._position = at + 1
            return True
        start = self._start
        if rest - start <= LIST_MARK_CHARS and LIST_MARK.fullmatch(buffer, start, rest):
            self._position = at + 1
            return True
        if self._item_before(rest):
            self._position = at + 1
            return True
        left = buffer[max(start, rest - LEFT_CHARS) : rest]
        end = self._decide(left, at, rest, final)
        if end is None:
            return False
        if end == NO_BOUNDARY:
            self._position = at + 1
        else:
            self._settle(max(rest + end, at + 1))
        return True

    def _decide(self, left: str, at: int, rest: int, final: bool) -> int | None:
        """Return the boundary relative to `rest`, or None to wait."""
        size = len(self._buffer)
        stop = min(rest + RIGHT_CHARS, self._cap)
        self._read_again += len(left)
        for width in _WINDOWS:
            reach = min(rest + width, stop, size)
            over = reach == stop or (final and reach == size)
            right = self._buffer[rest:reach] + ("\n" if over else "")
            self._read_again += reach - rest
            try:
                return boundary_after(left, right, self._table, lower_case=self._lower_case)
            except MoreTextNeeded as need:
                if reach == size:
                    self._position = at
                    self._wake = need.until
                    self._wake_from = size
                    self._wake_end = min(rest + need.enough, stop)
                    return None
        raise AssertionError("a window that is over decides")

    def _take_bracket(self, at: int, final: bool) -> bool:
        opened = self._bracket_limit - BRACKET_CHARS
        if at <= self._bracket_limit and not self._code_width:
            inside = self._buffer[max(opened + 1, self._start) : at]
            if inside[-1:] in _ENDINGS and inside.strip(".…"):
                return self._take_inner_mark(at, at, final)
        self._bracket_limit = -1
        self._position = at + 1
        return True

    def _take_inner_mark(self, at: int, rest: int, final: bool) -> bool:
        """Decide about a mark before a closing bracket or backtick, which is then its quote."""
        if not self._take_mark(at, rest, final):
            return False
        self._bracket_limit = -1
        self._code_width = 0
        return True

    def _take_list_mark(self, at: int) -> None:
        if not self._hidden(at):
            self._item_before(at + 1)
        self._position = at + 1

    def _item_before(self, end: int) -> bool:
        """Cut before the list mark that ends at `end`, if it goes on with the sentence's list.

        Return True if the sign at `end` is part of such a mark and ends no sentence itself.
        """
        head = next_item(self._buffer, self._start, end)
        if head is None:
            return False
        if head < end:
            self._settle(head)
            self._begin_at(head)
        return True

    def _take_tick(self, at: int, sign: str, final: bool) -> bool:
        """Take one sign of a run of backticks or tildes; the last of the run decides."""
        buffer = self._buffer
        if at + 1 >= len(buffer) and not final:
            self._position = at
            return False
        following = buffer[at + 1 : at + 2]
        if following == sign:
            self._position = at + 1
            return True
        run = buffer[max(self._start, at - CODE_CHARS) : at + 1]
        width = len(run) - len(run.rstrip(sign))
        if self._take_fence(at, sign, width, following):
            self._position = at + 1
            return True
        if sign == "`" and not self._is_whole_line(at):
            return self._take_code(at, width, final)
        self._position = at + 1
        return True

    def _take_fence(self, at: int, sign: str, width: int, following: str) -> bool:
        """Open or close a code fence; return True where the run is no inline code."""
        head = at + 1 - width
        leads = (
            self._first
            and head - self._start <= 24
            and _FENCE_PREFIX.fullmatch(self._buffer, self._start, head)
        )
        if self._fence is None:
            if leads and width >= 3:
                self._fence = (sign, width)
                self._fence_line = True
            return self._fence is not None
        if self._fence_line and sign == "`":
            self._fence = None  # the opening line holds no second run: it was inline code
        elif (
            leads
            and self._fence[0] == sign
            and self._fence[1] <= width
            and (not following or following.isspace())
        ):
            self._fence = None
        return True

    def _take_code(self, at: int, width: int, final: bool) -> bool:
        """Open or close an inline code span with the run of `width` backticks that ends at `at`."""
        head = at + 1 - width
        before = self._buffer[head - 1] if head > self._start else ""
        if self._code_width and at <= self._code_limit:
            if width == self._code_width:
                if before and before in _ENDINGS:
                    return self._take_inner_mark(at, head, final)
                self._code_width = 0
        elif width > 1 or not before.isalnum():
            self._code_width = width
            self._code_limit = at + CODE_CHARS
        self._position = at + 1
        return True
