"""Cut a text into sentences while it arrives.

One pass: a search for the next sign that could matter, and a decision about it that is a pure
function of a bounded window (`boundaries`). A decision that the next characters could change
waits for them, and therefore no span depends on how the text was cut into pieces.

Every newline is a boundary: paragraphs, headings, list items, table rows, block-quote lines and
code lines each stand alone, and a line that was wrapped by hand ends where it was wrapped.
"""

from __future__ import annotations

import re

from streamguard.errors import StreamStateError
from streamguard.text import boundaries
from streamguard.text.boundaries import MARKS, NEWLINES, WIDE_MARKS, MoreTextNeeded
from streamguard.text.markup import BULLETS, LIST_MARK, LIST_MARK_CHARS, Markup, next_item
from streamguard.text.patterns import lazy_re

MAX_SENTENCE_CHARS = 2_000  # forced boundary; SPEC section 6
CUT_BACK_CHARS = 200  # how far before it a forced boundary looks for white space; guess
KEPT_CHARS = 200  # settled text is cut off the buffer when it is longer; guess, two sentences

_ENDINGS = MARKS + WIDE_MARKS
EVENT_SIGNS = _ENDINGS + NEWLINES + BULLETS + "`~[]【】)"  # at which a sentence may end
_EVENT = lazy_re(f"[{re.escape(EVENT_SIGNS)}]")
# White space before a sentence, and whether a line begins in it.
_SPACES = lazy_re(rf"{boundaries.SPACES.pattern}([{NEWLINES}]\s*)?")
_FIRST_WINDOW = 6  # most decisions need two characters, few a whole citation
_WIDER = 5
_BRACKETS = frozenset("[(【")  # with which citations begin behind a space


