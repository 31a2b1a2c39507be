"""Moves batches from the spool into the database, and deletes old or surplus results."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from streamguard.errors import StreamguardError, UpstreamError
from streamguard.sinks.sql import database
from streamguard.sinks.sql.records import FeedbackRecord, Record
from streamguard.sinks.sql.spool import SpoolReader
from streamguard.sinks.sql.writer_settings import WriterSettings
from streamguard.sinks.sql.writing import UnfitError, forget, write_feedback, write_records

BATCH = 500  # records of one transaction: a tenth of a second (benchmarks/bench_results.py)
BATCH_BYTES = 8_388_608
FORGET_EVERY_S = 60.0
_DAY_MS = 86_400_000.0

# Values of a record that no database accepts: SQL has classes of states for it, data (22) and
# integrity (23), and sqlite3 classes of its own, with Python's for a number that is too great.
# No other error of Python's: drivers raise those of a connection that is lost.
_UNFIT = (UnfitError, OverflowError)
_UNFIT_STATES = ("22", "23")
_UNFIT_SQLITE = (sqlite3.DataError, sqlite3.IntegrityError)


_Write = Callable[[AsyncEngine, Sequence[Any]], Awaitable[int]]


class Transfer:
    """Moves the records of one folder to one database; `report` is called with events."""

    def __init__(self, settings: WriterSettings, report: Callable[..., None]) -> None:
        self._settings = settings
        self._report = report
        self._engine: AsyncEngine | None = None
        self._file: tuple[int, int] | None = None  # the file that the engine was opened on
        self._reader = SpoolReader(Path(settings.folder))
        self._unreadable = 0  # of the reader's, already reported
        self._forgets_at = time.monotonic()

    async def turn(self) -> int:
        """Write a batch; return its number of records. Failed ones are retried in another turn."""
        engine = self._engine or await self._opened()
        await self._check_file(engine)
        taken = self._reader.portion(BATCH, BATCH_BYTES)
        records = [each for each in taken if isinstance(each, Record)]
        feedback = [each for each in taken if isinstance(each, FeedbackRecord)]
        new = await self._written(engine, write_records, records)
        await self._written(engine, write_feedback, feedback)
        await self._check_file(engine)  # again: the file may have been removed while it was written
        if taken:
            self._report("written", records=len(taken), new=new)
        self._reader.done()
        if self._reader.unreadable > self._unreadable:
            self._report("unreadable", records=self._reader.unreadable - self._unreadable)
            self._unreadable = self._reader.unreadable
        await self._forget(engine)
        return len(taken)

    def reason(self, exc: Exception) -> str:
        """Return the error on one line, without passwords and record values."""
        return str(exc) if isinstance(exc, StreamguardError) else database.reason(exc)

    async def close(self) -> None:
        """Close the connections."""
        if self._engine is not None:
            await self._engine.dispose()

    async def _opened(self) -> AsyncEngine:
        engine = database.open_engine(self._settings.url)
        try:
            await database.migrate(engine)
        except BaseException:
            await engine.dispose()
            raise
        self._engine, self._file = engine, database.file_now(engine.url)
        self._report("ready")
        return engine

    async def _check_file(self, engine: AsyncEngine) -> None:
        """Start over if the database's file was removed or replaced."""
        if database.file_now(engine.url) != self._file:
            self._engine = None
            await engine.dispose()
            raise UpstreamError(f"{database.shown(engine.url)} was removed or replaced")

    async def _written(self, engine: AsyncEngine, write: _Write, records: Sequence[Any]) -> int:
        """Write records and report those that no database accepts; return how many were new."""
        if not records:
            return 0
        try:
            return await write(engine, records)
        except Exception as exc:
            if not _is_unfit(exc):
                raise
            if len(records) == 1:
                self._report("rejected", error=type(exc).__name__)
                return 0
            middle = len(records) // 2
        first = await self._written(engine, write, records[:middle])
        return first + await self._written(engine, write, records[middle:])

    async def _forget(self, engine: AsyncEngine) -> None:
        settings = self._settings
        if time.monotonic() < self._forgets_at:
            return
        before = None
        if settings.keep_days is not None:
            before = int(max(0.0, time.time() * 1_000 - settings.keep_days * _DAY_MS))
        gone = await forget(engine, before_ms=before, keep=settings.keep_results)
        if gone:
            self._report("forgotten", results=gone)
        else:
            self._forgets_at = time.monotonic() + FORGET_EVERY_S


def _is_unfit(exc: Exception) -> bool:
    if not isinstance(exc, DBAPIError):
        return isinstance(exc, _UNFIT)
    state = getattr(exc.orig, "sqlstate", None) or ""
    return state.startswith(_UNFIT_STATES) or isinstance(exc.orig, _UNFIT_SQLITE)
