"""The results that a view covers, from its request's parameters."""

from __future__ import annotations

import time
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, Table

from streamguard.sinks.sql.rows import clean
from streamguard.sinks.sql.tables import (
    DAY_MS,
    MAX_NAME_CHARS,
    results,
    totals,
)

_AS_WRITTEN = AfterValidator(lambda text: clean(text, None))
_Name = Annotated[str, Field(max_length=MAX_NAME_CHARS), _AS_WRITTEN]
MAX_DAYS = 3_660


class DashboardScope(BaseModel):
    """Results of the last `days` days in UTC, today included, filtered by model and similar."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    days: Annotated[int, Field(ge=1, le=MAX_DAYS)] = 30
    model: _Name | None = None
    collection: _Name | None = None
    policy: _Name | None = None

    @property
    def first_day(self) -> int:
        """The first day included, in days since 1970."""
        return int(time.time() * 1_000) // DAY_MS - self.days + 1

    def holds(self, model: str, collection: str, policy: str) -> bool:
        """Return whether a result with these properties is included."""
        pairs = (self.model, model), (self.collection, collection), (self.policy, policy)
        return all(wanted is None or wanted == found for wanted, found in pairs)

    def of_tallies(self, table: Table) -> list[ColumnElement[bool]]:
        """Return the conditions on a table of counts."""
        return [table.c.day >= self.first_day, *self._same(table)]

    def counts(self, table: Table) -> Table:
        """Return the table that has this scope's counts of `table` in the fewest rows."""
        parts = self.model, self.collection, self.policy
        return totals if parts == (None, None, None) else table

    def of_results(self) -> list[ColumnElement[bool]]:
        """Return the conditions on `results`."""
        return [results.c.created_ms >= self.first_day * DAY_MS, *self._same(results)]

    def _same(self, table: Table) -> list[ColumnElement[bool]]:
        filters: dict[str, Any] = {
            "model": self.model,
            "collection": self.collection,
            "policy": self.policy,
        }
        return [table.c[name] == value for name, value in filters.items() if value is not None]


class ListScope(DashboardScope):
    """The results to list: those with a `status`, a `hole`, or a finding of `check`.

    `value`: the finding's quoted value; `keyword`: a word of an unanswered question; `before_ms`:
    latest time, in milliseconds since 1970.
    """

    status: Annotated[str, Field(pattern="^(PASS|WARN|REFUSE)$")] | None = None
    hole: Annotated[str, Field(pattern="^(refused|unsupported|low_confidence)$")] | None = None
    check: _Name | None = None
    value: Annotated[str, Field(max_length=200), _AS_WRITTEN] | None = None
    keyword: _Name | None = None
    before_ms: Annotated[int, Field(ge=0, lt=2**53)] | None = None

    def of_results(self) -> list[ColumnElement[bool]]:
        """Return the conditions on `results`."""
        found = super().of_results()
        if self.status is not None:
            found.append(results.c.status == self.status)
        if self.hole is not None:
            found.append(results.c.hole == self.hole)
        if self.before_ms is not None:
            found.append(results.c.created_ms <= self.before_ms)
        return found
