import pytest

from streamguard.core.anchors import read_anchors
from streamguard.core.conflicts.opposites import DENIED, OPPOSED, POLES, TURNING
from streamguard.core.conflicts.reading import read


def reading_of(text):
    return read(text, read_anchors(text))


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("It is not included.", [("includ", -1)]),
        ("It isn't included.", [("includ", -1)]),
        ("It is no longer included.", [("includ", -1)]),
        ("No dogs are allowed.", [("dog", -1)]),
        ("He failed to win.", [("win", -1)]),
        ("It is impossible to return it.", [("possibl", -1)]),
        ("It is not impossible.", [("impossibl", -1), ("possibl", 1)]),
        ("Not all rooms are open.", []),
        ("It comes with or without milk.", []),
        ("See No. 5 of the list.", []),
        ("Victor never sleeps.", [("sleep", -1)]),
        ("It is not, in a word, good.", []),
        ("It is not.", []),
        ("It is open.", []),
    ],
)
def test_a_denial_is_of_the_next_content_word_of_its_clause(text, denied):
    assert [(n.key, n.sign) for n in reading_of(text).negations] == denied


@pytest.mark.parametrize(
    ("text", "poles"),
    [
        ("Drink it before meals.", [("order", 1)]),
        ("It increases the appetite.", [("change", 1)]),
        ("It is not allowed.", [("leave", -1)]),
        ("It is less expensive.", [("amount", -1), ("price", -1)]),
        ("It is cheap.", [("price", -1)]),
        ("The cat sat.", []),
    ],
)
def test_poles_are_turned_where_they_are_denied(text, poles):
    assert [(axis, pole) for axis, pole, _ in reading_of(text).poles] == poles


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("It costs $49.", [("amount", "USD")]),
        ("It has 18 ships.", [("number", "ship")]),
        ("It has 18.", [("number", None)]),
        ("It has 18 of the 20 red ships.", [("number", None), ("number", "red")]),
        ("It has 18, 20 ships.", [("number", None), ("number", "ship")]),
        ("It has 18 in all of them.", [("number", None)]),
        ("The bill: 18 cats.", [("number", "cat")]),
        ("18 cats sat.", []),
        ("Ann, 27, keeps it.", [("number", None)]),
        ("It has five.", []),
        ("It has 5.", []),
        ("It has three ways.", []),
        ("It is of type 2 only.", []),
        ("The 2nd is last.", []),
        ("It opens in May.", [("date", None)]),
        ("It opens on Mondays.", [("weekday", None)]),
        ("May it open.", []),
        ("It opens every day.", [("every", None)]),
        ("It opens daily in the day.", [("every", None)]),
    ],
)
def test_values_are_grouped_by_what_they_count(text, groups):
    assert [value.group for value in reading_of(text).values] == groups


def test_a_month_that_is_no_date_is_a_value_by_itself():
    text = "Tickets are sold in March."
    assert [(v.group, v.number) for v in read(text, ()).values] == [(("month", None), 3)]


def test_clauses_end_at_marks_and_joints():
    reading = reading_of("Basic, the small one, costs $49 and Pro $99.")
    words = dict(zip(reading.words, reading.clauses, strict=True))
    assert words["basic"] == 0
    assert words["costs"] == words["$49"] == 2
    assert words["pro"] == words["$99"] == 3


def test_spans_and_keys_go_by_token_with_an_anchor_as_one():
    text = "We pay $49 per month cash."
    reading = reading_of(text)
    assert [text[start:end] for start, end in reading.spans] == [
        "We", "pay", "$49 per month", "cash",
    ]  # fmt: skip
    assert reading.keys == [None, "pay", "#49", "cash"]
    assert reading.places == {"pay": [1], "#49": [2], "cash": [3]}


def test_anchors_count_from_the_base():
    text = "We pay $49 now."
    shifted = read_anchors("x" * 10 + " " + text)
    assert read(text, shifted, 11).words == reading_of(text).words


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [("It rains.", True), ("Bake it well.", True), ("Snow falls on it.", False), ("", False)],
)
def test_a_sentence_goes_on_from_the_one_before_by_its_pronoun(text, goes_on):
    assert reading_of(text).goes_on is goes_on


def test_no_word_stands_on_both_poles_of_an_axis():
    for word, poles in POLES.items():
        axes = [axis for axis, _ in poles]
        assert len(axes) == len(set(axes)), word


def test_every_word_of_the_table_has_an_opposite_and_is_found():
    words = [pole.split()[-1] for pole in POLES]
    assert all(OPPOSED[word] and word in TURNING for word in words)
    assert DENIED.keys() <= TURNING
    assert "decrease" in OPPOSED["increase"]
