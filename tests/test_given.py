"""Values that the question brings or the answer rejects are none it states of the sources."""

import pytest

from streamguard.core.context import Context
from streamguard.core.policy import Policy
from streamguard.core.validate import check_text

RATES = "The Pro plan costs $24 per month. Each plan has 3 seats. The trial lasts 14 days."
ABROAD = "Working from abroad is limited to 20 days per year and needs a written approval."
FEES = "Transfers outside the zone cost 0.15% of the amount, minimum €12."
LIABLE = "The liability in any year shall not exceed 125% of the annual fees."
SHELF = "The machine is 36 cm high and weighs 7 kg."

TOW = "Braked trailers may weigh 1,400 kg. Unbraked trailers may weigh 650 kg."
TOURS = "The cellar tour is for groups of up to 15. The tower tour takes up to 30 guests."
CLUBS = "Clubs may apply after three years in the register. Children over 10 years may ride alone."

# passage, question, answer
STANDING = [
    (TOW, "my boat weighs 900 kg, is that ok", "Your 900 kg boat needs brakes."),
    (TOW, "she's 900 kg", "For a 900 kg boat you need brakes: 650 kg is the limit without."),
    (TOURS, "We are a club of 24 guests, what can we do?", "With 24 guests, take the tower tour."),
    (TOURS, "We are 24 guests", "As a group of 24, take the tower tour."),
    (CLUBS, "We are a club with 5 years in the register.", "Five years is well over three years."),
    (
        TOW,
        "my caravan weighs 900 kg",
        "Your 900 kg caravan needs brakes, so 1,400 kg is the limit.",
    ),
    (RATES, "We tested for 20 days.", "20 days is well over the $24 plan's 14 days of trial."),
    (CLUBS, "our club has 5 years", "5 years exceeds the three years that are asked for."),
    (CLUBS, "can my 12-year-old ride alone?", "Your 12-year-old may ride alone."),
    (CLUBS, "My son is 12 years old.", "Your 12 year old may ride alone."),
    (CLUBS, "I am 8 years old, may I ride alone?", "8 years is still under the 10 years."),
    (RATES, "Does Pro cost $29?", "No, not $29: the Pro plan costs $24 per month."),
    (RATES, "Does Pro cost $29?", "No, Pro costs $24 per month rather than $29."),
    (RATES, "Is Pro $29 a month?", "$29 is not the price of Pro."),
    (RATES, "Can we try it for 60 days?", "60 days is too long for the trial of 14 days."),
    (ABROAD, "Can I work from Spain for two months?", "No, two months would exceed the 20 days."),
    (ABROAD, "Can I work abroad for two months?", "If you go for two months, ask for approval."),
    (FEES, "What does a €20,000 transfer cost?", "A transfer of €20,000 costs €30."),
    (FEES, "What is it for a transfer of €20,000?", "It is 0.15%, so €30 for €20,000."),
    (LIABLE, "What if the annual fees are £80,000?", "With fees of £80,000 it is £100,000."),
    (SHELF, "Will it fit in a 40 cm tall shelf?", "It leaves 4 cm in a 40 cm shelf."),
    (SHELF, "And how do I use it on Dunbar 4 for lunch?", "Here is how to use it on Dunbar 4."),
    (RATES, "What do two adults and a 9-year-old pay?", "The nine-year-old pays $24 per month."),
    (
        "The rate for seniors applies from age 65.",
        "I'm 67. Do I get the rate for seniors?",
        "At age 67 you get the rate for seniors.",
    ),
    (RATES, "Is there a setup fee of $45?", "The passages do not mention a fee of $45."),
    (RATES, "Is it $45?", "A price of $45 is not mentioned in the passages, but Pro costs $24."),
]

