"""Where an answer says something else than its passages: slots, rivals, marks, and bounded work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Question
from streamguard.core.derive.reckoning import Reckoning
from streamguard.core.facts import marked, nearby
from streamguard.core.facts.comparing import Comparing
from streamguard.core.facts.model import FIGURES
from streamguard.core.facts.nearby import MOST_PLACES, MOST_VALUES
from streamguard.core.facts.reckonable import MOST_SOLVED
from streamguard.core.facts.said import MAX_COMPARED, NEAREST
from streamguard.core.facts.source import Likeness
from streamguard.values import read_anchors
from tests.test_evidence import index

BASIC = "The Basic plan costs $49 per month."
PRO = "The Pro plan costs $99 per month."
REFUNDS = "Refunds are paid within 14 days of the order."


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


# --- values


def test_another_period_of_a_figure_follows_exactly_or_not_at_all():
    wrong = edit_of("The Basic plan costs $49 per year.", "$49 per year", BASIC, PRO)
    assert wrong.derivation is None  # though half of $99 is nearly $49
    other = edit_of("Basic costs $49 per year.", "$49 per year", BASIC, "Pro costs $588 per year.")
    assert other.derivation is None  # a twelfth of what is per year is per month
    parts = "Lite costs $40 per year, its add-on $9 per year."
    right = edit_of("Lite costs $49 per year in total.", "$49 per year", BASIC, parts)
    assert right.derivation is not None
    assert right.standing == "reckoned"
    plain = edit_of("Basic costs $49 per year.", "$49 per year", BASIC, parts)
    assert plain.standing == "otherwise"  # no word announces a sum
    hours = edit_of("Refunds are paid within 14 hours.", "14 hours", REFUNDS)
    assert hours.derivation is None  # 14 days ÷ 24 only undoes the unit


def test_a_value_does_not_follow_from_itself():
    edit = edit_of("So $57 it is, yes, $58.", "$57", "It is old.", before=("Say $57.",))
    assert edit.derivation is None


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
            assert -1.0 <= edit.lead <= 1.0


LISTED = " ".join(f"{number}," for number in range(100, 480))
HELD = "Codes: " + ", ".join(str(number) for number in range(300, 500)) + "."
HOSTILE = {
    "amounts with bars": ("$1 / $1 / " * 200, ["$1 / $1 / " * 200]),
    "listed numbers": (LISTED, ["Codes run from 100 to 900 for all rooms."] * 5),
    "numbers that a passage holds": (HELD, [HELD] * 3),
    "clauses": ("a cat, a dog, " * 140, ["a cat, a dog, " * 140] * 4),
    "names": ("Aa Bb " * 330, ["Aa Bb " * 330] * 4),
    "values all over the passages": (LISTED, [f"Room {n} has {n * 7}." for n in range(1000)]),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_work_for_a_hostile_sentence_is_bounded_by_counts(name, monkeypatch):
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
    count(nearby, "agree")
    count(Reckoning, "of")
    compared = comparing(*chunks, question=sentence * 5)
    compared.edits(sentence[:2000], read_anchors(sentence[:2000]))
    places, clauses = MOST_PLACES, NEAREST * (marked.MOST_CLAUSES + 2)
    assert counts.get("of", 0) <= MOST_SOLVED
    assert counts.get("at", 0) <= MAX_COMPARED * 3 * places
    assert counts.get("weight_of", 0) <= MAX_COMPARED * clauses
    assert counts.get("agree", 0) <= MAX_COMPARED * (MOST_VALUES + NEAREST * places)
    assert len(compared._question.slots) <= 4 * MAX_COMPARED
