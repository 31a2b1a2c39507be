"""Checks a finished answer as a stream is checked, scorers included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from streamguard.core import validate
from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.model.chunks import wrong_type
from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.model.result import Annotation, GuardrailsResult

if TYPE_CHECKING:
    from streamguard.core.explain.explanation import Explanation
    from streamguard.verify.judge import Judge
    from streamguard.verify.verifier import Ask, Scorer

_ID = "0" * 32  # of an annotation that is sent nowhere


def check_text(
    answer: str,
    *,
    context: Context | None = None,
    policy: Policy | str | None = None,
    checks: Checks = DEFAULT_CHECKS,
    judge: Judge | str | None = None,
    scorers: Sequence[Scorer | Ask] = (),
    verifiers: Sequence[Scorer | Ask] = (),
) -> GuardrailsResult:
    """Return the result of a finished answer, equal to that of streaming it in any pieces.

    `policy`: a `Policy` or a preset's name; None is `moderate`. `checks`: by default
    `DEFAULT_CHECKS`. Raises `ConfigError` for an unknown policy, or an answer that is no str.
    `judge` is a `Judge` or `MODEL@URL`, `scorers` also score claims, as in `guard`; `verifiers` is
    their earlier name. With any of them the call blocks until each has answered or timed out;
    asynchronous ones run in an event loop of their own thread.
    """
    if not isinstance(answer, str):
        raise wrong_type("answer", answer, "a str")
    if scorers or verifiers or judge is not None:
        from streamguard.verify.specs import readers_of

        readers = readers_of(scorers, judge, verifiers)
        annotation = annotated(answer, readers, context=context, policy=policy, checks=checks)
        if annotation.result is not None:
            return annotation.result
    return validate.check_text(answer, context=context, policy=policy, checks=checks)


def explain_text(
    answer: str,
    *,
    context: Context | None = None,
    policy: Policy | str | None = None,
    checks: Checks = DEFAULT_CHECKS,
    judge: Judge | str | None = None,
    scorers: Sequence[Scorer | Ask] = (),
) -> Explanation:
    """Return the explanation of a finished answer's status: its result, values and look-ups.

    Arguments, errors and blocking are those of `check_text`.
    """
    from streamguard.core.explain.recorder import Recorder  # loaded only for an explanation

    recorder = Recorder(checks)
    result = check_text(
        answer,
        context=context,
        policy=policy,
        checks=recorder.checks,
        judge=judge,
        scorers=scorers,
    )
    return recorder.explanation(answer, result, context=context, policy=policy)


def annotated(
    answer: str,
    verifiers: Sequence[Scorer | Ask],
    *,
    context: Context | None = None,
    policy: Policy | str | None = None,
    checks: Checks = DEFAULT_CHECKS,
) -> Annotation:
    """Return the annotation of a finished answer, with its scorers' reports."""
    # The scorers' event loop is loaded with them: it is a tenth of the time of check_text
    # to import (benchmarks/bench_import.py).
    from streamguard.examiner import Examiner
    from streamguard.verify.verifier import verifiers_of

    readers = verifiers_of(verifiers)
    examiner = Examiner(_ID, context, as_policy(policy), checks, verifiers=readers, blocking=True)
    examiner.take(0, (answer,))
    while not examiner.close_turn():
        pass
    examiner.block_for_scores(to_the_end=True)
    return examiner.close("complete")
