"""Frames of one form: alike but for their text and a few values that say nothing of it.

Most frames of a stream are. Their texts are cut out of the bytes, and no JSON is parsed: that takes
a tenth of the time. Any other frame is left to the parser.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import cast

from streamguard.text.patterns import lazy_re

# A JSON string without its quotes. The possessive quantifiers prevent backtracking, so that a long
# text takes linear time and no stack.
_TEXT = re.compile(rb'[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)*+')
_NOT_PLAIN = re.compile(rb'[\x00-\x1f"\\]')  # characters that end a JSON string or need an escape
# Values that differ between frames and hold no text: times, token counts, an event's number, and
# padding of random length against eavesdroppers (OpenAI's `obfuscation`, Mistral's `p`). A padding
# string with a blank does not match, since it could be words of the answer. An unescaped quote
# begins or ends a string; if a colon follows it, the string is a key.
_NUMBER = r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?"
_WORD = r"[!#-\[\]-~]{0,200}"
_VARYING = lazy_re(
    r'(?<!\\)"(?:created|created_at|sequence_number|[a-z]{1,20}_tokens|[A-Za-z]{1,20}TokenCount)'
    rf'": ?(?P<number>{_NUMBER})(?=[,}}\s])'
    rf'|(?<!\\)"(?:obfuscation|p|created_at)": ?"(?P<word>{_WORD})"'
)
_MOST_VARYING = 16  # such values before a frame's text, and as many after it; guess
_KINDS = {"number": re.compile(_NUMBER.encode()), "word": re.compile(_WORD.encode())}
_EVENT_HEAD = re.compile(rb"(?:event: ?[^\r\n]{0,100}\r?\n)?data: ?")
_EVENT_ENDS, _LINE_ENDS = (b"\n\n", b"\r\n\r\n"), (b"\n", b"\r\n")

# The literal bytes at the start of a frame, then pairs: a varying value's pattern and the literal
# bytes after it.
_Parts = tuple[bytes, tuple[tuple[re.Pattern[bytes], bytes], ...]]


@dataclass(frozen=True, slots=True)
class FrameForm:
    """The form of a frame that was parsed: see `form_of`."""

    _data: _Parts
    _raw: _Parts | None  # the same with the bytes around the data, None if those are unusual

    def text_in(self, data: str) -> str | None:
        """Return the text of a frame's data; None if it has another form."""
        try:
            encoded = data.encode()
        except UnicodeEncodeError:
            return None
        found = _cut(encoded, 0, self._data)
        return read_text(found[0]) if found is not None and found[1] == len(encoded) else None

    def texts_in(self, raw: bytes) -> list[bytes] | None:
        """Return the texts of the frames in `raw`, still escaped: `read_text` decodes one.

        None if `raw` is not a sequence of complete frames of this form.
        """
        if self._raw is None or not raw.startswith(self._raw[0]):
            return None
        head, ((_, tail), *more) = self._raw
        if not more and raw.endswith(tail) and len(head) + len(tail) <= len(raw):
            text = raw[len(head) : len(raw) - len(tail)]
            if _NOT_PLAIN.search(text) is None:  # one frame, as most reads are
                return [text]
            texts = text.split(tail + head)
            # A quote ends a text: what has none is the text of one frame, however it looks.
            if _NOT_PLAIN.search(b"".join(texts)) is None:
                return texts
        texts, at = [], 0
        while at < len(raw):
            found = _cut(raw, at, self._raw)
            if found is None:
                return None
            text, at = found
            texts.append(text)
        return texts


def form_of(data: str, start: int, end: int, raw: bytes, *, varies: bool = True) -> FrameForm:
    """Return the form of a frame whose text, without its quotes, is `data[start:end]`.

    `raw` holds the same data with what its protocol puts around. Unless it `varies`, only the text
    may differ: such frames are found at once, however many there are.
    """
    before, _, after = raw.partition(data.encode())
    is_event = _EVENT_HEAD.fullmatch(before) is not None and after in _EVENT_ENDS
    is_line = not before and after in _LINE_ENDS
    head, rest = parts = _parts(data[:start], data[end:], _MOST_VARYING if varies else 0)
    if not (is_event or is_line):
        return FrameForm(parts, None)
    *others, (kind, last) = rest
    return FrameForm(parts, (before + head, (*others, (kind, last + after))))


def read_text(literal: bytes) -> str:
    """Return the text of a JSON string, given as it is written and without its quotes."""
    text = literal.decode(errors="replace")
    return cast("str", json.loads(f'"{text}"')) if "\\" in text else text


def _parts(head: str, tail: str, most: int) -> _Parts:
    in_head, in_tail = _varying(head, most), _varying(tail, most)
    literals = [*_literals(head, in_head), *_literals(tail, in_tail)]
    kinds = [*(kind for *_, kind in in_head), _TEXT, *(kind for *_, kind in in_tail)]
    return literals[0], tuple(zip(kinds, literals[1:], strict=True))


def _varying(part: str, most: int) -> list[tuple[int, int, re.Pattern[bytes]]]:
    """Return where values that may differ stand in a part of a frame, and their kinds."""
    found = [(value.lastgroup or "", value) for value in islice(_VARYING.finditer(part), most)]
    return [(*value.span(name), _KINDS[name]) for name, value in found]


def _literals(part: str, between: list[tuple[int, int, re.Pattern[bytes]]]) -> list[bytes]:
    starts, ends = [start for start, *_ in between], [end for _, end, _ in between]
    spans = zip([0, *ends], [*starts, len(part)], strict=True)
    return [part[start:end].encode() for start, end in spans]


def _cut(raw: bytes, at: int, parts: _Parts) -> tuple[bytes, int] | None:
    """Return the text of the frame at `at`, and where it ends; None if it has another form."""
    head, rest = parts
    if not raw.startswith(head, at):
        return None
    at, text = at + len(head), b""
    for kind, literal in rest:
        found = kind.match(raw, at)
        if found is None or not raw.startswith(literal, found.end()):
            return None
        if kind is _TEXT:
            text = found[0]
        at = found.end() + len(literal)
    return text, at
