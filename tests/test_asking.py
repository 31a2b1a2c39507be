"""What kind of thing a question asks for, and which passages tell one."""

import pytest

from streamguard.rag.asking import sought_by
from streamguard.rag.lexical import LexicalIndex
from streamguard.rag.wording import Vocabulary, terms_of

PASSAGE = """# Boarding

Dogs board for $42 a night. Ask Priya Nair at the desk. Two walks a day are included.
Pick-up ends at 1 p.m. on Saturdays; dogs stay up to three weeks.

| Room | Places |
|---|---|
| North | 14 |

- no ladders
- leads are lent"""


def tells(question, text=PASSAGE):
    vocabulary = Vocabulary(terms_of(text))
    sought = sought_by(question, vocabulary)
    assert sought is not None
    return sought.is_told(text, [(word, word.weight) for word in vocabulary.asked(question)])


@pytest.mark.parametrize(
    "question",
    [
        "How much does boarding a dog cost?",
        "What's the price for a dog a night?",
        "Who is asked at the desk?",
        "When is pick-up?",
        "By when is pick-up over?",
        "How long may dogs stay?",
        "How many walks are included?",
        "How many weeks can they stay?",
        "How many people fit into North?",  # people are counted in other words, too
    ],
)
def test_a_passage_tells_what_is_asked_for_where_it_speaks_of_it(question):
    assert tells(question)


@pytest.mark.parametrize(
    "question",
    [
        "How much are leads?",  # lent, at no price that is told
        "Who lends leads?",
        "When are ladders lent?",
        "How many dogs are there?",  # 42 are dollars
        "How old are ladders?",
    ],
)
def test_another_kind_of_thing_in_the_passage_does_not_count(question):
    assert not tells(question)


@pytest.mark.parametrize(
    "question",
    ["Can I bring my cat?", "How do I book a walk?", "Who can I ask?", "What is included?", ""],
)
def test_many_questions_ask_for_nothing_that_can_be_told_apart(question):
    assert sought_by(question, Vocabulary(terms_of(PASSAGE))) is None


def test_a_text_of_one_line_is_no_heading_of_nothing():
    assert tells("How long is the pause?", "Pause: 30 minutes")


def test_a_passage_that_tells_it_is_nearer_than_one_that_only_speaks_of_it():
    texts = ["The hall can be rented by clubs.", "The hall is rented for $40 by clubs."]
    found = LexicalIndex(texts).similarities("How much does it cost to rent the hall?")
    assert found[0] < 0.7 * found[1]


def test_words_that_only_ask_are_given_to_every_passage():
    index = LexicalIndex(["The sauna is hot.", "Parking is free."])
    ((_, much),) = index.nearest("Where do I go to find the sauna?", 1)
    ((_, little),) = index.nearest("Where do I go to find the sauna in Peru?", 1)
    assert little < much
    assert much > 0.5


def test_a_question_of_asking_words_alone_is_held_by_what_holds_them():
    index = LexicalIndex(["We meet every day.", "Parking is free."])
    assert [passage for passage, _ in index.nearest("What day is it?", 5)] == [0]
