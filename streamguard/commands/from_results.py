"""`streamguard calibrate --from-results`: thresholds from feedback on stored answers."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from streamguard.commands.calibrate import OF_SENTENCES, policy_file
from streamguard.commands.outputs import output_file
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation
from streamguard.errors import ConfigError
from streamguard.evaluation.budget import FalseAlarmBudget, too_few
from streamguard.evaluation.feedback_sample import (
    Agreement,
    Marked,
    MarkedSample,
    changes,
    representative,
)
from streamguard.evaluation.thresholds import MOST_RULES, Calibrated, calibrate
from streamguard.rag.extras import library
from streamguard.settings import LoadedPolicy

MAX_MARKS = 50_000  # the newest that are read: some 300 MB of annotations; guess


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """Marked answers, and the number of all answers by collection and status."""

    marked: Sequence[Marked]
    answers: Mapping[str, Counter[str]]

    def of(self, collection: str | None) -> MarkedSample:
        """Return a sample of one collection, or of all; raises as `representative` does."""
        marked = [one for one in self.marked if collection in (None, one.collection)]
        counted: Counter[str] = Counter()
        for name, statuses in self.answers.items():
            if collection in (None, name):
                counted.update(statuses)
        return representative(marked, counted)


def run(args: argparse.Namespace, loaded: LoadedPolicy, budget: FalseAlarmBudget) -> int:
    """Write a policy file for all answers; with `--per-collection` also one per collection.

    Raises `ConfigError` for too little feedback or an invalid flag, and the database's errors.
    """
    if args.verifier or args.judge:
        flag = "--verifier" if args.verifier else "--judge"
        raise ConfigError(f"{flag} is for LABELLED: kept answers have no text to be read again")
    if args.per_collection and args.output is None:
        raise ConfigError("--per-collection writes several files: name the first by --output")
    output = output_file("--output", args.output)
    kept = asyncio.run(read(args.from_results))
    if args.collection not in (None, *kept.answers):
        known = ", ".join(sorted(filter(None, kept.answers))) or "none that has a name"
        raise ConfigError(f"--collection is {args.collection!r}, the results have {known}")
    text, report = _proposed(args, loaded, budget, kept.of(args.collection))
    if output is None:
        sys.stdout.write(text)
        sys.stderr.write(report)
        return 0
    output.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{report}\nwritten: {output}\n")
    for collection in sorted(filter(None, kept.answers)) if args.per_collection else ():
        own = output.with_name(f"{output.stem}.{_file_name(collection)}{output.suffix}")
        try:
            text, report = _proposed(args, loaded, budget, kept.of(collection))
        except ConfigError as exc:
            sys.stdout.write(f"\ncollection {collection}: {exc}\n")
            continue
        own.write_text(text, encoding="utf-8")
        sys.stdout.write(f"\ncollection {collection}\n{report}\nwritten: {own}\n")
    return 0


async def read(url: str) -> KeptAnswers:
    """Return people's feedback with its answers, from the database at a URL."""
    database = library("streamguard.sinks.sql.database", "sql")
    async with database.opened(url) as engine:
        return await _read(engine)


async def _read(engine: Any) -> KeptAnswers:
    from sqlalchemy import func, select

    from streamguard.sinks.sql.tables import bodies, feedback, results, tallies

    newest = select(feedback).order_by(feedback.c.seq.desc()).limit(MAX_MARKS).subquery()
    query = (
        select(results.c.id, newest.c.label, newest.c.sentence, results.c.collection)
        .add_columns(results.c.keywords, bodies.c.body)
        .join(results, results.c.id == newest.c.result_id)
        .join(bodies, bodies.c.result == results.c.seq)
        .order_by(newest.c.created_ms, newest.c.seq)  # `seq` is in no order within a batch
    )
    counted = (
        select(tallies.c.collection, tallies.c.name, func.sum(tallies.c.count))
        .where(tallies.c.kind == "status")
        .group_by(tallies.c.collection, tallies.c.name)
    )
    marked: dict[str, Marked | None] = {}
    answers: dict[str, Counter[str]] = {}
    async with engine.connect() as connection:
        async for name, label, on, collection, words, body in await connection.stream(query):
            if name not in marked:
                marked[name] = _marked(name, collection, words, body)
            known = marked[name]
            if known is not None:
                marked[name] = Marked(
                    name, known.result, (*known.marks, (label, on)), collection, words
                )
        for collection, status, count in await connection.execute(counted):
            answers.setdefault(collection, Counter())[status] += int(count)
    return KeptAnswers([one for one in marked.values() if one is not None], answers)


