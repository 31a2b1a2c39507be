"""Writes records to the tables, many per transaction, each exactly once."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Dialect, Select, Table, bindparam, delete, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from streamguard.errors import StreamguardError
from streamguard.sinks.sql.records import FeedbackRecord, Record
from streamguard.sinks.sql.rows import (
    Row,
    Tally,
    clean,
    finding_rows,
    result_row,
    sentence_rows,
    tallied,
)
from streamguard.sinks.sql.tables import (
    DAY_MS,
    NAME_KINDS,
    bodies,
    feedback,
    findings,
    keywords,
    name_tallies,
    results,
    sentences,
    tallies,
    totals,
)

_COUNTED = (tallies, name_tallies, totals)
FORGOTTEN_AT_ONCE = 2_000  # results deleted in one transaction: others write in between; guess


# Errors of reading something else than a record: it may be of another version, or of anybody's
# making.
_UNFIT = (LookupError, TypeError, ValueError, AttributeError, zlib.error)


class UnfitError(StreamguardError):
    """A record holds a value that no database accepts."""


@dataclass(frozen=True, slots=True)
class _ReadRecord:
    """The rows of a record, and its additions to the counts."""

    body: bytes
    row: Row
    findings: list[Row]
    sentences: list[Row]
    counted: Counter[Tally]
    late: bool  # text came behind the answer, which may have been written before that


async def write_records(engine: AsyncEngine, records: Sequence[Record]) -> int:
    """Write records in one transaction; return how many were new.

    Of several with one annotation id the first counts, earlier writes included, unless a later one
    reports late text. Raises `UnfitError` before anything is written if a record does not fit.
    """
    read: dict[str, _ReadRecord] = {}
    for each in map(_read, records):
        known = read.setdefault(each.row["id"], each)
        if each.late and not known.late:
            read[each.row["id"]] = each
    late = [name for name, each in read.items() if each.late]
    async with engine.begin() as connection:
        if late:
            await _gone(connection, select(results.c.seq).where(results.c.id.in_(late)))
        seqs = await _new(connection, results, [each.row for each in read.values()])
        new = [(seq, read[name]) for name, seq in seqs.items()]
        rows: dict[Any, list[Row]] = {bodies: [], findings: [], sentences: [], keywords: []}
        counted: Counter[Tally] = Counter()
        for seq, each in new:
            rows[bodies].append({"result": seq, "body": each.body})
            rows[findings] += ({"result": seq, **row} for row in each.findings)
            rows[sentences] += ({"result": seq, **row} for row in each.sentences)
            if each.row["hole"] is not None:
                words = each.row["keywords"].split()
                rows[keywords] += ({"result": seq, "keyword": word} for word in words)
            counted.update(each.counted)
        rows |= tally_rows(counted)
        for table, values in rows.items():
            await _put(connection, table, values)
    return len(new)


async def write_feedback(engine: AsyncEngine, marks: Sequence[FeedbackRecord]) -> int:
    """Write people's feedback on answers, each `id` once; return how many were new.

    Raises `UnfitError` as `write_records` does.
    """
    rows = [_feedback_row(each) for each in marks]
    async with engine.begin() as connection:
        return len(await _new(connection, feedback, rows))


async def forget(
    engine: AsyncEngine,
    *,
    before_ms: int | None = None,
    keep: int | None = None,
    at_most: int = FORGOTTEN_AT_ONCE,
) -> int:
    """Delete results before a time, and all but the newest `keep`; return how many were deleted.

    Each call deletes a bounded number, oldest first: repeat it until it returns 0. Their feedback,
    older feedback, and their counts are deleted too.
    """
    async with engine.begin() as connection:
        first = None
        if keep is not None:
            newest = select(results.c.seq).order_by(results.c.seq.desc()).offset(keep).limit(1)
            first = (await connection.execute(newest)).scalar()
        old = [] if first is None else [results.c.seq <= first]
        if before_ms is not None:
            old.append(results.c.created_ms < before_ms)
            await connection.execute(delete(feedback).where(feedback.c.created_ms < before_ms))
        if not old:
            return 0
        oldest = select(results.c.seq).where(or_(*old)).order_by(results.c.seq).limit(at_most)
        ids = select(results.c.id).where(results.c.seq.in_(oldest))
        await connection.execute(delete(feedback).where(feedback.c.result_id.in_(ids)))
        gone = await _gone(connection, oldest)
        if gone:
            query = select(func.min(results.c.created_ms))
            left = (await connection.execute(query)).scalar()
            day = None if left is None else left // DAY_MS
            first_day = select(func.min(tallies.c.day)).where(tallies.c.kind == "status")
            counted = (await connection.execute(first_day)).scalar()
            if day is None or (counted is not None and counted < day):  # not on every turn
                for table in _COUNTED:
                    stale = delete(table)
                    await connection.execute(
                        stale if day is None else stale.where(table.c.day < day)
                    )
        return gone


async def _gone(connection: AsyncConnection, seqs: Select[tuple[int]]) -> int:
    """Delete results and their counts; return how many were deleted."""
    found: defaultdict[int, list[Any]] = defaultdict(list)
    query = select(findings).where(findings.c.result.in_(seqs))
    for each in (await connection.execute(query)).mappings():
        found[each["result"]].append(each)
    # Only of the results deleted here: another writer may delete the same ones.
    done = delete(results).where(results.c.seq.in_(seqs)).returning(results)
    gone = (await connection.execute(done)).mappings().all()
    counted: Counter[Tally] = Counter()
    for row in gone:
        counted.subtract(tallied(dict(row), found[row["seq"]]))
    for table, values in tally_rows(counted).items():
        await _put(connection, table, values)
        if values:
            keys = (key == bindparam(key.name) for key in table.primary_key.columns)
            none_left = delete(table).where(*keys, table.c.count <= 0)
            await connection.execute(none_left, values)
    return len(gone)


@contextmanager
def _raises_unfit() -> Iterator[None]:
    try:
        yield
    except _UNFIT as exc:
        raise UnfitError(f"a record cannot be read: {type(exc).__name__}") from exc


@_raises_unfit()
def _read(record: Record) -> _ReadRecord:
    annotation = record.annotation()
    stream = annotation.get("stream") or {}
    found = list(
        finding_rows(annotation.get("choices") or filter(None, [annotation.get("result")]))
    )
    row = result_row(annotation["id"], annotation["state"], record.about, annotation.get("result"))
    row |= {"pieces": stream.get("pieces"), "check_us": stream.get("check_us")}
    reasons = (annotation.get("result") or {}).get("reasons", ())
    late = any(each["code"] == "late_text" for each in reasons)
    spoken = list(sentence_rows(record.about))
    return _ReadRecord(record.body, row, found, spoken, tallied(row, found), late)


@_raises_unfit()
def _feedback_row(mark: FeedbackRecord) -> Row:
    return {
        "id": clean(mark.id, 32),
        "result_id": clean(mark.result_id, 64),
        "created_ms": mark.created_ms,
        "sentence": mark.sentence,
        "label": clean(mark.label, 32),
        "comment": None if mark.comment is None else clean(mark.comment, None),
    }


async def _new(connection: AsyncConnection, table: Table, rows: list[Row]) -> dict[str, int]:
    """Insert the rows with a new `id`; return their `seq` by `id`."""
    if not rows:
        return {}
    dialect: Any = postgresql if connection.dialect.name == "postgresql" else sqlite
    once = dialect.insert(table).on_conflict_do_nothing(index_elements=["id"])
    # In one order everywhere, so that two writers of the same ids never wait in a circle.
    in_order = sorted(rows, key=lambda row: row["id"])
    made = await connection.execute(once.returning(table.c.id, table.c.seq), in_order)
    return {row[0]: row[1] for row in made}


async def _put(connection: AsyncConnection, table: Table, rows: Iterable[Row]) -> None:
    """Insert rows with a value for every column; counts are added to existing ones.

    It calls the driver directly: binding parameters per row would cost more than all else.
    """
    statement, values = _inserting(table, connection.dialect)
    if of_rows := [values(row) for row in rows]:
        await connection.exec_driver_sql(statement, of_rows)


@lru_cache(maxsize=16)
def _inserting(table: Table, dialect: Dialect) -> tuple[str, Callable[[Row], Any]]:
    """Return the statement of `_put`, and a function from a row to its parameters."""
    made: Any = (postgresql if dialect.name == "postgresql" else sqlite).insert(table)
    if table in _COUNTED:
        made = made.on_conflict_do_update(
            index_elements=list(table.primary_key.columns),
            set_={"count": table.c.count + made.excluded.count},
        )
    return str(made.compile(dialect=dialect)), itemgetter(*table.c.keys())


def tally_rows(counted: Counter[Tally]) -> dict[Any, list[Row]]:
    """Return the rows of each count table, always in one order, as in `_new`."""
    rows: dict[Any, list[Row]] = {table: [] for table in _COUNTED}
    summed: Counter[tuple[str, str, int]] = Counter()
    for (kind, day, model, collection, policy, name), count in sorted(counted.items()):
        row = {"kind": kind, "name": name, "day": day, "count": count}
        row |= {"model": model, "collection": collection, "policy": policy}
        rows[name_tallies if kind in NAME_KINDS else tallies].append(row)
        summed[kind, name, day] += count
    for (kind, name, day), count in sorted(summed.items()):
        rows[totals].append({"kind": kind, "name": name, "day": day, "count": count})
    return rows
