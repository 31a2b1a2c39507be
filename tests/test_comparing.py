"""Where an answer says something else than its passages: slots, rivals, marks, and bounded work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.facts import marked, valued
from streamguard.core.facts.comparing import Comparing
from streamguard.core.facts.model import FIGURES, probability, risk_of
from streamguard.core.facts.said import MAX_COMPARED, NEAREST
from streamguard.core.facts.source import Likeness
from streamguard.core.facts.weights import LINES
from streamguard.core.question import Question
from streamguard.core.validate import check_text
from streamguard.values import read_anchors
from tests.answers import PLANS
from tests.test_evidence import index

BASIC = "The Basic plan costs $49 per month."
PRO = "The Pro plan costs $99 per month."
REFUNDS = "Refunds are paid within 14 days of the order."
PASSWORDS = "Passwords expire after 30 days."


def comparing(*chunks, question=""):
    return Comparing(index(*chunks).source, Question(question).slots)


def edits_of(sentence, *chunks, question="", before=()):
    """Return the edits of a sentence; those `before` it were compared first."""
    compared = comparing(*chunks, question=question)
    for text in before:
        compared.edits(text, read_anchors(text))
    return compared.edits(sentence, read_anchors(sentence))


def edit_of(sentence, said, *chunks, **arguments):
    """Return the edit of the slot that says so."""
    edits = edits_of(sentence, *chunks, **arguments)
    (edit,) = [
        one
        for one in edits
        if one.group != "exchange" and one.slot and sentence[one.start : one.end] == said
    ]
    return edit


def figures(edit):
    return dict(zip(FIGURES[edit.group], edit.figures, strict=True))


def marks_of(sentence, group, *chunks):
    return [one for one in edits_of(sentence, *chunks) if one.group == group]


# --- values


@pytest.mark.parametrize(
    ("swapped", "right", "said", "chunks"),
    [
        ("Basic costs $99 per month.", "Pro costs $99 per month.", "$99 per month", (BASIC, PRO)),
        ("Refunds are paid within 30 days.", "Passwords expire after 30 days.", "30 days",
         (REFUNDS, PASSWORDS)),
        ("Pro costs $49.", "Basic costs $49.", "$49",
         ("| Plan | Price |\n|---|---|\n| Basic | $49 |\n| Pro | $99 |",)),
        ("The pool opens at 9:00.", "The sauna opens at 9:00.", "9:00",
         ("The pool opens at 7:00. The sauna opens at 9:00.",)),
        ("Order 12 shipped on 3 May 2024.", "Order 15 shipped on 3 May 2024.", "3 May 2024",
         ("Order 12 shipped on 1 May 2024.", "Order 15 shipped on 3 May 2024.")),
    ],
)  # fmt: skip
def test_a_swapped_value_has_a_rival_in_a_better_place_and_its_right_twin_has_none(
    swapped, right, said, chunks
):
    wrong, fine = (figures(edit_of(text, said, *chunks)) for text in (swapped, right))
    assert wrong["margin"] > 0 > fine["margin"]
    risks = [edit_of(text, said, *chunks).risk for text in (swapped, right)]
    assert risks[0] > risks[1]


@pytest.mark.parametrize(
    ("text", "said", "rival"),
    [
        ("The Basic plan costs $49 per year.", "$49 per year", "$49 per month"),
        ("Refunds are paid within 14 hours.", "14 hours", "14 days"),
        ("The Basic plan costs €49 per month.", "€49 per month", "$49 per month"),
    ],
)
def test_a_figure_with_another_unit_or_period_differs_and_is_laid_beside_its_own(text, said, rival):
    source = index(BASIC, PRO, REFUNDS, PASSWORDS).source
    (edit,) = [
        one
        for one in Comparing(source, ()).edits(text, read_anchors(text))
        if text[one.start : one.end] == said
    ]
    assert (edit.absent, edit.unit_differs) == (True, True)
    assert source.anchors.get(edit.rival).text == rival


def test_another_period_of_a_figure_follows_exactly_or_not_at_all():
    wrong = edit_of("The Basic plan costs $49 per year.", "$49 per year", BASIC, PRO)
    assert wrong.derivation is None  # though half of $99 is nearly $49
    other = edit_of("Basic costs $49 per year.", "$49 per year", BASIC, "Pro costs $588 per year.")
    assert other.derivation is None  # a twelfth of what is per year is per month
    parts = "Lite costs $40 per year, its add-on $9 per year."
    right = edit_of("Basic costs $49 per year.", "$49 per year", BASIC, parts)
    assert right.derivation is not None
    hours = edit_of("Refunds are paid within 14 hours.", "14 hours", REFUNDS)
    assert hours.derivation is None  # 14 days ÷ 24 only undoes the unit


@pytest.mark.parametrize(
    ("said", "chunk"),
    [
        ("once an hour", "Calendars are polled hourly."),
        ("once a day", "Sieves are checked daily."),
        ("two weeks", "Gates are checked every fortnight."),
        ("three months", "Hoses are cleaned quarterly."),
        ("12 months", "The plan is billed annually."),
        ("50%", "After that the charge is halved."),
        ("6:30 p.m.", "Doors open at half past six."),
    ],
)
def test_a_value_that_a_passage_says_in_words_is_not_absent(said, chunk):
    assert not edit_of(f"It happens at {said} here.", said, chunk).absent
    assert edit_of(f"It happens at {said} here.", said, "Whales sing.").absent


def test_a_value_does_not_follow_from_itself():
    edit = edit_of("So $57 it is, yes, $58.", "$57", "It is old.", before=("Say $57.",))
    assert edit.derivation is None


@pytest.mark.parametrize(
    ("text", "said", "chunk", "absent"),
    [
        ("It ends on 5 March.", "5 March", "It ends on 5 March 2024.", False),
        ("It ends on 5 March 2024.", "5 March 2024", "It ends on 5 March.", False),
        ("It ends on 6 March.", "6 March", "It ends on 5 March 2024.", True),
        ("It ends on 5 March 2023.", "5 March 2023", "It ends on 5 March 2024.", True),
    ],
)
def test_a_day_without_its_year_is_the_same_day(text, said, chunk, absent):
    assert edit_of(text, said, chunk).absent is absent


def test_only_so_many_values_of_a_sentence_are_compared():
    text = " ".join(f"${100 + number}," for number in range(MAX_COMPARED + 9))
    edits = edits_of(text, BASIC)
    assert sum(edit.group == "value" for edit in edits) == MAX_COMPARED


# --- names


def test_what_the_question_holds_is_asked():
    question = "Is the Basic plan $57 per month?"
    edit = edit_of("Basic is $57 per month.", "$57 per month", BASIC, question=question)
    assert edit.asked
    assert figures(edit)["absent_asked"] == 1
    edit = edit_of("Ask old Zorro now.", "Zorro", BASIC, question="Who is Mr Zorro?")
    assert (edit.absent, edit.asked) == (True, True)


# --- marks


@pytest.mark.parametrize(
    ("group", "right", "wrong", "chunk"),
    [
        ("polarity", "Guests may use the pool but not the sauna.",
         "Guests may not use the pool but the sauna.", "Guests may use the pool, never the sauna."),
        ("polarity", "Refunds are never paid in cash.", "Refunds are paid in cash.",
         "Refunds are not paid in cash."),
        ("modal", "Visitors must wear a badge.", "Visitors may wear a badge.",
         "Visitors must wear a badge."),
        ("modal", "Visitors should wear a badge.", "Visitors must wear a badge.",
         "It is recommended that visitors wear a badge."),
        ("quantifier", "Most rooms have a balcony.", "All rooms have a balcony.",
         "Most rooms have a balcony."),
    ],
)  # fmt: skip
def test_a_changed_mark_stands_against_its_place(group, right, wrong, chunk):
    fine, off = (marks_of(text, group, chunk) for text in (right, wrong))
    assert off[0].risk > max((edit.risk for edit in fine), default=-10.0)


def test_marks_are_compared_where_a_clause_or_a_near_one_has_them():
    edits = edits_of("Guests swim, members do not pay, and never.", "Guests swim.")
    assert [edit.group for edit in edits] == ["polarity"]
    edits = edits_of("Guests swim, members pay.", "All guests must swim.")
    assert [edit.group for edit in edits] == ["modal", "quantifier"] * 2
    assert not edits_of("Guests swim, members pay.", "Guests swim.")


# --- what came before


def test_a_row_or_an_elliptic_sentence_is_compared_beside_its_label_or_the_one_before():
    table = "| Plan | Not all | Price |\n|---|---|---|\n| Basic | no | $49 |\n| Pro | no | $99 |"
    assert figures(edit_of("| Pro | $49 |", "$49", table))["margin"] > 0
    chunks = (BASIC, PRO)
    after_pro, after_basic = (
        figures(edit_of("It costs $49.", "$49", *chunks, before=(before,)))
        for before in ("Take the Pro plan, all of it.", "Take the Basic plan.")
    )
    assert after_pro["margin"] > 0 > after_basic["margin"]


# --- the model


@pytest.mark.parametrize("group", FIGURES)
def test_every_figure_has_its_weight(group):
    assert tuple(row[0] for row in LINES[group][1]) == FIGURES[group]


@pytest.mark.parametrize("group", FIGURES)
def test_a_figure_beyond_its_range_in_training_counts_as_its_end(group):
    rows = LINES[group][1]
    most = [row[2] for row in rows]
    assert risk_of(group, [value + 9 for value in most]) == risk_of(group, most)


# --- laws

WORDS = """
    Basic Pro plan costs $49 $99 per month year not may must all some , . and | 14 days 5 March 2024
    9:00 Jane Miller refunds 20% 3 to 5 : never order
