"""From the claims of an answer to its status, and how each reason reads."""

from dataclasses import replace

from streamguard.core.model.policy import Policy
from streamguard.core.verdict.claims import ClaimVerdict
from streamguard.core.verdict.rules import (
    Facts,
    coverage_status,
)
from tests.tables import differing

GOOD = ClaimVerdict(0.95, contradicted=False, unsupported_money=False)
WEAK = replace(GOOD, share=0.7499)  # never shown as the threshold above it
BARE = replace(GOOD, share=0.84)
NOTHING = replace(GOOD, share=0.49)
ALIEN = replace(GOOD, has_evidence=False)
CONTRADICTED = replace(GOOD, contradicted=True)
MONEY = replace(GOOD, unsupported_money=True)
FACTS = Facts(
    has_text=True, context_given=True, claims=(GOOD,), citations=0, citations_requested=False,
    complete=True, errors=0, limited=False,
)  # fmt: skip
MODERATE = Policy()
STRICT = Policy.preset("strict")
LENIENT = Policy.preset("lenient")
LITERAL = Policy.preset("literal")
RATIO = Policy.preset("moderate", max_uncovered_ratio=0.4)
CITED = {"citations_requested": True}

# Where only coverage is known: what the answer is like, the policy; status, code and rule.
PUBLISHED = [
    ({"has_text": False, "context_given": False}, MODERATE, ("PASS", "nothing_to_check", "a")),
    ({"context_given": False}, MODERATE, (None, "no_context_given", "b")),
    ({"context_given": False, "errors": 1}, MODERATE, (None, "no_context_given", "b")),
    ({"unread": "a picture"}, MODERATE, (None, "unread", "a")),
    ({"claims": (MONEY,), "unread": "a picture"}, MODERATE, ("WARN", "unsupported_money", "5")),
    ({"claims": ()}, MODERATE, ("PASS", "no_claims", "c")),
    # 1: cites nothing where citations were requested; only strict refuses that
    ({**CITED, "claims": (NOTHING,)}, STRICT, ("REFUSE", "no_citations", "1")),
    ({}, STRICT, ("PASS", "supported", "6")),
    # 2: the best claim has next to nothing
    ({"claims": (NOTHING, NOTHING)}, MODERATE, ("REFUSE", "no_mapping", "2")),
    ({"claims": (NOTHING,), "complete": False}, MODERATE, ("REFUSE", "no_mapping", "2")),
    ({"claims": (replace(GOOD, share=0.5),)}, MODERATE, ("WARN", "weak_claim", "5")),
    ({"claims": (ALIEN,)}, MODERATE, ("REFUSE", "no_mapping", "2")),
    # 3: more uncovered claims than allowed
    ({"claims": (GOOD, BARE, BARE)}, STRICT, ("REFUSE", "uncovered_claims", "3")),
    ({"claims": (GOOD, BARE, BARE)}, MODERATE, ("PASS", "supported", "6")),
    ({"claims": (GOOD, *[BARE] * 3)}, MODERATE, ("REFUSE", "uncovered_claims", "3")),
    ({"claims": (GOOD, *[BARE] * 3)}, LENIENT, ("PASS", "supported", "6")),
    ({"claims": (GOOD, BARE)}, RATIO, ("REFUSE", "uncovered_ratio", "3")),
    ({"claims": (BARE,)}, RATIO, ("PASS", "supported", "6")),
    # 4: too few citations where they were requested, under literal matching always
    ({**CITED}, MODERATE, ("WARN", "citation_density", "4")),
    ({**CITED, "citations": 1}, MODERATE, ("PASS", "supported", "6")),
    ({**CITED}, LENIENT, ("PASS", "supported", "6")),
    ({}, LITERAL, ("WARN", "citation_density", "4")),
    ({}, Policy.preset("literal", refuse_on_no_citations=True), ("REFUSE", "no_citations", "1")),
    # 5: contradicted, unsupported money, weak
    ({"claims": (GOOD, CONTRADICTED)}, MODERATE, ("WARN", "contradicted_claim", "5")),
    ({"claims": (MONEY,)}, MODERATE, ("WARN", "unsupported_money", "5")),
    ({"claims": (GOOD, WEAK)}, MODERATE, ("WARN", "weak_claim", "5")),
    ({"claims": (GOOD, ALIEN)}, MODERATE, ("WARN", "no_evidence", "5")),
    ({"claims": (GOOD, replace(GOOD, share=0.75))}, MODERATE, ("PASS", "supported", "6")),
    # a run that was not clean is no PASS
    ({"complete": False}, MODERATE, ("WARN", "incomplete", "raise")),
    ({"errors": 2}, MODERATE, ("WARN", "check_error", "raise")),
    ({"limited": True}, MODERATE, ("WARN", "limit_reached", "raise")),
]


