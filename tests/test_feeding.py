import pytest

from tests.feeding import every_split, feed_every_way


def test_every_split_joins_to_the_text():
    assert all("".join(pieces) == "Hello, wörld!" for pieces in every_split("Hello, wörld!"))


def test_every_split_holds_empty_pieces_and_single_characters():
    splits = list(every_split("some text"))
    assert list("some text") in splits
    assert any("" in pieces for pieces in splits)


def test_feed_every_way_catches_a_reader_that_depends_on_the_cut():
    with pytest.raises(AssertionError, match="whole gives"):
        feed_every_way("abcdef", len)
