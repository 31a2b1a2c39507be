import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.errors import StreamStateError
from streamguard.testing import feed_every_way
from streamguard.text.segmenter import KEPT_CHARS, MAX_SENTENCE_CHARS, Segmenter
from tests.cases.segmentation import CASES
from tests.kit.tables import differing

# Pieces that decide about one another: marks, closers, citations, list marks, fences, openings.
NASTY = (
    "a|Word|word| |  |\t|\n|\r\n|\r|\u2028|.|!|?|...|…| . . .|,|`|``|```|~~~|[|]|(|)|[1]| [C1]|"
    "(Source: x)|【|】|**|*|_|\"|'|“|”|»|1.|2.|2)|1)|3.)|• |- |# |> |。|？|」|と|😀| 👍🏽|e.g.|"
    "U.S.|Dr.|Inc.|p.m.|At 5 a.m. |Mr.|I.|J.|The|the|Don't|It’s|http://x.y/z?q=1|3.14|No. |5|<b>|"
    "</b>|¹|\ud83d|\u200b|etc.|link](u)|(p. |Abcdefghijklmnopqrstuvwxyz|" + "aaaa bbb " * 12
).split("|")
NASTY += ["| ", "|"]
nasty_texts = st.lists(st.sampled_from(NASTY), max_size=40).map("".join)


def spans_of(pieces: Sequence[str]) -> list[tuple[int, int]]:
    segmenter = Segmenter()
    spans = [span for piece in pieces for span in segmenter.feed(piece)]
    return spans + segmenter.close()


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in feed_every_way(text, spans_of)]


def handed_out(pieces: Sequence[str]) -> list[tuple[tuple[int, int], int]]:
    """Return each span that came before the close, with the length of the text at that time."""
    segmenter, fed, found = Segmenter(), 0, []
    for piece in pieces:
        fed += len(piece)
        found += [(span, fed) for span in segmenter.feed(piece)]
    return found


def by_fours(text: str) -> tuple[Segmenter, int]:
    """Return a segmenter that was fed and closed, and how many spans it gave."""
    segmenter = Segmenter()
    count = sum(len(segmenter.feed(text[at : at + 4])) for at in range(0, len(text), 4))
    return segmenter, count + len(segmenter.close())


def test_hand_written_cases_come_out_under_every_split():
    rows = [(case, "⏐".join(filter(None, map(str.strip, case.split("⏐"))))) for case in CASES]
    assert differing(rows, lambda case: "⏐".join(sentences(case.replace("⏐", "")))) == []


@given(nasty_texts)
def test_spans_do_not_depend_on_the_cut_and_hold_all_that_is_no_white_space(text):
    spans = feed_every_way(text, spans_of)
    assert "".join(re.findall(r"\S", "".join(text[a:b] for a, b in spans))) == "".join(text.split())
    assert all(a < b for a, b in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)


@given(nasty_texts, st.lists(st.integers(0, 12), max_size=30))
def test_a_span_known_after_some_characters_is_handed_out_after_them_whatever_the_cut(text, sizes):
    by_character = handed_out(list(text))
    pieces, at = [], 0
    for size in [*sizes, len(text)]:
        pieces.append(text[at : at + size])
        at += size
    ends = [sum(map(len, pieces[: index + 1])) for index in range(len(pieces))]
    expected = [(span, min(end for end in ends if end >= fed)) for span, fed in by_character]
    assert handed_out(pieces) == expected


@given(st.integers(1_700, 2_300), nasty_texts, nasty_texts)
def test_spans_around_the_forced_boundary_do_not_depend_on_the_cut(length, head, tail):
    text = f"{head}{'x' * length}{tail}{'word ' * (length // 5)}{tail}"
    spans = feed_every_way(text, spans_of)
    assert all(end - start <= MAX_SENTENCE_CHARS for start, end in spans)


def test_close_decides_what_was_waiting_once_and_refuses_more():
    segmenter = Segmenter()
    segmenter.feed("He is Dr. ")
    assert segmenter.close() == [(0, 9)]
    assert segmenter.close() == []
    with pytest.raises(StreamStateError, match="feed was called after close; use a new Segmenter"):
        segmenter.feed("more")
    assert segmenter.close() == []
    assert sentences("One. [1] Two") == ["One. [1]", "Two"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("x" * 2_000 + ".", ["x" * 2_000, "."]),
        ("x" * 4_500, ["x" * 2_000, "x" * 2_000, "x" * 500]),
        ("x" * 1_900 + " " + "y" * 300, ["x" * 1_900, "y" * 300]),  # the white space is near
        ("x" * 1_700 + " " + "y" * 400, ["x" * 1_700 + " " + "y" * 299, "y" * 101]),
        ("x" * 1_999 + " " * 50 + "y", ["x" * 1_999, "y"]),
        (" " * 3_000 + "x" + " " * 5_000 + "y", ["x", "y"]),
        ("| " + "x" * 2_100 + " a. B |", ["| " + "x" * 1_998, "x" * 102 + " a. B |"]),  # a row
    ],
)
def test_a_sentence_is_cut_at_the_cap_or_at_white_space_near_it(text, parts):
    assert MAX_SENTENCE_CHARS == 2_000
    assert sentences(text) == parts


def test_waiting_does_not_read_again_what_was_read():
    text = "It grew. (Source: " + "a " * 40
    segmenter = Segmenter()
    for at in range(0, len(text), 4):
        segmenter.feed(text[at : at + 4])
    assert segmenter.chars_scanned <= 1.3 * len(text) + 200


@pytest.mark.parametrize(
    "shape", ["x", "x ", ".", " ", "\n", ". [", "`", '"', "1. ", "。", "It is. "]
)
def test_memory_is_bounded_by_the_longest_sentence(shape):
    segmenter = Segmenter()
    for _ in range(8_000 // len(shape)):
        segmenter.feed(shape)
        assert len(segmenter._buffer) <= MAX_SENTENCE_CHARS + KEPT_CHARS + 1


# Work counted instead of time: it grows by as much as the text, on shapes that break others.
HOSTILE = [
    "x", "X", "X ", ".", ". ", "?!", "…", " ", "\n", "\r\n", "\"", ".\"", "“”", "[", "]",
    ". [", ".[1]", "(", ".)", ". (Source: x ", ".【", "1. ", "1) 2) ", "• ", "- \n",
    "| a. B ", "`", "a ` b. ", "```\n", ".*", "A. ", "e.g. ", "Dr. ", "a.b/", "。」と",
    ". 😀", "👩\u200d", "\ud83d", ".¹", "~",
]  # fmt: skip


@pytest.mark.parametrize("shape", HOSTILE)
def test_work_grows_with_the_text(shape):
    less, more = (by_fours((shape * size)[:size])[0].chars_scanned for size in (1_500, 6_000))
    assert more <= 4.2 * less + 500
