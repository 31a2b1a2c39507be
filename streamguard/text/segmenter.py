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
from streamguard.text.boundaries import (
    LEFT_CHARS,
    MARKS,
    NO_BOUNDARY,
    WIDE_MARKS,
    boundary_after,
)
from streamguard.text.markup import LIST_MARK, LIST_MARK_CHARS, WHOLE_LINE
from streamguard.text.patterns import lazy_re
from streamguard.text.trailing import NEWLINES, RIGHT_CHARS, SPACES, MoreTextNeeded

MAX_SENTENCE_CHARS = 2_000  # forced boundary; SPEC section 6
CUT_BACK_CHARS = 200  # how far before it a forced boundary looks for white space; guess
KEPT_CHARS = 200  # settled text is cut off the buffer when it is longer; guess, two sentences

_ENDINGS = MARKS + WIDE_MARKS
_EVENT = lazy_re(f"[{re.escape(_ENDINGS + NEWLINES)}]")
# White space before a sentence, and whether a line begins in it.
_SPACES = lazy_re(rf"{SPACES.pattern}([{NEWLINES}]\s*)?")
_FIRST_WINDOW = 6  # most decisions need two characters, few a whole citation
_WIDER = 5


class Segmenter:
    """Find sentence spans in a text that arrives in pieces of any size, also empty ones.

    Spans are half-open code point offsets into the whole text, without white space at their ends,
    in order and never overlapping. Of languages other than English the signs that end and close
    sentences are known, their abbreviations are not. Work is linear in the text and memory bounded
    by `MAX_SENTENCE_CHARS` and the largest piece.
    """

    def __init__(self) -> None:
        self._closed = False
        self._spans: list[tuple[int, int]] = []  # settled in this call
        self._buffer = ""  # the text from the current sentence on
        self._base = 0  # offset of the buffer in the whole text
        self._position = 0  # the scan goes on here; all positions below are in the buffer
        self._start = 0  # of the current sentence
        self._fresh = True  # only white space since the last boundary: `_start` may still move
        self._whole_line: bool | None = None  # only a newline ends it; None: not known yet
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
            # What follows a mark decides about it, unless the cap does.
            if at + 1 == len(text) and text[at] in MARKS and len(buffer) < self._plain_until:
                self._position = len(buffer) - 1
                self._plain_until = -1
                return []
        elif self._closed:
            self._buffer = ""
            raise StreamStateError("feed was called after close; use a new Segmenter per text")
        elif self._wake is not None and not self._awake(self._wake):
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

    def _awake(self, wake: re.Pattern[str]) -> bool:
        size = len(self._buffer)
        self._read_again += size - self._wake_from
        if size < self._wake_end and not wake.search(self._buffer, self._wake_from):
            self._wake_from = size
            return False
        return True

    def _advance(self, *, final: bool) -> list[tuple[int, int]]:
        """Take all events that can be decided, and forget what is settled."""
        self._wake = None
        self._plain_until = -1
        spans: list[tuple[int, int]] = []
        self._spans = spans
        while self._step(final):
            pass
        if self._start > KEPT_CHARS:
            self._drop(self._start)
        return spans

    def _drop(self, length: int) -> None:
        """Forget the settled `length` characters at the start of the buffer."""
        self._buffer = self._buffer[length:]
        self._base += length
        self._start = 0
        self._position -= length
        self._cap -= length
        self._plain_until -= length
        self._wake_from -= length
        self._wake_end -= length

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
            self._whole_line = None
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
        """End the current sentence at `end`."""
        start = self._base + self._start
        self._spans.append((start, start + len(self._buffer[self._start : end].rstrip())))
        self._start = end
        self._position = max(self._position, end)
        self._fresh = True

    def _cut(self) -> None:
        """Force a boundary at the cap: at the last white space before it, if one is near."""
        cap = self._cap
        self._is_undivided(cap)
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
        elif not self._is_undivided(at):
            return self._take_mark(at, final)
        return True

    def _is_undivided(self, at: int) -> bool:
        """Say whether the line is a heading or a table row.

        Asked first in a line's first sentence, at `at`.
        """
        if self._whole_line is None:
            found = WHOLE_LINE.match(self._buffer, self._start, at)
            self._whole_line = found is not None
        return self._whole_line

    def _take_mark(self, at: int, final: bool) -> bool:
        """Decide about the mark at `at`."""
        buffer, start, rest = self._buffer, self._start, at + 1
        following = buffer[rest : rest + 1] if rest < self._cap else "\n"
        if not following and not final:
            self._position = at
            return False
        if following and (following.isdecimal() or following.islower() or following in MARKS):
            return True
        if rest - start <= LIST_MARK_CHARS and LIST_MARK.fullmatch(buffer, start, rest):
            return True
        end = self._decide(buffer[max(start, rest - LEFT_CHARS) : rest], rest, final)
        if end is not None and end != NO_BOUNDARY:
            self._settle(rest + end)
        return end is not None

    def _decide(self, left: str, rest: int, final: bool) -> int | None:
        """Return the boundary relative to `rest`, or None to wait.

        A decision holds for every longer window, so the shortest that decides is enough.
        """
        size = len(self._buffer)
        stop = min(rest + RIGHT_CHARS, self._cap)
        width = _FIRST_WINDOW
        self._read_again += len(left)
        while True:
            reach = min(rest + width, stop, size)
            over = reach == stop or (final and reach == size)
            right = self._buffer[rest:reach] + ("\n" if over else "")
            self._read_again += reach - rest
            try:
                return boundary_after(left, right)
            except MoreTextNeeded as need:
                if reach == size:
                    self._position = rest - 1
                    self._wake, self._wake_from = need.until, size
                    self._wake_end = min(rest + need.enough, stop)
                    return None
            width *= _WIDER
