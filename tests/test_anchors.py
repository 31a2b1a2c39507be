import datetime as dt
import re
import sys

import pytest
from babel.dates import format_date, format_time
from babel.numbers import format_currency
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.text.normalise import fold
from streamguard.values import (
    AMOUNT_PATTERN,
    Anchor,
    AnchorIndex,
    agree,
    literal_amounts,
    read_anchors,
)
from tests.cases import anchors
from tests.cases.agreement import AGREEMENTS, SIDE_BY_SIDE
from tests.kit.answers import result_of
from tests.kit.tables import differing


def shown(anchor: Anchor) -> str:
    unit = f" {anchor.unit}" if anchor.unit else ""
    period = f"/{anchor.period}" if anchor.period else ""
    mark = " once" * anchor.once + " ~" * anchor.approx
    others = "".join(f" ?{key}" for key in anchor.ambiguous)
    return f"{anchor.kind} {anchor.key}{unit}{period}{mark}{others}"


def only(text: str) -> Anchor:
    (anchor,) = read_anchors(text)
    return anchor


def index_of(*chunks: str) -> AnchorIndex:
    index = AnchorIndex()
    for number, chunk in enumerate(chunks):
        index.add(number, read_anchors(chunk))
    return index


def all_shown(text: str) -> str:
    return "; ".join(map(shown, read_anchors(text)))


def test_a_text_holds_these_anchors():
    assert differing(anchors.ALL, all_shown) == []


def test_what_stands_before_and_after_moves_anchors_but_does_not_change_them():
    head = "So, İstanbul: "  # its lower case is a character longer
    cases = (anchors.AMOUNTS, anchors.PERCENTAGES, anchors.DATES, anchors.TIMES)
    texts = [text for table in cases for text, _ in table]
    alone = [(t, [(shown(a), a.start, a.end) for a in read_anchors(t)]) for t in texts]

    def moved(text):
        found = read_anchors(f"{head}{text}\nNext")
        return [(shown(a), a.start - len(head), a.end - len(head)) for a in found]

    assert differing(alone, moved) == []


def test_the_span_covers_the_whole_value():
    texts = [
        ("pay $10 per month now", "$10 per month"), ("about 1.299,00 € here", "1.299,00 €"),
        ("a dozen eggs", "dozen"), ("call +1 (555) 123-4567 now", "+1 (555) 123-4567"),
        ("it was -5 °C.", "-5 °C"), ("on March 5, 2024, we", "March 5, 2024"),
        ("at 3 pm CET sharp", "3 pm CET"), ("half an hour later", "half an hour"),
        ("it closes on 5 December.", "5 December"), ("it closes on 5 Dec. at last", "5 Dec."),
    ]  # fmt: skip
    assert differing(texts, lambda text: only(text).text) == []


def test_a_bare_number_knows_what_it_counts():
    texts = [
        ("7 early tickets", "tickets"), ("on page 7", None), ("12 people", "people"),
        ("7 full days", None),  # another reader's unit
        ("7 extra kcals", None), ("7 of the tickets", None), ("7 plus 2", None), ("7 pts", None),
        ("a bill of 7", None), ("7 long thin green beads", None),
    ]  # fmt: skip
    assert differing(texts, lambda text: read_anchors(text)[0].noun) == []


# What numbers are made of and what changes their reading, to be strung together at random.
CHARACTERS = "0123456789.,:;/-+'\"$€%()[] \n\u2009xX°²AaİßΣ^"
WORDS = """1,299|12.5|March|may|Q3|RFC|USD|kr|per month|/mo|am|pm|CET|to|and|between|about|million
two|hundred|half|a |third|free|for free|passage |v1|http://|BC| minus |the |mid-|ft|in|lb|oz|hours
degrees|GPT-4|e5|%|dozen|quarter of |points|2019|UTC+2|o'clock|first|step """
PIECES = st.sampled_from([*CHARACTERS, *WORDS.replace("\n", "|").split("|")])


@given(st.lists(PIECES, max_size=40).map("".join))
def test_spans_are_ordered_disjoint_and_quote_the_text(text):
    end = 0
    for anchor in read_anchors(text):
        assert end <= anchor.start < anchor.end
        assert anchor.text == text[anchor.start : anchor.end]
        assert anchor.precision >= 0
        end = anchor.end


@given(st.lists(PIECES, max_size=25).map("".join), st.lists(PIECES, max_size=25).map("".join))
def test_every_anchor_finds_itself_and_no_lookup_raises(text, other):
    index = index_of(text, other)
    for anchor in (*read_anchors(text), *read_anchors(other)):
        found = index.find(anchor)
        assert found.relation == "same"
        index.find(anchor, [1])


