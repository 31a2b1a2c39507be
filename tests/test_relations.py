"""Answers that turn relations round, name another agent or holder, or other steps first."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.checks import ALL_CHECKS
from streamguard.core.conflicts.holders import holdings
from streamguard.core.conflicts.reading import read
from streamguard.core.conflicts.steps import pairs
from streamguard.core.context import Context
from streamguard.core.evidence import Evidence
from streamguard.core.types import RetrievedChunk
from tests import relation_cases as cases
from tests.answers import result_of

WORDS = """Acme John Reed acme the of is was by , and who founded founder Acme's capital largest
    in city It's 1999 company not also first then before after once that""".split()


def found(check, answer, chunks):
    """Return the check's findings, the same under every split."""
    result = result_of(answer, Context(query="", chunks=chunks), checks=ALL_CHECKS)
    assert result.errors == ()
    return [one for one in result.findings if one.check == check]


@pytest.mark.parametrize(("chunks", "answer"), cases.TURNED + cases.BY_PRONOUN)
def test_a_relation_turned_round_is_a_conflict(chunks, answer):
    (one,) = found("other_role", answer, chunks)
    assert (one.flag, one.severity) == ("contradicted_claim", "warning")
    assert one.nearest.value in chunks[0]


@pytest.mark.parametrize(("chunks", "answer"), cases.NOT_TURNED + cases.NOT_BY_PRONOUN)
def test_a_relation_said_in_other_words_is_none(chunks, answer):
    assert found("other_role", answer, chunks) == []


@pytest.mark.parametrize(("chunks", "answer", "name"), cases.OTHERS)
def test_another_than_the_one_who_did_it_or_is_it_is_a_conflict(chunks, answer, name):
    (one,) = found("other_holder", answer, chunks)
    assert (one.flag, answer[one.start : one.end]) == ("contradicted_claim", name)
    assert one.message.startswith("Check this: C1 names “")


@pytest.mark.parametrize(("chunks", "answer", "thing"), cases.PLAIN_OTHERS)
def test_another_thing_in_small_letters_for_what_is_unique_is_a_conflict(chunks, answer, thing):
    (one,) = found("other_holder", answer, chunks)
    assert (one.flag, answer[one.start : one.end]) == ("contradicted_claim", thing)


@pytest.mark.parametrize(("chunks", "answer"), cases.PLAIN_SAME)
def test_the_same_thing_in_small_letters_or_none_at_all_is_none(chunks, answer):
    assert found("other_holder", answer, chunks) == []


@pytest.mark.parametrize(("chunks", "answer"), cases.SAME_ONES)
def test_the_same_one_or_one_who_may_be_is_none(chunks, answer):
    assert found("other_holder", answer, chunks) == []


@given(st.lists(st.sampled_from(WORDS), max_size=40), st.lists(st.sampled_from(WORDS), max_size=40))
def test_any_words_are_read_and_places_lie_inside(said, held):
    evidence = Evidence([RetrievedChunk(" ".join(held))])
    evidence.build()
    reading = read(" ".join(said), ())
    for one in holdings(reading, evidence):
        assert 0 <= one.first < one.end <= len(reading.words)
        assert one.holder
        assert one.of
    for pair in pairs(reading):
        assert min(map(len, pair)) >= 2


@pytest.mark.parametrize(
    "shape",
    ["founded ", "Acme founded ", "the of ", "Acme's founder ", "Acme ", "by Acme, ", "go, then "],
)
def test_cost_grows_with_the_sentence_and_no_faster(shape):
    evidence = Evidence([RetrievedChunk("Maria Lopez founded Acme.")])
    evidence.build()

    def seconds(chars):
        reading = read((shape * chars)[:chars], ())
        begin = time.process_time()
        holdings(reading, evidence)
        pairs(reading)
        return time.process_time() - begin

    small = min(seconds(5_000) for _ in range(3))
    large = min(seconds(20_000) for _ in range(3))
    assert large < 8 * small + 0.02  # four times the text; quadratic would be sixteen times


@pytest.mark.parametrize(("chunks", "answer"), cases.REORDERED)
def test_steps_in_another_order_are_a_conflict(chunks, answer):
    (one,) = found("other_order", answer, chunks)
    assert (one.flag, one.value) == ("contradicted_claim", answer)
    assert one.message.startswith("Check this: C1 has another order: “")


@pytest.mark.parametrize(("chunks", "answer"), cases.IN_ORDER)
def test_steps_in_the_same_order_or_that_may_be_are_none(chunks, answer):
    assert found("other_order", answer, chunks) == []
