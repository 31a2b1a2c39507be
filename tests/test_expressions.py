"""What stated values come to together, at most one of them from elsewhere."""

import pytest

from streamguard.core.context import Context
from streamguard.core.validate import check_text
from tests.test_reckonings import SEATS, derivations, flagged

BULK = "The charge is £20 for up to 4 items. Each additional item costs £3. Book by phone."
LOANS = "| Item | Loan | Renewals |\n|---|---|---|\n| Films | 7 days | 2 |\n| Books | 21 days | 4 |"
CARD = "Cash withdrawals outside the euro area: €3.00 plus 1.5 % of the amount. Replacement: €8.00."
MUSEUM = "Adults: 11.00\nReduced (students): 7.50\nFamilies: 25.00\nGroups of 12: 8.00 per person"
DOSE = "Take 2 capsules a day. Finish the pack. Store below 25 degrees."
COVER = "Physiotherapy on prescription: 75 % of the cost, max. 450 per year. Glasses: 120 per year."
TAX = "A double room costs 140. City tax of 1.80 per person per night is paid on site."
FLAT = "Rent 1,150 plus 210 utilities. Deposit: two months' basic rent. Pets by arrangement."
MINUTES = (
    "Present: 58 members. The treasurer reported income of 86,300 and expenditure of 79,900. The"
    " accounts were approved. Membership grew from 412 to 447.\n\nThe fee rises from 60 to 66."
)
GYM = "| | Monthly | Yearly |\n|---|---|---|\n| Price | $62 | $540 |\n| Yoga | $5 | free |"
TROPHY = "Each goal scores 15 points. The silver cup of the sprint is worth 40 points."
EXPRESSIONS = [
    (BULK, "Pick up 6 items?", "For 6 items you pay £26.", "£26"),
    (BULK, "6 items?", "You'd pay £26: £20 covers four and the other two are £3 each.", "£26"),
    (LOANS, "How often can I renew a book?", ("Four times. With the 21-day loan period that gives"
     " you 105 days in total."), "105 days"),
    (CARD, None, ("Each withdrawal costs €3 plus 1.5 % of the amount. On a withdrawal of €400, for"
     " example, that would be €9.00."), "€9.00"),
    (CARD, None, ("Each withdrawal costs €3 plus 1.5 % of the amount. If you take out, say, €600,"
     " that makes €12.00."), "€12.00"),
    (MUSEUM, "Group price for 20 adults?", ("A group of 20 pays 8.00 each, so 160.00 in all, which"
     " saves 60.00 compared with adult tickets."), "60.00"),
    (DOSE, None, "You take two capsules a day for a week, so 14 in total.", "14"),
    (COVER, None, ("Physiotherapy is reimbursed at 75 %, up to 450 a year. You reach that limit at"
     " bills of 600."), "600"),
    (TAX, None, "City tax for both of you is 10.80 for three nights.", "10.80"),
    (FLAT, None, "All in, the deposit comes to 2,300.", "2,300"),
    (MINUTES, None, "Income exceeded spending by 6,400.", "6,400"),
    (MINUTES, None, "There are now 447 members, 35 more than before.", "35"),
    (GYM, None, ("- **Monthly ($62):** yoga $5\n- **Yearly ($540):** free yoga\n\nThe yearly one"
     " works out at $45 a month, so it's $17 a month cheaper."), "$17 a month"),
    (SEATS, "Trio for 8 seats?", ("Eight Trio seats cost $72 a month, or $864 a year. The 10 %"
     " discount brings it down to $777.60."), "$777.60"),
    (SEATS, None, "A Trio seat costs $9. With 10 % on top it is $9.90.", "$9.90"),
    (TROPHY, None, "A goal is worth 15 points, or 55 points with the silver cup of the sprint.",
     "55 points"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "question", "answer", "value"), EXPRESSIONS)
def test_what_stated_values_come_to_is_accepted(source, question, answer, value):
    assert flagged(answer, source, question=question) == []
    assert any(f"= {value}" in words for words in derivations(answer, source, question=question))


@pytest.mark.parametrize(("source", "question", "answer", "value"), EXPRESSIONS)
def test_what_they_do_not_come_to_is_not(source, question, answer, value):
    at = next(number for number, sign in enumerate(value) if sign.isdigit())
    wrong = f"{value[:at]}{int(value[at]) % 9 + 1}{value[at + 1 :]}"
    assert wrong in flagged(answer.replace(value, wrong), source, question=question)


def test_an_amount_that_is_no_example_is_a_statement():
    answer = "Each withdrawal costs €3 plus 1.5 % of the amount. That makes €12.00 for the €600."
    assert flagged(answer, CARD) == ["€12.00", "€600"]


def test_more_renewals_than_anyone_grants():
    source = "Books are lent for 21 days. The library has 40 shelves. Loans can be renewed."
    assert flagged("With renewals the 21 days become 861 days.", source) == ["861 days"]


def test_a_duration_is_no_rent():
    source = "Check-in closes 75 minutes before. Unloading takes up to 50 minutes after arrival."
    assert check_text("Unloading takes up to 50 hours.", context=Context(chunks=[source])).findings


def test_up_to_a_term_is_no_more_than_its_renewals():
    answer = "Four times. With the 21-day loan period that gives you up to 106 days."
    assert flagged(answer, LOANS, question="How often can I renew a book?") == ["106 days"]
    right = answer.replace("106", "105")
    assert flagged(right, LOANS, question="How often can I renew a book?") == []
