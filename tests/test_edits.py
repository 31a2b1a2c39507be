"""What the comparison is told as: warnings of values, doubts without one, and late sums."""

import pytest

from streamguard.core.checks import PATTERN_CHECKS, edits
from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import Policy
from streamguard.core.validate import check_text
from tests.kit.answers import plans, result_of

EDIT_CHECKS = {"unsupported_price", "unsupported_value", "contradicted_value"}
DOUBTS = {"opposite", "other_owner", "other_name", "doubtful"}


def of(*chunks, query=None):
    return Context(query=query, chunks=chunks)


def findings_of(answer, context=None, **arguments):
    """Return the findings of the comparison, whatever the split of the answer."""
    result = result_of(answer, context, **arguments)
    assert result.errors == ()
    return [f for f in result.findings if f.check in EDIT_CHECKS | DOUBTS]


PRO = "The Pro plan costs $99 per month and includes five seats"
MESSAGES = [
    # a warning: no passage has the value
    ("It costs 59 dollars.", of("Nothing is told here."), "unsupported_price",
     "“59 dollars” is in no passage."),
    ("The Basic plan costs $59 per month and includes one seat.", None, "unsupported_price",
     "“$59 per month”; the passage says “$49 per month” (plans.md#basic)."),
    ("Support for Pro customers answers within 36 hours.", None, "unsupported_value",
     "“36 hours”; the passage says “24 hours” (plans.md#pro)."),
    ("It was introduced on 6 April 2023.", None, "unsupported_value",
     "“6 April 2023”; the passage says “5 March 2021” (plans.md#basic)."),
    # a warning: a passage has the figure otherwise
    ("The Basic plan costs $49 per year and includes one seat.", None, "unsupported_price",
     "“$49 per year”; the passage says “$49 per month” (plans.md#basic)."),
    ("The Basic plan costs €49 per month and includes one seat.", None, "unsupported_price",
     "“€49 per month”; the passage says “$49 per month” (plans.md#basic)."),
    ("Refunds are paid within 14 hours of the order.", None, "contradicted_value",
     "“14 hours”; the passage says “14 days” (C3)."),
    ("The API allows 5 requests per minute for each key.",
     of("The API allows 5 requests per hour for each key."), "contradicted_value",
     "“5”; the passage says “The API allows 5 requests per hour for each key” (C1)."),
    # doubts
    ("Refunds are paid within 30 days.",
     of("Refunds are paid within 14 days.", "Passwords expire after 30 days."), "other_owner",
     ("“30 days” stands elsewhere, in “Passwords expire after 30 days” (C2);"
      " nearest to this sentence is “14 days” (C1).")),
    ("Only two boats have a stove.",
     of("The tunnel is too narrow for two boats.", "Curlew has 6 berths and a stove."),
     "other_owner", "“two” may be wrong: nearest to this sentence is “6” (C2)."),
    # a machine's id is nothing to look up
    ("It costs 59 dollars.",
     of(*({"id": f"9b2e61c8-7d53-4e6a-b1f0-00000000000{n}", "text": f"It costs {n} dollars.",
           "source": f"docs/p{n}.md"} for n in (7, 8))), "unsupported_price",
     "“59 dollars”; the passage says “7 dollars” (p7.md)."),
    # beside a right value, its own is no hint
    ("A child pays $4.90 and an adult $8.90 for a day ticket.",
     of("| Ticket | Adult | Child |\n|---|---|---|\n| Day ticket | $9.80 | $4.90 |"),
     "unsupported_price", "“$8.90”; the passage says “$9.80” (C1)."),
    ("Before 9 am a ticket costs $2, after 9 am it costs $1.",
     of("Bicycles\n- Dogs are free.\n- Before 9 am a ticket costs $2."), "unsupported_price",
     ("“$1” is in no passage; the nearest place reads “Before 9 am a ticket costs $2” (C1).")),
    ("A dog travels for $5.", of("A dog travels free."), "unsupported_price",
     "“$5” is in no passage."),  # what is free is no other price
    ("It weighs 40 kg, it opens on Monday.", of("It is big."), "unsupported_value",
     "“40 kg” is in no passage."),
    ("Refunds are approved by Jane.",
     of("Orders are packed by Jane.", "Refunds are approved by Paul."), "other_name",
     "“Jane”; the passage says “Paul” (C2)."),
    ("The Pro plan does not cost $99 per month.", None, "opposite",
     f"The answer says “not”; the passage does not: “{PRO}” (plans.md#pro)."),
    ("Visitors must wear a badge.", of("Visitors may wear a badge."), "opposite",
     "The answer says “must”, the passage “may”: “Visitors may wear a badge” (C1)."),
    ("All rooms have a balcony.", of("Some rooms have a balcony."), "opposite",
     "The answer says “All”, the passage “Some”: “Some rooms have a balcony” (C1)."),
]  # fmt: skip


