"""Values that follow from the sources: accepted, with their reckoning; wrong ones are not."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.guard import StreamGuard
from streamguard.core.policy import Policy
from streamguard.core.types import RetrievedChunk
from tests.derivation_cases import RIGHT, WRONG
from tests.feeding import feed_every_way


def result_of(answer, *passages, question=None, policy=None):
    chunks = [RetrievedChunk(text) for text in passages]
    guard = StreamGuard(Context(query=question, chunks=chunks), policy)
    guard.feed(answer)
    return guard.close()


def unsupported(result):
    assert result.errors == ()
    return [f.value for f in result.findings if f.flag == "potential_hallucination"]


def derivation_of(result):
    return next(s.evidence.derivation for s in result.sentences if s.evidence)


@pytest.mark.parametrize(("source", "sentence", "value", "words"), RIGHT)
def test_a_value_that_follows_is_supported_and_shows_how(source, sentence, value, words):
    result = result_of(sentence, source)
    assert value not in unsupported(result)
    assert f"{words} = {value}" in derivation_of(result).split("; ")


@pytest.mark.parametrize(("source", "sentence", "value"), WRONG)
def test_a_value_that_does_not_follow_is_flagged(source, sentence, value):
    assert value in unsupported(result_of(sentence, source))


def test_a_derivation_does_not_depend_on_the_cut():
    source, answer = RIGHT[0][0], " ".join(case[1] for case in RIGHT if case[0] == RIGHT[0][0])

    def read(pieces):
        guard = StreamGuard(Context(chunks=[RetrievedChunk(source)]))
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    assert unsupported(feed_every_way(answer, read)) == []


def test_a_derived_value_counts_as_supported_in_the_scores():
    right = result_of("The Pro plan costs $588 per year.", "The Pro plan costs $49 per month.")
    wrong = result_of("The Pro plan costs $600 per year.", "The Pro plan costs $49 per month.")
    assert right.scores.hallucination < wrong.scores.hallucination
    assert right.status == "PASS"
    assert wrong.status == "WARN"


@pytest.mark.parametrize("answer", ["That is $588 per year.", "Over 12 months, that is $588."])
def test_an_answer_of_a_derived_value_alone_is_not_refused(answer):
    assert result_of(answer, "The Pro plan costs $49 per month.").status in ("PASS", "WARN")


def test_the_report_says_where_the_operands_stand():
    source = "In short: the Pro plan costs $49 per month."
    result = result_of("The Pro plan costs $588 per year.", source)
    (operand,) = result.sentences[0].evidence.operands
    assert operand.chunk_id == "C1"
    assert source[operand.start : operand.end] == operand.value == "$49 per month"


def test_a_list_that_was_counted_is_an_operand():
    source = "We sell hot drinks:\n- tea\n- coffee\n- cocoa\n"
    (operand,) = result_of("You sell 3 drinks.", source).sentences[0].evidence.operands
    assert operand.value == "- tea\n- coffee\n- cocoa"


def test_a_sentence_without_a_best_window_shows_its_first_operand():
    result = result_of("Overall that is 25%.", "12 of 48 came.")
    evidence = result.sentences[0].evidence
    assert evidence.derivation == "12 ÷ 48 = 25%"
    assert (evidence.start, evidence.end) == (0, 2)


def test_a_wrong_value_of_a_plain_reckoning_is_told_the_right_one():
    result = result_of("The Pro plan costs $600 per year.", "The Pro plan costs $49 per month.")
    assert result.findings[0].message.endswith(" By the passages: $49 per month × 12 = 588.")


def test_a_rate_for_each_user_gives_no_sum_for_all_of_them_without_their_number():
    source = "Starter costs $12 per user per month."
    (finding, *_) = result_of("Starter costs $154 a year.", source).findings
    assert finding.message.endswith("By the passages: $12 per user per month × 12 = 144.")
    (finding, *_) = result_of("Starter for 10 users costs $154 a year.", source).findings
    assert "By the passages" not in finding.message


def test_a_period_in_the_name_of_a_thing_makes_its_price_no_rate():
    source = "A day pass costs $12. A monthly pass costs $39 per month."
    (finding, *_) = result_of("A day pass costs $15.", source).findings
    assert finding.message == "“$15” is in no retrieved passage; nearest is “$12” in C1."


def test_a_wrong_date_of_death_is_told_the_right_age():
    source = "Ada Holt was born on 4 May 1879 and died on 12 March 1955."
    result = result_of("Ada Holt died at the age of 70.", source)
    assert "12 March 1955 - 4 May 1879 = 75" in result.findings[0].message


def test_a_count_word_is_checked_against_the_list_it_counts():
    source = "The kit holds a knife, a fork, a spoon and a cup."
    assert unsupported(result_of("The kit holds four kinds of things.", source)) == []
    assert unsupported(result_of("The kit holds six kinds of things.", source)) == ["six"]
    assert unsupported(result_of("Of the six kinds none is sharp.", source)) == []


def test_the_question_may_bring_an_operand():
    source = "A ticket costs $12 per person."
    answer = "That comes to $60 for your group."
    assert unsupported(result_of(answer, source, question="How much for 5 people?")) == []
    assert unsupported(result_of(answer, source, question="How much is it?")) == ["$60"]


def test_what_the_question_brings_does_not_stand_for_a_value_of_the_answer():
    source = "A ticket costs $12 per person."
    answer = "9 of you pay $60 in all."
    assert unsupported(result_of(answer, source, question="5 people?")) == ["9"]


def test_a_sentence_that_refers_back_uses_the_names_of_the_one_before():
    answer = "You would need the Basic and the Team plan. Together they cost $128 a month."
    assert unsupported(result_of(answer, RIGHT[0][0])) == []


def test_a_derived_value_may_serve_the_next_one():
    answer = "Pro costs $588 a year, which makes $1,176 for two years."
    assert "$1,176" not in unsupported(result_of(answer, RIGHT[0][0]))


def test_lists_are_read_once_for_several_counts():
    answer = "There are 3 plans. You can choose from 4 plans. Or take 3 plans."
    source = "We offer these plans:\n- Basic\n- Pro\n- Enterprise\n"
    assert unsupported(result_of(answer, source)) == ["4"]


def test_passages_that_repeat_each_other_hold_one_value():
    passages = ("A night costs $80.", "Guests pay $80 a night.")
    assert unsupported(result_of("The total is $160.", *passages)) == ["$160"]


def test_nothing_is_derived_in_code_or_under_literal_matching():
    source = "The Pro plan costs $49 per month."
    code = "```\nprint('the Pro plan costs $588 per year')\n```"
    assert result_of(code, source).sentences[0].evidence is None
    literal = result_of("The Pro plan costs $588.", source, policy=Policy.preset("literal"))
    assert unsupported(literal) == ["$588"]


def test_work_for_one_value_is_bounded():
    source = " ".join(f"Item {n} of kind {n % 7} costs ${n}.37 per month." for n in range(400))
    answer = "All items of kind 3 together cost $999,999.99 in total, on average 20% more."
    assert "$999,999.99" in unsupported(result_of(answer, source))


@given(
    st.sampled_from(
        [("a week", "a year", 52), ("a month", "a year", 12), ("an hour", "a day", 24)]
    ),
    st.integers(1, 5000),
)
def test_a_rate_in_another_period_is_derived(periods, price):
    source = f"Parking costs ${price} {periods[0]}."
    answer = f"Parking costs ${price * periods[2]:,} {periods[1]}."
    assert unsupported(result_of(answer, source)) == []


@given(st.lists(st.integers(100, 9999), min_size=2, max_size=6, unique=True))
def test_the_sum_of_a_list_is_derived_and_no_other(prices):
    source = "\n".join(f"- Part {chr(65 + n)}: ${price}" for n, price in enumerate(prices))
    assert unsupported(result_of(f"The parts cost ${sum(prices):,} in total.", source)) == []
    wrong = sum(prices) + 7
    assert unsupported(result_of(f"The parts cost ${wrong:,} in total.", source)) != []


@given(st.integers(50, 900), st.integers(2200, 9999))
def test_a_share_is_derived_to_the_places_it_shows(part, whole):
    source = f"Of {whole} letters {part} came back."
    share = Decimal(100 * part) / Decimal(whole)
    assert unsupported(result_of(f"{round(share, 1)}% of the letters came back.", source)) == []


@given(st.dates(date(1801, 1, 1), date(2080, 1, 1)), st.integers(1, 3000))
def test_the_days_between_two_dates_are_derived(start, days):
    end = start + timedelta(days=days)
    source = f"The show opened on {start:%d %B %Y} and closed on {end:%d %B %Y}."
    assert unsupported(result_of(f"It closed {days} days after it opened.", source)) == []
