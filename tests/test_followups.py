"""Follow-up questions: which lean on the one before, and what is searched for then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Retrieval
from streamguard.rag.followups import is_follow_up, searched_for
from streamguard.rag.prompts import build_prompt

VACATION = "What are the vacation days?"
BASIC = "What does the Basic account cost per month?"


def said(*questions):
    """The messages of a conversation in which these were asked."""
    return [
        message
        for question in questions
        for message in (
            {"role": "user", "content": question},
            {"role": "assistant", "content": "Something about it and for them."},
        )
    ]


@pytest.mark.parametrize(
    "question",
    [VACATION, BASIC, "What is the capital of France?", "And what is the capital of France?",
     "Then how do I configure the API?", "Tell me about quantum computing",
     "How do I configure the API?", "In which country do I pay taxes?", "Gold account price",
     "Vacation?", "Is it possible to cancel a card?",
     "How long does it take until a new card arrives?", "Andorra tax rules", "Format of a key",
     "Why does the API answer 429?",
     f"How do I order a new card, {'and if I lost it, ' * 5} what do I do about it?"],
)  # fmt: skip
def test_a_question_of_its_own_is_searched_for_alone(question):
    assert not is_follow_up(question)
    assert searched_for(question, said(BASIC)) == question


def test_a_follow_up_follows_the_last_question_that_stands_by_itself():
    assert searched_for("And for part-timers?") == "And for part-timers?"
    only_answers = [{"role": "assistant", "content": VACATION}]
    assert searched_for("And for part-timers?", only_answers) == "And for part-timers?"
    more = "And for part-timers?"
    rows = [
        (more, (BASIC, VACATION), VACATION),
        (more, (VACATION, "Hello", "What documents do you have?"), VACATION),
        ("And in winter?", (BASIC, VACATION, more, "Why?"), VACATION),
        ("Why?", (more, "And in winter?"), more),  # where none does, the first
    ]
    for question, earlier, followed in rows:
        assert searched_for(question, said(*earlier)) == f"{followed} {question}"


def test_the_answer_is_checked_against_what_was_searched_for():
    prompt = build_prompt("And for part-timers?", Retrieval(), Policy(), said(VACATION))
    assert prompt.context.query == f"{VACATION} And for part-timers?"
    assert prompt.messages[-1]["content"].endswith("\n\nQuestion: And for part-timers?")


@given(st.text(max_size=200), st.lists(st.text(max_size=50), max_size=5))
def test_whatever_is_asked_it_is_searched_for_at_the_end_of_itself(question, earlier):
    found = searched_for(question, said(*earlier))
    assert found.endswith(question)
    assert found == searched_for(question, said(*earlier))
    assert len(found) <= len(question) + max(map(len, earlier), default=0) + 1
