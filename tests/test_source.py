"""The passages as units, what stands above them, and how alike a place is to surroundings."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.facts.source import _MOST_UNITS, AROUND, IN_UNIT, NEAR, Likeness
from tests.tables import differing
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


def test_every_sentence_with_content_is_a_unit_with_its_slots():
    source = source_of("Apples grow here. Pears fall there.", "Plums rot.")
    assert [(unit.chunk, unit.number) for unit in source.units] == [(0, 0), (0, 1), (1, 2)]
    keys = [[slot.key for slot in source.slots_of(n)] for n in range(3)]
    assert keys == [["appl", "grow"], ["pear", "fall"], ["plum", "rot"]]
    assert source.unit_of == [0, 0, 1, 1, 2, 2]
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


ORCHARD = "Orchard rules\n\nApples grow here. Pears fall there. Plums rot."
CELLAR = "Orchard rules\n\nApples grow.\n\n## Cellar\n\nWine rests.\n\nBeer ages."
ABOVE = [
    # below the title and the sentence before, of its own chunk
    ((ORCHARD,), "appl", "orchard rule"),
    ((ORCHARD,), "pear", "orchard rule appl grow"),
    ((ORCHARD,), "plum", "orchard rule pear fall"),
    ((CELLAR,), "beer", "cellar wine rest"),
    (("Orchard rules\n\nApples grow here.", "Pears fall there."), "pear", ""),
    # items below their lead-in, rows below their heads
    ((LIST,), "monday", "open hour guest may use pool"),
    ((LIST,), "towel", "open hour sunday #11:00"),
    ((TABLE,), "basic", "#2024"),
]


def test_a_unit_stands_below_title_lead_in_and_the_sentence_before_it():
    def above(chunks, key):
        return " ".join(sorted(unit_with(source_of(*chunks), key).above))

    rows = [(chunks, key, " ".join(sorted(words.split()))) for chunks, key, words in ABOVE]
    assert differing(rows, above) == []


def test_a_row_of_a_table_has_its_heads():
    source = source_of(TABLE)
    head, basic, pro = (unit_with(source, key) for key in ("plan", "basic", "pro"))
    assert all(unit.is_row for unit in (head, basic, pro))
    assert basic.keys == {"basic", "#49", "#1", "plan", "pric", "seat"}
    assert basic.reach == basic.keys | basic.above
    assert not {"#49", "basic"} & pro.keys
    assert [source.keys[place] for place in source.places_below("pric")] == ["#49", "#99"]
    assert source.places_below("basic") == ()


WORDS = [f"zo{chr(97 + number)}ka" for number in range(2 * NEAR + 4)]
PLAIN = f"Before it. {' '.join(WORDS)}. After it."
TWO_TABLES = "| Plan | Price |\n| Basic | $49 |\n\nNot so.\n\n| Room | Size |\n| Blue | 9 |"
NEAR_PLACES = [
    # near a cell its row's label and its column's head, where it has one
    (TABLE, "#99", {"#99", "pro", "pric"}),
    ("| Plan | Price |\n|---|---|\n| Basic | $49 | monthly |", "month", {"basic", "month"}),
    (TWO_TABLES, "#9", {"#9", "blue", "size"}),
    # else its clause, and where that is empty its neighbours
    (PLAIN, WORDS[NEAR + 1], {*WORDS[1 : NEAR + 1], *WORDS[NEAR + 2 : 2 * NEAR + 2]}),
    (PLAIN, WORDS[0], {*WORDS[1 : NEAR + 1]}),
    ("Apples cost $3, pears cost $4, $5 later.", "#4", {"pear", "cost"}),
    ("Apples cost much, $3, said Jane.", "#3", {"appl", "cost", "said", "jane"}),
]


def test_near_a_place_stand_its_row_its_clause_or_its_neighbours():
    def near(text, key):
        source = source_of(text)
        place = source.places(key)[0]
        assert source.near(place) is source.near(place)
        return set(source.near(place))

    assert differing(NEAR_PLACES, near) == []


def test_a_word_counts_most_near_a_place_then_in_its_unit_then_above_it():
    source = source_of(f"Lanterns shine.\n\nTickets $49 {' '.join(WORDS[:NEAR])} outside.")
    (place,) = source.places("#49")
    rows = [("ticket", 1.0), ("outsid", IN_UNIT), ("lantern", AROUND), ("zebra", 0.0)]
    assert differing(rows, lambda key: Likeness(source, {key: 1.0}).at(place)) == []
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


NEAREST = [
    ({"pear": 1.0, "rot": 0.5}, [1, 2]),
    ({"pear": 0.5, "rot": 1.0}, [2, 1]),
    ({"rot": 1.0, "plum": 1.0}, [2]),
    ({"zebra": 1.0}, []),
    ({"appl": 1.0, "plum": 1.0}, [0, 2]),  # alike: the first one leads
]


def test_the_nearest_units_hold_most_of_the_weight():
    source = source_of("Apples grow.", "Pears fall.", "Plums rot.")
    assert differing(NEAREST, lambda around: source.nearest(around, 4)) == []
    assert source.nearest({"appl": 1.0, "plum": 1.0}, 1) == [0]
    # What stands above decides between those that hold as much.
    source = source_of("Basic plan\n\nIt costs little.", "Pro plan\n\nIt costs little.")
    assert source.nearest({"cost": 1.0, "pro": 0.1}, 1) == [source.unit_of[-1]]
    many = source_of("Apples grow. " * (_MOST_UNITS + 5))
    assert len(many.nearest({"appl": 1.0}, 1000)) == _MOST_UNITS
