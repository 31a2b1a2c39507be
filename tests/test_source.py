"""The passages as units, what stands above them, and how alike a place is to surroundings."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.facts.source import _MOST_UNITS, AROUND, IN_UNIT, NEAR, Likeness
from tests.test_evidence import index

TABLE = """Prices of 2024

| Plan | Price | Seats |
|---|---|---|
| Basic | $49 | 1 |
| Pro | $99 | 5 |
"""
LIST = """Opening hours

Guests may use the pool:
- on Mondays from 9:00
- on Sundays from 11:00

Bring a towel."""


def source_of(*chunks):
    return index(*chunks).source


def unit_with(source, key):
    """Return the unit that holds the first place of a key."""
    return source.units[source.unit_of[source.places(key)[0]]]


def test_every_sentence_is_a_unit_with_its_slots():
    source = source_of("Apples grow here. Pears fall there.", "Plums rot.")
    assert [(unit.chunk, unit.number) for unit in source.units] == [(0, 0), (0, 1), (1, 2)]
    assert [[slot.key for slot in source.slots_of(n)] for n in range(3)] == [
        ["appl", "grow"],
        ["pear", "fall"],
        ["plum", "rot"],
    ]
    assert source.unit_of == [0, 0, 1, 1, 2, 2]


def test_a_sentence_without_content_is_no_unit():
    assert source_of("...", "of the").units == []


def test_places_and_values_are_found_by_their_keys():
    source = source_of("Basic costs $49. Pro costs $99.", "Basic is old.")
    assert [source.unit_of[place] for place in source.places("basic")] == [0, 2]
    assert source.places("zebra") == ()
    assert (source.holds("#49"), source.holds("#50")) == (True, False)
    assert [source.keys[place] for place in source.anchors] == ["#49", "#99"]
    assert [source.keys[place] for place in source.numbered(Decimal(99))] == ["#99"]
    assert source.numbered(Decimal(50)) == ()


def test_a_rare_word_weighs_more_than_a_common_one_and_an_absent_one_less_than_the_rarest():
    source = source_of("Apples grow. Apples fall. Apples rot. Plums rot.")
    common, rare, absent = map(source.weights.__getitem__, ("appl", "plum", "zebra"))
    assert common < absent < rare


def test_a_sentence_stands_below_the_title_and_the_sentence_before_it():
    source = source_of("Orchard rules\n\nApples grow here. Pears fall there. Plums rot.")
    assert unit_with(source, "appl").above >= {"orchard", "rule"}
    assert unit_with(source, "pear").above == {"orchard", "rule", "appl", "grow"}
    assert unit_with(source, "plum").above == {"orchard", "rule", "pear", "fall"}


def test_a_heading_inside_a_chunk_is_the_title_of_what_follows():
    source = source_of("Orchard rules\n\nApples grow.\n\n## Cellar\n\nWine rests.\n\nBeer ages.")
    assert "cellar" in unit_with(source, "beer").above
    assert "orchard" not in unit_with(source, "beer").above


def test_a_chunk_begins_without_what_stood_in_the_one_before():
    source = source_of("Orchard rules\n\nApples grow here.", "Pears fall there.")
    assert unit_with(source, "pear").above == frozenset()


def test_list_items_stand_below_their_lead_in_and_other_sentences_do_not():
    source = source_of(LIST)
    for item in ("monday", "sunday"):
        assert unit_with(source, item).above >= {"guest", "use", "pool"}
    assert "pool" not in unit_with(source, "towel").above


def test_a_row_of_a_table_stands_below_its_heads_and_its_title():
    source = source_of(TABLE)
    head, basic, pro = (unit_with(source, key) for key in ("plan", "basic", "pro"))
    assert all(unit.is_row for unit in (head, basic, pro))
    assert basic.keys == {"basic", "#49", "#1", "plan", "pric", "seat"}
    assert basic.reach >= {"pric", "#2024"}
    assert basic.above == {"#2024"}
    assert not {"#49", "basic"} & pro.keys


def test_near_a_cell_stand_its_row_label_and_its_columns_head():
    source = source_of(TABLE)
    (cell,) = source.places("#99")
    assert source.near(cell) == {"#99", "pro", "pric"}
    assert source.near(cell) is source.near(cell)


def test_a_cell_beyond_the_heads_has_its_label_alone():
    source = source_of("| Plan | Price |\n|---|---|\n| Basic | $49 | monthly |")
    (cell,) = source.places("month")
    assert source.near(cell) == {"basic", "month"}


def test_a_table_ends_with_the_first_line_that_is_no_row():
    plans, rooms = "| Plan | Price |\n| Basic | $49 |", "| Room | Size |\n| Blue | 9 |"
    source = source_of(f"{plans}\n\nNot so.\n\n{rooms}")
    (cell,) = source.places("#9")
    assert source.near(cell) == {"#9", "blue", "size"}


def test_near_a_word_stand_its_neighbours_in_its_sentence():
    words = [f"zo{chr(97 + number)}ka" for number in range(2 * NEAR + 4)]
    source = source_of(f"Before it. {' '.join(words)}. After it.")
    middle = source.places(words[NEAR + 1])[0]
    assert source.near(middle) == set(words[1 : NEAR + 1]) | set(words[NEAR + 2 : 2 * NEAR + 2])
    first = source.places(words[0])[0]
    assert source.near(first) == set(words[1 : NEAR + 1])


def test_near_a_place_stands_its_clause_and_where_that_is_empty_its_neighbours():
    source = source_of("Apples cost $3, pears cost $4, $5 later.")
    assert source.near(source.places("#4")[0]) == {"pear", "cost"}
    alone = source_of("Apples cost much, $3, said Jane.")
    assert alone.near(alone.places("#3")[0]) == {"appl", "cost", "said", "jane"}


def test_the_cells_below_a_head_are_places_of_its_words():
    source = source_of(TABLE)
    assert [source.keys[place] for place in source.places_below("pric")] == ["#49", "#99"]
    assert source.places_below("basic") == ()


def test_a_word_counts_most_near_a_place_then_in_its_unit_then_above_it():
    far = " ".join(f"zo{chr(97 + number)}ka" for number in range(NEAR))
    source = source_of(f"Lanterns shine.\n\nTickets $49 {far} outside.")
    (place,) = source.places("#49")
    assert Likeness(source, {"ticket": 1.0}).at(place) == 1.0
    assert Likeness(source, {"outsid": 1.0}).at(place) == IN_UNIT
    assert Likeness(source, {"lantern": 1.0}).at(place) == AROUND
    assert Likeness(source, {"zebra": 1.0}).at(place) == 0.0
    assert Likeness(source, {}).at(place) == 0.0


KEYS = ["basic", "pro", "plan", "pric", "seat", "pool", "guest", "#49", "#99", "zebra"]


@given(st.dictionaries(st.sampled_from(KEYS), st.floats(0, 9)), st.data())
def test_a_likeness_is_a_part_of_the_surroundings_weight(surroundings, data):
    source = source_of(TABLE, LIST)
    place = data.draw(st.integers(0, len(source.keys) - 1))
    total = sum(surroundings.values())
    likeness = Likeness(source, surroundings).at(place)
    assert 0.0 <= likeness <= total + 1e-9
    share = Likeness(source, surroundings).share(source.unit_of[place])
    assert 0.0 <= share * total <= likeness + 1e-9


@pytest.mark.parametrize(
    ("surroundings", "numbers"),
    [
        ({"pear": 1.0}, [1]),
        ({"pear": 1.0, "rot": 0.5}, [1, 2]),
        ({"pear": 0.5, "rot": 1.0}, [2, 1]),
        ({"rot": 1.0, "plum": 1.0}, [2]),
        ({"zebra": 1.0}, []),
        ({}, []),
        ({"appl": 1.0, "plum": 1.0}, [0, 2]),  # alike: the first one leads
    ],
)
def test_the_nearest_units_hold_most_of_the_weight(surroundings, numbers):
    source = source_of("Apples grow.", "Pears fall.", "Plums rot.")
    assert source.nearest(surroundings, 4) == numbers
    assert source.nearest(surroundings, 1) == numbers[:1]


def test_what_stands_above_a_unit_decides_between_those_that_hold_as_much():
    source = source_of("Basic plan\n\nIt costs little.", "Pro plan\n\nIt costs little.")
    assert source.nearest({"cost": 1.0, "pro": 0.1}, 1) == [source.unit_of[-1]]


def test_of_a_word_in_very_many_units_only_the_first_are_looked_at():
    source = source_of("Apples grow. " * (_MOST_UNITS + 5))
    assert len(source.nearest({"appl": 1.0}, 1000)) == _MOST_UNITS


def test_the_reach_of_a_unit_is_what_it_holds_and_stands_below():
    source = source_of(TABLE)
    unit = source.unit_of[source.places("#99")[0]]
    assert source.units[unit].reach == source.units[unit].keys | source.units[unit].above


def test_the_clauses_of_a_unit_are_read_once():
    source = source_of("Apples grow, pears do not fall.")
    first, second = source.clauses(0)
    assert (first.negated, second.negated) == (False, True)
    assert source.clauses(0) is source.clauses(0)
