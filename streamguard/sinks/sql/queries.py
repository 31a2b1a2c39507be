"""Queries for stored results: one annotation as served, or the newest results as rows."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from streamguard.sinks.sql.rows import clean
from streamguard.sinks.sql.tables import bodies, feedback, findings, results, sentences

Row = dict[str, Any]
PAGE = 1_000  # rows of one question to the database while many are read
BODIES = 20  # annotations of one such question


@dataclass(frozen=True, slots=True)
class Wanted:
    """A filter on results; all given conditions must hold.

    Times in milliseconds since 1970, the first included and the last not. `flag` is one of the
    result's flags.
    """

    since_ms: int | None = None
    until_ms: int | None = None
    status: str | None = None
    model: str | None = None
    collection: str | None = None
    policy: str | None = None
    hole: str | None = None
    flag: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the filter as SQL conditions."""
        columns = results.c
        found = [
            column == value
            for column, value in (
                (columns.status, self.status),
                (columns.model, self.model),
                (columns.collection, self.collection),
                (columns.policy, self.policy),
                (columns.hole, self.hole),
            )
            if value is not None
        ]
        if self.since_ms is not None:
            found.append(columns.created_ms >= self.since_ms)
        if self.until_ms is not None:
            found.append(columns.created_ms < self.until_ms)
        if self.flag is not None:
            found.append(columns.flags.contains(f",{self.flag},", autoescape=True))
        return found


async def get_json(engine: AsyncEngine, id: str) -> bytes | None:
    """Return the annotation of `id` as served, None for an unknown id."""
    query = select(bodies.c.body).join(results).where(results.c.id == clean(id))
    async with engine.connect() as connection:
        body = (await connection.execute(query)).scalar()
    return None if body is None else zlib.decompress(body)


async def annotations_of(
    engine: AsyncEngine, seqs: Sequence[int]
) -> AsyncGenerator[tuple[int, bytes], None]:
    """Yield `seq` and annotation of results, in order and without deleted ones.

    Only one is decompressed at a time and few are held compressed, since a long one has megabytes.
    """
    for first in range(0, len(seqs), BODIES):
        group = seqs[first : first + BODIES]
        query = select(bodies.c.result, bodies.c.body).where(bodies.c.result.in_(group))
        async with engine.connect() as connection:
            found = {row[0]: row[1] for row in await connection.execute(query)}
        for seq in group:
            if seq in found:
                yield seq, zlib.decompress(found.pop(seq))


async def newest(engine: AsyncEngine, wanted: Wanted = Wanted(), limit: int = 50) -> list[Row]:
    """Return the rows of the newest matching results, newest first."""
    async with engine.connect() as connection:
        found = await connection.execute(_newest(wanted).limit(limit))
        return [dict(row) for row in found.mappings()]


async def counted(engine: AsyncEngine, wanted: Wanted) -> int:
    """Return the number of matching results."""
    query = select(func.count()).select_from(results).where(*wanted.conditions())
    async with engine.connect() as connection:
        return int((await connection.execute(query)).scalar_one())


async def each(
    engine: AsyncEngine, wanted: Wanted = Wanted(), limit: int | None = None
) -> AsyncIterator[list[Row]]:
    """Yield pages of rows like those of `newest`, in constant memory; close it after use."""
    last, left = None, limit
    async with engine.connect() as connection:
        while left is None or left > 0:
            query = _newest(wanted).limit(PAGE if left is None else min(PAGE, left))
            if last is not None:
                query = query.where(_behind(last))
            page = [dict(row) for row in (await connection.execute(query)).mappings()]
            if not page:
                return
            yield page
            last = page[-1]
            left = None if left is None else left - len(page)


async def all_about(engine: AsyncEngine, id: str) -> dict[str, Any] | None:
    """Return all stored facts of `id`, None for an unknown id.

    `result` is its row; `findings`, `sentences` (their words, none if no text is stored) and
    `feedback` are lists of rows; `annotation` is its JSON as served.
    """
    async with engine.connect() as connection:
        known = select(results).where(results.c.id == clean(id))
        row = (await connection.execute(known)).mappings()
        found = row.first()
        if found is None:
            return None
        kept: dict[str, Any] = {"result": dict(found)}
        for table in (findings, sentences):
            of_it = select(table).where(table.c.result == found["seq"])
            query = of_it.order_by(table.c.choice, table.c.position)
            rows = (await connection.execute(query)).mappings()
            kept[table.name] = [dict(each_row) for each_row in rows]
        marks = select(feedback).where(feedback.c.result_id == id).order_by(feedback.c.seq)
        kept["feedback"] = [
            dict(each_row) for each_row in (await connection.execute(marks)).mappings()
        ]
    kept["annotation"] = await get_json(engine, id)
    return kept


def _newest(wanted: Wanted) -> Select[Any]:
    order = results.c.created_ms.desc(), results.c.seq.desc()
    return select(results).where(*wanted.conditions()).order_by(*order)


def _behind(last: Row) -> ColumnElement[bool]:
    created, seq = results.c.created_ms, results.c.seq
    same = and_(created == last["created_ms"], seq < last["seq"])
    return or_(created < last["created_ms"], same)
