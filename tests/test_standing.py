"""How a value stands to the passages: the rows of the table in `core/facts/standing`."""

import pytest

from streamguard.core.context import Context, Question
from streamguard.core.facts.comparing import Comparing
from streamguard.core.facts.standing import is_near
from streamguard.core.validate import check_text
from streamguard.values import read_anchors
from tests.kit.answers import result_of
from tests.test_evidence import index

PLANS = """| Plan | Price per month | Setup |
|---|---|---|
| Basic | €49 | €20 |
| Business | €149 | €35 |"""
SEATS = "A further seat is €6 a month, and moving costs €4."
RULES = (
    "Reports are due on 12 May 2024 at 17:00. A class 6 lorry may weigh 7.5 t. The form is AB-1234."
)
CHUNKS = (PLANS, SEATS, RULES)


def standing(sentence, value, question=""):
    asked = Question(question)
    compared = Comparing(index(*CHUNKS).source, asked.slots, asked.asks)
    edits = compared.edits(sentence, read_anchors(sentence))
    (edit,) = [
        one for one in edits
        if one.group == "value" and sentence[one.start : one.end] == value
    ]  # fmt: skip
    return edit.standing


ROWS = [
    ("The Business plan costs €149.", "€149", "held"),
    ("The Business plan costs €159.", "€159", "near"),
    ("The Basic plan costs €69.", "€69", "plain"),  # no sum of its row's cells
    ("Together Basic and Business cost €198.", "€198", "reckoned"),
    ("A goat is €777.", "€777", "plain"),
    ("In all it comes to €777.", "€777", "alone"),
    ("For 9 seats they'd cost €777.", "€777", "alone"),
    ("The Business plan costs €149 per year.", "€149 per year", "otherwise"),
    ("Business is $149.", "$149", "otherwise"),
    ("A class 6 lorry may weigh 7.5 kg.", "7.5 kg", "otherwise"),
    ("A class 6 lorry may weigh 7.5 m.", "7.5 m", "otherwise"),  # another dimension
    ("There are two ways.", "two", "casual"),
    ("It is the third choice.", "third", "casual"),
    ("There is 1 adult.", "1", "casual"),
    ("A class 7 lorry may come.", "7", "near"),
    ("Reports are due on 14 May 2024.", "14 May 2024", "near"),
    ("The fair opens on 14 May 2024.", "14 May 2024", "plain"),
    ("Reports are due two days later, on 15 May 2024.", "15 May 2024", "alone"),
    ("Reports are due in May 2023.", "May 2023", "alone"),
    ("Hand the map in before 30 April.", "30 April", "plain"),
    ("Hand the map in by 30 April.", "30 April", "plain"),  # no step
    ("Hand the map in by 6 pm.", "6 pm", "plain"),
    ("Reports are due at 17:30.", "17:30", "near"),
    ("The form is AB-1243.", "AB-1243", "near"),
    ("The form is ZX-99.", "ZX-99", "alone"),
    ("Business costs €90 more.", "€90", "alone"),
    ("Business climbed by €90, from €49 to €149.", "€90", "plain"),
    ("The rest, so it is, costs €777.", "€777", "alone"),
    # how far two values are apart is a misreading only where the passages state a like distance
    ("A further seat is €7 a month more.", "€7 a month", "near"),
    ("Business is €7 a month more.", "€7 a month", "alone"),
    ("Business is ahead by €5.", "€5", "alone"),
    ("Business is €7 a month over what they ask.", "€7 a month", "alone"),
    # words that only look like a distance
    ("Business costs €159 up front.", "€159", "near"),
    ("Business costs €159 less 10 %.", "€159", "near"),
    ("Business is up to €159 no longer.", "€159", "near"),
    # by a step that the sentence tells
    ("Basic goes up by €3, so it is €52 from now on.", "€52", "reckoned"),
    ("Basic goes down by €3, so it is €46 from now on.", "€46", "reckoned"),
    ("Basic goes up by €3, so it is €53 from now on.", "€53", "near"),
    # a thing more is added; what is only told of a further thing is not
    ("With one further seat Basic is €55 a month.", "€55 a month", "reckoned"),
    ("Basic with an extra seat is €55 a month.", "€55 a month", "reckoned"),
    ("With one further seat Basic is €56 a month.", "€56 a month", "alone"),
    ("Basic with its seat is €55 a month.", "€55 a month", "near"),
    # agrees with values of the answer that no passage has
    ("An income of €748 against €700 leaves €48.", "€48", "alone"),
    ("An income of €748 against €700 leaves €47.", "€47", "near"),
]


@pytest.mark.parametrize(("sentence", "value", "row"), ROWS)
def test_a_value_is_in_the_first_row_that_holds(sentence, value, row):
    assert standing(sentence, value) == row


