"""Three small documents with near-by values: right statements in free words, and wrong ones.

The wrong ones have another owner's value, one of nearly the size, or another unit. They were
written before any of them was asked about.
"""

import pytest

from streamguard.core.context import Context
from streamguard.core.validate import check_text

GYM = """# Membership at Kettle Street Gym

All memberships run month to month. The joining fee is €25 and is paid once.

## Daytime

Monthly fee: €29
Access: Monday to Friday, 09:00 to 16:00
Classes per week: 2
Guest passes per month: 0
Notice period: 14 days

## Standard

Monthly fee: €45
Access: every day, 06:00 to 22:00
Classes per week: 4
Guest passes per month: 1
Notice period: 30 days

## Premium

Monthly fee: €69
Access: every day, 24 hours
Classes per week: unlimited
Guest passes per month: 3
Notice period: 30 days

### Personal training

Premium members get a session of 45 minutes for €38. Others pay €52.

## Freezing a membership

A membership may be frozen for up to 3 months a year. While it is frozen the fee is €8 a \
month. Requests must arrive 10 days before the freeze begins.
"""
CABLE = """# Hohberg cable car: timetable and fares, summer 2026

The lower cabins run from 2 May to 25 October, the summit section from 6 June to 11 October.

| Departure (valley) | Arrival (middle) | Arrival (summit) | Runs |
|---|---|---|---|
| 08:15 | 08:27 | 08:41 | weekends only |
| 09:00 | 09:12 | 09:26 | daily |
| 10:30 | 10:42 | 10:56 | daily |
| 16:45 | 16:57 | no service | daily |

Last descent from the summit: 17:10. Last descent from the middle station: 17:40.

| Ticket | Adult | Child (6-15) | Dog |
|---|---|---|---|
| Valley to middle, single | CHF 14.00 | CHF 7.00 | CHF 4.00 |
| Valley to middle, return | CHF 22.00 | CHF 11.00 | CHF 6.00 |
| Valley to summit, single | CHF 26.50 | CHF 13.50 | CHF 5.00 |
| Valley to summit, return | CHF 41.00 | CHF 20.50 | CHF 8.00 |

A cabin holds 12 people and climbs 740 metres to the middle station. Bicycles weigh at most 25 \
kg and cost CHF 9.00 each way. Groups of 10 or more get 15 % off.
"""
LAB = """code,test,sample,volume,turnaround,price
H01,Full blood count,EDTA blood,0.5 ml,4 hours,£18.50
H07,Reticulocytes,EDTA blood,0.5 ml,1 day,£12.75
B12,Liver panel,"serum, plasma",1.0 ml,6 hours,£27.40
B15,Kidney panel,"serum, plasma",0.8 ml,6 hours,£24.90
B31,Thyroid T4,serum,0.3 ml,2 days,£21.00
M04,Urine culture,sterile urine,5 ml,3 days,£33.20
M09,Skin scrape,skin,none,2 hours,£15.60
P22,PCR Giardia,faeces,2 g,5 days,£46.80
"""
LAB_NOTES = (
    "Samples that arrive before 11:00 are measured the same day. "
    "Urgent tests cost £20 more each. "
    "Samples are kept for 7 days at 4 °C. "
    "The courier collects at 10:15 and 15:45 and costs £6.50 a visit."
)
DOCS = {"gym": [GYM], "cable": [CABLE], "lab": [LAB, LAB_NOTES]}
# Document, question, what is right, what is wrong.
CASES = [
    (
        "gym",
        "What does Standard cost?",
        "You'd pay €45 a month on Standard.",
        "You'd pay €29 a month on Standard.",
    ),
    (
        "gym",
        "What does Premium cost?",
        "Premium comes to €69 every month.",
        "Premium comes to €67 every month.",
    ),
    (
        "gym",
        "How many classes can I take on the daytime plan?",
        "With Daytime you can join 2 classes per week.",
        "With Daytime you can join 4 classes per week.",
    ),
    (
        "gym",
        "How many guests can Premium members bring?",
        "Premium includes 3 guest passes each month.",
        "Premium includes 1 guest pass each month.",
    ),
    (
        "gym",
        "How long is the notice on Daytime?",
        "Daytime members give 14 days' notice.",
        "Daytime members give 30 days' notice.",
    ),
    (
        "gym",
        "What is the fee while frozen?",
        "During a freeze you keep paying €8 a month.",
        "During a freeze you keep paying €9 a month.",
    ),
    (
        "gym",
        "How much is personal training?",
        "A 45-minute session is €38 if you're on Premium and €52 otherwise.",
        "A 45-minute session is €38 if you're on Premium and €58 otherwise.",
    ),
    (
        "gym",
        "How long may I freeze?",
        "You can put it on hold for no more than three months per year.",
        "You can put it on hold for no more than three weeks per year.",
    ),
    (
        "gym",
        "What do I pay in the first month of Standard?",
        "Your first month on Standard is €70 in total, since the €25 joining fee comes on top.",
        "Your first month on Standard is €75 in total, since the €25 joining fee comes on top.",
    ),
    (
        "gym",
        "When can I train on Daytime?",
        "Daytime lets you in on weekdays from 9 am until 4 pm.",
        "Daytime lets you in on weekdays from 9 am until 5 pm.",
    ),
    (
        "cable",
        "When does the first cabin reach the summit on a weekday?",
        "The earliest daily car leaves the valley at 09:00 and gets to the summit at 9:26.",
        "The earliest daily car leaves the valley at 09:00 and gets to the summit at 9:36.",
    ),
    (
        "cable",
        "What does an adult return to the summit cost?",
        "An adult return to the summit is CHF 41.",
        "An adult return to the summit is CHF 43.",
    ),
    (
        "cable",
        "What does a child pay to the middle station, return?",
        "Children pay 11 francs for a return to the middle station.",
        "Children pay 7 francs for a return to the middle station.",
    ),
    (
        "cable",
        "When is the last ride down from the top?",
        "You have to be on the 17:10 car to get down from the summit.",
        "You have to be on the 17:40 car to get down from the summit.",
    ),
    (
        "cable",
        "Until when does the summit section run?",
        "The summit section stays open until 11 October.",
        "The summit section stays open until 25 October.",
    ),
    (
        "cable",
        "How many people fit in a cabin?",
        "Twelve people fit into one cabin.",
        "Sixteen people fit into one cabin.",
    ),
    (
        "cable",
        "How heavy may a bike be?",
        "Your bike may weigh up to 25 kg.",
        "Your bike may weigh up to 25 lb.",
    ),
    (
        "cable",
        "Do groups get a discount?",
        "From ten people on, a group gets 15% off.",
        "From ten people on, a group gets 20% off.",
    ),
    (
        "cable",
        "How high is the middle station above the valley?",
        "The ride to the middle station climbs 740 m.",
        "The ride to the middle station climbs 740 ft.",
    ),
    (
        "cable",
        "What do two adults pay to the summit and back?",
        "Two adults pay CHF 82 for the return to the summit.",
        "Two adults pay CHF 84 for the return to the summit.",
    ),
    (
        "lab",
        "What does a liver panel cost?",
        "The liver panel is £27.40.",
        "The liver panel is £24.90.",
    ),
    (
        "lab",
        "How long does a thyroid T4 take?",
        "Expect the thyroid T4 result in 2 days.",
        "Expect the thyroid T4 result in 2 hours.",
    ),
    (
        "lab",
        "How much blood do you need for a full blood count?",
        "A full blood count needs 0.5 ml of EDTA blood.",
        "A full blood count needs 0.8 ml of EDTA blood.",
    ),
    (
        "lab",
        "What is the price of B15?",
        "B15, the kidney panel, costs £24.90.",
        "B15, the kidney panel, costs £26.90.",
    ),
    (
        "lab",
        "How long for a urine culture?",
        "A urine culture comes back after three days.",
        "A urine culture comes back after five days.",
    ),
    (
        "lab",
        "When must samples arrive?",
        "Get your samples in before 11:00 and they are run that day.",
        "Get your samples in before 12:00 and they are run that day.",
    ),
    (
        "lab",
        "How long are samples kept?",
        "We hold on to samples for a week, at 4 °C.",
        "We hold on to samples for a month, at 4 °C.",
    ),
    (
        "lab",
        "What does an urgent skin scrape cost?",
        "An urgent skin scrape is £35.60: £15.60 plus the £20 surcharge.",
        "An urgent skin scrape is £38.60: £15.60 plus the £20 surcharge.",
    ),
    (
        "lab",
        "How much faeces for PCR Giardia?",
        "PCR Giardia takes 2 g of faeces and costs £46.80.",
        "PCR Giardia takes 2 mg of faeces and costs £46.80.",
    ),
    (
        "lab",
        "When does the courier come?",
        "The courier comes at 10:15 and again at 15:45.",
        "The courier comes at 10:15 and again at 16:45.",
    ),
]
LEAST_FOUND = 22  # of the wrong ones, by a warning


def result(document, question, answer):
    return check_text(answer, context=Context(query=question, chunks=DOCS[document]))


@pytest.mark.parametrize(("document", "question", "right"), [case[:3] for case in CASES])
def test_what_is_right_passes(document, question, right):
    found = result(document, question, right)
    assert found.status == "PASS"
    assert not [one for one in found.findings if one.severity == "warning"]


def test_most_of_what_is_wrong_is_warned_of():
    results = [result(document, question, wrong) for document, question, _, wrong in CASES]
    warned = [any(one.severity == "warning" for one in each.findings) for each in results]
    assert sum(warned) >= LEAST_FOUND
