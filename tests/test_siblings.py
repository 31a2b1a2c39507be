"""Facts told of several owners side by side: who has what, and exchanges of two of them."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.index import blocks
from streamguard.core.owners import grouped
from streamguard.core.owners.grouped import Groups
from streamguard.core.owners.siblings import (
    _MOST_ENTRIES,
    _MOST_FILLERS,
    _MOST_GROUPS,
    read_alone,
)
from streamguard.values import read_anchors
from tests.kit.tables import differing
from tests.test_comparing import comparing
from tests.test_evidence import index

TABLE = "| Plan | Price | Seats |\n|---|---|---|\n| Basic | $12 | 3 |\n| Plus | $29 | 7 |"
ACROSS = "| | Basic | Plus |\n|---|---|---|\n| Price | $12 | $29 |"
LUNCH = "| Trip | Lunch |\n|---|---|\n| Canyon | yes |\n| Cave | no |"
LUNCH_ACROSS = "| | Canyon | Cave |\n|---|---|---|\n| Lunch | yes | no |"
WAYS = {
    "table": TABLE,
    "table across": ACROSS,
    "labels": "Prices\nBasic: $12\nPlus: $29",
    "bullets": "Prices:\n- Basic – $12\n- Plus – $29",
    "bold": "Prices:\n\n- **Basic**, $12 a month\n- **Plus**, $29 a month",
    "brackets": "Prices by plan: Basic ($12), Plus ($29) and Pro ($49).",
    "clauses": "Basic costs $12 a month and Plus costs $29 a month.",
    "sentences": "Basic costs $12 a month. Plus costs $29 a month. Pro costs $49 a month.",
    "sentences of two facts": (
        "Basic costs $12 a month and holds 5 GB. Plus costs $29 a month and holds 100 GB, mail too."
    ),
    "respectively": "Basic, Plus and Pro cost $12, $29 and $49 a month, respectively.",
}


def told(*passages):
    """Return the groups of the passages: owners with their fillers or yes and no."""
    groups = []
    for group in index(*passages).source.siblings.groups:
        entries = [
            (
                " ".join(sorted(entry.owner.keys)),
                [" ".join(sorted(part.keys)) for _, part in entry.fillers]
                or [*entry.denied.values()],
            )
            for entry in group.told.entries
        ]
        groups.append(entries)
    return groups


def exchanged(answer, *passages, question=""):
    """Return what an answer tells of a wrong owner, each with what the passages tell of it."""
    source = index(*passages).source
    edits = comparing(*passages, question=question).edits(answer, read_anchors(answer))
    return [
        (answer[edit.start : edit.end], source.keys[edit.rival])
        for edit in edits
        if edit.group == "exchange"
    ]


@pytest.mark.parametrize("way", WAYS)
def test_an_exchange_is_seen_in_every_way_of_writing_and_the_right_one_is_none(way):
    passage = WAYS[way]
    assert exchanged("Basic costs $29 a month.", passage) == [("$29 a month", "#12")]
    assert exchanged("You pay $12 for Plus.", passage) == [("$12", "#29")]
    assert exchanged("Basic costs $12 a month and Plus costs $29 a month.", passage) == []
    both = exchanged("Basic costs $29 a month and Plus costs $12 a month.", passage)
    assert both == [("$29 a month", "#12"), ("$12 a month", "#29")]
    assert exchanged("Basic costs $13 a month.", passage) == []  # nobody's price


def test_the_job_of_somebody_else_in_a_list_of_names_is_an_exchange():
    team = "## Team\n\n- **Jane Miller**, head of sales\n- **Ben Okoro**, warehouse and orders"
    assert exchanged("The head of sales is Ben Okoro.", team) == [("head of sales", "warehous")]
    assert exchanged("The head of sales is Jane Miller.", team) == []
    assert exchanged("Ben Okoro looks after the warehouse.", team) == []


PLANS = [("basic", ["#12"]), ("plus", ["#29"])]
TWO_FACTS = WAYS["sentences of two facts"]
SEVERAL = [("basic", ["#12", "#5000000000"]), ("plus", ["#29", "#100000000000"])]
# A passage, and the groups that it tells.
RINGS = [("citi ring", ["#12"]), ("line night", ["#29"])]
GROUPS = [
    (TABLE, [[("basic", ["#12", "#3"]), ("plus", ["#29", "#7"])]]),
    (ACROSS, [PLANS]),
    (WAYS["labels"], [PLANS, PLANS]),
    (LUNCH, [[("canyon", [False]), ("cave", [True])]]),
    (TWO_FACTS, [SEVERAL]),
    ("Fares: city ring ($12), night line ($29).", [RINGS, RINGS]),
    ("$12 a month buys Basic and $29 a month buys Plus.", [PLANS]),
    # What they share is less than what sets them apart.
    ("The statement closes on the 18th of a month. The direct debit follows on the 2nd of it.", []),
    ("The read timeout went from 60 s to 30 s. The connect timeout stays at 5 s.", []),
    ("Basic costs $12 a month and holds 5 GB.", []),  # two attributes of one owner
    ("Basic costs $12 and holds 5 GB. Plus holds 100 GB and costs $29.", []),  # not in one order
    ("| Plan | Price | Notice |\n|---|---|---|\n| Basic | $12 | 14 days |", []),
    ("2021: 14 wells\n2022: 37 wells", []),  # a year is no owner
    *((text, []) for text in (
        "| Plan |", "| Plan | Price |\n|---|---|", "| | |\n|---|---|\n| | |", "(a) (b) (c)",
        "one (1), (2), two", "respectively", "A, respectively.", "Basic and Plus, respectively.",
        "Basic, Plus and $1, $2, respectively.", "Basic: \nPlus: ", "- : $1\n- : $2",
    )),
]  # fmt: skip


def test_groups_are_told_of_owners_that_share_more_than_sets_them_apart():
    assert differing(GROUPS, told) == []


DOORS = "East door: dark green\nWest door: yellow"
CHECKED = (
    "The east door is painted green and was checked on 3 May. "
    "The west door is painted yellow and was checked on 11 May."
)
LEADS = "- Ledger team – Ida Holm\n- Search team – Omar Reed"
DENYING = "The canyon trip includes lunch, the cave trip does not include lunch."
SCHOOL = "Basic: $12\nBasic School: $29\nPlus: $49"
SEATS = "| Plan | Price | Seats |\n|---|---|---|\n| Basic | $12 | |\n| Plus | $29 | 7 users |"
NEITHER = "The canyon trip does not include lunch and the cave trip does not include lunch."
DEAR = "Basic costs $29 a month."
# An answer, the passages, and what is told of a wrong owner.
EXCHANGES = [
    ("Basic holds 100 GB.", [TWO_FACTS], [("100 GB", "#5000000000")]),
    ("Basic costs $29 a month and holds 100 GB.", [TWO_FACTS],
     [("$29 a month", "#12"), ("100 GB", "#5000000000")]),
    ("The east door is yellow.", [CHECKED], [("yellow", "green")]),
    ("The west door was checked on 3 May.", [CHECKED], [("3 May", "#--05-11")]),
    # names and a few words
    ("The search team is led by Ida Holm.", [LEADS], [("Holm", "reed")]),
    ("The east door is yellow.", [DOORS], [("yellow", "dark")]),
    ("The east door is dark green.", [DOORS], []),
    # yes and no
    *((answer, [passage], found) for passage in (LUNCH, LUNCH_ACROSS) for answer, found in (
        ("The cave trip includes lunch.", [("cave trip includes lunch", "cave")]),
        ("The canyon trip includes lunch.", []),
        ("The cave trip includes no lunch.", []),
        ("The cave trip is long.", []),  # about something else
        (NEITHER, [("canyon trip does not include lunch", "canyon")]),
    )),
    ("The cave trip is long.", [DENYING], []),
    ("The cave trip does include lunch.", [DENYING], [("cave trip does include lunch", "cave")]),
    (DEAR, [WAYS["clauses"], "With a voucher Basic is $29 in the first year."], []),
    # An owner is told by all that sets it apart, and two of one name are none.
    ("Basic School costs $12.", [SCHOOL], [("$12", "#29")]),
    ("Basic School costs $29.", [SCHOOL], []),
    ("Ada Bell pays $29.", ["- Ada – $12\n- Ada Bell – $29\n- Cy – $49"], []),
    ("Basic costs $49.", ["Basic: $12\nPlus: $49\nBasic: $29"], []),
    # What is said of two at once is left alone, and an owner of which nothing is told.
    ("Basic and Plus cost between $12 and $49.", [WAYS["sentences"]], []),
    ("Plus at $29 beats Basic at $12.", [WAYS["sentences"]], []),
    ("Basic has 7 users.", [SEATS], []),
    ("Plus costs 29 kg.", [TABLE], []),  # nor a value of another kind
]  # fmt: skip


def test_what_belongs_to_another_owner_is_an_exchange():
    assert differing(EXCHANGES, lambda answer, passages: exchanged(answer, *passages)) == []


def test_only_so_many_fillers_of_an_owner_are_kept_and_a_cell_without_a_head_is_none():
    heads = " | ".join(f"Fee {number}" for number in range(3 * _MOST_FILLERS))
    rows = [" | ".join(f"${at + 100 * row}" for at in range(3 * _MOST_FILLERS)) for row in (1, 2)]
    wide = (
        f"| Plan | {heads} |\n|---{'|---' * 3 * _MOST_FILLERS}|\n"
        f"| Basic | {rows[0]} |\n| Plus | {rows[1]} |"
    )
    kept = [len(fillers) for entries in told(wide) for _, fillers in entries]
    assert kept
    assert max(kept) <= _MOST_FILLERS
    longer = "| Plan | Lunch |\n|---|---|\n| Canyon | yes | no |\n| Cave | no | yes |"
    assert told(longer) == [[("canyon", [False, True]), ("cave", [True, False])]]


PARTS = """
    Basic Plus Pro $12 $29 $49 14 yes no not | : , ; ( ) - – and respectively costs has • 1. Ida
    Holm . ? 7 wells
