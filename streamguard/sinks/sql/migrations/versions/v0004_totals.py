"""Keeps sums over models, collections and policies for every kind, not only words and values.

The dashboard then reads daily totals instead of summing a row per combination: for 90 days with 24
of them, 3,700 rows instead of 89,000 (benchmarks/bench_dashboard.py).
"""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the daily sums."""
    op.rename_table("name_totals", "totals")
    op.execute(
        "INSERT INTO totals (kind, name, day, count)"
        " SELECT kind, name, day, sum(count) FROM tallies GROUP BY kind, name, day"
    )


def downgrade() -> None:
    """Keep only the sums of words and values."""
    op.execute("DELETE FROM totals WHERE kind IN (SELECT DISTINCT kind FROM tallies)")
    op.rename_table("totals", "name_totals")
