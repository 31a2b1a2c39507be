"""What kind of thing a question asks for, and which passages tell one."""

from streamguard.rag.asking import sought_by
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


TOLD = (
    "How much does boarding a dog cost?",
    "What's the price for a dog a night?",
    "Who is asked at the desk?",
    "When is pick-up?",
    "By when is pick-up over?",
    "How long may dogs stay?",
    "How many walks are included?",
    "How many weeks can they stay?",
    "How many people fit into North?",  # people are counted in other words, too
)
NOT_TOLD = (
    "How much are leads?",  # lent, at no price that is told
    "Who lends leads?",
    "When are ladders lent?",
    "How many dogs are there?",  # 42 are dollars
    "How old are ladders?",
)
# Many questions ask for nothing that can be told apart.
ANYTHING = (
    "Can I bring my cat?", "How do I book a walk?", "Who can I ask?", "What is included?", "",
)  # fmt: skip


def test_a_passage_tells_what_is_asked_for_where_it_speaks_of_it():
    assert [question for question in TOLD if not tells(question)] == []
    assert tells("How long is the pause?", "Pause: 30 minutes")
    assert [question for question in NOT_TOLD if tells(question)] == []
    vocabulary = Vocabulary(terms_of(PASSAGE))
    assert [question for question in ANYTHING if sought_by(question, vocabulary)] == []
