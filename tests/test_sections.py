"""Whose value is whose where only a heading names the owner, and where two owners are exchanged."""

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.validate import check_text
from streamguard.testing import feed_every_way

PLANS = """# Plans

## Basic

The plan costs $49 a month and has 3 seats.

## Plus

The plan costs $79 a month and has 5 seats.

## Business

The plan costs $99 a month and has 10 seats.
"""
LISTED = """## Basic

### Price

$49 a month

### Seats

3 seats

## Business

### Price

$99 a month

### Seats

10 seats
"""
TABLE = """| Plan | Per month | Seats |
|---|---|---|
| Basic | $49 | 3 |
| Business | $149 | 10 |
| Enterprise | $420 | 50 |
"""
CUT = tuple(f"## {part}" for part in PLANS.split("## ")[1:])


def status(answer, *chunks):
    return check_text(answer, context=Context(query="What does it cost?", chunks=chunks)).status


def test_headings_between_an_owner_and_its_values_tell_of_what_they_are():
    context = Context(query="What does it cost?", chunks=(LISTED,))
    assert not check_text("The Basic plan costs $49 a month.", context=context).findings
    (found,) = check_text("The Basic plan costs $99 a month.", context=context).findings
    assert (found.check, found.severity) == ("other_owner", "warning")


FIELDS = """## Business

Seats: 5
Storage: 100 GB
Guest passes per month: 3

## Basic

Seats: 3
Storage: 10 GB
Guest passes per month: 1
"""
OF_FIELDS = [
    ("The Business plan has 5 seats.", "PASS"),
    ("The Business plan has 3 seats.", "WARN"),  # the label that it has is another heading's
    ("You get 100 GB of storage on Business.", "PASS"),
    ("You get 10 GB of storage on Business.", "WARN"),
    ("Basic includes 1 guest pass per month.", "PASS"),
    ("Basic includes 3 guest passes per month.", "WARN"),
]


@pytest.mark.parametrize(("answer", "expected"), OF_FIELDS)
def test_a_heading_owns_the_fields_below_it(answer, expected):
    context = Context(query="What do I get?", chunks=[FIELDS])

    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    assert feed_every_way(answer, read).status == expected


def test_a_section_with_several_values_of_one_label_owns_none():
    codes = "## Type\n\nCode: F8\nCode: E3\n\n## Status\n\nCode: D2\nCode: A1\n"
    assert status("The code of status is A1.", codes) == "PASS"
    assert status("The code of status is E3.", codes) == "PASS"


@pytest.mark.parametrize("chunks", [(PLANS,), CUT], ids=["one", "cut"])
def test_the_value_of_another_section_is_an_exchange(chunks):
    for right in ("The Basic plan costs $49 a month.", "The Business plan costs $99 a month."):
        assert status(right, *chunks) == "PASS"
    for wrong in ("The Basic plan costs $99 a month.", "The Business plan costs $49 a month."):
        assert status(wrong, *chunks) == "WARN"


@pytest.mark.parametrize(
    "chunk",
    [
        "## Basic\n\nThe plan costs $49.\n\n## Refunds\n\nThey take 99 days.",  # another kind
        "## Basic\n\nThe plan costs $49.\n\n## Basic\n\nThe plan costs $99.",  # one owner
        "## All that the plan called Basic has\n\nIt costs $49.\n\n## Max\n\nIt costs $99.",  # long
    ],
)
def test_sections_that_tell_of_no_common_attribute_are_not_compared(chunk):
    assert not any(
        one.check == "other_owner"
        for one in check_text("The Basic plan costs $99.", context=Context(chunks=[chunk])).findings
    )


def test_very_long_clauses_and_very_many_are_left_out():
    words = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(40))
    sections = [f"## Plan{chr(97 + n)}\n\nIt {words} costs ${n + 10}." for n in range(3)]
    assert status("Plana costs $10.", "\n\n".join(sections)) is not None


OWNED = [
    ("Basic and Business cost $49 and $149.", "PASS"),
    ("Basic and Business cost $149 and $49.", "WARN"),
    ("$149 and $49 are the prices of Business and Basic.", "PASS"),
    ("Basic costs $149 and Business $49.", "WARN"),
    ("Basic, Business and Enterprise cost $49, $149 and $420.", "PASS"),
]


@pytest.mark.parametrize(("answer", "expected"), OWNED)
def test_several_owners_and_their_values_are_paired_in_order(answer, expected):
    assert status(answer, TABLE) == expected

    def read(pieces):
        guard = StreamGuard(Context(query="What does it cost?", chunks=[TABLE]))
        for piece in pieces:
            guard.feed(piece)
        return guard.close().findings

    feed_every_way(answer, read)


def test_rows_of_an_answer_with_each_others_values_are_warned_of_one_by_one():
    prices = "GPU | Price\n--- | ---\nH100 | $3.39 per hour\nL40s | $1.57 per hour"
    told = "| GPU | Hourly price |\n|---|---|\n| H100 | $1.57 |\n| L40s | $3.39 |"
    found = check_text(told, context=Context(query="Prices?", chunks=[prices])).findings
    assert [(one.check, one.severity) for one in found] == [("other_owner", "warning")] * 2
    right = told.replace("$1.57", "$3").replace("$3.39", "$1.57").replace("$3 ", "$3.39 ")
    assert not check_text(right, context=Context(query="Prices?", chunks=[prices])).findings


def test_another_rows_value_is_a_warning_where_label_and_head_are_named():
    context = Context(chunks=[TABLE], query="How many seats are there?")
    told = "There is more to say. Among other things, a team on Business gets 50 seats in all."
    (found,) = check_text(told, context=context).findings
    assert (found.check, found.severity) == ("other_owner", "warning")
