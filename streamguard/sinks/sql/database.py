"""Opens the database that a URL names, and migrates its tables."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from streamguard.errors import ConfigError, UpstreamError, lacking
from streamguard.sinks.appending import make_owned

_ALLOWED = "sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"
_DRIVERS = {"sqlite": "aiosqlite", "postgresql": "asyncpg", "postgres": "asyncpg"}
_NO_FILE = {"mode", "uri"}  # SQLite's parameters by which a URL may name no plain file
_BUSY_S = 30.0  # SQLite's wait for another process's write; guess, far above a batch
_OCCUPIED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)  # by another process, which will end
_AGAIN_S = 0.01  # between two tries of such a statement; guess
_POOL = 4  # connections of one process: readers of the side channel are few; guess
_VERSION_TABLE = "streamguard_version"  # as in migrations/env.py
_FILE = "file"  # the process and loop that a connection was made in
_MIGRATING = 0x73677271  # the key of the advisory lock; any number that nobody else takes
# Everything up to the last "@": a password may hold any character, "/" and "@" too.
_CREDENTIALS = re.compile(r"(?:(?<=://)|^(?!\w+://))\S*@")


def database_url(address: str) -> URL:
    """Return the URL for SQLAlchemy, with an asynchronous driver.

    Raises `ConfigError` for an unsupported database or a missing driver; no message holds the
    password.
    """
    try:
        url = make_url(address)
    except (ArgumentError, ValueError) as exc:
        raise ConfigError(f"{shown(address)!r} is no database, expected {_ALLOWED}") from exc
    name = url.get_backend_name()
    driver = _DRIVERS.get(name)
    in_file = url.database not in (None, "", ":memory:") and not _NO_FILE & url.query.keys()
    if driver is None or (name == "sqlite" and not in_file):
        raise ConfigError(f"{shown(address)!r} is no database of ours, expected {_ALLOWED}")
    if find_spec(driver) is None:
        extra = "sql" if name == "sqlite" else "postgres"
        raise ConfigError(lacking(driver, extra))
    return url.set(drivername=f"{'sqlite' if name == 'sqlite' else 'postgresql'}+{driver}")


def shown(url: str | URL) -> str:
    """Return a URL for display, without its password."""
    if isinstance(url, URL):
        # The URL as typed; a query may hold a password too.
        named = url.set(drivername=url.get_backend_name(), query={})
        rendered: str = named.render_as_string(hide_password=True)
        return rendered
    return _CREDENTIALS.sub("***@", url.partition("?")[0])


def database_file(url: URL) -> Path | None:
    """Return the file of an SQLite database, None for a database server."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def check_there(address: str) -> None:
    """Raise `ConfigError` for a URL of a file without results, and as `database_url` does.

    For readers: opening it would create an empty database, or tables in a foreign one.
    """
    file = database_file(database_url(address))
    if file is None:
        return
    if not file.is_file():
        what = "a folder: expected a file" if file.is_dir() else "which is not there"
        raise ConfigError(f"results are {str(file)!r}, {what}")
    query = "SELECT 1 FROM sqlite_master WHERE name = ?"
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as read:
            found = read.execute(query, (_VERSION_TABLE,)).fetchone()
    except sqlite3.Error as exc:
        raise ConfigError(f"results are {str(file)!r}, which cannot be read: {exc}") from exc
    if found is None:
        raise ConfigError(f"results are {str(file)!r}, which holds none: --results writes them")


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[AsyncEngine]:
    """Yield an engine for readers, with its tables migrated to this version.

    Raises as `check_there` and `migrate` do, and `UpstreamError` for database errors inside the
    block.
    """
    check_there(address)
    engine = open_engine(address)
    try:
        await migrate(engine)
        yield engine
    except DBAPIError as exc:
        raise UpstreamError(f"{shown(engine.url)} gave up: {reason(exc)}") from exc
    finally:
        await engine.dispose()


