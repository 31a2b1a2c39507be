"""Anchors come back from their packed form as they were, to the last digit."""

from decimal import Decimal

import pytest

from streamguard.values import packed, read_anchors
from streamguard.values.packed import PackedAnchors

TEXT = """It costs $1,200.50 per user per month, about 3.0 kg, 5-7 days, £8.7 million once, 40 %,
on 3 March 2024 or 04/05/2024, at 7.30 or 8-17, at 9:30 pm, version 3.11.2, order AB-1234, twice a
year, three ways, the 2nd of 12 tickets, 1.50 and 1.5 and 350 degrees, $0.00, 12,400 tickets in 2023
and 1e3, 20 pounds, -3 °C, between 1.5 and 2.50 million euros, ½ cup, Q3 2021, 14:00-15:30."""


@pytest.fixture(autouse=True)
def all_packed(monkeypatch):
    monkeypatch.setattr(packed, "KEPT", 2)


def exactly(anchor):
    return [(type(field), str(field), field) for field in anchor]


@pytest.mark.parametrize("text_of", [None, lambda block: TEXT, lambda block: TEXT[:200]])
def test_anchors_come_back_as_they_were(text_of):
    anchors = read_anchors(TEXT)
    kept = PackedAnchors(text_of)
    assert kept.extend(7, anchors[:9]) == 0
    assert kept.extend(7, anchors[9:20]) == 9
    assert kept.extend(9, anchors[20:]) == 20
    assert [*map(kept.number_of, anchors[20:])] == list(range(20, len(anchors)))
    assert [kept.block_of(number) for number in (0, 19, 20, len(anchors) - 1)] == [7, 7, 9, 9]
    assert len(kept) == len(anchors) > 25
    assert [*map(exactly, map(kept.__getitem__, range(len(kept))))] == [*map(exactly, anchors)]
    assert len({anchor.kind for anchor in anchors}) >= 8


def test_equal_precisions_that_are_written_unlike_are_kept_apart():
    anchor, kept = read_anchors("5 of 7 things")[0], PackedAnchors()
    written = ("0.5", "0.50", "0.5", "0.500")
    for digits in written:
        kept.extend(0, [anchor._replace(precision=Decimal(digits))])
    assert [str(kept[number].precision) for number in range(4)] == list(written)


def test_an_anchor_that_is_none_of_the_last_block_joins_it():
    anchors, kept = read_anchors(TEXT), PackedAnchors(lambda block: TEXT)
    kept.extend(3, anchors[:5])
    other = anchors[0]._replace(period="week")
    assert kept.number_of(other) == 5
    assert kept.number_of(other) == 5
    assert kept.block_of(5) == 3
    assert exactly(kept[5]) == exactly(other)


def test_an_anchor_that_its_text_tells_takes_few_bytes():
    text = " ".join(f"{number} $4.50" for number in range(2_000, 4_000))
    anchors, kept = read_anchors(text), PackedAnchors(lambda block: text)
    kept.extend(0, anchors)
    kept.finish()
    assert kept.held_bytes < 8 * len(anchors) + 5_000
