"""The training: as many steps as are asked for, from wherever the last run ended.

A checkpoint holds all that the next step hangs on: weights, their running mean, the optimiser,
the place in the data, the state of the random numbers. Two short runs are one long one.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from streamguard.errors import ConfigError
from streamguard_reader.bases import load_base, special_of
from streamguard_reader.encoder import Reader, build
from streamguard_reader.figures import auroc_of
from streamguard_reader.layout import (
    BEFORE_PIECES,
    QUESTION_PIECES,
    Cut,
    Row,
    Scissors,
    Shelf,
    lay_out,
)
from streamguard_reader.order import Example, batches, usable
from streamguard_reader.pairs import Unit
from streamguard_reader.records import (
    SUPPORTED,
    WRONG,
    Record,
    read_records,
    read_units,
)
from streamguard_reader.settings import Training, training_of

LAST, BEST = "last.pt", "best.pt"
_FLAT = 10  # times the warm-up for which the rate stays at its height, then falls as 1/sqrt(step)
_DECAY = 0.01  # of the weights; BERT's
_BETAS = (0.9, 0.98)
_CLIP = 1.0
_MEAN = 0.998  # of the running mean of the weights; guess, some 500 steps
_MARGIN = 1.0  # between the log-odds of a wrong version and its right one; guess
_SPAN_POSITIVE = 4.0  # weight of a wrong piece: one in five of a wrong claim is; guess
_QUESTION = 40  # pieces of a question and of the sentences before; guess, for batches of like size
_UNSAID = 0.3  # of the rows in training that are laid out without question or sentences before

Say = Callable[[str], None]


@dataclass(slots=True)
class State:
    """Where a training is; `seconds` are the processor's, `best` the best AUROC of `curve`.

    `curve` has a line for each look at the watched authors: step, seconds, claims seen, AUROC.
    """

    step: int = 0
    number: int = 0
    batch: int = 0
    claims: int = 0
    seconds: float = 0.0
    best: float = 0.0
    since_best: int = 0
    curve: list[list[float]] = field(default_factory=list)

    def is_over(self, training: Training) -> bool:
        """Whether the last step was made, or the watched authors got no better for long."""
        return self.step >= training.steps or self.since_best >= training.patience


@dataclass(frozen=True, slots=True)
class Material:
    """All records with their units, cut once."""

    records: Sequence[Record]
    shelves: dict[str, Shelf]
    cuts: Sequence[Cut]
    sizes: Sequence[tuple[int, int]]
    scissors: Scissors

    @classmethod
    def of(
        cls, records: Sequence[Record], units: dict[str, list[Unit]], scissors: Scissors, room: int
    ) -> Material:
        """Cut what the records need."""
        needed = {one.context for one in records}
        shelves = {key: scissors.shelf(some) for key, some in units.items() if key in needed}
        beside = {key: min(room, sum(shelf.sizes)) for key, shelf in shelves.items()}
        cuts = [scissors.claim(one.text) for one in records]
        sizes = [
            (len(cut.ids) + 1, _QUESTION + beside[one.context])
            for one, cut in zip(records, cuts, strict=True)
        ]
        return cls(records, shelves, cuts, sizes, scissors)

    def row(self, example: Example, room: int, *, is_bare: bool = False) -> Row:
        """Lay out an example; a bare one without its question and what came before."""
        some = [self.records[at] for at in example]
        first, cut = some[0], self.scissors
        claims = [self.cuts[at] for at in example]
        question = [] if is_bare else cut.text(first.question, QUESTION_PIECES)
        alone = len(some) == 1 and not is_bare
        before = cut.text(first.before, BEFORE_PIECES, last=True) if alone else []
        # The best unit of each claim, then the second best of each.
        ranks = max(len(one.nearest) for one in some)
        nearest = [one.nearest[n] for n in range(ranks) for one in some if n < len(one.nearest)]
        shelf = self.shelves[first.context]
        return lay_out(cut, claims, question, before, shelf, list(dict.fromkeys(nearest)), room)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows filled up to one length; claims by row and place, `labels` -1 where there is none."""

    ids: Tensor
    sides: Tensor
    mask: Tensor
    owned: Tensor
    labels: Tensor
    spans: Tensor  # 1 of a wrong piece, 0 of a right one, -1 where nobody knows
    pairs: Tensor  # of places among the claims: a right version, a wrong one of the same sentence

    def to(self, device: torch.device) -> Batch:
        """Move it."""
        return Batch(*(getattr(self, name).to(device) for name in self.__slots__))


