from dataclasses import replace

import pytest

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Retrieval
from streamguard.core.question import Question
from streamguard.core.validate import check_text
from streamguard.core.verdict.claims import ClaimVerdict, is_supported
from streamguard.core.verdict.rules import (
    Facts,
    coverage_status,
    evidence_sufficient,
    refusal_report,
)

GOOD = ClaimVerdict(0.95, contradicted=False, unsupported_money=False)
WEAK = replace(GOOD, share=0.74)
BARE = replace(GOOD, share=0.84)
NOTHING = replace(GOOD, share=0.49)
CONTRADICTED = replace(GOOD, contradicted=True)
MONEY = replace(GOOD, unsupported_money=True)
FACTS = Facts(
    has_text=True,
    context_given=True,
    claims=(GOOD,),
    citations=0,
    citations_requested=False,
    complete=True,
    errors=0,
    limited=False,
)
MODERATE = Policy()
STRICT = Policy.preset("strict")
LENIENT = Policy.preset("lenient")
CITED = {"citations_requested": True}


@pytest.mark.parametrize(
    ("changes", "policy", "status", "code", "rule"),
    [
        ({"has_text": False}, MODERATE, "PASS", "nothing_to_check", "a"),
        ({"has_text": False, "context_given": False}, MODERATE, "PASS", "nothing_to_check", "a"),
        ({"context_given": False}, MODERATE, None, "no_context_given", "b"),
        # a: something could not be read
        ({"unread": "a picture"}, MODERATE, None, "unread", "a"),
        ({"has_text": False, "unread": "a picture"}, MODERATE, None, "unread", "a"),
        ({"claims": (MONEY,), "unread": "a picture"}, MODERATE, "WARN", "unsupported_money", "5"),
        ({"claims": ()}, MODERATE, "PASS", "no_claims", "c"),
        # 1: cites nothing where citations were requested; only strict refuses that
        ({**CITED}, STRICT, "REFUSE", "no_citations", "1"),
        ({**CITED, "claims": (NOTHING,)}, STRICT, "REFUSE", "no_citations", "1"),
        ({}, STRICT, "PASS", "supported", "6"),
        # 2: the best claim has next to nothing
        ({"claims": (NOTHING, NOTHING)}, MODERATE, "REFUSE", "no_mapping", "2"),
        ({"claims": (replace(GOOD, share=0.0),)}, LENIENT, "REFUSE", "no_mapping", "2"),
        ({"claims": (replace(GOOD, share=0.5),)}, MODERATE, "WARN", "weak_claim", "5"),
        ({"claims": (replace(GOOD, has_evidence=False),)}, MODERATE, "REFUSE", "no_mapping", "2"),
        # 3: more uncovered claims than allowed
        ({"claims": (GOOD, BARE, BARE)}, STRICT, "REFUSE", "uncovered_claims", "3"),
        ({"claims": (GOOD, BARE, BARE)}, MODERATE, "PASS", "supported", "6"),
        ({"claims": (GOOD, BARE, BARE, BARE)}, MODERATE, "REFUSE", "uncovered_claims", "3"),
        ({"claims": (GOOD, *[BARE] * 3)}, LENIENT, "PASS", "supported", "6"),
        ({"claims": (GOOD, *[BARE] * 4)}, LENIENT, "REFUSE", "uncovered_claims", "3"),
        # 4: too few citations where they were requested
        ({**CITED}, MODERATE, "WARN", "citation_density", "4"),
        ({**CITED, "citations": 1}, MODERATE, "PASS", "supported", "6"),
        ({**CITED}, LENIENT, "PASS", "supported", "6"),
        # 5: contradicted, unsupported money, weak
        ({"claims": (GOOD, CONTRADICTED)}, MODERATE, "WARN", "contradicted_claim", "5"),
        ({"claims": (MONEY,)}, MODERATE, "WARN", "unsupported_money", "5"),
        ({"claims": (GOOD, WEAK)}, MODERATE, "WARN", "weak_claim", "5"),
        ({"claims": (GOOD, replace(GOOD, has_evidence=False))}, MODERATE,
         "WARN", "no_evidence", "5"),
        ({"claims": (GOOD, replace(GOOD, share=0.75))}, MODERATE, "PASS", "supported", "6"),
        ({}, MODERATE, "PASS", "supported", "6"),
    ],
)  # fmt: skip
def test_the_first_rule_that_holds_gives_the_status(changes, policy, status, code, rule):
    got, reasons = coverage_status(replace(FACTS, **changes), policy)
    assert (got, reasons[0].code, reasons[0].rule) == (status, code, rule)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"complete": False}, "incomplete"),
        ({"errors": 2}, "check_error"),
        ({"limited": True}, "limit_reached"),
    ],
)
def test_a_pass_becomes_a_warning_when_the_run_was_not_clean(changes, code):
    status, reasons = coverage_status(replace(FACTS, **changes), MODERATE)
    assert status == "WARN"
    assert [reason.code for reason in reasons] == [code, "supported"]


