"""A price of nothing is the passages' in whatever words they tell it."""

import pytest

from streamguard.core.context import Context
from streamguard.core.validate import check_text

SAYINGS = [
    "If your ferry is late you may take the next one without extra charge.",
    "If your ferry is late you may take the next one without any additional cost.",
    "If your ferry is late the next one is free of charge.",
    "If your ferry is late the next one is included in the fare.",
    "If your ferry is late we never charge: the next one costs nothing.",
    "If your ferry is late you are not charged for the next one.",
    "If your ferry is late the fee for the next one is waived.",
    "If your ferry is late the next one is free for all passengers.",
    "If your ferry is late the fare includes the next one.",
    "If your ferry is late you do not pay for the next one.",
]
PAID = [
    "If your ferry is late you do not pay more than €4 for the next one.",
    "If your ferry is late you may take the next one for €4.",
    "If your ferry is late the next one is not included in the fare.",
    "If your ferry is late, feel free to take the next one for €4.",
    "If your ferry is late the next one leaves from pier 3.",
]
ANSWERS = [
    "If your ferry is late you can take the next one at no extra cost.",
    "If your ferry is late you can take the next one at no cost.",
    "If your ferry is late the next one costs nothing.",
    "If your ferry is late you can take the next one for free.",
    "If your ferry is late you can take the next one free of charge.",
    "If your ferry is late there is no additional charge for the next one.",
]


def prices(answer, passage):
    result = check_text(answer, context=Context(chunks=[passage]))
    assert result.errors == ()
    return [found.value for found in result.findings if found.check == "unsupported_price"]


@pytest.mark.parametrize("passage", SAYINGS)
@pytest.mark.parametrize("answer", ANSWERS)
def test_nothing_is_paid_in_other_words(answer, passage):
    assert prices(answer, passage) == []


@pytest.mark.parametrize("passage", PAID)
@pytest.mark.parametrize("answer", ANSWERS)
def test_what_is_paid_for_is_not_free(answer, passage):
    assert prices(answer, passage)


def test_a_count_of_nothing_is_no_price():
    result = check_text(
        "The final score was 0.", context=Context(chunks=["The final score is 3, included here."])
    )
    assert "0" in [found.value for found in result.findings]
