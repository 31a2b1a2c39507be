"""Many anchors in little memory: some 40 bytes each instead of 700."""

from __future__ import annotations

import marshal
from array import array
from decimal import Decimal
from typing import Any

from streamguard.values.value import Anchor

# The first ones are kept as they are: they are those of most prompts, and asked for most often.
KEPT = 400  # 0.3 MB; guess
_WRITTEN = ("start", "end", "text", "value", "high", "key", "ambiguous", "number", "high_number")
_SHAPE = tuple(name for name in Anchor._fields if name not in _WRITTEN)


class PackedAnchors:
    """A list of anchors that grows: what most of them share is held once, the rest as bytes."""

    def __init__(self) -> None:
        self._kept: list[Anchor] = []
        self._shapes: list[tuple[Any, ...]] = []
        self._number_of: dict[tuple[Any, ...], int] = {}  # of a shape
        self._shape_of = array("I")
        self._bytes = bytearray()
        self._ends = array("I")

    def __len__(self) -> int:
        return len(self._kept) + len(self._ends)

    @property
    def held_bytes(self) -> int:
        """What it holds, by measured sizes."""
        return (
            700 * len(self._kept) + 400 * len(self._shapes) + len(self._bytes) + 8 * len(self._ends)
        )

    def append(self, anchor: Anchor) -> int:
        """Add an anchor; return its number."""
        number = len(self)
        if number < KEPT:
            self._kept.append(anchor)
            return number
        # `Decimal(1)` and `Decimal("1.0")` are equal, and not written alike.
        shape = (*(getattr(anchor, name) for name in _SHAPE), anchor.precision.as_tuple())
        known = self._number_of.get(shape)
        if known is None:
            known = self._number_of[shape] = len(self._shapes)
            self._shapes.append(shape[:-1])
        self._shape_of.append(known)
        self._bytes += marshal.dumps(_written(anchor))
        self._ends.append(len(self._bytes))
        return number

    def __getitem__(self, number: int) -> Anchor:
        if number < KEPT:
            return self._kept[number]
        at = number - KEPT
        begin = self._ends[at - 1] if at else 0
        written = marshal.loads(self._bytes[begin : self._ends[at]])  # noqa: S302 (our own bytes)
        shape = dict(zip(_SHAPE, self._shapes[self._shape_of[at]], strict=True))
        return Anchor(**_read(*written), **shape)


def _written(anchor: Anchor) -> tuple[Any, ...]:
    """Return what tells an anchor from others of its shape; True for what its text says as well."""
    text, value, number = anchor.text, anchor.value, anchor.number
    said = None if value is None else str(value)
    counted = None if number is None else str(number)
    written: tuple[Any, ...] = (
        anchor.start,
        anchor.end - anchor.start,
        text,
        said == text or said,
        anchor.key == text or anchor.key,
        (counted == said or counted) if counted is not None else None,
    )
    if anchor.high is None and anchor.high_number is None and not anchor.ambiguous:
        return written
    high = None if anchor.high is None else str(anchor.high)
    high_number = None if anchor.high_number is None else str(anchor.high_number)
    return (*written, high, high_number, anchor.ambiguous)


def _read(
    start: int,
    length: int,
    text: str,
    said: str | bool | None,
    key: str | bool,
    counted: str | bool | None,
    high: str | None = None,
    high_number: str | None = None,
    ambiguous: tuple[str, ...] = (),
) -> dict[str, Any]:
    value = None if said is None else Decimal(text if said is True else str(said))
    number = value
    if counted is not True:
        number = None if counted is None else Decimal(str(counted))
    return {
        "start": start,
        "end": start + length,
        "text": text,
        "value": value,
        "high": None if high is None else Decimal(high),
        "key": text if key is True else key,
        "ambiguous": ambiguous,
        "number": number,
        "high_number": None if high_number is None else Decimal(high_number),
    }
