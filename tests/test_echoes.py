"""Values that only the question has: an answer may repeat them, and not give them as its own."""

import pytest

from streamguard.core.context import Context
from tests.kit.answers import result_of

CHUNKS = [
    "The Basic plan costs $29 per month and includes 5 projects.",
    "Refunds are made within 14 days. Support answers in 24 hours.",
]
PRICE = "The Basic plan costs $9 per month. What does it cost?"
SPENDS = "I have $30 to spend. Which plan can I take?"


def warned(question, answer):
    result = result_of(answer, Context(query=question, chunks=CHUNKS))
    return [one.check for one in result.findings if one.severity == "warning"], result.status


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (PRICE, "The Basic plan costs $9 per month."),
        (PRICE, "$9"),
        (PRICE, "It's $9."),
        (PRICE, "You can get the Basic plan for $9 per month."),
        (PRICE, "According to the documents, Basic is $9 per month, with 5 projects."),
        ("Is it true that Basic is $9?", "Yes, $9."),
        ("The Basic plan costs nine dollars, right?", "The Basic plan costs nine dollars."),
        ("Basic costs $29 per year, right?", "Yes, Basic costs $29 per year."),
        ("Refunds are made within 30 days, right?", "Refunds are made within 30 days."),
        ("Basic includes 50 projects, right?", "The Basic plan includes 50 projects."),
        ("Support answers in 48 hours, right?", "Support answers in 48 hours."),
    ],
)
def test_a_value_that_the_question_brought_is_no_evidence_for_an_answer_that_gives_it(
    question, answer
):
    checks, status = warned(question, answer)
    assert checks in (["unsupported_price"], ["unsupported_value"])
    assert status == "REFUSE"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is it true that Basic is $9?", "No, it is not $9. The Basic plan costs $29 per month."),
        ("Is it true that Basic is $9?", "No, it costs $29 per month, not $9."),
        (SPENDS, "With your $30 you can take the Basic plan, which costs $29 per month."),
        (SPENDS, "A budget of $30 is enough for the Basic plan at $29 per month."),
        ("Can I be refunded after 30 days?", "Not after 30 days but within 14 days."),
        ("I asked 13 days ago. Am I late?", "At 13 days you are in time: refunds take 14 days."),
    ],
)
def test_an_answer_may_deny_suppose_or_repeat_a_value_of_the_question(question, answer):
    assert warned(question, answer) == ([], "PASS")


@pytest.mark.parametrize("price", ["$٧٧", "$۷۷", "$७७", "$৭৭", "$๗๗", "＄７７", "$7\u200b7"])
def test_a_price_in_digits_of_another_script_is_read(price):
    checks, _ = warned("What does Basic cost?", f"The Basic plan costs {price} per month.")
    assert checks == ["unsupported_price"]
