import pytest

from streamguard.core.anchors import read_anchors
from streamguard.core.conflicts.alignment import (
    FOR_POLES,
    FOR_VALUES,
    around,
    beside,
    carried_into,
    closest_to,
    likeness,
    nearest,
    segment,
    share_of,
    weighed,
    with_holding,
)
from streamguard.core.conflicts.binding import compare
from streamguard.core.conflicts.reading import read
from streamguard.core.evidence import Evidence
from streamguard.core.postings import MAX_SENTENCES
from streamguard.core.types import RetrievedChunk


def index(*texts):
    evidence = Evidence(tuple(RetrievedChunk(text) for text in texts))
    evidence.build()
    return evidence


def reading_of(text):
    return read(text, read_anchors(text))


def test_the_closest_sentences_come_with_the_share_of_the_best():
    evidence = index("Apples grow here. Pears fall.", "Apples and pears rot.")
    closest = closest_to(evidence.postings(("appl", "pear", "zebra")))
    assert closest.sentences == (2, 0, 1)
    assert 0.5 < closest.share < 0.9
    assert closest_to(evidence.postings(("zebra",))).sentences == ()
    assert closest_to(()).share == 0.0


def test_a_word_of_very_many_sentences_makes_none_of_them_close():
    evidence = index("Apples rot. " * (MAX_SENTENCES + 1) + "Pears fall.")
    closest = closest_to(evidence.postings(("appl", "pear")))
    assert closest.sentences == (MAX_SENTENCES + 1,)


def test_sentences_that_hold_a_key_follow_the_given_ones_once():
    evidence = index("Apples grow. Pears fall. Apples rot.")
    assert list(with_holding(evidence, (2,), ("appl", "pear"))) == [2, 0, 1]


def test_what_stands_nearer_weighs_more_and_another_clause_less():
    reading = reading_of("Sweet red apples grow, pears fall.")
    weights = around(reading, FOR_POLES, reading.words.index("apples"))
    assert weights["red"] == weights["grow"] == 1.0
    assert weights["sweet"] < 1.0
    assert weights["pear"] < weights["sweet"]
    assert "appl" not in weights


def test_a_context_ends_with_its_reach():
    reading = reading_of("apples " + "and " * 12 + "pears")
    assert around(reading, FOR_POLES, 0) == {}


def test_likeness_is_the_weighted_share_and_what_is_carried_counts():
    evidence = index("Apples grow on trees. They fall in autumn.")
    weights = weighed(evidence, {"appl": 1.0, "zebra": 0.5}, known=True)
    assert list(weights) == ["appl"]
    assert likeness(weights, {"appl": 0.5}) == (1.0, 1)
    assert likeness(weights, {"appl": 0.1}) == (0.5, 1)
    assert likeness(weights, {}, carried_into(evidence, 1)) == (1.0, 1)
    assert likeness({}, {"appl": 1.0}) == (0.0, 0)
    assert carried_into(evidence, 0) == ()
    assert "zebra" in weighed(evidence, {"zebra": 0.5})


def test_the_share_of_no_keys_is_nothing():
    evidence = index("Apples grow.")
    assert share_of(evidence, (), {"appl"}) == 0.0
    assert share_of(evidence, ("appl",), {"appl"}) == 1.0


@pytest.mark.parametrize(
    ("text", "step", "key"),
    [
        ("apples and ripe pears", 1, "ripe"),
        ("ripe apples", -1, "ripe"),
        ("apples", 1, None),
        ("apples of the and in on ripe", 1, None),
    ],
)
def test_the_neighbour_is_the_nearest_content_word_of_few(text, step, key):
    reading = reading_of(text)
    assert beside(reading, reading.words.index("apples"), step) == key


def test_the_nearest_words_are_two_on_either_side():
    reading = reading_of("big sweet red apples and ripe yellow pears")
    near = nearest(reading, reading.words.index("apples"))
    assert near == {"sweet", "red", "ripe", "yellow"}


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("Basic costs $49, Pro costs $99.", [(0, 3), (3, 6)]),
        ("Basic $49 Pro $99", [(0, 2), (2, 4)]),
        ("$9 red $8 blue, $7 green", [(0, 1), (1, 4), (4, 6)]),
        ("Basic costs $49 for 5 hours.", [(0, 5), (0, 5)]),
    ],
)
def test_a_value_has_the_words_up_to_its_neighbours(text, segments):
    reading = reading_of(text)
    assert [segment(reading, value) for value in reading.values] == segments
    first = reading.values[0]
    around(reading, FOR_VALUES, first.at, segment=segments[0])
    assert ("values", first.at) in reading.contexts


@pytest.mark.parametrize(
    ("answer", "source", "comparison"),
    [
        ("It costs $49.", "It costs $49.00.", "same"),
        ("It costs $49.", "It costs $59.", "other"),
        ("It costs $49 a month.", "It costs $49 a year.", "other"),
        ("It costs $49 a month.", "It costs $500 a year.", "apart"),
        ("It takes 5 hours.", "It takes 300 minutes.", "same"),
        ("It takes 5 hours.", "It takes 5 minutes.", "other"),
        ("It takes 5 mg.", "It takes 5 ml.", "other"),
        ("It takes 5 hours.", "It weighs 7 kg.", "apart"),
        ("It takes 5 hours per day.", "It takes 7 hours.", "apart"),
        ("It has 18 ships.", "It has 22 ships.", "other"),
        ("It has 18 ships.", "It has 22 crews.", "apart"),
        ("It has 18 zebras.", "It has 22 crews.", "other"),
        ("It has 18 ships.", "It has 22.", "other"),
        ("It is 27 years old.", "Ann, 41, works.", "other"),
        ("It is 27 years old.", "Ann, 27, works.", "same"),
        ("It opened in 1944.", "It opened on 7 March 1944.", "same"),
        ("It opened in 1945.", "It opened on 7 March 1944.", "other"),
        ("It opened on 7 March.", "It opened on 9 March 1944.", "other"),
        ("It opened in 1944.", "It opened on 7 March.", "apart"),
        ("It opened in March 1944.", "It opened at 7 pm.", "apart"),
        ("It opens at 7 pm.", "It opens at 8 pm.", "other"),
        ("It opens at 7 pm.", "It opens for 8 hours.", "apart"),
        ("It opens on Monday.", "It opens on Mondays.", "same"),
        ("It opens on Monday.", "It opens on Friday.", "other"),
        ("It opens on Monday.", "It costs $5.", "apart"),
        ("It opens daily.", "It opens every day.", "same"),
        ("It opens daily.", "It opens each week.", "other"),
        ("It opens daily.", "It opens on Monday.", "apart"),
        ("It grew by 5%.", "It grew by 7%.", "other"),
        ("It grew by 5%.", "It costs $7.", "apart"),
    ],
)
def test_values_are_the_same_or_others_of_a_kind_or_apart(answer, source, comparison):
    evidence = index("Ships and crews sail.", source)
    (one, *_), (two, *_) = reading_of(answer).values, reading_of(source).values
    assert compare(one, two, evidence) == comparison


def test_a_bare_month_is_compared_with_the_month_of_a_date():
    march = read("Tickets are sold in March.", ()).values[0]
    april = read("Tickets are sold in April.", ()).values[0]
    dated = reading_of("It opened on 7 March 1944.").values[0]
    evidence = index("It opened.")
    assert compare(march, dated, evidence) == "same"
    assert compare(april, dated, evidence) == "other"
    assert compare(april, march, evidence) == "other"
