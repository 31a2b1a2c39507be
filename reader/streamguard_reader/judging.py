"""Figures of an exported model on authors it never learned from, beside the fast score alone."""

from __future__ import annotations

import json
import math
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from streamguard.errors import ConfigError
from streamguard.evaluation.logistic import fitted
from streamguard_reader.figures import FLAGGED, auroc_of, with_interval
from streamguard_reader.pairs import Claim
from streamguard_reader.records import Labelled, Record, read_answers, read_records, read_units
from streamguard_reader.scorer import Reader
from streamguard_reader.settings import Training, training_of

_FITTED = 600  # claims of the watched authors that both scores are weighed by; guess
_LEAST = 1e-6
_EVEN = (0.0, 1.0, 1.0)

Weights = Sequence[float]  # intercept, weight of the fast score, weight of the reader's


@dataclass(frozen=True, slots=True)
class Line:
    """Figures of one score on one set."""

    judged: str
    score: str
    count: str
    auroc: str
    found: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """All lines, and what a claim takes on one core: milliseconds of the processor.

    `kinds` has, of each kind of error of exercises, its count and the AUROC of both scores.
    """

    lines: Sequence[Line]
    kinds: Sequence[tuple[str, int, float, float]]
    claim_ms: float | None
    megabytes: float | None


def judge(folder: Path, claims: Path, *, most: int = 0, scores: Path | None = None) -> Judgement:
    """Judge the model in `folder` on the `claims` that its training left out.

    `most` claims of each set, evenly spread over its contexts, 0 for all. `scores` are risks by
    the claims' ids, of another reader: then nothing is run.
    """
    said = json.loads((folder / "reader.json").read_text(encoding="utf-8"))
    training = training_of(said["training"])
    held = {name: _spread(some, most) for name, some in left_out(training, claims).items()}
    if not any(held.values()):
        raise ConfigError("the training left nothing out, expected authors in its `judge`")
    watched = _spread(_of(read_known(claims), training.watch), _FITTED)
    asked = [one for some in (*held.values(), watched) for one in some]
    given = _given(scores) if scores is not None else None
    before = _resident()
    risks, spent = (given, []) if given is not None else _read(folder, claims, asked)
    megabytes = None if given is not None else _resident() - before
    lines: list[Line] = []
    for name, some in held.items():
        kept = [one for one in some if one.id in risks]
        if kept:
            weights = _out_of_author(kept, watched, risks)
            lines += _claims(name, kept, risks, weights)
            lines += _answers(name, kept, risks, weights, claims)
    kinds = _kinds([one for one in held.get("exercises", []) if one.id in risks], risks)
    return Judgement(lines, kinds, median(spent) if spent else None, megabytes)


def left_out(training: Training, claims: Path) -> dict[str, list[Record]]:
    """Return the sets: of each source the authors in `judge`.

    Of a source that was not learned from, and of which none is named, all are judged.
    """
    records = read_known(claims)
    sets: dict[str, list[Record]] = {}
    for name in sorted({one.source for one in records}):
        own = [one for one in records if one.source == name]
        named = any(one.startswith(f"{name}:") for one in training.judge)
        if named or name in training.sources:
            own = _of(own, training.judge)
        if own:
            sets[name] = own
    return sets


def read_known(claims: Path) -> list[Record]:
    """Return the claims of every source that was read."""
    names = sorted(file.name.split(".")[0] for file in claims.glob("*.claims.jsonl"))
    return read_records(claims, names)


def page(judgement: Judgement) -> str:
    """Return the figures as a table."""
    head = f"| set | score | right, wrong | AUROC | found at {FLAGGED:.0%} of right ones flagged |"
    lines = [head, "|---|---|---|---|---|"]
    lines += [
        f"| {one.judged} | {one.score} | {one.count} | {one.auroc} | {one.found} |"
        for one in judgement.lines
    ]
    if judgement.kinds:
        lines += ["", "| kind of error | wrong | fast | reader |", "|---|---|---|---|"]
        lines += [f"| {kind} | {n} | {fast:.2f} | {own:.2f} |"
                  for kind, n, fast, own in judgement.kinds]  # fmt: skip
    if judgement.claim_ms is not None and judgement.megabytes is not None:
        lines += [
            "",
            f"p50 {judgement.claim_ms:.1f} ms of one core a claim; {judgement.megabytes:.0f} MB.",
        ]
    return "\n".join(lines)


def _claims(
    name: str, some: Sequence[Record], risks: Mapping[str, float], weights: Mapping[str, Weights]
) -> list[Line]:
    wrong = [one.is_wrong for one in some]
    contexts = [one.context for one in some]
    columns = {
        "fast": [one.fast for one in some],
        "reader": [risks[one.id] for one in some],
        "both": [_both(one.fast, risks[one.id], weights[one.author]) for one in some],
    }
    return [_line(f"{name}, claims", score, each, wrong, contexts)
            for score, each in columns.items()]  # fmt: skip


