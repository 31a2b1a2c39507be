import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.errors import StreamStateError
from streamguard.testing import feed_every_way
from streamguard.text.segmenter import KEPT_CHARS, MAX_SENTENCE_CHARS, Segmenter
from tests.segmentation_cases import CASES
from tests.tables import differing

# Pieces that decide about one another: marks, closers, citations, list marks, fences, openings.
NASTY = (
    "a|Word|word| |  |\t|\n|\r\n|\r|\u2028|.|!|?|...|…| . . .|,|`|``|```|~~~|[|]|(|)|[1]| [C1]|"
    "(Source: x)|【|】|**|*|_|\"|'|“|”|»|1.|2.|2)|1)|3.)|• |- |# |> |。|？|」|と|😀| 👍🏽|e.g.|"
    "U.S.|Dr.|Inc.|p.m.|At 5 a.m. |Mr.|I.|J.|The|the|Don't|It’s|http://x.y/z?q=1|3.14|No. |5|<b>|"
    "</b>|¹|\ud83d|\u200b|etc.|link](u)|(p. |Abcdefghijklmnopqrstuvwxyz|" + "aaaa bbb " * 12
).split("|")
NASTY += ["| ", "|"]
nasty_texts = st.lists(st.sampled_from(NASTY), max_size=40).map("".join)


def spans_of(pieces: Sequence[str], language: str = "en") -> list[tuple[int, int]]:
    segmenter = Segmenter(language)
    spans = [span for piece in pieces for span in segmenter.feed(piece)]
    return spans + segmenter.close()


def sentences(text: str, language: str = "en") -> list[str]:
    spans = feed_every_way(text, lambda pieces: spans_of(pieces, language))
    return [text[start:end] for start, end in spans]


def handed_out(pieces: Sequence[str]) -> list[tuple[tuple[int, int], int]]:
    """Return each span that came before the close, with the length of the text at that time."""
    segmenter, fed, found = Segmenter(), 0, []
    for piece in pieces:
        fed += len(piece)
        found += [(span, fed) for span in segmenter.feed(piece)]
    return found


def test_hand_written_cases_come_out_under_every_split():
    def marked(language, case):
        return "⏐".join(sentences(case.replace("⏐", ""), language))

    rows = [(tag, case, "⏐".join(filter(None, map(str.strip, case.split("⏐")))))
            for tag, case in CASES]  # fmt: skip
    assert differing(rows, marked) == []


@given(nasty_texts)
def test_spans_do_not_depend_on_the_cut(text):
    feed_every_way(text, spans_of)


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


@given(nasty_texts)
def test_spans_hold_all_that_is_not_white_space_in_order(text):
    spans = spans_of([text])
    assert "".join(re.findall(r"\S", "".join(text[a:b] for a, b in spans))) == "".join(text.split())
    assert all(a < b for a, b in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)


@given(st.integers(1_700, 2_300), nasty_texts, nasty_texts)
def test_spans_around_the_forced_boundary_do_not_depend_on_the_cut(length, head, tail):
    text = f"{head}{'x' * length}{tail}{'word ' * (length // 5)}{tail}"
    spans = feed_every_way(text, spans_of)
    assert all(end - start <= MAX_SENTENCE_CHARS for start, end in spans)


def test_a_sentence_is_handed_out_when_the_next_one_begins():
    segmenter = Segmenter()
    assert segmenter.feed("One.") == []
    assert segmenter.feed(" ") == []
    assert segmenter.feed("T") == [(0, 4)]


def test_a_line_is_handed_out_with_its_newline():
    assert Segmenter().feed("- item\n") == [(0, 6)]


def test_an_abbreviation_waits_for_the_next_word():
    segmenter = Segmenter()
    assert segmenter.feed("In the U.S. Sen") == []
    assert segmenter.feed("ate. ") == []
    segmenter = Segmenter()
    assert segmenter.feed("In the U.S. How ") == [(0, 11)]