def test_what_is_worse_than_a_warning_stays():
    facts = replace(FACTS, claims=(NOTHING,), complete=False)
    assert coverage_status(facts, MODERATE)[0] == "REFUSE"
    assert coverage_status(replace(FACTS, context_given=False, errors=1), MODERATE)[0] is None


def test_the_ratio_rule_needs_two_claims_and_a_policy_that_sets_it():
    policy = Policy.preset("moderate", max_uncovered_ratio=0.4)
    status, reasons = coverage_status(replace(FACTS, claims=(GOOD, BARE)), policy)
    assert (status, reasons[0].code, reasons[0].value) == ("REFUSE", "uncovered_ratio", 0.5)
    assert coverage_status(replace(FACTS, claims=(BARE,)), policy)[0] == "PASS"


def test_reasons_hold_figure_and_threshold():
    _, (reason,) = coverage_status(replace(FACTS, claims=(GOOD, *[BARE] * 3)), MODERATE)
    assert (reason.value, reason.threshold) == (3, 2)
    assert reason.message == "3 of 4 claims are not supported by the passages; at most 2 may be."


def test_a_contradicted_claim_is_not_supported_whatever_its_share():
    assert is_supported(GOOD, MODERATE)
    assert not is_supported(replace(GOOD, contradicted=True), MODERATE)


def test_literal_matching_asks_for_more_than_the_threshold():
    at = replace(GOOD, share=0.40)
    assert is_supported(at, Policy(min_similarity_for_mapping=0.40))
    assert not is_supported(at, Policy.preset("literal"))


WEAKLY = "The passages hold too little of a claim: a share of 0.74, where at least 0.75 is needed."


def test_a_reason_says_what_its_figure_is():
    _, (weak,) = coverage_status(replace(FACTS, claims=(GOOD, WEAK)), MODERATE)
    assert weak.message == WEAKLY
    _, (none,) = coverage_status(replace(FACTS, claims=(NOTHING,)), MODERATE)
    assert none.message == (
        "The passages hold too little of every claim: of the best a share of 0.49, where at least"
        " 0.5 is needed."
    )
    _, (good,) = coverage_status(FACTS, MODERATE)
    assert good.message == (
        "The passages hold enough of every claim: a share of 0.95 or more, where 0.75 is needed."
    )


def test_a_figure_below_its_threshold_is_never_shown_as_equal():
    claims = (GOOD, replace(GOOD, share=0.7499))
    _, (weak,) = coverage_status(replace(FACTS, claims=claims), MODERATE)
    assert weak.message == WEAKLY
    cited = replace(FACTS, claims=(GOOD,) * 4, citations=1, **CITED)
    _, (rare,) = coverage_status(cited, MODERATE)
    assert rare.message == "Too few sources: 1 citation for 4 claims; at least 2 should be."


def test_how_many_claims_lack_support_is_said_of_how_many():
    policy = Policy.preset("moderate", max_uncovered_ratio=0.4)
    _, (reason,) = coverage_status(replace(FACTS, claims=(GOOD, BARE)), policy)
    assert reason.message == (
        "1 of 2 claims is not supported by the passages; at most 40% of them may be."
    )


def test_literal_matching_applies_the_citation_rules_unconditionally():
    literal = Policy.preset("literal")
    status, reasons = coverage_status(FACTS, literal)
    assert (status, reasons[0].code) == ("WARN", "citation_density")
    refusing = Policy.preset("literal", refuse_on_no_citations=True)
    assert coverage_status(FACTS, refusing)[0] == "REFUSE"


# --- the rules where claims have a support score

