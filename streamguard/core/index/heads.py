"""What a table's heads say of the values below them: "Price per month" of each price."""

from __future__ import annotations

from collections.abc import Sequence

from streamguard.core.facts.siblings import is_row, is_rule
from streamguard.values import Anchor
from streamguard.values.money import period_in

_MOST_COLUMNS = 40  # guess


class Heads:
    """The periods that stand in the heads of the table at hand, by column."""

    def __init__(self) -> None:
        self._periods: dict[int, str] | None = None  # None outside of a table
        self._line = ""  # the one before
        self._is_open = False  # whether the table has no bars at its ends

    def read(self, text: str, anchors: Sequence[Anchor], start: int) -> list[Anchor]:
        """Return the values of the next sentence, which begins at `start`.

        Those of a row have their column's period where they name none themselves; a price that is
        paid once has none.
        """
        self._is_open = self._is_open and "|" in text
        if not (self._is_open or is_row(text)):
            self._is_open = is_rule(text)
            self._periods = _periods_in(self._line) if self._is_open else None
            self._line = text
        elif self._periods is None:
            self._periods = _periods_in(text)
        elif self._periods:
            return [self._below(text, one, one.start - start) for one in anchors]
        return [*anchors]

    def _below(self, text: str, anchor: Anchor, at: int) -> Anchor:
        assert self._periods is not None  # it stands in a table
        period = self._periods.get(text.count("|", 0, at))
        is_rate = anchor.period is not None or anchor.once
        if period is None or is_rate or anchor.kind not in ("amount", "number"):
            return anchor
        return anchor._replace(period=period)


def _periods_in(head: str) -> dict[int, str]:
    """Return the periods that a table's head names, by column."""
    cells = enumerate(head.split("|", _MOST_COLUMNS))
    found = {column: period_in(cell.lower()) for column, cell in cells}
    return {column: period for column, period in found.items() if period}
