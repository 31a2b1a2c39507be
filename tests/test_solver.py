"""Which values follow from others: right reckonings, and wrong ones that must not pass."""

from datetime import date, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.derive.solver import Operands, derive
from streamguard.core.validate import check_text
from streamguard.text.normalise import fold
from streamguard.values import read_anchors


def anchors_of(text):
    return read_anchors(fold(text).text)


def derived(target, given_text):
    """Return how the first value of a text follows from the values of another."""
    return derive(anchors_of(target)[0], Operands(anchors_of(given_text)))


RIGHT = [
    # a factor that needs no operand
    ("$588 per year", "$49 per month", "$49 per month × 12"),
    ("€98", "€14", "€14 × 7"),
    ("$49 per month", "$588 per year", "$588 per year ÷ 12"),
    ("1.5 hours", "1:30 h", "1:30"),
    ("$8", f"{', '.join(f'${n}' for n in (3, 5, *range(20, 60)))}", "$3 + $5"),
    # the unit stands elsewhere, or is how long the money lasts
    ("eleven working days", "fifteen and four working days", "fifteen - four working days"),
    ("18 s", "24 and 6", "24 - 6"),
    ("11 months", "$396 at $36 a month", "$396 ÷ $36 a month"),
    ("£36 million", "365 after 329", "365 - 329"),
    ("16 months", "March 2019 and July 2020", "March 2019 to July 2020"),
    # sums and differences
    ("$40", "$9 and $49", "$49 - $9"),
    ("1,600 g", "1 kg and a box of 600 g", "1 kg + 600 g"),
    ("5 seats", "2 seats and 3 seats", "2 + 3"),
    # how many of its own a unit has for each
    ("20 litres", "140 m² at 7 m² per litre", "140 m² ÷ 7 m² per litre"),
    # a share to the last place written
    ("8%", "37 of 448", "37 ÷ 448 in %"),
    ("3%", "9 of 312", "9 ÷ 312 in %"),
    # products
    ("12 pieces", "3 boxes of 4", "3 × 4"),
    ("$90", "$100 less 10%", "$100 × (1 - 10%)"),
    ("$110", "$100 plus 10%", "$100 × (1 + 10%)"),
    ("$30", "10% of $300", "10% × $300"),
    # quotients and shares
    ("$9.80", "$49 for 5 seats", "$49 ÷ 5"),
    ("20%", "$20 of $100", "$20 ÷ $100 in %"),
    ("33%", "1 of 3", "1 ÷ 3 in %"),
    ("25%", "$80, later $100", "($100 - $80) ÷ $80 in %"),
    ("5 times", "$11 and $55", "$55 ÷ $11"),
    # rates
    ("4 MB per second", "920 MB in 230 seconds", "920 MB / 230 seconds"),
    ("20 litres", "4 litres a day for 5 days", "4 litres a day × 5 days"),
    ("$12", "3 kg at $4", "3 kg × $4"),
    # all that is given
    ("$180", "$20, $30 and $130", "$20 + $30 + $130"),
    # to the cent, below a head that names no currency
    ("€19.00", "2 of 9.50, or €40", "2 × 9.50"),
    ("$100", "$10, $20, $30 and $40", "$10 + $20 + $30 + $40"),
    # dates and times
    ("8 days", "1 May 2024 to 8 May 2024", "1 May 2024 to 8 May 2024"),
    ("7", "1 May 2024 to 8 May 2024", "1 May 2024 to 8 May 2024"),
    ("2 weeks", "1 May 2024 to 15 May 2024", "1 May 2024 to 15 May 2024"),
    ("3 months", "1 May 2024 to 1 August 2024", "1 May 2024 to 1 August 2024"),
    ("2 years", "1 May 2022 to 30 April 2024", "1 May 2022 to 30 April 2024"),
    ("17 April 2024", "1 May 2024 and 14 days", "1 May 2024 ± 14 days"),
    ("1 August 2024", "1 May 2024 and 3 months", "1 May 2024 ± 3 months"),
    ("8 hours", "9:00 and 17:00", "9:00 to 17:00"),
    ("2 hours", "23:00 and 01:00", "23:00 to 01:00"),
    ("17:30", "17:00 and 30 minutes", "17:00 ± 30 minutes"),
    ("00:15", "23:45 and 30 minutes", "23:45 ± 30 minutes"),
    ("17:30", "17:00:30 and 30 minutes", "17:00:30 ± 30 minutes"),
]


@pytest.mark.parametrize(("target", "text", "words"), RIGHT)
def test_a_right_reckoning_is_found_in_words(target, text, words):
    found = derived(target, text)
    assert found is not None
    assert words is None or words in found.words


