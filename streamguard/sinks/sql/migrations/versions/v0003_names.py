"""Moves words of questions and warned values to tallies of their own, ordered by name.

There are thousands of them, and the dashboard sums them over all days, mostly over models,
collections and policies too: ordered by name they need no sort and take a tenth of the time
(benchmarks/bench_dashboard.py). Words of all questions, "asked", were counted and never read.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_TOTALS = ("kind", "name", "day")
_TALLIES = (*_TOTALS, "model", "collection", "policy")
_KINDS = "('refused', 'unsupported', 'low_confidence', 'value')"


def upgrade() -> None:
    """Create the tables and move their rows there."""
    for table, key in (("name_tallies", _TALLIES), ("name_totals", _TOTALS)):
        columns = (sa.Column(name, _type(name), nullable=False) for name in key)
        count = sa.Column("count", sa.BigInteger(), nullable=False)
        made = sa.PrimaryKeyConstraint(*key)
        op.create_table(table, *columns, count, made, sqlite_with_rowid=False)
    _copy("tallies", "name_tallies", _TALLIES)
    _copy("name_tallies", "name_totals", _TOTALS)
    op.execute(f"DELETE FROM tallies WHERE kind IN {_KINDS} OR kind = 'asked'")  # noqa: S608


def downgrade() -> None:
    """Move the tallies back; words of all questions stay lost."""
    _copy("name_tallies", "tallies", _TALLIES)
    op.drop_table("name_totals")
    op.drop_table("name_tallies")


def _type(name: str) -> sa.Integer | sa.String:
    chars = {"kind": 16, "name": 329}
    return sa.Integer() if name == "day" else sa.String(length=chars.get(name, 128))


def _copy(source: str, target: str, key: tuple[str, ...]) -> None:
    columns = ", ".join(key)
    summed = f"SELECT {columns}, sum(count) FROM {source}"  # noqa: S608
    op.execute(
        f"INSERT INTO {target} ({columns}, count) {summed}"
        f" WHERE kind IN {_KINDS} GROUP BY {columns}"
    )
