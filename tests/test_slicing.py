"""Patterns in slices: what they find, and how much one call reads."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.prompt import boundary_lines, extents, marks, passages, questions, reading
from streamguard.text.patterns import (
    REACH_CHARS,
    SLICE_CHARS,
    TURN_CHARS,
    _Sliced,
    reading_in_turns,
    sliced_re,
)
from streamguard.wire.requests.shown import context_of

MODULES = (boundary_lines, marks, passages, extents, questions, reading)
PROMPT = (
    "Context:\n" + "[1] plans.md\nThe Basic plan costs $49.\n\n" * 5_000 + "Question: how much?"
)
LONG = {"word": "word " * 2_100, "lines": "a\n" * 5_300, "spaces": " " * 10_500}  # over a slice


class Counted:
    """The engine's pattern, which notes from where to where each call reads."""

    def __init__(self, source, flags=0):
        self._pattern = re.compile(source, flags)
        self.read = []

    def __getattr__(self, name):
        return getattr(self._pattern, name)

    def search(self, text, begin, end):
        self.read.append(end - begin)
        return self._pattern.search(text, begin, end)


def spans(found):
    return [each.span() for each in found]


PIECES = st.sampled_from([
    *LONG.values(), "Context:\n", "\n[3] title ", "Source 1: x\n", "<context>", "</context>",
    "Question: why?\n", "**Answer:**", "=====\n", "\n\n", " ", "Using the following excerpts,\n",
    "Here are the relevant documents:", "using it, answer the question:", "1. first\n", "é", "\t",
    "cite your sources", "════ DOCUMENT CONTEXT START ════\n", "[C1] ", "=" * 40,
])  # fmt: skip
SOURCES = [
    value for module in MODULES for value in vars(module).values() if isinstance(value, _Sliced)
]


@given(st.lists(PIECES, max_size=8).map("".join), st.sampled_from(SOURCES))
def test_slices_find_what_the_whole_does(text, pattern):
    whole = pattern._whole
    assert spans(pattern.finditer(text)) == spans(whole.finditer(text))
    assert pattern.sub("-", text) == whole.sub("-", text)


def test_the_end_of_what_was_read_is_not_the_end_of_a_line():
    line = "[1] " + "x" * 3 * SLICE_CHARS
    found = sliced_re(r"^\[1\][^\n]*$", re.MULTILINE).search(f"{line}\nnext")
    assert found.group() == line
    assert sliced_re(r"^\[1\]x*$", re.MULTILINE).search("[1]" + "x" * 40_000 + "!\n") is None
    assert sliced_re(r"\n[ \t]*\n").split("a\n \nb\n\nc") == ["a", "b", "c"]


SHAPES = {
    "marks": PROMPT,
    "tags": "<context>" + '<document id="1">It costs $49.</document>\n' * 2_000 + "</context>",
    "one text": "The Basic plan costs $49 and more words. " * 2_000,
    "short lines": "a\n" * 30_000,
    "rules": "Context:\n" + "-----\nIt costs $49.\n" * 3_000 + "Question: how much?",
    "rules alone": "Context:\n=====\n" + "---\n" * 6_000 + "It costs $49.\n=====\n",
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("role", [pytest.param("system", marks=pytest.mark.slow), "user"])
def test_between_two_pauses_no_more_than_a_turn_is_read(monkeypatch, shape, role):
    read = [0]

    class Noting(Counted):
        def search(self, text, begin, end):
            found = self._pattern.search(text, begin, end)
            read[-1] += (found.end() if found else end) - begin
            return found

    for module in MODULES:
        for name, value in vars(module).items():
            if isinstance(value, _Sliced):
                noting = Noting(value._whole.pattern, value._whole.flags & ~re.UNICODE)
                monkeypatch.setattr(module, name, _Sliced(noting))
    messages = [{"role": role, "content": SHAPES[shape]}]
    whole = context_of(messages)
    with reading_in_turns(lambda: read.append(0)):
        assert context_of(messages) == whole
    assert len(read) > len(SHAPES[shape]) / TURN_CHARS
    assert max(read[1:]) <= TURN_CHARS + SLICE_CHARS + REACH_CHARS
