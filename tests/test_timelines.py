"""Dates of an answer that cannot all be right."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.anchors import read_anchors
from streamguard.core.context import Context
from streamguard.core.guard import StreamGuard
from streamguard.core.policy import Policy
from streamguard.core.timeline import Day, day_of
from streamguard.core.types import RetrievedChunk
from tests.feeding import feed_every_way

WRONG = [
    # the sentence, what is flagged, against what
    ("The fair is on Monday, 5 March 2024.", "Monday", "5 March 2024"),
    ("The fair is on Monday March 5, 2024 in Ulm.", "Monday", "March 5, 2024"),
    ("On 5 March 2024, a Friday, the fair began.", "Friday", "5 March 2024"),
    ("It took place on 2024-03-05 (Sunday).", "Sunday", "2024-03-05"),
    ("5 March 2024 was a Wednesday.", "Wednesday", "5 March 2024"),
    ("5 March 2024 fell on a Wednesday.", "Wednesday", "5 March 2024"),
    ("She worked there from 2010 to 2005.", "2005", "2010"),
    ("The war lasted from March 1918 until May 1914.", "May 1914", "March 1918"),
    ("Between 2015 and 2011 the price doubled.", "2011", "2015"),
    ("Marie Holt (1955-1879) was a painter.", "1879", "1955"),
    ("The lease runs from 5 March 2024 to 1 March 2024.", "1 March 2024", "5 March 2024"),
    ("Marie Holt was born in 1955 and died in 1879.", "1879", "1955"),
    ("Marie Holt was born in Ulm on 4 May 1955, and she died on 3 May 1955.", "3 May 1955",
     "4 May 1955"),
    ("Marie Holt (born 1955, died 1879) was a painter.", "1879", "1955"),
    ("She died in 1879 and was born in 1955.", "1879", "1955"),
    ("The mine opened in 1980 and was finally closed in 1950.", "1950", "1980"),
    ("The society was founded in 1901 and dissolved in 1890.", "1890", "1901"),
    ("Registration opens on 10 March and closes on 5 March sharp.", "5 March",
     "10 March"),
    ("The course begins on 3 June 2024 and ends on 1 June 2024.", "1 June 2024", "3 June 2024"),
    ("Marie Holt was born in 1879 and died in 1955 at the age of 60.", "60", "1879"),
    ("Marie Holt was born in 1879 and died in 1955, aged 85.", "85", "1879"),
    ("From 2010 to 2015, a period of ten years, she ran the firm.", "ten years", "2010 to 2015"),
    ("The war lasted 40 years, from 1618 to 1648.", "40 years", "1618 to 1648"),
    ("The project ran for 9 years, from March 2010 until May 2013.", "9 years", "March 2010"),
    ("She ran the firm for 20 years (1990-2001).", "20 years", "1990-2001"),
    # two sentences
    ("Marie Holt was born in 1955. She died in 1879.", "1879", "1955"),
    ("Marie Holt was born in 1955 in Ulm. She liked to paint. She died in 1879.", "1879", "1955"),
    ("Marie Holt died in 1879. Marie Holt was born in 1955.", "1955", "1879"),
    ("The factory was opened in 1980. It closed in 1950.", "1950", "1980"),
    ("The factory was opened in 1980. The factory closed in 1950.", "1950", "1980"),
]  # fmt: skip

RIGHT = [
    "The fair is on Tuesday, 5 March 2024.",
    "It took place on 03/05/2024 (Friday).",  # 3 May
    "It took place on 03/05/2024 (Tuesday).",  # 5 March
    "It is open on Mondays, 5 March 2024 included.",
    "On Monday, 31 February 2024, nothing happens.",
    "On Monday, 5 March, the fair begins.",
    "She worked there from 2005 to 2010.",
    "The tax year runs from 6 April to 5 April.",
    "The season lasts from November to March.",
    "Between 2011 and 2015 the price doubled.",
    "In 2015 and 2011 the price doubled.",
    "The reign of Augustus (27 BC - AD 14) was long.",
    "Marie Holt (1879-1955) was a painter.",
    "Marie Holt was born in 1879 and died in 1955.",
    "Marie Holt was born in 1950, a year after her father had died in 1949.",
    "The new mill opened in 1980 after the old one closed in 1950.",
    "The mine closed in 1950 and opened again in 1980.",
    "Born in 1955, she saw her grandmother, who died in 1960.",
    "Marie Holt was born in 1879 and died in 1955 at the age of 75.",
    "Marie Holt was born in 1879 and died in 1955 aged 76.",
    "Marie Holt was born in 1879 and died in 1955 at 9 Mill Road.",
    "Marie Holt was born in 1879 and died in 1955 at home.",
    "She was born in 1879 and died in about 1955, aged 70 to 80.",
    "The war lasted thirty years, from 1618 to 1648.",
    "The war lasted 30 years, from 1618 to 1648.",
    "From 2010 to 2015 she ran a ten-year project.",
    "From 2010 to 2015 she spent 2 years in Ulm and 3 years in Bonn.",
    "From 2010 to 2015, over about 7 years, prices rose.",
    "In 2010 and 2015 it lasted for 9 years.",
    "From 2015 to 2016 and in 2019 it lasted for 9 years.",
    "The rent of 2010, 2011 and 2012 was due for 9 years.",
    "From 5 March to 9 March it lasted for 9 years.",
    "It opened in 1980 and is open. It ended in 1999, it is said, and ended in 1990 too.",
    "The mine closed in 1950. It opened again in 1980.",
    "The mine opened in 1950 and was closed in 1980 at the age of 9.",
    "Opened in the 1980s and closed in 1950, it was a shop.",
    "Marie Holt was born in 1955. Her father was killed. Carl Holt died in 1879.",
    "Marie Holt was born in 1955. Then a war came. He died in 1879.",
    "The factory was opened in 1980. The mine closed in 1950.",
    "The factory was opened in 1980. It closed in 1999.",
    "The store opens in 2024. It closes on 3 May.",
    "Founded in 1980, the shop sells tea. It died in 1879 as an idea. It closed in 1990.",
    "In the spring the painter Marie Holt was born in 1955. She died in 1879.",
    "He was born in 1955. He died in 1879.",
    "She was born. She ate. She sat. She ran. She hid. She died in 1879.",
    "```\nborn in 1955 and died in 1879\n```",
]


def inconsistencies(answer, *passages, policy=None):
    chunks = [RetrievedChunk(text) for text in passages] if passages else None

    def read(pieces):
        guard = StreamGuard(Context(chunks=chunks), policy)
        for piece in pieces:
            guard.feed(piece)
        return guard.close()

    result = feed_every_way(answer, read)
    assert result.errors == ()
    return [f for f in result.findings if f.flag == "temporal_inconsistency"]


@pytest.mark.parametrize(("answer", "value", "against"), WRONG)
def test_dates_that_do_not_fit_are_flagged_with_both_places(answer, value, against):
    (finding,) = inconsistencies(answer)
    assert (finding.value, finding.against.value) == (value, against)
    assert answer[finding.start : finding.end] == value
    assert answer[finding.against.start : finding.against.end] == against


@pytest.mark.parametrize("answer", RIGHT)
def test_dates_that_may_fit_are_left_alone(answer):
    assert inconsistencies(answer) == []


def test_a_date_is_held_against_the_passage_that_tells_the_other_event():
    source = "The painter Marie Holt was born on 4 May 1879 in Ulm."
    (finding,) = inconsistencies("The painter Marie Holt died in 1870.", source)
    assert finding.value == "1870"
    assert finding.nearest.value == "4 May 1879"
    assert source[finding.nearest.start : finding.nearest.end] == "4 May 1879"
    assert finding.message == "The death, 1870, lies before the birth, 4 May 1879."
    assert inconsistencies("The painter Marie Holt died in 1955.", source) == []
    assert inconsistencies("The lake froze over and the old ferry ended in 1870.", source) == []
    assert inconsistencies("The painter Marie Holt was born in 1870 in Ulm.", source) == []
    closed = "The old stone mill on the river was closed in 1890."
    assert inconsistencies("The old stone mill on the river was opened in 1901.", closed) == []


def test_literal_matching_looks_at_no_calendar():
    literal = Policy.preset("literal")
    answer = "Marie Holt was born in 1955 and died in 1879. She died in 1870."
    assert inconsistencies(answer, policy=literal) == []


@given(st.dates(), st.dates())
def test_the_order_of_full_dates_is_the_calendars(one, other):
    first, second = (Day(day.year, day.month, day.day) for day in (one, other))
    assert first.before(second) == (one < other)
    assert first.before(Day(other.year, 0, 0)) == (one.year < other.year)
    assert not Day(0, one.month, one.day).before(second)


@given(st.dates(date(1500, 1, 1), date(2099, 1, 1)))
def test_every_date_has_one_weekday(day):
    (anchor,) = read_anchors(f"{day:%d %B %Y}")
    assert day_of(anchor) == Day(day.year, day.month, day.day)
    assert inconsistencies_of(f"It was {day:%A}, {day:%d %B %Y}.") == []
    wrong = "Monday" if day.weekday() else "Tuesday"
    (finding,) = inconsistencies_of(f"It was {wrong}, {day:%d %B %Y}.")
    assert finding.message == f"{day:%d %B %Y} is a {day:%A}."


def inconsistencies_of(answer):
    guard = StreamGuard()
    guard.feed(answer)
    return [f for f in guard.close().findings if f.flag == "temporal_inconsistency"]
