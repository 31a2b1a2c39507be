"""Citation marks of products: what they name, and that they end and break nothing."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamguard import Context, RetrievedChunk, StreamGuard, check_text
from streamguard.core.reading.markers import Labels, read_marks
from streamguard.testing import feed_every_way
from streamguard.text.citation_forms import FORMS
from streamguard.text.citations import find_marks
from streamguard.text.segmenter import Segmenter
from tests.kit.tables import differing

TEXTS = (
    "The library opens at 9 on weekdays and lends 12 books to a reader.",
    "A reader's card costs €15 a year and is free for pupils.",
    "Late books cost 30 cents a day, up to €6 a book.",
)
NAMED = [
    RetrievedChunk(TEXTS[0], id="hours-1", source="https://lib.example/hours_(new)"),
    RetrievedChunk(TEXTS[1], id="b7f3", source="kb/cards.md"),
    RetrievedChunk(TEXTS[2], id="doc9", source="kb/late fees.pdf"),
]
# A mark behind a sentence that the second passage supports, and one behind one of the third, with
# passages that have no ids.
BY_PLACE = [
    ("[2]", "[3]"), ("[C2]", "[C3]"), ("[doc2]", "[doc3]"), ("[citation:2]", "[citation:3]"),
    ("[cite: 2]", "[cite: 3]"), ("[^2]", "[^3]"), ("[^2^]", "[^3^]"), ("[ref_2]", "[source_3]"),
    ("[2](https://a.example/b)", "[3](https://a.example/c_(d).pdf)"),
    ("[[2]](https://a.example/x%20(y).docx)", "[[3]](https://a.example/z)"),
    ("([2](https://a.example/b))", "([3](https://a.example/b))"), ("[ID:1]", "[ID: 2]"),
    ("##1$$", "##2$$"), ("【2】", "【C3】"), ("【7:1†cards.md】", "【7:2†late fees.pdf】"),
    ("<sup>2</sup>", "<sup>[3]</sup>"), ("<sup><a href='#c'>2</a></sup>", "<sup>3</sup>"),
    ("²", "³"),
    ("\ue200cite\ue202turn0search1\ue201", "\ue200filecite\ue202turn0file2\ue202L1\ue201"),
    ("citeturn0search1", "citeturn0file2L1-L9"), ("<ref:2>", "<|cite:3|>"),
    (":contentReference[oaicite:1]{index=1}", ":contentReference[oaicite:2]{index=2}"),
    ("<source id=\"2\"/>", "<ref id='3'></ref>"), ("<cite>2</cite>", "<ref>3</ref>"),
    ("(Source 2)", "(see Document 3)"), ("(C2)", "(c3)"), ("(Source 2, p. 4)", "(C3)"),
    ("[Source: 2]", "[Source: C3]"), (r"\ue202turn0search1", r"\ue200\ue202turn0file2\ue201"),
    ("\ue202turn0search1", "turn0news2"), ("</co: 0:[1]>", "</co: 1:[2]>"),
    ("<citations>2</citations>", "<source_id>3</source_id>"), ("[来源2]", "(출처 3)"),
    ("[Bron 2]", "[Источник 3]"), ('<a href="#r2">[2]</a>', '<a href="/r/3">3</a>'),
]  # fmt: skip
BY_NAME = [
    ("[b7f3]", "[doc9]"), ("<inref id=\"b7f3\"/>", "<inref id=\"doc9\"/>"), ("[@b7f3]", "[@doc9]"),
    (r"\cite{b7f3}", r"\citep{doc9}"), ("(Source: cards.md)", "(Source: late fees.pdf)"),
    ("[Source: cards.md]", "[Source: kb/late fees.pdf]"), ("(cards.md)", "[late fees.pdf]"),
    ("【1:0†cards.md】", "【1:0†late fees.pdf】"),
    ("<cite>cards.md</cite>", "<source>doc9</source>"),
    ("[the card](kb/cards.md)", "[here](kb/late%20fees.pdf) [doc9]"),
    ("[b7f3, hours-1]", "[doc9; b7f3]"), ("(cards.md, p. 3)", "(late fees.pdf, page 2)"),
    ("[cards.md:12-14]", "[late fees.pdf#L3-L9]"), ("(出典: cards.md)", "【来源：late fees.pdf】"),
    ("[@b7f3, p. 3]", "(late fees.pdf)"), ("(Source: cards.md, pages 3-4)", "[@doc9; @b7f3, S. 3]"),
]  # fmt: skip
SAID = ("A reader's card costs €15 a year", "Late books cost 30 cents a day")


def result_of(answer, chunks):
    context = Context(query="What does it cost?", chunks=chunks, citations_requested=True)
    return check_text(answer, context=context)


def result_of_every_split(answer, chunks):
    context = Context(query="What does it cost?", chunks=chunks, citations_requested=True)

    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    return feed_every_way(answer, read)


def cited(answer, chunks):
    """Return the cited chunks of each sentence, and what was found beside."""
    result = result_of(answer, chunks)
    checks = {finding.check for finding in result.findings}
    return [each.cited_chunks for each in result.sentences], result.status, checks


@pytest.mark.parametrize("form", ["{0} {1}.\n{2} {3}.\n", "{0}. {1} {2}. {3}\n"])
def test_marks_name_passages_by_place_wherever_they_stand(form):
    answer = "".join(form.format(SAID[0], one, SAID[1], other) for one, other in BY_PLACE)
    result = result_of_every_split(answer, TEXTS)
    found = [(answer[each.start : each.end], each.cited_chunks) for each in result.sentences]
    assert len(found) == 2 * len(BY_PLACE)
    expected = [(text, (("C2",), ("C3",))[number % 2]) for number, (text, _) in enumerate(found)]
    assert found == expected
    assert {finding.check for finding in result.findings} <= {"self_contradiction"}
    assert result.citation_density == 1.0


def test_marks_name_passages_by_id_file_or_address():
    answer = "".join(f"{SAID[0]} {one}.\n{SAID[1]} {other}.\n" for one, other in BY_NAME)
    result = result_of_every_split(answer, NAMED)
    found = [(answer[each.start : each.end], each.cited_chunks) for each in result.sentences]
    assert len(found) == 2 * len(BY_NAME)
    rows = [
        (text, cited, ("b7f3", "doc9")[n % 2] in cited) for n, (text, cited) in enumerate(found)
    ]
    assert [row for row in rows if not row[-1]] == []
    assert {finding.check for finding in result.findings} <= {"self_contradiction"}


def test_every_form_of_the_table_is_found_by_its_example():
    rows = [(form, form.name) for form in FORMS]

    def read(form):
        text = f"word {form.example}{'' if form.within else ' so'}"
        return next(mark.form.name for mark in find_marks(text) if mark.form)

    assert differing(rows, read) == []


def test_marks_behind_a_full_stop_belong_to_the_sentence_before():
    opening = {"grounded span", "element around words", "address", "source line", "numbered source"}
    rows = [
        (f"It opens at nine.{gap}{form.example} It closes at ten.", 2)
        for form in FORMS
        for gap in ("", " ")
        if form.name not in opening and (gap or form.name != "lost signs") and not form.within
    ]

    def cut(pieces):
        segmenter = Segmenter()
        spans = [span for piece in pieces for span in segmenter.feed(piece)]
        return [*spans, *segmenter.close()]

    assert differing(rows, lambda text: len(feed_every_way(text, cut))) == []
    rows = [
        ("He sat. <b>She</b> left.", 1), ("It is 5 °C. ¹ Then it rose.", 2), ("One. <sup>2", 1),
        ("It is so. 【1†A. B】 It is.", 2), ("So. [[1]](a b) It", 2), ("So. ## 3 It", 2),
        ("It is so. [1](https://x.example/a_(b)_c) It is.", 2), ("So. (C1) It is.", 2),
        ("See 【4:1†Plan. Basic.md】 for it. It is.", 2), ("x. \ue200cite\ue202turn0", 1),
    ]  # fmt: skip
    assert differing(rows, lambda text: len(feed_every_way(text, cut))) == []


PARTS = [form.example for form in FORMS] + [
    ". ", ".", " ", "It is so", "The plan", "costs $49", "[", "(", "<", "【", "\ue200cite", "](",
    ")", "]", ">", "^", "{", "\n", "x", "1", "¹", "##", "</cite>", "<sup>", "†", ":", "! ", "? He",
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_no_cut_in_a_mark_changes_the_sentences(text):
    def cut(pieces):
        segmenter = Segmenter()
        spans = [span for piece in pieces for span in segmenter.feed(piece)]
        return [*spans, *segmenter.close()]

    feed_every_way(text, cut)


NO_MARKS = [
    # Powers, units, chemistry, intervals, indexes, links and code are words of the answer.
    "It has 10² and 5 m² and 3 km³ or x².", "It is 40 mile² of H₂O.", "It is 10<sup>6</sup> cells.",
    "So m<sup>2</sup>.", "An array [0, 100] by Smith [2023].", "It assembles [4Fe-4S] clusters.",
    "See [the plan](https://x.example).", "Use `rows[7]` and `[1]`.", "# Heading ## 3 $$ x", "(2)",
    "He said [sic] and [...].", "The source 2 metres away; Resource 2.", "Source 2.5 m",
    "a < b > c",
    "It costs [here]($59).", "(section 4) (sources vary) (see below)", "The cite turned out.",
    "\\frac{1}{2}", "[] () <> 【】",
]  # fmt: skip


def test_a_source_may_be_named_by_a_passage_s_title():
    chunks = [f"**OPENING HOURS - 2026**\n\n{TEXTS[0]}", f"# Reader's cards\n{TEXTS[1]}", TEXTS[2]]
    rows = [
        ("(Source: Opening hours)", [("C1",)]), ("[Source: opening hours – 2026]", [("C1",)]),
        ("(Source: Reader's cards)", [("C2",)]), ("(Source: Late books)", [()]),
        ("(Source: the list, C3)", [("C3",)]),
        ("(Source: opening hours; Reader's cards)", [("C1", "C2")]),
    ]  # fmt: skip
    assert differing(rows, lambda mark: cited(f"It is so {mark}.", chunks)[0]) == []


def test_what_only_looks_like_a_mark_cites_nothing():
    assert (
        differing([(text, ()) for text in NO_MARKS], lambda text: read_marks(text).citations) == []
    )


def test_a_bracket_that_the_passages_hold_is_no_mark():
    chunks = ["Call rows[7] for the eighth row.", "The interval is [3, 12] hours; use cols[0]."]
    rows = [
        ("Use rows[7] for it [1].", [("C1",)]), ("It is [3, 12] hours [2].", [("C2",)]),
        ("Use cols[5] for it [2].", [("C2",)]), ("Both are so [1, 2].", [("C1", "C2")]),
        ("It costs months[1].", [("C1",)]),
    ]  # fmt: skip

    def read(text):
        found, _, checks = cited(text, chunks)
        return found if "citation_unknown" not in checks else checks

    assert differing(rows, read) == []
    assert "citation_unknown" in cited("Use lists[7] for it.", chunks)[2]


def test_a_place_that_no_passage_has_is_an_error_where_the_mark_counts_our_passages():
    wrong = ["[9]", "[doc9]", "[ID:3]", "##3$$", "[^4]", "(C9)", "[9](https://a.example)", "【9】"]
    assert differing(
        [(mark, True) for mark in wrong],
        lambda mark: "citation_unknown" in cited(f"{SAID[0]} {mark}.", TEXTS)[2],
    ) == []  # fmt: skip
    # An id like those of the passages, which none has.
    assert (
        "citation_unknown" in cited(f"{SAID[0]} [doc2].", [RetrievedChunk(TEXTS[1], id="doc1")])[2]
    )
    others = ["【4:9†x】", "<sup>9</sup>", "⁹", "citeturn3search9", "<inref id=\"zz\"/>",
              "[@zz]", "【13†L3-L5】", "(Source: zz.md)", "<ref:9>",
              ":contentReference[oaicite:9]"]  # fmt: skip
    rows = [(mark, ([()], True, False)) for mark in others]

    def read(mark):
        result = result_of(f"{SAID[0]} {mark}.", TEXTS)
        checks = {finding.check for finding in result.findings}
        found = [each.cited_chunks for each in result.sentences]
        return found, result.citation_density == 1.0, "citation_unknown" in checks

    assert differing(rows, read) == []


def test_numbers_of_marks_are_no_values():
    marks = ["【47:1†x】", "\ue200cite\ue202turn47search48\ue201", "<inref id=\"a47\"/>", "[ID:1]",
             "[2](https://a.example/47/48)", "(C2)", "[see](https://a.example/page-47)",
             "##1$$", "<co: 47>", "</co: 47>"]  # fmt: skip
    rows = [(mark, True) for mark in marks]

    def read(mark):
        checks = {one.check for one in result_of(f"{SAID[0]} {mark}.", TEXTS).findings}
        return checks.isdisjoint({"unsupported_value", "contradicted_value"})

    assert differing(rows, read) == []


def test_superscripts_without_a_space_are_one_number_or_several():
    labels = Labels([RetrievedChunk("a")] * 3).folded
    rows = [("so¹²", 3, ["C1", "C2"]), ("word¹²", 12, ["C12"]), ("word²,³", 3, ["C2", "C3"])]

    def read(text, passages):
        return [one.label for one in read_marks(f"A {text}.", labels, passages).citations]

    assert differing(rows[1:], read) == []
    assert read("word¹²", 3) == ["C1", "C2"]
    assert read("so¹²", 3) == []  # a word of two letters may be a unit


@pytest.mark.parametrize(
    "shape", ["[", "[1", "[[1]](", "【1:", "<cite ", "<sup>", "\ue200cite", "(C1, ", "([", "a² ",
              "cite", "citeturn0file0", "](", "](a(", "\\cite{", "Source 1, ",
              ":contentReference["],
)  # fmt: skip
def test_hostile_texts_are_searched_in_linear_time(shape):
    def took(times):
        text = shape * times
        before = time.process_time()
        for _ in find_marks(text):
            pass
        return time.process_time() - before

    took(10)
    # 16 times the text may take 16 times as long; a square would take 256 times.
    assert took(8_000) < 64 * max(0.002, took(500))