def batch_of(material: Material, examples: Sequence[Example], rows: Sequence[Row]) -> Batch:
    """Return examples and their rows as tensors."""
    longest, most = max(len(row.ids) for row in rows), max(map(len, examples))
    ids = np.full((len(rows), longest), material.scissors.fill, np.int64)
    sides, mask = np.ones_like(ids), np.zeros_like(ids)
    owned = np.zeros((len(rows), most, longest), np.float32)
    labels = np.full((len(rows), most), -1, np.int64)
    spans = np.full(ids.shape, -1, np.int64)
    twins: dict[str, tuple[list[int], list[int]]] = {}
    for at, (example, row) in enumerate(zip(examples, rows, strict=True)):
        size = len(row.ids)
        ids[at, :size], sides[at, :size], mask[at, :size] = row.ids, row.sides, 1
        for place, number in enumerate(example):
            record = material.records[number]
            owned[at, place, :size] = row.owners == place + 1
            labels[at, place] = record.label
            _mark(spans[at], record, material.cuts[number], row.starts[place])
            twins.setdefault(record.twin, ([], []))[record.is_wrong].append(at * most + place)
    pairs = [(a, b) for right, wrong in twins.values() for a in right for b in wrong]
    paired = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2)
    tensors = [torch.from_numpy(one) for one in (ids, sides, mask, owned, labels, spans)]
    return Batch(*[*tensors, paired])


def _mark(spans: np.ndarray, record: Record, cut: Cut, start: int) -> None:
    if record.spans is None:
        return
    for piece, (begin, end) in enumerate(cut.places[: len(spans) - start], start):
        spans[piece] = any(begin < b and end > a for a, b in record.spans)


def loss_of(
    logits: Tensor, pieces: Tensor, batch: Batch, training: Training, teacher: Tensor | None
) -> Tensor:
    """Return the loss: labels, order of pairs, wrong pieces, and what a teacher says."""
    labels = batch.labels.flatten()
    said = functional.log_softmax(logits.float().flatten(0, 1), dim=-1)
    wrong = torch.logsumexp(said[:, 1:], dim=-1)
    here = labels >= 0
    exact = -said.gather(1, labels.clamp(0, 2)[:, None]).squeeze(1)
    either = torch.where(labels == SUPPORTED, -said[:, 0], -wrong)
    each = torch.where(labels == WRONG, either, (exact + either) / 2)
    loss = each[here].mean()
    if training.rank_weight and len(batch.pairs):
        odds = wrong - said[:, 0]
        apart = odds[batch.pairs[:, 1]] - odds[batch.pairs[:, 0]]
        loss = loss + training.rank_weight * functional.softplus(_MARGIN - apart).mean()
    known = batch.spans >= 0
    if training.span_weight and known.any():
        loss = loss + training.span_weight * functional.binary_cross_entropy_with_logits(
            pieces.float()[known], batch.spans[known].float(),
            pos_weight=torch.tensor(_SPAN_POSITIVE, device=pieces.device),
        )  # fmt: skip
    if teacher is not None:
        theirs = functional.log_softmax(teacher.float().flatten(0, 1), dim=-1)
        far = functional.kl_div(said[here], theirs[here], log_target=True, reduction="batchmean")
        loss = (1 - training.teacher_share) * loss + training.teacher_share * far
    return loss


