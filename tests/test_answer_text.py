"""Pieces without a sign at which a sentence may end or a tag begin wait, and change nothing."""

import hashlib

import pytest

from streamguard.core.machine.answer_text import AnswerText
from streamguard.testing import feed_every_way
from streamguard.text.segmenter import MAX_SENTENCE_CHARS
from streamguard.text.thoughts import Thought

TEXTS = [
    "",
    "No sign at all",
    "One sentence. Another one, e.g. of Mr. Smith! And a third",
    "<think>hidden</think>It is so. A [think]no[/think] b.",
    "Grüße aus Köln 😀 am See。それは本です。 ok",
    "half \ud83d\ude00 a pair \ud83d lone. And \ude00 so on",
    "```json\n" + '{"answer": "It is so. And so."}' + "\n```\nMore text. End",
    '{"answer": "The plan costs $9. It is new."}',
    "word " * 700 + "end. Next",
    "x" * (MAX_SENTENCE_CHARS + 40),
]


def read(pieces):
    text, places = AnswerText(), []
    for piece in pieces:
        places += text.feed(piece)
    places += text.close()
    settled = [text.settle(*place) for place in places if not isinstance(place, Thought)]
    return places, settled, text.thoughts, text.whole(), text.transcript.report()


@pytest.mark.parametrize("text", TEXTS)
def test_places_do_not_depend_on_the_pieces(text):
    feed_every_way(text, read)


def test_a_piece_that_waits_is_counted_and_kept():
    text = AnswerText()
    pieces = ["It is", " so. And", " more", " of", " it"]
    for number, piece in enumerate(pieces, 1):
        text.feed(piece)
        said = "".join(pieces[:number])
        assert text.chars == len(said)
        assert text.whole() == said
    report = text.transcript.report()
    assert report.sha256 == hashlib.sha256(said.encode()).hexdigest()


def test_pieces_that_wait_are_bounded():
    text = AnswerText()
    for _ in range(3 * MAX_SENTENCE_CHARS):
        text.feed("a")
        text.feed("")
        assert len(text._quiet) <= MAX_SENTENCE_CHARS
