"""Lists of texts in little memory: they say what a list says."""

import gc
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.text import texts
from streamguard.text.texts import Texts


@pytest.fixture
def small(monkeypatch):
    """Pack early, so that lists of a few texts have kept, packed and new ones."""
    monkeypatch.setattr(texts, "KEPT", 3)
    monkeypatch.setattr(texts, "BLOCK", 4)
    monkeypatch.setattr(texts, "MOST_OPEN", 2)


@pytest.mark.usefixtures("small")
def test_texts_say_what_a_list_says():
    @given(st.lists(st.lists(st.text(), max_size=9), max_size=9), st.data())
    def check(parts, data):
        found, expected = Texts(), []
        for part in parts:
            found.extend(part)
            expected += part
        assert len(found) == len(expected)
        assert [*found] == expected
        first, end = (data.draw(st.integers(0, len(expected) + 2)) for _ in range(2))
        assert found[first:end] == expected[first:end]
        assert [found[at] for at in range(len(expected))] == expected

    check()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("odd", ["a\0b", "\0", "\ud800", ""])
def test_a_text_of_any_characters_comes_back(odd):
    found = Texts()
    found.extend(["a", "b", "c", "d", odd, "e", "f", "g"])
    assert found[4] == odd
    assert found[2:6] == ["c", "d", odd, "e"]


def test_many_texts_take_little_memory_and_it_is_estimated():
    gc.collect()
    tracemalloc.start()
    try:
        found = Texts()
        for number in range(60_000):
            found.extend([f"#{number}"])
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    kept = texts.KEPT * 60  # texts that are kept as they are
    assert held < 60_000 * 20
    assert (held - kept) / 2 < found.held_bytes < 2 * held