WRONG = [
    ("€19", "2 of 9.5 and €40"), ("$600 per year", "$49 per month"), ("€99", "€14"),
    ("$149", "$49 and $99"), ("$246", "$49 for 5 seats"), ("$60", "$59 for plan 59"),
    ("$13 per month", "$0.25 per minute"),
    ("$13 per month", "$0.25 per minute and free"),
    ("$39", "$49 and $9"),
    ("34%", "1 of 3"), ("$95", "$100 less 10%"), ("$181", "$20, $30 and $130"),
    ("$1,177", "2 seats, $49, 12 months"), ("3 days", "48 hours"),
    ("3 weeks", "1 May 2024 to 15 May 2024"), ("4 months", "1 May 2024 to 1 August 2024"),
    ("3 months", "1 May 2024 to 11 August 2024"), ("1 month", "1 May 2024 to 5 May 2024"),
    ("17 May 2024", "1 May 2024 and 14 days"), ("5 June 2024", "1 May 2024 and 1 month"),
    ("1 May", "29 April"), ("1 May", "until 30 April"),
    # no third operand, and no part of what is given
    ("$1,140", "$49 and $46 every month"), ("$73", "$49, $46, $23"),
    ("$1,265", "$11 for 5 seats, 23 times"), ("$102", "$11, $5, $23, $68"),
    ("31 April 2024", "1 May 2024 and 1 day"),  # no such day
    ("May 2024", "1 May 2024 and 1 day"), ("31 days", "May 2024 and June 2024"),  # no day at all
    ("9 hours", "9:00 and 17:00"), ("17:31", "17:00 and 30 minutes"), ("15 May 2024", "nothing"),
    # no dimension stands for another
    ("$86,400", "1 May 2024 to 2 May 2024"), ("432,000 kg", "1 May 2024 to 6 May 2024"),
    ("$7", "a week of 7 days"), ("50%", "$1 for 2 kg"),
    ("$89", "7 boxes of 12 and 5 lids for $60"),
    # nor is what is counted something else
    ("4 MB", "920 MB in 230 seconds"), ("120 g", "30 g for 4 minutes"),
    ("2 months", "12 months and 6 months"), ("8 weeks", "4 months and 2 weeks"),
    ("2.5 m", "30 days"),
    ("$4", "$95"),  # no 24th of a price
    ("6 weeks", "2 years and 3 seats"), ("$16", "49 and 33, $5 each"),
    # what counts by its letters alone
    ("order AB-12", "12 and 1"), ("version 2.3.1", "2 and 3"),
    ("$5", "order AB-12 and version 2.3.1"), ("$5", "$0 and 0%"), ("$0", "$5"), ("50%", "0 of 0"),
]  # fmt: skip


@pytest.mark.parametrize(("target", "text"), WRONG)
def test_a_wrong_reckoning_is_not_found(target, text):
    assert derived(target, text) is None


def test_a_range_follows_by_its_lower_end_and_never_from_itself():
    assert derived("$20 to $21", "$12 and $8").words == "$12 + $8"
    assert derived("$31", "$10 to $23 and $8").words == "$10 to $23 + $8"
    assert derived("8 hours", "9:00 or 9:00") is None
    assert derived("$33", "$10 to $23") is None
    assert derived("2 hours", "3:00 and 17:00") is not None


amounts = st.integers(1, 99_999)


@given(amounts, amounts)
def test_the_sum_of_two_amounts_follows_from_them(one, other):
    assert derived(f"${one + other}", f"${one} and ${other}") is not None


@given(amounts, amounts)
def test_the_difference_of_two_amounts_follows_from_them(one, less):
    assert derived(f"${one}", f"${one + less} and ${less}") is not None


FARES = "Adults pay €14.50, children €7.25 and cars €38.00; a dog is free."
BILL = """| Item | € |
|---|---|
| 2 adults | 29.00 |
| 1 child (9) | 7.25 |
| 1 child (2) | 0.00 |
| Car | 38.00 |
| **Total** | **%s** |"""
LISTED = "- 2 adults: 2 × €14.50 = €29.00\n- 1 child: €7.25\n- Car: €38 (dog free)\n\nTotal: %s"
TOTALS = [
    (FARES, BILL, "74.25", "71.85"),
    (FARES, LISTED, "€74.25", "€75.25"),
]


@pytest.mark.parametrize(("passage", "answer", "right", "wrong"), TOTALS)
def test_a_total_of_what_the_answer_listed_follows(passage, answer, right, wrong):
    context = Context(query="What does it come to?", chunks=[passage])
    found = {total: check_text(answer % total, context=context) for total in (right, wrong)}
    told = {
        total: [one.value for one in each.findings if one.check.startswith("unsupported")]
        for total, each in found.items()
    }
    assert not any(right in value for value in told[right])
    assert any(wrong in value for value in told[wrong])


@given(amounts, st.integers(2, 999))
def test_a_price_times_a_count_follows_from_them(price, count):
    assert derived(f"${price * count}", f"${price} for {count} seats") is not None


@given(st.dates(date(1950, 1, 1), date(2090, 1, 1)), st.integers(1, 400))
def test_a_moved_date_follows_from_the_date_and_the_days(day, days):
    moved = day + timedelta(days)
    assert derived(f"{moved:%-d %B %Y}", f"{day:%-d %B %Y} and {days} days") is not None


PARTS = """
    $0 0% 0 $49 $1e9 12 7 14% 0.0001 999999999999999 trillion million 1 May 2024 31 December 9999
    1 January 0001 29 February 30 February 9:00 24:00 5 pm noon 3 to 5 days 0 days years months half
    a weeks MB/s kg -5 °C €14 AB-12 v2.3 ½ 1,000 per month / year about
""".split()
texts = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PARTS), max_size=12).map(" ".join))


@given(texts, texts)
@example("9999999999999 trillion years", "31 December 9999 and 1 January 1000")
@example("31 December 9999", "31 December 9999, 999999999999999 years and 0 days")
@example("24:00", "0:00 and 999999999999999 trillion days")
@example("0%", "0 of 0 at 0% and $0")
def test_no_two_texts_raise(target, text):
    operands = Operands(anchors_of(text))
    for anchor in anchors_of(target):
        found = derive(anchor, operands)
        assert found is None or (found.words and found.sources)
