"""Failure modes 46 to 51: text rules, each case under at least 25 splits."""

import random

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import Policy
from streamguard.testing import cut, every_split

SPLITS = 26  # of every case, beside those of `every_split`
PRICES = "The Basic plan costs $10 per month. The Pro plan costs $1,299.00 per year."


def splits(text):
    """Yield every way in which `every_split` cuts, and random cuts of other seeds."""
    yield from every_split(text)
    rng = random.Random(f"modes:{text!a}")
    for _ in range(SPLITS - 11):
        yield cut(text, rng)


def read(text, source=PRICES, **policy):
    """Return the result of `text`, after asserting that no split changes it."""
    context, rules = Context(query="What does it cost?", chunks=[source]), Policy(**policy)
    results = []
    for pieces in splits(text):
        guard = StreamGuard(context, rules)
        for piece in pieces:
            guard.feed(piece)
        results.append(guard.close())
        assert results[-1] == results[0], pieces
    assert len(results) >= SPLITS
    return results[0]


def found(result, check):
    """Return the values that a check found, in order."""
    return [finding.value for finding in result.findings if finding.check == check]


def refused(result):
    return [finding.value for finding in result.findings if finding.flag == "refusal_detected"]


@pytest.mark.parametrize(
    ("text", "phrases", "amounts"),
    [
        ("I'm not sure about that.", ["I'm not sure"], []),
        ("Well, I cannot answer. It costs $12.", ["I cannot"], ["$12"]),
        ("It costs $1,300.00 per year.", [], ["$1,300.00 per year"]),
        ("Basic is $10 per month, Pro $1,299.00 per year.", [], []),
        ("Unfortunately, I don't know; perhaps $5.", ["Unfortunately, I don't"], ["$5"]),
        ("It is beyond my scope to say 1 or 2.", ["beyond my scope"], []),
    ],
)
def test_mode_46_a_phrase_or_price_over_the_borders_of_pieces_is_one(text, phrases, amounts):
    result = read(text)
    assert refused(result) == phrases
    assert [value.split(" per")[0] for value in found(result, "unsupported_price")] == [
        amount.split(" per")[0] for amount in amounts
    ]


FOLDED = [
    "I’m not sure about that.",
    "Iʼm not sure about that.",
    "I\u00a0am\u00a0not\u00a0sure about that.",
    "I am\u202fnot sure about that.",
    "I am not su\u00adre about that.",
    "I\u200b am not\u200b sure about that.",
    "I \u2060am not sure about that.",
    "\ufeffI am not sure about that.",
    "I am \u202enot\u202c sure about that.",
    "\u2066I am not sure\u2069 about that.",
    "Ｉ ａｍ ｎｏｔ ｓｕｒｅ about that.",
    "I AM NOT SURE about that.",
    "I  am \t not   sure about that.",
    "I ca\u200dn’t say more about that.",
]


@pytest.mark.parametrize("text", FOLDED)
def test_mode_47_a_phrase_is_found_whatever_its_signs_and_reported_as_it_stands(text):
    (value,) = refused(read(text))
    assert value in text


LOOK_ALIKES = ["I с\u0430nnot say.", "\u0406 cannot say.", "I am n\u043et sure about that."]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_mode_48_letters_of_another_alphabet_are_other_letters_unless_told(text):
    assert refused(read(text)) == []
    assert len(refused(read(text, fold_look_alikes=True))) == 1


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("It costs $1,299.00 per year.", []),
        ("It costs $1,299 per year.", []),
        ("It costs $1299.00 a year.", []),
        ("It costs 1,299 USD per year.", []),
        ("It costs USD 1,299 per year.", []),
        ("It costs US$1,299/yr.", []),
        ("It costs $1 per year.", ["$1 per year"]),
        ("It costs $10.00/month.", []),
        ("It costs $10/mo.", []),
        ("It costs $ 10 / month.", []),
        ("It costs 10 dollars per month.", []),
        ("It costs $10.50 per month.", ["$10.50 per month"]),
        ("It costs $5.5 per month.", ["$5.5 per month"]),
        ("It costs €10 per month.", ["€10 per month"]),
        ("It costs EUR 10 per month.", ["EUR 10 per month"]),
        ("It costs $10 per year.", ["$10 per year"]),
        ("It costs $1.2M per year.", ["$1.2M per year"]),
        ("It costs $100 per month.", ["$100 per month"]),
    ],
)
def test_mode_49_amounts_are_compared_as_values(text, wrong):
    assert found(read(text), "unsupported_price") == wrong


@pytest.mark.parametrize(
    ("text", "phrases", "extent", "claims"),
    [
        ("Hawaii cannot be reached by train.", [], "none", 1),
        ("The API cannot be used there.", [], "none", 1),
        # Reported, and judged like any statement; what that means is the policy's to say.
        ('The page says "I cannot help". It costs $10 per month.', ["I cannot"], "partial", 2),
        ('Its sign reads "I cannot help" in the hall.', ["I cannot"], "partial", 1),
        ("```\nprint('I cannot')\n```\nBasic costs $10 per month.", ["I cannot"], "partial", 1),
        ("I cannot answer this based on the provided documents.", ["I cannot"], "whole", 0),
    ],
)
def test_mode_50_what_only_quotes_a_refusal_refuses_nothing(text, phrases, extent, claims):
    result = read(text)
    assert [value[:8] for value in refused(result)] == phrases
    assert (result.refusal.extent, result.total_claims) == (extent, claims)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith pays $10. He left.", ["Dr. Smith pays $10.", "He left."]),
        ("It costs 3.5 dollars. Yes.", ["It costs 3.5 dollars.", "Yes."]),
        ("Use e.g. the Basic plan. It costs $10", ["Use e.g. the Basic plan.", "It costs $10"]),
        ("- Basic costs $10\n- Pro costs $99", ["- Basic costs $10", "- Pro costs $99"]),
        ("1. Basic costs $10.\n2. Pro is new.", ["1. Basic costs $10.", "2. Pro is new."]),
        ("价格是10元。这很便宜。谢谢！", ["价格是10元。", "这很便宜。", "谢谢！"]),
        ("Really?! Yes... it costs $10", ["Really?!", "Yes... it costs $10"]),
        ("It costs $10.\n\nThat is all", ["It costs $10.", "That is all"]),
        ("Is it $12", ["Is it $12"]),
    ],
)
def test_mode_51_sentences_end_where_they_end_and_the_last_needs_no_stop(text, sentences):
    result = read(text)
    assert [text[each.start : each.end] for each in result.sentences] == sentences
