"""Names in inline code that no passage writes, and tables without bars at their ends."""

import pytest

from streamguard import Context, StreamGuard, check_text
from streamguard.testing import feed_every_way
from tests.kit.tables import differing

GUIDE = [
    (
        "Set `queue.maxDepth` to bound what waits. The worker reads settings/worker.toml at its "
        "start; the class `.badge-warn` marks what was dropped. Under the key cache a value ttl is "
        "counted in seconds. Run `relayctl drain --keep-open`; the trailer is `Reviewed-by`."
    ),
    "Metrics stand under `/metrics/queue`, and the header X-Relay-Node names the machine.",
]
QUESTION = "Does `queue.minDepth` bound what waits?"


def names_in(pieces, question=QUESTION, chunks=GUIDE):
    guard = StreamGuard(Context(query=question, chunks=chunks))
    for piece in pieces:
        guard.feed(piece)
    return [one.value for one in guard.close().findings if one.check == "unsupported_name"]


NAMES = [
    ("Set `queue.maxWidth` to bound what waits.", ["queue.maxWidth"]),
    ("It is read from `settings/server.toml` at the start.", ["settings/server.toml"]),
    ("The class `.badge-error` marks what was dropped.", [".badge-error"]),
    ("Run it with `--keep-shut` to drain.", ["--keep-shut"]),
    ("Add the trailer `Approved-by` to it.", ["Approved-by"]),
    ("The header `X-Relay-Host` names the machine.", ["X-Relay-Host"]),
    ("Call `queue.flushAll()` before.", ["queue.flushAll()"]),
    ("The variable `MAX_DEPTH` bounds it.", ["MAX_DEPTH"]),
    ("Metrics stand under `/metrics/cache_hits`.", ["/metrics/cache_hits"]),
    ("Set `queue.maxDepth` and `queue.idle_time`.", ["queue.idle_time"]),
    ("No: `queue.minDepth` is not a setting; use `queue.maxDepth`.", []),
    ("The worker reads `worker.toml` from `settings/`.", []),
    ("The class is `badge-warn`, the key `cache.ttl`.", []),
    ("Run `relayctl drain --keep-shut`.", []),  # a command is read by nobody
    ("Use `maxDepth`, the header `x-relay-node`, `/metrics/queue`.", []),
    ("Use `null`, `42`, `v2`, `Int!`, `http://localhost:80/a_b` or `your-node`.", []),
    ("```\nqueue.maxWidth = `queue.maxWidth`\n```", []),
]  # fmt: skip


def test_a_name_of_code_stands_in_the_passages_or_the_question():
    assert not differing(NAMES, lambda answer: names_in([answer]))


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "expected"), NAMES)
def test_no_split_changes_which_names_are_found(answer, expected):
    assert feed_every_way(answer, names_in) == expected


def test_where_nothing_is_compared_no_name_is_found():
    answer = "Set `queue.max_width` to bound what waits."
    assert names_in([answer], chunks=()) == []
    assert names_in([answer], chunks=("A passage. " * 20_000,)) == []  # of too many characters
    literal = check_text(answer, context=Context(chunks=GUIDE), policy="literal")
    assert not any(one.value == "queue.max_width" for one in literal.findings)
    assert StreamGuard(None).close().status is None


HALLS = """Halls

Hall | Seats | Hire per day
--- | ---: | ---
Linden | 120 | £340
Alder | 80 | £210
H7 | 45 | £95

All halls are heated."""
ROWS = [
    ("The Alder hall has 80 seats.", "PASS"), ("The H7 hall is £95 a day.", "PASS"),
    ("The Linden hall is £340 per day.", "PASS"), ("All halls are heated.", "PASS"),
    ("The Linden hall has 45 seats.", "WARN"), ("The H7 hall is £210 a day.", "WARN"),
    ("The Linden hall is £210 a day.", "WARN"), ("The Alder hall is £95 a day.", "WARN"),
    ("The Alder hall is £210 a week.", "REFUSE"), ("The H7 hall has 300 seats.", "REFUSE"),
]  # fmt: skip


def test_rows_without_bars_at_their_ends_have_the_owners_and_periods_of_a_table():
    context = Context(chunks=[HALLS])
    assert not differing(ROWS, lambda answer: check_text(answer, context=context).status)


def test_a_rule_without_a_head_begins_no_table():
    context = Context(chunks=["--- | ---\nAlder | 80\n\nThe Alder hall has 80 seats."])
    assert check_text("The Alder hall has 80 seats.", context=context).status == "PASS"
