"""Reckonings that the answer writes out with signs between its values."""

import pytest

from tests.test_reckonings import derivations, flagged

LOCKERS = "A locker costs €6 for adults and €4 for children. A key costs €25.50 to replace."
SEATS = "Desk hire: €35.50 a day. Coffee is free. The meeting room costs €90 a day."


@pytest.mark.parametrize(
    ("chunk", "answer"),
    [
        (LOCKERS, "That comes to €26: 3 × €6 plus 2 × €4."),
        (LOCKERS, "That comes to €26 (3 x €6 + 2 x €4)."),
        (LOCKERS, "All in, €6 * 3 + €4 = €22."),
        (LOCKERS, "You owe €29.50: €25.50 + €4."),
        (LOCKERS, "The rest is €13.50: €25.50 minus 3 times €4."),
        (LOCKERS, "€25.50 - €6 - €4 = €15.50."),
        (SEATS, "Nine desks are 9 × €35.50, which makes €319.50."),
        (SEATS, "€319.50 is what all desks cost (€35.50 × 9)."),
    ],
)
def test_a_reckoning_that_is_written_out_holds(chunk, answer):
    assert flagged(answer, chunk) == []
    assert derivations(answer, chunk)


@pytest.mark.parametrize(
    ("chunk", "answer", "wrong"),
    [
        (LOCKERS, "That comes to €27: 3 × €6 plus 2 × €4.", "€27"),
        (LOCKERS, "All in, €6 * 3 + €4 = €21.", "€21"),
        (LOCKERS, "The rest is €12.50: €25.50 minus 3 times €4.", "€12.50"),
        (LOCKERS, "It is €24: €6 times €4.", "€24"),  # no money times money
        (LOCKERS, "It is €64: 8 × 8 × 1.", "€64"),  # of nothing that a passage holds
        (LOCKERS, "That is €19: 13 + €6.", "€19"),  # 13 of what?
        (LOCKERS, "It is €40: 6 + €4.", "€40"),
        (SEATS, "Nine desks are 9 × €36.50, which makes €328.50.", "€328.50"),
    ],
)
def test_a_wrong_result_and_unlike_parts_do_not(chunk, answer, wrong):
    assert wrong in [value.strip(".") for value in flagged(answer, chunk)]


def test_a_row_of_many_values_is_read_in_parts():
    many = " + ".join(["2 × €4"] * 5)
    assert "€40" in flagged(f"In all {many} are €40.", LOCKERS)
    few = " + ".join(["2 × €4"] * 4)
    assert flagged(f"In all {few} are €32.", LOCKERS) == []
