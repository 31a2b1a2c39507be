"""One example of every message that a result shows, as it is read."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from streamguard import Context, check_text
from streamguard.core.checks import edits
from streamguard.core.checks import values as value_checks
from streamguard.core.support import model as reasons
from streamguard.core.verdict.rules import coverage_status
from tests.test_verdict import (
    ALIEN,
    BARE,
    CITED,
    CONTRARY,
    DOUBTFUL,
    FACTS,
    GOOD,
    LEARNED,
    MODERATE,
    NOTHING,
    PRICED,
    STRICT,
    WEAK,
    WRONG,
)  # fmt: skip

CORE = Path(edits.__file__).parents[1]
CHUNKS = (
    "The Basic plan costs $49 per month. Support answers within 24 hours. All seats are included.",
    "The plan was made by Sarah Miller in Leeds. Visitors must wear a badge.",
)
HARDLY = (
    "The chance that the passages support all of the answer is put at 0.24; it should be at least"
    " 0.505."
)
# What the answer's claims are like, and how the reason for its status reads.
REASONS = [
    ("nothing_to_check", {"has_text": False}, "The answer holds no text."),
    ("no_context_given", {"context_given": False},
     "No passages were given, so the answer was not judged against any."),
    ("no_claims", {"claims": ()}, "The answer makes no claim to check."),
    ("supported", {}, "Nothing was found in the answer that the passages do not support."),
    ("no_mapping", {"claims": (ALIEN,)},
     "No passage has a word in common with what the answer claims."),
    ("all_wrong", {"claims": (WRONG,)}, "The answer's only claim is unsupported or contradicted."),
    ("low_groundedness", {"claims": (GOOD,) * 5, "groundedness": 0.24}, HARDLY),
    ("contradicted_claim", {"claims": (CONTRARY, GOOD)},
     "1 of 2 claims is contradicted by the passages."),
    ("unsupported_money", {"claims": (PRICED, GOOD)},
     "In 1 of 2 claims an amount of money is in no passage."),
    ("unsupported_detail", {"claims": (WRONG, GOOD)},
     "In 1 of 2 claims a value, name or citation does not fit the passages."),
    ("unsupported_claim", {"claims": (replace(GOOD, disbelieved=True), GOOD)},
     "1 of 2 claims is unsupported, as verifiers read the passages."),
    ("doubtful_claim", {"claims": (DOUBTFUL, GOOD)},
     "In 1 of 2 claims something is worth a look; see the marks."),
    ("citation_density", {**CITED},
     "Too few sources: no citations for 1 claim; at least 1 should be."),
    ("unread", {"unread": "an image"},
     "Not all of the answer could be read, so it was not judged: an image."),
    ("incomplete", {"complete": False}, "The answer broke off before its end."),
    ("check_error", {"errors": 1}, "1 check did not finish."),
    ("check_error", {"errors": 2}, "2 checks did not finish."),
    ("limit_reached", {"limited": True},
     "A limit was reached, and the rest of the answer was not checked."),
]  # fmt: skip
# The published rules, for coverage.
PUBLISHED = [
    ("no_evidence", {"claims": (GOOD, replace(GOOD, has_evidence=False))},
     "1 of 2 claims is about something of which no passage has a word."),
    ("weak_claim", {"claims": (GOOD, WEAK)},
     "The passages hold too little of a claim: a share of 0.74, where at least 0.75 is needed."),
    ("no_mapping", {"claims": (NOTHING,)},
     ("The passages hold too little of every claim: of the best a share of 0.49, where at least 0.5"
     " is needed.")),
    ("uncovered_claims", {"claims": (BARE,) * 4},
     "4 of 4 claims are not supported by the passages; at most 2 may be."),
    ("supported", {},
     "The passages hold enough of every claim: a share of 0.95 or more, where 0.75 is needed."),
]  # fmt: skip
NO_SOURCE = "The answer names no source."
UNCOVERED = "1 of 2 claims is not supported by the passages; at most 40% of them may be."

FINDINGS = [
    ("unsupported_price", "The Basic plan costs $59 per month.",
     ("“$59 per month” is in no retrieved passage; C1 has “$49 per month”: “The Basic plan costs"
     " $49 per month”.")),
    ("contradicted_value", "Support answers within 24 days.",
     "“24 days” has another unit in the retrieved passages: “24 hours” in C1."),
    ("unsupported_value", "Support answers within 36 hours.",
     "“36 hours” is in no retrieved passage; C1 has “24 hours”: “Support answers within 24 hours”."
     ),
    ("opposite", "The Basic plan does not cost $49 per month.",
     "Worth a look: this denies what the passages affirm, or the other way round."),
    ("unsupported_name", "The plan was made by John Miller in Leeds.",
     "“John Miller” is in no retrieved passage."),
    ("citation_unknown", "The Basic plan costs $49 per month [C9].",
     "[C9] names no retrieved passage; there are 2."),
    ("citation_mismatch", "The plan was made by Sarah Miller in Leeds [C1].",
     "The cited passage does not hold this; C2 does."),
    ("uncited_claim", "The Basic plan costs $49 per month.", "This claim names no source."),
    ("refusal", "I cannot answer this based on the provided documents.",
     "The answer declines here."),
]  # fmt: skip
# Words of the code, or of nobody.
INNER = re.compile(
    r"\b(?:rule \d|content words?|per claim|density|mapping|anchor|window|by weight|models add"
    r"|1 (?:claims|citations|files|checks)\b)",
    re.IGNORECASE,
)


def read_reasons(facts, policy, changes):
    return {one.code: one.message for one in coverage_status(replace(facts, **changes), policy)[1]}


@pytest.mark.parametrize(("code", "changes", "message"), REASONS)
def test_a_reason_reads_so(code, changes, message):
    assert read_reasons(LEARNED, MODERATE, changes)[code] == message


@pytest.mark.parametrize(("code", "changes", "message"), PUBLISHED)
def test_a_reason_of_the_published_rules_reads_so(code, changes, message):
    assert read_reasons(FACTS, MODERATE, changes)[code] == message


def test_the_strict_rules_read_so():
    assert read_reasons(LEARNED, STRICT, CITED) == {"no_citations": NO_SOURCE}
    policy = MODERATE.model_copy(update={"max_uncovered_ratio": 0.4})
    assert read_reasons(FACTS, policy, {"claims": (GOOD, BARE)}) == {"uncovered_ratio": UNCOVERED}


def test_every_reason_has_its_example():
    source = (CORE / "verdict" / "rules.py").read_text(encoding="utf-8")
    codes = set(re.findall(r'_reason\(\s*"([a-z_]+)"', source))
    shown = {code for code, _, _ in (*REASONS, *PUBLISHED)} | {"no_citations", "uncovered_ratio"}
    assert shown == codes


@pytest.mark.parametrize(("check", "answer", "message"), FINDINGS)
def test_a_finding_reads_so(check, answer, message):
    context = Context(chunks=CHUNKS, citations_requested=True)
    found = {one.check: one.message for one in check_text(answer, context=context).findings}
    assert found[check] == message


def test_no_message_speaks_the_codes_language():
    said = [message for _, _, message in (*REASONS, *PUBLISHED)]
    said += [message for _, _, message in FINDINGS]
    for module in (edits, value_checks, reasons):
        source = Path(module.__file__).read_text(encoding="utf-8")
        said += re.findall(r'return f?"([^"]*)"', source)
        said += re.findall(r'message = f?"([^"]*)"', source)
    assert len(said) > 60
    for message in (*said, NO_SOURCE, UNCOVERED):
        assert INNER.search(re.sub(r"\{[^}]*\}", "", message)) is None, message