@pytest.fixture
def telling(monkeypatch):
    monkeypatch.setattr(edits, "_LEAST_LEAD", dict.fromkeys(edits._LEAST_LEAD, -1.0))
    return Policy(wrong_from=1.0, doubt_from=0.01)


@pytest.mark.parametrize(("answer", "context", "check", "message"), MESSAGES)
def test_a_finding_says_what_differs_and_values_alone_are_warnings(
    answer, context, check, message, telling
):
    found = findings_of(answer, context, policy=telling)
    (finding,) = [one for one in found if one.message == message]
    assert finding.check == check
    assert finding.severity == ("info" if check in DOUBTS else "warning")
    contradicted = check == "contradicted_value"
    warned = "contradicted_claim" if contradicted else "potential_hallucination"
    assert finding.flag == ("unsupported_claim" if check in DOUBTS else warned)
    if finding.nearest is not None:
        assert finding.nearest.value.strip("| .-") in finding.message


HALL = "The old hall of Riva was built in 1912 by masons."
LIBRARY = "Its library opened in 1923."
WARRANTY = "- Basic: 2 years\n- Plus: 3 years\n- Business: 5 years"
ELSEWHERE = [
    ("The old hall of Riva was built by masons in 1923.", of(HALL, LIBRARY),
     ("“1923” stands elsewhere, in “Its library opened in 1923” (C2);"
      " nearest to this sentence is “1912” (C1).")),
    ("Business has a warranty of 2 years.", of(WARRANTY),
     ("“2 years” stands elsewhere, in “Basic: 2 years” (C1);"
      " nearest to this sentence is “5 years” (C1).")),
    # its own place, one that fits nearly as well, no like value, both values told, no value at all
    ("The old hall of Riva was built by masons in 1912.", of(HALL, LIBRARY), None),
    ("It was built in 1923.", of(HALL, "The library was built in 1923."), None),
    ("The old hall of Riva was built by masons in 1923.", of(HALL[:24], LIBRARY), None),
    ("The old hall of Riva was built by masons in 1912, its library in 1923.", of(HALL, LIBRARY),
     None),
    ("Business has a warranty of 5 years.", of(WARRANTY), None),
    ("The old hall of Riva has 3 km of pipes.",  # none is no other length
     of("The old hall of Riva has 0 km of pipes.", "Its library has 3 km of shelves."), None),
    ("Business is for teams.", of("- Basic: for teams\n- Business: for firms"), None),
    ("2 years is what Basic has, and Business as well.", of(WARRANTY), None),
    ("Das alte Haus von Riva wurde von Maurern 1923 gebaut.",
     of("Das alte Haus von Riva wurde 1912 von Maurern gebaut.", "Die Bibliothek kam 1923."), None),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "context", "message"), ELSEWHERE)
def test_a_value_of_another_place_is_an_information_with_both_places(answer, context, message):
    policy = Policy(doubt_from=1.0, wrong_from=1.0)
    result = result_of(answer, context, policy=policy)
    found = [(f.message, f.severity) for f in result.findings if f.check == "elsewhere"]
    assert found == ([] if message is None else [(message, "info")])
    assert result.errors == ()


@pytest.mark.parametrize(
    ("answer", "context"),
    [
        ("The Basic plan costs $49 per month and includes one seat.", None),
        ("A year of the Basic plan costs $588.", None),
        ("Basic and Pro together cost $148.", None),
        ("The fee is not $7.", of("The fee is $5.", query="Is the fee $7?")),
        ("The plan is free, it costs $0.", of("The plan is free.")),
        ("Visitors must wear a badge.", of("Visitors must wear a badge.")),
        ("Refunds are approved by Paul.", of("Refunds are approved by Paul.")),
        (
            "An adult has to stand next to them.",
            of("Children over 12 may steer as long as an adult stands beside them."),
        ),
        ("```\nprice = $77.50\n```", None),
        ("It costs $59.", Context()),
    ],
)
def test_what_is_held_derived_asked_or_beyond_the_passages_is_left_alone(answer, context):
    assert findings_of(answer, context) == []