LOCALES = ["en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pt_BR", "de_CH", "nl_NL", "sv_SE"]


@given(
    st.decimals(min_value=0, max_value=99_999_999, places=2),
    st.sampled_from(["USD", "EUR", "GBP", "CHF", "SEK", "JPY", "INR", "CAD"]),
    st.sampled_from(LOCALES),
)
def test_a_price_printed_for_any_country_is_read_back(value, currency, locale):
    # A fixed pattern keeps two decimals for every currency, so that the value can be compared.
    written = format_currency(value, currency, locale=locale, currency_digits=False)
    anchor = only(f"It costs {fold(written).text} now.")
    assert anchor.kind == "amount"
    assert anchor.value == value
    assert anchor.unit == currency


@given(
    st.dates(min_value=dt.date(1900, 1, 1), max_value=dt.date(2099, 12, 31)),
    st.sampled_from(["en_US", "en_GB"]),
    st.sampled_from(["long", "full", "medium", "d MMMM y", "MMMM d, y", "y-MM-dd", "d MMM y"]),
)
def test_a_date_printed_in_english_is_read_back(day, locale, form):
    written = fold(format_date(day, format=form, locale=locale)).text
    anchors = read_anchors(f"It was on {written} that it began.")
    assert [anchor.key for anchor in anchors] == [day.isoformat()]


@given(st.times(), st.sampled_from([("en_US", "short"), ("en_GB", "short"), ("de_DE", "medium")]))
def test_a_time_printed_for_any_country_is_read_back(moment, style):
    locale, form = style
    written = fold(format_time(moment, format=form, locale=locale)).text
    anchor = only(f"at {written} sharp")
    expected = moment.strftime("%H:%M:%S" if form == "medium" and moment.second else "%H:%M")
    assert expected in (anchor.key, *anchor.ambiguous)


@given(st.text(alphabet="$1.50 /monthyearr\n", max_size=60))
def test_literal_amounts_are_the_published_patterns_matches(text):
    published = re.compile(r"\$\d+(?:\.\d{2})?(?:\s*/\s*(?:month|year|mo|yr))?")
    assert literal_amounts(text) == [found.span() for found in published.finditer(text)]
    assert AMOUNT_PATTERN.pattern == published.pattern
    assert literal_amounts("$1,299.00 or $10 / month") == [(0, 2), (13, 24)]


@pytest.mark.parametrize(
    ("source", "answer", "wrong"),
    [
        ("A stamp costs $.55 today.", "A stamp costs $0.55.", []),
        ("A stamp costs $0.55 today.", "A stamp costs $.65.", ["$.65"]),
    ],
)
def test_prices_are_compared_whatever_the_split(source, answer, wrong):
    found = result_of(answer, Context(chunks=(source,))).findings
    assert [one.value for one in found if one.check == "unsupported_price"] == wrong


def test_a_source_stands_to_an_answer_like_this():
    rows = [*AGREEMENTS, *SIDE_BY_SIDE]
    assert differing(rows, lambda answer, source: agree(only(answer), only(source))) == []


def test_the_index_finds_what_agree_says():
    def relation(answer, source):
        found = index_of(source).find(only(answer)).relation
        return "no" if found == "none" else found

    assert differing(AGREEMENTS, relation) == []


@pytest.mark.parametrize("digits", ["9" * 5000, "9." * 3000, "1," * 3000, "9 " * 3000, "-9" * 3000])
def test_hostile_digit_runs_are_read_without_error(digits):
    for anchor in read_anchors(digits):
        assert anchor.value is None or anchor.value.is_finite()


def calls(function, text):
    """Return how many functions, of Python and of C, `function` calls to read `text`."""
    count = 0

    def seen(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        function(text)
    finally:
        sys.setprofile(before)
    return count


HOSTILE = (
    "$1 / |$|$.5|1/2 |1.|1,|1/|1:00-|1:30 h |1-|1 to |1 h 1 min |5'|5 million |one hundred |half a "
    "|5 May |passage 1, |[1, |is free |no |1http://|a1-|1-inch"
).split("|")


def test_a_character_costs_a_bounded_number_of_calls_and_a_text_without_values_one_look():
    most = max(calls(read_anchors, (shape * 2_000)[:2_000]) for shape in HOSTILE)
    assert most <= 80 * 2_000
    text = "You can change your password on the account page, and a message tells you. " * 20
    assert calls(read_anchors, text) == calls(read_anchors, text * 2) <= 20
