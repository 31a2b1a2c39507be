"""Twelve sentences to test a judge on, each with its right verdict.

They are short, written for this purpose, and of kinds on which small models fail. A judge that gets
them all right may still fail on other documents: `streamguard eval` on labelled answers shows more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.types import Verdict, Word
from streamguard.core.sentence import Sentence
from streamguard.errors import StreamguardError
from streamguard.verify.verifier import Verifier, VerifierAnswer, checked

PASSAGES = """\
Larkspur rents out cargo bikes. The Day ticket costs €24, the Week ticket €98, and a child seat €5
more per day. Helmets are free of charge.

A booking can be cancelled without a fee until 48 hours before it begins, unless it was made with a
discount code. Later cancellations cost half of the price.

Bikes are handed out by the station staff; customers may not change the battery themselves. A
charged battery lasts for about 60 km. Trailers carry up to 45 kg.

The Harbour station opened in 2019, the Mill station two years later. In winter only the Harbour
station is open, from 9 am to 5 pm.""".split("\n\n")


@dataclass(frozen=True, slots=True)
class TrialCase:
    """One sentence of an answer: what it tests, and its right verdict."""

    kind: str
    sentence: str
    word: Word


CASES = (
    TrialCase("price", "The Week ticket costs €89.", "contradicted"),
    TrialCase("negation", "Customers may change the battery themselves.", "contradicted"),
    TrialCase(
        "condition",
        "A booking with a discount code can be cancelled without a fee three days ahead.",
        "contradicted",
    ),
    TrialCase("role", "Customers hand out the bikes to the station staff.", "contradicted"),
    TrialCase("unit", "A charged battery lasts for about 60 hours.", "contradicted"),
    TrialCase("citation", "Trailers carry up to 45 kg [C1].", "not_mentioned"),
    TrialCase("total", "A Day ticket with a child seat comes to €29 for one day.", "supported"),
    TrialCase(
        "wrong total", "A Day ticket with a child seat comes to €34 for one day.", "contradicted"
    ),
    TrialCase("paraphrase", "You pay nothing for borrowing a helmet.", "supported"),
    TrialCase("date", "The Mill station opened in 2021.", "supported"),
    TrialCase("absence", "Larkspur insures its bikes against theft.", "not_mentioned"),
    TrialCase(
        "other place", "In winter the Mill station is open from 9 am to 5 pm.", "contradicted"
    ),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A judge's verdict on a case, and its time; `why` explains a missing verdict."""

    case: TrialCase
    verdict: Verdict
    ms: float
    why: str | None = None

    @property
    def is_right(self) -> bool:
        """Whether the verdict is right; a wrong sentence may be contradicted or not mentioned."""
        word = self.verdict.word
        return (word == "supported") == (self.case.word == "supported") and word is not None


@dataclass(frozen=True, slots=True)
class Trial:
    """All outcomes, and their cost as the server reports it."""

    name: str
    outcomes: Sequence[Outcome]
    cost: dict[str, float]


async def tried(judge: Verifier) -> Trial:
    """Ask the judge about each case separately, one after the other."""
    outcomes: list[Outcome] = []
    cost: dict[str, float] = {}
    for case in CASES:
        sentence = _claim(case)
        began, why, verdict = perf_counter(), None, Verdict()
        try:
            async with asyncio.timeout(judge.timeout_s):
                answered = await judge.ask((sentence,), sentence.scope)  # type: ignore[misc]
            answer: VerifierAnswer = checked(answered, 1)
        except (StreamguardError, TimeoutError) as exc:
            why = str(exc) or f"no answer within {judge.timeout_s:g} s"
        else:
            (verdict,) = answer.verdicts
            why = verdict.message if verdict.word is None else None
            for name, value in answer.cost.items():
                cost[name] = cost.get(name, 0.0) + value
        outcomes.append(Outcome(case, verdict, (perf_counter() - began) * 1_000, why))
    return Trial(judge.name, outcomes, cost)


def _claim(case: TrialCase) -> Sentence:
    guard = StreamGuard(Context(query="How does renting a bike work?", chunks=PASSAGES))
    guard.feed(case.sentence)
    guard.close()
    (claim,) = guard.claims()
    return claim.sentence


def trial_table(trial: Trial) -> str:
    """Return the trial as text for people."""
    lines = [trial.name, ""]
    for one in trial.outcomes:
        mark = "WRONG" if one.verdict.word else "none "
        if one.is_right:
            mark = "right"
        word = (one.verdict.word or "nothing").replace("_", " ")
        sure = f" {one.verdict.confidence:.2f}" if one.verdict.confidence is not None else ""
        lines.append(f"{mark}  {one.case.kind:12} {word + sure:20} {one.case.sentence}")
        if one.why is not None:
            lines.append(f"       {'':12} {one.why}")
        elif not one.is_right:
            expected = one.case.word.replace("_", " ")
            lines.append(f"       {'':12} expected {expected}; {one.verdict.message}")
    if all(one.verdict.word is None for one in trial.outcomes):
        return "\n".join([*lines, "", "No verdict came: the lines above say why."]) + "\n"
    right = sum(one.is_right for one in trial.outcomes)
    times = sorted(one.ms for one in trial.outcomes)
    each = len(trial.outcomes)
    tokens_in = trial.cost.get("input_tokens", 0.0) / each
    tokens_out = trial.cost.get("output_tokens", 0.0) / each
    took = f"a request takes {times[each // 2]:.0f} ms (slowest {times[-1]:.0f} ms)"
    tokens = f"{tokens_in:.0f} tokens in and {tokens_out:.0f} out"
    lines += ["", f"{right} of {each} right; {took}, {tokens}", _advice(right, each)]
    return "\n".join(lines) + "\n"


def _advice(right: int, count: int) -> str:
    if right >= count - 1:
        return (
            "It will do; measure it on answers of your own: streamguard eval LABELLED --judge ..."
        )
    if right >= count * 3 // 4:
        return "It misses kinds of errors: see which, and measure it on answers of your own."
    return "It will not do: its verdicts are no better than those without it."
