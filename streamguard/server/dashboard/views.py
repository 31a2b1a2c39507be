"""The dashboard's views, as queries to the results database.

Counts over time come from `tallies`, written with the results; the few queries on results
themselves use an index and are bounded.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import Select, and_, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from streamguard.server.dashboard.scope import DashboardScope, ListScope
from streamguard.sinks.sql import queries
from streamguard.sinks.sql.rows import ADDED_MS
from streamguard.sinks.sql.tables import (
    DAY_MS,
    feedback,
    findings,
    keywords,
    name_tallies,
    results,
    tallies,
)

Json = dict[str, Any]

KINDS = (
    "status",
    "flag",
    "refusal",
    "level",
    "groundedness",
    "doubt",
    "added_ms",
    "warning",
    "info",
)
PARTS = ("model", "collection", "policy")
HOLES = ("refused", "unsupported", "low_confidence")
MAX_VALUES = 50
MAX_AREAS = 12
MAX_WORDS = 24  # keywords that are looked at for areas, those with most holes first
SAMPLE = 50  # newest results of a keyword, for the words that it is asked with
LOOKED_AT = 400  # newest results of a keyword among which those of a scope are sought
# A keyword is no area of its own if the areas above it hold this share of its sample.
COVERED = 0.7
TOGETHER = 0.3  # share of an area's sample that holds a word, for it to be shown in `with`
EXAMPLES = 5
PAGE = 50
MAX_MARKS = 2_000  # newest marks that agreement is computed from: within 2.2 points of all


async def summary(engine: AsyncEngine, scope: DashboardScope) -> Json:
    """Return counts by day and name for each kind, and by model, collection and policy.

    `days` maps a kind to a list of (day since 1970, name, count). `parts` maps model, collection
    and policy to counts by status and the 95th percentile of the added time in milliseconds, None
    if not measured. `bounds_ms` are the histogram bounds of the kind `added_ms`.
    """
    table = scope.counts(tallies)
    of_day = table.c.kind, table.c.day, table.c.name
    by_day = (
        select(*of_day, func.sum(table.c.count))
        .where(table.c.kind.in_(KINDS), *scope.of_tallies(table))
        .group_by(*of_day)
    )
    same = tallies.c.model, tallies.c.collection, tallies.c.policy
    by_part = (
        select(*same, tallies.c.kind, tallies.c.name, func.sum(tallies.c.count))
        .where(tallies.c.kind.in_(("status", "added_ms")), *scope.of_tallies(tallies))
        .group_by(*same, tallies.c.kind, tallies.c.name)
    )
    days: dict[str, list[tuple[int, str, int]]] = {kind: [] for kind in KINDS}
    async with engine.connect() as connection:
        for kind, day, name, count in await _rows(connection, by_day):
            days[kind].append((day, name, int(count)))
        parts = _parts(await _rows(connection, by_part))
    for rows in days.values():
        rows.sort()
    return {
        "first_day": scope.first_day,
        "days": days,
        "parts": parts,
        "bounds_ms": ADDED_MS,
    }


def _parts(rows: Iterable[Sequence[Any]]) -> Json:
    counts: dict[str, dict[str, dict[str, Counter[str]]]] = {
        part: defaultdict(lambda: defaultdict(Counter)) for part in PARTS
    }
    for *values, kind, name, count in rows:
        for part, value in zip(counts, values, strict=True):
            counts[part][value][kind][name] += int(count)
    return {
        part: [
            {
                "name": value,
                "statuses": kinds["status"],
                "added_ms": added_percentile(kinds["added_ms"], 0.95),
            }
            for value, kinds in sorted(found.items(), key=lambda it: -it[1]["status"].total())
        ]
        for part, found in counts.items()
    }


def added_percentile(counts: Mapping[str, int], share: float) -> float | Literal["more"] | None:
    """Return the bound in milliseconds below which `share` of the added delays lie.

    None if nothing was measured, "more" if it is above all bounds.
    """
    measured = sum(count for name, count in counts.items() if name != "none")
    if not measured:
        return None
    below = 0
    for bound in ADDED_MS:
        below += counts.get(f"{bound:g}", 0)
        if below >= share * measured:
            return float(bound)
    return "more"


async def values(engine: AsyncEngine, scope: DashboardScope) -> Json:
    """Return the most frequent values and names in warnings: check, value, count.

    Empty if no text is stored.
    """
    table = scope.counts(name_tallies)
    named, counted = table.c, func.sum(table.c.count)
    query = (
        select(named.name, counted)
        .where(named.kind == "value", *scope.of_tallies(table))
        .group_by(named.name)
        .order_by(counted.desc(), named.name)
        .limit(MAX_VALUES)
    )
    async with engine.connect() as connection:
        rows = await _rows(connection, query)
    found = ((*name.partition(" ")[::2], int(count)) for name, count in rows)
    return {"values": [{"check": c, "value": v, "count": n} for c, v, n in found]}


async def areas(engine: AsyncEngine, scope: DashboardScope) -> Json:
    """Return apparent gaps in the documents, by the keyword that most unanswered questions share.

    Each has its `keyword`, words often asked `with` it, its `holes` counted by reason, and the
    newest `examples`. A keyword whose questions mostly belong to areas above it is left out.
    """
    table = scope.counts(name_tallies)
    named, counted = table.c, func.sum(table.c.count)
    query = (
        select(named.name, named.kind, counted)
        .where(named.kind.in_(HOLES), *scope.of_tallies(table))
        .group_by(named.kind, named.name)
    )
    holes: dict[str, Counter[str]] = defaultdict(Counter)
    found: list[Json] = []
    sampled = _sample(scope)
    async with engine.connect() as connection:
        for word, kind, count in await _rows(connection, query):
            holes[word][kind] += int(count)
        for word in sorted(holes, key=lambda word: (-holes[word].total(), word))[:MAX_WORDS]:
            rows = (await connection.execute(sampled, {"word": word})).mappings()
            sample = [dict(row) for row in rows]
            # Without a sample its answers lie behind many newer ones of other models, say.
            if not sample or not _covered(sample, [area["keyword"] for area in found]):
                found.append({"keyword": word, "holes": holes[word], **_area(word, sample)})
            if len(found) == MAX_AREAS:
                break
    return {"areas": found}


def _sample(scope: DashboardScope) -> Select[Any]:
    """Return the query for the newest results with the keyword `word`."""
    columns = [results.c[name] for name in ("id", "created_ms", "hole", "keywords", "question")]
    with_it = select(keywords.c.result).where(keywords.c.keyword == bindparam("word"))
    newest = with_it.order_by(keywords.c.result.desc()).limit(LOOKED_AT).subquery()
    return (
        select(*columns)
        .join(newest, newest.c.result == results.c.seq)
        .where(*scope.of_results())
        .order_by(results.c.seq.desc())
        .limit(SAMPLE)
    )


def _covered(sample: Sequence[Json], known: Sequence[str]) -> bool:
    inside = sum(not set(known).isdisjoint(row["keywords"].split()) for row in sample)
    return inside >= COVERED * len(sample)


def _area(word: str, sample: Sequence[Json]) -> Json:
    words = Counter(other for row in sample for other in set(row["keywords"].split()) - {word})
    often = [other for other, count in words.most_common(4) if count >= TOGETHER * len(sample)]
    examples: dict[str, Json] = {}  # one of each wording
    for row in sample:
        examples.setdefault(row["question"] or row["keywords"], row)
    return {"with": often, "examples": list(examples.values())[:EXAMPLES]}


async def agreement(engine: AsyncEngine, scope: DashboardScope) -> Json:
    """Return the feedback in scope: its newest `MAX_MARKS` marks.

    `labels`: marks by label. `checks`: per check, how many of its findings people called `wrong`
    and `right`. A mark on a sentence counts for its findings, a mark on an answer for all its
    warnings. `statuses`: per status, answers called wrong and right. Only the last mark on an
    answer or sentence counts, and only the first choice's findings.
    """
    marks = feedback.c
    # Bounded first: then each mark's result and findings are looked up by key, whatever the scope.
    newest = (
        select(marks.seq, marks.result_id, marks.label, marks.sentence, marks.created_ms)
        .where(marks.created_ms >= scope.first_day * DAY_MS)
        .order_by(marks.created_ms.desc())
        .limit(MAX_MARKS)
        .subquery()
    )
    found = findings.c
    query = (
        select(newest.c.seq, newest.c.result_id, newest.c.label, newest.c.sentence)
        .add_columns(newest.c.created_ms, results.c.status)
        .add_columns(*(results.c[part] for part in PARTS))
        .add_columns(found.check, found.severity, found.sentence)
        .join(results, results.c.id == newest.c.result_id)
        .outerjoin(findings, and_(found.result == results.c.seq, found.choice == 0))
    )
    labels: Counter[str] = Counter()
    statuses: Counter[tuple[str | None, str]] = Counter()
    checks: dict[str, Counter[str]] = defaultdict(Counter)
    seen: set[tuple[int, str | None]] = set()  # marks, and the checks that they are counted for
    async with engine.connect() as connection:
        rows = await _rows(connection, query)
    # Who changes their mind, or adds a comment, says one thing: the last.
    in_order = sorted(rows, key=lambda row: (row[4], row[0]))  # by time
    last = {(name, on): seq for seq, name, _, on, *_ in in_order}
    for seq, name, label, on, _, status, model, collection, policy, check, severity, place in rows:
        if seq != last[name, on] or not scope.holds(model, collection, policy):
            continue
        if (seq, None) not in seen:
            seen.add((seq, None))
            labels[label] += 1
            if on is None:
                statuses[status, label] += 1
        meant = check is not None and (place == on if on is not None else severity == "warning")
        if meant and label != "refusal_wrong" and (seq, check) not in seen:
            seen.add((seq, check))
            checks[check]["wrong" if label == "down" else "right"] += 1
    return {
        "labels": labels,
        "checks": [
            {"check": check, "wrong": counts["wrong"], "right": counts["right"]}
            for check, counts in sorted(checks.items(), key=lambda it: (-it[1].total(), it[0]))
        ],
        "statuses": [
            {"status": status, "said": label, "count": count}
            for (status, label), count in statuses.items()
            if label in ("up", "down")
        ],
    }


async def listed(engine: AsyncEngine, wanted: ListScope) -> Json:
    """Return the newest results in scope, newest first."""
    names = (
        "id",
        "created_ms",
        "status",
        "verdict",
        "flags",
        "model",
        "collection",
        "policy",
        "groundedness",
        "doubt",
        "confidence_level",
        "refusal_kind",
        "hole",
        "keywords",
        "question",
    )
    query = select(*(results.c[name] for name in names)).where(*wanted.of_results())
    within = wanted.of_results()
    if wanted.check is not None or wanted.value is not None:
        found = select(findings.c.result).join(results).where(*within)
        if wanted.check is not None:
            found = found.where(findings.c.check == wanted.check)
        if wanted.value is not None:
            found = found.where(findings.c.value == wanted.value)
        newest = found.order_by(findings.c.result.desc()).limit(20 * PAGE)
        query = query.where(results.c.seq.in_(newest))
    if wanted.keyword is not None:
        found = select(keywords.c.result).join(results).where(*within)
        found = found.where(keywords.c.keyword == wanted.keyword)
        newest = found.order_by(keywords.c.result.desc()).limit(20 * PAGE)
        query = query.where(results.c.seq.in_(newest))
    ordered = query.order_by(results.c.created_ms.desc(), results.c.seq.desc()).limit(PAGE)
    async with engine.connect() as connection:
        rows = (await connection.execute(ordered)).mappings()
        return {"results": [{**row, "flags": row["flags"].strip(",").split(",")} for row in rows]}


async def one(engine: AsyncEngine, id: str) -> Json | None:
    """Return all stored facts of one result, None for an unknown id."""
    found = await queries.all_about(engine, id)
    if found is None:
        return None
    annotation = found["annotation"]
    return {**found, "annotation": None if annotation is None else json.loads(annotation)}


async def _rows(connection: AsyncConnection, query: Select[Any]) -> Sequence[Sequence[Any]]:
    return [tuple(row) for row in await connection.execute(query)]