LEARNED = replace(FACTS, measure="support", groundedness=0.9)
WRONG = replace(GOOD, wrong=True)
PRICED = replace(WRONG, unsupported_money=True)
CONTRARY = replace(WRONG, contradicted=True)
DOUBTFUL = replace(GOOD, doubtful=True)
MISCITED = replace(GOOD, miscited=True)
DERIVED = replace(GOOD, derived=True)
ALIEN = replace(GOOD, has_evidence=False)
SHORT = MODERATE.few_claims


HARDLY = (
    "The chance that the passages support all of the answer is put at 0.50; it should be at least"
    " 0.505."
)


def learned(policy=MODERATE, **changes):
    """Return the status, and of each reason its code, figure and threshold."""
    status, reasons = coverage_status(replace(LEARNED, **changes), policy)
    return status, [(one.code, one.value, one.threshold) for one in reasons]


def message_of(code, **changes):
    _, reasons = coverage_status(replace(LEARNED, **changes), MODERATE)
    (message,) = [reason.message for reason in reasons if reason.code == code]
    return message


@pytest.mark.parametrize(
    ("changes", "policy", "status", "reasons"),
    [
        ({}, MODERATE, "PASS", [("supported", 0.9, None)]),
        ({"groundedness": None}, MODERATE, "PASS", [("supported", None, None)]),
        # a weak claim alone says nothing
        ({"claims": (replace(GOOD, share=0.0),)}, MODERATE, "PASS", [("supported", 0.9, None)]),
        # 2: no word of it is in a passage
        ({"claims": (ALIEN, ALIEN)}, MODERATE, "REFUSE", [("no_mapping", 0, 1)]),
        ({"claims": (ALIEN, GOOD)}, MODERATE, "PASS", [("supported", 0.9, None)]),
        # 2: every claim is wrong
        ({"claims": (WRONG,)}, MODERATE, "REFUSE",
         [("all_wrong", 1, 1), ("unsupported_detail", 1, 0)]),
        ({"claims": (PRICED, CONTRARY)}, MODERATE, "REFUSE",
         [("all_wrong", 2, 2), ("contradicted_claim", 1, 0), ("unsupported_money", 1, 0)]),
        ({"claims": (CONTRADICTED,)}, MODERATE, "REFUSE",
         [("all_wrong", 1, 1), ("contradicted_claim", 1, 0)]),
        # 3: a long answer that is hardly grounded
        ({"claims": (GOOD,) * (SHORT + 1), "groundedness": 0.504}, MODERATE, "REFUSE",
         [("low_groundedness", 0.504, 0.505)]),
        ({"claims": (GOOD,) * (SHORT + 1), "groundedness": 0.505}, MODERATE, "PASS",
         [("supported", 0.505, None)]),
        ({"claims": (GOOD,) * SHORT, "groundedness": 0.0}, MODERATE, "PASS",
         [("supported", 0.0, None)]),
        # what follows from the passages' values is not judged by its words
        ({"claims": (*(GOOD,) * SHORT, DERIVED), "groundedness": 0.0}, MODERATE, "PASS",
         [("supported", 0.0, None)]),
        ({"claims": (GOOD,) * 5, "groundedness": None}, MODERATE, "PASS",
         [("supported", None, None)]),
        ({"claims": (GOOD,) * 5, "groundedness": 0.6}, STRICT, "REFUSE",
         [("low_groundedness", 0.6, 0.65)]),
        ({"claims": (GOOD,) * 5, "groundedness": 0.41}, LENIENT, "PASS",
         [("supported", 0.41, None)]),
        ({"claims": (GOOD,) * 5, "groundedness": 0.0}, Policy(min_groundedness=0.0), "PASS",
         [("supported", 0.0, None)]),
        ({"claims": (GOOD,) * 2, "groundedness": 0.2}, Policy(few_claims=1), "REFUSE",
         [("low_groundedness", 0.2, 0.505)]),
        # 5: some claim is wrong
        ({"claims": (GOOD, CONTRARY)}, MODERATE, "WARN", [("contradicted_claim", 1, 0)]),
        ({"claims": (GOOD, PRICED)}, MODERATE, "WARN", [("unsupported_money", 1, 0)]),
        ({"claims": (GOOD, WRONG)}, MODERATE, "WARN", [("unsupported_detail", 1, 0)]),
        ({"claims": (MISCITED,)}, MODERATE, "WARN", [("unsupported_detail", 1, 0)]),
        ({"claims": (GOOD, DOUBTFUL)}, MODERATE, "WARN", [("doubtful_claim", 1, 0)]),
        ({"claims": (DOUBTFUL,) * 4}, MODERATE, "WARN", [("doubtful_claim", 4, 0)]),
        ({"claims": (DOUBTFUL,) * 5}, MODERATE, "PASS", [("supported", 0.9, None)]),
        # 1 and 4: citations, where they were requested
        ({**CITED}, STRICT, "REFUSE", [("no_citations", 0, 1)]),
        ({**CITED}, MODERATE, "WARN", [("citation_density", 0.0, 0.3)]),
        ({**CITED, "citations": 1}, STRICT, "PASS", [("supported", 0.9, None)]),
        ({**CITED}, LENIENT, "PASS", [("supported", 0.9, None)]),
        ({}, STRICT, "PASS", [("supported", 0.9, None)]),
    ],
)  # fmt: skip
def test_every_rule_that_holds_gives_its_reason_with_figure_and_threshold(
    changes, policy, status, reasons
):
    assert learned(policy, **changes) == (status, reasons)


