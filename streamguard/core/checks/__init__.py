"""The checks: plain functions from a sentence (or the answer) and its scope to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from streamguard.core.checks.agents import other_agent
from streamguard.core.checks.cells import other_cell
from streamguard.core.checks.citations import (
    citation_mismatch,
    citation_unknown,
    listed_citation_unknown,
    uncited_claim,
)
from streamguard.core.checks.claims import (
    contradicted_value,
    no_context,
    promoted_claims,
    unsupported_claim,
)
from streamguard.core.checks.conflicts import (
    opposite,
    other_name,
    other_owner,
    other_role,
    other_value,
)
from streamguard.core.checks.credits import credited_passage
from streamguard.core.checks.descriptions import other_description
from streamguard.core.checks.holders import other_holder
from streamguard.core.checks.literal import literal_names, literal_prices, literal_refusals
from streamguard.core.checks.quotes import quote_altered
from streamguard.core.checks.restated import self_contradiction
from streamguard.core.checks.steps import other_order
from streamguard.core.checks.timelines import (
    temporal_inconsistencies,
    temporal_inconsistency,
)
from streamguard.core.checks.values import (
    refusal,
    unsupported_name,
    unsupported_price,
    unsupported_value,
)
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.core.types import Finding

SentenceCheck = Callable[[Sentence, Scope], Iterable[Finding]]
# Where it yields None, other streams may take their turn: for checks that read every sentence.
AnswerCheck = Callable[[Answer, Scope], Iterable[Finding | None]]


@dataclass(frozen=True, slots=True)
class Checks:
    """Which checks run: per settled sentence, and once over the whole answer at its close.

    `verdicts=False` leaves claims, coverage and scores out: the status is None then.
    """

    per_sentence: tuple[SentenceCheck, ...] = ()
    at_close: tuple[AnswerCheck, ...] = ()
    verdicts: bool = True

    def plus(self, *per_sentence: SentenceCheck, at_close: Iterable[AnswerCheck] = ()) -> Checks:
        """Return these checks and the given ones after them."""
        return replace(
            self,
            per_sentence=(*self.per_sentence, *per_sentence),
            at_close=(*self.at_close, *at_close),
        )


PATTERN_CHECKS = Checks(
    per_sentence=(refusal, unsupported_price, unsupported_name),
    at_close=(no_context, literal_refusals, literal_prices, literal_names),
    verdicts=False,
)
DEFAULT_CHECKS = Checks(
    per_sentence=(
        refusal,
        unsupported_price,
        unsupported_name,
        unsupported_value,
        unsupported_claim,
        contradicted_value,
        other_value,
        other_owner,
        other_cell,
        opposite,
        other_role,
        other_description,
        other_holder,
        other_agent,
        other_order,
        citation_unknown,
        citation_mismatch,
        credited_passage,
        uncited_claim,
        quote_altered,
        temporal_inconsistency,
    ),
    at_close=(
        no_context,
        literal_refusals,
        literal_prices,
        literal_names,
        promoted_claims,
        listed_citation_unknown,
        temporal_inconsistencies,
        self_contradiction,
    ),
)
# The default checks, and those whose precision on the development data is below 0.5.
ALL_CHECKS = DEFAULT_CHECKS.plus(other_name)