class Segmenter:
    """Find sentence spans in a text that arrives in pieces of any size, also empty ones.

    Spans are half-open code point offsets into the whole text, without white space at their ends,
    in order and never overlapping. Signs that end and close sentences are known of many languages,
    abbreviations of seven (`abbreviations`). Work is linear in the text and memory bounded
    by `MAX_SENTENCE_CHARS` and the largest piece. `at`: offset of the first character fed.
    """

    def __init__(self, at: int = 0) -> None:
        self._markup = Markup()
        self._closed = False
        self._spans: list[tuple[int, int]] = []  # settled in this call
        self._buffer = ""  # the text from the current sentence on
        self._base = at  # offset of the buffer in the whole text
        self._position = 0  # the scan goes on here; all positions below are in the buffer
        self._start = 0  # of the current sentence
        self._fresh = True  # only white space since the last boundary: `_start` may still move
        self._first = True  # the current sentence is the first of its line
        self._cap = MAX_SENTENCE_CHARS  # the forced boundary
        self._plain_until = -1  # up to this length of the buffer only an event matters; -1: no
        self._wake: re.Pattern[str] | None = None  # nothing is decided before this is met ...
        self._wake_from = 0  # ... behind here ...
        self._wake_end = 0  # ... or the text reaches this far
        self._read_again = 0  # characters read behind `_position`, or again

    @property
    def chars_scanned(self) -> int:
        """Characters handed to any search so far, each as often as it was handed to one."""
        return self._base + self._position + self._read_again

    @property
    def quiet_chars(self) -> int:
        """So many characters settle nothing, unless one of `EVENT_SIGNS` is among them."""
        return max(0, self._plain_until - len(self._buffer))

    def feed(self, text: str) -> list[tuple[int, int]]:
        """Return the spans that `text` settles.

        Raises StreamStateError after `close`.
        """
        self._buffer = buffer = self._buffer + text
        if len(buffer) <= self._plain_until:
            found = _EVENT.search(text)
            if found is None:
                self._position = len(buffer)
                return []
            self._read_again += len(text)
            at = found.start()
            # The text after a mark decides about it, unless the cap does.
            if at + 1 == len(text) and text[at] in MARKS and len(buffer) < self._plain_until:
                self._position = len(buffer) - 1
                self._plain_until = -1
                return []
        elif self._closed:
            self._buffer = ""
            raise StreamStateError("feed was called after close; use a new Segmenter per text")
        elif self._wake is not None:
            size, begin = len(buffer), self._wake_from
            self._read_again += size - begin
            if size < self._wake_end and not self._wake.search(buffer, begin):
                self._wake_from = size
                return []
        return self._advance(final=False)

    def close(self) -> list[tuple[int, int]]:
        """Return the spans that the end of the text settles; a second call returns nothing."""
        if self._closed:
            return []
        self._closed = True
        spans = self._advance(final=True)
        if not self._fresh:
            self._settle(len(self._buffer))
        self._plain_until = -1
        self._buffer = ""
        return spans

    def _advance(self, *, final: bool) -> list[tuple[int, int]]:
        self._wake = None
        self._plain_until = -1
        spans: list[tuple[int, int]] = []
        self._spans = spans
        while self._step(final):
            pass
        if (settled := self._start) > KEPT_CHARS:
            self._buffer = self._buffer[settled:]
            self._base += settled
            self._start = 0
            self._position -= settled
            self._cap -= settled
            self._plain_until -= settled
            self._wake_from -= settled
            self._wake_end -= settled
            self._markup.drop(settled)
        return spans

    def _step(self, final: bool) -> bool:
        """Go on to the next event and take it; return False to wait for more text."""
        if self._fresh and not self._begin():
            return False
        buffer = self._buffer
        limit = min(len(buffer), self._cap)
        found = _EVENT.search(buffer, self._position, limit)
        if found is not None:
            self._read_again += 1
            at = found.start()
            self._position = at + 1
            return self._take(at, buffer[at], final)
        self._position = limit
        if len(buffer) > self._cap:
            self._cut()
            return True
        self._plain_until = self._cap
        return False

    def _begin(self) -> bool:
        """Skip the white space before a sentence; return False if there is nothing else yet."""
        buffer, position = self._buffer, self._position
        spaces = _SPACES.match(buffer, position)
        assert spaces is not None
        if spaces[1] is not None:
            self._first = True
            self._markup.new_line()
        self._position = start = spaces.end()
        self._begin_at(start)
        self._fresh = start == len(buffer)
        return not self._fresh

    def _begin_at(self, start: int) -> None:
        """Begin the next sentence at `start`, which may lie behind the scan."""
        self._start = start
        self._cap = start + MAX_SENTENCE_CHARS
        self._fresh = False

    def _settle(self, end: int) -> None:
        start = self._base + self._start
        self._spans.append((start, start + len(self._buffer[self._start : end].rstrip())))
        self._start = end
        self._position = max(self._position, end)
        self._fresh = True
        self._first = False

    def _cut(self) -> None:
        """Force a boundary at the cap: at the last white space before it, if one is near."""
        cap = self._cap
        self._markup.undivided(self._buffer, self._start, cap)
        tail = self._buffer[cap - CUT_BACK_CHARS : cap]
        words = tail.rsplit(None, 1)
        cut = cap if tail[-1].isspace() or len(words) < 2 else cap - len(words[1])
        self._settle(cut)
        if cut < cap:
            self._begin_at(cut)

    def _take(self, at: int, sign: str, final: bool) -> bool:
        """Take the event `sign` at `at`; return False to come back to it with more text."""
        if sign in NEWLINES:
            self._settle(at)
            self._position = at  # `_begin` reads it: a line begins
        elif sign in "`~":  # the last sign of a run decides
            if at + 1 == len(self._buffer) and not final:
                self._position = at
                return False
            if self._buffer[at + 1 : at + 2] != sign:
                self._markup.close_run(self._buffer, self._start, at, first=self._first)
        elif self._markup.undivided(self._buffer, self._start, at):
            pass
        elif sign in "[]【】":
            self._markup.take_bracket(at, opens=sign in "[【")
        elif self._markup.hides(at):
            pass
        elif sign == ")" or sign in BULLETS:
            self._cut_before_item(at + 1)
        else:
            return self._take_mark(at, final)
        return True

    def _take_mark(self, at: int, final: bool) -> bool:
        buffer, start, rest = self._buffer, self._start, at + 1
        following = buffer[rest : rest + 1] if rest < self._cap else "\n"
        if not following and not final:
            self._position = at
            return False
        if following and (following.isdecimal() or following.islower() or following in MARKS):
            return True
        if rest - start <= LIST_MARK_CHARS and LIST_MARK.fullmatch(buffer, start, rest):
            return True
        # A list mark has its item behind it, on the same line; behind a word there is none.
        word_before = rest - start > 2 and buffer[rest - 3 : at].isalpha()
        if not word_before and following not in NEWLINES and self._cut_before_item(rest):
            return True
        end = self._decide(buffer[max(start, rest - boundaries.LEFT_CHARS) : rest], rest, final)
        if end is not None and end != boundaries.NO_BOUNDARY:
            self._settle(rest + end)
        return end is not None

    def _cut_before_item(self, end: int) -> bool:
        """Cut before the list mark that ends at `end`, if it goes on with the sentence's list.

        Return True if the sign before `end` belongs to such a mark and ends no sentence itself.
        """
        head = next_item(self._buffer, self._start, end)
        if head is not None and head < end:
            self._settle(head)
            self._begin_at(head)
        return head is not None

    def _decide(self, left: str, rest: int, final: bool) -> int | None:
        """Return the boundary relative to `rest`, or None to wait.

        A decision holds for every longer window, so the shortest that decides is enough.
        """
        size = len(self._buffer)
        stop = min(rest + boundaries.RIGHT_CHARS, self._cap)
        cites = self._buffer[rest + 1 : rest + 2] in _BRACKETS
        width = _FIRST_WINDOW * _WIDER if cites else _FIRST_WINDOW
        self._read_again += len(left)
        while True:
            reach = min(rest + width, stop, size)
            over = reach == stop or (final and reach == size)
            right = self._buffer[rest:reach] + ("\n" if over else "")
            self._read_again += reach - rest
            try:
                return boundaries.boundary_after(left, right)
            except MoreTextNeeded as need:
                if reach == size:
                    self._position = rest - 1
                    self._wake, self._wake_from = need.until, size
                    self._wake_end = min(rest + need.enough, stop)
                    return None
            width *= _WIDER
