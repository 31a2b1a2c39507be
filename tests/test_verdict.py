"""From the claims of an answer to its status, and how each reason reads."""

import json
from dataclasses import replace

import pytest

from streamguard.core.context import Context, Question
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Retrieval
from streamguard.core.validate import check_text
from streamguard.core.verdict.claimed import ClaimVerdict, is_supported
from streamguard.core.verdict.rules import Facts, coverage_status, refusal_report
from streamguard.core.verdict.sufficient import evidence_sufficient
from tests.kit.tables import differing

GOOD = ClaimVerdict(0.95)
WEAK = replace(GOOD, share=0.3999)  # never shown as the threshold above it
BARE = replace(GOOD, share=0.40)
NOTHING = replace(GOOD, share=0.19)
ALIEN = replace(GOOD, has_evidence=False)


def marked(*marks):
    return replace(GOOD, marks=frozenset(marks))


CONTRADICTED = marked("contradicted_claim")
MONEY = marked("unsupported_money")
FACTS = Facts(
    has_text=True, context_given=True, claims=(GOOD,), citations=0, citations_requested=False,
    complete=True, errors=0, limited=False, groundedness=0.9, chars=350,
)  # fmt: skip
MODERATE = Policy()
STRICT = Policy.preset("strict")
LITERAL = Policy.preset("literal")
RATIO = Policy.preset("literal", max_uncovered_ratio=0.4)
UNCITED = Policy.preset("literal", refuse_on_no_citations=True)
CITED = {"citations_requested": True}

# The published rules: what the answer is like, the policy; status, code and rule.
PUBLISHED = [
    ({"has_text": False, "context_given": False}, LITERAL, (None, "nothing_to_check", "a")),
    ({"context_given": False}, LITERAL, (None, "no_context_given", "b")),
    ({"context_given": False, "errors": 1}, LITERAL, (None, "no_context_given", "b")),
    ({"unread": "a picture"}, LITERAL, (None, "unread", "a")),
    ({"claims": (MONEY,), "unread": "a picture"}, LITERAL, ("WARN", "unsupported_money", "5")),
    ({"claims": ()}, LITERAL, ("PASS", "no_claims", "c")),
    # 1: cites nothing
    ({"claims": (NOTHING,), "citations": 0}, UNCITED, ("REFUSE", "no_citations", "1")),
    # 2: the best claim has next to nothing
    ({"claims": (NOTHING, NOTHING)}, LITERAL, ("REFUSE", "no_mapping", "2")),
    ({"claims": (NOTHING,), "complete": False}, LITERAL, ("REFUSE", "no_mapping", "2")),
    ({"claims": (replace(GOOD, share=0.2),)}, LITERAL, ("WARN", "weak_claim", "5")),
    # 3: more uncovered claims than allowed
    ({"claims": (GOOD, BARE, BARE)}, LITERAL, ("PASS", "supported", "6")),
    ({"claims": (GOOD, *[BARE] * 3)}, LITERAL, ("REFUSE", "uncovered_claims", "3")),
    ({"claims": (GOOD, BARE)}, RATIO, ("REFUSE", "uncovered_ratio", "3")),
    ({"claims": (BARE,)}, RATIO, ("PASS", "supported", "6")),
    # 4: too few citations
    ({"citations": 0}, LITERAL, ("WARN", "citation_density", "4")),
    # 5: contradicted, unsupported money, weak
    ({"claims": (GOOD, CONTRADICTED)}, LITERAL, ("WARN", "contradicted_claim", "5")),
    ({"claims": (MONEY,)}, LITERAL, ("WARN", "unsupported_money", "5")),
    ({"claims": (GOOD, WEAK)}, LITERAL, ("WARN", "weak_claim", "5")),
    # a run that was not clean is no PASS
    ({"complete": False}, LITERAL, ("WARN", "incomplete", "raise")),
    ({"errors": 2}, LITERAL, ("WARN", "check_error", "raise")),
    ({"limited": True}, LITERAL, ("WARN", "limit_reached", "raise")),
]


def test_the_first_rule_that_holds_gives_the_status():
    def read(changes, policy):
        facts = replace(FACTS, **({"citations": 5, **CITED} | changes))
        status, reasons = coverage_status(facts, policy)
        return status, reasons[0].code, reasons[0].rule

    assert differing(PUBLISHED, read) == []


