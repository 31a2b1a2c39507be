"""Which examples come when: a pure function of the records, the settings and the number of a pass.

So a position in the data is two numbers, and a run that goes on meets what it would have met.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from streamguard_reader.records import Record
from streamguard_reader.settings import Training

Example = list[int]  # records that are read in one pass, in the order of their answer
Group = list[Example]  # examples that belong into one batch: versions of one sentence

CLAIMS_A_PASS = 8  # of one answer; guess, with 256 pieces of passages some 500
_BUCKET = 2_048  # examples among which those of like length are put together
_WRONG_SHARE = 0.5  # of the sentences of which a wrong version is taken in an answer


def usable(records: Sequence[Record], training: Training) -> list[int]:
    """Return the records that are learned from: of no author left out, of a share of contexts.

    A smaller share of one seed is part of every larger one.
    """
    left_out = {*training.watch, *training.judge}
    names = sorted({one.context for one in records})
    drawn = dict(zip(names, np.random.default_rng(training.seed).random(len(names)), strict=True))
    return [
        at
        for at, one in enumerate(records)
        if f"{one.source}:{one.author}" not in left_out
        and drawn[one.context] < training.share
        and training.sources.get(one.source, 0.0) > 0
    ]


def groups_of(
    records: Sequence[Record], chosen: Sequence[int], training: Training, number: int
) -> list[Group]:
    """Return the groups of pass `number`, in the order in which they are met."""
    rng = np.random.default_rng((training.seed, number))
    make = _by_claim if training.pack == "claim" else _by_answer
    found: list[Group] = []
    for group in make(records, chosen, rng):
        wanted = training.sources[records[group[0][0]].source]
        times = int(wanted) + (rng.random() < wanted - int(wanted))
        found += [group] * times
    order = rng.permutation(len(found))
    mixed = [found[at] for at in order]
    if training.order == "hard_first" and number == 0:
        mixed.sort(key=lambda group: hardness(records, group), reverse=True)
    return mixed


def batches(
    records: Sequence[Record],
    sizes: Sequence[tuple[int, int]],
    chosen: Sequence[int],
    training: Training,
    number: int,
) -> list[list[Example]]:
    """Return the batches of pass `number`: of at most `batch_pieces` with what fills them up.

    `sizes` are those of each record in pieces, and of what is laid beside it.
    """
    rng = np.random.default_rng((training.seed, number, 1))
    groups = groups_of(records, chosen, training, number)
    keeps_order = training.order == "hard_first" and number == 0
    found: list[list[Example]] = []
    for begin in range(0, len(groups), _BUCKET):
        bucket = groups[begin : begin + _BUCKET]
        bucket.sort(key=lambda group: max(_size(one, sizes) for one in group))
        part: list[list[Example]] = []
        batch: list[Example] = []
        for group in bucket:
            longest = max(_size(one, sizes) for one in group)
            if batch and (len(batch) + len(group)) * longest > training.batch_pieces:
                part.append(batch)
                batch = []
            batch = [*batch, *group]
        part += [batch] if batch else []
        found += [part[at] for at in rng.permutation(len(part))]
    return found if keeps_order else [found[at] for at in rng.permutation(len(found))]


def hardness(records: Sequence[Record], group: Group) -> float:
    """Return by how much the fast score prefers the wrong versions of a sentence to the right one.

    The worst pair counts; -1.0 where a group has no pair.
    """
    flat = [records[at] for example in group for at in example]
    right = [one.fast for one in flat if not one.is_wrong]
    wrong = [one.fast for one in flat if one.is_wrong]
    return max(right) - min(wrong) if right and wrong else -1.0


def _size(example: Example, sizes: Sequence[tuple[int, int]]) -> int:
    """Return the pieces of an example: all its claims, and what is laid beside them once."""
    return sum(sizes[at][0] for at in example) + max(sizes[at][1] for at in example)


def _by_claim(
    records: Sequence[Record], chosen: Sequence[int], _: np.random.Generator
) -> list[Group]:
    twins: dict[str, Group] = defaultdict(list)
    for at in chosen:
        twins[records[at].twin].append([at])
    return list(twins.values())


def _by_answer(
    records: Sequence[Record], chosen: Sequence[int], rng: np.random.Generator
) -> list[Group]:
    """Return answers of which each sentence is the right one or one of its wrong versions."""
    answers: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at in chosen:
        answers[records[at].answer][records[at].place].append(at)
    found: list[Group] = []
    for places in answers.values():
        drawn = [_version(records, places[place], rng) for place in sorted(places)]
        found += [[drawn[at : at + CLAIMS_A_PASS]] for at in range(0, len(drawn), CLAIMS_A_PASS)]
    return found


def _version(records: Sequence[Record], versions: list[int], rng: np.random.Generator) -> int:
    wrong = [at for at in versions if records[at].is_wrong]
    right = [at for at in versions if not records[at].is_wrong]
    if right and (not wrong or rng.random() >= _WRONG_SHARE):
        return right[0]
    return wrong[int(rng.integers(len(wrong)))]
