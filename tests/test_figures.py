"""Figures of bare digits: their slots say what indexes of words, keys and pairs would say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard import Context
from streamguard.core.index import blocks
from streamguard.core.names.reading import Name
from streamguard.core.reading import slots

PARTS = (
    "5 7 12 345 2024 5 7 12 $5 5% 5kg 5-7 1,234 3.5 007 v5 (12) 12: x5 5th 12/7 5's 5_7 7 kg of and"
    " Windows tickets | || \n 5 million 12\t7 [5] -5 '5' 5, 7. 5; １２"
).split(" ")
WORDS = ["5", "7", "12", "345", "2024", "234", "007", "kg", "windows", "tickets", "１２"]


def told_of(texts):
    """Return all that the index says of figures and their neighbours."""
    blocks.REMEMBERED.clear()
    context = Context(query="What?", chunks=texts)
    context.prepare()
    index = context.evidence
    assert index is not None
    assert not index.failures
    pairs = [[one, other] for one in WORDS for other in WORDS]
    names = [Name(0, 9, " ".join(words), (*words,), False) for words in (*pairs, *zip(WORDS))]
    return (
        [index.tokens.holds(word) for word in WORDS],
        [index.tokens.counts_of_chunks([word]).get(word, 0) for word in WORDS],
        [index.tokens.held_pairs(pair) for pair in pairs],
        [list(index.keys.sentences_with(f"#{word}")) for word in WORDS],
        [index.keys.near(f"#{one}", f"#{other}", 3) for one, other in pairs],
        [*map(index.find_name, names)],
    )


@pytest.mark.parametrize("limit", [None, 3])
def test_an_index_that_leaves_figures_to_their_slots_says_the_same(limit):
    @given(st.lists(st.lists(st.sampled_from(PARTS), max_size=12).map(" ".join), max_size=3))
    def check(texts):
        with pytest.MonkeyPatch.context() as patch:
            if limit is not None:
                patch.setattr("streamguard.text.places.SEALED_AT", limit)
            found = told_of(texts)
            patch.setattr(blocks, "figures_of", lambda slots, marks: (frozenset(), frozenset()))
            patch.setattr(slots, "ALONE", 0)
            patch.setattr("streamguard.core.facts.source.ALONE", 0)
            assert found == told_of(texts)

    check()


def test_most_figures_of_a_list_of_numbers_are_left_to_their_slots():
    context = Context(query="What?", chunks=["17 4 1999 23\n5 12 8\n| 4 | 17 | 8 |\n"])
    context.prepare()
    index = context.evidence
    assert index is not None
    assert index.source.figures("17") == [0, 8]
    assert index.source.are_joined("1999", "23")
    assert index.source.are_joined("4", "17")
    assert not index.source.are_joined("23", "12")
    assert index.source.figures("x") == []


@given(st.lists(st.sampled_from(PARTS), max_size=20).map(" ".join))
def test_the_slots_of_a_number_are_those_whose_values_were_written_with_it(text):
    context = Context(query="What?", chunks=[text])
    context.prepare()
    index = context.evidence
    assert index is not None
    anchors = index.source.anchors
    for number in {anchor.number for anchor in anchors.values()}:
        expected = [place for place, anchor in anchors.items() if anchor.number == number]
        assert list(index.source.numbered(number)) == expected
