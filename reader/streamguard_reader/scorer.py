"""The exported model in use: a verifier that reads a claim beside the nearest of the passages.

    from streamguard_reader.scorer import reader
    guard(source, context=context, verifiers=[reader("build/reader/model")])

It needs onnxruntime and tokenizers, not torch. One claim is read at a time, so that what is said
of it hangs on nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Verdict
from streamguard.core.sentence import Scope, Sentence
from streamguard.errors import ConfigError
from streamguard.verify.verifier import Budget, Verifier
from streamguard_reader.layout import (
    BEFORE_PIECES,
    QUESTION_PIECES,
    Cut,
    Scissors,
    Shelf,
    lay_out,
)
from streamguard_reader.pairs import Claim, claim_of, units_of

SUMS = "SHA256SUMS"
NEEDED = ("model.onnx", "tokenizer.json", "reader.json")
CLAIM_MS = 12.0  # of one claim on one core: the bar that a model has to clear
ANSWER_MS = 600.0  # of one answer; guess, fifty claims
WRONG_FROM = 0.5  # probability from which a piece is among the wrong words; guess

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model says of a claim: three probabilities that add up to 1, and the wrong words.

    `spans` are places in the claim's text, the likeliest first.
    """

    support: float
    not_mentioned: float
    contradiction: float
    spans: tuple[Span, ...] = ()

    @property
    def risk(self) -> float:
        """The probability of an error."""
        return 1.0 - self.support


class Reader:
    """A loaded model; safe in any thread.

    Raises `ConfigError` where a file is missing or is not the one that was exported. `sha256` pins
    the export as a whole: the digest of its `SHA256SUMS`.
    """

    def __init__(self, folder: str | Path, *, sha256: str | None = None) -> None:
        where = Path(folder)
        check_digests(where, sha256)
        said = json.loads((where / "reader.json").read_text(encoding="utf-8"))
        self.room: int = said["pieces"]
        self.scissors = Scissors(
            Tokenizer.from_file(str(where / "tokenizer.json")), said["special"]
        )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # What an arena keeps for the longest claim so far is memory that nobody else gets.
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(
            str(where / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._shelves: WeakKeyDictionary[Evidence, Shelf] = WeakKeyDictionary()
        self._lock = Lock()

    def __call__(self, sentences: Sequence[Sentence], scope: Scope) -> list[Verdict]:
        """Return a verdict for each sentence."""
        shelf = self._shelf(scope.evidence)
        return [verdict_of(one, self.read(claim_of(one, scope), shelf)) for one in sentences]

    def read(self, claim: Claim, shelf: Shelf) -> Reading:
        """Return what the model says of a claim beside a context's units."""
        cut = self.scissors.claim(claim.text)
        row = lay_out(
            self.scissors,
            [cut],
            self.scissors.text(claim.question, QUESTION_PIECES),
            self.scissors.text(claim.before, BEFORE_PIECES, last=True),
            shelf,
            claim.nearest,
            self.room,
        )
        given = {
            "input_ids": row.ids[None],
            "attention_mask": np.ones_like(row.ids)[None],
            "token_type_ids": row.sides[None],
        }
        logits, pieces = self._session.run(None, given)
        spread = np.exp(logits[0] - logits[0].max())
        support, not_mentioned, contradiction = (spread / spread.sum()).tolist()
        chances = pieces[0][row.starts[0] : row.starts[0] + row.sizes[0]].tolist()
        return Reading(support, not_mentioned, contradiction, wrong_words(cut, chances))

    def _shelf(self, evidence: Evidence | None) -> Shelf:
        """Return the units of the passages in pieces, cut once for all claims of a context."""
        if evidence is None:
            return self.scissors.shelf([])
        with self._lock:
            found = self._shelves.get(evidence)
        if found is None:
            found = self.scissors.shelf(units_of(evidence))
            with self._lock:
                self._shelves[evidence] = found
        return found


def reader(
    folder: str | Path, *, sha256: str | None = None, answer_ms: float = ANSWER_MS
) -> Verifier:
    """Return the model in `folder` as a verifier of one thread.

    Of an answer with more claims than `answer_ms` allows those are read that are likeliest wrong
    by the fast score.
    """
    return Verifier(
        Reader(folder, sha256=sha256), name="reader", threads=1,
        budget=Budget(answer_ms, CLAIM_MS),
    )  # fmt: skip


def verdict_of(sentence: Sentence, reading: Reading) -> Verdict:
    """Return a reading as a verdict; what it doubts is told by its likeliest wrong words."""
    if reading.risk <= WRONG_FROM or not reading.spans:
        return Verdict(reading.support, reading.contradiction)
    # From the folded text, which was read, to the sentence as it stands in the answer.
    place = sentence.place(*reading.spans[0])
    doubted = (place.start - sentence.start, place.end - sentence.start)
    message = f"The reader doubts “{place.value}”."
    return Verdict(reading.support, reading.contradiction, message, doubted=doubted)


def wrong_words(cut: Cut, chances: Sequence[float]) -> tuple[Span, ...]:
    """Return the runs of pieces that are wrong at `WRONG_FROM` or more, the likeliest first."""
    numbered = enumerate(zip(cut.places, chances, strict=True))
    runs = [
        [one for _, one in run]
        for is_wrong, run in groupby(numbered, key=lambda one: one[1][1] >= WRONG_FROM)
        if is_wrong
    ]
    runs.sort(key=lambda run: -max(chance for _, chance in run))
    return tuple((run[0][0][0], run[-1][0][1]) for run in runs)


def check_digests(folder: Path, sha256: str | None = None) -> None:
    """Raise `ConfigError` unless every file is the one that was exported."""
    sums = folder / SUMS
    if not sums.is_file():
        raise ConfigError(f"{folder} has no {SUMS}, expected a folder that `reader-export` wrote")
    if sha256 is not None and digest_of(sums) != sha256:
        raise ConfigError(f"{sums} has the digest {digest_of(sums)}, expected {sha256}")
    lines = [line.split("  ", 1) for line in sums.read_text(encoding="utf-8").splitlines()]
    listed = {name: digest for digest, name in lines}
    if missing := sorted(set(NEEDED) - set(listed)):
        raise ConfigError(f"{sums} does not list {missing}")
    for name, expected in listed.items():
        file = folder / name
        if not file.is_file() or digest_of(file) != expected:
            raise ConfigError(f"{file} is missing, or is not the file that was exported")


def digest_of(file: Path) -> str:
    """Return a file's SHA-256."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
