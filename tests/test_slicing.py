"""Patterns in slices: what they find, and how much one call reads."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.prompt import citing, marks, passages, reading
from streamguard.core.reading import markers
from streamguard.text.patterns import lazy_re
from streamguard.text.slicing import REACH_CHARS, SLICE_CHARS, _Sliced, sliced_re

PROMPT = (
    "Context:\n" + "[1] plans.md\nThe Basic plan costs $49.\n\n" * 5_000 + "Question: how much?"
)
LONG = {"word": "word " * 5_000, "lines": "a\n" * 9_000, "spaces": " " * 20_000}


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


@pytest.mark.parametrize("source", [r"no such thing", r"^\[\d\][^\n]*$", r"\bplan\b"])
def test_no_call_reads_more_than_a_slice_and_all_together_read_the_text_about_once(source):
    counted = Counted(source, re.MULTILINE)
    found = spans(_Sliced(counted).finditer(PROMPT))
    assert found == spans(re.compile(source, re.MULTILINE).finditer(PROMPT))
    assert max(counted.read) <= SLICE_CHARS + REACH_CHARS
    # Calls that find something read up to there; the others a slice and a reach.
    calls = len(PROMPT) / SLICE_CHARS + 1
    assert sum(counted.read) <= (len(found) + calls) * (SLICE_CHARS + REACH_CHARS)
    assert len(counted.read) <= len(found) + calls


@pytest.mark.parametrize("module", [citing, marks, passages, reading])
def test_every_pattern_that_reads_a_prompt_does_so_in_slices(module):
    lazy = type(lazy_re("a"))
    whole = {name for name, value in vars(module).items() if isinstance(value, lazy)}
    assert whole <= {"_ATTRIBUTE", "_MENTIONED"}  # which read a tag, and what is next to one


PIECES = st.sampled_from([
    *LONG.values(), "Context:\n", "\n[3] title ", "Source 1: x\n", "<context>", "</context>",
    "Question: why?\n", "**Answer:**", "=====\n", "\n\n", " ", "Using the following excerpts,\n",
    "Here are the relevant documents:", "using it, answer the question:", "1. first\n", "é", "\t",
    "cite your sources", "════ DOCUMENT CONTEXT START ════\n", "[C1] ", "=" * 40,
])  # fmt: skip
SOURCES = [
    value
    for module in (citing, marks, passages, reading, markers)
    for value in vars(module).values()
    if isinstance(value, _Sliced)
]


@given(st.lists(PIECES, max_size=8).map("".join), st.sampled_from(SOURCES))
def test_slices_find_what_the_whole_does(text, pattern):
    whole = pattern._whole
    assert spans(pattern.finditer(text)) == spans(whole.finditer(text))
    assert pattern.sub("-", text) == whole.sub("-", text)


@pytest.mark.parametrize("before", range(-4, 5))
def test_a_match_across_the_border_of_two_slices_is_found(before):
    text = "x" * (SLICE_CHARS + before) + "needle" + "x" * SLICE_CHARS
    assert sliced_re("needle").search(text).start() == SLICE_CHARS + before
    assert sliced_re("needle").search(text, 0, SLICE_CHARS + before + 5) is None


def test_the_end_of_what_was_read_is_not_the_end_of_a_line():
    line = "[1] " + "x" * 3 * SLICE_CHARS
    found = sliced_re(r"^\[1\][^\n]*$", re.MULTILINE).search(f"{line}\nnext")
    assert found.group() == line
    assert sliced_re(r"^\[1\]x*$", re.MULTILINE).search("[1]" + "x" * 40_000 + "!\n") is None
    assert sliced_re(r"\n[ \t]*\n").split("a\n \nb\n\nc") == ["a", "b", "c"]