def test_a_claim_is_supported_from_the_threshold_on_and_literally_above_it():
    at = replace(GOOD, share=0.40)
    assert is_supported(at, Policy(min_support=0.40))
    assert not is_supported(at, Policy())
    assert not is_supported(at, LITERAL)
    assert is_supported(replace(GOOD, share=0.41), LITERAL)
    assert not is_supported(CONTRADICTED, MODERATE)


# --- the rules of every other policy

WRONG = marked("wrong", "unsupported_detail")
PRICED = marked("wrong", "unsupported_money")
CONTRARY = marked("wrong", "contradicted_claim")
DOUBTFUL = marked("doubtful")
MISCITED = marked("unsupported_detail")
DERIVED = marked("derived")
SHORT = MODERATE.few_claims
FINE = ("supported", 0.9, None)

# What the answer is like, the policy; the status, and of each reason code, figure and threshold.
RULES = [
    ({}, MODERATE, ("PASS", FINE)),
    # a weak claim alone says nothing, unless no other is supported
    ({"claims": (GOOD, replace(GOOD, share=0.0))}, MODERATE, ("PASS", FINE)),
    ({"claims": (replace(GOOD, share=0.49),) * 2}, MODERATE, ("WARN", ("unsupported", 0, 1))),
    ({"claims": (replace(GOOD, share=0.5),)}, MODERATE, ("PASS", FINE)),
    # a refusal that the passages answer
    ({"claims": (), "is_needless": True}, MODERATE, ("WARN", ("over_refusal", None, None))),
    # 2: no word of it is in a passage, or every claim is wrong
    ({"claims": (ALIEN, ALIEN)}, MODERATE, ("REFUSE", ("no_mapping", 0, 1))),
    ({"claims": (ALIEN, GOOD)}, MODERATE, ("PASS", FINE)),
    ({"claims": (WRONG,)}, MODERATE,
     ("REFUSE", ("all_wrong", 1, 1), ("unsupported_detail", 1, 0))),
    ({"claims": (PRICED, CONTRARY)}, MODERATE,
     ("REFUSE", ("all_wrong", 2, 2), ("contradicted_claim", 1, 0), ("unsupported_money", 1, 0))),
    ({"claims": (CONTRADICTED,)}, MODERATE,
     ("REFUSE", ("all_wrong", 1, 1), ("contradicted_claim", 1, 0))),
    # 3: a long answer that is hardly grounded; what is reckoned is not judged by its words
    ({"claims": (GOOD,) * (SHORT + 1), "groundedness": 0.1, "chars": 349}, MODERATE,
     ("PASS", ("supported", 0.1, None))),
    ({"claims": (GOOD,) * (SHORT + 1), "groundedness": 0.509}, MODERATE,
     ("REFUSE", ("low_groundedness", 0.509, 0.51))),
    ({"claims": (GOOD,) * (SHORT + 1), "groundedness": 0.51}, MODERATE,
     ("PASS", ("supported", 0.51, None))),
    ({"claims": (*[GOOD] * SHORT, DERIVED), "groundedness": 0.0}, MODERATE,
     ("PASS", ("supported", 0.0, None))),
    ({"claims": (GOOD,) * 5, "groundedness": None}, MODERATE, ("PASS", ("supported", None, None))),
    ({"claims": (GOOD,) * 5, "groundedness": 0.6}, STRICT,
     ("REFUSE", ("low_groundedness", 0.6, 0.65))),
    ({"claims": (GOOD,) * 5, "groundedness": 0.0}, Policy(min_groundedness=0.0),
     ("PASS", ("supported", 0.0, None))),
    ({"claims": (GOOD,) * 2, "groundedness": 0.2}, Policy(few_claims=1),
     ("REFUSE", ("low_groundedness", 0.2, 0.51))),
    # 5: some claim is wrong, or doubted in a short answer
    ({"claims": (GOOD, CONTRARY)}, MODERATE, ("WARN", ("contradicted_claim", 1, 0))),
    ({"claims": (GOOD, PRICED)}, MODERATE, ("WARN", ("unsupported_money", 1, 0))),
    ({"claims": (MISCITED,)}, MODERATE, ("WARN", ("unsupported_detail", 1, 0))),
    ({"unknown_sources": 2}, MODERATE, ("WARN", ("unknown_source", 2, 0))),
    ({"claims": (DOUBTFUL,) * 4}, MODERATE, ("WARN", ("doubtful_claim", 4, 0))),
    ({"claims": (DOUBTFUL,) * 5}, MODERATE, ("PASS", FINE)),
    # 1 and 4: citations, where they were requested
    ({**CITED}, STRICT, ("REFUSE", ("no_citations", 0, 1))),
    ({**CITED, "claims": (GOOD, PRICED)}, STRICT,
     ("REFUSE", ("unsupported_money", 1, 0), ("no_citations", 0, 1))),
    ({**CITED}, MODERATE, ("PASS", FINE)),
    ({**CITED}, Policy(warn_of_few_citations=True), ("WARN", ("citation_density", 0.0, 0.3))),
    ({**CITED, "citations": 1}, STRICT, ("PASS", FINE)),
    ({}, STRICT, ("PASS", FINE)),
]  # fmt: skip


