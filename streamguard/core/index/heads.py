"""What a table's heads say of the values below them: "Price per month" of each price."""

from __future__ import annotations

from collections.abc import Sequence

from streamguard.core.facts.siblings import is_row
from streamguard.values import Anchor
from streamguard.values.money import period_in

_MOST_COLUMNS = 40  # guess


class Heads:
    """The periods that stand in the heads of the table at hand, by column."""

    def __init__(self) -> None:
        self._periods: dict[int, str] | None = None  # None outside of a table

    def read(self, text: str, anchors: Sequence[Anchor], start: int) -> list[Anchor]:
        """Return the values of the next sentence, which begins at `start`.

        Those of a row have their column's period where they name none themselves; a price that is
        paid once has none.
        """
        if not is_row(text):
            self._periods = None
        elif self._periods is None:
            cells = enumerate(text.split("|", _MOST_COLUMNS))
            found = {column: period_in(cell.lower()) for column, cell in cells}
            self._periods = {column: period for column, period in found.items() if period}
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
