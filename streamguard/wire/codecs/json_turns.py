"""Parses JSON of any size in short turns; `json.loads` would block the event loop."""

from __future__ import annotations

import json
import math
import re
import string
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from streamguard.errors import DecodeError

MAX_VALUES = 200_000  # of one body; guess, some 20 times those of 10,000 passages with their ids
MAX_DEPTH = 100  # of values in values; guess, requests have some ten
TURN_VALUES = 250  # read in one turn: half a millisecond
TURN_BYTES = 131_072  # of one string read in one turn

BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"[ \t\n\r]*+")
_END = re.compile(rb"[ \t\n\r\0]*+")  # servers in C send and accept a NUL after the last brace
# The part of a string that is there, without an incomplete escape.
_TEXT = re.compile(rb'[^"\\]*+(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^"\\]*+)*+', re.DOTALL)
_MARK = re.compile(rb'["\[\]{},]')
_HIGH_SURROGATE = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_NUMBER = re.compile(rb"(-?(?:0|[1-9][0-9]*+))(\.[0-9]++)?([eE][-+]?[0-9]++)?")
_MAX_DIGITS = 400  # read of a number's parts: with more before the point it is infinite
# Signs outside strings other than brackets and commas: before a key, and elsewhere.
_BLANK = b" \t\r\n"
_BARE = _BLANK + b":+-." + (string.ascii_letters + string.digits).encode()
_UNESCAPED = json.JSONDecoder(strict=False).decode  # `json.loads` would make one for each string
_WORDS = {
    b"t": (b"true", True),
    b"f": (b"false", False),
    b"n": (b"null", None),
    b"N": (b"NaN", math.nan),
    b"I": (b"Infinity", math.inf),
}


class BodyLimitError(DecodeError):
    """A body has too many values, or nests them too deeply."""


@dataclass(frozen=True, slots=True)
class Body:
    """A parsed body: its value, and key, start and end of each top-level member."""

    value: Any
    members: tuple[tuple[str, int, int], ...] = ()

    def without(self, body: bytes, name: str) -> bytes:
        """Return `body`, the parsed bytes, without a member, however often it occurs."""
        kept = [body[start:end] for key, start, end in self.members if key != name]
        if len(kept) == len(self.members):
            return body
        first, last = self.members[0][1], self.members[-1][2]
        return b"".join((body[:first], b",".join(kept), body[last:]))


Turns = Generator[None, None, Body]


def reading(body: bytes) -> Turns:
    """Parse a body, yielding between turns, and return it.

    It accepts all that `json.loads` accepts, and also, as some servers do, control characters in
    strings, a leading byte order mark and trailing NULs. A number of more than 400 digits becomes
    infinity. Raises `DecodeError` for anything but JSON in UTF-8, `BodyLimitError` beyond
    `MAX_VALUES` and `MAX_DEPTH`.
    """
    reader = _Reader(body)
    try:
        return (yield from reader.read())
    except DecodeError:
        raise
    except ValueError as exc:
        raise DecodeError(f"the body is no JSON in UTF-8 from byte {reader.at} on") from exc


def outlining(body: bytes) -> Turns:
    """Find the members of a top-level object of any size, yielding between turns.

    Their values are not parsed. Raises `DecodeError` for an invalid value in which a laxer parser,
    one that allows comments for example, could find other members.
    """
    depth = count = began = 0
    key: str | None = None
    members: list[tuple[str, int, int]] = []
    at = _behind_space(body, len(BOM) * body.startswith(BOM))
    if body[at : at + 1] != b"{":
        return Body(None)
    while found := _MARK.search(body, at):
        mark, count = found[0], count + 1
        _check_bare(body[at : found.start()], _BARE if depth != 1 or key is not None else _BLANK)
        at = found.end()
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
            if not depth:
                break
    end = _END.match(body, at)
    if depth or end is None or end.end() < len(body):
        raise DecodeError(f"the body is no JSON in UTF-8 from byte {at} on")
    return Body(None, tuple(members))


def _behind_space(body: bytes, at: int) -> int:
    space = _SPACE.match(body, at)
    return space.end() if space else at


