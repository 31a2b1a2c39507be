"""The checks: plain functions from a sentence (or the answer) and its scope to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from inspect import isasyncgenfunction, iscoroutinefunction, isfunction
from typing import Any

from streamguard.core.checks import claims, edits
from streamguard.core.checks.bounds import turned_bound
from streamguard.core.checks.code_names import unsupported_code_name
from streamguard.core.model.types import Finding, functions
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.errors import ConfigError

SentenceCheck = Callable[[Sentence, Scope], Iterable[Finding]]
# Where it yields None, other streams may take their turn: for checks that read every sentence.
AnswerCheck = Callable[[Answer, Scope], Iterable[Finding | None]]


@dataclass(frozen=True, slots=True, repr=False)
class Checks:
    """Which checks run: per settled sentence, and once over the whole answer at its close.

    `verdicts=False` leaves claims, coverage and scores out: the status is None then. Raises
    `ConfigError` for anything but plain functions.
    """

    per_sentence: tuple[SentenceCheck, ...] = ()
    at_close: tuple[AnswerCheck, ...] = ()
    verdicts: bool = True

    def __post_init__(self) -> None:
        for name in ("per_sentence", "at_close"):
            checks = functions(name, getattr(self, name))
            object.__setattr__(self, name, checks)
            for check in filter(isfunction, checks):
                if iscoroutinefunction(check) or isasyncgenfunction(check):
                    said = "expected a plain function: what waits is for a Verifier"
                    raise ConfigError(f"{_name(check)} is asynchronous, {said}")

    def __repr__(self) -> str:
        """Name the checks, the package's own sets by their names: it stands in signatures."""
        name = next((name for name, checks in _NAMED.items() if checks is self), None)
        if name is not None:
            return name
        per_sentence = ", ".join(_name(check) for check in self.per_sentence)
        at_close = ", ".join(_name(check) for check in self.at_close)
        return f"Checks([{per_sentence}], at_close=[{at_close}], verdicts={self.verdicts})"

    @property
    def need_evidence(self) -> bool:
        """Whether any check looks at the chunks: without one they are not indexed."""
        return bool(self.verdicts or self.per_sentence or self.at_close)

    def plus(self, *per_sentence: SentenceCheck, at_close: Iterable[AnswerCheck] = ()) -> Checks:
        """Return these checks and the given ones after them."""
        return replace(
            self,
            per_sentence=(*self.per_sentence, *per_sentence),
            at_close=(*self.at_close, *functions("at_close", at_close)),
        )


def _name(check: Callable[..., Any]) -> str:
    return getattr(check, "__name__", type(check).__name__)


# Those that accuse a sentence of what the passages lack; one that cites a page that nobody shows
# may have it from there.
OF_PASSAGES = frozenset(
    {
        claims.looked_up_price,
        claims.unsupported_name,
        unsupported_code_name,
        claims.unsupported_claim,
        claims.citation_mismatch,
        edits.unsupported_price,
        edits.unsupported_value,
        edits.contradicted_value,
        turned_bound,
        edits.doubtful,
        edits.elsewhere,
    }
)
_PATTERNS = (claims.no_context, claims.literal_patterns)
PATTERN_CHECKS = Checks(
    (claims.refusal, claims.looked_up_price, claims.unsupported_name), _PATTERNS, verdicts=False
)
_VALUES = (
    claims.refusal,
    edits.unsupported_price,
    claims.unsupported_name,
    unsupported_code_name,
)
_EDITS = (
    edits.unsupported_value,
    edits.contradicted_value,
    turned_bound,
    edits.elsewhere,
    edits.doubtful,
)
_CLAIMS = (claims.unsupported_claim, claims.citation_unknown, claims.citation_mismatch)
_CITATIONS = (claims.listed_citation_unknown, claims.too_few_citations)
DEFAULT_CHECKS = Checks(
    (*_VALUES, *_EDITS, *_CLAIMS, claims.uncited_claim),
    (*_PATTERNS, claims.promoted_claims, edits.late_values, *_CITATIONS),
)
_NAMED = {"DEFAULT_CHECKS": DEFAULT_CHECKS, "PATTERN_CHECKS": PATTERN_CHECKS}
