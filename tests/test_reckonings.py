"""Reckonings that go on with what the answer said before, with a table's head, with an area."""

import pytest

from streamguard.core.context import Context
from streamguard.core.validate import check_text

SEATS = (
    "| Plan | Price per seat / month | Storage |\n|---|---|---|\n| Duo | $7 | 20 GB |\n"
    "| Trio | $9 | 80 GB |\n\nAnnual billing gives a 10 % discount on Trio."
)
HOUSE = "For sale: farmhouse of 150 m² with a barn of 80 m². Price: 420,000. Built in 1931."
SEED = "MeadowMix lawn seed. Sow 25 g per square metre in spring. Water for two weeks."
RACK = (
    "Shelf A: max. 300 kg per pallet space. Shelf B: max. 450 kg per pallet space.\n\n"
    "Beams of shelf B hold four pallets each."
)
CLUB = "| | Monthly | Yearly |\n|---|---|---|\n| Price | $45 | $480 |\n| Guests | 2 | 6 |"
RIGHT = [
    (SEATS, "How much is Trio for 8 seats?", "Eight Trio seats cost $72 a month.", "$72 a month"),
    (SEATS, "How much is Trio for 8 seats?", "Eight seats cost $72 a month, or $864 a year.",
     "$864 a year"),
    (HOUSE, None, "At 420,000 for 150 m², the farmhouse costs 2,800 per square metre.", "2,800"),
    (SEED, "How much seed for 40 m²?", "For 40 m² you need 1,000 g, at 25 g per square metre.",
     "1,000 g"),
    (RACK, None, "Shelf B takes 450 kg per pallet space. With four pallets, that's 1,800 kg.",
     "1,800 kg"),
    (CLUB, None, "- **Yearly ($480):** six guests\n\nThe yearly one works out at $40 a month.",
     "$40 a month"),
]  # fmt: skip


def derivations(answer, *chunks, question=None):
    result = check_text(answer, context=Context(query=question, chunks=list(chunks)))
    assert result.errors == ()
    return [s.evidence.derivation for s in result.sentences if s.evidence and s.evidence.derivation]


def flagged(answer, *chunks, question=None):
    result = check_text(answer, context=Context(query=question, chunks=list(chunks)))
    return [f.value for f in result.findings if f.flag == "potential_hallucination"]


@pytest.mark.parametrize(("source", "question", "answer", "value"), RIGHT)
def test_a_value_that_follows_is_accepted(source, question, answer, value):
    assert flagged(answer, source, question=question) == []
    assert any(f"= {value}" in words for words in derivations(answer, source, question=question))


@pytest.mark.parametrize(("source", "question", "answer", "value"), RIGHT)
@pytest.mark.parametrize("last", "37")
def test_one_that_is_a_little_off_is_not(source, question, answer, value, last):
    at = max(number for number, sign in enumerate(value) if sign.isdigit())
    wrong = f"{value[:at]}{last}{value[at + 1 :]}"
    assert wrong in flagged(answer.replace(value, wrong), source, question=question)


def test_what_no_passage_holds_is_no_start_for_a_reckoning():
    answer = "Shelf B takes 470 kg per pallet space. With four pallets, that's 1,880 kg."
    assert flagged(answer, RACK) == ["470 kg", "1,880 kg"]


def test_a_price_is_no_count():
    answer = "The group pays 8.00 each, so 352.00 for the 44.00 of them."
    assert "352.00" in flagged(answer, "Groups pay 8.00 per person.")


def test_a_long_line_is_no_tables_head():
    wide = "| Plan | Price per seat " + "x" * 500 + " |\n|---|---|\n| Trio | $9 |"
    assert "$72" in flagged("Eight Trio seats cost $72.", wide, question="Trio for 8 seats?")


def test_a_row_with_more_cells_than_the_head():
    table = "| Plan | Price per seat |\n|---|---|\n| Trio | $9 | extra | $4 |"
    assert "$32" in flagged("Eight Trio seats cost $32.", table, question="Trio for 8 seats?")


def test_many_sentences_that_lack_their_values():
    answer = "".join(f"Shelf {number} takes {number}.5 kg. " for number in range(500, 900))
    assert len(flagged(answer, RACK)) >= 400


def test_a_row_without_a_head():
    assert "$32" in flagged("Eight Trio seats cost $32.", "Trio | $9 | $4", question="8 seats?")


def test_a_sum_of_bare_numbers_is_not_rounded_without_a_word_for_it():
    source = "The tour costs 15 per person and the museum 3.50 per person."
    assert flagged("Tour and museum together come to 19 per person.", source) == ["19"]
    assert flagged("Tour and museum together come to about 19 per person.", source) == []
    assert flagged("Tour and museum together come to 18.50 per person.", source) == []
