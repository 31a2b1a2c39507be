"""Answers without a model: word for word, cited, and silent where the passages are."""

import pytest

from streamguard.core.model.types import Retrieval, RetrievedChunk
from streamguard.core.reading.markers import STANDARD_REFUSAL
from streamguard.server.chat import quotes
from streamguard.server.chat.answerer import extract_answer
from streamguard.server.chat.quotes import quotes_of
from tests.kit.tables import differing


def retrieved(*texts, level="high", answerable=True):
    chunks = tuple(
        RetrievedChunk(text, id=f"d{n}", source=f"d{n}.md") for n, text in enumerate(texts, 1)
    )
    return Retrieval(chunks, answerable, level, len(chunks), len(chunks))


DAY_PASS = "What does a day pass cost?"
QUOTED = {
    "the best sentence, of the passage it stands in": (DAY_PASS,
     ("Bikes have bells. Lamps are red.", "A day pass costs $12. It ends at noon."),
     "A day pass costs $12. [C2]"),
    "sentences that say as much, in the order of the passages": ("Where are passes sold?",
     ("Passes are sold at the desk.", "Passes are sold in the app. Bells ring."),
     "Passes are sold at the desk. [C1] Passes are sold in the app. [C2]"),
    "a sentence that two passages share, once": (DAY_PASS,
     ("A day pass costs $12.", "A day pass costs $12. Bells ring."), "A day pass costs $12. [C1]"),
    "a heading counts for its sentences, but is no answer itself": (
        "What is the deposit for cargo bikes?",
        ("Cargo bikes > Deposit\nWe hold a deposit of $150.", "We hold a deposit of $20."),
        "We hold a deposit of $150. [C1]",
    ),
    "marks inside a passage never become citations": (DAY_PASS,
     ("A day pass costs $99 [C7].", "A day pass costs $12."), "A day pass costs $12. [C2]"),
    "list marks and wrapped lines are taken out": ("How long is a day pass valid?",
     ("- A day pass costs $12 and is\n  valid until midnight.\n- Bells ring.",),
     "A day pass costs $12 and is valid until midnight. [C1]"),
}  # fmt: skip


@pytest.mark.parametrize("name", QUOTED)
def test_what_answers_the_question_is_quoted(name):
    question, texts, answer = QUOTED[name]
    assert extract_answer(question, retrieved(*texts)).startswith(answer)


def test_the_gates_no_and_passages_that_say_nothing_of_it_give_the_standard_refusal():
    found = retrieved(" ".join(f"Pass number {n} is sold by {n}." for n in range(10, 20)))
    assert extract_answer("Which pass is sold?", found).count("[C1]") == 3  # at most
    no = retrieved("A day pass costs $12.", level="insufficient", answerable=False)
    says_nothing = ((), ("Bells ring.",), ("Prices > Day pass",), ("Day pass: see the desk",))
    for found in (no, *(retrieved(*texts, level=None, answerable=None) for texts in says_nothing)):
        assert extract_answer(DAY_PASS, found) == STANDARD_REFUSAL


@pytest.mark.parametrize(("one", "other", "contradicts"), [
    ("A pass costs $12 per day.", "A pass costs $15 per day.", True),
    ("A pass is valid until 5 May 2024.", "A pass is valid until 6 May 2024.", True),
    ("A pass costs $12 per day.", "A pass costs 12 USD per day.", False),
    ("A pass costs $12 per day.", "For groups of more than 10 people a pass is free.", False),
    ("A pass is sold here.", "A pass is sold there.", False),
])  # fmt: skip
def test_sources_contradict_each_other_in_values_not_in_words(one, other, contradicts):
    said = extract_answer("What about a pass per day?", retrieved(one, other))
    assert ("In contradiction to this, d2.md says" in said) is contradicts
    if contradicts:
        assert f'd1.md says: "{one}" [C1]' in said
        assert f'"{other}" [C2]' in said


@pytest.mark.parametrize(
    ("level", "says"), [("high", False), ("medium", True), ("low", True), (None, False)]
)
def test_what_is_missing_is_said_below_high_confidence(level, says):
    found = retrieved("A day pass costs $12.", level=level)
    said = extract_answer("What does a day pass cost, and is theft insured?", found)
    assert said.startswith("A day pass costs $12. [C1]")
    assert ("the documents found say nothing about theft insured." in said) is says


def test_the_rule_of_a_table_is_read_in_one_way():
    """A line that is nearly one took a time that doubles with each dash."""
    rules = ("|---|:--:|", "--- | ---", "-" * 400)
    others = ("-" * 400 + "x", "|" + "-" * 400 + " (see below)", "| " * 200 + "-", "no rule")
    assert all(map(quotes._RULE.match, rules))
    assert not any(map(quotes._RULE.match, others))


# --- what can be quoted of a passage: rows and items with their heads, and nothing half


TABLE = """Fees
All fees hold until May.

| Treatment | Fee |
|---|---|
| Crown | £695 |
| Extraction | £130 |
| | |

Children are free."""
LIST = """Mornings > Before you drive
Walk round the vehicle:

- tyres and
  wheel nuts
- lights.
- brakes"""
STEPS = "Needle injuries\n1. Wash it.\n2. Call the nurse.\n\nWrite it down."


def quoted(*texts):
    chunks = [RetrievedChunk(text, source=f"{n}.md") for n, text in enumerate(texts)]
    return [quote.text for quote in quotes_of(chunks)]


OF_PASSAGES = [
    (TABLE, ["All fees hold until May.", "Treatment: Crown; Fee: £695.",
     "Treatment: Extraction; Fee: £130.", "Children are free."]),
    (LIST, ["Walk round the vehicle: tyres and wheel nuts.", "Walk round the vehicle: lights.",
     "Walk round the vehicle: brakes.",
     "Walk round the vehicle: tyres and wheel nuts; lights; brakes."]),
    (STEPS, ["Wash it.", "Call the nurse.", "Needle injuries: Wash it; Call the nurse.",
     "Write it down."]),
    # A figure at a line's start is no item, and without a head an item says nothing.
    ("Hours\nDentists need 100 hours and nurses\n75. We pay.",
     ["Dentists need 100 hours and nurses 75.", "We pay."]),
    ("- tyres\n- brakes", []),
    ("Pay\n- Ann:\n  Bob too", ["Pay: Ann: Bob too."]),
    ("Pay\n- tyres are paid [C2]\n- brakes", ["Pay: brakes."]),
    ("| no | table |\nText.", ["Text."]),
    (
        "Manager: Ann Bo\nPhone: 0800 555\n\n**Fax:** none\nNote: fax us\nno more.",
        ["Manager: Ann Bo.", "Phone: 0800 555.", "**Fax:** none.",
         "Note: fax us no more."],
    ),
    ("Late: you\nwait here for us\nand pay", []),
    ("Step 1: Wash it\nWe pay.\nWho pays: we do?", ["We pay."]),
    ("Name | Pay\n--- | ---\nAnn | $5", ["Name: Ann; Pay: $5."]),
]  # fmt: skip


def test_the_parts_of_a_passage_that_say_something():
    assert differing(OF_PASSAGES, quoted) == []