class Course:
    """A training under way: model, running mean, optimiser and state, kept in a folder."""

    def __init__(self, training: Training, folder: Path, run: Path, bases: Path) -> None:
        self.training, self.run = training, run
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.teacher = _teacher(training, bases, self.device)
        torch.manual_seed(training.seed)
        shape, arrays, pieces = load_base(training.base, bases)
        scissors = Scissors(pieces, special_of(training.base))
        _, model = build(shape, arrays, training.layers, training.dropout)
        self.model = model.to(self.device)
        self.model.words.weight.requires_grad_(not training.frozen_words)
        self.mean = {name: one.detach().clone() for name, one in self.model.state_dict().items()}
        self.optimiser = _optimiser(self.model, training)
        self.state = State()
        names = sorted(training.sources)
        records = read_records(folder, names)
        units = read_units(folder, names)
        self.material = Material.of(records, units, scissors, training.pieces)
        self.chosen = usable(records, training)
        if not self.chosen:
            raise ConfigError("no claim is left to learn from, expected other sources or authors")
        watched = [n for n, one in enumerate(records) if _name(one) in training.watch]
        self.watched = watched[:: max(1, len(watched) // training.watched)]
        if (run / LAST).exists():
            self._load(run / LAST)

    def steps(self) -> Iterator[None]:
        """Make a step at a time until the training is over."""
        state = self.state
        while not state.is_over(self.training):
            listed = batches(
                self.material.records, self.material.sizes, self.chosen, self.training, state.number
            )
            while state.batch < len(listed) and not state.is_over(self.training):
                # Before the step: a run that ends after it begins with the next one.
                state.batch += 1
                self._step(listed[state.batch - 1])
                yield
            if state.batch >= len(listed):
                state.number, state.batch = state.number + 1, 0

    def _step(self, examples: Sequence[Example]) -> None:
        training, state = self.training, self.state
        begun = _seconds(self.device)
        bare = (torch.rand(len(examples)) < _UNSAID).tolist()
        rows = [
            self.material.row(example, training.pieces, is_bare=flag)
            for example, flag in zip(examples, bare, strict=True)
        ]
        batch = batch_of(self.material, examples, rows)
        given = self._hidden(batch).to(self.device)
        self.model.train()
        rate = _rate(training, state.step)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            logits, pieces = self.model(given.ids, given.sides, given.mask, given.owned)
        theirs = None
        if self.teacher is not None:
            with torch.no_grad():
                whole = batch.to(self.device)
                theirs, _ = self.teacher(whole.ids, whole.sides, whole.mask, whole.owned)
        loss = loss_of(logits, pieces, given, training, theirs)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), _CLIP)
        self.optimiser.step()
        state.step += 1
        state.claims += int((batch.labels >= 0).sum())
        self._mix(min(_MEAN, (1 + state.step) / (10 + state.step)))
        state.seconds += _seconds(self.device) - begun
        if state.step % training.every == 0:
            self._look()

    def _hidden(self, batch: Batch) -> Batch:
        """Return the batch with a share of its pieces hidden, none of those that separate."""
        share = self.training.word_dropout
        if not share:
            return batch
        cut = self.material.scissors
        marks = (batch.ids == cut.begin) | (batch.ids == cut.end) | (batch.ids == cut.fill)
        hides = (torch.rand(batch.ids.shape) < share) & ~marks
        ids = torch.where(hides, torch.tensor(cut.hidden), batch.ids)
        return Batch(
            ids, batch.sides, batch.mask, batch.owned, batch.labels, batch.spans, batch.pairs
        )

    def _mix(self, kept: float) -> None:
        with torch.no_grad():
            for name, one in self.model.state_dict().items():
                self.mean[name].lerp_(one, 1 - kept)

    def _look(self) -> None:
        """Score the watched authors; keep the mean weights where they are the best so far."""
        if not self.watched:
            return
        state = self.state
        held = {name: one.clone() for name, one in self.model.state_dict().items()}
        self.model.load_state_dict(self.mean)
        risks = self.risks(self.watched)
        self.model.load_state_dict(held)
        found = auroc_of(risks, [self.material.records[n].is_wrong for n in self.watched]) or 0.0
        state.curve.append([state.step, round(state.seconds, 1), state.claims, round(found, 4)])
        state.since_best += 1
        if found > state.best:
            state.best, state.since_best = found, 0
            self._write(self.run / BEST, {"mean": self.mean})

    def risks(self, chosen: Sequence[int]) -> list[float]:
        """Return the probability of an error in each of some records, read one by one."""
        self.model.eval()
        order = sorted(chosen, key=lambda at: sum(self.material.sizes[at]))
        found: dict[int, float] = {}
        with torch.no_grad():
            for begin in range(0, len(order), 16):
                some = [[at] for at in order[begin : begin + 16]]
                rows = [self.material.row(one, self.training.pieces) for one in some]
                batch = batch_of(self.material, some, rows).to(self.device)
                logits, _ = self.model(batch.ids, batch.sides, batch.mask, batch.owned)
                risks = 1 - torch.softmax(logits[:, 0].float(), dim=-1)[:, SUPPORTED]
                found |= dict(zip((one[0] for one in some), risks.tolist(), strict=True))
        return [found[at] for at in chosen]

    def save(self) -> None:
        """Write all that the next step hangs on."""
        state = self.state
        cuda = torch.cuda.get_rng_state() if self.device.type == "cuda" else None
        self._write(
            self.run / LAST,
            {
                "state": {name: getattr(state, name) for name in state.__slots__},
                "model": self.model.state_dict(),
                "mean": self.mean,
                "optimiser": self.optimiser.state_dict(),
                "random": torch.get_rng_state(),
                "random_cuda": cuda,
            },
        )
        if not (self.run / BEST).exists() or not self.watched:
            self._write(self.run / BEST, {"mean": self.mean})

    def _write(self, file: Path, what: dict[str, Any]) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(".part")
        torch.save({"training": self.training.to_dict(), **what}, draft)
        os.replace(draft, file)  # noqa: PTH105 -- whole, or not at all

    def _load(self, file: Path) -> None:
        kept = torch.load(file, map_location=self.device, weights_only=True)
        ours = {**self.training.to_dict(), "steps": 0, "patience": 0}
        theirs = {**kept["training"], "steps": 0, "patience": 0}
        if ours != theirs:
            other = sorted(name for name in ours if ours[name] != theirs.get(name))
            raise ConfigError(f"{file} was begun with another {other}, expected the same")
        self.model.load_state_dict(kept["model"])
        self.mean = kept["mean"]
        self.optimiser.load_state_dict(kept["optimiser"])
        self.state = State(**kept["state"])
        torch.set_rng_state(kept["random"].cpu())
        if kept["random_cuda"] is not None and self.device.type == "cuda":
            torch.cuda.set_rng_state(kept["random_cuda"].cpu())