def test_all_reasons_are_listed_the_gravest_first():
    claims = (PRICED, CONTRARY, *[WRONG] * 2, replace(WRONG, doubtful=True, has_evidence=False))
    status, reasons = learned(claims=claims, groundedness=0.1, complete=False, **CITED)
    assert status == "REFUSE"
    assert [code for code, _, _ in reasons] == [
        "all_wrong",
        "low_groundedness",
        "contradicted_claim",
        "unsupported_money",
        "unsupported_detail",
        "citation_density",
        "incomplete",
    ]


def test_a_refusal_for_want_of_citations_stands_before_every_warning():
    _, reasons = learned(STRICT, claims=(GOOD, PRICED), **CITED)
    assert [code for code, _, _ in reasons] == [
        "no_citations",
        "unsupported_money",
    ]


@pytest.mark.parametrize(
    ("code", "changes", "message"),
    [
        ("supported", {}, "Nothing was found in the answer that the passages do not support."),
        ("no_mapping", {"claims": (ALIEN,)},
         "No passage has a word in common with what the answer claims."),
        ("all_wrong", {"claims": (WRONG,)},
         "The answer's only claim is unsupported or contradicted."),
        ("all_wrong", {"claims": (WRONG, PRICED)},
         "Each of the answer's 2 claims is unsupported or contradicted."),
        ("low_groundedness", {"claims": (GOOD,) * 5, "groundedness": 0.5049},
         HARDLY),
        ("contradicted_claim", {"claims": (CONTRARY,)},
         "The answer's only claim is contradicted by the passages."),
        ("contradicted_claim", {"claims": (CONTRARY, CONTRARY, GOOD)},
         "2 of 3 claims are contradicted by the passages."),
        ("unsupported_money", {"claims": (PRICED,)},
         "In the only claim an amount of money is in no passage."),
        ("unsupported_money", {"claims": (PRICED, GOOD)},
         "In 1 of 2 claims an amount of money is in no passage."),
        ("unsupported_detail", {"claims": (WRONG, GOOD)},
         "In 1 of 2 claims a value, name or citation does not fit the passages."),
        ("doubtful_claim", {"claims": (DOUBTFUL, GOOD)},
         "In 1 of 2 claims something is worth a look; see the marks."),
        ("citation_density", {"claims": (GOOD,) * 4, "citations": 1, **CITED},
         "Too few sources: 1 citation for 4 claims; at least 2 should be."),
    ],
)  # fmt: skip
def test_a_reason_says_in_words_what_held(code, changes, message):
    assert message_of(code, **changes) == message


PAGE = (
    "The Basic plan costs $49 per month and includes one seat.",
    "The Pro plan costs $99 per month and includes five seats.",
    "Refunds are paid within 14 days of the order.",
)


