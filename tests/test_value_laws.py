"""Laws of values: whose they are does not depend on the form, order or split of a text.

Every law is tested on passages made of four things with a price and a weight each: as a table, with
a code in front, as separated values, as fields below headings, and as lines behind labels.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.validate import check_text
from streamguard.testing import feed_every_way

Thing = tuple[str, int, int]  # name, price and weight

NAMES = ("Amber", "Birch", "Cedar", "Damson", "Elder", "Fuchsia", "Gorse", "Heather")


def _table(things: Sequence[Thing]) -> str:
    rows = [f"| {name} | ${price} | {weight} kg |" for name, price, weight in things]
    return "\n".join(["| Crate | Price | Weight |", "|---|---|---|", *rows])


def _coded(things: Sequence[Thing]) -> str:
    rows = [
        f"| K{ord(name[0])} | {name} | ${price} | {weight} kg |" for name, price, weight in things
    ]
    return "\n".join(["| Code | Crate | Price | Weight |", "|---|---|---|---|", *rows])


def _separated(things: Sequence[Thing]) -> str:
    rows = [
        f'K{ord(name[0])},{name},"dry, dark",${price},{weight} kg' for name, price, weight in things
    ]
    return "\n".join(["code,crate,store,price,weight", *rows])


def _sections(things: Sequence[Thing]) -> str:
    return "\n".join(
        f"## {name}\n\nPrice: ${price}\nWeight: {weight} kg\n" for name, price, weight in things
    )


def _headings(things: Sequence[Thing]) -> str:
    return "\n".join(
        f"## {name}\n\n### Price\n\n${price}\n\n### Weight\n\n{weight} kg\n"
        for name, price, weight in things
    )


def _lines(things: Sequence[Thing]) -> str:
    return "\n".join(f"- {name}: ${price}, {weight} kg" for name, price, weight in things)


FORMS = [_table, _coded, _separated, _sections, _headings, _lines]
# Values far from each other: none is near another by its size.
VALUES = st.permutations([17, 29, 53, 84, 131, 207, 344, 560])


@st.composite
def several(draw: st.DrawFn) -> list[Thing]:
    """Return four things with different names, prices and weights."""
    names, numbers = draw(st.permutations(NAMES)), draw(VALUES)
    return [(names[n], numbers[n], numbers[n + 4]) for n in range(4)]


def told(chunks: Sequence[str], answer: str) -> list[tuple[str, str]]:
    """Return check and severity of what is found in an answer."""
    context = Context(query="What about the crate?", chunks=chunks)
    return [(one.check, one.severity) for one in check_text(answer, context=context).findings]


def warned(chunks: Sequence[str], answer: str) -> bool:
    return any(severity == "warning" for _, severity in told(chunks, answer))


@given(form=st.sampled_from(FORMS), things=several())
def test_what_stands_in_a_row_or_section_is_its_own(form, things):
    text = form(things)
    for name, price, weight in things[:2]:
        assert not told([text], f"The {name} crate has a price of ${price}.")
        assert not told([text], f"The weight of {name} is {weight} kg.")


@given(form=st.sampled_from(FORMS[:-1]), things=several())
def test_what_stands_in_another_row_or_section_is_warned_of(form, things):
    text, (name, _, _), (_, price, weight) = form(things), *things[:2]
    assert warned([text], f"The price of {name} is ${price}.")
    assert warned([text], f"The weight of {name} is {weight} kg.")


@given(things=several())
def test_a_value_behind_another_label_is_told(things):
    text, (name, _, _), (_, price, weight) = _lines(things), *things[:2]
    assert told([text], f"The price of {name} is ${price}.")
    assert told([text], f"The weight of {name} is {weight} kg.")


@given(
    form=st.sampled_from(FORMS),
    things=several(),
    order=st.permutations(range(4)),
    off=st.sampled_from([-3, -1, 1, 2]),
)
def test_the_order_of_rows_changes_nothing(form, things, order, off):
    name, price, weight = things[0]
    texts = form(things), form([things[n] for n in order])
    for said in (
        f"The price of {name} is ${price + off}.",
        f"The price of {name} is ${things[1][1]}.",
        f"The weight of {name} is {weight + off} kg.",
    ):
        first, second = (told([text], said) for text in texts)
        assert first == second, said


@given(form=st.sampled_from(FORMS), things=several(), off=st.sampled_from([-3, -2, 1, 5]))
def test_a_passage_that_has_the_value_takes_its_warning_back(form, things, off):
    name, price, _ = things[0]
    said = f"The price of {name} is ${price + off}."
    assert warned([form(things)], said)
    assert not warned([form(things), said], said)


@given(form=st.sampled_from(FORMS), things=several())
def test_another_unit_is_warned_of_in_every_form(form, things):
    name, _, weight = things[0]
    for unit in ("lb", "pounds", "g", "tonnes"):
        assert warned([form(things)], f"{name} weighs {weight} {unit}."), unit


ADDED = [
    ("With one further crate Amber comes to ${}.", True),
    ("Amber with an additional crate costs ${}.", True),
    ("Amber and Birch together cost ${}.", True),
    ("The Amber crate costs ${}.", False),
    ("The price of Amber is ${}.", False),
]


@given(case=st.sampled_from(ADDED), one=st.integers(20, 60), other=st.integers(61, 99))
def test_a_sum_stands_where_the_sentence_announces_it(case, one, other):
    said, announces = case
    text = f"| Crate | Price |\n|---|---|\n| Amber | ${one} |\n| Birch | ${other} |"
    further = f"Amber costs ${one}. A further crate is ${other}."
    chunk = text if "together" in said else further
    assert warned([chunk], said.format(one + other)) is not announces


@pytest.mark.parametrize("form", FORMS)
def test_the_split_of_an_answer_changes_nothing(form):
    things = [("Amber", 17, 131), ("Birch", 29, 207), ("Cedar", 53, 344), ("Damson", 84, 560)]
    context = Context(query="What about the crate?", chunks=[form(things)])

    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    said = "Amber costs $17. The price of Birch is $53, and Cedar weighs 344 pounds by 30 April."
    assert feed_every_way(said, read).findings
