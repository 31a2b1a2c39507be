"""Finds a key in a body that is no valid JSON, but may be an object to a laxer parser."""

from __future__ import annotations

import re
from collections.abc import Generator

_STEP_BYTES = 8_192  # searched in a turn: less than a millisecond, whatever they are
# An object, or a comment in front of one, behind invisible characters: byte order marks, blanks of
# every kind.
_BEGINS = re.compile(rb"[^!-~]*+(?:[{/]|\Z)")
_ESCAPE = re.compile(rb"\\(?:u00|x)([0-9a-fA-F]{2})")
_ESCAPED_BYTES = 12  # of a character in an escape, in UTF-16


def may_hold(body: bytes, key: str) -> Generator[None, None, bool]:
    """Return whether `body` may be an object with `key`, in any encoding or spelling.

    Yields between turns. A body that does not begin as an object holds no key; in one that does,
    any occurrence of the word counts.
    """
    if not _BEGINS.match(body, 0, _STEP_BYTES):
        return False
    for start in range(0, len(body), _STEP_BYTES):
        piece = body[start : start + _STEP_BYTES + _ESCAPED_BYTES * len(key)]
        # Without NULs, the ASCII part of text in UTF-16 or UTF-32 reads as ASCII.
        plain = piece.replace(b"\0", b"")
        if b"\\" in plain:
            plain = _ESCAPE.sub(_unescaped, plain)
        if key.encode() in plain:
            return True
        yield
    return False


def _unescaped(found: re.Match[bytes]) -> bytes:
    return bytes([int(found[1], 16)])
