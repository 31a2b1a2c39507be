"""What the instances of a server share: a database of their results, and live events of others."""

from __future__ import annotations

import argparse
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio import to_thread

from streamguard.rag.extras import library
from streamguard.sinks.sql.journal import Journal
from streamguard.sinks.sql.records import About, Record
from streamguard.sinks.sql.spool import MAX_SPOOL_BYTES

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

SPOOL = "streamguard-spool"
URL_VARIABLE = "STREAMGUARD_RESULTS"
MIN_SPOOL_BYTES = 1_048_576  # of one long answer, and then some
KEEP_DAYS = 90.0  # guess: a quarter

log = logging.getLogger("streamguard.results")


@dataclass(frozen=True, slots=True)
class SharedSettings:
    """Where results are kept beside the memory of one process, and for how long.

    `url` of the database; `spool`, the folder of what waits for it, of `max_spool_bytes` at most.
    `keep_days` by age and `keep_results` by number, None for all.
    """

    url: str
    spool: Path = Path(SPOOL)
    keep_days: float | None = KEEP_DAYS
    keep_results: int | None = None
    max_spool_bytes: int = MAX_SPOOL_BYTES


class SharedResults:
    """The results of all instances: what this one makes goes there, what others made is read.

    Reading needs an event loop of asyncio. Close it at the end: `aclose`. Raises `ConfigError` for
    another kind of database, or where its packages are not installed.
    """

    def __init__(self, settings: SharedSettings) -> None:
        self._database: Any = library("streamguard.sinks.sql.database", "sql")
        self._engine: AsyncEngine = self._database.open_engine(settings.url)
        self.journal = Journal(
            settings.url,
            settings.spool,
            keep_days=settings.keep_days,
            keep_results=settings.keep_results,
            max_bytes=settings.max_spool_bytes,
        )

    def keep(self, about: About, body: bytes) -> None:
        """Have a result written, once; never waits. `body` is its JSON, compressed by zlib."""
        self.journal.give(Record(about, body))

    async def get_json(self, id: str) -> bytes | None:
        """Return the annotation of `id`, None for an unknown one, or where nobody can say."""
        from streamguard.sinks.sql.reading import get_json

        try:
            return await get_json(self._engine, id)
        except Exception as exc:  # a database says in many ways that it is gone
            log.warning("results_unread", extra={"fields": {"error": self._database.reason(exc)}})
            return None

    async def aclose(self) -> None:
        """Bring to disk what was given, and close the connections."""
        await self._engine.dispose()
        await to_thread.run_sync(self.journal.close)


def check_database(url: str) -> None:
    """Raise `ConfigError` for another kind of database, or where its packages are missing."""
    library("streamguard.sinks.sql.database", "sql").database_url(url)


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
    """Return what the flags ask for, None without a database."""
    url = args.results or os.environ.get(URL_VARIABLE)
    if not url:
        return None
    return SharedSettings(
        url,
        args.results_spool,
        args.keep_days or None,
        args.keep_results or None,
        args.max_spool_bytes,
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