@pytest.mark.parametrize(
    ("answer", "status", "codes"),
    [
        ("The Basic plan costs $49 per month.", "PASS", ["supported"]),
        ("A year of the Basic plan costs $588.", "PASS", ["supported"]),
        ("The Basic plan costs $49 per month. Both plans together cost $148.", "PASS",
         ["supported"]),
        ("The Basic plan costs $49 per month. The Max plan costs $199 per month.", "WARN",
         ["unsupported_money"]),
        ("The Max plan costs $199 per month.", "REFUSE", ["all_wrong", "unsupported_money"]),
        ("The Basic plan costs $49 per year.", "REFUSE", ["all_wrong", "unsupported_money"]),
        ("Refunds are paid within 14 days. The Basic plan costs $49 per year.", "WARN",
         ["unsupported_money"]),
        ("Refunds are not paid within 14 days of the order.", "WARN", ["doubtful_claim"]),
        ("Owls deliver parcels. Dragons guard caves.", "REFUSE", ["no_mapping"]),
        ("Hello! How can I help you?", "PASS", ["no_claims"]),
    ],
)  # fmt: skip
def test_textbook_answers_have_their_status(answer, status, codes):
    context = Context(query="What do the plans cost?", chunks=PAGE)
    result = check_text(answer, context=context)
    assert (result.status, [reason.code for reason in result.reasons]) == (status, codes)


@pytest.mark.parametrize(
    ("phrases", "claims", "sufficient", "extent", "kind"),
    [
        (("i cannot",), 0, False, "whole", "expected"),
        (("i cannot",), 0, True, "whole", "over_refusal"),
        (("i cannot",), 0, None, "whole", "none"),
        (("i cannot",), 2, False, "partial", "missing_refusal"),
        (("i cannot",), 2, True, "partial", "none"),
        ((), 1, False, "none", "missing_refusal"),
        ((), 1, True, "none", "none"),
        ((), 1, None, "none", "none"),
        ((), 0, False, "none", "none"),
    ],
)
def test_extent_and_kind_of_a_refusal(phrases, claims, sufficient, extent, kind):
    report = refusal_report(phrases, claims=claims, sufficient=sufficient)
    assert (report.detected, report.extent, report.kind) == (bool(phrases), extent, kind)


def test_the_gate_decides_whether_the_evidence_is_sufficient():
    question = Question("vacation days")
    context = Context(chunks=["nothing here"], retrieval=Retrieval(is_answerable=True))
    assert evidence_sufficient(context, question, MODERATE) is True


@pytest.mark.parametrize(
    ("chunks", "query", "sufficient"),
    [
        (["Employees get 25 vacation days a year."], "How many vacation days are there?", True),
        (["Employees get 25 days."], "Which parking spaces may visitors use?", False),
        (["Parking is free.", "Visitors pay."], "Where may visitors park?", False),
        ([], "How many vacation days are there?", False),
        (None, "How many vacation days are there?", None),
        (["Anything."], None, None),
        (["Anything."], "Is it?", True),
    ],
)
def test_without_a_gate_one_chunk_must_hold_the_questions_keywords(chunks, query, sufficient):
    context = Context(query=query, chunks=chunks)
    context.prepare()
    question = Question(query) if query is not None else None
    assert evidence_sufficient(context, question, MODERATE) is sufficient


@pytest.mark.parametrize(
    ("chunks", "query", "shares", "sufficient"),
    [
        # all passages together hold what the question is about
        (["Parking is free.", "Visitors pay."], "Where may visitors park?", (0.1,), True),
        (["Parking is free."], "Can I get parking?", (0.1,), True),
        (["Refunds take five days."], "Can I get my money back?", (0.1, 0.99), False),
        (["Refunds take five days."], "Can I get it?", (0.1,), True),
        # an answer that the passages support is their answer
        (["Refunds take five days."], "Can I get my money back?", (0.99,), True),
        (["Refunds take five days."], "Can I get my money back?", (0.1, 0.99, 0.98), True),
        (["Refunds take five days."], "Can I get my money back?", (0.79, 0.8), True),
        (["Refunds take five days."], "Can I get my money back?", (0.74, 0.8), False),
        ([], "Can I get my money back?", (0.0,), False),
        ([], "Can I get it?", (0.0,), False),
    ],
)
def test_an_answer_is_itself_a_proof_that_the_evidence_suffices(chunks, query, shares, sufficient):
    context = Context(query=query, chunks=chunks)
    context.prepare()
    claims = [ClaimVerdict(share, contradicted=False, unsupported_money=False) for share in shares]
    assert evidence_sufficient(context, Question(query), MODERATE, claims) is sufficient


def test_literal_matching_asks_one_chunk_for_the_keywords_whatever_the_answer():
    context = Context(chunks=["Parking is free.", "Visitors pay."])
    context.prepare()
    question = Question("Where may visitors park?")
    claims = [ClaimVerdict(1.0, contradicted=False, unsupported_money=False)]
    assert evidence_sufficient(context, question, Policy.preset("literal"), claims) is False
