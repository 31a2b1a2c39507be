"""What a table's heads and a key say of values: "Price per month", "Weight (kg)", "ttl_ms"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from streamguard.core.owners.siblings import is_row, is_rule
from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor
from streamguard.values.measures import Measure, measure_at
from streamguard.values.money import period_in
from streamguard.values.value import key_of, times

_MOST_COLUMNS = 40  # guess
# The unit at a head's end, and of a key: "Weight (kg)", "Fee in EUR", "price_eur"; "(m)" may stand
# for millions.
_UNIT: Final = lazy_re(
    r"(?:[(\[](?:in[ ])?|(?<!\w)in[ ]|,[ ]|_)"
    r"([^\W\d_][^()\[\]_]{0,15}?|[%€$£°])[)\]]?(?:[ ]per[ ]\w{1,9})?$"
)
_NO_UNITS: Final = frozenset(["m", "in", "k", "b", "s"])
_KEY: Final = lazy_re(r"(?<!\w)[a-z]\w{0,40}(?<!per)_([a-z]{1,12}[23]?)[\"']?[ ]?[:=][ ]?[\"']?$")
_KEY_REACH: Final = 64
_BARE: Final = frozenset(["number", "year"])  # "1500" ms is no year
_BELOW: Final = _BARE | {"amount"}


class _Head(NamedTuple):
    """A head and its facts about the values below it."""

    period: str | None
    measure: Measure | None


class Heads:
    """What the heads of the table at hand say, by column."""

    def __init__(self) -> None:
        self._columns: dict[int, _Head] | None = None  # None outside of a table
        self._line = ""  # the one before
        self._is_open = False  # whether the table has no bars at its ends

    def read(self, text: str, anchors: Sequence[Anchor], start: int) -> list[Anchor]:
        """Return the values of the next sentence, which begins at `start`.

        Those of a row have their column's period and unit where they name none themselves; a price
        that is paid once has no period. Outside of tables a setting's key names the unit.
        """
        self._is_open = self._is_open and "|" in text
        if not (self._is_open or is_row(text)):
            self._is_open = is_rule(text)
            self._columns = _columns_of(self._line) if self._is_open else None
            self._line = text
            if "_" in text:
                return [_behind_key(text, one, one.start - start) for one in anchors]
        elif self._columns is None:
            self._columns = _columns_of(text)
        elif self._columns:
            return [self._below(text, one, one.start - start) for one in anchors]
        return [*anchors]

    def _below(self, text: str, anchor: Anchor, at: int) -> Anchor:
        assert self._columns is not None  # it stands in a table
        head = self._columns.get(text.count("|", 0, at))
        if head is None or anchor.kind not in _BELOW:
            return anchor
        if head.measure is not None:
            anchor = _measured(anchor, head.measure)
        if anchor.kind not in ("amount", "number") or anchor.period is not None or anchor.once:
            return anchor
        return anchor._replace(period=head.period)


def _columns_of(line: str) -> dict[int, _Head]:
    """Return what a table's heads name, by column."""
    found: dict[int, _Head] = {}
    for column, cell in enumerate(line.split("|", _MOST_COLUMNS)):
        low = cell.lower()
        head = _Head(period_in(low), _unit_in(cell.strip(), low.strip()))
        if head != (None, None):
            found[column] = head
    return found


def _unit_in(cell: str, low: str) -> Measure | None:
    """Return the unit at the end of a head; None if it names none, or more than one."""
    found = _UNIT.search(cell)
    return None if found is None else _measure_of(found[1], low[found.start(1) : found.end(1)])


def _measure_of(unit: str, low: str) -> Measure | None:
    if low in _NO_UNITS:
        return None
    for written in (unit, unit.upper()):  # "size_mb"
        measure = measure_at(written, low, 0, None)
        if measure.kind != "number" and measure.end == len(unit):
            return measure
    return None


def _behind_key(text: str, anchor: Anchor, at: int) -> Anchor:
    """Return a value with the unit that the key before it names: "timeout_ms": 2500."""
    if anchor.kind not in _BARE:
        return anchor
    key = _KEY.search(text, max(0, at - _KEY_REACH), at)
    measure = None if key is None else _measure_of(key[1], key[1])
    return anchor if measure is None else _measured(anchor, measure)


def _measured(anchor: Anchor, measure: Measure) -> Anchor:
    """Return a bare number as so many of a unit."""
    if anchor.kind not in _BARE or anchor.number is None or anchor.label or anchor.noun:
        return anchor
    value = measure.convert(anchor.number)
    high = None if anchor.high_number is None else measure.convert(anchor.high_number)
    return anchor._replace(
        kind=measure.kind,
        unit=measure.unit,
        family=measure.family,
        scale=measure.factor,
        value=value,
        high=high,
        key=key_of(value, high),
        named=None,
        precision=times(anchor.precision, measure.factor),
    )
