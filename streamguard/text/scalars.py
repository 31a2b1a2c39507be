"""Surrogates: pairs that a JSON escape cut in two are joined, lone ones become U+FFFD."""

from __future__ import annotations

import re

from streamguard.text.patterns import lazy_re

_SURROGATE = lazy_re("[\ud800-\udfff]")
_PAIR = lazy_re("[\ud800-\udbff][\udc00-\udfff]")


def scalar_text(text: str) -> str:
    """Return `text` with surrogate pairs joined and every lone surrogate as U+FFFD."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return _SURROGATE.sub("\ufffd", _PAIR.sub(_join, text))


def ends_in_high_surrogate(text: str) -> bool:
    """Say whether the next piece may complete the last character of `text`."""
    return text[-1:] >= "\ud800" and text[-1:] <= "\udbff"


def _join(pair: re.Match[str]) -> str:
    high, low = map(ord, pair.group())
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
