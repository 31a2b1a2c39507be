"""The tables of a results database, with the meaning of each column.

Times are milliseconds since 1970 in UTC, days are whole days since then. `migrations` creates the
tables; a change here needs a migration there.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

MAX_NAME_CHARS = 128  # of a model, a collection or a policy; longer ones are cut
MAX_VALUE_CHARS = 200  # of a finding's value; guess, four times the longest name
DAY_MS = 86_400_000

metadata = MetaData()
_Number = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up INTEGER columns only


def _result_key() -> Column[int]:
    """Return the first primary key column of tables that belong to a result."""
    key = ForeignKey("results.seq", ondelete="CASCADE")
    return Column("result", _Number, key, primary_key=True)


def _name(name: str, chars: int = MAX_NAME_CHARS) -> Column[str]:
    return Column(name, String(chars), nullable=False, server_default="")


# One answer. The verdict is that of the response's first choice, as in `Annotation.result`; scores
# are None as there. `status` is None where nothing was checked.
results = Table(
    "results",
    metadata,
    Column("seq", _Number, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("state", String(10), nullable=False),  # complete, partial, skipped
    _name("model"),  # as the request names it
    _name("collection"),  # the searched collection, if the door knows it
    _name("policy"),
    _name("policy_hash", 16),  # of all its settings: `records.policy_hash`
    Column("status", String(6)),  # PASS, WARN, REFUSE
    Column("verdict", String(4)),  # PASS, WARN, FAIL
    Column("flags", Text, nullable=False),  # in their order, each with a comma before and behind
    Column("groundedness", Float),
    Column("doubt", Float),
    Column("relevance", Float),
    Column("completeness", Float),
    Column("hallucination", Float),
    Column("drift", Float),
    Column("similarity", Float),
    Column("citation_density", Float),
    Column("supported_claims", Integer),
    Column("total_claims", Integer),
    Column("confidence_level", String(12)),  # of retrieval: high, medium, low, insufficient
    Column("answerable", Boolean),  # by the retrieval gate
    Column("refusal_kind", String(16)),  # expected, over_refusal, missing_refusal, none
    Column("refusal_extent", String(8)),  # whole, partial, none
    Column("ended", String(20)),
    Column("code_points", Integer),
    Column("pieces", Integer),
    Column("check_us", Float),  # spent checking all of it
    Column("request_ms", Float),  # how long the request waited for us
    Column("longest_ms", Float),  # the most that one frame may have waited for a check
    Column("tail_ms", Float),  # how long its end waited for the verdict
    Column("duration_ms", Float),  # of the whole answer, the model's time included
    Column("keywords", Text, nullable=False),  # stems of the question, one blank between two
    # Why the documents may lack something: refused, unsupported, low_confidence; see `rows.hole`.
    Column("hole", String(16)),
    Column("question", Text),  # only where text is stored
    Index("results_created", "created_ms"),
    Index("results_status", "status", "created_ms"),
    Index("results_hole", "hole", "created_ms"),
    Index("results_model", "model", "created_ms"),
    Index("results_collection", "collection", "created_ms"),
    Index("results_policy", "policy", "created_ms"),
)

# The annotation as served: JSON, compressed by zlib. Apart, so that results stay narrow.
bodies = Table(
    "bodies",
    metadata,
    _result_key(),
    Column("body", LargeBinary, nullable=False),
)

# The findings in an answer, in the result's order. `value` only where text is stored.
findings = Table(
    "findings",
    metadata,
    _result_key(),
    Column("choice", SmallInteger, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("check", String(MAX_NAME_CHARS), nullable=False),
    Column("flag", String(MAX_NAME_CHARS), nullable=False),
    Column("severity", String(8), nullable=False),  # info, warning
    Column("value", String(MAX_VALUE_CHARS)),
    Column("sentence", Integer),  # position in the result's sentences, None for the whole answer
    Index("findings_check", "check", "result"),
    Index("findings_value", "value", "check", "result"),
)

# An answer's sentences in words, only where text is stored; their reports are in the body.
sentences = Table(
    "sentences",
    metadata,
    _result_key(),
    Column("choice", SmallInteger, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("text", Text, nullable=False),
)

# The question's keywords of the results that have a `hole`.
keywords = Table(
    "keywords",
    metadata,
    Column("keyword", String(MAX_NAME_CHARS), primary_key=True),
    _result_key(),
    Index("keywords_result", "result"),
)

# People's feedback. By `result_id`: it may come before the result is written.
feedback = Table(
    "feedback",
    metadata,
    Column("seq", _Number, primary_key=True, autoincrement=True),
    Column("id", String(32), nullable=False, unique=True),  # of the marked sentence
    Column("result_id", String(64), nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("sentence", Integer),  # position in the result's sentences, None for the whole answer
    Column("label", String(32), nullable=False),
    Column("comment", Text),
    Index("feedback_result", "result_id"),
    Index("feedback_created", "created_ms"),
)


def _counted(table: str, *key: str) -> Table:
    chars = {"kind": 16, "name": MAX_NAME_CHARS + MAX_VALUE_CHARS + 1}
    types = {name: String(chars.get(name, MAX_NAME_CHARS)) for name in key} | {"day": Integer()}
    columns = (Column(name, types[name], primary_key=True) for name in key)
    count = Column("count", BigInteger, nullable=False)
    return Table(table, metadata, *columns, count, sqlite_with_rowid=False)


# How many results (of `check` and `value`: findings) of a day there are, by what is the same of
# them; `rows.tallied` says which kinds, and what their names are. Written with the results. Both
# keys have the order in which they are read, and SQLite keeps the count in the key's own tree: what
# has few names goes by the day, and words and values go by name, so that they are summed unsorted.
# `totals` are sums of both over models, collections and policies.
tallies = _counted("tallies", "kind", "day", "name", "model", "collection", "policy")
name_tallies = _counted("name_tallies", "kind", "name", "day", "model", "collection", "policy")
totals = _counted("totals", "kind", "name", "day")
NAME_KINDS = ("refused", "unsupported", "low_confidence", "value")  # those of `name_tallies`
