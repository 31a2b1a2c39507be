"""State shared by a server's instances: a results database, and live events over Redis."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from streamguard.errors import UpstreamError
from streamguard.rag.extras import library
from streamguard.server.results.live import Live
from streamguard.sinks.sql.journal import Journal
from streamguard.sinks.sql.records import About, Record
from streamguard.sinks.sql.spool import MAX_SPOOL_BYTES

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

SPOOL = "streamguard-spool"
URL_VARIABLE = "STREAMGUARD_RESULTS"
LIVE_VARIABLE = "STREAMGUARD_LIVE"
LIVE_TTL_S = 900.0  # as long as results are kept in memory
MIN_SPOOL_BYTES = 1_048_576  # of one long answer, and then some
KEEP_DAYS = 90.0  # guess: a quarter

log = logging.getLogger("streamguard.results")


@dataclass(frozen=True, slots=True)
class SharedSettings:
    """Where results are stored outside the process, and for how long.

    `url` of the database, None for none. `live`: address of a Redis through which instances publish
    running answers, kept for `live_ttl_s` seconds. `spool`: folder of records that wait for the
    database, at most `max_spool_bytes`. `keep_days` and `keep_results` limit age and number, None
    for no limit.
    """

    url: str | None
    spool: Path = Path(SPOOL)
    keep_days: float | None = KEEP_DAYS
    keep_results: int | None = None
    max_spool_bytes: int = MAX_SPOOL_BYTES
    live: str | None = None
    live_ttl_s: float = LIVE_TTL_S


class SharedResults:
    """The results of all instances: this one writes its own and reads the others'.

    Reading needs an asyncio event loop. Close it with `aclose`. Raises `ConfigError` for an
    unsupported database or a missing package.
    """

    def __init__(self, settings: SharedSettings) -> None:
        self.live = None if settings.live is None else Live(settings.live, settings.live_ttl_s)
        self.journal: Journal | None = None
        self._engine: AsyncEngine | None = None
        self._warming: asyncio.Task[None] | None = None
        if settings.url is not None:
            database = library("streamguard.sinks.sql.database", "sql")
            self._engine = database.open_engine(settings.url)
            self.journal = Journal(
                settings.url,
                settings.spool,
                keep_days=settings.keep_days,
                keep_results=settings.keep_results,
                max_bytes=settings.max_spool_bytes,
            )

    def warm(self) -> None:
        """Connect to the database in the background, so that the first request need not wait.

        That takes a quarter of a second on a busy machine. A failure shows at the first request.
        """
        if self._engine is not None:
            self._warming = asyncio.create_task(_connected(self._engine))

    def open(self, id: str) -> None:
        """Publish that stream `id` runs."""
        if self.live is not None:
            self.live.open(id)

    def publish(self, id: str, number: int, sentence_json: str) -> None:
        """Publish a settled sentence to listeners at other instances."""
        if self.live is not None:
            self.live.publish(id, number, sentence_json)

    def keep(self, id: str, about: About, body: bytes) -> None:
        """Queue a result for writing, once; never waits. `body` is its JSON, compressed by zlib."""
        if self.live is not None:
            self.live.put(id, body)
        if self.journal is not None:
            self.journal.give(Record(about, body))

    async def get_json(self, id: str) -> bytes | None:
        """Return the annotation of `id`, b"" while its stream runs, None for an unknown id.

        Raises `UpstreamError` if a store that may have it does not answer and no other has it.
        """
        sources, answered = (self._live_json, self._written), 0
        for source in sources:
            with unread_logged():
                if (found := await source(id)) is not None:
                    return found
                answered += 1
        if answered < len(sources):
            raise UpstreamError("the store of other instances' results does not answer")
        return None

    async def _live_json(self, id: str) -> bytes | None:
        return None if self.live is None else await self.live.get(id)

    async def _written(self, id: str) -> bytes | None:
        if self._engine is None:
            return None
        from streamguard.sinks.sql.queries import get_json

        return await get_json(self._engine, id)

    async def sentences_of(self, id: str) -> list[tuple[int, str]]:
        """Return number and JSON of an answer's published sentences, none if unknown."""
        if self.live is not None:
            with unread_logged():
                return sorted(dict(await self.live.sentences_of(id)).items())
        return []

    async def keep_context(self, id: str, body: bytes) -> None:
        """Store a posted context for the other instances, if they share a Redis."""
        if self.live is not None:
            with unread_logged():
                await self.live.keep_context(id, body)

    async def context(self, id: str) -> bytes | None:
        """Return a context posted to another instance, None if unknown or unavailable."""
        if self.live is not None:
            with unread_logged():
                return await self.live.context(id)
        return None

    async def aclose(self) -> None:
        """Write all records to disk and close the connections."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait([self._warming])
        if self.live is not None:
            await self.live.aclose()
        if self._engine is not None:
            await self._engine.dispose()
        if self.journal is not None:
            await to_thread.run_sync(self.journal.close)


async def _connected(engine: AsyncEngine) -> None:
    import streamguard.sinks.sql.queries  # noqa: F401 -- compiled for the first that asks

    with suppress(Exception):
        async with engine.connect():
            pass


@contextmanager
def unread_logged() -> Iterator[None]:
    """Log a shared server's errors instead of raising them: a lost one raises many kinds.

    Only the error's type is logged: its text may quote a password.
    """
    try:
        yield
    except Exception as exc:
        log.warning("results_unread", extra={"fields": {"error": type(exc).__name__}})


def check_shared(settings: SharedSettings | None) -> None:
    """Raise `ConfigError` for an unsupported database or Redis, or for missing packages."""
    if settings is not None and settings.url is not None:
        library("streamguard.sinks.sql.database", "sql").database_url(settings.url)
    if settings is not None and settings.live is not None:
        Live(settings.live, settings.live_ttl_s)


def add_shared_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of results in a database."""
    add = parser.add_argument_group("results in a database (extra sql or postgres)").add_argument
    add(
        "--results",
        metavar="URL",
        help="keep every result in a database too, and answer for those of other instances:"
        " sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"
        f" (default: {URL_VARIABLE}; without one, results are kept in memory alone)",
    )
    add(
        "--live",
        metavar="URL",
        help="tell instances by a Redis or Valkey what runs on others, so that each answers for its"
        f" sentences as they settle (extra redis): redis://HOST:PORT (default: {LIVE_VARIABLE})",
    )
    add(
        "--results-spool",
        type=Path,
        default=Path(SPOOL),
        metavar="FOLDER",
        help="where they wait for the database (default: %(default)s)",
    )
    add(
        "--max-spool-bytes",
        type=_bytes,
        default=MAX_SPOOL_BYTES,
        metavar="N",
        help="what waits there at most; what comes beyond is dropped and logged"
        " (default: %(default)s)",
    )
    add(
        "--keep-days",
        type=_days,
        default=KEEP_DAYS,
        metavar="DAYS",
        help="how long a result stays in the database; 0: for ever (default: %(default)g)",
    )
    add(
        "--keep-results",
        type=_count,
        default=None,
        metavar="N",
        help="how many stay there at most, the newest; 0: all (default: all)",
    )


def shared_settings(args: argparse.Namespace) -> SharedSettings | None:
    """Return the settings in the flags, None without a database."""
    url = args.results or os.environ.get(URL_VARIABLE) or None
    live = args.live or os.environ.get(LIVE_VARIABLE) or None
    if url is None and live is None:
        return None
    return SharedSettings(
        url,
        args.results_spool,
        args.keep_days or None,
        args.keep_results or None,
        args.max_spool_bytes,
        live,
        getattr(args, "results_ttl", LIVE_TTL_S),
    )


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"is {text!r}, expected a whole number of at least 0")
    return int(text)


def _bytes(text: str) -> int:
    if (count := _count(text)) < MIN_SPOOL_BYTES:
        raise argparse.ArgumentTypeError(f"is {count}, expected at least {MIN_SPOOL_BYTES}")
    return count


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1.0
    if not 0 <= days < float("inf"):
        raise argparse.ArgumentTypeError(f"is {text!r}, expected a number of days of at least 0")
    return days