BILLS = [
    ("You pay €98 for two people.", "€98", "alone"),  # times a price
    ("You pay €99 for two people.", "€99", "near"),
    ("The stay costs €140 for two people.", "€140", "alone"),  # and twice the linen
    ("The stay costs €141 for two people.", "€141", "plain"),
    ("The stay costs €115.", "€115", "alone"),  # all of one unit
    ("The stay costs €65.", "€65", "alone"),  # its largest less the others
    ("The stay costs €4.50.", "€4.50", "alone"),  # a share of its amount
    ("The stay costs €25.50.", "€25.50", "alone"),  # the rest of it
    ("The stay costs €116.", "€116", "plain"),
]


@pytest.mark.parametrize(("sentence", "value", "row"), BILLS)
def test_an_amount_that_is_a_bill_of_a_price_or_a_unit_is_alone(sentence, value, row):
    chunks = "Tickets are €49.", "The stay: room €90, linen €25.", "Of €30 the stay keeps 15 %."
    compared = Comparing(index(*chunks).source, ())
    (edit, *_) = [one for one in compared.edits(sentence, read_anchors(sentence)) if one.absent]
    assert (sentence[edit.start : edit.end], edit.standing) == (value, row)


def absent_standings(chunks, said):
    edits = Comparing(index(*chunks).source, ()).edits(said, read_anchors(said))
    return [one.standing for one in edits if one.absent and one.standing != "casual"]


def test_pounds_that_may_be_money_are_a_price_too():
    chunks = ("Adults pay 6 pounds.",)
    assert absent_standings(chunks, "You pay £12 for two adults.") == ["alone"]
    assert absent_standings(chunks, "You pay £13 for two adults.") == ["plain"]


@pytest.mark.parametrize(
    ("share", "value", "other"),
    [("half", "€180", "€170"), ("a third of it", "€120", "€125"), ("a quarter", "€90", "€98")],
)
def test_a_share_that_the_nearest_place_tells_in_words_is_alone(share, value, other):
    chunks = (f"A used van costs €360, and a foundation will pay {share}.", "The bus is late.")
    told = "The used van costs them {}."
    assert absent_standings(chunks, told.format(value)) == ["alone"]
    assert absent_standings(chunks, told.format(other)) != ["alone"]
    assert absent_standings(("A used van costs €360.",), told.format(value)) != ["alone"]


def test_what_comes_of_the_unit_of_a_near_value_is_alone():
    far = [
        f"The {word} of the formula is in the table." for word in ("blank", "sum", "root", "use")
    ]
    chunks = "Mill Road: €6.42, €6.50", *far
    told = "With a mean of €{} the blank, the sum, the root and the use of the formula follow."
    assert absent_standings(chunks, told.format("6.46")) == ["alone"]
    assert absent_standings(chunks, told.format("6.47")) == ["near"]


def test_what_comes_of_values_of_sentence_and_answer_that_no_passage_has_is_alone():
    compared = Comparing(index("Basic is €49 a month, Plus €79.").source, ())
    for said in "Duo is cheaper by €4.40.", "With it you pay €70.50, against €74.90 in all.":
        edits = compared.edits(said, read_anchors(said))
    assert [one.standing for one in edits if one.absent][-1] == "alone"


def test_a_near_value_that_the_sentence_states_too_stands_for_itself():
    chunks = ("They sailed 41, of which 4 with motor.",)
    assert absent_standings(chunks, "They sailed 37 of the 41 miles.") == ["alone"]
    assert absent_standings(chunks, "They sailed 37 of it.") == ["near"]


def test_an_amount_is_near_none_by_chance_where_its_sentence_speaks_of_another():
    chunks = "The guided tour of the old mill costs €30.", "Parking is €9."
    said = "In total the guided tour of the old mill costs €10."
    edits = Comparing(index(*chunks).source, ()).edits(said, read_anchors(said))
    assert [(one.standing, one.near) for one in edits if one.absent] == [("alone", None)]
    said = "In total parking costs €10."
    edits = Comparing(index(*chunks).source, ()).edits(said, read_anchors(said))
    assert [one.standing for one in edits if one.absent] == ["near"]


def test_what_the_question_has_as_a_bare_figure_is_asked_about():
    asked = "Our kids are 9 and 13. What do they pay?"
    chunks = ("Persons of 12 years and above pay the adult fee.",)
    context = Context(chunks=chunks, query=asked)
    assert not check_text("Your 13-year-old pays the adult fee.", context=context).findings
    assert check_text("An 11-year-old pays the adult fee.", context=context).findings


def test_what_the_question_has_is_asked_about():
    assert standing("Business is not €159.", "€159", "Is Business €159?") == "asked"


