"""Limits on the values read from one frame: decoding and searching it cost time per value.

A frame under the cap in bytes may hold half a million zeros. An event loop reads a frame in one
turn, so a frame with more than a turn's worth of values is reported and not read.
"""

from __future__ import annotations

import json
from typing import Any

from streamguard.errors import DecodeError
from streamguard.wire.fields import is_wide

# Values of one frame, as `_holds_much` counts them: 1.5 ms of decoding. Ollama's last line holds
# one token id per token of its context, and lists of log probabilities may be as long.
MAX_VALUES = 50_000
# A frame shorter than the first cannot hold more lists and objects than are searched. One longer
# than the second is decoded with a limit on a number's digits: `int` takes quadratic time.
_LONG_CHARS, _VERY_LONG_CHARS = 2_000, 65_536
_MANY_STRINGS = 10_000  # with more strings it takes long to find the marks outside strings
_MAX_DIGITS = 100  # of a number in a very long frame; none has so many


class FrameLimitError(DecodeError):
    """A frame holds more values than are read in one turn."""


def decoded(data: str) -> Any:
    """Return the value of a frame's JSON.

    Raises `FrameLimitError` if the frame has too many values, `DecodeError` if it is not JSON.
    """
    is_long = len(data) > _LONG_CHARS
    if is_long and _holds_much(data):
        raise FrameLimitError(f"a frame holds more than {MAX_VALUES} values")
    try:
        value = _DECODER.decode(data) if len(data) > _VERY_LONG_CHARS else json.loads(data)
    except (ValueError, RecursionError) as exc:
        raise DecodeError(f"a frame of {len(data)} characters is not JSON") from exc
    if is_long and is_wide(value):
        raise FrameLimitError("a frame holds more lists and objects than are looked through")
    return value


def _holds_much(data: str) -> bool:
    """Return whether decoding `data` costs more than `MAX_VALUES` values do.

    The cost is counted in commas and brackets outside strings, plus three per object member:
    decoding a member was measured to take as long as four numbers.
    """
    found = _marks(data)
    if found <= MAX_VALUES:  # most texts have no more, those within strings included
        return False
    if "\\" in data:
        data = data.replace("\\\\", "").replace('\\"', "")
    if data.count('"') > 2 * _MANY_STRINGS:
        return True
    parts = data.split('"')
    within, outside = "".join(parts[1::2]), "".join(parts[::2])
    # Whichever is shorter: each megabyte takes a millisecond.
    found = found - _marks(within) if len(within) < len(outside) else _marks(outside)
    return found > MAX_VALUES


def _marks(data: str) -> int:
    return data.count(",") + data.count("[") + data.count("{") + 3 * data.count(":")


def _whole_number(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number of more than {_MAX_DIGITS} digits")
    return int(digits)


_DECODER = json.JSONDecoder(parse_int=_whole_number)