def test_the_first_rule_that_holds_gives_the_status():
    def read(changes, policy):
        status, reasons = coverage_status(replace(FACTS, **changes), policy)
        return status, reasons[0].code, reasons[0].rule

    assert differing(PUBLISHED, read) == []


# --- the rules where claims have a support score

LEARNED = replace(FACTS, measure="support", groundedness=0.9)
WRONG = replace(GOOD, wrong=True)
PRICED = replace(WRONG, unsupported_money=True)
CONTRARY = replace(WRONG, contradicted=True)
DOUBTFUL = replace(GOOD, doubtful=True)
MISCITED = replace(GOOD, miscited=True)
DERIVED = replace(GOOD, derived=True)
SHORT = MODERATE.few_claims
FINE = ("supported", 0.9, None)

# What the answer is like, the policy; the status, and of each reason code, figure and threshold.
RULES = [
    ({}, MODERATE, ("PASS", FINE)),
    # a weak claim alone says nothing
    ({"claims": (replace(GOOD, share=0.0),)}, MODERATE, ("PASS", FINE)),
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
    ({"claims": (GOOD,) * (SHORT + 1), "groundedness": 0.499}, MODERATE,
     ("REFUSE", ("low_groundedness", 0.499, 0.5))),
    ({"claims": (GOOD,) * (SHORT + 1), "groundedness": 0.5}, MODERATE,
     ("PASS", ("supported", 0.5, None))),
    ({"claims": (*[GOOD] * SHORT, DERIVED), "groundedness": 0.0}, MODERATE,
     ("PASS", ("supported", 0.0, None))),
    ({"claims": (GOOD,) * 5, "groundedness": None}, MODERATE, ("PASS", ("supported", None, None))),
    ({"claims": (GOOD,) * 5, "groundedness": 0.6}, STRICT,
     ("REFUSE", ("low_groundedness", 0.6, 0.65))),
    ({"claims": (GOOD,) * 5, "groundedness": 0.0}, Policy(min_groundedness=0.0),
     ("PASS", ("supported", 0.0, None))),
    ({"claims": (GOOD,) * 2, "groundedness": 0.2}, Policy(few_claims=1),
     ("REFUSE", ("low_groundedness", 0.2, 0.5))),
    # 5: some claim is wrong, or doubted in a short answer
    ({"claims": (GOOD, CONTRARY)}, MODERATE, ("WARN", ("contradicted_claim", 1, 0))),
    ({"claims": (GOOD, PRICED)}, MODERATE, ("WARN", ("unsupported_money", 1, 0))),
    ({"claims": (MISCITED,)}, MODERATE, ("WARN", ("unsupported_detail", 1, 0))),
    ({"claims": (DOUBTFUL,) * 4}, MODERATE, ("WARN", ("doubtful_claim", 4, 0))),
    ({"claims": (DOUBTFUL,) * 5}, MODERATE, ("PASS", FINE)),
    # 1 and 4: citations, where they were requested
    ({**CITED}, STRICT, ("REFUSE", ("no_citations", 0, 1))),
    ({**CITED, "claims": (GOOD, PRICED)}, STRICT,
     ("REFUSE", ("no_citations", 0, 1), ("unsupported_money", 1, 0))),
    ({**CITED}, MODERATE, ("WARN", ("citation_density", 0.0, 0.3))),
    ({**CITED, "citations": 1}, STRICT, ("PASS", FINE)),
    ({}, STRICT, ("PASS", FINE)),
]  # fmt: skip


def test_every_rule_that_holds_gives_its_reason_with_figure_and_threshold():
    def read(changes, policy):
        status, reasons = coverage_status(replace(LEARNED, **changes), policy)
        return status, *((one.code, one.value, one.threshold) for one in reasons)

    assert differing(RULES, read) == []
