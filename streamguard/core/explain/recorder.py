"""Judges a finished answer as ever, and keeps the reading of its sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.explain.explanation import (
    RULES,
    ExplainedSentence,
    Explanation,
    RuleStep,
)
from streamguard.core.explain.lookups import citations_of, names_of, nearest_of, values_of
from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.model.result import GuardrailsResult, Reason
from streamguard.core.model.types import Finding
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.validate import check_text

# What a sentence's support and doubt are compared with; under literal matching its coverage is.
_THRESHOLDS = ("min_support", "doubt_from", "value_doubt_from", "wrong_from")
_LITERAL_THRESHOLDS = ("min_similarity_for_mapping",)


class Recorder:
    """A check that finds nothing and keeps every sentence it is called with, behind all others.

    Hand `checks` to whatever judges the answer, then ask for the `explanation` of its result.
    """

    def __init__(self, checks: Checks = DEFAULT_CHECKS) -> None:
        self._read: dict[int, Sentence] = {}
        self._calls = 0
        self._names = tuple(_name(check) for check in (*checks.per_sentence, *checks.at_close))
        self.checks = checks.plus(self._record)

    def _record(self, sentence: Sentence, scope: Scope) -> Iterator[Finding]:
        """Keep the sentence with its readings."""
        self._calls += 1
        self._read[sentence.index] = sentence
        return iter(())

    def explanation(
        self,
        answer: str,
        result: GuardrailsResult,
        *,
        context: Context | None = None,
        policy: Policy | str | None = None,
    ) -> Explanation:
        """Return why the answer got this result, which the recorder's checks led to.

        `context` and `policy` are those that it was judged by.
        """
        context, by = Context() if context is None else context, as_policy(policy)
        work = replace(result.work, checks=result.work.checks - self._calls)
        evidence = context.evidence
        thresholds = _LITERAL_THRESHOLDS if by.matching == "literal" else _THRESHOLDS
        return Explanation(
            answer=answer,
            question=context.query,
            passages=None if evidence is None else tuple(evidence.labels),
            result=result.model_copy(update={"work": work}),
            rules=tuple(map(_rule, result.reasons)),
            thresholds={name: getattr(by, name) for name in thresholds},
            checks=self._names,
            sentences=tuple(
                _explained(self._read[number])
                for number in range(len(result.sentences))
                if number in self._read
            ),
        )


def explain_text(
    answer: str, *, context: Context | None = None, policy: Policy | str | None = None
) -> Explanation:
    """Return why a finished answer gets its status; raises as `check_text` does."""
    recorder = Recorder()
    result = check_text(answer, context=context, policy=policy, checks=recorder.checks)
    return recorder.explanation(answer, result, context=context, policy=policy)


def _rule(reason: Reason) -> RuleStep:
    about = RULES.get(reason.rule, "")
    told = (reason.code, reason.message, reason.value, reason.threshold)
    return RuleStep(reason.rule, about, *told)


def _explained(sentence: Sentence) -> ExplainedSentence:
    best = sentence.coverage
    return ExplainedSentence(
        sentence.index,
        sentence.start,
        sentence.end,
        sentence.text,
        sentence.role,
        sentence.kind,
        sentence.language,
        values_of(sentence, sentence.edits),
        names_of(sentence),
        citations_of(sentence),
        nearest_of(sentence),
        None if best is None else round(best.share, 6),
    )


def _name(check: object) -> str:
    return getattr(check, "__name__", type(check).__name__)
