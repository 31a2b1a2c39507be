"""Quoted words: held as they stand, altered, stitched together, or nobody's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.guard import StreamGuard
from streamguard.core.normalise import fold
from streamguard.core.policy import Policy
from streamguard.core.quotes import quotes_in
from streamguard.core.types import RetrievedChunk
from tests.feeding import feed_every_way

POLICY = (
    "Refunds are issued within 14 days of purchase. The customer must keep the receipt, and the"
    " goods must be unused. Gift cards cannot be returned under any circumstances."
)
SHIPPING = "Orders leave our warehouse on weekdays before noon. “Express” means the next day."

HELD = [
    'The policy says "refunds are issued within 14 days of purchase".',
    "The policy says “Refunds are issued within 14 days of purchase.”",
    "It states that «the customer must keep the receipt, and the goods must be unused».",
    "The policy says 'the goods must be unused' [C1].",
    'According to the policy, "the customer must ... the receipt".',
    'It notes that "Gift cards cannot be returned […] any circumstances".',
    'It says that the "customer must keep [...] receipt".',
    'The text reads "REFUNDS ARE ISSUED -- within 14 days".',
    'The policy says "the goods\u00a0must be un\u00adused".',
    'The passage says "orders leave our warehouse on weekdays".',
    '"Gift cards cannot be returned under any circumstances" is the rule.',
]  # fmt: skip

ALTERED = [
    ('The policy says "refunds are issued within 30 days of purchase".', "Refunds are issued"),
    ('"Refunds are never issued within 14 days of purchase" is the rule.', "Refunds are issued"),
    ("The policy says “the customer may keep the receipt”.", "The customer must keep"),
    ("It says 'gift cards can be returned under any circumstances'.", "Gift cards cannot be"),
    ('It says "the goods must be unused ... the customer must keep".', "The customer must keep"),
    ('The manual states "shipping is always free of charge".', None),
    ('It says "as I said, refunds are issued within 9 days".', "Refunds are issued"),
    ('"We value every customer and every order" [C2].', None),
]

LEFT_ALONE = [
    'The word "refund" is used twice.',
    'So-called "free shipping" is not free.',
    'The book "The Long Way Home Again" is not for sale.',
    'Press "Save All My Changes Now" to go on.',
    "The dogs' owner said it's the owners' fault, isn't it.",
    'You could write: "I would like to send these shoes back to you".',
    'Your question "how do I send a pair of shoes back" is not covered.',
    'The answer to your question "what is it like there?" is not in the passages.',
    'A sentence such as "the customer shall keep the goods unused" would do.',
    'The text says "" and "no".',
    "Nothing is quoted here.",
    'It says "what is it to him" of that.',
    "```\nprint('the policy says that all is fine')\n```",
    'He paid 5" of rope and 7" of wire says the text.',
]


def altered(answer, *passages, question=None, policy=None):
    chunks = [RetrievedChunk(text) for text in passages or (POLICY, SHIPPING)]

    def read(pieces):
        guard = StreamGuard(Context(query=question, chunks=chunks), policy)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    result = feed_every_way(answer, read)
    assert result.errors == ()
    return [finding for finding in result.findings if finding.flag == "quote_altered"]


@pytest.mark.parametrize("answer", HELD)
def test_words_that_a_passage_holds_may_be_quoted(answer):
    assert list(quotes_in(fold(answer).text))
    assert altered(answer) == []


@pytest.mark.parametrize(("answer", "nearest"), ALTERED)
def test_quoted_words_that_no_passage_holds_are_flagged_with_the_place_most_like_them(
    answer, nearest
):
    (finding,) = altered(answer)
    assert answer[finding.start : finding.end] == finding.value
    assert finding.value[0] not in "\"'“"
    if nearest:
        assert finding.nearest.value.startswith(nearest)
        chunk = (POLICY, SHIPPING)[int(finding.nearest.chunk_id[1]) - 1]
        assert chunk[finding.nearest.start : finding.nearest.end] == finding.nearest.value


@pytest.mark.parametrize("answer", LEFT_ALONE)
def test_what_is_quoted_from_nobody_is_left_alone(answer):
    assert altered(answer, question="How do I send a pair of shoes back?") == []


def test_words_of_two_places_in_one_quotation_are_called_stitched():
    (finding,) = altered('It says "refunds are issued before noon on weekdays or never".')
    assert "put together" not in finding.message
    (finding,) = altered('It says "refunds are issued within 14 days on weekdays before noon".')
    assert finding.message.endswith("they are put together from two places.")


def test_a_quotation_over_two_sentences_is_judged_in_both():
    answer = 'It says: "Refunds are issued within 14 days of purchase. The goods must be unused."'
    assert altered(answer) == []
    answer = 'It says: "Refunds are issued within 9 days of purchase. All is well." So it "is".'
    assert [f.value for f in altered(answer)] == ["Refunds are issued within 9 days of purchase."]


def test_a_quotation_with_nothing_like_it_has_no_nearest_place():
    (finding,) = altered('It says "zebras sleep standing".')
    assert finding.nearest is None


def test_two_quotations_of_one_sentence_are_judged_each():
    answer = 'It says "the goods must be unused" and "the goods must be blue".'
    assert [f.value for f in altered(answer)] == ["the goods must be blue"]


def test_nothing_is_checked_without_passages_or_under_literal_matching():
    answer = 'The policy says "refunds are issued within 30 days of purchase".'
    assert altered(answer, policy=Policy.preset("literal")) == []
    for chunks in (None, ()):
        guard = StreamGuard(Context(chunks=chunks))
        guard.feed(answer)
        assert "quote_altered" not in guard.close().flags


def test_a_long_passage_is_searched_where_it_holds_the_words():
    source = "Nothing of note is told here. " * 400 + POLICY + " More of the same follows." * 400
    answer = 'The policy says "refunds are issued within 14 days of purchase".'
    assert altered(answer, source) == []
    assert altered('It says "within 14 days of purchase".', source) == []
    (finding,) = altered(answer.replace("14", "30"), source)
    assert finding.nearest.value.startswith("Refunds are issued within 14 days")
    assert source[finding.nearest.start : finding.nearest.end] == finding.nearest.value


def test_a_quotation_is_looked_for_in_bounded_places():
    assert altered('It says "the the the the the cat".', "the " * 5_000 + "dog") != []


@given(st.integers(0, 25), st.integers(3, 12), st.data())
def test_any_run_of_a_passages_words_may_be_quoted_and_none_with_a_word_changed(
    start, length, data
):
    words = POLICY.replace(".", "").replace(",", "").split()[start : start + length]
    quoted = " ".join(words)
    if len(words) < 3:
        return
    guard = StreamGuard(Context(chunks=[RetrievedChunk(POLICY)]))
    guard.feed(f'The policy says "{quoted.lower()}".')
    assert "quote_altered" not in guard.close().flags
    words[data.draw(st.integers(0, len(words) - 1))] = "zebra"
    guard = StreamGuard(Context(chunks=[RetrievedChunk(POLICY)]))
    guard.feed(f'The policy says "{" ".join(words).lower()}".')
    assert "quote_altered" in guard.close().flags