def test_every_rule_that_holds_gives_its_reason_with_figure_and_threshold():
    def read(changes, policy):
        status, reasons = coverage_status(replace(FACTS, **changes), policy)
        return status, *((one.code, one.value, one.threshold) for one in reasons)

    assert differing(RULES, read) == []


def test_all_reasons_are_listed_the_gravest_first():
    claims = (PRICED, CONTRARY, *[WRONG] * 2, replace(WRONG, has_evidence=False))
    facts = replace(FACTS, claims=claims, groundedness=0.1, complete=False, **CITED)
    policy = Policy(warn_of_few_citations=True)
    assert [reason.code for reason in coverage_status(facts, policy)[1]] == [
        "all_wrong", "low_groundedness", "contradicted_claim", "unsupported_money",
        "unsupported_detail", "citation_density", "incomplete",
    ]  # fmt: skip


HARDLY = (
    "The chance that the passages support all of the answer is put at 0.49; it should be at least"
    " 0.51."
)
ELSEWHERE = "The answer cites no passage that has a word in common with its claims."
LITTLE = "The cited passages hold a share of {} claim; at least {} is needed."
# One example of each reason, as it is read.
MESSAGES = [
    (FACTS, {"has_text": False}, "nothing_to_check", "The answer holds no text to check."),
    (FACTS, {"context_given": False}, "no_context_given",
     "No passages were given, so the answer was not judged against any."),
    (FACTS, {"claims": ()}, "no_claims", "The answer makes no claim to check."),
    (FACTS, {}, "supported",
     "Nothing was found in the answer that speaks against the passages."),
    (FACTS, {"claims": (ALIEN,)}, "no_mapping",
     "No passage has a word in common with what the answer claims."),
    (FACTS, {"claims": (replace(ALIEN, cites=True), ALIEN)}, "no_mapping", ELSEWHERE),
    (FACTS, {"claims": (WRONG,)}, "all_wrong",
     "Every claim of the answer is unsupported or contradicted."),
    (FACTS, {"claims": (WRONG, PRICED)}, "all_wrong",
     "Every claim of the answer is unsupported or contradicted."),
    (FACTS, {"claims": (GOOD,) * 5, "groundedness": 0.4999}, "low_groundedness", HARDLY),
    (FACTS, {"claims": (CONTRARY,)}, "contradicted_claim",
     "The passages contradict the only claim."),
    (FACTS, {"claims": (CONTRARY, CONTRARY, GOOD)}, "contradicted_claim",
     "The passages contradict 2 of 3 claims."),
    (FACTS, {"claims": (PRICED,)}, "unsupported_money",
     "In the only claim an amount of money is in no passage."),
    (FACTS, {"claims": (WRONG, GOOD)}, "unsupported_detail",
     "In 1 of 2 claims a value, name or citation does not fit the passages."),
    (FACTS, {"unknown_sources": 1}, "unknown_source",
     "Citations that name no retrieved passage: 1."),
    (FACTS, {"claims": (marked("unsupported_claim"), GOOD)}, "unsupported_claim",
     "As verifiers read the passages, they do not support 1 of 2 claims."),
    (FACTS, {"claims": (DOUBTFUL, GOOD)}, "doubtful_claim",
     "The passages may differ from 1 of 2 claims."),
    (FACTS, {"claims": (WEAK, WEAK)}, "unsupported",
     "No claim of the answer was found in the passages."),
    (FACTS, {"claims": (), "is_needless": True}, "over_refusal",
     "The answer declines, though a passage speaks of what was asked and has a value for it."),
    (FACTS, {"unread": "an image"}, "unread",
     "Not all of the answer could be read, so it was not judged: an image."),
    (FACTS, {"complete": False}, "incomplete", "The answer broke off before its end."),
    (FACTS, {"errors": 1}, "check_error", "1 check did not finish."),
    (FACTS, {"errors": 2}, "check_error", "2 checks did not finish."),
    (FACTS, {"limited": True}, "limit_reached",
     "A limit was reached, and the rest of the answer was not checked."),
]  # fmt: skip
# The same under `literal`.
PUBLISHED_MESSAGES = [
    ({}, "supported", LITTLE.format("0.95 of the weakest", 0.4)),
    ({"claims": (GOOD, WEAK)}, "weak_claim", LITTLE.format("0.39 of the weakest", 0.4)),
    ({"claims": (NOTHING,)}, "no_mapping", LITTLE.format("0.19 of the best", 0.2)),
    ({"claims": (GOOD, *[BARE] * 3)}, "uncovered_claims",
     "The passages do not support 3 of 4 claims; at most 2 may be so."),
]  # fmt: skip


