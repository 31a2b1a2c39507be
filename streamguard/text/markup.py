"""The Markdown that is open at a place in a line: code fence, inline code, bracket, whole lines."""

from __future__ import annotations

from streamguard.text.patterns import lazy_re

CODE_CHARS = 200  # an inline code span, or ...
BRACKET_CHARS = 120  # ... a bracket that is longer is taken for an unclosed one; guesses
NOT_OPEN = -1

_WHOLE_LINE = lazy_re(r"[>\s]{0,12}(?:\||#{1,6}[ \t])")  # table rows and headings
_FENCE_CHARS = 24
_FENCE_PREFIX = lazy_re(r"[>\s]{0,12}(?:[-*+][ \t]{1,4}|\d{1,3}[.)][ \t]{1,4})?")


class Markup:
    """What no mark may divide, for the line that is being read.

    Offsets are those of the caller's buffer; `drop` says that its start was cut off. A run of
    backticks counts when its last sign and the character behind it are known.
    """

    __slots__ = (
        "_bracket_limit",
        "_code_limit",
        "_code_width",
        "_fence_sign",
        "_fence_width",
        "_on_fence_line",
        "_whole_line",
    )

    def __init__(self) -> None:
        self._fence_sign = ""  # of the open code fence, which newlines do not close
        self._fence_width = 0
        self._on_fence_line = False  # the line that opened it
        self.new_line()

    def new_line(self) -> None:
        """Forget all that a newline ends."""
        self._on_fence_line = False
        self._whole_line: bool | None = None  # a heading or table row; None: not known yet
        self.close_spans()

    def close_spans(self) -> None:
        """Forget open code spans and brackets."""
        self._code_width = 0
        self._code_limit = NOT_OPEN  # last offset at which the open code span is believed
        self._bracket_limit = NOT_OPEN  # and the open bracket

    def drop(self, length: int) -> None:
        """Move all offsets down by `length`."""
        self._code_limit = max(self._code_limit - length, NOT_OPEN)
        self._bracket_limit = max(self._bracket_limit - length, NOT_OPEN)

    def undivided(self, text: str, start: int, at: int) -> bool:
        """Say whether the line is code, a heading or a table row, which only newlines end.

        `start` is the line's first sentence when this is asked first in a line, at `at` or before.
        """
        if self._fence_sign:
            return True
        if self._whole_line is None:
            may_be = text[start] in "|#>"
            self._whole_line = may_be and _WHOLE_LINE.match(text, start, at) is not None
        return self._whole_line

    def hides(self, at: int) -> bool:
        """Say whether `at` is in inline code or in a bracket, say a link's label."""
        return at <= self._bracket_limit or at <= self._code_limit

    def open_bracket(self, at: int) -> None:
        """Take the `[` at `at`."""
        if not self._code_width:
            self._bracket_limit = at + BRACKET_CHARS

    def close_bracket(self, text: str, start: int, at: int, ends: str) -> bool:
        """Take the `]` at `at`; return True if a mark of `ends` before it has to decide first."""
        if at <= self._code_limit:
            return False
        opened = self._bracket_limit - BRACKET_CHARS
        inside = text[max(opened + 1, start) : at] if at <= self._bracket_limit else ""
        if inside and inside[-1] in ends and inside.strip(".…"):
            return True
        self._bracket_limit = NOT_OPEN
        return False

    def close_run(self, text: str, start: int, at: int, *, first: bool, ends: str) -> int | None:
        """Take the run of backticks or tildes that ends at `at`, at the end of `text[start:at+1]`.

        `text[at + 1]`, if there is one, ends the run; `first` says that the sentence from `start`
        is the first of its line. Return the offset of the run if it closes a code span behind a
        mark of `ends`, which has to decide first.
        """
        sign = text[at]
        run = text[max(start, at - CODE_CHARS) : at + 1]
        head = at + 1 - (len(run) - len(run.rstrip(sign)))
        leads = first and head - start <= _FENCE_CHARS
        leads = leads and _FENCE_PREFIX.fullmatch(text, start, head) is not None
        if self._take_fence(sign, at + 1 - head, leads=leads, after=text[at + 1 : at + 2]):
            return None
        if sign == "~" or self.undivided(text, start, head):
            return None
        before = text[head - 1] if head > start else ""
        return head if self._take_code(at, at + 1 - head, before, ends) else None

    def _take_fence(self, sign: str, width: int, *, leads: bool, after: str) -> bool:
        """Open or close a code fence; return True where the run is no inline code."""
        if not self._fence_sign:
            if leads and width >= 3:
                self._fence_sign, self._fence_width = sign, width
                self._on_fence_line = True
            return self._on_fence_line
        inline = self._on_fence_line and sign == "`"  # no fence: its line holds a second run
        closes = leads and sign == self._fence_sign and width >= self._fence_width
        if inline or (closes and (not after or after.isspace())):
            self._fence_sign = ""
            self._on_fence_line = False
        return True

    def _take_code(self, at: int, width: int, before: str, ends: str) -> bool:
        """Open or close a code span; return True, and leave it open, if a mark stands before."""
        if at <= self._code_limit:
            if width == self._code_width:
                if before and before in ends:
                    return True
                self._code_width, self._code_limit = 0, NOT_OPEN
        elif width > 1 or not before.isalnum():
            self._code_width, self._code_limit = width, at + CODE_CHARS
        return False