""".split()
texts = st.lists(st.sampled_from([*PARTS, "\n"]), max_size=30).map(" ".join)


@given(texts, texts, texts)
def test_no_text_raises_and_an_exchange_names_slots(passage, question, answer):
    for said, rival in exchanged(answer, passage, question=question):
        assert said
        assert rival


def test_owners_and_groups_are_bounded():
    names = ["".join(pair) for pair in product("abcdefghij", "klmnopqrst")]
    rows = "\n".join(f"| {name} | ${number} |" for number, name in enumerate(names))
    (group,) = index(f"| Plan | Price |\n|---|---|\n{rows}").source.siblings.groups
    assert 50 < len(group.told.entries) <= _MOST_ENTRIES < len(names)
    table = f"| Plan | Price |\n|---|---|\n{rows}"
    compared = comparing(*[table] * 90)
    compared.edits("Ck is $9.", read_anchors("Ck is $9."))
    assert compared.work < 5_000 < 90 * len(names)
    many = "\n\n".join("East: $1\nWest: $2\n\nNothing else." for _ in range(_MOST_GROUPS + 9))
    assert len(index(many).source.siblings.groups) == _MOST_GROUPS
    owners = [f"{one}{two}o" for one in "bdfgh" for two in "aeiou"]
    passage = "\n".join(f"- {owner.title()}: ${number}" for number, owner in enumerate(owners, 20))
    assert exchanged("Bao costs $21.", passage) == [("$21", "#20")]
    assert exchanged(f"{', '.join(owners)}: $21.", passage) == []
    head = "| Plan | " + " | ".join(f"{letter}a" for letter in "bcdfghjk") + " |"
    rows = [f"| p{number} | " + " | ".join(["$1"] * 8) + " |" for number in range(50)]
    source = index("\n".join([head, "|" + "---|" * 9, *rows])).source
    assert max(len(group.told.entries) for group in source.siblings.groups) < len(rows)


def all_of(group):
    return group.marks, group.units, group.fillers, group.told, group.columns


@pytest.mark.parametrize("way", [*WAYS.values(), LUNCH, LUNCH_ACROSS])
def test_a_group_that_was_packed_says_what_it_said(way, monkeypatch):
    expected = [*index(way).source.siblings.groups]
    monkeypatch.setattr(grouped, "KEPT", 0)
    monkeypatch.setattr(grouped, "MOST_OPEN", 1)
    packed = Groups()
    for group in [*expected, *expected]:
        packed.append(group)
    assert expected
    assert [*map(all_of, packed)] == [*map(all_of, [*expected, *expected])]
    assert packed[0] is packed[0]


def test_packed_groups_take_a_tenth_of_those_that_are_kept():
    rows = "\n".join(f"| Plan p{chr(97 + n)}{chr(98 + n)} | ${n}.50 | {n} kg |" for n in range(20))
    (group,) = index(f"| Plan | Price | Weight |\n|---|---|---|\n{rows}").source.siblings.groups
    groups, held = Groups(), [0]
    for _ in range(2 * grouped.KEPT // len(group.told.entries)):
        groups.append(group)
        held.append(groups.held_bytes)
    kept, packed = held[1], held[-1] - held[-2]
    assert 0 < 10 * packed < kept


SENTENCES = st.sampled_from(
    [
        *("Basic costs $12.", "Plus costs $29.", "Pro costs $49 a month, and mail is free."),
        *("- Basic – $12", "Basic: $12", "| Basic | $12 |", "", "The canyon trip serves lunch."),
        *("The cave trip serves no lunch.", "Nobody knew.", "Plan | Price", "---|---"),
    ]
)


@given(st.lists(SENTENCES, max_size=12).map("\n".join))
def test_sentences_of_one_shape_are_neighbours_whether_or_not_that_is_remembered(text):
    blocks.REMEMBERED.clear()
    known = told(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "read_alone", lambda text, slots, before: read_alone(text, slots))
        blocks.REMEMBERED.clear()
        assert told(text) == known
    blocks.REMEMBERED.clear()
