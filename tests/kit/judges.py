"""Verifiers of tests: right, wrong, slow, malformed, hostile."""

import asyncio
import re
import threading
import zlib
from dataclasses import replace

import anyio

from streamguard.core.model.types import Quotation, Verdict
from streamguard.errors import UpstreamError
from streamguard.verify.verifier import Verifier

WRONG = "$12"  # what the passages of the tests contradict


def reads(sentence):
    """Say what a reader would: a sentence with the wrong price is contradicted."""
    if WRONG in sentence.text:
        return Verdict(0.03, 0.97, f"{len(sentence.scope.earlier)} before it")
    return Verdict(0.96, 0.01)


def plain(sentences, scope):
    assert not scope.earlier
    return [reads(sentence) for sentence in sentences]


async def awaited(sentences, scope):
    await anyio.sleep(0)
    return [reads(sentence) for sentence in sentences]


def score_claims(guard, said, errors=(), asked=()):
    """Give a closed guard scores of its claims, in the claims' order; return its result.

    `said`: for each claim scores by their scorer's name. `errors`: scorers with what went wrong.
    """
    for name in asked:
        guard.note_scorer(name)
    for name, error in errors:
        guard.note_scorer(name, error)
    for claim, scores in zip(guard.claims(), said, strict=False):
        for name, score in scores.items():
            guard.score(claim.id, replace(score, scorer=name))
    return guard.close()


class Gate:
    """A plain verifier that answers once it is let; `open` lets it, in every thread."""

    def __init__(self):
        self.asked = threading.Event()
        self._open = threading.Event()
        self.given = []

    def open(self):
        self._open.set()

    def __call__(self, sentences, scope):
        self.given.extend(sentence.index for sentence in sentences)
        self.asked.set()
        self._open.wait(60)
        return plain(sentences, scope)


class Latch:
    """The same, asynchronous."""

    def __init__(self):
        self.asked = 0
        self.cancelled = 0
        self.event = None

    def open(self):
        if self.event is not None:
            self.event.set()

    async def __call__(self, sentences, scope):
        self.asked += 1
        self.event = self.event or asyncio.Event()
        try:
            await self.event.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return plain(sentences, scope)


def raising(sentences, scope):
    raise RuntimeError("the key is sk-secret")


def saying(answer):
    """Return a verifier that answers with `answer`, whatever it is asked."""

    def says(sentences, scope):
        return answer

    return says


def coin(sentences, scope):
    """Say of each sentence what its words, and nothing of what they mean, come to."""
    return [Verdict(0.9 if zlib.crc32(s.text.encode()) % 2 else 0.1) for s in sentences]


def worded(ask):
    """Return a judge that says in a word what `ask` says, and quotes the first passage for it."""

    def judge(sentences, scope):
        evidence = scope.evidence
        whole = Quotation(None, evidence.labels[0], 0, len(evidence.texts[0]))
        return [
            Verdict(
                word="supported" if one.support > 0.5 else "contradicted",
                confidence=max(one.support, 1 - one.support),
                quotations=(whole,),
            )
            for one in ask(sentences, scope)
        ]

    return Verifier(judge, name=f"judge {ask.__name__} v1")


def right(sentences, scope):
    """Say the truth of the answers of `test_verifying`, as far as nine in ten go."""
    said = []
    for sentence in sentences:
        room = re.search(r"room (\d+)", sentence.text)
        truth = room is None or int(room[1]) % 2 == 0
        if zlib.crc32(sentence.text.encode()) % 10 == 0:
            truth = not truth
        said.append(Verdict(0.9 if truth else 0.1, 0.05 if truth else 0.95))
    return said


COIN_JUDGE, RIGHT_JUDGE = worded(coin), worded(right)


class Dying:
    """Says the truth of the answers of `test_verifying` so many times, then fails."""

    def __init__(self, calls):
        self.calls = calls

    def __call__(self, sentences, scope):
        self.calls -= 1
        if self.calls < 0:
            raise UpstreamError("the judge's server cannot be reached")
        return right(sentences, scope)


class Stumbling(Dying):
    """Fails once, and goes on."""

    def __call__(self, sentences, scope):
        try:
            return super().__call__(sentences, scope)
        except UpstreamError:
            self.calls = 1_000
            raise


dead, dying = Dying(0), Dying(20)
stumbling = Stumbling(20)
