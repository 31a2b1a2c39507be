"""Errors in one part of reading a sentence, and bounds of what is remembered."""

import pytest

from streamguard import Context, StreamGuard, check_text
from streamguard.core.checks import Checks
from streamguard.core.facts import columns
from streamguard.core.facts.comparing import Comparing
from streamguard.core.fast.model import FastScorer
from streamguard.core.index import content
from streamguard.core.machine import judging
from streamguard.core.sentence import Sentence
from streamguard.testing import feed_every_way
from streamguard.text.patterns import lazy

PRICES = "| Plan | Price |\n|---|---|\n| Basic | $49 |\n| Plus | $79 |\n| Team | $129 |"
ANSWER = "The Basic plan costs $49. The Plus plan costs $89. Team is $129."


def result_of(answer):
    context = Context(query="What does Plus cost?", chunks=[PRICES])

    def read(pieces):
        guard = StreamGuard(context)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    return feed_every_way(answer, read)


@pytest.mark.parametrize(
    ("of", "name", "told"),
    [
        (Sentence, "read", "roles"),
        (Sentence, "look_up", "evidence"),
        (Comparing, "comparing", "comparing"),
        (FastScorer, "add", "support"),
    ],
)
def test_an_error_in_one_part_is_told_and_the_answer_is_read_to_its_end(
    monkeypatch, of, name, told
):
    def fail(*_, **__):
        raise RuntimeError("broken")

    monkeypatch.setattr(of, name, fail)
    result = result_of(ANSWER)
    assert f"{told}: RuntimeError (broken)" in result.errors
    assert len(result.sentences) == 3
    assert result.text.code_points == len(ANSWER)


def test_an_error_in_the_report_of_a_sentence_is_told(monkeypatch):
    def fail(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(judging, "judged", fail)
    result = result_of(ANSWER)
    assert "claims: RuntimeError (broken)" in result.errors
    assert [one.value for one in result.findings if one.check == "unsupported_price"] == ["$89"]


def test_bounds_of_what_is_remembered_change_no_result(monkeypatch):
    expected = result_of(ANSWER)
    monkeypatch.setattr(columns, "_MOST_KEPT", 1)
    monkeypatch.setattr(content, "_MOST_KNOWN", 1)
    monkeypatch.setattr(content, "_MOST_WORDS", 1)
    result = result_of(ANSWER)
    assert (result.status, result.findings) == (expected.status, expected.findings)
    assert result.sentences == expected.sentences


def test_a_check_asks_for_the_text_of_a_finding_in_another_sentence():
    texts = []

    def look(sentence, scope):
        for earlier in scope.earlier:
            texts.append((earlier.text_at(earlier.finding("f", message="m")), sentence.index))
            texts.append(sentence.text_at(earlier.finding("f", message="m")))
        return ()

    guard = StreamGuard(Context(chunks=[PRICES]), checks=Checks((look,)))
    guard.feed("Plus is $79. Team is $129.")
    assert guard.close().errors == ()
    assert texts == [("Plus is $79.", 1), ""]


def test_a_lazy_attribute_is_itself_on_its_class():
    class Read:
        @lazy
        def text(self):
            """The text."""
            return "read"

    assert Read.text.__doc__ == "The text."
    assert Read().text == "read"


def test_no_passages_hold_nothing_in_brackets():
    assert check_text("It is [x][1].", context=None).errors == ()
