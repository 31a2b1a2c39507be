"""The scoreboard's measures of single sentences, on self-written ones."""

import argparse

import pytest
from scores import exercises, prices, sentences, values
from scores.measuring import named, numbered
from scores.sentences import Answered, Asked

CHUNKS = [
    {"id": "C1", "text": "The Harbour plan costs £140 a month. It covers 12 boats."},
    {"id": "C2", "text": "Dogs are not allowed on the quay."},
]
ROW = {
    "id": "t-1", "language": "en", "fold": 0, "chunks": CHUNKS,
    "questions": [
        {
            "question": "What does the Harbour plan cost?",
            "sentences": [
                {
                    "right": "The Harbour plan costs £140 a month.",
                    "wrong": [{"kind": "number", "text": "The Harbour plan costs £163 a month."}],
                },
                {
                    "right": "It covers 12 boats.",
                    "wrong": [{"kind": "unit", "text": "It covers 12 crews and costs £9."}],
                },
            ],
        }
    ],
}  # fmt: skip
WARNED = frozenset({("unsupported_price", "warning")})
NOTED = frozenset({("doubtful", "info")})


def answered(*, passed=True, doubt=0.0, derived=False, checks=frozenset(), at_value=frozenset()):
    return Answered(passed, doubt, doubt, doubt, derived, checks, at_value)


def labelled(kind, text, said, twin=None):
    return exercises.Labelled(kind, text, said, twin or said)


RIGHT = answered(doubt=0.2)
FLAGGED = answered(passed=False, doubt=0.6, checks=WARNED)
SAID = [
    labelled("", "It costs £5.", RIGHT),
    labelled("number", "It costs £6.", FLAGGED, RIGHT),
    labelled("role", "Ann pays £5 to Bo.", answered(doubt=0.2, derived=True, checks=NOTED), RIGHT),
    labelled("", "It is blue.", answered(passed=False, doubt=0.4, checks=WARNED)),
]


def test_a_sentence_is_judged_after_the_right_ones_before_it():
    told = exercises.judge([ROW], processes=1)
    assert [(one.kind, one.text) for one in told] == [
        ("", "The Harbour plan costs £140 a month."),
        ("number", "The Harbour plan costs £163 a month."),
        ("", "It covers 12 boats."),
        ("unit", "It covers 12 crews and costs £9."),
    ]
    assert [one.said.passed for one in told] == [True, False, True, False]
    assert [one.said.value_warned for one in told] == [False, True, False, True]
    assert told[1].twin is told[0].said
    assert told[3].twin is told[2].said


def test_several_processes_say_the_same_in_the_same_order():
    asked = [
        Asked(f"What costs {number}?", ("It costs £7.",), (), f"It costs £{number}.")
        for number in range(5, 30)
    ]
    assert sentences.ask(asked, 2) == sentences.ask(asked, 1)


def test_a_bullet_begins_a_line():
    assert sentences.joined(("Two things:", "- Boats."), "- Dogs.") == (
        "Two things:\n- Boats.\n- Dogs.",
        21,
    )
    assert sentences.joined(("Yes.",), "No.") == ("Yes. No.", 5)


def test_only_what_touches_the_sentence_is_counted():
    asked = Asked(
        "Cost?", ("It costs £7.",), ("It costs £9.",), "Dogs are allowed for £8.", (21, 23)
    )
    said = sentences.ask([asked], 1)[0]
    assert said.warned_at_value
    before = Asked("Cost?", ("It costs £7.",), ("It costs £9.",), "It costs £7.", (9, 11))
    said = sentences.ask([before], 1)[0]
    assert not said.passed
    assert not said.warned


def test_figures_count_right_and_wrong_sentences_apart():
    rows = dict(exercises.figures(SAID))
    assert rows["right sentences not PASS"] == "0.500 of 2"
    assert rows["right sentences with a value warning"] == "0.500 of 2"
    assert rows["wrong sentences found (WARN, REFUSE or none)"] == "0.500 of 2"
    assert rows["wrong sentences warned of"] == "0.500 of 2"
    # Of four pairs of right and wrong two are in order, and one is a tie; so is one of the twins.
    assert rows["doubt of the sentence: AUROC; pairs ranked"] == "0.625; 0.750"


def test_sentences_with_money_stand_apart():
    rows = dict(exercises.money(SAID))
    assert rows["right not PASS"] == "0.000 of 1"
    assert rows["wrong found"] == "0.500 of 2"
    assert rows["wrong excused by a derivation"] == "0.500 of 2"


def test_kinds_and_precisions_have_a_row_each():
    assert exercises.kinds(SAID) == [
        ("number: found; warned of; by a check of values", "1.000 of 1; 1.000; 1.000"),
        ("role: found; warned of; by a check of values", "0.000 of 1; 0.000; 0.000"),
    ]
    thrice = [*SAID, labelled("", "It is red.", RIGHT), labelled("", "It is red.", RIGHT)]
    assert exercises.precisions(thrice) == [
        ("doubtful, info", "1.00 (1 wrong, 0 right)"),
        ("unsupported_price, warning", "0.67 (1 wrong, 1 right)"),
    ]


def test_english_contexts_of_some_folds_are_taken():
    rows = [ROW, {**ROW, "language": "de"}, {**ROW, "fold": 3}]
    assert exercises.english(rows, None) == [ROW, rows[2]]
    assert exercises.english(rows, [3]) == [rows[2]]


def test_planted_and_computed_values_are_shares_of_their_sort():
    rows = dict(values.measure([ROW], processes=1))
    assert rows["planted amounts of money: warned of"] == "1.000 of 1"
    assert rows["planted other numbers: warned of"].endswith(" of 1")
    assert rows["computed amounts of money: warned of"] == "0.000 of 0"


def test_prices_come_from_tables_and_sentences():
    files = [
        "# Tours\n\nThey start at two. A tour costs $18 with snacks.",
        "| Room | Day | Week |\n|---|---|---|\n| Blue | €60 | €350 |\n\nNo dogs.",
        "| Thing | Price |\n|---|---|\n| Mug | 9 EUR |",
    ]
    made = list(prices.prices_of(files))
    assert [(one.text, one.chunks) for one in made] == [
        ("A tour costs $18 with snacks.", (files[0], files[1])),
        ("Blue costs €60 (day).", (files[1], files[0], files[2])),
        ("Blue costs €350 (week).", (files[1], files[0], files[2])),
        ("Mug costs 9 EUR.", (files[2], files[1])),
    ]
    wrong = [one.text for one in prices.wrong(made[3])]
    assert wrong == [
        f"Mug costs {price} EUR." for price in (10, 8, 11, 7, 12, 6, 13, 5)
    ]  # fmt: skip


def test_the_plans_of_tutorial_and_examples_are_among_the_prices():
    texts = [one.text for one in prices.plans()]
    assert "The Business plan costs €149 per month." in texts
    assert "The Team plan costs $149 per month and includes ten seats." in texts
    assert "The Basic plan costs $49 per month and includes one seat." in texts


def test_an_unknown_part_or_fold_is_named():
    assert named("exercises,prices") == ["exercises", "prices"]
    assert numbered("0,4") == [0, 4]
    with pytest.raises(argparse.ArgumentTypeError, match="there is no part 'plants', expected"):
        named("exercises,plants")
    with pytest.raises(argparse.ArgumentTypeError, match="there is no fold '5', expected 0 to 4"):
        numbered("5")