NEAR = [
    ("€159", "€149", True), ("€159", "€99", False), ("€159", "149", True), ("5%", "5 kg", False),
    ("9", "10", True), ("9", "11", False), ("31 kg", "30 kg", True), ("31 kg", "30 km", False),
    ("1994", "1987", True), ("1994", "1970", False), ("17:30", "17:00", True),
    ("€1", "It is free", False),
    ("17:30", "9:00", False), ("class 6", "5", False), ("class 6", "class 5", True),
    ("20 kg", "5 to 21 kg", True), ("AB-1234", "AB-1243", True), ("AB-1234", "AB-9876", False),
    ("AB-1", "AB-12", False), ("1 May 2024", "2 May 2024", False),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "near"), NEAR)
def test_values_of_a_kind_and_nearly_of_a_size_are_near(one, other, near):
    assert is_near(read_anchors(one)[0], read_anchors(other)[0]) == near


CONTEXT = Context(query="What does Business cost?", chunks=CHUNKS)


def test_what_is_near_or_plain_is_a_warning_with_the_value_of_its_row_and_what_is_alone_is_none():
    result = result_of("The Business plan costs €159. In all that comes to €777.", CONTEXT)
    near, alone = (one for one in result.findings if one.check == "unsupported_price")
    assert (near.severity, near.value, near.nearest.value) == ("warning", "€159", "€149")
    assert (alone.severity, alone.value) == ("info", "€777")


def test_a_column_tells_the_period_of_its_cells():
    assert check_text("Basic is €49 a month.", context=CONTEXT).status == "PASS"
    (finding,) = [
        one
        for one in check_text("Basic is €49 a year.", context=CONTEXT).findings
        if one.severity == "warning"
    ]
    assert finding.message == "“€49 a year”; the passage says “Basic | €49 | €20” (C1)."
    assert check_text("The setup of Basic is €20 a month.", context=CONTEXT).status == "PASS"
    once = Context(
        chunks=["| Plan | Fee/year |\n|---|---|\n| Basic | €20 one-time |\n| Pro | €9 a week |"]
    )
    assert check_text("Pro is €9 a week.", context=once).status == "PASS"


def test_what_follows_from_values_of_the_answer_that_no_passage_has_is_alone():
    source = index(*CHUNKS).source
    compared = Comparing(source, ())
    for sentence, found in (
        ("One lesson is €75.50 and the other €71.10.", ["plain", "plain"]),
        ("So the difference is €4.30.", ["near"]),
        ("So the difference is €4.40.", ["alone"]),
    ):
        edits = compared.edits(sentence, read_anchors(sentence))
        assert [one.standing for one in edits if one.group == "value"] == found


def test_beside_amounts_a_bare_figure_counts_something_else():
    rows = "| Stage | Lessons | Price |\n|---|---|---|\n| One | 8 | €77 |\n| Two | 6.30 | €82 |"
    bare = "| Stage | Price |\n|---|---|\n| One | 8 |\n| Two | 6 |"
    for chunk, sentence, found in (
        (rows, "Stage One, then, is €7.50 in all.", "alone"),
        (rows, "Stage Two, then, is €6.20 in all.", "near"),
        (bare, "Stage One, then, is €7.50 in all.", "near"),
    ):
        compared = Comparing(index(chunk).source, ())
        edits = compared.edits(sentence, read_anchors(sentence))
        (edit,) = [one for one in edits if sentence[one.start] == "€"]
        assert edit.standing == found, sentence


def test_amounts_of_different_scales_are_compared_by_what_they_are_worth():
    cents, dollar = read_anchors("90 cents")[0], read_anchors("$1")[0]
    assert is_near(cents, dollar)
    assert not is_near(read_anchors("$90.50")[0], cents)


def told_of(sentence, passage):
    """Return each value of the sentence with how it stands to the passage."""
    edits = Comparing(index(passage).source, ()).edits(sentence, read_anchors(sentence))
    return [(sentence[one.start : one.end], one.standing) for one in edits if one.group == "value"]


@pytest.mark.parametrize(
    ("second", "expected"),
    [("42 %", "reckoned"), ("42 voters", "alone"), ("42", "alone")],
)
def test_percentage_points_are_how_far_apart_two_percentages_are(second, expected):
    passage = f"Turnout was 45 % in the first poll and {second} in the second."
    assert told_of("Turnout fell by 3 percentage points.", passage) == [
        ("3 percentage points", expected)
    ]


def test_a_part_of_all_behind_a_bound_stands_in_no_others_place():
    passage = "Three quarters of the members agree."
    assert told_of("Two thirds of the members agree.", passage) == [("Two thirds", "near")]
    assert told_of("At least two thirds of the members agree.", passage) == [
        ("two thirds", "casual")
    ]


@pytest.mark.parametrize("passage", ["The plot is 20 by 35 m.", "The plot is 20 m by 35 m."])
def test_the_second_side_of_a_size_is_no_step(passage):
    assert told_of("The plot is 20 m by 45 m.", passage)[1] == ("45 m", "near")
    assert told_of("Plot prices rose by 45 m.", passage) == [("45 m", "alone")]
