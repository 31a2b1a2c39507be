"""Follow-up questions: which lean on the one before, and what is searched for then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Retrieval
from streamguard.rag.asking import parts_of, sought_by
from streamguard.rag.folder import in_memory
from streamguard.rag.followups import is_follow_up, searched_for
from streamguard.rag.gate import assess, policy_for
from streamguard.rag.lexical import LexicalIndex
from streamguard.rag.prompts import build_prompt
from streamguard.rag.starting import starting_questions
from streamguard.rag.wording import Vocabulary, terms_of
from tests.kit.tables import differing

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


# --- first questions, made from the headings of the documents


DOCUMENTS = {
    "holidays.md": ["Time off > Holidays\nEach of us has 27 days of leave."],
    "notes.txt": ["Nobody reads this. It has no heading."],
    "pay.md": ["Pay day\nPay day is the 25th."],
    "sick.md": ["When you are ill\nCall the planner."],
    "travel.md": ["Travel\nTrains are second class."],
}


def starting(documents, count=3):
    store = in_memory(documents)
    names = ["documents"]
    policy = policy_for(Policy(), store.metric(names), store.levels(names))
    found = starting_questions(store, names, policy, count)
    for question in found:
        assert assess(store.query(names, question, 6), policy).is_answerable
    store.close()
    return found


def test_headings_of_different_documents_become_questions_the_gate_answers_once_each():
    assert starting(DOCUMENTS) == [
        "What should I know about “Holidays”?",
        "What should I know about “Pay day”?",
        "What should I know about “When you are ill”?",
    ]
    same = {f"pay-{n}.md": ["Pay day\nPay day is the 25th."] for n in range(4)}
    assert starting(same) == ["What should I know about “Pay day”?"]


def test_a_line_that_labels_a_value_is_no_heading():
    assert starting({"names.txt": ["Manager: Ann Bo\nPhone: 0800 555"]}) == []


# --- what kind of thing a question asks for, and which passages tell one


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
    return sought.is_stated(text, [(word, word.weight) for word in vocabulary.asked(question)])


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
    "Which days end at 1 p.m.?",
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


def test_a_kind_is_stated_by_its_own_units_only():
    rows = [
        ("How loud is the winch?", "The winch runs at 95 dB.", True),
        ("How loud is the winch?", "The winch has 240 hp.", False),
        ("How deep is the pool?", "The pool is 1.8 m deep.", True),
        ("How deep is the pool?", "The pool has 24 lanes.", False),
        ("How heavy may a bag be?", "A bag weighs 20 to 23 kg at most.", True),
        ("How heavy may a bag be?", "A bag costs 23 euros.", False),
        ("How hot is the pool?", "The pool has 28 °C.", True),
        ("How hot is the pool?", "The pool has 28 lanes.", False),
        ("How fast may boats go?", "Boats go at 4 mph.", True),
        ("How fast may boats go?", "Boats take 4 guests.", False),
        ("How long is a root canal?", "A root canal takes two full hours.", True),
        ("How long is a root canal?", "A root canal: £310", False),
        ("How long is the boat?", "The boat is 66 ft long.", True),
        ("How far in advance do I book?", "Book five courses in advance.", True),
        ("What do cleaners earn?", "Cleaners get £12.90 an hour.", True),
        ("What are cleaners paid?", "Cleaners have a salary of £1,900.", True),
        ("What are cleaners paid?", "Groups of cleaners pay £7.50 a head.", False),
        ("What day are cleaners paid?", "Cleaners are paid on Friday.", True),
        ("What does a print cost?", "A print costs 12p.", True),
    ]
    assert (
        differing([((asked, text), told) for asked, text, told in rows], lambda it: tells(*it))
        == []
    )


def test_a_question_is_cut_where_another_one_begins():
    rows = [
        ("What does it cost, and when is it open?", ["What does it cost", "when is it open?"]),
        ("How do I pay? Is there a fee?", ["How do I pay", "Is there a fee?"]),
        ("Are pets allowed and what do they cost?", ["Are pets allowed", "what do they cost?"]),
        ("Who drives; where does she stop?", ["Who drives", "where does she stop?"]),
        ("Can I park and, if so, is it free?", ["Can I park and, if so, is it free?"]),
        ("What if I'm ill and can't work?", ["What if I'm ill and can't work?"]),
        ("Someone fell and is hurt, what now?", ["Someone fell and is hurt, what now?"]),
        ("What do bread and butter cost?", ["What do bread and butter cost?"]),
        ("", [""]),
    ]
    assert differing(rows, parts_of) == []


def test_each_part_of_a_question_finds_its_passage_first():
    texts = ["Cabins cost 40 francs.", "The lake opens in May.", "Dogs stay at home."]
    index = LexicalIndex(texts)
    both = index.similarities("What do cabins cost, and when does the lake open?")
    assert {0, 1} <= both.keys()
    assert both[0] == pytest.approx(both[1])
    assert both[0] > both.get(2, 0.0)
    # A part that nothing answers takes from what the other finds.
    half = index.similarities("What do cabins cost, and who repairs bicycles?")
    assert half[0] < index.similarities("What do cabins cost?")[0]
