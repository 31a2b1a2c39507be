"""Which values follow as their sentence announces, and which do not though some reckoning fits."""

import pytest

from streamguard.core.context import Context, Question
from streamguard.core.derive.announced import announced, is_step
from streamguard.core.derive.bounds import round_bound
from streamguard.core.derive.reckoning import (
    EARLIER,
    NEAREST,
    QUESTION,
    SENTENCE,
    Reckoning,
    terms_of,
)
from streamguard.core.validate import check_text
from streamguard.values import read_anchors


def reckoned(target, said, *, own="", asked="", earlier="", nearest="", near="", grounded=True):
    """Return how the first value of a text follows from values at these places, in words."""
    places = (own, SENTENCE), (asked, QUESTION), (earlier, EARLIER), (nearest, NEAREST), (near, 1)
    terms = [
        term
        for text, place in places
        for anchor in read_anchors(text)
        for term in terms_of(anchor, place, is_grounded=grounded)
    ]
    found = Reckoning(terms, announced(said)).of(read_anchors(target)[0])
    return None if found is None else found.words


# What the sentence says, and where the operands stand.
RIGHT = [
    ("€40", "the difference is", {"own": "€149", "nearest": "€109"}, "€149 - €109"),
    ("€198", "together they cost", {"nearest": "€49 and €149"}, "€49 + €149"),
    ("€198", "together they cost", {"nearest": "€49", "near": "€149"}, "€49 + €149"),
    ("€70", "", {"own": "€40 and €30"}, "€40 + €30"),  # all three in one sentence
    ("€10", "", {"own": "€40 and €30"}, "€40 - €30"),
    ("€131.50", "", {"own": "€85, €31 and €15.50"}, "€85 + €31 + €15.50"),
    ("€85", "", {"own": "€131.50, €31 and €15.50"}, "€131.50 - €31 - €15.50"),
    ("€22.50", "", {"own": "€3.50 for cash, 9 and 10"}, "€3.50 + 9 + 10"),
    ("€30", "for 5 seats", {"own": "5 seats", "nearest": "€6 a month"}, "€6 a month × 5"),
    ("€30", "", {"asked": "5 seats", "nearest": "€6"}, "€6 × 5"),
    ("€19.00", "each", {"own": "2", "nearest": "9.50"}, "9.50 × 2"),
    ("€9.80", "per seat", {"own": "5 seats", "nearest": "€49"}, "€49 ÷ 5"),
    ("€17", "a session works out at", {"nearest": "€136 for 8"}, "€136 ÷ 8"),
    ("€920", "", {"own": "2 rents of 460"}, "460 × 2"),
    (
        "€9",
        "",
        {"asked": "two metres", "nearest": "€4.50 per metre"},
        "€4.50 per metre × two metres",
    ),
    ("€7", "", {"asked": "50 g", "nearest": "14 cents a gram"}, "14 cents a gram × 50 g"),
    ("€9", "", {"own": "500 g", "nearest": "€18 per kg"}, "€18 per kg × 500 g"),
    ("€4.20", "", {"own": "350 g", "nearest": "€11.99 per kg"}, "€11.99 per kg × 350 g"),
    ("€150", "", {"own": "2 at €54 and €42"}, "2 × €54 + €42"),
    ("€150", "", {"own": "2 at €54, with 5 kg, and €42"}, "2 × €54 + €42"),
    ("€582", "", {"own": "6 months at €19 and 12 at €39"}, "6 months × €19 + 12 × €39"),
    ("12", "each of 3", {"nearest": "3 boxes, 4 in each"}, "4 × 3"),
    ("€90", "10 % off", {"own": "10 %", "nearest": "€100"}, "(1 - 10 %) × €100"),
    ("33 %", "a fraction of", {"own": "1 and 3"}, "1 ÷ 3 in %"),
    ("25 %", "a discount", {"own": "€80 and €100"}, "(€100 - €80) ÷ €80 in %"),
    ("€24", "half of that", {"earlier": "€48"}, "€48 ÷ 2"),
    ("6.46 mL", "the mean is", {"nearest": "6.42 mL and 6.50 mL"}, "(6.42 mL + 6.50 mL) ÷ 2"),
    ("€24", "", {"own": "half of £48"}, None),
    ("£24", "so half is", {"nearest": "half of £48"}, "half of £48 ÷ 2"),
    ("€588", "a year of it", {"nearest": "€49 a month"}, "€49 a month × 12"),
    ("€588", "a year of it", {"near": "€49 a month"}, "€49 a month × 12"),
    ("€49 a month", "", {"nearest": "€588 a year"}, "€588 a year ÷ 12"),
    ("about 150 people", "", {"nearest": "143 people"}, "about 143"),
    ("three years", "three years later", {"nearest": "2019 and 2022"}, "2022 - 2019"),
    ("18 years", "18 years later", {"nearest": "1231 and 1249"}, "1249 - 1231"),
    ("15 %", "", {"earlier": "85 %"}, "100 % - 85 %"),
    ("8 hours", "", {"nearest": "9:00 to 17:00"}, "9:00 to 17:00"),
    ("5 May 2024", "", {"nearest": "1 May 2024", "own": "4 days"}, "1 May 2024 ± 4 days"),
    ("€40 to €50", "in total", {"own": "€10 to €20", "nearest": "€20"}, "€10 to €20 + €20"),
]


@pytest.mark.parametrize(("target", "said", "operands", "words"), RIGHT)
def test_what_is_announced_follows_from_two_values(target, said, operands, words):
    assert reckoned(target, said, **operands) == words


