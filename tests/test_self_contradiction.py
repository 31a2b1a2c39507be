"""Answers that contradict themselves: another value for the same, or the same and its denial."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.guard import StreamGuard
from streamguard.core.policy import Policy
from tests.feeding import feed_every_way

VALUES = [
    # answer, the later value, the earlier one
    ("The Pro plan costs $49 per month. In summary, Pro costs $59 per month.", "$59 per month",
     "$49 per month"),
    ("The Pro plan costs $49 a month. It has many users. The Pro plan is priced at $59 a month.",
     "$59 a month", "$49 a month"),
    ("The Pro plan costs $49 per month and includes a desk. Therefore, Pro costs $59 per month.",
     "$59 per month", "$49 per month"),
    ("The guarantee lasts 2 years. Overall, the guarantee lasts 3 years.", "3 years", "2 years"),
    ("The bridge is 300 meters long. The bridge is 450 meters long.", "450 meters", "300 meters"),
    ("The firm employs 250 people. So the firm employs 310 people.", "310", "250"),
    ("Marie Holt was born in 1879. Marie Holt was born in 1889.", "1889", "1879"),
    ("The shop opens at 9 am. The shop opens at 10 am.", "10 am", "9 am"),
    ("The museum was founded on 3 May 1901. The museum was founded on 3 May 1910.", "3 May 1910",
     "3 May 1901"),
    ("In 2019 the firm had a revenue of $5 million. In 2019 the firm had a revenue of $7 million.",
     "$7 million", "$5 million"),
    ("The battery holds 80% of its charge. The battery holds 60% of its charge.", "60%", "80%"),
    ("# Pro\nThe Pro plan costs $49.\n\n# Summary\nOverall, Pro costs $59.", "$59", "$49"),
    ("The Pro plan costs $49 per month.\n- The Pro plan costs $59 per month.", "$59 per month",
     "$49 per month"),
    ("The İzmir bridge is 300 meters long. The İzmir bridge is 450 meters long.", "450 meters",
     "300 meters"),
    ("According to the text, the Pro access costs $49 and it is old. So Pro access costs $59.",
     "$59", "$49"),
    ("The tower has three floors. The tower has five floors.", "five", "three"),
]  # fmt: skip

DENIALS = [
    "The ticket is refundable. Therefore, the ticket is not refundable.",
    "The ticket is not refundable. The ticket is refundable.",
    "Members can cancel the contract online. Members cannot cancel the contract online.",
    "The plan includes phone support. The plan doesn't include phone support.",
    "The lamp is waterproof and heavy. Overall, the lamp isn't waterproof.",
    "The café is heated in winter. The café isn’t heated in winter.",
    "The hall is heated in winter. The hall isn’t heated in winter.",
    "Dogs are allowed in the garden. Dogs are never allowed in the garden.",
    "The warranty covers water damage. The warranty covers no water damage.",
    "The fee is refundable. The fee is non-refundable.",
    "The Pro plan with 5 seats supports guests. The Pro plan with 5 seats does not support guests.",
]

CONSISTENT = [
    "The Basic plan costs $29 per month. The Pro plan costs $49 per month.",
    "The Basic plan costs $29 and includes 5 seats. The Pro plan costs $49 and includes 10 seats.",
    "The Pro plan costs $49 per month. The Pro plan costs $490 per year.",
    "The Pro plan costs $49 per month. In short, Pro costs 49 USD a month.",
    "The Pro plan costs $49. The annual Pro plan costs $39.",
    "The price rose from $49 to $59. The price rose from $59 to $69.",
    "In 2019 the firm had a revenue of $5 million. In 2020 the firm had a revenue of $7 million.",
    "In 2019 the firm had a revenue of $5 million. In 2020 the firm had a revenue of $5 million.",
    "Passage 1 says the bridge is 300 meters long. Passage 2 says the bridge is 450 meters long.",
    "The bridge is 300 meters long [C1]. The bridge is 450 meters long [C2].",
    "The fare is usually $4. The fare is $5 if you pay on board.",
    "Before 2010 the fare was $4. Later the fare was $5.",
    "- The price is $49 per month.\n- The price is $59 per month.",
    "# Basic\nThe monthly price is $29.\n\n# Pro\nThe monthly price is $49.",
    "Bake the fish for 10 minutes. Bake the fish for 15 minutes.",
    "It costs $49. It costs $59.",
    "The bridge is about 300 meters long. The bridge is 303 meters long.",
    "The bridge is 300 meters long and 20 meters wide. The bridge is 300 meters long.",
    "The table is 2 meters by 1 meter. The table is 3 meters by 4 meters.",
    "The ticket is refundable. The ticket is refundable.",
    "The ticket is refundable. The bag is not refundable.",
    "The ticket is refundable. The ticket is not refundable after 14 days.",
    "The ticket is not non-refundable. The ticket is refundable.",
    "The Pro plan with 5 seats supports guests. The Pro plan with 9 seats does not support guests.",
    "The room is 20 meters wide. The room is 20 square meters wide.",
    "Is the ticket refundable? The ticket is not refundable.",
    "Here is how the table salt is made: the table salt is not made here.",
    "Here is how a lamp is cleaned: The passages do not say how a lamp is cleaned.",
    "The Pro plan costs $490. The monthly Pro plan costs $49.",
    "- The monthly price is $49.\n- The monthly price is $59.",
    "The tower has 3 floors. The tower has no floors.",
    "The bridge opened in 1950. The bridge opened in spring.",
    "```\nx is 5\n```\n```\nx is 6\n```",
]  # fmt: skip


def contradictions(answer, policy=None):
    def read(pieces):
        guard = StreamGuard(Context(), policy)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    result = feed_every_way(answer, read)
    assert result.errors == ()
    return [f for f in result.findings if f.flag == "self_contradiction"]


@pytest.mark.parametrize(("answer", "later", "earlier"), VALUES)
def test_two_values_for_the_same_are_flagged_with_both_places(answer, later, earlier):
    (finding,) = contradictions(answer)
    assert (finding.value, finding.against.value) == (later, earlier)
    assert answer[finding.start : finding.end] == later
    assert answer[finding.against.start : finding.against.end] == earlier
    assert finding.message == f"“{later}” here, “{earlier}” earlier in the answer."


@pytest.mark.parametrize("answer", DENIALS)
def test_a_statement_and_its_denial_are_flagged_with_both_places(answer):
    (finding,) = contradictions(answer)
    assert finding.message == "The answer said the opposite earlier."
    assert 0 == finding.against.start < finding.against.end <= finding.start


@pytest.mark.parametrize("answer", CONSISTENT)
def test_sentences_that_may_both_be_right_are_left_alone(answer):
    assert contradictions(answer) == []


def test_literal_matching_compares_no_sentences():
    assert contradictions(VALUES[0][0], Policy.preset("literal")) == []


def test_a_finding_is_listed_under_the_later_sentence():
    guard = StreamGuard()
    guard.feed(VALUES[0][0])
    result = guard.close()
    (number,) = result.sentences[1].findings
    assert result.findings[number].flag == "self_contradiction"


@given(st.integers(2, 9_999), st.integers(2, 9_999))
def test_a_restated_value_contradicts_unless_it_is_the_same(one, other):
    answer = f"The old mill weighs {one:,} kg. In short, the old mill weighs {other:,} kg."
    answer = answer.replace("old", "stone")
    guard = StreamGuard()
    guard.feed(answer)
    flags = guard.close().flags
    apart = abs(one - other)
    if apart == 0:
        assert "self_contradiction" not in flags
    if apart > 1:
        assert "self_contradiction" in flags
