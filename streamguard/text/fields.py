"""Reads a JSON answer by its fields while it arrives, keeping all offsets.

Every character of JSON is replaced by one character, so that spans point into the original answer.
Braces, quotes and commas become white space and line ends; escapes become their character and
invisible padding. A number, `true`, or a string that begins like a value keeps its key before it,
two spaces apart: `seats:  7`. Other strings become prose, without a key. Sources next to the text
(`"citations": ["doc1"]`) become tags: `[doc1]`.

An answer is JSON if it begins as an object or a list of objects; a fence of JSON is read too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from streamguard.text.patterns import lazy_re

UNSEEN = "\ufff4"  # default ignorable and unassigned: folding drops it, and nobody writes it
_SPACES = frozenset(" \t\r\n")
# Characters that are kept until it is clear how to read them; a longer text is no JSON; guesses.
_MOST_KEPT, _MOST_DEEP, _ESCAPE_CHARS = 200, 60, 6
_VALUE_STARTS = frozenset("0123456789+-.$€£¥₹")
_TOKEN_STARTS = frozenset("-0123456789tfn")
# The signs after the first bracket of JSON; `[1]` and `{name}` are none.
_TELLING = {"{": '"}', "[": '{"'}
_ESCAPED = {"b": " ", "f": " ", "n": "\n", "r": " ", "t": " "}
_OPENING, _CLOSING = frozenset("“«„‹"), frozenset("”»›")
_SOURCES = frozenset("citations citation sources source references refs cited".split())
_IDS = frozenset(
    "id source source_id chunk chunk_id doc doc_id document document_id passage passage_id ref"
    " reference index number".split()
)
_LINKS = frozenset("url uri href link".split())
_RUN = lazy_re(r'[^"\\]+')

Edit = tuple[int, int, str]


class Fields:
    """Converts an answer's text into readable text of the same length and offsets.

    `feed` lags by a key or an escape; `flush` returns the rest. If the text is no JSON, or no
    longer, `reads` is False and nothing need be fed.
    """

    def __init__(self) -> None:
        self.edits: list[Edit] = []  # half-open spans that are read as something else
        self._out: list[str] = []
        self.begin(0)

    @property
    def reads(self) -> bool:
        """Whether JSON is being read, or may begin."""
        return self._state is not None

    def begin(self, at: int, fence: str = "") -> None:
        """Start at `at`: with an answer, or with the mark `fence` that opens a fence."""
        self._at = at  # offset of `_raw` in the answer
        self._raw = list(fence)  # the kept text
        self._fence = fence
        self._opening = ""  # the bracket at its beginning
        self._stack: list[str] = []
        self._cited: list[bool] = []  # for each open bracket, whether it holds sources
        self._key: str | None = None  # of the value that follows
        self._wants_key = False
        self._ending = " "  # the reading of the closing quote
        self._muted = False  # the string's content is an address
        self._tag_open = False  # the next character closes a tag
        self._numbered = False  # the innermost list is one of numbers, which name sources
        self._before = ""  # the string's last character that was read
        self._state: Callable[[Fields, str], None] | None = Fields._lead

    def feed(self, text: str) -> str:
        """Return the converted text that is certain by now."""
        at, size = 0, len(text)
        while at < size:
            if self._state is None:
                self._emit_raw()
                self._raw.append(text[at:])
                self._emit_raw()
                break
            if self._state is Fields._string and (run := _RUN.match(text, at)) is not None:
                self._raw.append(run[0])
                self._emit(" " * len(run[0]) if self._muted else run[0])
                self._before, at = run[0][-1], run.end()
            else:
                self._state(self, text[at])
                at += 1
        return self._take_output()

    def flush(self, at: int | None = None) -> str:
        """Return the kept text; `at` is the offset of the next text if there is a gap."""
        raw = "".join(self._raw)
        if self._state in (None, Fields._lead):
            self._emit_raw()
        elif self._state is Fields._token:
            self._end_token()
        elif raw:
            self._emit(" " * len(raw))
        if at is not None:
            self._at = at
        return self._take_output()

    def read(self, text: str, at: int) -> str:
        """Return the answer's `text`, which begins at `at`, converted."""
        if not self.edits:
            return text
        parts, done, end = [], at, at + len(text)
        number = bisect_right(self.edits, at, key=lambda edit: edit[1])
        while number < len(self.edits) and self.edits[number][0] < end:
            start, stop, read = self.edits[number]
            first, last = max(start, at), min(stop, end)
            parts += [text[done - at : first - at], read[first - start : last - start]]
            done, number = last, number + 1
        return "".join([*parts, text[done - at :]])

    def _take_output(self) -> str:
        output = "".join(self._out)
        self._out.clear()
        return output

    def _emit(self, read: str) -> None:
        """Emit `read` in place of the kept text."""
        raw = "".join(self._raw)
        if raw != read:
            self.edits.append((self._at, self._at + len(raw), read))
        self._out.append(read)
        self._at += len(raw)
        self._raw.clear()

    def _emit_raw(self) -> None:
        self._emit("".join(self._raw))

    def _give_up(self) -> None:
        """Leave the rest unconverted: it is no JSON."""
        self._emit_raw()
        self._state = None

    def _keep(self, char: str) -> None:
        self._raw.append(char)
        if len(self._raw) > _MOST_KEPT:
            self._give_up()

    def _lead(self, char: str) -> None:
        """Expect the bracket that begins JSON, and the sign after it that confirms it."""
        self._keep(char)
        if self._state is None:
            return
        if char in _SPACES:
            if not (self._opening or self._fence):
                self._emit_raw()
        elif not self._opening and char in "{[":
            self._opening = char
        elif char not in _TELLING.get(self._opening, ""):
            self._give_up()
        else:
            self._raw.pop()
            shown = "".join(self._raw).removeprefix(self._fence).replace(self._opening, " ", 1)
            self._emit(" " * len(self._fence) + shown)
            self._open(self._opening, is_cited=False)
            self._item(char)

    def _open(self, bracket: str, *, is_cited: bool) -> None:
        self._stack.append(bracket)
        self._cited.append(is_cited)
        self._wants_key, self._key = bracket == "{", None
        self._state = Fields._item if len(self._stack) <= _MOST_DEEP else None

    def _item(self, char: str) -> None:
        """Expect a key, a value, or the end of the container."""
        self._keep(char)
        if self._state is None:
            return
        if char in _SPACES:
            if self._key is None:
                self._emit_raw()
        elif char == '"':
            self._state = Fields._name if self._wants_key else Fields._first
        elif char in "}]" and self._key is None:
            self._close(char)
        elif self._wants_key:
            self._give_up()
        elif char in "{[":
            cited = self._cited[-1] or (self._key or "").casefold() in _SOURCES
            if cited and char == "[":
                self._state = Fields._listed
            else:
                self._emit(" " * len(self._raw))
                self._open(char, is_cited=cited)
        elif char in _TOKEN_STARTS:
            self._state = Fields._token
        else:
            self._give_up()

    def _listed(self, char: str) -> None:
        """Expect the first sign in a list of sources: a list of numbers already is a tag."""
        self._keep(char)
        if char in _SPACES or self._state is None:
            return
        self._raw.pop()
        self._numbered = char.isdecimal()
        before, _, behind = "".join(self._raw).rpartition("[")
        self._emit(" " * len(before) + ("[" if self._numbered else " ") + " " * len(behind))
        self._open("[", is_cited=True)
        self._item(char)

    def _close(self, bracket: str) -> None:
        if self._stack[-1] + bracket not in ("{}", "[]"):
            self._give_up()
            return
        self._emit("]" if self._tag_open or self._numbered else " ")
        self._tag_open = self._numbered = False
        self._stack.pop()
        self._cited.pop()
        self._state = Fields._after
        if not self._stack:
            self._opening = ""
            self._state = Fields._tail if self._fence else Fields._lead

    def _name(self, char: str) -> None:
        """Read a character of a key."""
        self._keep(char)
        if self._state is not None and char == '"' and self._raw[-2] != "\\":
            self._key = "".join(self._raw[1:-1])
            self._state = Fields._colon

    def _colon(self, char: str) -> None:
        self._keep(char)
        if char == ":" and self._state is not None:
            self._wants_key, self._state = False, Fields._item
        elif char not in _SPACES:
            self._give_up()

    def _first(self, char: str) -> None:
        """Decide by its first character how a string is converted."""
        key = (self._key or "").casefold()
        blank = " " * (len(self._raw) - 1)
        in_list = self._stack[-1] == "["
        is_tag = self._cited[-1] and (in_list or key in _IDS)
        is_tag = is_tag or (key in _SOURCES and char not in _SPACES)
        self._ending = "]" if is_tag else " "
        self._muted = key in _LINKS
        if is_tag:
            self._emit(f"{blank}[")
        elif self._key is not None and char in _VALUE_STARTS:
            self._emit(self._label())
        else:
            self._emit(f"{blank} ")
        self._key, self._before, self._state = None, "", Fields._string
        self._string(char)

    def _label(self) -> str:
        """Return the key to precede its value, padded to the length of the kept text."""
        name = (self._key or "").replace("_", " ").replace("-", " ")
        return f"{name}:".ljust(len(self._raw))

    def _string(self, char: str) -> None:
        self._raw.append(char)
        if char == '"':
            self._emit(self._ending)
            self._state = Fields._after
        elif char == "\\":
            self._state = Fields._escape
        else:
            self._before = char
            self._emit(" " if self._muted else char)

    def _escape(self, char: str) -> None:
        """Read a character of an escape; a surrogate pair is two of them."""
        self._raw.append(char)
        raw = "".join(self._raw)
        if len(raw) == 2 and char != "u":
            self._end_escape(_ESCAPED.get(char, char))
        elif len(raw) % _ESCAPE_CHARS == 0:
            self._end_unicode(raw)
        elif len(raw) == _ESCAPE_CHARS + 1 and char != "\\":
            self._lone(char)
        elif len(raw) == _ESCAPE_CHARS + 2 and char != "u":
            last = self._raw.pop()
            self._lone("\\")
            self._escape(last)

    def _lone(self, char: str) -> None:
        """Convert a lone surrogate, and go on with `char`."""
        self._raw.pop()
        self._end_escape("\ufffd")
        self._string(char)

    def _end_unicode(self, raw: str) -> None:
        try:
            units = [int(part, 16) for part in raw[2:].split("\\u")]
        except ValueError:
            self._state = Fields._string
            self._emit_raw()
            return
        if len(units) == 1 and 0xD800 <= units[0] < 0xDC00:
            return  # the other half follows
        data = b"".join(unit.to_bytes(2, "big") for unit in units)
        read = data.decode("utf-16-be", errors="replace")
        self._end_escape(read if len(read) == 1 else "\ufffd")

    def _end_escape(self, char: str) -> None:
        """Emit the escape's character and padding."""
        rest = len(self._raw) - 1
        opens = char in _OPENING or (char == '"' and (not self._before or self._before.isspace()))
        if self._muted:
            read = " " * (rest + 1)
        elif char.isspace() or opens:
            read = " " * rest + char
        elif char == '"' or char in _CLOSING:
            read = char + " " * rest
        else:
            read = UNSEEN * rest + char
        self._before, self._state = char, Fields._string
        self._emit(read)

    def _token(self, char: str) -> None:
        if char not in _SPACES and char not in ",}]":
            self._keep(char)
            return
        self._end_token()
        self._after(char)

    def _end_token(self) -> None:
        """Emit a number, true, false or null, with its key."""
        raw = "".join(self._raw)
        start = raw.rfind(":") + 1 if self._key is not None else 0
        start += len(raw[start:]) - len(raw[start:].lstrip())
        value, key = raw[start:], (self._key or "").casefold()
        is_tag = self._cited[-1] and start > 0 and key in _IDS
        if value == "null":
            self._emit(" " * len(raw))
        elif is_tag and value.isdecimal():
            self._emit(f"{' ' * (start - 1)}[{value}")
            self._tag_open = True
        elif start:
            del self._raw[start:]
            self._emit(self._label())
            self._raw.append(value)
            self._emit_raw()
        else:
            self._emit_raw()
        self._key, self._state = None, Fields._after

    def _after(self, char: str) -> None:
        """Expect the characters after a value."""
        self._raw.append(char)
        if char in "}]":
            self._close(char)
        elif char == ",":
            unnumbered = " " if self._cited[-1] else "\n"
            separator = "," if self._numbered else unnumbered
            self._emit("]" if self._tag_open else separator)
            self._tag_open = False
            self._wants_key = self._stack[-1] == "{"
            self._state = Fields._item
        elif char in _SPACES:
            self._emit("]" if self._tag_open else char)
            self._tag_open = False
        else:
            self._give_up()

    def _tail(self, char: str) -> None:
        """Expect the line that closes a fence."""
        self._raw.append(char)
        if char == self._fence[0]:
            self._emit(" ")
        else:
            is_over = char not in _SPACES
            self._emit_raw()
            self._state = None if is_over else self._state
