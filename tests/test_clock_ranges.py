"""Times of day that share am or pm, minutes or their weekday are read on both sides."""

import pytest

from streamguard.core.context import Context
from streamguard.core.validate import check_text
from streamguard.text.normalise import fold
from streamguard.values import read_anchors
from tests.test_evidence import index

DAY = "The desk is open 9:00-17:00 and the tour takes 1:30 h."
LUNCH = "Lunch is served between 1 and 1.45 pm in the small hall."
GATE = "The gate opens from 7 to 7.15 am."
VISITS = "Visiting hours on the wards: 3 pm to 6.30 pm."
DESK = "Help desk opening hours\n\nTuesday: 13-17\nWednesday: 9-17\nSunday: closed"
PHONE = "The hotline answers weekdays 8.30 to 16.00."

SAME = [
    (DAY, "The desk is open from 9 am to 5 pm."),
    (DAY, "The tour takes 90 minutes."),
    (LUNCH, "You get lunch from 1 to 1:45 pm."),
    (LUNCH, "Lunch is at 13:00-13:45."),
    (GATE, "The gate opens between 7:00 and 7:15."),
    (VISITS, "You can visit the wards 15:00-18:30."),
    (DESK, "On Tuesdays the help desk is open 1 to 5 pm."),
    (DESK, "The help desk is open 13-17 on Tuesdays."),
    (DESK, "The help desk is open from 9 am to 5 pm on Wednesdays."),
    (PHONE, "The hotline answers from 8:30 am to 4 pm on weekdays."),
]
OTHER = [
    (DAY, "The desk is open from 8 am to 5 pm."),
    (DAY, "The tour takes 80 minutes."),
    (LUNCH, "You get lunch from 1 to 1:30 pm."),
    (GATE, "The gate opens 8-8:15 am."),
    (VISITS, "You can visit the wards from 2 to 6:30 pm."),
    (DESK, "On Tuesdays the help desk is open 1 to 6 pm."),
    (PHONE, "The hotline answers from 8 am to 4 pm on weekdays."),
]


@pytest.mark.parametrize(("passage", "answer"), SAME)
def test_the_same_hours_in_another_form_stand(passage, answer):
    result = check_text(answer, context=Context(chunks=[passage]))
    assert result.errors == ()
    assert [found for found in result.findings if found.severity == "warning"] == []


@pytest.mark.parametrize(("passage", "answer"), OTHER)
def test_other_hours_are_held_by_no_passage(passage, answer):
    evidence = index(passage)
    times = [anchor for anchor in read_anchors(fold(answer).text) if anchor.kind != "number"]
    assert any(evidence.find_anchor(anchor).relation != "same" for anchor in times)
