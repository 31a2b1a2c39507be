"""Where quotations stand in passages, and which texts tell a judge what to say."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.verify.injection import is_injection
from streamguard.verify.quotations import MAX_LEFT_OUT, MAX_QUOTED_WORDS, QuotedPassages

TABLE = (
    "| Plan | Basic | Business |\n|---|---|---|\n| **Price** per month | $49 | $1,149 |\n"
    "– The co-\noperative’s “gold” members don’t pay; −5 °C is the limit, 1.5 l not 15 l.\n"
    "Übergrößen: ½ Meter. 料金は月額千円です。 " + "x" * MAX_LEFT_OUT + " The end of it."
)
# Quotations, and what they are in the passage; empty where they do not stand.
STANDING = [
    ("price per month", "Price** per month"),
    ("Price per month $49 $1,149", "Price** per month | $49 | $1,149"),
    ("price per month: $49; $1149", "Price** per month | $49 | $1,149"),
    ("The cooperative's 'gold' members", "The co-\noperative’s “gold” members"),
    ("members don't pay.", "members don’t pay"),
    ("  -5 °C   is the limit… ", "−5 °C is the limit"),
    ("5 °C is the limit", "5 °C is the limit"),
    ("P1: the limit", "the limit"),
    ("übergrößen: 1/2 meter", "Übergrößen: ½ Meter"),
    ("月額千円", "月額千円"),
    ("15 l", "15 l"),
    ("", ""), ("…", ""), ("* | –", ""), ("$114", ""), ("1,149 dollars", ""), ("rice per", ""),
    ("$49 1", ""), ("−15 l", ""), ("members pay", ""), ("the end of its", ""), ("l not 1", ""),
]  # fmt: skip
LEFT_OUT = [
    ("Plan, Basic … price per month", ["Plan | Basic", "Price** per month"]),
    ("Price per month [of Business] is the limit", ["Price** per month", "is the limit"]),
    ("the limit [...] not 15 l", ["the limit", "not 15 l"]),
    ("price per month ... limit", []),  # one word may stand anywhere
    ("price per month … Basic Business", []),  # in another order
    ("the limit … the end of it", []),  # too far
]


@pytest.mark.parametrize(("quote", "words"), STANDING)
def test_a_quotation_is_found_whatever_its_punctuation_and_at_its_exact_place(quote, words):
    places = QuotedPassages(["Something else.", TABLE], ["a", "b"]).find(quote)
    assert [TABLE[one.start : one.end] for one in places] == ([words] if words else [])
    assert {one.passage for one in places} <= {1}


@pytest.mark.parametrize(("quote", "words"), LEFT_OUT)
def test_a_quotation_that_leaves_something_out_has_the_places_of_its_parts(quote, words):
    places = QuotedPassages([TABLE], ["a"]).find(quote)
    assert [TABLE[one.start : one.end] for one in places] == words


def test_the_passage_that_a_judge_names_is_looked_at_first_and_long_quotations_are_not():
    passages = QuotedPassages(["It costs $5."] * 3, ["a", "b", "c"])
    assert [passages.find("costs $5", first)[0].passage for first in (None, 2, 7)] == [0, 2, 0]
    long = "word " * (MAX_QUOTED_WORDS + 1)
    assert QuotedPassages([long], ["a"]).find(long) == []
    assert QuotedPassages([], []).find("word") == []


WORDS = "refund fourteen days seat plan basic price über größe 10 2,5".split()
SEPARATORS = st.sampled_from([" ", "  ", "\n", ", ", " – ", "; ", ". ", " | ", " “", "** "])


@given(st.data())
def test_a_quotation_with_other_separators_and_case_is_found_at_its_place(data):
    words = data.draw(st.lists(st.sampled_from(WORDS), min_size=3, max_size=12))
    passage = "".join(word + data.draw(SEPARATORS) for word in words)
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    quoted = words[first : last + 1]
    quote = "".join(word.upper() + data.draw(SEPARATORS) for word in quoted)
    (place,) = QuotedPassages([passage], ["a"]).find(quote)
    found = passage[place.start : place.end]
    assert re.findall(r"[^\W\d_]+|\d+(?:,\d+)?", found) == quoted
    assert found[0].isalnum()
    assert found[-1].isalnum()


HARMLESS = [
    "Windows 11 is supported.", "Set `delete` to true.", "Choose a plan and confirm the price.",
    "The judge must be told of the settlement.", "Our AI model reads invoices.",
    "Answer the phone politely.", "The sentence was reduced to two years.",
    "Report all incidents to the supervisor.", "Confidence in the product rose by 5 %.",
]  # fmt: skip


@pytest.mark.parametrize("text", HARMLESS)
def test_the_words_of_a_handbook_tell_no_judge_anything(text):
    assert not is_injection(text)
