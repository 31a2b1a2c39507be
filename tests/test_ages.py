"""Ages that an answer names where a passage bounds them, and "under 14s"."""

from streamguard import Context
from tests.kit.answers import result_of
from tests.kit.tables import differing

HALF = "Children under 14 years pay half price. Adults pay £10."
BRACKETS = """| Age | Ticket |
|---|---|
| aged 0 to 3 | free |
| aged 4 to 11 | £6 |
| aged 12 and over | £11 |"""
CASES = [
    (HALF, "Children aged 12 pay half.", False),
    (HALF, "A 13-year-old pays half price.", False),
    (HALF, "Children aged 14 pay half price.", False),  # the passage's own figure
    (HALF, "Children aged 16 pay half price.", True),
    ("Passengers aged 65 and over ride free.", "A 70-year-old rides free.", False),
    ("Passengers aged 65 and over ride free.", "A 60-year-old rides free.", True),
    ("Passengers over the age of 64 ride free.", "Passengers aged 65 ride free.", False),
    ("Riders must be at least 16 years old.", "Riders must be at least 15 years old.", True),
    ("Riders must be at least 16 years old.", "A rider aged 17 may ride.", False),
    ("Swimmers up to 8 years old wear a band.", "A swimmer aged 7 wears a band.", False),
    ("Swimmers up to 8 years old wear a band.", "A swimmer aged 9 wears a band.", True),
    ("The choir is for children from 6 years.", "The choir takes a 9-year-old child.", False),
    ("The choir is for children from 6 years.", "The choir is for children from 9 years.", True),
    ("Juniors are 8 to 15 years old.", "An 11-year-old is a junior.", False),
    ("Juniors are 8 to 15 years old.", "Juniors are 8 to 16 years old.", True),
    (BRACKETS, "A ticket for a child aged 7 is £6.", False),
    (BRACKETS, "A ticket for someone aged 45 is £11.", False),
    ("The members' fee is waived at 80+ years.", "A member aged 84 pays no fee.", False),
    # No ages: how long something lasts is no instance of a bound.
    ("You may return goods within 30 days.", "You have 20 days to return goods.", True),
    ("The lease may run for up to 9 years.", "The lease runs for 7 years.", True),
]


def is_warned(passage, answer):
    found = result_of(answer, Context(chunks=(passage,))).findings
    return any(one.severity == "warning" for one in found)


def test_an_age_may_be_one_of_those_that_a_passage_bounds():
    assert not differing(CASES, is_warned)
