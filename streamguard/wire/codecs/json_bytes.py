"""Inserts a key into a JSON object's bytes and leaves all others alone."""

from __future__ import annotations

import json
from collections.abc import Iterator

from streamguard.errors import DecodeError

_DECODER = json.JSONDecoder()
_SPACE = " \t\n\r"


def with_key(body: bytes, name: str, value_json: str) -> bytes:
    """Return `body` with `name` as the last key of its top-level object.

    `body` must hold a JSON object in UTF-8, as `json.loads` accepts it; `name` needs no escapes.
    """
    end = body.rindex(b"}")
    comma = b"" if body[:end].rstrip().endswith(b"{") else b","
    return b"".join((body[:end], comma, f'"{name}":{value_json}'.encode(), body[end:]))


def with_key_in(body: bytes, owner: str, name: str, value_json: str) -> bytes:
    """Return `body` with `name` as the last key of the object under its top-level key `owner`.

    If that key is missing or null, the object is created. Raises `DecodeError` when `body` is no
    JSON object in UTF-8, or `owner` is neither an object nor null.
    """
    text, members = _read(body)
    # Of a key that comes twice, the last counts, as for `json.loads`.
    found = [(start, end) for key, start, end in members if key == owner]
    if not found:
        return with_key(body, owner, f'{{"{name}":{value_json}}}')
    start, end = found[-1]
    at = _value_start(text, start)
    value = text[at:end].rstrip()
    if value == "null":
        made = f'{{"{name}":{value_json}}}'.encode()
    elif value.startswith("{"):
        made = with_key(value.encode(), name, value_json)
    else:
        raise DecodeError(f"{owner} is neither an object nor null")
    return b"".join((text[:at].encode(), made, text[at + len(value) :].encode()))


def _read(body: bytes) -> tuple[str, list[tuple[str, int, int]]]:
    try:
        text = body.decode()
        return text, list(_members(text))
    except (ValueError, IndexError, RecursionError) as exc:
        raise DecodeError("the body is not a JSON object in UTF-8") from exc


def _value_start(text: str, member: int) -> int:
    """Return the offset of the value of the member that starts at offset `member`."""
    _, at = _DECODER.raw_decode(text, _skip(text, member))
    return _skip(text, _skip(text, at) + 1)


def _members(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield key, start and end of each member of a top-level object, surrounding space included."""
    start = _skip(text, 0) + 1
    if text[start - 1] != "{":
        raise ValueError("no object")
    if text[_skip(text, start)] == "}":
        return
    while True:
        at = _skip(text, start)
        key, at = _DECODER.raw_decode(text, at)
        if not isinstance(key, str):
            raise ValueError("no key")
        at = _skip(text, at)
        if text[at] != ":":
            raise ValueError("no value")
        _, at = _DECODER.raw_decode(text, _skip(text, at + 1))
        at = _skip(text, at)
        yield key, start, at
        if text[at] == "}":
            return
        if text[at] != ",":
            raise ValueError("no comma")
        start = at + 1


def _skip(text: str, at: int) -> int:
    """Return the offset of the next character that is no white space."""
    while text[at] in _SPACE:
        at += 1
    return at