WRONG = [
    # no word announces it, or one that only sounds like reckoning
    ("€58", "basic costs", {"nearest": "€49 and €9"}),
    ("€58", "up to, for more on than", {"near": "€49 and €9"}),
    ("€40", "it costs", {"own": "€149", "nearest": "€109"}),
    ("€24", "it costs", {"nearest": "€48"}),
    ("€588", "it costs", {"nearest": "€49 a month"}),
    ("€90", "it costs", {"own": "10 %", "nearest": "€100"}),
    ("€9.80", "it costs", {"own": "5 seats", "nearest": "€49"}),
    # both operands in units that are not the nearest, three operands
    ("€40", "the difference is", {"near": "€149 and €109"}),
    # another period in a unit that is not the nearest: it may be the price of another thing
    ("€5 per month", "it costs €5 per month", {"nearest": "€4 per month", "near": "€60 a year"}),
    ("€159", "in total", {"nearest": "€149, €6 and €4"}),
    # a count is no amount
    ("€49", "in total", {"own": "six", "nearest": "€43"}),
    ("€49", "the difference", {"own": "5 seats", "nearest": "€54"}),
    ("€8", "half of it", {"nearest": "16 seats"}),
    ("€46", "the mean is", {"nearest": "€42 and 50 km"}),
    ("18 years", "18 years later", {"nearest": "1231 and 1250"}),
    ("18 days", "18 days later", {"nearest": "1231 and 1249"}),
    ("15 %", "", {"nearest": "85 %"}),
    # nothing that a source holds
    ("€70", "in total", {"own": "€40 and €30", "grounded": False}),
    ("€131.50", "", {"own": "€85, €31 and €15.50", "grounded": False}),
    ("€24", "half of that", {"earlier": "€48", "grounded": False}),
    ("8 hours", "", {"nearest": "9:00 to 17:00", "grounded": False}),
    # units and periods that do not fit
    ("€70", "in total", {"own": "40 km", "nearest": "30 kg"}),
    ("€70", "in total", {"own": "€40 a month", "nearest": "€30 a year"}),
    ("€49", "", {"own": "7 days and 7"}),
    ("3", "the difference", {"own": "13 inches", "nearest": "10 feet"}),
    ("19", "the difference", {"own": "20", "nearest": "1 minute"}),
    ("88 %", "a fraction", {"own": "4 weeks and 1 km"}),
    ("100 %", "double", {"nearest": "€50"}),
    ("6", "", {"own": "2 and 3"}),  # counts need a word
    ("€49", "each", {"own": "2 and 24.5 kg"}),
    ("€9", "", {"asked": "two metres", "nearest": "€4.50 per kg"}),  # of another measure
    ("€9", "", {"asked": "two metres", "nearest": "€4.50"}),
    ("€8", "", {"asked": "two metres", "nearest": "€4.50 per metre"}),
    ("€11", "per day", {"own": "8 hours", "nearest": "€85"}),  # no quotient to whole euros
    ("about 994", "", {"nearest": "1046"}),
    ("€588 a week", "a year", {"nearest": "€49 a month"}),
    # no number at all
    ("order AB-12", "in total", {"own": "12 and 1"}),
    ("1st place", "in total", {"own": "2 and 1"}),
    ("€0", "in total", {"own": "€4"}),
]


@pytest.mark.parametrize(("target", "said", "operands"), WRONG)
def test_what_is_not_announced_or_does_not_fit_follows_from_nothing(target, said, operands):
    assert reckoned(target, said, **operands) is None


BOUNDS = [
    ("over 31,000", "31,420", "over 31,420"),
    ("under 49,000 km", "48,900", "under 48,900"),
    ("more than €310", "€314.50", "more than €314.50"),
    ("over 31,000", "30,900", None),
    ("over 31,000", "32,100", None),
    ("under 49,000 km", "48,900 kg", None),
    ("under 49,000 km", "49,100", None),
    ("about 31,000", "31,420", None),
    ("over 10", "14", None),  # too round
    ("over 10 to 12", "10.4", None),
    ("over 310 a month", "314 a year", None),
]


@pytest.mark.parametrize(("said", "held", "words"), BOUNDS)
def test_the_next_round_figure_below_or_above_a_finer_one_is_its_bound(said, held, words):
    (target, *_) = read_anchors(said)
    terms = [one for anchor in read_anchors(held) for one in terms_of(anchor, NEAREST)]
    found = round_bound(target, said, target.start, terms, frozenset())
    assert (found and found.words) == words


def test_words_announce_their_operation_and_mere_comparisons_do_not():
    assert announced("that is 10% off in all") == {"difference", "share", "sum"}
    assert announced("up to 5 for more on than") == {"difference"}  # "more" alone
    assert announced("a first-half") == frozenset()
    assert announced("it costs what it says") == frozenset()
    assert is_step("it rose by €9", 11)
    assert is_step("it rose by about €9", 17)
    assert not is_step("it is paid for €9", 15)


def test_a_question_announces_what_it_asks_for():
    assert Question("How much is that in total?").asks == {"sum"}
    assert Question("How much more is Business?").asks == {"difference"}
    assert Question("What is half of it?").asks == frozenset()
    context = Context(
        chunks=["A day ticket is €14. Lockers cost €3."],
        query="What do a day ticket and a locker cost altogether?",
    )
    (report,) = check_text("You pay €17.", context=context).sentences
    assert report.evidence.derivation == "€3 + €14 = €17"
