"""Times, months and frequencies that a passage tells by others or in other words."""

import pytest

from streamguard.core.context import Context
from streamguard.core.validate import check_text

TIP = (
    "Tip at Hale Road\n\nFriday: 9 am - 4 pm\nSaturday: 8 am - 3 pm\n\n"
    "Glass and paper are free. Batteries go to the red cabin, which shuts half an hour before the"
    " rest of the tip. Tyres cost €4."
)
RINK = (
    "**Rink:** Mon-Thu 14:00-21:00, Fri 14:00-22:30\n\n"
    "The last skates are handed out 75 minutes before closing."
)
MUSEUM = "The museum opens at 11:30 am. The first tour leaves an hour later."
HALL = "The hall closes at 12:15 pm. The cloakroom stays open one hour after closing."
NIGHT = "The bar closes at 00:30. Last orders are taken 45 minutes earlier."

# passage, question, answer
RIGHT_TIMES = [
    (
        TIP,
        None,
        "On Saturday the tip closes at 3 pm. The red cabin for batteries shuts at 2:30 pm.",
    ),
    (TIP, "batteries on friday?", "You can leave batteries at the red cabin till 3:30 pm."),
    (RINK, None, "The rink closes at 22:30 on Fridays, with the last skates at 21:15."),
    (RINK, None, "Fridays it shuts at 10:30 pm; the last skates go out at 9:15 pm."),
    (MUSEUM, None, "The museum's first tour leaves at 12:30 pm."),
    (HALL, None, "The cloakroom closes at 1:15 pm."),
    (NIGHT, None, "Last orders in the bar are at 11:45 pm."),
]
WRONG_TIMES = [
    (TIP, None, "On Saturday the tip closes at 3 pm. The red cabin for batteries shuts at 2 pm."),
    (
        TIP,
        None,
        "On Saturday the tip closes at 3 pm. The red cabin for batteries shuts at 3:30 pm.",
    ),
    (RINK, None, "The rink closes at 22:30 on Fridays, with the last skates at 21:30."),
    (RINK, None, "The rink closes at 22:30 on Fridays, with the last skates at 19:45."),
    (MUSEUM, None, "The museum's first tour leaves at 10:30 am."),
    (HALL, None, "The cloakroom closes at 11:15 am."),
    (NIGHT, None, "Last orders in the bar are at 1:15 am."),
]

# passage, answer that says it another way, answer that says something else
OFTEN = [
    ("The backup of the mail server runs daily.", "The mail server's backup runs once a day.",
     "The mail server's backup runs twice a day."),
    ("The filter is rinsed every day.", "The filter is rinsed once per day.",
     "The filter is rinsed once per hour."),
    ("The boiler is inspected every year.", "The boiler is inspected once a year.",
     "The boiler is inspected twice a year."),
    ("The boiler is inspected annually.", "The boiler is inspected once a year.",
     "The boiler is inspected once a month."),
    ("The boiler has a yearly inspection.", "The boiler is inspected once a year.",
     "The boiler is inspected three times a year."),
    ("The rope is checked twice a year.", "The rope is checked every six months.",
     "The rope is checked every four months."),
    ("The rope is checked half-yearly.", "The rope is checked every 6 months.",
     "The rope is checked every 3 months."),
    ("The rope is checked semi-annually.", "The rope is checked twice a year.",
     "The rope is checked twice a month."),
    ("The rope is checked every six months.", "The rope is checked twice a year.",
     "The rope is checked four times a year."),
    ("The bins are emptied every other week.", "The bins are emptied every two weeks.",
     "The bins are emptied every three weeks."),
    ("The bins are emptied fortnightly.", "The bins are emptied every 2 weeks.",
     "The bins are emptied twice a week."),
    ("The sensor is read hourly.", "The sensor is read once an hour.",
     "The sensor is read once a day."),
    ("The sensor is read every hour.", "The sensor is read 24 times a day.",
     "The sensor is read 12 times a day."),
    ("The sensor is read twice every hour.", "The sensor is read every 30 minutes.",
     "The sensor is read every 20 minutes."),
    ("The report is due four times a year.", "The report is due every three months.",
     "The report is due every two months."),
    ("The report is due every 3 months.", "The report is due four times a year.",
     "The report is due three times a year."),
    ("Paper is collected every second Monday.", "Paper is collected every two weeks.",
     "Paper is collected every three weeks."),
    ("Paper is collected every Monday.", "Paper is collected once a week.",
     "Paper is collected twice a week."),
    ("Logs are sent daily instead of weekly.", "Logs are sent once a day.",
     "Logs are sent once a week."),
]  # fmt: skip

LEAVE = "Tell your manager at least eight weeks before the leave starts."
# question, answer, what is flagged
MONTHS = [
    ("baby due in july", "Tell your manager eight weeks before, so in May for early July.", None),
    ("baby due in july", "Tell your manager eight weeks before, so in early May for July.", None),
    ("The baby is due in late July.", "If it starts in late July, say so by May, 8 weeks before.",
     None),
    ("baby due in july", "Tell your manager eight weeks before, so in March for early July.",
     "March"),
    ("baby due in mid july", "Tell your manager eight weeks before, so in June for mid-July.",
     "June"),
]  # fmt: skip


def flagged(answer, passage, question=None):
    result = check_text(answer, context=Context(query=question, chunks=[passage]))
    assert result.errors == ()
    return [found.value for found in result.findings if found.severity == "warning"]


@pytest.mark.parametrize(("passage", "question", "answer"), RIGHT_TIMES)
def test_a_time_told_by_another_one_and_a_duration_is_derived(passage, question, answer):
    assert flagged(answer, passage, question) == []


@pytest.mark.parametrize(("passage", "question", "answer"), WRONG_TIMES)
def test_another_time_than_the_offset_tells_is_flagged(passage, question, answer):
    assert flagged(answer, passage, question)


@pytest.mark.parametrize(("passage", "same", "other"), OFTEN)
def test_a_frequency_in_other_words_is_the_passages(passage, same, other):
    assert flagged(same, passage) == []
    assert flagged(other, passage)


@pytest.mark.parametrize(("question", "answer", "value"), MONTHS)
def test_a_month_that_the_question_brings_may_be_reckoned_from(question, answer, value):
    found = flagged(answer, LEAVE, question)
    assert value in found if value else found == []


def test_hours_lead_from_no_month_to_another():
    passage = "Tell your manager at least 36 hours before the leave starts."
    answer = "Tell your manager 36 hours before, so in May for July."
    assert "May" in flagged(answer, passage, "baby due in july")