def open_engine(address: str) -> AsyncEngine:
    """Return an engine for the database of a URL, without connecting.

    Raises `ConfigError` as `database_url` does, and if a file cannot be created there.
    """
    url = database_url(address)
    file = database_file(url)
    if file is not None:
        if file.is_dir() or not file.parent.is_dir():
            raise ConfigError(f"results are {str(file)!r}, expected a file in a folder that is")
        engine = create_async_engine(url, connect_args={"timeout": _BUSY_S})

        def make(*_connecting: Any) -> None:
            with suppress(OSError):  # SQLite says it better
                make_owned(file)

        def prepare(connection: Any, record: Any) -> None:
            _prepare_sqlite(connection)
            record.info[_FILE] = file_now(url)

        def check(_connection: Any, record: Any, _proxy: Any) -> None:
            if record.info[_FILE] != file_now(url):
                raise DisconnectionError  # another connection is made

        event.listen(engine.sync_engine, "do_connect", make)
        event.listen(engine.sync_engine, "connect", prepare)
        event.listen(engine.sync_engine, "checkout", check)
        return engine
    return create_async_engine(url, pool_size=_POOL, pool_pre_ping=True)


def file_now(url: URL) -> tuple[int, int] | None:
    """Return the identity of an SQLite database's file: device and inode number.

    A replaced file differs. None if there is no file, and for a database server.
    """
    file = database_file(url)
    try:
        found = None if file is None else file.stat()
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


def _prepare_sqlite(connection: Any) -> None:
    cursor = connection.cursor()
    # Readers beside the writer; commits survive a killed process, and a power cut costs the last
    # ones at most.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        _execute_in_time(cursor, f"PRAGMA {pragma}")
    cursor.close()


def _execute_in_time(cursor: Any, statement: str) -> None:
    """Execute a statement with retries: SQLite does not wait to change a busy journal's mode."""
    until = time.monotonic() + _BUSY_S
    while True:
        try:
            cursor.execute(statement)
        except sqlite3.OperationalError as exc:
            primary = getattr(exc, "sqlite_errorcode", 0) & 0xFF  # the other bits are details
            if primary not in _OCCUPIED or time.monotonic() >= until:
                raise
            time.sleep(_AGAIN_S)
        else:
            return


async def migrate(engine: AsyncEngine) -> None:
    """Migrate the tables to this version; up-to-date ones stay untouched.

    Several processes may run it at once. Raises `UpstreamError` if the database cannot be reached,
    `ConfigError` for tables of a later version.
    """
    try:
        async with engine.connect() as connection:
            if await connection.run_sync(_is_current):
                return  # the user may lack the right to write
        async with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                lock = text("SELECT pg_advisory_xact_lock(:key)")
                await connection.execute(lock, {"key": _MIGRATING})
            else:
                await connection.exec_driver_sql("BEGIN IMMEDIATE")
            await connection.run_sync(_upgrade)
    except CommandError as exc:  # of a step that is not among ours
        raise ConfigError(
            f"{shown(engine.url)} has tables of a later version: use that one, or another database"
        ) from exc
    except (DBAPIError, sqlite3.Error, OSError) as exc:
        raise UpstreamError(f"{shown(engine.url)} cannot be used: {reason(exc)}") from exc


def reason(exc: BaseException) -> str:
    """Return a driver's error on one line, without statement or parameters."""
    message = str(getattr(exc, "orig", None) or exc)
    return _CREDENTIALS.sub("***@", message.splitlines()[0] if message else type(exc).__name__)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def _is_current(connection: Connection) -> bool:
    if not inspect(connection).has_table(_VERSION_TABLE):
        return False
    found = MigrationContext.configure(connection, opts={"version_table": _VERSION_TABLE})
    head = ScriptDirectory.from_config(_config()).get_current_head()
    return bool(found.get_current_revision() == head)


def _upgrade(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