""".split()


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join), max_size=4))
def test_any_sentences_are_compared_and_edits_lie_in_them(sentences):
    compared = comparing(BASIC, PRO, REFUNDS, "| Plan | Price |\n| Basic | $49 |")
    for text in sentences:
        for edit in compared.edits(text, read_anchors(text)):
            assert 0 <= edit.start < edit.end <= len(text)
            assert len(edit.figures) == len(FIGURES[edit.group])
            assert 0.0 <= probability(edit.risk) <= 1.0


FLAGGED = [
    "The Basic plan costs $59 per month.",
    "The Basic plan costs $49 per year.",
    "Refunds are paid within 24 days of the order.",
    "Refunds are approved by John Smith.",
    "The Pro plan does not cost $99 per month.",
]
OFF_TOPIC = [
    "Whales sing below the ice.",
    "# Whales\n\nThey sing; some of them weigh 90,000 kg and live 80 weeks at sea.",
    "| Whale | Song |\n|---|---|\n| Blue | deep |",
    "Whales never sing. All of them must breathe.",
]


@pytest.mark.parametrize("answer", FLAGGED)
@pytest.mark.parametrize("added", OFF_TOPIC)
def test_an_off_topic_passage_never_removes_a_finding(answer, added):
    def found(*more):
        """Return the warnings, and which sentences something is told of, by whatever name."""
        context = Context(query="What does it cost?", chunks=[*PLANS, *more])
        result = check_text(answer, context=context)
        warned = {(f.check, f.value) for f in result.findings if f.severity == "warning"}
        told = {n for n, sentence in enumerate(result.sentences) if sentence.findings}
        return warned, told

    warned, told = found()
    assert told
    for more in ([added], [added, *OFF_TOPIC]):
        still_warned, still_told = found(*more)
        assert warned <= still_warned
        assert told <= still_told


LISTED = " ".join(f"{number}," for number in range(100, 480))
HELD = "Codes: " + ", ".join(str(number) for number in range(300, 500)) + "."
HOSTILE = {
    "amounts with bars": ("$1 / $1 / " * 200, ["$1 / $1 / " * 200]),
    "listed numbers": (LISTED, ["Codes run from 100 to 900 for all rooms."] * 5),
    "numbers that a passage holds": (HELD, [HELD] * 3),
    "clauses": ("a cat, a dog, " * 140, ["a cat, a dog, " * 140] * 4),
    "names": ("Aa Bb " * 330, ["Aa Bb " * 330] * 4),
    "values all over the passages": (LISTED, [f"Room {n} has {n * 7}." for n in range(3000)]),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("asked", [False, True])
def test_the_work_for_a_hostile_sentence_is_bounded_by_counts(name, asked, monkeypatch):
    sentence, chunks = HOSTILE[name]
    counts = {}

    def count(owner, function):
        real = getattr(owner, function)

        def counted(*arguments):
            counts[function] = counts.get(function, 0) + 1
            return real(*arguments)

        monkeypatch.setattr(owner, function, counted)

    count(Likeness, "at")
    count(marked, "weight_of")
    count(valued, "agree")
    count(valued, "derive_from")
    question = sentence * 5 if asked else "What is it?"
    compared = comparing(*chunks, question=question)
    compared.edits(sentence[:2000], read_anchors(sentence[:2000]))
    places, clauses = valued._MOST_PLACES, NEAREST * (marked.MOST_CLAUSES + 2)
    assert counts.get("derive_from", 0) <= valued._MOST_SOLVED
    assert counts.get("at", 0) <= MAX_COMPARED * 3 * places
    assert counts.get("weight_of", 0) <= MAX_COMPARED * clauses
    assert counts.get("agree", 0) <= MAX_COMPARED * (valued._MOST_VALUES + NEAREST * places)
    assert len(compared._question) <= 4 * MAX_COMPARED