def test_a_citation_waits_for_its_bracket():
    segmenter = Segmenter()
    assert segmenter.feed("It grew. [C1, C") == []
    assert segmenter.feed("2] I") == [(0, 17)]


def test_a_citation_that_never_closes_is_no_citation():
    segmenter = Segmenter()
    assert segmenter.feed("It grew. [1" + " and" * 25) == []
    assert segmenter.feed(" and" * 10) == [(0, 8)]


def test_close_hands_out_the_rest_once():
    segmenter = Segmenter()
    segmenter.feed("The rest. ")
    assert segmenter.close() == [(0, 9)]
    assert segmenter.close() == []


def test_close_decides_what_was_waiting():
    assert sentences("One. [1] Two") == ["One. [1]", "Two"]
    assert sentences("He is Dr.") == ["He is Dr."]


def test_feed_after_close_is_refused():
    segmenter = Segmenter()
    segmenter.close()
    with pytest.raises(StreamStateError, match="feed was called after close; use a new Segmenter"):
        segmenter.feed("more")
    assert segmenter.close() == []


def test_a_sentence_of_exactly_the_cap_stays_whole():
    text = "x" * MAX_SENTENCE_CHARS
    assert sentences(text) == [text]
    assert sentences(text + ".") == [text, "."]


def test_a_longer_one_is_cut_at_the_cap():
    assert [len(part) for part in sentences("x" * 4_500)] == [2_000, 2_000, 500]


def test_a_longer_one_is_cut_at_the_last_white_space_near_the_cap():
    text = "x" * 1_900 + " " + "y" * 300
    assert sentences(text) == ["x" * 1_900, "y" * 300]
    far = "x" * 1_700 + " " + "y" * 400
    assert [len(part) for part in sentences(far)] == [2_000, 101]


def test_white_space_at_the_cap_belongs_to_nobody():
    assert sentences("x" * 1_999 + " " * 50 + "y") == ["x" * 1_999, "y"]
    assert sentences(" " * 3_000 + "x") == ["x"]
    assert sentences("x" + " " * 5_000 + "y") == ["x", "y"]


def test_a_long_table_row_stays_undivided_after_the_cap():
    row = "| " + "x" * 2_100 + " a. B c. D |"
    assert [len(part) for part in sentences(row)] == [2_000, len(row) - 2_000]


def test_the_switch_keeps_small_letters_in_the_sentence():
    chat = Segmenter(lower_case=False)
    assert chat.feed("it broke. then it worked. Good.") == [(0, 25)]


@pytest.mark.parametrize("language", ["xx", "", "zh-Hant", "EN_us", "de-CH"])
def test_any_language_tag_is_accepted(language):
    assert len(spans_of(["One thing. Two things."], language)) == 2


PROSE = (
    "The battery of the new model lasts for 1.5 days, they say. It costs $499 (in the U.S.). [C1] "
)


def test_every_character_is_scanned_about_once():
    text = PROSE * 200
    segmenter = Segmenter()
    count = sum(len(segmenter.feed(text[at : at + 4])) for at in range(0, len(text), 4))
    count += len(segmenter.close())
    assert len(text) <= segmenter.chars_scanned <= 1.3 * len(text) + 200 * count


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
    "| a. B ", "`", "a ` b. ", "```\n", ".*", ".<", "A. ", "e.g. ", "Dr. ", "a.b/", "。」と",
    ". 😀", "👩\u200d", "\ud83d", ".¹", "~",
]  # fmt: skip


@pytest.mark.parametrize("shape", HOSTILE)
def test_work_grows_with_the_text(shape):
    def work(length: int) -> int:
        segmenter = Segmenter()
        text = (shape * length)[:length]
        for at in range(0, length, 4):
            segmenter.feed(text[at : at + 4])
        segmenter.close()
        return segmenter.chars_scanned

    assert work(12_000) <= 4.2 * work(3_000) + 500
