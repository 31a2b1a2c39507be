import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamguard.core.anchors import read_anchors
from streamguard.core.conflicts.agents import agents_in
from streamguard.core.conflicts.reading import read
from streamguard.core.context import Context
from streamguard.core.validate import check_text
from tests import agent_cases as cases
from tests.answers import result_of


def seen(answer, *chunks):
    """Return words and nearest evidence of what was found, the same under every split."""
    result = result_of(answer, Context(chunks=chunks))
    assert result.errors == ()
    found = [finding for finding in result.findings if finding.check == "other_agent"]
    assert all(finding.flag == "contradicted_claim" for finding in found)
    return [(finding.value, finding.nearest.value) for finding in found]


@pytest.mark.parametrize(("chunk", "answer", "words", "nearest"), cases.ANOTHER)
def test_another_one_than_the_only_one_told_is_a_conflict(chunk, answer, words, nearest):
    assert seen(answer, chunk) == [(words, nearest)]


@pytest.mark.parametrize(("chunk", "answer"), cases.JUST_SO)
def test_who_is_told_so_or_may_be_the_same_is_none(chunk, answer):
    assert seen(answer, chunk) == []


def test_what_another_passage_says_of_the_agent_is_none():
    told = "The audit council has Otto Stein, who chaired it in May."
    answer = "The audit council is chaired by Otto Stein."
    assert seen(answer, cases.COUNCIL) == [("Otto Stein", "Prof. Dr. Helga Brandt")]
    assert seen(answer, cases.COUNCIL, told) == []


def test_a_label_of_something_else_is_none():
    notes = "Archive notes. All are old.\nKeys are in the drawer.\nIt is dry.\nOwner: Red Crew\n"
    assert seen("The owner of the ledger is Blue Crew.", notes, "The ledger and Blue Crew.") == []


def agents(text, *, labels):
    reading = read(text, read_anchors(text))
    return [
        (
            sorted(each.act),
            text[reading.spans[each.first][0] : reading.spans[each.end - 1][1]],
            sorted(each.subject),
        )
        for each in agents_in(reading, labels=labels)
    ]


@pytest.mark.parametrize(
    ("text", "labels", "found"),
    [
        ("Owner: Team Falcon (chat)", True, [(["own"], "Team Falcon", [])]),
        (
            "Lead: Ann Ode, moderator: Tom Reh",
            True,
            [(["lead"], "Ann Ode", []), (["moderat"], "Tom Reh", [])],
        ),
        ("Note: Ann Ode came late.", True, []),
        ("Open: 9 to 5.", True, []),
        (": Ann Ode", True, []),
        ("It is: Ann Ode", True, []),
        ("The head of the mill is Ann Ode.", False, [(["head"], "Ann Ode", ["mill"])]),
        ("The mill's head is Ann Ode, a baker.", False, [(["head"], "Ann Ode", ["mill"])]),
        ("Ann Ode is the head of the mill.", False, [(["head"], "Ann Ode", ["mill"])]),
        ("The head is Ann Ode Street behind.", False, []),
        ("Is Ann Ode the head?", False, []),
        ("Here it is", False, []),
        ("Ann Ode is the of all.", False, []),
        ("So It is the mill.", False, []),
        ("It was lit by Ann Ode and Tom Reh at 9.", True, [(["lit"], "Ann Ode and Tom Reh", [])]),
        ("A mill built by the town of Alder.", True, []),
        ("A mill painted by the town of Alder.", True, [(["paint"], "town of Alder", ["mill"])]),
    ],
)
def test_agents_are_read_with_their_acts(text, labels, found):
    assert agents(text, labels=labels) == found


WORDS = st.sampled_from(
    "Ann|Ode|Dr.|was|is|by|the|owner|owned|out|of|mill|and|:|;|,|.|chair|team|in|at|9|'s|\n".split(
        "|"
    )
)
TEXTS = st.lists(WORDS, max_size=30).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_no_text_breaks_the_search(answer, chunk):
    result = check_text(answer, context=Context(chunks=(chunk, cases.COUNCIL)))
    assert result.errors == ()


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_an_answer_in_the_words_of_its_only_chunk_has_no_other_agent(text):
    result = check_text(text, context=Context(chunks=(text,)))
    assert [finding for finding in result.findings if finding.check == "other_agent"] == []