def test_a_sentence_of_nothing_but_a_value_is_not_doubted_for_its_words():
    passages = (
        "Each desk has two monitors. One is lent to those who work at home two days a week.",
        "The targets were met: priority 1 in 97%, priority 2 in 94%, priority 3 in 91%.",
        "Employees may work from home up to three days a week after half a year, one day before.",
    )
    result = result_of("One day a week before. After that it's up to three [C3].", of(*passages))
    assert result.status == "PASS"
    assert result.sentences[1].doubt > Policy().wrong_from
    assert [one.check for one in result.findings if one.check in DOUBTS] == []


def test_a_wrong_citation_is_told_once():
    context = of("The Basic plan costs $49 per month.", "Orders are packed by Jane.")
    result = result_of("The Basic plan costs $49 per month [C2].", context)
    assert result.sentences[0].doubt >= Policy().doubt_from
    assert [one.check for one in result.findings] == ["citation_mismatch"]


# --- values that are announced

SOLD = of("Sand is sold here, and lime is sold here.", "Each bag is $11 or $49.")


def test_a_total_that_is_announced_may_be_reckoned_behind_it():
    answer = "**That adds up to $60:**\n\n- Sand is $11\n- Lime is $49\n"
    assert findings_of(answer, SOLD) == []
    assert findings_of("**$60.** Sand is $11 and lime is $49.", SOLD) == []
    assert findings_of("About $60. Sand is $11 and lime is $49.", SOLD) == []
    guard = StreamGuard(SOLD)
    assert [each.value for each in guard.feed("It is $73. It")] == ["$73"]  # told at once
    (finding,) = findings_of("**$73.** Sand is $11 and lime is $49.", SOLD)
    assert (finding.check, finding.value) == ("unsupported_price", "$73")


# --- prices by look-up alone


@pytest.mark.parametrize(
    ("answer", "context", "messages"),
    [
        ("Basic costs $59.", None, ["“$59” is in no passage."]),
        ("Basic costs $49 per year.", None,
         ["“$49 per year”; the passage says “$49 per month” (plans.md#basic)."]),
        ("Basic costs $49 per month.", None, []),
        ("A year of Basic costs $588.", None, []),
        ("For 5 seats that is $245.", None, []),
        ("Basic is not $59.", plans("Is Basic $59?"), []),
        ("Max is $30 or $360.", of("None."),
         ["“$30” is in no passage.", "“$360” is in no passage."]),
        ("Max is $360.", of(""), ["“$360” is in no passage."]),
        ("It takes 59 hours.", None, []),
        ("Basic costs $59.", Context(), []),
    ],
)  # fmt: skip
def test_patterns_flag_amounts_that_are_neither_held_nor_derived_nor_asked(
    answer, context, messages
):
    result = result_of(answer, context, checks=PATTERN_CHECKS)
    found = [f for f in result.findings if f.check == "unsupported_price"]
    assert [finding.message for finding in found] == messages
    assert result.errors == ()


def test_nothing_is_compared_or_looked_up_under_literal_matching():
    literal = Policy.preset("literal")
    result = result_of("Basic costs 59 dollars.", checks=PATTERN_CHECKS, policy=literal)
    assert result.flags == ()
    result = check_text("Basic costs $59 per year.", context=plans(), policy=literal)
    assert {f.check for f in result.findings} & (DOUBTS | {"contradicted_value"}) == set()


def test_a_figure_of_something_else_is_no_reason_to_cite_its_passage():
    chunks = (
        "Hard flooring requires acoustic underlay of at least 19 dB; bathrooms are exempt.",
        "Thanks to Hamza Idrissi in flat 19, who looked after the planters.",
    )
    claim = "Hard flooring requires acoustic underlay of 19 dB or better, except in a bathroom"
    for cited, is_told in (("C1", False), ("C2", True)):
        found = check_text(f"{claim} [{cited}].", context=Context(chunks=chunks)).findings
        assert any(one.check == "citation_mismatch" for one in found) is is_told
