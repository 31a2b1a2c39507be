"""The passages as units, what stands above them, and how alike a place is to surroundings."""

from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.facts import columns
from streamguard.core.facts.source import Likeness
from tests.kit.tables import differing
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
    ((LIST,), "#monday", "open hour guest may use pool"),
    ((LIST,), "towel", "open hour #sunday #11:00"),
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
    assert not {"#49", "basic"} & pro.keys
    assert [source.keys[place] for place in source.places_below("pric")] == ["#49", "#99"]
    assert source.places_below("basic") == ()


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


def test_a_context_of_many_units_keeps_few_of_them_as_objects(monkeypatch):
    monkeypatch.setattr(columns, "_MOST_KEPT", 3)
    source = source_of(ORCHARD, LIST, TABLE)
    rows = [source.units[number] for number in range(source.units.count)]
    again = [source.units[number] for number in range(source.units.count)]
    assert rows == again
    assert [row.number for row in rows] == sorted(row.number for row in rows)


def test_the_values_of_the_slots_are_found_by_place_and_in_order():
    source = source_of(TABLE)
    places = list(source.anchors)
    assert [source.anchors[place].text for place in places] == ["2024", "$49", "1", "$99", "5"]
    assert len(source.anchors) == 5
    assert all(place in source.anchors for place in places)
    assert places[0] + 1 not in source.anchors
    assert len(source.keys) not in source.anchors
    assert source.anchors.get(len(source.keys)) is None
    assert source.anchors.get(places[0] + 1) is None
