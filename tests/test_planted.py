"""Planted values: the figures that are read, the near ones that replace them, what is plain."""

from decimal import Decimal

import planted
import pytest

ROW = {
    "id": "t-1",
    "chunks": [
        {"text": "The Harbour plan costs £1,240 a year for 12 boats. Mooring is £37.50 a night."},
        {"text": "Members get twenty visits. The quay opened on 3 May 1987."},
    ],
    "questions": [
        {
            "question": "What do two nights cost?",
            "sentences": [
                {"right": "The Harbour plan costs £1,240 a year."},
                {"right": "Two nights are £75 together [2]."},
                {"right": "It covers 12 boats, and the quay opened on 3 May 1987."},
            ],
        }
    ],
}


def figures(text):
    return [(text[one.start : one.end], one.sort) for one in planted.figures_in(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs €1,240.50 or 30 euros.", [("1,240.50", "money"), ("30", "money")]),
        ("Pay US$ 12 for 3 boats.", [("12", "money"), ("3", "other")]),
        ("It weighs 7.5 kg, 20% more.", [("7.5", "other"), ("20", "other")]),
        ("2. Wait 30 minutes.", [("30", "other")]),
        ("Opened on 3 May 1987, at 9:30, until 5 pm, on the 4th, May 12.", []),
        ("See [3], C2, 10–12, 10 to the dozen, 2024 and version 1.2.3.", [("10", "other")]),
        ("It cost £1987 then.", [("1987", "money")]),
    ],
)
def test_figures_of_dates_times_ranges_and_references_are_left_out(text, expected):
    assert figures(text) == expected


def test_numbers_are_held_in_digits_and_in_words():
    assert planted.numbers_of("Twenty visits, 1,240 boats, 3rd") == {
        Decimal(20),
        Decimal(1240),
        Decimal(3),
    }


@pytest.mark.parametrize(
    ("form", "number", "expected"),
    [
        ("1,240", Decimal(1228), "1,228"),
        ("1240", Decimal(1228), "1228"),
        ("37.50", Decimal("37.13"), "37.13"),
        ("999", Decimal(1049), "1,049"),
        ("7", Decimal(6), "6"),
    ],
)
def test_a_number_is_written_in_the_form_of_the_other(form, number, expected):
    assert planted.written(form, number) == expected


def test_near_numbers_are_at_least_one_step_away_and_not_taken():
    assert planted.near_numbers("7", {Decimal(8)}) == [Decimal(6)]
    assert planted.near_numbers("1", {Decimal(2)}) == []
    assert planted.near_numbers("200", set()) == [202, 198, 204, 196, 210, 190, 220, 180]
    assert planted.near_numbers("0.5", set()) == [Decimal("0.6"), Decimal("0.4")]


def test_a_planted_value_stands_nowhere_and_nothing_else_changes():
    held = planted.numbers_of(" ".join(chunk["text"] for chunk in ROW["chunks"]))
    made = [one for _, one in planted.stated(ROW) if one.planted]
    right = [one["right"] for one in ROW["questions"][0]["sentences"]]
    assert [one.sort for one in made] == ["money", "other"]
    for one, was in zip(made, (right[0], right[2]), strict=True):
        figure = one.text[one.start : one.end]
        assert Decimal(figure.replace(",", "")) not in held
        assert one.text != was
        assert was.startswith(one.text[: one.start])
        assert was.endswith(one.text[one.end :])
    assert [one.before for one in made] == [(), tuple(right[:2])]


def test_computed_values_are_those_that_no_passage_holds():
    made = [one for _, one in planted.stated(ROW) if not one.planted]
    assert [(one.text[one.start : one.end], one.sort, one.plain) for one in made] == [
        ("75", "money", False)
    ]


def test_the_same_sentences_are_made_each_time():
    assert list(planted.stated(ROW)) == list(planted.stated(ROW))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The plan costs €159 per month.", True),
        ("It's £40.", True),
        ("Together they are £75.", False),
        ("It is £3 more.", False),
        ("For £40 you get two.", False),
        ("So it costs £40.", False),
    ],
)
def test_plain_statements_announce_no_reckoning(text, plain):
    assert planted.is_plain(text) is plain
