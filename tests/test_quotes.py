"""What can be quoted of a passage: rows and items with their heads, and nothing half."""

from streamguard.core.model.types import RetrievedChunk
from streamguard.server.chat.quotes import quotes_of
from tests.tables import differing

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


def said(*texts):
    chunks = [RetrievedChunk(text, source=f"{n}.md") for n, text in enumerate(texts)]
    return [quote.text for quote in quotes_of(chunks)]


QUOTED = [
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
    assert differing(QUOTED, said) == []