def test_a_reason_says_in_words_what_held():
    def read(facts, changes, code, policy=MODERATE):
        reasons = coverage_status(replace(facts, **changes), policy)[1]
        return {reason.code: reason.message for reason in reasons}.get(code)

    assert differing(MESSAGES, read) == []
    assert read(FACTS, CITED, "no_citations", STRICT) == "The answer names no source."
    few = "Too few sources: 1 citation for 4 claims; at least 2 should be."
    sparse = {"claims": (GOOD,) * 4, "citations": 1, **CITED}
    assert read(FACTS, sparse, "citation_density", STRICT) == few
    cited = replace(FACTS, citations=5, **CITED)
    rows = [(cited, changes, code, LITERAL, said) for changes, code, said in PUBLISHED_MESSAGES]
    assert differing(rows, read) == []
    assert read(cited, {"claims": (GOOD, BARE)}, "uncovered_ratio", RATIO) == (
        "The passages do not support 1 of 2 claims; at most 40% of them may be so."
    )


PAGE = (
    "The Basic plan costs $49 per month and includes one seat.",
    "The Pro plan costs $99 per month and includes five seats.",
    "Refunds are paid within 14 days of the order.",
)
ANSWERS = [
    ("The Basic plan costs $49 per month.", ("PASS", "supported")),
    ("A year of the Basic plan costs $588.", ("PASS", "supported")),
    ("The Basic plan costs $49 per month. Both plans together cost $148.", ("PASS", "supported")),
    ("The Basic plan costs $49 per month. The Max plan costs $199 per month.",
     ("WARN", "unsupported_money")),
    ("The Max plan costs $199 per month.", ("REFUSE", "all_wrong", "unsupported_money")),
    ("Refunds are paid within 14 days. The Basic plan costs $49 per year.",
     ("WARN", "unsupported_money")),
    ("Refunds are not paid within 14 days of the order.", ("WARN", "doubtful_claim")),
    ("Owls deliver parcels. Dragons guard caves.", ("REFUSE", "no_mapping")),
    ("Hello! How can I help you?", ("PASS", "no_claims")),
]  # fmt: skip


def test_textbook_answers_have_their_status():
    context = Context(query="What do the plans cost?", chunks=PAGE)

    def read(answer):
        result = check_text(answer, context=context)
        return result.status, *(reason.code for reason in result.reasons)

    assert differing(ANSWERS, read) == []


# --- refusals


@pytest.mark.parametrize(
    ("phrases", "claims", "sufficient", "extent", "kind"),
    [
        (("i cannot",), 0, False, "whole", "expected"),
        (("i cannot",), 0, True, "whole", "over_refusal"),
        (("i cannot",), 0, None, "whole", "none"),
        (("i cannot",), 2, False, "partial", "missing_refusal"),
        (("i cannot",), 2, True, "partial", "none"),
        ((), 1, False, "none", "missing_refusal"),
        ((), 1, None, "none", "none"),
        ((), 0, False, "none", "none"),
    ],
)
def test_extent_and_kind_of_a_refusal(phrases, claims, sufficient, extent, kind):
    report = refusal_report(phrases, claims=claims, sufficient=sufficient)
    assert (report.detected, report.extent, report.kind) == (bool(phrases), extent, kind)


