"""The `literal` policy follows the published rules to the letter."""

import pytest

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError
from tests.kit.answers import PLANS, flagged, plans, result_of
from tests.kit.tables import differing

LITERAL = Policy.preset("literal")


FOUND = [
    ("It costs $49.00 [C1].", ["$49.00"]), ("It costs $49 /month [C1].", ["$49 /month"]),
    ("It costs $49 [C1].", []), ("It costs $1,299.00.", ["$1"]),
    ("So John Smith said.", ["So John Smith"]), ("by Jane Miller", []),
    ("by Clearpath Assistant", []), ("It takes 17 hours since 1999.", []),
]  # fmt: skip


def literal(answer, context=None):
    return result_of(answer, context, policy=LITERAL)


def test_amounts_and_names_are_compared_as_strings():
    assert differing(FOUND, lambda said: flagged(literal(said), "potential_hallucination")) == []
    asked = plans("Who is John Smith?")
    assert flagged(literal("by John Smith", asked), "potential_hallucination") == ["John Smith"]
    assert not literal("It costs $59.", Context()).findings  # nobody said what was retrieved


def test_refusals_are_scored_and_ruled():
    result = literal("I cannot answer this based on the provided documents.")
    assert result.status == "REFUSE"
    assert result.scores.verdict is not None
    assert result.refusal.extent == "whole"
    nothing = literal("I cannot answer this.", Context(query="Why?", chunks=()))
    assert (nothing.refusal.extent, nothing.refusal.kind) == ("whole", "expected")


def test_phrases_are_substrings_of_the_lower_cased_answer_and_never_empty():
    result = literal("Not the shore, but I CANNOT say.")
    assert result.refusal.phrases == ("i cannot",)
    (phrase,) = [f for f in result.findings if f.flag == "refusal_detected"]
    assert (phrase.start, phrase.end) == (19, 27)
    assert not literal("I can’t say.").refusal.detected
    assert not literal("The documents do not mention it.").refusal.detected
    assert literal("Dİ I cannot.").findings[-1].start is None
    loud = Policy.preset("literal", refusal_phrases=("I Cannot",))
    assert result_of("Sorry, i cannot.", policy=loud).refusal.detected
    with pytest.raises(ConfigError, match="refusal_phrases"):
        Policy.preset("literal", refusal_phrases=("",))


def test_claims_map_only_to_chunks_they_cite():
    uncited = literal(PLANS[0].text)
    assert uncited.status == "REFUSE"
    cites = "The cited passages hold a share of 0.00 of the best claim; at least 0.2 is needed."
    assert (uncited.reasons[0].message, uncited.findings[0].message) == (
        cites, "It cites no passage that speaks of this."
    )  # fmt: skip
    cited = "The Basic plan costs $49 per month and includes one seat [C1]."
    assert literal(cited).status == "PASS"
