import pytest

from streamguard.core.anchors import read_anchors
from streamguard.core.conflicts.reading import read
from streamguard.core.context import Context
from tests import range_cases as cases
from tests.answers import result_of

CHECKS = ("other_owner", "other_value")


def seen(answer, chunk):
    result = result_of(answer, Context(chunks=(chunk,)))
    assert result.errors == ()
    found = [finding for finding in result.findings if finding.check in CHECKS]
    return [(finding.value.rstrip("."), finding.nearest.value.rstrip(".")) for finding in found]


@pytest.mark.parametrize(("chunk", "answer"), cases.IN_RANGES + cases.SECOND_DATES)
def test_the_other_end_of_a_range_and_another_date_of_the_owner_are_no_rivals(chunk, answer):
    assert seen(answer, chunk) == []


@pytest.mark.parametrize(("chunk", "answer", "value", "nearest"), cases.OUTSIDE)
def test_a_value_outside_a_range_is_one(chunk, answer, value, nearest):
    assert seen(answer, chunk) == [(value, nearest)]


def test_a_range_read_backwards_is_another_one():
    answer = "The museum shop is open from Sunday to Wednesday."
    assert seen(answer, cases.SHOP) == [("Sunday", "Wednesday"), ("Wednesday", "Sunday")]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Open Monday to Friday.", ["Monday", "Friday"]),
        ("Open between Monday and Friday.", ["Monday", "Friday"]),
        ("Open on Monday and Friday.", []),
        ("Open Monday till Wednesday to Friday.", ["Monday", "Wednesday"]),
        ("Open 3 May until June.", ["3 May", "June"]),
        ("Closed from Sunday to 5 pm.", []),
        ("Open on Monday, closed on Friday.", []),
    ],
)
def test_the_ends_of_a_range_know_one_another(text, ends):
    values = read(text, read_anchors(text)).values
    assert [text[value.start : value.end].rstrip(".") for value in values if value.ends] == ends


def test_what_another_owner_did_at_a_date_is_still_told():
    chunk = "In 1998 Ida Berg took over the orchestra and Paul Stein founded the choir in 2011."
    assert seen("Ida Berg took over the orchestra in 2011.", chunk) == [("2011", "1998")]