REFUNDS = (["Refunds take five days."], "Can I get my money back?")
PARKING = (["Parking is free.", "Visitors pay."], "Where may visitors park?")
# Passages, question, the shares of the claims; whether the passages could answer it.
SUFFICIENT = [
    # a refusal: one chunk must hold the question's keywords, and a value of the kind asked for
    (["Employees get 25 vacation days a year."], "How many vacation days are there?", (), True),
    (["Employees get vacation days."], "How many vacation days are there?", (), None),
    (["Vacation days: 25."], "Who grants vacation days?", (), None),
    (*PARKING, (), False), ([], "How many vacation days are there?", (), False),
    (None, "How many vacation days are there?", (), None), (["Anything."], None, (), None),
    (["Anything."], "Is it?", (), None), (["Anything."], "Is it?", (0.1,), True),
    (["Anything."], "?!", (), None),
    # an answer: all of them together may, and half of the claims are proof, where they support it
    (*PARKING, (0.1,), True), (*REFUNDS, (0.1, 0.74), False), (*REFUNDS, (0.1, 0.75), True),
    (*REFUNDS, (0.1, 0.74, 0.99), False), ([], "Can I get it?", (0.0,), False),
]  # fmt: skip


def test_passages_suffice_that_hold_the_questions_words_or_support_the_answer():
    def read(chunks, query, shares, policy=MODERATE, **given):
        context = Context(query=query, chunks=chunks, **given)
        context.prepare()
        claims = [replace(GOOD, share=share) for share in shares]
        question = None if query is None else Question(query)
        return evidence_sufficient(context, question, policy, claims)

    assert differing(SUFFICIENT, read) == []
    assert read(*PARKING, (1.0,), LITERAL) is False
    assert read(*PARKING, (), LITERAL) is False
    # The gate's no counts, and its yes of an answer; a passage that is near may not answer.
    near, far = (Retrieval(is_answerable=each) for each in (True, False))
    days = (["Employees get 25 vacation days a year."], "How many vacation days are there?")
    assert read(["No."], "vacation days", (), retrieval=near) is None
    assert read(["No."], "vacation days", (0.1,), retrieval=near) is True
    assert read(*days, (), retrieval=near) is True
    assert read(*days, (), retrieval=far) is False
    assert read(["No."], "vacation days", (), LITERAL, retrieval=near) is True


HANDBOOK = [
    "Guests book 3 days ahead. A room costs £84 a night, breakfast £9. Rooms are cleaned daily.",
    "Mira Voss manages the house. Check-in is from 15:00, check-out until 10:30.",
]
SAID = [
    "24. That is eight nights at three each.",
    "A room is £84 a night. Breakfast costs £9 more.",
    "- Room: £84\n- Breakfast: £9\n- Check-in: 15:00\n- Check-out: 10:30\n- Manager: Mira Voss\n",
    "Guests book 3 days ahead. A room is £94 a night, and Mira Voss manages the house.",
]
CHATTER = (
    "Hi there! Happy to help.\n\n{}", "Sure! {}", "## Answer\n\n{}", "Great question! {}",
    "Based on the documents you provided, here is what I found:\n\n{}",
    "{}\n\nLet me know if you have any other questions!",
)  # fmt: skip


@pytest.mark.parametrize("said", SAID)
def test_chatter_around_an_answer_changes_no_verdict(said):
    context = Context(query="What does a room cost?", chunks=HANDBOOK)

    def verdict(text):
        result = check_text(text, context=context)
        return result.status, tuple(one.check for one in result.findings)

    assert {verdict(around.format(said)) for around in CHATTER} == {verdict(said)}


WRITTEN = {
    "twice": [*HANDBOOK, *HANDBOOK],
    "wrapped": [
        HANDBOOK[0].replace(" 3 days", " in person or by telephone, at the latest 3\ndays"),
        HANDBOOK[1],
    ],
    "JSON": [json.dumps({"text": text, "page": 4}) for text in HANDBOOK],
}


@pytest.mark.parametrize("written", WRITTEN)
def test_passages_written_otherwise_give_the_same_verdict(written):
    context = Context(query="What does a room cost?", chunks=WRITTEN[written])
    read = {said: check_text(said, context=context).status for said in SAID}
    assert read == dict(zip(SAID, ["REFUSE", "PASS", "PASS", "WARN"], strict=True))
