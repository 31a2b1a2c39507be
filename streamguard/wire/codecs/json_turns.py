"""Read JSON of any size and shape in turns: `json.loads` holds up everybody else for its length."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from streamguard.errors import DecodeError

MAX_VALUES = 200_000  # of one body; guess, some 20 times those of 10,000 passages with their ids
MAX_DEPTH = 100  # of values in values; guess, requests have some ten
TURN_VALUES = 250  # read in one turn: half a millisecond
TURN_BYTES = 131_072  # of one string read in one turn

_SPACE = re.compile(rb"[ \t\n\r]*+")
# As much of a string as is there without a torn escape.
_TEXT = re.compile(rb'[^"\\]*+(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^"\\]*+)*+', re.DOTALL)
_MARK = re.compile(rb'["\[\]{},]')
_HIGH_SURROGATE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_NUMBER = re.compile(rb"(-?(?:0|[1-9][0-9]{0,399}+))(\.[0-9]{1,400}+)?([eE][-+]?[0-9]{1,9}+)?")
_UNESCAPED = json.JSONDecoder(strict=False).decode  # `json.loads` would make one for each string
_WORDS = {b"t": (b"true", True), b"f": (b"false", False), b"n": (b"null", None)}


class BodyLimitError(DecodeError):
    """A body has more values, or more of them in each other, than are read."""


@dataclass(frozen=True, slots=True)
class Body:
    """What a body says, and of a top-level object its members: key, and from where to where."""

    value: Any
    members: tuple[tuple[str, int, int], ...] = ()

    def without(self, body: bytes, name: str) -> bytes:
        """Return `body`, which this was read from, without a member, however often it occurs."""
        kept = [body[start:end] for key, start, end in self.members if key != name]
        if len(kept) == len(self.members):
            return body
        first, last = self.members[0][1], self.members[-1][2]
        return b"".join((body[:first], b",".join(kept), body[last:]))


Turns = Generator[None, None, Body]


def reading(body: bytes) -> Turns:
    """Read a body, yielding between two turns, and return what it says.

    It reads what `json.loads` does, but for NaN, infinities and numbers of more than 400 digits;
    control characters may stand in strings. Raises `DecodeError` for what is no
    JSON in UTF-8, `BodyLimitError` beyond `MAX_VALUES` and `MAX_DEPTH`.
    """
    try:
        return (yield from _Reader(body).read())
    except DecodeError:
        raise
    except ValueError as exc:
        raise DecodeError("the body is no JSON in UTF-8") from exc


def outlining(body: bytes) -> Turns:
    """Find the members of a top-level object of any size and shape, yielding between two turns.

    Of what they hold nothing is told, and of what is no JSON nothing is certain.
    """
    if not body.lstrip(b" \t\r\n").startswith(b"{"):
        return Body(None)
    at = depth = count = began = 0
    key: str | None = None
    members: list[tuple[str, int, int]] = []
    while found := _MARK.search(body, at):
        mark, at, count = found[0], found.end(), count + 1
        if not count % TURN_VALUES:
            yield
        if mark == b'"':
            at = yield from _behind_string(body, at)
            if depth == 1 and key is None:
                key = _key(body[found.start() : at])
            continue
        if depth == 1 and key is not None and mark in b",}":
            members.append((key, began, found.start()))
            key, began = None, at
        if mark in b"{[":
            depth += 1
            began = at if depth == 1 else began
        elif mark in b"]}":
            depth -= 1
    return Body(None, tuple(members))


def _key(written: bytes) -> str:
    try:
        return str(_UNESCAPED(written.decode(errors="replace")))
    except ValueError:  # an escape that is none
        return ""


def _behind_string(body: bytes, start: int) -> Generator[None, None, int]:
    while True:
        text = _TEXT.match(body, start, start + TURN_BYTES)
        end = text.end() if text else start
        if body[end : end + 1] == b'"':
            return end + 1
        if end == start:
            return end  # it has none
        start = end
        yield


class _Reader:
    """Where in the body to go on, and what is open there."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0
        self._value: Any = None
        self._open: list[list[Any] | dict[str, Any]] = []
        self._key = ""  # of the member that comes, in the innermost object
        self._member = 0, ""  # of the top-level object: where it began, and its key
        self._members: list[tuple[str, int, int]] = []

    def read(self) -> Turns:
        """Read the only value, containers on a stack of our own."""
        count = 0
        more = True
        while more:
            count += 1
            if count > MAX_VALUES:
                raise BodyLimitError(f"the body holds more than {MAX_VALUES} values")
            if not count % TURN_VALUES:
                yield
            byte = self._next()
            if byte in (b"{", b"["):
                if not (yield from self._opened(byte)):
                    continue
            else:
                self._put((yield from self._scalar(byte)))
            more = yield from self._goes_on()
        if self._next():
            raise ValueError("something follows the value")
        return Body(self._value, tuple(self._members))

    def _next(self) -> bytes:
        """Return the next byte that is no white space, none at the end."""
        space = _SPACE.match(self._body, self._at)
        self._at = space.end() if space else self._at
        return self._body[self._at : self._at + 1]

    def _put(self, value: Any) -> None:
        inside = self._open[-1] if self._open else None
        if inside is None:
            self._value = value
        elif isinstance(inside, list):
            inside.append(value)
        else:
            inside[self._key] = value

    def _opened(self, byte: bytes) -> Generator[None, None, bool]:
        """Open a container; return whether it was an empty one, and is closed again."""
        if len(self._open) == MAX_DEPTH:
            raise BodyLimitError(f"the body holds more than {MAX_DEPTH} values in each other")
        made: list[Any] | dict[str, Any] = {} if byte == b"{" else []
        self._put(made)
        self._at += 1
        before = self._at
        if self._next() == (b"}" if byte == b"{" else b"]"):
            self._at += 1
            return True
        self._open.append(made)
        if byte == b"{":
            yield from self._begin_member(before)
        return False

    def _goes_on(self) -> Generator[None, None, bool]:
        """Close what ends behind a value; return whether another one follows."""
        while self._open:
            byte, inside = self._next(), self._open[-1]
            ends = byte == (b"]" if isinstance(inside, list) else b"}")
            if not ends and byte != b",":
                raise ValueError("no comma")
            if len(self._open) == 1 and isinstance(inside, dict):
                began, key = self._member
                self._members.append((key, began, self._at))
            self._at += 1
            if not ends:
                if isinstance(inside, dict):
                    yield from self._begin_member(self._at)
                return True
            self._open.pop()
        return False

    def _begin_member(self, began: int) -> Generator[None, None, None]:
        if self._next() != b'"':
            raise ValueError("no key")
        self._key = yield from self._string()
        if self._next() != b":":
            raise ValueError("no colon")
        self._at += 1
        if len(self._open) == 1:
            self._member = began, self._key

    def _scalar(self, byte: bytes) -> Generator[None, None, Any]:
        if byte == b'"':
            return (yield from self._string())
        if byte in _WORDS:
            word, value = _WORDS[byte]
            if not self._body.startswith(word, self._at):
                raise ValueError("no word of JSON")
            self._at += len(word)
            return value
        number = _NUMBER.match(self._body, self._at)
        if number is None:
            raise ValueError("no value")
        self._at = number.end()
        whole, fraction, exponent = number.groups()
        return int(whole) if fraction is exponent is None else float(number[0])

    def _string(self) -> Generator[None, None, str]:
        """Read the string whose quote is next, a slice in a turn."""
        body, start, parts = self._body, self._at + 1, []
        while True:
            text = _TEXT.match(body, start, start + TURN_BYTES)
            end = text.end() if text else start
            closed = body[end : end + 1] == b'"'
            if not closed:
                end = self._between_characters(start, end)
            piece = body[start:end].decode()
            parts.append(_UNESCAPED(f'"{piece}"') if "\\" in piece else piece)
            if closed:
                self._at = end + 1
                return "".join(parts)
            if end == start:
                raise ValueError("no end of a string")
            start = end
            yield

    def _between_characters(self, start: int, end: int) -> int:
        """Return the last place at or before `end` that is inside of no character."""
        while end > start and self._body[end : end + 1] and self._body[end] & 0xC0 == 0x80:
            end -= 1
        return end - 6 if _HIGH_SURROGATE.search(self._body, max(start, end - 6), end) else end
