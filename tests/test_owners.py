import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.validate import check_text
from tests import owner_cases as cases
from tests.answers import result_of

CHECKS = ("other_owner", "other_value")


def seen(answer, chunks):
    """Return value and nearest evidence of what was found, the same under every split."""
    result = result_of(answer, Context(chunks=chunks))
    assert result.errors == ()
    found = [finding for finding in result.findings if finding.check in CHECKS]
    assert all(finding.flag == "contradicted_claim" for finding in found)
    return [(finding.value, finding.nearest.value) for finding in found]


@pytest.mark.parametrize(
    ("chunks", "answer", "value", "nearest"), cases.ANOTHERS + cases.RANGES + cases.UNEQUAL
)
def test_a_value_of_another_place_is_flagged_with_that_of_its_own(chunks, answer, value, nearest):
    assert seen(answer, chunks) == [(value, nearest)]


@pytest.mark.parametrize(("chunks", "answer", "found"), cases.SEVERAL)
def test_values_that_changed_places_are_flagged_each(chunks, answer, found):
    assert seen(answer, chunks) == found


@pytest.mark.parametrize(("chunks", "answer"), cases.ITS_OWN + cases.OWN_RANGES + cases.OWN_UNEQUAL)
def test_a_value_at_its_own_place_or_at_an_unclear_one_is_none(chunks, answer):
    assert seen(answer, chunks) == []


def test_the_nearest_value_is_quoted_where_it_stands_in_the_table():
    (table,) = cases.PLANS
    result = result_of("The Basic plan costs $49.", Context(chunks=("Plans are sold.", table)))
    (finding,) = [finding for finding in result.findings if finding.check == "other_owner"]
    nearest = finding.nearest
    assert (nearest.chunk_id, table[nearest.start : nearest.end]) == ("C2", "$10")
    assert finding.message == "Check this: “$49”, but C2 has “$10”: “| Price | $10 | $49 |”"


def test_the_heading_of_a_long_table_in_the_answer_is_not_looked_for_without_end():
    rows = "".join(f"| Feature {word} | included | included |\n" for word in "abcdefgh" * 9)
    answer = f"| Plan | Basic | Pro |\n|---|---|---|\n{rows}| Price | $49 | $10 |\n"
    result = check_text(answer, context=Context(chunks=cases.PLANS))
    assert [finding for finding in result.findings if finding.check in CHECKS] == []


WORDS = st.sampled_from(
    "Basic|Pro|adults|children|cost|$10|$49|500 mg|5 seats|3|and|,|;|respectively|in that order|---"
    "|**|for|.|the|2021|\n".split("|")
) | st.just("|")
TEXTS = st.lists(WORDS, max_size=30).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(TEXTS, TEXTS)
def test_no_text_breaks_the_search_or_makes_it_depend_on_the_split(answer, chunk):
    result = result_of(answer, Context(chunks=(chunk,)))
    assert result.errors == ()


@settings(max_examples=60, deadline=None)
@given(TEXTS.filter(lambda text: any(sign in string.ascii_letters for sign in text)))
def test_an_answer_in_the_words_of_its_only_chunk_has_no_other_owner(text):
    result = check_text(text, context=Context(chunks=(text,)))
    assert [finding for finding in result.findings if finding.check == "other_owner"] == []
