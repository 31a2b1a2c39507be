"""Sentences of answers, each judged at the end of the answer up to it, by several processes."""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby

from scores.answers import ASIDE
from scores.folds import without_fold
from streamguard.core.context import Context
from streamguard.core.validate import check_text

_TOGETHER = 8  # questions that a process is handed at a time; guess


@dataclass(frozen=True, slots=True)
class Asked:
    """A sentence after the right sentences before it; `span`: the value in question, if any.

    `fold`: it is judged by weights that were fitted without that one.
    """

    question: str
    chunks: tuple[str, ...]
    before: tuple[str, ...]
    text: str
    span: tuple[int, int] | None = None
    fold: int | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What the code says of a sentence.

    `passed`, `answer_doubt`: of the answer up to it. `checks`: (check, severity) of findings that
    touch the sentence, `at_value` those that touch its span. `doubt`, `unsupported` (1 - support):
    the worst of its parts, 0 where none is a claim. `derived`: its evidence is a derivation.
    """

    passed: bool
    answer_doubt: float
    doubt: float
    unsupported: float
    derived: bool
    checks: frozenset[tuple[str, str]]
    at_value: frozenset[tuple[str, str]] = field(default=frozenset())

    @property
    def warned(self) -> bool:
        return any(severity == "warning" for _, severity in self.checks)

    @property
    def value_warned(self) -> bool:
        """Whether a check of values warns of the sentence."""
        return any(
            severity == "warning" and check.endswith(("_value", "_price"))
            for check, severity in self.checks
        )

    @property
    def warned_at_value(self) -> bool:
        return any(severity == "warning" for _, severity in self.at_value)


def ask(sentences: Sequence[Asked], processes: int | None = None) -> list[Answered]:
    """Return what the code says of each sentence, in their order.

    `processes`: at most so many, None for one a core; 1 asks in this process.
    """
    groups = [
        tuple(some)
        for _, some in groupby(sentences, key=lambda one: (one.question, one.chunks, one.fold))
    ]
    processes = processes or os.cpu_count() or 1
    if processes == 1:
        return _flat(map(_answers, groups))
    with ProcessPoolExecutor(processes) as pool:
        return _flat(pool.map(_answers, groups, chunksize=_TOGETHER))


def _flat(answers: Iterable[list[Answered]]) -> list[Answered]:
    return [one for some in answers for one in some]


def _answers(group: tuple[Asked, ...]) -> list[Answered]:
    context = Context(query=group[0].question, chunks=group[0].chunks)
    with without_fold(group[0].fold):
        return [answer(one, context) for one in group]


def answer(asked: Asked, context: Context) -> Answered:
    """Return what the code says of a sentence, of a context that may serve many."""
    text, start = joined(asked.before, asked.text)
    result = check_text(text, context=context)
    own = [one for one in result.sentences if one.end > start and one.is_claim]
    touching = [
        one for one in result.findings if one.end is not None and one.end > start
        and one.check not in ASIDE
    ]  # fmt: skip
    at = (0, 0) if asked.span is None else (start + asked.span[0], start + asked.span[1])
    return Answered(
        result.status == "PASS",
        result.scores.doubt or 0.0,
        max((getattr(one, "doubt", None) or 0.0 for one in own), default=0.0),
        max((1 - one.support for one in own if one.support is not None), default=0.0),
        any(one.evidence is not None and one.evidence.derivation is not None for one in own),
        frozenset((one.check, one.severity) for one in touching),
        frozenset(
            (one.check, one.severity) for one in touching if one.start < at[1] and one.end > at[0]
        ),
    )


def joined(before: Sequence[str], text: str) -> tuple[str, int]:
    """Return the answer up to a sentence, and where the sentence begins; a bullet on its line."""
    answer = ""
    for one in before:
        answer += _gap(answer, one) + one
    answer += _gap(answer, text)
    return answer + text, len(answer)


def _gap(answer: str, text: str) -> str:
    if not answer:
        return ""
    return "\n" if text.startswith(("- ", "* ", "|")) else " "
