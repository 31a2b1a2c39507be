import pytest

from streamguard.core.context import Context
from tests import contrary_cases as cases
from tests.answers import result_of


def seen(chunk, answer):
    """Return the conflicts found, the same under every split."""
    result = result_of(answer, Context(chunks=(chunk,)))
    assert result.errors == ()
    return [finding for finding in result.findings if finding.flag == "contradicted_claim"]


@pytest.mark.parametrize(("chunk", "answer"), cases.POLES)
def test_the_other_pole_is_a_conflict(chunk, answer):
    (finding,) = seen(chunk, answer)
    assert finding.check == "opposite"


@pytest.mark.parametrize(("chunk", "answer"), cases.POLE_TWINS)
def test_the_same_pole_in_other_words_is_none(chunk, answer):
    assert seen(chunk, answer) == []


@pytest.mark.parametrize(("chunk", "answer", "value"), cases.BOUNDS)
def test_a_value_bounded_from_the_other_side_is_a_conflict(chunk, answer, value):
    (finding,) = seen(chunk, answer)
    assert (finding.check, finding.value.strip(".")) == ("opposite", value.strip("."))


@pytest.mark.parametrize(("chunk", "answer"), cases.BOUND_TWINS)
def test_the_same_bound_in_other_words_is_none(chunk, answer):
    assert seen(chunk, answer) == []


@pytest.mark.parametrize(("chunk", "answer"), cases.QUANTIFIERS)
def test_all_for_some_and_only_for_all_is_a_conflict(chunk, answer):
    (finding,) = seen(chunk, answer)
    assert finding.check == "opposite"


@pytest.mark.parametrize(("chunk", "answer"), cases.QUANTIFIER_TWINS)
def test_as_many_in_other_words_is_none(chunk, answer):
    assert seen(chunk, answer) == []


@pytest.mark.parametrize(("chunk", "answer"), cases.PARTIES)
def test_the_part_of_the_other_party_is_a_conflict(chunk, answer):
    (finding,) = seen(chunk, answer)
    assert finding.check == "opposite"


@pytest.mark.parametrize(("chunk", "answer"), cases.PARTY_TWINS)
def test_the_part_of_the_same_party_is_none(chunk, answer):
    assert seen(chunk, answer) == []


@pytest.mark.parametrize(("chunk", "answer"), cases.DENIALS)
def test_a_denial_of_what_is_said_is_a_conflict(chunk, answer):
    assert [finding.check for finding in seen(chunk, answer)] == ["opposite"]


@pytest.mark.parametrize(("chunk", "answer"), cases.DENIAL_TWINS)
def test_a_reminder_an_extra_and_a_no_by_itself_deny_nothing(chunk, answer):
    assert seen(chunk, answer) == []
