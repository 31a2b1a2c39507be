"""Sums over models, collections and policies are kept of every kind, not of words and values alone.

The dashboard then reads its totals by day, and sums no row for each combination: of 90 days with 24
of them, 3,700 rows for 89,000 (benchmarks/bench_dashboard.py).
"""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the sums of the days' tallies."""
    op.rename_table("name_totals", "totals")
    op.execute(
        "INSERT INTO totals (kind, name, day, count)"
        " SELECT kind, name, day, sum(count) FROM tallies GROUP BY kind, name, day"
    )


def downgrade() -> None:
    """Leave the sums of words and values."""
    op.execute("DELETE FROM totals WHERE kind IN (SELECT DISTINCT kind FROM tallies)")
    op.rename_table("totals", "name_totals")