def train(
    training: Training, folder: Path, run: Path, bases: Path, *, minutes: float = 0.0,
    steps: int = 0, say: Say | None = None, save_every_s: float = 300.0,
) -> State:  # fmt: skip
    """Train for so many minutes of the processor and steps (0: no limit), then keep all.

    With `LAST` in `run` it goes on from there.
    """
    course = Course(training, folder, run, bases)
    state = course.state
    begun, first, saved, told = state.seconds, state.step, time.monotonic(), len(state.curve)
    for _ in course.steps():
        if say is not None and len(state.curve) > told:
            told = len(state.curve)
            say("step {:.0f}, {:.0f} s, {:.0f} claims, watched AUROC {:.3f}".format(
                *state.curve[-1]))  # fmt: skip
        if time.monotonic() - saved > save_every_s:
            course.save()
            saved = time.monotonic()
        is_late = minutes and state.seconds - begun >= 60 * minutes
        if is_late or (steps and state.step - first >= steps):
            break
    course.save()
    return state


def read_mean(run: Path, name: str = BEST) -> tuple[Training, dict[str, Tensor]]:
    """Return settings and mean weights of a checkpoint."""
    kept = torch.load(run / name, map_location="cpu", weights_only=True)
    return training_of(kept["training"]), kept["mean"]


def _teacher(training: Training, bases: Path, device: torch.device) -> Reader | None:
    if not training.teacher:
        return None
    settings, mean = read_mean(Path(training.teacher))
    if settings.base != training.base:
        raise ConfigError(f"the teacher's base is {settings.base!r}, expected {training.base!r}")
    shape, _, _ = load_base(settings.base, bases)
    _, teacher = build(shape, {}, settings.layers, 0.0)
    teacher.load_state_dict(mean)
    found: Reader = teacher.to(device).eval()
    return found


def _optimiser(model: Reader, training: Training) -> torch.optim.Optimizer:
    learned = [one for one in model.parameters() if one.requires_grad]
    groups = [
        {"params": [one for one in learned if one.ndim > 1], "weight_decay": _DECAY},
        {"params": [one for one in learned if one.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=training.learning_rate, betas=_BETAS)


def _rate(training: Training, step: int) -> float:
    warm = training.warmup_steps
    risen = min(1.0, (step + 1) / warm)
    fallen = min(1.0, math.sqrt(_FLAT * warm / (step + 1)))
    return training.learning_rate * risen * fallen


def _seconds(device: torch.device) -> float:
    """Return the processor's time, which a busy machine does not stretch, or an accelerator's."""
    return time.monotonic() if device.type == "cuda" else time.process_time()


def _name(record: Record) -> str:
    return f"{record.source}:{record.author}"
