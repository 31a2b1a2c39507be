"""How much work one step, one sentence and one answer take at most, counted in function calls."""

import sys

import pytest

from streamguard.core.checks import PATTERN_CHECKS
from streamguard.core.context import Context, Question
from streamguard.core.facts.comparing import WORK_AT_ONCE, WORK_PER_CHAR, Comparing
from streamguard.core.facts.said import MAX_COMPARED
from streamguard.core.index.blocks import REMEMBERED
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.machine.judging import _FREE_SENTENCES, _LEAST_MEAN
from streamguard.core.model.brought import Brought
from streamguard.core.validate import check_text
from streamguard.examiner import Examiner
from streamguard.testing import feed_every_way
from streamguard.text.patterns import compile_all
from streamguard.values import read_anchors
from tests.test_evidence import index

compile_all()  # else the first step of a process pays for it

PLAIN = ("The Basic plan costs $49 per month.", "Jane Miller leads Acme Corp.")
# Calls of functions in one step, each some tenths of a microsecond: measured 30,000 at most.
STEP_CALLS = 40_000
CHAR_CALLS = 180  # by each character of answer, question and passages: measured 138 at most


def sized(shape, chars):
    return (shape * (chars // len(shape) + 1))[:chars]


LISTED = "".join(f"{number}, " for number in range(1_000, 1_380))
SHAPES = {
    "prices and slashes": "$1 / $1 / ", "listed numbers": LISTED, "fraction slashes": "1\u20442",
    "vulgar fractions": "½", "digits and dollars": "$1$1",
    "ranges": "".join(f"{number}-{number + 3} km, " for number in range(300)),
    "dates": "".join(f"{number % 28 + 1} May {1900 + number}, " for number in range(200)),
    "names": "".join(f"A{chr(97 + n % 26)}{chr(97 + n // 26)} " for n in range(676)),
    "acronyms": "".join(f"{chr(65 + n % 26)}{chr(65 + n // 26)}X, " for n in range(676)),
    "tags": "[C1-C9] ", "clauses": "it is not, it may be, ", "short lines": "- $1\n",
    "cells": "| 1 | 2 | 3 ", "rows": "|1" * 200 + "|\n", "bullets": "- a\n",
    "capital words": "Ada ",
}  # fmt: skip


class Calls:
    """Counts calls of functions, ours and the interpreter's, while it is entered."""

    def __init__(self):
        self.count = 0

    def _called(self, _frame, event, _arg):
        self.count += event in ("call", "c_call")

    def __enter__(self):
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_error):
        sys.setprofile(None)


def calls_of(function, *args):
    """Return what a function returns, and how many calls that took."""
    with Calls() as calls:
        found = function(*args)
    return found, calls.count


def steps_of(answer, query, chunks):
    """Return the calls that every step of examining an answer takes."""
    counts = []
    REMEMBERED.clear()
    context = Context(query=query, chunks=chunks)
    while not context.evidence.ready:
        counts.append(calls_of(context.evidence.build_slice)[1])
    guard = StreamGuard(context)
    for at in range(0, len(answer), 64):
        counts.append(calls_of(guard.take, answer[at : at + 64])[1])
        while True:
            found, count = calls_of(guard.step)
            counts.append(count)
            if found is None:
                break
    while True:
        found, count = calls_of(guard.close_step)
        counts.append(count)
        if found is None:
            return counts


@pytest.mark.parametrize("beside", ["plain", pytest.param("the same", marks=pytest.mark.slow)])
@pytest.mark.parametrize("shape", SHAPES)
def test_no_step_and_no_character_takes_more_than_a_count(shape, beside):
    answer, chunks, query = sized(SHAPES[shape], 4_000), PLAIN, "What is it?"
    if beside == "the same":
        chunks, query = (sized(SHAPES[shape], 4_500),), sized(SHAPES[shape], 3_000)
    counts = steps_of(answer, query, chunks)
    assert max(counts) < STEP_CALLS
    assert sum(counts) < CHAR_CALLS * (len(answer) + len(query) + sum(map(len, chunks)))


@pytest.mark.parametrize("shape", ["listed numbers", "names", "prices and slashes"])
def test_one_piece_that_ends_a_long_sentence_is_done_with_in_later_ones(shape):
    context = Context(query="What is it?", chunks=PLAIN)
    context.prepare()
    guard = StreamGuard(context)
    guard.feed(sized(SHAPES[shape], 2_000)[:1_990])
    _, count = calls_of(guard.feed, ". Next one")
    assert count < 2 * STEP_CALLS
    assert guard.working
    assert guard.behind
    found = []
    while (some := guard.step()) is not None:
        found += some
    assert not guard.working
    assert found == list(guard.close().findings[: len(found)])


def test_a_long_question_is_read_in_steps_before_the_first_sentence():
    context = Context(query=sized("Is it $1 or $2 per month? ", 20_000), chunks=PLAIN)
    context.prepare()
    guard = StreamGuard(context)
    guard.take("It costs $49. Next")
    counts = []
    while True:
        found, count = calls_of(guard.step)
        counts.append(count)
        if found is None:
            break
    assert len(counts) > 20_000 / 400
    assert max(counts) < STEP_CALLS


def test_question_times_answer_is_not_quadratic():
    def total(scale):
        question, answer = sized(LISTED, 4_000 * scale), sized(LISTED, 1_500 * scale)
        return sum(steps_of(answer, question, PLAIN))

    assert total(4) < 4.6 * total(1)


def test_a_question_is_read_the_same_in_blocks():
    text = "Does Jean-Luc Picard pay $49 in 2024? " * 30
    question = Question(text)
    assert question.keywords == Question("Does Jean-Luc Picard pay $49 in 2024?").keywords
    assert question.keys == frozenset(question.keywords)
    assert len(question.anchors) == 60
    assert len(question.words) == 30 * 7
    assert len([slot for slot in question.slots if slot.key == "#49"]) == 2  # more say no more


def test_work_on_one_answer_is_bounded_by_its_length():
    source = index(sized(LISTED, 3_000)).source
    compared = Comparing(source, ())
    sentence = sized(LISTED.replace("1", "7"), 60) + "."
    anchors, chars = read_anchors(sentence), 0
    while not compared.is_spent:
        before = compared.work
        compared.edits(sentence, anchors)
        chars += len(sentence)
        assert compared.work - before < WORK_AT_ONCE
    assert compared.work > WORK_AT_ONCE
    assert compared.work < 2 * WORK_AT_ONCE + WORK_PER_CHAR * chars
    spent = compared.work
    assert compared.edits(sentence, anchors) == []
    assert compared.work == spent


def limits_of(result):
    return [found.message for found in result.findings if found.check == "limits"]


def test_an_answer_that_is_compared_too_much_says_so():
    text = "7781, 7782, 7783, 7784 and 7785 km. " * 120
    result = check_text(text, context=Context(chunks=[sized(LISTED, 3_000)]))
    (message,) = limits_of(result)
    assert "more to compare than an answer of its length may have;" in message
    assert result.status != "PASS"


@pytest.mark.parametrize(
    "text",
    ["IBX" + ", IBX" * MAX_COMPARED, "[C1]" * (MAX_COMPARED + 1), "5 kg, " * (MAX_COMPARED + 1)],
)
@pytest.mark.parametrize("checks", [None, PATTERN_CHECKS])
def test_a_sentence_of_more_values_names_or_tags_than_are_read_says_so(text, checks):
    context = Context(chunks=PLAIN, citations_requested=True)
    result = check_text(text, context=context, **({"checks": checks} if checks else {}))
    if checks is None or "IBX" in text:  # patterns alone ask for no tags, and for money only
        (message,) = limits_of(result)
        assert "more than 60 values, names or tags in one sentence;" in message


@pytest.mark.parametrize("text", ["5 kg, " * MAX_COMPARED, "```\n" + "7, " * 200 + "\n```\n"])
def test_as_many_as_are_read_and_any_number_in_code_reach_no_limit(text):
    assert limits_of(check_text(text, context=Context(chunks=["It is 5 kg."]))) == []


def test_very_many_short_sentences_are_not_all_checked():
    few = "- ab\n" * _FREE_SENTENCES
    assert limits_of(check_text(few, context=Context(chunks=PLAIN))) == []
    count = 4 * _FREE_SENTENCES
    result = check_text("- ab\n" * count, context=Context(chunks=PLAIN))
    assert len(result.sentences) < count
    assert len(result.sentences) == pytest.approx(_FREE_SENTENCES + 5 * count / _LEAST_MEAN, abs=2)
    assert "many short ones" in limits_of(result)[0]
    ordinary = "It is well worth a look. " * count
    assert limits_of(check_text(ordinary, context=Context(chunks=PLAIN))) == []


@pytest.mark.parametrize("shape", ["prices and slashes", "names", "cells", "short lines"])
def test_a_hostile_answer_has_one_result_under_every_split(shape):
    context = Context(query=sized(SHAPES[shape], 900), chunks=PLAIN)
    text = sized(SHAPES[shape], 300) + ". Basic costs $49."

    def result(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    whole = feed_every_way(text, result)
    examiner = Examiner("0" * 32, context, StreamGuard(context).policy)
    examiner.take(0, [text])
    while examiner.due:
        examiner.turn()
    assert examiner.close("complete").result == whole


def test_passages_of_very_many_values_are_indexed_in_steps_and_lose_none():
    text = " ".join(f"{number} kg" for number in range(10_000, 10_160))
    evidence = index(text)
    for number in (10_000, 10_119, 10_120, 10_159):
        (anchor,) = read_anchors(f"{number} kg")
        assert evidence.find_anchor(anchor).relation == "same"
        assert evidence.source.places(f"#{anchor.key}")
    assert len(evidence.keys) == 2


def test_a_long_sentence_is_read_without_passages_too():
    result = check_text("The plan costs $9, and " * 90)
    assert (result.status, result.errors) == (None, ())


def test_a_comparison_that_breaks_is_told_and_the_rest_goes_on(monkeypatch):
    def broken(*_given, **_named):
        raise RuntimeError("planted")

    monkeypatch.setattr(Comparing, "comparing", broken)
    result = check_text("It costs $57 per month.", context=Context(chunks=PLAIN))
    assert result.errors == ("comparing: RuntimeError (planted)",)
    assert result.status == "WARN"


def test_a_piece_behind_a_call_whose_result_is_to_come_takes_no_longer_for_what_waits():
    guard = StreamGuard(Context(chunks=PLAIN))
    guard.bring(Brought(awaits="call"))
    pieces = [f"It is number {number}. " for number in range(400)]
    counts = [calls_of(guard.feed, piece)[1] for piece in pieces]
    assert max(counts[-50:]) < 2 * max(counts[20:70])