def _answers(
    name: str,
    some: Sequence[Record],
    risks: Mapping[str, float],
    weights: Mapping[str, Weights],
    claims: Path,
) -> list[Line]:
    """Return the lines of whole answers: the worst claim counts."""
    worst: dict[str, float] = defaultdict(float)
    for one in some:
        worst[one.answer] = max(worst[one.answer], risks[one.id])
    known: list[Labelled] = [one for one in read_answers(claims, name) if one.id in worst]
    if not known:
        return []
    wrong, contexts = [one.is_wrong for one in known], [one.context for one in known]
    columns = {
        "fast": [one.fast for one in known],
        "reader": [worst[one.id] for one in known],
        "both": [_both(one.fast, worst[one.id], weights[one.author]) for one in known],
    }
    return [_line(f"{name}, answers", score, each, wrong, contexts)
            for score, each in columns.items()]  # fmt: skip


def _kinds(
    some: Sequence[Record], risks: Mapping[str, float]
) -> list[tuple[str, int, float, float]]:
    """Return by kind of error how the wrong claims of that kind rank among all right ones."""
    right = [one for one in some if not one.is_wrong]
    by_kind: dict[str, list[Record]] = defaultdict(list)
    for one in some:
        if one.is_wrong:
            by_kind[one.kind].append(one)
    lines = []
    for kind, wrong in sorted(by_kind.items()):
        both = [*wrong, *right]
        flags = [one.is_wrong for one in both]
        fast = auroc_of([one.fast for one in both], flags)
        own = auroc_of([risks[one.id] for one in both], flags)
        if fast is not None and own is not None:
            lines.append((kind, len(wrong), fast, own))
    return lines


def _line(
    judged: str, score: str, risks: Sequence[float], wrong: Sequence[bool], contexts: Sequence[str]
) -> Line:
    count = f"{len(wrong) - sum(wrong):,}, {sum(wrong):,}"
    return Line(judged, score, count, *with_interval(risks, wrong, contexts))


def _out_of_author(
    some: Sequence[Record], watched: Sequence[Record], risks: Mapping[str, float]
) -> dict[str, Weights]:
    """Return the weights of both scores by author, fitted to the claims of the set's others.

    Of a set by one author they are fitted to the authors that training watched.
    """
    found: dict[str, Weights] = {}
    for author in {one.author for one in some}:
        others = [one for one in some if one.author != author]
        found[author] = _weighed(others or watched, risks)
    return found


def _weighed(some: Sequence[Record], risks: Mapping[str, float]) -> Weights:
    """Return the weights of both scores that fit some claims best; equal ones without any."""
    known = [one for one in some if one.id in risks]
    if len({one.is_wrong for one in known}) < 2:
        return _EVEN
    rows = [(_odds(one.fast), _odds(risks[one.id])) for one in known]
    return fitted(rows, [one.is_wrong for one in known])


def _both(fast: float, risk: float, weights: Weights) -> float:
    return weights[0] + weights[1] * _odds(fast) + weights[2] * _odds(risk)


def _odds(chance: float) -> float:
    held = min(1 - _LEAST, max(_LEAST, chance))
    return math.log(held / (1 - held))


def _read(
    folder: Path, claims: Path, asked: Sequence[Record]
) -> tuple[dict[str, float], list[float]]:
    """Return the risk of each claim, and the milliseconds of the processor that each took."""
    model = Reader(folder)
    units = read_units(claims, sorted({one.source for one in asked}))
    risks: dict[str, float] = {}
    spent: list[float] = []
    shelf, context = model.scissors.shelf([]), ""
    for one in asked:
        if one.context != context:
            shelf, context = model.scissors.shelf(units[one.context]), one.context
        claim = Claim(one.text, one.question, one.before, one.nearest, one.fast)
        begun = time.process_time()
        risks[one.id] = model.read(claim, shelf).risk
        spent.append(1_000 * (time.process_time() - begun))
    return risks, spent


def _given(file: Path) -> dict[str, float]:
    found: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _of(records: Sequence[Record], authors: Sequence[str]) -> list[Record]:
    return [one for one in records if f"{one.source}:{one.author}" in authors]


def _spread(some: Sequence[Record], most: int) -> list[Record]:
    """Return at most so many claims: all those of some contexts, evenly spread."""
    if not most or len(some) <= most:
        return list(some)
    names = list(dict.fromkeys(one.context for one in some))
    step = -(-len(some) // most)
    kept = set(names[::step])
    return [one for one in some if one.context in kept]


def _resident() -> float:
    """Return this process's megabytes of memory; 0.0 where the system does not say."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    lines = status.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1_024 for line in lines if line.startswith("VmRSS"))
