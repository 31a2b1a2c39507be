"""Blocks of passages: read in bounded steps, once for all contexts, and forgotten again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.index import blocks
from streamguard.core.index.blocks import REMEMBERED, read_block

TEXT = "The Basic plan costs $49 per month. The Pro plan costs $99.\n- Refunds: within 14 days."
PIECES = st.lists(st.sampled_from([*TEXT.split(" "), "\n", "| a | $5 |", "…", "Ⅻ", "\ud800"]))


@pytest.fixture(autouse=True)
def forgotten():
    REMEMBERED.clear()
    yield
    REMEMBERED.clear()


def read(text):
    """Return what is read of a block, and the characters of each step."""
    steps, reading = [], read_block(text)
    while True:
        try:
            steps.append(next(reading))
        except StopIteration as over:
            return over.value, steps


@given(PIECES)
def test_what_is_remembered_is_what_is_read(pieces):
    text = " ".join(pieces)
    first, _ = read(text)
    REMEMBERED.clear()
    assert read(text)[0] == first


def test_the_sentences_of_a_long_block_are_read_in_parts():
    found, _ = read("Filler words stand here in a row. " * 200)
    assert len([part for part in found.parts if part.sentences]) > 1
    assert sum(len(part.sentences) for part in found.parts) == 200


def test_what_was_not_asked_for_in_two_generations_is_forgotten(monkeypatch):
    monkeypatch.setattr(blocks, "MOST_CHARS", 100)
    texts = [f"{number}: {'word ' * 9}" for number in range(9)]  # three fill a generation
    kept = read("Always asked for.")[0]
    for text in texts:
        read(text)
        assert read("Always asked for.")[0] is kept
    assert REMEMBERED.find(texts[0]) is None
    assert REMEMBERED.find(texts[-1]) is not None
