"""Exports rows of results as JSON lines, CSV or Parquet, page by page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from typing import IO, TYPE_CHECKING, Any

from streamguard.rag.extras import library

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

Row = dict[str, Any]
Write = Callable[[Sequence[Row]], None]

# Signs that begin a formula in spreadsheets, or are skipped before one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
_WITHIN = ("seq",)  # of the database alone


async def export(
    engine: AsyncEngine, pages: AsyncIterator[list[Row]], kind: str, out: IO[bytes]
) -> None:
    """Write pages of rows to `out` in the format `kind`; JSON lines include annotations.

    Raises `ConfigError` if a package is missing.
    """
    from streamguard.sinks.sql.tables import results

    columns = [column for column in results.columns if column.name not in _WITHIN]
    names = [column.name for column in columns]
    if kind == "parquet":
        await _parquet(pages, columns, out)
        return
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    try:
        if kind == "csv":
            await _csv(pages, names, text)
        else:
            await _jsonl(engine, pages, names, text)
    finally:
        text.detach()  # the caller closes `out`


async def _jsonl(
    engine: AsyncEngine, pages: AsyncIterator[list[Row]], names: list[str], out: IO[str]
) -> None:
    from streamguard.sinks.sql.queries import annotations_of

    async for page in pages:
        rows = {row["seq"]: row for row in page}
        async with aclosing(annotations_of(engine, list(rows))) as found:
            async for seq, annotation in found:  # without results deleted meanwhile
                fields = {name: rows[seq][name] for name in names}
                # Unparsed, on one line: parsed, a long one takes many times its bytes.
                line = json.dumps(fields, separators=(",", ":"))[:-1]
                out.write(f'{line},"annotation":{annotation.decode()}}}\n')


async def _csv(pages: AsyncIterator[list[Row]], names: list[str], out: IO[str]) -> None:
    writer = csv.writer(out)
    writer.writerow(names)
    async for page in pages:
        writer.writerows([[_cell(row[name]) for name in names] for row in page])


async def _parquet(pages: AsyncIterator[list[Row]], columns: Sequence[Any], out: IO[bytes]) -> None:
    pyarrow, parquet = library("pyarrow", "parquet"), library("pyarrow.parquet", "parquet")
    types = {int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    types[str] = pyarrow.string()
    schema = pyarrow.schema([(column.name, types[column.type.python_type]) for column in columns])
    with parquet.ParquetWriter(out, schema) as writer:
        async for page in pages:
            rows = [{name: row[name] for name in schema.names} for row in page]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))


def _cell(value: object) -> object:
    """Return a cell that no spreadsheet interprets as a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
