"""`streamguard results`: lists, shows and exports the results in a database."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from streamguard.commands.progress import Step, progress
from streamguard.errors import ConfigError, UpstreamError
from streamguard.rag.extras import library

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from streamguard.sinks.sql.queries import Row, Wanted

URL_VARIABLE = "STREAMGUARD_RESULTS"
_LISTED = 50
FORMATS = ("jsonl", "csv", "parquet")

DESCRIPTION = """\
Read the database that --results of proxy and chat writes: list the newest results, show one with
all that is kept of it, or export those that are wanted."""
EPILOG = """\
list prints a line a result, newest first. show prints one as JSON: its row, findings, sentences,
feedback and annotation. export writes rows, newest first, as JSON lines (with the annotation), CSV
(cells that a spreadsheet would take for formulas begin with ') or Parquet (extra parquet).

A time is a day (2026-11-22) or a moment (2026-11-22T09:30), in UTC unless it says otherwise.

examples:
  streamguard results list --results sqlite:///streamguard.db --status REFUSE
  streamguard results show 0123456789abcdef0123456789abcdef
  streamguard results export --since 2026-11-01 --format csv --out november.csv"""


_MOST = 2**53  # results that are asked for: more than any database holds, and as it takes numbers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `streamguard results`."""
    add = parser.add_argument
    add("what", choices=("list", "show", "export"), help="what to do")
    add("id", nargs="?", metavar="ID", help="which one to show, by the header x-streamguard-id")
    add(
        "--results",
        metavar="URL",
        help=f"the database, as the proxy takes it (default: {URL_VARIABLE})",
    )
    wanted = parser.add_argument_group("which results: those for which all of it holds")
    add = wanted.add_argument
    add("--since", type=_moment, metavar="TIME", help="made then or later")
    add("--until", type=_moment, metavar="TIME", help="made before that")
    add("--status", choices=("PASS", "WARN", "REFUSE"), help="their status")
    add("--model", metavar="NAME", help="the model that the request named")
    add("--collection", metavar="NAME", help="what was searched")
    add("--policy", metavar="NAME", help="the policy they were checked by")
    add("--flag", metavar="FLAG", help="a flag they have, as unsupported_claim")
    add(
        "--hole",
        choices=("refused", "unsupported", "low_confidence"),
        help="why documents may lack what was asked for",
    )
    add(
        "--limit",
        type=_count,
        metavar="N",
        help=f"at most so many (default: list {_LISTED}, export all)",
    )
    export = parser.add_argument_group("export").add_argument
    export("--format", choices=FORMATS, help=f"default: {FORMATS[0]}")
    export("--out", type=Path, metavar="FILE", help="default: standard output")


def run(args: argparse.Namespace) -> int:
    """Run the chosen subcommand; raises `ConfigError` and `UpstreamError`."""
    url = args.results or os.environ.get(URL_VARIABLE)
    if not url:
        raise ConfigError(f"--results is missing: name the database, or set {URL_VARIABLE}")
    if (args.what == "show") is not (args.id is not None):
        raise ConfigError("results show takes an ID, list and export take none")
    if args.what != "export" and (args.format or args.out):
        raise ConfigError("--format and --out are for results export")
    if args.format == "parquet" and args.out is None:
        raise ConfigError("--format parquet needs --out FILE")
    database = library("streamguard.sinks.sql.database", "sql")
    held = database.database_file(database.database_url(url))
    if _is_same(args.out, held):
        raise ConfigError(f"--out is {str(args.out)!r}, the database itself")
    work = {"list": _list, "show": _show, "export": _export}[args.what]
    asyncio.run(_with_database(database, url, work, args))
    return 0


async def _with_database(
    database: Any,
    url: str,
    work: Callable[[AsyncEngine, argparse.Namespace], Awaitable[None]],
    args: argparse.Namespace,
) -> None:
    async with database.opened(url) as engine:
        await work(engine, args)


async def _list(engine: AsyncEngine, args: argparse.Namespace) -> None:
    from streamguard.sinks.sql.queries import newest

    rows = await newest(engine, _wanted(args), args.limit or _LISTED)
    if not rows:
        sys.stderr.write("no results\n")
    for row in rows:
        made = datetime.fromtimestamp(row["created_ms"] / 1_000, UTC)
        status = row["status"] or row["state"].replace("complete", "-")
        columns = (
            f"{made:%Y-%m-%d %H:%M:%S}",
            row["id"],
            f"{status:7}",
            row["model"] or "-",
            row["collection"] or "-",
            row["flags"].strip(",") or "-",
            row["keywords"],
        )
        sys.stdout.write(_printable("  ".join(columns)).rstrip() + "\n")


async def _show(engine: AsyncEngine, args: argparse.Namespace) -> None:
    from streamguard.sinks.sql.queries import all_about

    kept = await all_about(engine, args.id)
    if kept is None:
        raise UpstreamError(f"no result has the id {args.id!r}, or it is there no longer")
    kept["annotation"] = json.loads(kept["annotation"])
    sys.stdout.write(json.dumps(kept, indent=2) + "\n")


async def _export(engine: AsyncEngine, args: argparse.Namespace) -> None:
    from streamguard.commands.exporting import export
    from streamguard.sinks.sql.queries import counted, each

    wanted = _wanted(args)
    pages = each(engine, wanted, args.limit)
    watched = sys.stderr.isatty() and not (args.out is None and sys.stdout.isatty())
    with _written(args.out) as out, progress("exporting") if watched else nullcontext() as step:
        if step is not None:
            total = await counted(engine, wanted)
            pages = _counting(pages, step, min(total, args.limit or total))
        await export(engine, pages, args.format or FORMATS[0], out)


async def _counting(
    pages: AsyncIterator[list[Row]], step: Step, total: int
) -> AsyncIterator[list[Row]]:
    done = 0
    async for page in pages:
        done += len(page)
        yield page
        step("", done, max(done, total))  # results that came meanwhile are exported too


def _is_same(file: Path | None, other: Path | None) -> bool:
    """Return whether two paths name the same existing file."""
    if file is None or other is None:
        return False
    return file.exists() and other.exists() and file.samefile(other)


@contextmanager
def _written(file: Path | None) -> Iterator[IO[bytes]]:
    """Yield the output file or standard output; the file gets its name when complete."""
    file = None if file is None else file.resolve()  # the target of a link is written, not the link
    if file is None:
        yield sys.stdout.buffer
    elif file.exists() and not file.is_file():
        with file.open("wb") as out:  # a device or a pipe; a folder raises
            yield out
    else:
        part = file.with_name(f"{file.name}.part")
        try:
            with part.open("wb") as out:
                yield out
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)


def _wanted(args: argparse.Namespace) -> Wanted:
    from streamguard.sinks.sql.queries import Wanted
    from streamguard.sinks.sql.rows import clean

    named = ("status", "model", "collection", "policy", "hole", "flag")
    options = {name: getattr(args, name) for name in named}
    # Unchecked: no database accepts a name that is no text.
    options = {name: clean(value) for name, value in options.items() if value is not None}
    return Wanted(args.since, args.until, **options)


def _printable(text: str) -> str:
    """Return `text` without terminal control codes."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


def _moment(text: str) -> int:
    """Return a time in milliseconds since 1970."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as exc:
        message = f"is {text!r}, expected a day or a time as 2026-11-22T09:30"
        raise argparse.ArgumentTypeError(message) from exc
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1_000)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"is {text!r}, expected a whole number of at least 1")
    return min(int(text), _MOST)
