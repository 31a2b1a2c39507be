"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables; `tables` documents their columns."""
    op.create_table(
        "feedback",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("result_id", sa.String(length=64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("sentence", sa.Integer()),
        sa.Column("label", sa.String(length=32), nullable=False),
        sa.Column("comment", sa.Text()),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("feedback_created", "feedback", ["created_ms"])
    op.create_index("feedback_result", "feedback", ["result_id"])
    op.create_table(
        "results",
        sa.Column("seq", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("model", sa.String(length=128), server_default="", nullable=False),
        sa.Column("collection", sa.String(length=128), server_default="", nullable=False),
        sa.Column("policy", sa.String(length=128), server_default="", nullable=False),
        sa.Column("policy_hash", sa.String(length=16), server_default="", nullable=False),
        sa.Column("status", sa.String(length=6)),
        sa.Column("verdict", sa.String(length=4)),
        sa.Column("flags", sa.Text(), nullable=False),
        sa.Column("groundedness", sa.Float()),
        sa.Column("doubt", sa.Float()),
        sa.Column("relevance", sa.Float()),
        sa.Column("completeness", sa.Float()),
        sa.Column("hallucination", sa.Float()),
        sa.Column("drift", sa.Float()),
        sa.Column("similarity", sa.Float()),
        sa.Column("citation_density", sa.Float()),
        sa.Column("supported_claims", sa.Integer()),
        sa.Column("total_claims", sa.Integer()),
        sa.Column("confidence_level", sa.String(length=12)),
        sa.Column("answerable", sa.Boolean()),
        sa.Column("refusal_kind", sa.String(length=16)),
        sa.Column("refusal_extent", sa.String(length=8)),
        sa.Column("ended", sa.String(length=20)),
        sa.Column("code_points", sa.Integer()),
        sa.Column("pieces", sa.Integer()),
        sa.Column("check_us", sa.Float()),
        sa.Column("request_ms", sa.Float()),
        sa.Column("longest_ms", sa.Float()),
        sa.Column("tail_ms", sa.Float()),
        sa.Column("duration_ms", sa.Float()),
        sa.Column("keywords", sa.Text(), nullable=False),
        sa.Column("hole", sa.String(length=16)),
        sa.Column("question", sa.Text()),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("results_collection", "results", ["collection", "created_ms"])
    op.create_index("results_created", "results", ["created_ms"])
    op.create_index("results_hole", "results", ["hole", "created_ms"])
    op.create_index("results_model", "results", ["model", "created_ms"])
    op.create_index("results_policy", "results", ["policy", "created_ms"])
    op.create_index("results_status", "results", ["status", "created_ms"])
    op.create_table(
        "tallies",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(length=128), nullable=False),
        sa.Column("collection", sa.String(length=128), nullable=False),
        sa.Column("policy", sa.String(length=128), nullable=False),
        sa.Column("name", sa.String(length=329), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "day", "model", "collection", "policy", "name"),
    )
    op.create_table(
        "bodies",
        sa.Column("result", _NUMBER, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["result"], ["results.seq"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("result"),
    )
    op.create_table(
        "findings",
        sa.Column("result", _NUMBER, nullable=False),
        sa.Column("choice", sa.SmallInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("check", sa.String(length=128), nullable=False),
        sa.Column("flag", sa.String(length=128), nullable=False),
        sa.Column("severity", sa.String(length=8), nullable=False),
        sa.Column("value", sa.String(length=200)),
        sa.Column("sentence", sa.Integer()),
        sa.ForeignKeyConstraint(["result"], ["results.seq"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("result", "choice", "position"),
    )
    op.create_index("findings_check", "findings", ["check", "result"])
    op.create_index("findings_value", "findings", ["value", "check", "result"])
    op.create_table(
        "keywords",
        sa.Column("keyword", sa.String(length=128), nullable=False),
        sa.Column("result", _NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["result"], ["results.seq"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("keyword", "result"),
    )
    op.create_index("keywords_result", "keywords", ["result"])
    op.create_table(
        "sentences",
        sa.Column("result", _NUMBER, nullable=False),
        sa.Column("choice", sa.SmallInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["result"], ["results.seq"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("result", "choice", "position"),
    )


def downgrade() -> None:
    """Drop all tables with their contents."""
    for name in (
        "sentences",
        "keywords",
        "findings",
        "bodies",
        "tallies",
        "results",
        "feedback",
    ):
        op.drop_table(name)
