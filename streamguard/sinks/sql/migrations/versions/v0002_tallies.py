"""Orders tallies as they are read: by kind, day and name; on SQLite within the primary key's tree.

Summing a kind over models, collections and policies then needs neither a sort nor table look-ups: a
tenth of the time (benchmarks/bench_dashboard.py).
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_COLUMNS = "kind, day, name, model, collection, policy, count"


def upgrade() -> None:
    """Create the table anew with its contents."""
    _remake("kind", "day", "name", "model", "collection", "policy", sqlite_with_rowid=False)


def downgrade() -> None:
    """Restore the previous order."""
    _remake("kind", "day", "model", "collection", "policy", "name")


def _remake(*key: str, **options: bool) -> None:
    op.create_table(
        "tallies_made",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=329), nullable=False),
        sa.Column("model", sa.String(length=128), nullable=False),
        sa.Column("collection", sa.String(length=128), nullable=False),
        sa.Column("policy", sa.String(length=128), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(*key),
        **options,
    )
    op.execute(f"INSERT INTO tallies_made ({_COLUMNS}) SELECT {_COLUMNS} FROM tallies")  # noqa: S608
    op.drop_table("tallies")
    op.rename_table("tallies_made", "tallies")
