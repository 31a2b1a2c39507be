import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.credits import credits_in
from tests.answers import result_of

GARDEN = (
    "Tomatoes need six hours of sun a day. Water them at the roots every morning.",
    "Basil grows well beside tomatoes and keeps white flies away from them.",
    "Pruning the side shoots in June gives larger fruit. Use clean scissors for it.",
)


def numbers(text):
    return [credit.numbers for credit in credits_in(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Water them daily (Passage 2).", [(2,)]),
        ("Passage 1 states that it rains.", [(1,)]),
        ("As PASSAGES 1 and 3 say, it rains.", [(1, 3)]),
        ("It rains (passages 1, 2 and 3).", [(1, 2, 3)]),
        ("It rains (Passage 1 & Passage 3).", [(1, 3)]),
        ("It rains (passage #2).", [(2,)]),
        ("It rains (excerpt no. 4).", [(4,)]),
        ("Follow passages 2-4.", [(2, 3, 4)]),
        ("According to the second passage, it rains.", [(2,)]),
        ("The third retrieved document says so.", [(3,)]),
        ("Source 3 says so, document 1 does not.", [(3,), (1,)]),
        ("According to passage 1, 10 minutes are enough.", [(1,)]),
        ("According to passage 1, 3, it rains.", [(1, 3)]),
        ("The passage says so.", []),
        ("A rite of passage at 13 years.", []),
        ("A passage 2.5 m wide leads out.", []),
        ("A passage 20% wider.", []),
        ("The first answer is right.", []),
        ("Resources 2 and 3 are free.", []),
        ("It rains.", []),
    ],
)
def test_credits_are_read_from_words(text, found):
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Passage 2 provides a recipe.", True),
        ("Passage 2 also discusses soil.", True),
        ("The third passage does not mention it.", True),
        ("Passage 1 is about birds.", True),
        ("This is similar to passage 1.", True),
        ("Follow the recipe provided in passage 2.", True),
        ("The same process as passage 2.", True),
        ("Passage 2 says that it rains.", False),
        ("It rains, as passage 2 mentions.", False),
        ("It rains (passage 2).", False),
    ],
)
def test_words_that_describe_a_passage_are_told_apart(text, about):
    assert [credit.about for credit in credits_in(text)] == [about]


@given(
    st.lists(st.sampled_from(["passage", " ", "2", ",", "and", "second ", "-", "("]), max_size=30)
)
def test_credits_lie_in_order_inside_the_text(parts):
    text = "".join(parts)
    ends = [0]
    for credit in credits_in(text):
        assert ends[-1] <= credit.start < credit.end <= len(text)
        ends.append(credit.end)


def mismatches(answer, chunks=GARDEN, **changes):
    result = result_of(answer, Context(chunks=chunks, **changes))
    return [f for f in result.findings if f.check == "credited_passage"]


@pytest.mark.parametrize(
    ("answer", "value", "passage"),
    [
        ("Basil keeps white flies away from tomatoes (Passage 1).", "Passage 1", 2),
        ("Passage 3 says that basil grows well beside tomatoes.", "Passage 3", 2),
        ("The first passage says that pruning side shoots gives fruit.", "first passage", 3),
        ("Pruning side shoots gives larger fruit (passages 1 and 2).", "passages 1 and 2", 3),
        ("As source 2 says, tomatoes need six hours of sun a day.", "source 2", 1),
    ],
)  # fmt: skip
def test_a_passage_credited_for_what_another_holds_is_a_mismatch(answer, value, passage):
    (finding,) = mismatches(answer)
    assert (finding.flag, finding.severity, finding.value) == (
        "citation_mismatch",
        "warning",
        value,
    )
    assert finding.nearest.chunk_id == f"C{passage}"
    assert finding.nearest.value in GARDEN[passage - 1]
    assert finding.message == f"Check this: passage {passage} holds it, the one named does not."


@pytest.mark.parametrize(
    "answer",
    [
        "Basil keeps white flies away from tomatoes (Passage 2).",
        "Basil keeps white flies away from tomatoes (passages 1 and 2).",
        "Basil keeps white flies away from tomatoes (Passage 1) [C2].",
        "Basil keeps white flies away from tomatoes.",
        "Passage 1 provides nothing on basil beside tomatoes and white flies.",
        "Unlike passage 1, basil keeps white flies away from tomatoes.",
        "Penguins live in the far south, where it is cold (Passage 1).",
        "Basil grows (Passage 1).",
        "According to source 40, basil keeps white flies away from tomatoes.",
        "```\nBasil keeps white flies away from tomatoes (Passage 1).\n```\n",
    ],
)
def test_right_credits_and_talk_about_passages_are_left_alone(answer):
    assert mismatches(answer) == []


def test_a_passage_that_holds_nearly_as_much_is_no_mismatch():
    chunks = (
        "Basil keeps white flies away from roses.",
        "Basil keeps white flies away from tomatoes.",
    )
    assert mismatches("Basil keeps white flies away from tomatoes (Passage 1).", chunks) == []


def test_a_passage_that_was_never_retrieved_is_unknown():
    (finding,) = mismatches("Penguins live in the far south (Passage 7).")
    assert (finding.flag, finding.value) == ("citation_unknown", "Passage 7")
    assert finding.message == "There is no passage 7; 3 were retrieved."


def test_sources_that_number_passages_themselves_are_left_alone():
    chunks = ("Passage 2 of the test is about whales.", "Whales sing under water at night.")
    assert mismatches("Whales sing under water at night (Passage 1).", chunks) == []


@pytest.mark.parametrize("chunks", [None, ()])
def test_without_chunks_nobody_is_credited_wrongly(chunks):
    found = mismatches("Whales sing under water at night (Passage 1).", chunks)
    assert [f.flag for f in found] == ([] if chunks is None else ["citation_unknown"])