def _check_bare(between: bytes, allowed: bytes) -> None:
    if between and between.translate(None, allowed):
        shown = between.strip(_BLANK)[:20].decode("ascii", "replace")
        raise DecodeError(f"the body is no JSON in UTF-8: {shown!r} stands outside of strings")


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
    """A parser's state: the position in the body, and the open containers."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.at = len(BOM) * body.startswith(BOM)
        self._value: Any = None
        self._open: list[list[Any] | dict[str, Any]] = []
        self._key = ""  # of the member that comes, in the innermost object
        self._member = 0, ""  # of the top-level object: where it began, and its key
        self._members: list[tuple[str, int, int]] = []

    def read(self) -> Turns:
        """Parse the only value, with containers on a stack of our own."""
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
        end = _END.match(self._body, self.at)
        if end is None or end.end() < len(self._body):
            raise ValueError("something follows the value")
        return Body(self._value, tuple(self._members))

    def _next(self) -> bytes:
        """Return the next byte that is no white space, none at the end."""
        self.at = _behind_space(self._body, self.at)
        return self._body[self.at : self.at + 1]

    def _put(self, value: Any) -> None:
        inside = self._open[-1] if self._open else None
        if inside is None:
            self._value = value
        elif isinstance(inside, list):
            inside.append(value)
        else:
            inside[self._key] = value

    def _opened(self, byte: bytes) -> Generator[None, None, bool]:
        """Open a container; return whether it was empty and is closed again."""
        if len(self._open) == MAX_DEPTH:
            raise BodyLimitError(f"the body holds more than {MAX_DEPTH} values in each other")
        made: list[Any] | dict[str, Any] = {} if byte == b"{" else []
        self._put(made)
        self.at += 1
        before = self.at
        if self._next() == (b"}" if byte == b"{" else b"]"):
            self.at += 1
            return True
        self._open.append(made)
        if byte == b"{":
            yield from self._begin_member(before)
        return False

    def _goes_on(self) -> Generator[None, None, bool]:
        """Close the containers that end after a value; return whether another value follows."""
        while self._open:
            byte, inside = self._next(), self._open[-1]
            ends = byte == (b"]" if isinstance(inside, list) else b"}")
            if not ends and byte != b",":
                raise ValueError("no comma")
            if len(self._open) == 1 and isinstance(inside, dict):
                began, key = self._member
                self._members.append((key, began, self.at))
            self.at += 1
            if not ends:
                if isinstance(inside, dict):
                    yield from self._begin_member(self.at)
                return True
            self._open.pop()
        return False

    def _begin_member(self, began: int) -> Generator[None, None, None]:
        if self._next() != b'"':
            raise ValueError("no key")
        self._key = yield from self._string()
        if self._next() != b":":
            raise ValueError("no colon")
        self.at += 1
        if len(self._open) == 1:
            self._member = began, self._key

    def _scalar(self, byte: bytes) -> Generator[None, None, Any]:
        if byte == b'"':
            return (yield from self._string())
        if byte in _WORDS:
            word, value = _WORDS[byte]
            if not self._body.startswith(word, self.at):
                raise ValueError("no word of JSON")
            self.at += len(word)
            return value
        if self._body.startswith(b"-Infinity", self.at):
            self.at += len(b"-Infinity")
            return -math.inf
        number = _NUMBER.match(self._body, self.at)
        if number is None:
            raise ValueError("no value")
        self.at = number.end()
        return _number(*number.groups())

    def _string(self) -> Generator[None, None, str]:
        """Parse the string at the next quote, one slice per turn."""
        body, start, parts = self._body, self.at + 1, []
        while True:
            text = _TEXT.match(body, start, start + TURN_BYTES)
            end = text.end() if text else start
            closed = body[end : end + 1] == b'"'
            if not closed:
                end = self._between_characters(start, end)
            piece = body[start:end].decode()
            parts.append(_UNESCAPED(f'"{piece}"') if "\\" in piece else piece)
            if closed:
                self.at = end + 1
                return "".join(parts)
            if end == start:
                raise ValueError("no end of a string")
            start = end
            yield

    def _between_characters(self, start: int, end: int) -> int:
        """Return the last offset at or before `end` that splits no character."""
        while end > start and self._body[end : end + 1] and self._body[end] & 0xC0 == 0x80:
            end -= 1
        return end - 6 if _HIGH_SURROGATE.search(self._body, max(start, end - 6), end) else end


def _number(digits: bytes, fraction: bytes | None, exponent: bytes | None) -> int | float:
    """Return a number as `json.loads` does, however long it is.

    Of very many digits only the first are parsed: the others hardly change the value and take long.
    """
    if len(digits) > _MAX_DIGITS:
        return -math.inf if digits.startswith(b"-") else math.inf
    if fraction is exponent is None:
        return int(digits)
    power = (exponent or b"")[:_MAX_DIGITS]
    return float(digits + (fraction or b"")[:_MAX_DIGITS] + power)