def _marked(name: str, collection: str, words: str, body: bytes) -> Marked | None:
    """Return a stored answer, None for one that was not checked."""
    result = Annotation.model_validate_json(zlib.decompress(body)).result
    return None if result is None else Marked(name, result, (), collection, words)


def _proposed(
    args: argparse.Namespace, loaded: LoadedPolicy, budget: FalseAlarmBudget, sample: MarkedSample
) -> tuple[str, str]:
    """Return a policy file, and a text on its changes."""
    part = budget.split(MOST_RULES)
    if sample.questions < part.groups_needed:
        marked = (
            f"of {sample.marked} answers that people marked, {len(sample.judged)} stand for all,"
            f" {len(sample.clean)} of them clean"
        )
        raise ConfigError(
            f"{marked if sample.marked else 'nobody has marked an answer'}:"
            f" {too_few(sample.questions, part)}"
            f" (a part of {budget.share:g} for each of {MOST_RULES} rules)"
        )
    found = calibrate(sample.judged, loaded.policy, budget)
    sure = "" if args.confidence is None else f" --confidence {args.confidence:g}"
    promise = "on average" if args.confidence is None else f"with confidence {args.confidence:g}"
    head = [
        f"streamguard calibrate --from-results --max-false-alarm {budget.share:g}{sure}",
        f"{sample.marked} marked answers, of which {len(sample.judged)} stand for all answers:",
        f"{len(sample.clean)} called right, to {sample.questions} questions.",
        f"Each outcome is raised on at most {budget.share:.3g} of clean answers like these",
        f"({promise}), {OF_SENTENCES}",
        "what no threshold decides comes on top.",
    ]
    report = [f"{line}\n" for line in head[1:3]]
    report += ["\n", *_settings(found, sample, loaded.policy)]
    report += ["\n", *_checks(found, sample)]
    return policy_file(found, loaded, head), "".join(report)


def _settings(found: Sequence[Calibrated], sample: MarkedSample, policy: Policy) -> list[str]:
    """Return lines on the share that each rule raises, with the present and the new setting."""
    lines = [
        f"{'setting':20}{'now':>8}{'new':>8}{'clean now':>11}{'new':>7}{'bad now':>9}{'new':>7}\n"
    ]
    for one in found:
        threshold = one.threshold
        now = float(getattr(policy, threshold.setting))
        shares = []
        for bad in (False, True):
            scores = [
                score
                for each in sample.judged
                if each.row.hallucinated is bad
                for score in threshold.scores_of(each.result, policy)
            ]
            for value in (now, one.value):
                bound = -value if threshold.is_upper else value
                raised = sum(score < bound for score in scores)
                shares.append(f"{raised / len(scores):.3f}" if scores else "-")
        clean_now, clean_new, bad_now, bad_new = shares
        lines.append(
            f"{threshold.setting:20}{now:>8.4f}{one.value:>8.4f}{clean_now:>11}{clean_new:>7}"
            f"{bad_now:>9}{bad_new:>7}  {threshold.outcome}, {threshold.reason}\n"
        )
    return lines


def _checks(found: Sequence[Calibrated], sample: MarkedSample) -> list[str]:
    """Return lines on how many warnings of each check people called right, now and then."""
    values = {one.threshold.setting: one.value for one in found}
    stays = {"doubtful": {"from": values["wrong_from"]}} if "wrong_from" in values else {}
    if "min_support" in values:
        stays["unsupported_claim"] = {"below": values["min_support"]}
    lines = [f"{'check':24}{'false alarms now':>17}{'new':>6}{'right now':>11}{'new':>6}\n"]
    lines += [
        f"{one.check:24}{_two(one.before, 17, 11, one.after)}\n"
        for one in changes(sample.judged, stays)
    ]
    return lines if len(lines) > 1 else ["no warning is on anything that people marked\n"]


def _two(before: Agreement, wide: int, narrow: int, after: Agreement) -> str:
    return f"{before.right:>{wide}}{after.right:>6}{before.wrong:>{narrow}}{after.wrong:>6}"


def _file_name(collection: str) -> str:
    """Return a file name for a collection, unique among collections."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", collection)[:64]
    if plain == collection:
        return plain
    return (
        f"{plain}-{blake2b(collection.encode(errors='surrogatepass'), digest_size=4).hexdigest()}"
    )
