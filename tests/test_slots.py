"""A sentence as a row of slots: kinds, clauses, ranges, names and negation."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamguard.core.reading.slots import (
    MAY,
    MUST,
    PART,
    SHOULD,
    WHOLE,
    clauses_of,
    read_slots,
)
from streamguard.text.normalise import fold
from streamguard.values import read_anchors
from tests.kit.tables import differing


def slots_of(text):
    text = fold(text).text
    return read_slots(text, read_anchors(text))


def clauses_in(slots):
    keys, kinds, _, _, clauses, senses, _ = zip(*slots, strict=True) if slots else ((),) * 7
    return clauses_of(keys, kinds, clauses, senses)


def kinds_of(text):
    return [(slot.key, slot.kind) for slot in slots_of(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("... !?", []),
        ("the of and", []),
        ("refunds", [("refund", "word")]),
        ("the members' club", [("member", "word"), ("club", "word")]),
        ("a $49 plan", [("#49", "value"), ("plan", "word")]),
        ("never", [("not", "negator")]),
        ("it isn't", [("not", "negator")]),
        ("you must", [("must", "modal")]),
        ("all rooms", [("all", "quantifier"), ("room", "word")]),
        ("order AB-12", [("order", "word"), ("#ab12", "value")]),
        ("Pro's price", [("pro", "word"), ("pric", "word")]),
        ("it has to end", [("must", "modal"), ("end", "word")]),
        ("it has a ramp to sea", [("ramp", "word"), ("sea", "word")]),
        ("daily 10-18", [("daili", "word"), ("#10", "value"), ("#18", "value")]),
        ("Mon-Fri", [("#monday", "value"), ("#friday", "value")]),
        (
            "Thurs 5-7 March",
            [("#thursday", "value"), ("#--03-05", "value"), ("#--03-07", "value")],
        ),
        ("half past the hour", [("past", "word"), ("hour", "word")]),
        ("half passed", [("half", "quantifier"), ("pass", "word")]),
        ("he sat in the sun", [("sat", "word"), ("sun", "word")]),
        ("Sun loungers", [("sun", "word"), ("lounger", "word")]),
        ("in the Sun said", [("sun", "name"), ("said", "word")]),
        (
            "Sun, Sat and Wed from ten",
            [(f"#{key}", "value") for key in ("sunday", "saturday", "wednesday", "10")],
        ),
    ],
)
def test_a_slot_is_a_word_a_name_a_value_or_a_mark(text, expected):
    assert kinds_of(text) == expected


SENSES = {
    ("modal", MUST): "must mandatory",
    ("modal", SHOULD): "should recommended",
    ("modal", MAY): "may optional",
    ("quantifier", WHOLE): "every only",
    ("quantifier", PART): "some usually",
}


def test_a_modal_or_quantifier_has_its_class():
    read = {word: slots_of(f"it {word}") for words in SENSES.values() for word in words.split()}
    found = {word: [(slot.kind, slot.sense) for slot in slots] for word, slots in read.items()}
    assert found == {word: [sense] for sense, words in SENSES.items() for word in words.split()}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ask Jane Miller", ["Jane", "Miller"]),
        ("Jane knows", []),  # a sentence's first word has its capital anyway
        ("it ended. Rome is next", []),
        ("| Basic | Pro", []),
        ("- Basic", []),
        ('he said "Basic', []),
        ("for iPhone users", ["iPhone"]),
        ("APIs are open", ["APIs"]),
        ("set $HOME or $Path, not A$AP", ["AP"]),
        ("McDonald sells", ["McDonald"]),
        ("the plan X", ["X"]),
        ("ask Ümit", ["Ümit"]),
        ("ask 4ever2", []),
        ("ask 京 now", []),
        ("the (Basic) plan", ["Basic"]),
    ],
)
def test_a_capital_that_begins_nothing_shows_a_name(text, names):
    assert [text[s.start : s.end] for s in slots_of(text) if s.kind == "name"] == names


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("red apples, green pears", [{"red", "appl"}, {"green", "pear"}]),
        ("red apples and green pears", [{"red", "appl"}, {"green", "pear"}]),
        ("apples grow; pears fall", [{"appl", "grow"}, {"pear", "fall"}]),
        ("apples (red)", [{"appl", "red"}]),
        ("| apples | pears |", [{"appl"}, {"pear"}]),
        ("apples grow because pears fall", [{"appl", "grow"}, {"pear", "fall"}]),
        ("apples\npears", [{"appl"}, {"pear"}]),
        ("apples, not, pears", [{"appl"}, {"pear"}]),
        ("apples keep as long as pears do", [{"appl", "keep"}, {"long", "pear"}]),
        ("apples keep as long", [{"appl", "keep", "long"}]),
        ("| as long as pears | apples |", [{"long", "pear"}, {"appl"}]),
        ("", []),
    ],
)
def test_signs_and_joining_words_part_clauses_and_those_without_content_are_none(text, clauses):
    assert [set(clause.keys) for clause in clauses_in(slots_of(text))] == clauses


NEGATED = [
    ("guests may not enter", True),
    ("no guest never enters", False),
    ("no guest without a pass never enters", True),
]


def test_a_clause_is_negated_by_an_odd_number_of_negators():
    assert differing(NEGATED, lambda text: clauses_in(slots_of(text))[0].negated) == []


def test_a_clause_knows_its_slots_and_where_its_marks_stand():
    first, second = clauses_in(slots_of("guests may enter, but all members must not pay"))
    assert (first.modal, first.quantifier, first.negated) == (MAY, 0, False)
    assert first.marked == {"modal": 1}
    assert (second.modal, second.quantifier, second.negated) == (MUST, WHOLE, True)
    assert second.marked == {"quantifier": 3, "modal": 5, "negator": 6}
    assert (first.first, first.last, second.first, second.last) == (0, 2, 3, 7)


PARTS = """
    Basic plan costs not never n't isn't may must all some $49 5-7 days 3 to 5 % 14% | , ; : ( ) and
    but 5 March 2024 9:00 17:00 iPhone McDonald AB-12 ½ Ⅻ İzmir ß ’ “ … . ! ? - * # _ é \u0301
""".split()


@given(
    st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PARTS), max_size=40).map(" ".join))
)
@example("")
@example("İ" * 20 + " 5-7")
def test_slots_of_any_text_lie_in_it_and_in_order(text):
    folded = fold(text).text
    slots = read_slots(folded, read_anchors(folded))
    assert all(0 <= slot.start < slot.end <= len(folded) for slot in slots)
    assert [slot.start for slot in slots] == sorted(slot.start for slot in slots)
    assert [slot.clause for slot in slots] == sorted(slot.clause for slot in slots)
    clauses = clauses_in(slots)
    assert all(clause.keys and clause.first <= clause.last for clause in clauses)