# passage, question, answer, what is flagged
STATED = [
    (TOW, "my trailer weighs 900 kg", "Your 900 kg trailer needs no brakes.", "900 kg"),
    (TOW, "my boat weighs 900 kg", "Braked trailers may weigh your 900 kg.", "900 kg"),
    (TOURS, "We are a club of 24 guests", "The cellar tour comes with 24 guests.", "24"),
    (CLUBS, "We have 2 years in it.", "Apply: 2 years is well over three years in it.", "2 years"),
    (CLUBS, "We have 5 years in it.", "So 5 years is well over the six years.", "six years"),
    (CLUBS, "We have 5 years in the register.", "Clubs may apply after 5 years.", "5 years"),
    (RATES, "When does my 30-day trial end?", "Your 30-day trial ends by itself.", "30-day"),
    (RATES, "Does Pro cost $29?", "Yes, it costs $29.", "$29"),
    (RATES, "Does the Pro plan cost $29?", "The Pro plan costs $29.", "$29"),
    (RATES, "What does Pro cost, $29?", "The Pro plan costs $29.", "$29"),
    (RATES, "Does the trial last 30 days?", "The trial lasts for 30 days.", "30 days"),
    (RATES, "When does the 30-day trial end?", "The 30-day trial ends by itself.", "30-day"),
    (RATES, "What does a plan with 5 seats cost?", "The plan has 5 seats.", "5"),
    (RATES, "What if I try it for 30 days?", "The trial lasts 30 days.", "30 days"),
    (RATES, "Does it have 8 GB of memory?", "It has 8 GB of memory.", "8 GB"),
    (RATES, "Is Pro $29?", "Those who do not register pay $29.", "$29"),
    (RATES, "Is the most 60 mg?", "You must not exceed 60 mg.", "60 mg"),
    (RATES, "Is it $29?", "It is not clear to me or to any of us but rather likely $29.", "$29"),
    (RATES, "Does Pro cost $29?", "Pro costs $29, and this is not much.", "$29"),
    (RATES, "Is there a fee of $45?", "Nothing is mentioned about fees, but it costs $45.", "$45"),
    (ABROAD, "Can I work abroad for two months?", "You may work abroad for two months.",
     "two months"),
    ("The rate for seniors applies from age 65.", "I'm 67. Do I get the rate for seniors?",
     "The rate for seniors applies from age 67.", "67"),
    (ABROAD, "What is it?", "Two months would exceed the 20 days.", "Two months"),
]  # fmt: skip


def flagged(answer, passage, question, policy=None):
    result = check_text(answer, context=Context(query=question, chunks=[passage]), policy=policy)
    assert result.errors == ()
    checks = ("unsupported_price", "unsupported_value", "other_value")
    return [found.value for found in result.findings if found.check in checks]


@pytest.mark.parametrize(("passage", "question", "answer"), STANDING)
def test_a_value_that_is_not_stated_of_the_sources_needs_no_passage(passage, question, answer):
    assert flagged(answer, passage, question) == []


@pytest.mark.parametrize(("passage", "question", "answer", "value"), STATED)
def test_a_value_that_the_answer_affirms_is_flagged(passage, question, answer, value):
    assert value in flagged(answer, passage, question)


def test_a_value_brought_by_the_question_counts_as_no_unsupported_one_in_the_scores():
    context = Context(query="What does a €20,000 transfer cost?", chunks=[FEES])
    right = check_text("A transfer of €20,000 costs 0.15%.", context=context)
    other = check_text("A transfer of €30,000 costs 0.15%.", context=context)
    assert right.scores.hallucination < other.scores.hallucination


def test_literal_matching_asks_no_question():
    literal = Policy.preset("literal")
    assert check_text(
        "It costs $29.", context=Context(query="Is it $29?", chunks=[RATES]), policy=literal
    ).findings


def messages(answer, passage, check):
    result = check_text(answer, context=Context(chunks=[passage]))
    return [found.message for found in result.findings if found.check == check]


def test_a_figure_with_another_unit_is_one_finding_and_no_reckoning():
    passage = "Staff may work at home up to three days a week. Abroad it is 20 days per year."
    result = check_text("Abroad it is 20 weeks per year.", context=Context(chunks=[passage]))
    (found,) = [one for one in result.findings if one.value == "20 weeks per year"]
    assert found.check == "contradicted_value"
    assert found.message == (
        "“20 weeks per year” has another unit in the retrieved passages: “20 days per year” in C1."
    )


def test_the_nearest_value_is_the_one_that_the_closest_sentence_has():
    passage = "The lamp weighs 5 kg. The cable is 9 m long. The box holds 30 nails or 7 bolts."
    (message,) = messages("The lamp weighs 31 kg.", passage, "unsupported_value")
    assert message == "“31 kg” is in no retrieved passage; nearest is “5 kg” in C1."
    (message,) = messages("The box holds 31 bolts.", passage, "unsupported_value")
    assert message == "“31” is in no retrieved passage; nearest is “7” in C1."
    (message,) = messages("The box opens on 3 May 2021.", passage, "unsupported_value")
    assert message == "“3 May 2021” is in no retrieved passage."


def test_a_sum_is_corrected_only_beside_the_word_for_it():
    passage = "Mix 1 cup of rye with 3 cups of oats. Tickets: $4 for one, $5 for two."
    (message, *_) = messages(
        "Mix together 1 cup, 3 cups and 8.5 cups.", passage, "unsupported_value"
    )
    assert "By the passages" not in message
    (message, *_) = messages("The $4 and the $5 are in total $11.", passage, "unsupported_price")
    assert message.endswith(" By the passages: $4 + $5 = 9.")
