"""What names are called, and answers that call them something else than the passages do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.conflicts.descriptions import describes
from streamguard.core.context import Context
from streamguard.core.policy import Policy
from tests.answers import result_of

READ = [
    ("Dr. Ida Holm leads the ward.", [("holm ida", "person", "")]),
    ("Mr Lund was late.", [("lund", "person", "")]),
    ("Norlys GmbH delivers.", [("norlys", "organisation", "")]),
    ("CEO Jonas Lind and CFO Anna Berg spoke.", [("jonas lind", "person", "ceo"),
                                                 ("anna berg", "person", "cfo")]),
    ("The chief executive officer of Norlys is Jonas Lind.", [("jonas lind", "person", "ceo")]),
    ("Jonas Lind, CEO of Norlys, spoke.", [("jonas lind", "person", "ceo")]),
    ("Jonas Lind, the premier, spoke.", [("jonas lind", "person", "prime minister")]),
    ("Vice President Ada Orr came.", [("ada orr", "person", "vice president")]),
    ("Ada Orr is the deputy mayor.", [("ada orr", "person", "")]),
    ("Ada Orr (CFO) signed.", [("ada orr", "person", "cfo")]),
    ("Mayor: Ada Orr", [("ada orr", "person", "mayor")]),
    ("- **Mayor:** Ada Orr", [("ada orr", "person", "mayor")]),
    ("Ada Orr: mayor", [("ada orr", "person", "mayor")]),
    ("| Ada Orr | mayor |", [("ada orr", "person", "mayor")]),
    ("Marie Dahl was a physicist.", [("dahl marie", "person", "physicist")]),
    ("Jan van der Berg is a nurse.", [("berg der jan van", "person", "nurse")]),
    ("The founder, Ida Holm, is the mayor of Elsund.", [("holm ida", "person", "mayor"),
                                                        ("holm ida", "person", "founder")]),
    ("Nordlys is a small village.", [("nordlys", "place", "")]),
    ("He left the town of Nordlys.", [("nordlys", "place", "")]),
    ("Kvikk, an app for cyclists, is free.", [("kvikk", "product", "")]),
    ("Norlys is a Danish software company.", [("norlys", "organisation", "")]),
    ("Lind, who sings, was there.", [("lind", "person", "")]),
    ("Ada Orr was born in Elsund.", [("ada orr", "person", "")]),
    ("Jonas Lind, former CEO of Norlys, left.", []),
    ("Jonas Lind is not the mayor.", []),
    ("The President spoke.", []),
    ("This is a city.", []),
    ("Ada Orr is happy.", []),
    ("Jonas Lind, tired and late, spoke to the former mayor Ada Orr.", []),
    ("It is in Elsund.", []),
    ("Chief Orrin spoke.", []),
    ('He met "Ada Orr" there.', []),
    ("The deputy mayor Ada Orr came.", [("ada orr", "person", "")]),
    ("At the town hall of Elsund the mayor Ada Orr spoke.", [("ada orr", "person", "mayor")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), READ)
def test_a_name_is_called_what_stands_beside_it(text, expected):
    found = [(" ".join(sorted(one.tokens)), one.kind, one.noun) for one in describes(text)]
    assert found == expected


def test_an_office_tells_whose_it_is():
    (found,) = describes("The mayor of Port Elsund is Ada Orr.")
    assert (found.of, found.only) == ({"port", "elsund"}, True)


def test_the_vice_president_is_one_however_it_is_said():
    for text in ("Ada Orr is the vice president.", "Vice President Ada Orr came."):
        (found,) = describes(text)
        assert (found.noun, found.only) == ("vice president", True)


@pytest.mark.parametrize("text", ["Ada Orr is a mayor.", "Ada Orr was the mayor."])
def test_an_office_of_several_or_of_the_past_is_not_the_only_one(text):
    (found,) = describes(text)
    assert not found.only


@given(st.text(alphabet="AEaei ,.:|()-\n'", max_size=200) | st.text(max_size=80))
def test_any_text_is_read_and_spans_lie_inside(text):
    for one in describes(text):
        assert 0 <= one.start < one.end <= len(text)
        assert one.tokens


NORLYS = (
    "Norlys GmbH was founded in 2011. The CEO of Norlys is Jonas Lind; Anna Berg is the CFO.",
    "The town of Elsund has a harbour. Ada Orr is the mayor of Elsund. Tove Dahl, a nurse, swims.",
    "Kvikk is an app for cyclists.",
)
CONTRARY = [
    ("Anna Berg is the CEO of Norlys.", "Anna Berg", "Jonas Lind"),
    ("The chief executive officer, Anna Berg, signed the lease.", "Anna Berg", "Jonas Lind"),
    ("CEO Anna Berg signed the lease.", "Anna Berg", "Jonas Lind"),
    ("The mayor of Elsund is Jonas Lind.", "Jonas Lind", "Ada Orr"),
    ("Mayor Jonas Lind opened the harbour.", "Jonas Lind", "Ada Orr"),
    ("Jonas Lind is the CTO of Norlys.", "Jonas Lind", "CEO of Norlys"),
    ("Tove Dahl is an engineer.", "Tove Dahl", "a nurse"),
    ("Tove Dahl, a carpenter from Elsund, swims.", "Tove Dahl", "a nurse"),
    ("Elsund, who swims, likes the harbour.", "Elsund", "town of Elsund"),
    ("Elsund is an app for sailors.", "Elsund", "town of Elsund"),
    ("Kvikk is a village with a harbour.", "Kvikk", "an app"),
    ("Norlys was born in Elsund.", "Norlys", "Norlys GmbH"),
    ("Dr. Norlys likes the harbour.", "Norlys", "Norlys GmbH"),
]
SAME = [
    "Jonas Lind is the CEO of Norlys.",
    "Jonas Lind, the chief executive of Norlys, signed.",
    "Lind is the CEO.",
    "Anna Berg is a manager at Norlys.",
    "Anna Berg is the CEO of Orbis.",
    "Anna Berg was the CEO of Norlys.",
    "Anna Berg, former CEO of Norlys, signed.",
    "Tove Dahl is a midwife.",
    "Tove Dahl is a happy swimmer.",
    "Elsund is a small village.",
    "Kvikk is a company.",
    "Ada Orr is the mayor.",
    "Rolf Nygard is a carpenter.",
    "Norlys is a Danish company.",
    "Is Anna Berg the CEO of Norlys?",
]


def described(answer, chunks=NORLYS, **arguments):
    result = result_of(answer, Context(query="", chunks=chunks), **arguments)
    return [one for one in result.findings if one.check == "other_description"]


@pytest.mark.parametrize(("answer", "name", "nearest"), CONTRARY)
def test_a_name_that_a_passage_calls_something_else_is_a_conflict(answer, name, nearest):
    (found,) = described(answer)
    assert (found.flag, answer[found.start : found.end]) == ("contradicted_claim", name)
    assert nearest in found.nearest.value


@pytest.mark.parametrize("answer", SAME)
def test_a_name_called_as_in_some_passage_is_none(answer):
    assert described(answer) == []


def test_two_holders_of_an_office_in_the_passages_decide_nothing():
    chunks = ("Jonas Lind is the CEO.", "The CEO is Anna Berg.")
    assert described("Rolf Nygard is the CEO.", chunks) == []


def test_a_town_may_bear_the_surname_of_a_person():
    chunks = ("The county was named after Major William Henry, who served in the war.",)
    assert described("The town of Henry was the county seat.", chunks) == []


def test_the_literal_policy_code_and_no_chunks_know_no_descriptions():
    answer = "Anna Berg is the CEO of Norlys."
    assert described(answer, policy=Policy.preset("literal")) == []
    assert described(f"```\n{answer}\n```") == []
    assert described(answer, ()) == []


def test_a_long_sentence_is_quoted_in_part():
    chunks = (f"Jonas Lind is the CEO of Norlys and {'speaks of bicycles and ' * 12}trains.",)
    (found,) = described("Anna Berg is the CEO of Norlys.", chunks)
    assert found.message.endswith("…”")
