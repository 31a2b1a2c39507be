"""The checks: plain functions from a sentence (or the answer) and its scope to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from inspect import isasyncgenfunction, iscoroutinefunction, isfunction
from typing import Any, NamedTuple

from streamguard.core.checks import claims, edits
from streamguard.core.checks.bounds import other_bound, turned_bound
from streamguard.core.checks.code_names import unsupported_code_name
from streamguard.core.model.types import Finding, functions
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.errors import ConfigError

SentenceCheck = Callable[[Sentence, Scope], Iterable[Finding]]
# Where it yields None, other streams may take their turn: for checks that read every sentence.
AnswerCheck = Callable[[Answer, Scope], Iterable[Finding | None]]


class CheckRow(NamedTuple):
    """One check over a sentence.

    `needs`: the part of the sentence without which it finds nothing, so that it is not called; ""
    where it is always called. `of_passages`: it accuses a sentence of what the passages lack; one
    that cites a page that nobody shows may have it from there.
    """

    check: SentenceCheck
    needs: str = ""
    of_passages: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Checks:
    """Which checks run: per settled sentence, and once over the whole answer at its close.

    `verdicts=False` leaves claims, coverage and scores out: the status is None then. Raises
    `ConfigError` for anything but plain functions. `rows` says of each check per
    sentence when to call it; the application's own are always called.
    """

    per_sentence: tuple[SentenceCheck, ...] = ()
    at_close: tuple[AnswerCheck, ...] = ()
    verdicts: bool = True
    rows: tuple[CheckRow, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("per_sentence", "at_close"):
            checks = functions(name, getattr(self, name))
            object.__setattr__(self, name, checks)
            for check in filter(isfunction, checks):
                if iscoroutinefunction(check) or isasyncgenfunction(check):
                    expected = "expected a plain function: what waits is for a Verifier"
                    raise ConfigError(f"{_name(check)} is asynchronous, {expected}")
        rows = (_ROW_OF.get(one) if isfunction(one) else None for one in self.per_sentence)
        found = [row or CheckRow(one) for row, one in zip(rows, self.per_sentence, strict=True)]
        object.__setattr__(self, "rows", tuple(found))

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


# Every check of the package over a sentence, in their order.
_ROWS = (
    CheckRow(claims.refusal, "refusals"),
    CheckRow(edits.unsupported_price, "anchors", of_passages=True),
    CheckRow(claims.unsupported_name, of_passages=True),
    CheckRow(unsupported_code_name, of_passages=True),
    CheckRow(edits.unsupported_value, "anchors", of_passages=True),
    CheckRow(edits.contradicted_value, "anchors", of_passages=True),
    CheckRow(turned_bound, "anchors", of_passages=True),
    CheckRow(other_bound, "anchors", of_passages=True),
    CheckRow(edits.other_owner, "edits", of_passages=True),
    CheckRow(edits.elsewhere, "anchors", of_passages=True),
    CheckRow(edits.doubtful, "doubt", of_passages=True),
    CheckRow(claims.unsupported_claim, "is_claim", of_passages=True),
    CheckRow(claims.citation_unknown, "citations"),
    CheckRow(claims.citation_mismatch, "cited", of_passages=True),
    CheckRow(claims.uncited_claim, "is_claim"),
)
_LOOKED_UP_PRICE = CheckRow(claims.looked_up_price, "anchors", of_passages=True)
_ROW_OF = {row.check: row for row in (*_ROWS, _LOOKED_UP_PRICE)}


_AT_CLOSE = (claims.no_context, claims.literal_patterns)
DEFAULT_CHECKS = Checks(
    tuple(row.check for row in _ROWS),
    (
        *_AT_CLOSE,
        claims.promoted_claims,
        edits.late_values,
        claims.listed_citation_unknown,
        claims.too_few_citations,
    ),
)
PATTERN_CHECKS = Checks(
    (claims.refusal, claims.looked_up_price, claims.unsupported_name), _AT_CLOSE, verdicts=False
)
_NAMED = {"DEFAULT_CHECKS": DEFAULT_CHECKS, "PATTERN_CHECKS": PATTERN_CHECKS}
