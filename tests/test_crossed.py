"""Two values or names that a sentence tells the wrong way round."""

from hypothesis import given
from hypothesis import strategies as st

from streamguard import Context, StreamGuard, check_text
from streamguard.core.facts import misplaced
from streamguard.testing import feed_every_way
from tests.cases.crossed import CODES, COUNTS, RIGHT, WRONG
from tests.kit.tables import differing


def found(passage, answer):
    """Say whether another owner's value is warned of, however the answer is cut."""

    def read(pieces):
        guard = StreamGuard(Context(chunks=[passage]))
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    findings = feed_every_way(answer, read).findings
    return any(one.check == "other_owner" and one.severity == "warning" for one in findings)


def test_two_that_have_changed_their_places_are_warned_of():
    assert differing([(*each, True) for each in WRONG], found) == []


def test_nothing_is_said_of_those_that_stand_where_they_belong():
    assert differing([(*each, False) for each in RIGHT], found) == []


def test_the_message_says_whose_either_is():
    (_, wrong) = next(each for each in WRONG if each[0] == CODES)
    context = Context(chunks=[CODES])
    said = [one.message for one in check_text(wrong, context=context).findings]
    assert any(
        each.startswith("The passages give “611” for card expired") and "account closed" in each
        for each in filter(None, said)
    )


def test_the_label_of_a_place_is_its_words_that_stand_together():
    passage = (
        "The barn behind the old mill on the way to the northern lake, which monks built long ago,"
        " holds 120 guests in all seasons. Under the pergola there is room for 45."
    )
    wrong = "In the barn 45 guests fit in all seasons, while the pergola has room for 120."
    assert found(passage, wrong)


def test_nothing_is_said_of_a_value_that_stands_very_often(monkeypatch):
    (passage, wrong) = WRONG[0]
    assert found(passage, wrong)
    monkeypatch.setattr(misplaced, "_MOST_CROSSED", 0)
    assert not found(passage, wrong)


@given(st.permutations(["four officers", "21 sailors", "3 cooks", "2 boats"]))
def test_the_order_of_right_ones_changes_nothing(parts):
    passage = "The ship has four officers and 21 sailors and 3 cooks and 2 boats."
    answer = f"Aboard are {' and '.join(parts)}."
    assert not found(passage, answer)


def test_a_long_list_is_compared_within_bounds():
    many = " and ".join(f"{number} of kind{number}" for number in range(10, 60))
    assert not found(COUNTS, f"There are {many}.")
