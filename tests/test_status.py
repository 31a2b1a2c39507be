"""The status says one thing: whether the answer fits its sources."""

import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.model.policy import PRESETS, Policy
from streamguard.core.validate import check_text
from tests.kit.answers import CLEAN, PLANS, plans, result_of

JUDGED = [name for name in PRESETS if name != "literal"]
EVERYDAY = Path(__file__).parent.parent / "benchmarks/everyday"
ASKED = {"citations_requested": True}


def codes(result):
    return [reason.code for reason in result.reasons]


@pytest.mark.parametrize("name", JUDGED)
def test_a_missing_citation_is_a_flag_and_no_warning_unless_the_preset_asks_for_it(name):
    result = result_of(CLEAN, plans(**ASKED), policy=Policy.preset(name))
    flags = [] if name == "lenient" else ["too_few_citations"]
    assert list(result.flags) == ["uncited_claim", *flags]
    assert {one.severity for one in result.findings} == {"info"}
    assert result.status == ("REFUSE" if name == "strict" else "PASS")


def test_too_few_citations_are_counted_against_the_claims():
    pro = "The Pro plan costs $99 per month and includes five seats."
    refunds = "Refunds are paid within 14 days of the order."
    text = f"{CLEAN} {pro} {refunds} It was introduced on 5 March 2021."
    strict = Policy.preset("strict")
    one, two = (text.replace(CLEAN[:-1], f"{CLEAN[:-1]} [C1]"), f"{text} {CLEAN} [C1] [C2]")
    (found,) = (f for f in result_of(one, plans(**ASKED)).findings if f.flag == "too_few_citations")
    assert (found.start, found.severity, found.check) == (None, "info", "too_few_citations")
    assert found.message == "Too few sources: 1 citation for 4 claims; at least 2 should be."
    few = result_of(one, plans(**ASKED), policy=strict)
    assert (few.status, codes(few)) == ("WARN", ["citation_density"])
    assert "too_few_citations" not in result_of(two, plans(**ASKED)).flags
    assert "too_few_citations" not in result_of(one, plans()).flags  # nobody asked for any
    listed = plans(citations=("plans.md#basic", "plans.md#pro"), **ASKED)
    assert "too_few_citations" not in result_of(text, listed).flags
    assert "too_few_citations" not in result_of("Hello!", plans(**ASKED)).flags
    assert "too_few_citations" not in result_of(one, Context(**ASKED)).flags
    literal = result_of(CLEAN, plans(**ASKED), policy=Policy.preset("literal"))
    assert "too_few_citations" not in literal.flags


REFUSAL = "I cannot answer this based on the provided documents."
RETURNS = "Return the bike to any station. A bike that is left elsewhere costs a fee of $20."


def test_a_needless_refusal_is_no_pass_and_a_right_one_is():
    def read(question, passages, policy="moderate"):
        context = Context(query=question, chunks=passages)
        result = result_of(REFUSAL, context, policy=Policy.preset(policy))
        return result.status, result.refusal.kind

    asked = "How much is the fee for a bike that is left elsewhere?"
    assert read(asked, [RETURNS]) == ("WARN", "over_refusal")
    assert read("Which train goes to the airport?", [RETURNS]) == ("PASS", "expected")
    # It speaks of the bike and the station, and has nothing that would answer.
    assert read("Which station takes a bike?", [RETURNS]) == ("PASS", "none")
    assert read("When may I return a bike to a station?", [RETURNS]) == ("PASS", "none")
    assert read(asked, []) == ("PASS", "expected")
    assert read(asked, [RETURNS], "literal")[1] == "over_refusal"


def test_a_value_that_no_passage_holds_warns_in_a_doubted_sentence():
    for doubt_from, severity in ((0.0, "warning"), (1.0, "info")):
        policy = Policy(value_doubt_from=doubt_from, doubt_from=1.0, wrong_from=1.0)
        (found,) = result_of("The Basic plan costs $59 per month.", policy=policy).findings
        assert (found.check, found.severity) == ("unsupported_price", severity)
    # Of another unit it warns in any.
    policy = Policy(value_doubt_from=1.0)
    assert result_of("Refunds are paid within 14 hours.", plans(), policy=policy).status != "PASS"


def _rows(name, most):
    with (EVERYDAY / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in islice(lines, most)]


def _is_consistent(result):
    claims = result.total_claims
    assert result.status != "PASS" or not claims or result.supported_claims > 0, result.reasons
    assert 0 <= result.supported_claims <= claims
    return True


def test_a_pass_has_a_supported_claim_on_everyday_answers():
    for row in _rows("f", 75):
        context = Context(query=row["question"], chunks=[one["text"] for one in row["chunks"]])
        assert _is_consistent(check_text(row["answer"], context=context))


PARTS = (
    "The Basic plan", "the Pro plan", "costs $49 per month", "costs $59", "Refunds", "not", "Yes",
    "are paid within 14 days", "includes five seats", "Owls deliver parcels", "Jane Miller", ".",
    "\n- ", "**", "[C1]", "| 49 |", "About", "Paris", "42", "never", "it", "?", "No", ":", "#",
)  # fmt: skip


@settings(max_examples=60)
@given(parts=st.lists(st.sampled_from(PARTS), max_size=14), preset=st.sampled_from(JUDGED))
def test_a_pass_has_a_supported_claim_whatever_the_answer(parts, preset):
    context = Context(query="What does the Basic plan cost?", chunks=PLANS)
    assert _is_consistent(check_text(" ".join(parts), context=context, policy=preset))


def test_an_answer_of_tool_calls_or_code_alone_has_no_status():
    for text in ("", "```python\nprint(49)\n```"):
        result = result_of(text, plans())
        assert (result.status, codes(result)) == (None, ["nothing_to_check"])
