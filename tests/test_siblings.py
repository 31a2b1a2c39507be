"""Facts told of several owners side by side: who has what, and exchanges of two of them."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.facts.entries import _MOST_FILLERS
from streamguard.core.facts.said import AGREED
from streamguard.core.facts.siblings import _MOST_ENTRIES, _MOST_GROUPS
from streamguard.core.machine.guard import StreamGuard
from streamguard.testing import feed_every_way
from streamguard.values import read_anchors
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
    "brackets": "Prices by plan: Basic ($12), Plus ($29) and Pro ($49).",
    "clauses": "Basic costs $12 a month and Plus costs $29 a month.",
    "sentences": "Basic costs $12 a month. Plus costs $29 a month. Pro costs $49 a month.",
    "sentences of two facts": (
        "Basic costs $12 a month and holds 5 GB. Plus costs $29 a month and holds 100 GB, mail too."
    ),
    "respectively": "Basic, Plus and Pro cost $12, $29 and $49 a month, respectively.",
}


def told(*passages):
    """Return the groups of the passages: way, and owners with their fillers or yes and no."""
    groups = []
    for group in index(*passages).source.siblings.groups:
        entries = [
            (
                " ".join(sorted(entry.owner.keys)),
                [" ".join(sorted(part.keys)) for _, part in entry.fillers]
                or [*entry.denied.values()],
            )
            for entry in group.entries
        ]
        groups.append((group.way, entries))
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


def test_groups_are_read_from_rows_heads_labels_and_brackets():
    assert told(TABLE) == [("row", [("basic", ["#12", "#3"]), ("plus", ["#29", "#7"])])]
    assert told(ACROSS)[-1] == ("row", [("basic", ["#12"]), ("plus", ["#29"])])
    assert told(WAYS["labels"])[0] == ("line", [("basic", ["#12"]), ("plus", ["#29"])])
    assert told(LUNCH) == [("row", [("canyon", [False]), ("cave", [True])])]


def test_an_owner_may_have_several_words_and_stand_behind_its_filler():
    rings = told("Fares: city ring ($12), night line ($29).")
    assert rings[0] == ("bracket", [("citi ring", ["#12"]), ("line night", ["#29"])])
    behind = told("$12 a month buys Basic and $29 a month buys Plus.")
    assert behind == [("clause", [("basic", ["#12"]), ("plus", ["#29"])])]


def test_sentences_that_tell_several_things_are_told_apart_by_each():
    passage = WAYS["sentences of two facts"]
    assert told(passage) == [
        ("sentence", [("basic", ["#12", "#5000000000"]), ("plus", ["#29", "#100000000000"])])
    ]
    assert exchanged("Basic holds 100 GB.", passage) == [("100 GB", "#5000000000")]
    both = exchanged("Basic costs $29 a month and holds 100 GB.", passage)
    assert both == [("$29 a month", "#12"), ("100 GB", "#5000000000")]
    doors = (
        "The east door is painted green and was checked on 3 May. "
        "The west door is painted yellow and was checked on 11 May."
    )
    assert exchanged("The east door is yellow.", doors) == [("yellow", "green")]
    assert exchanged("The west door was checked on 3 May.", doors) == [("3 May", "#--05-11")]


@pytest.mark.parametrize(
    "passage",
    [
        # What they share is less than what sets them apart.
        "The statement closes on the 18th of a month. The direct debit follows on the 2nd of it.",
        "The read timeout went from 60 s to 30 s. The connect timeout stays at 5 s.",
        "Basic costs $12 a month and holds 5 GB.",  # two attributes of one owner
        "Basic costs $12 and holds 5 GB. Plus holds 100 GB and costs $29.",  # not in one order
    ],
)
def test_neighbours_that_share_too_little_are_no_siblings(passage):
    assert told(passage) == []


def test_names_and_a_few_words_are_fillers_as_well():
    leads = "- Ledger team – Ida Holm\n- Search team – Omar Reed"
    assert exchanged("The search team is led by Ida Holm.", leads) == [("Holm", "reed")]
    doors = "East door: dark green\nWest door: yellow"
    assert exchanged("The east door is yellow.", doors) == [("yellow", "dark")]
    assert exchanged("The east door is dark green.", doors) == []


@pytest.mark.parametrize("passage", [LUNCH, LUNCH_ACROSS])
def test_yes_and_no_are_told_of_their_owner(passage):
    (turned,) = exchanged("The cave trip includes lunch.", passage)
    assert turned == ("cave trip includes lunch", "cave")
    assert exchanged("The canyon trip includes lunch.", passage) == []
    assert exchanged("The cave trip includes no lunch.", passage) == []
    assert exchanged("The cave trip is long.", passage) == []  # about something else
    two = "The canyon trip does not include lunch and the cave trip does not include lunch."
    assert [said for said, _ in exchanged(two, passage)] == ["canyon trip does not include lunch"]


def test_clauses_that_only_deny_are_told_of_their_owner():
    passage = "The canyon trip includes lunch, the cave trip does not include lunch."
    assert exchanged("The cave trip is long.", passage) == []
    assert exchanged("The cave trip does include lunch.", passage) != []


def test_what_another_place_tells_of_both_is_no_exchange():
    other = "With a voucher Basic is $29 in the first year."
    assert exchanged("Basic costs $29 a month.", WAYS["clauses"], other) == []


def test_an_owner_is_told_by_all_that_sets_it_apart():
    passage = "Basic: $12\nBasic School: $29\nPlus: $49"
    assert exchanged("Basic School costs $12.", passage) == [("$12", "#29")]
    assert exchanged("Basic School costs $29.", passage) == []


def test_what_is_said_of_two_at_once_is_left_alone():
    assert exchanged("Basic and Plus cost between $12 and $49.", WAYS["sentences"]) == []
    assert exchanged("Plus at $29 beats Basic at $12.", WAYS["sentences"]) == []


def test_attributes_of_different_kinds_are_no_siblings():
    prices = "| Plan | Price | Notice |\n|---|---|---|\n| Basic | $12 | 14 days |"
    assert told(prices) == []
    assert exchanged("The notice is $12.", prices) == []


def test_a_range_a_year_or_a_figure_is_no_owner():
    assert told("2021: 14 wells\n2022: 37 wells") == []


def test_what_agrees_is_hardly_a_risk():
    answer = "Up to 7 people may share the Plus plan, which is $29."
    edits = comparing(TABLE).edits(answer, read_anchors(answer))
    risks = {answer[e.start : e.end]: e.risk for e in edits if e.group == "value"}
    assert risks["$29"] <= AGREED


def test_an_owner_of_which_nothing_is_told_has_no_exchange():
    seats = "| Plan | Price | Seats |\n|---|---|---|\n| Basic | $12 | |\n| Plus | $29 | 7 users |"
    assert exchanged("Basic has 7 users.", seats) == []


def test_two_owners_of_one_name_are_none():
    twice = "Basic: $12\nPlus: $49\nBasic: $29"
    assert exchanged("Basic costs $49.", twice) == []


def test_a_longer_name_is_not_taken_for_a_shorter_one_inside_it():
    teams = "- Ada – $12\n- Ada Bell – $29\n- Cy – $49"
    assert exchanged("Ada Bell pays $29.", teams) == []


def test_only_so_many_fillers_of_an_owner_are_kept_and_a_cell_without_a_head_is_none():
    heads = " | ".join(f"Fee {number}" for number in range(3 * _MOST_FILLERS))
    rows = [" | ".join(f"${at + 100 * row}" for at in range(3 * _MOST_FILLERS)) for row in (1, 2)]
    wide = (
        f"| Plan | {heads} |\n|---{'|---' * 3 * _MOST_FILLERS}|\n"
        f"| Basic | {rows[0]} |\n| Plus | {rows[1]} |"
    )
    kept = [len(fillers) for _, entries in told(wide) for _, fillers in entries]
    assert kept
    assert max(kept) <= _MOST_FILLERS
    longer = "| Plan | Lunch |\n|---|---|\n| Canyon | yes | no |\n| Cave | no | yes |"
    assert told(longer) == [("row", [("canyon", [False, True]), ("cave", [True, False])])]


def test_groups_are_bounded():
    names = ["".join(pair) for pair in product("abcdefghij", "klmnopqrst")]
    rows = "\n".join(f"| {name} | ${number} |" for number, name in enumerate(names))
    (group,) = index(f"| Plan | Price |\n|---|---|\n{rows}").source.siblings.groups
    assert 50 < len(group.entries) <= _MOST_ENTRIES < len(names)
    table = f"| Plan | Price |\n|---|---|\n{rows}"
    compared = comparing(*[table] * 90)
    compared.edits("Ck is $9.", read_anchors("Ck is $9."))
    assert compared.work < 5_000 < 90 * len(names)
    many = "\n\n".join("East: $1\nWest: $2\n\nNothing else." for _ in range(_MOST_GROUPS + 9))
    assert len(index(many).source.siblings.groups) == _MOST_GROUPS


@pytest.mark.parametrize(
    "passage",
    [
        "| Plan |",
        "| Plan | Price |\n|---|---|",
        "| | |\n|---|---|\n| | |",
        "(a) (b) (c)",
        "one (1), (2), two",
        "respectively",
        "A, respectively.",
        "Basic and Plus, respectively.",
        "Basic, Plus and $1, $2, respectively.",
        "Basic: \nPlus: ",
        "- : $1\n- : $2",
    ],
)
def test_what_has_no_owners_or_no_fillers_is_no_group(passage):
    for _, entries in told(passage):
        assert all(owner and fillers for owner, fillers in entries)
    assert exchanged("Basic costs $2.", passage) == []


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


def test_an_exchange_is_told_whatever_the_split():
    context = Context(chunks=[TABLE])

    def result(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    found = feed_every_way("The price of Basic is $29.", result)
    (finding,) = [one for one in found.findings if one.check in ("other_owner", "doubtful")]
    assert "“Basic | $12 | 3”" in finding.message
    assert found.status == "WARN"
    assert feed_every_way("The price of Basic is $12.", result).status == "PASS"


def test_a_sentence_that_lists_very_many_owners_is_compared_with_none():
    owners = [f"{one}{two}o" for one in "bdfgh" for two in "aeiou"]
    passage = "\n".join(f"- {owner.title()}: ${number}" for number, owner in enumerate(owners, 20))
    assert exchanged("Bao costs $21.", passage) == [("$21", "#20")]
    assert exchanged(f"{', '.join(owners)}: $21.", passage) == []


def test_of_a_table_of_very_many_cells_the_first_rows_are_read():
    head = "| Plan | " + " | ".join(f"{letter}a" for letter in "bcdfghjk") + " |"
    rows = [f"| p{number} | " + " | ".join(["$1"] * 8) + " |" for number in range(50)]
    source = index("\n".join([head, "|" + "---|" * 9, *rows])).source
    assert max(len(group.entries) for group in source.siblings.groups) < len(rows)
