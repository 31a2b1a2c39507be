"""Reads and writes Parquet with pyarrow, which is imported only here and on demand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from streamguard.errors import ConfigError, lacking
from streamguard.text.normalise import scalar_text

_BATCH_ROWS = 500  # that are in memory at once; guess
_NESTED = ("changed", "result")  # of a verdict, as JSON
_COLUMNS = {
    **dict.fromkeys(("file", "id", "model", "policy", "status", "verdict", "refusal"), "string"),
    **dict.fromkeys(("changed", "result"), "string"),
    **dict.fromkeys(("line", "choice", "claims", "supported"), "int64"),
    **dict.fromkeys(
        ("groundedness", "doubt", "relevance", "completeness", "hallucination", "drift"), "double"
    ),
}
_FINDING = {
    "check": "string",
    "flag": "string",
    "severity": "string",
    "start": "int64",
    "end": "int64",
}


class NoParquetError(Exception):
    """A file is no Parquet file in spite of its name."""


def rows_of(name: str) -> Iterator[tuple[bytes, float]]:
    """Yield each row of a file as JSON, and the share of its rows read so far.

    Raises `NoParquetError` for another file, `ConfigError` if pyarrow is missing.
    """
    pa, parquet = _pyarrow()
    try:
        with parquet.ParquetFile(name) as opened:
            rows, done = opened.metadata.num_rows, 0
            for batch in opened.iter_batches(batch_size=_BATCH_ROWS):
                for row in _as_text(pa, batch).to_pylist():
                    done += 1
                    yield json.dumps(row, default=_plain).encode() + b"\n", done / rows
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as exc:
        raise NoParquetError(exc) from exc


def _as_text(pa: Any, batch: Any) -> Any:
    """Return a batch with times as text, since Python cannot represent some of them.

    Its strings are bytes: invalid UTF-8 is decoded as well as possible.
    """
    columns = []
    for column in batch.columns:
        if pa.types.is_temporal(column.type):
            column = column.cast(pa.string())
        elif pa.types.is_string(column.type):
            column = column.cast(pa.binary())
        elif pa.types.is_large_string(column.type):
            column = column.cast(pa.large_binary())
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _scalar(value: object) -> object:
    return scalar_text(value) if isinstance(value, str) else value


def _plain(value: object) -> str:
    """Return a value that JSON lacks as text; bytes are decoded as UTF-8."""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def packed(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return verdicts as a Parquet file, nested values as JSON.

    Raises `ConfigError` if pyarrow is missing.
    """
    pa, parquet = _pyarrow()
    flat = [
        {**row, **{name: json.dumps(row[name]) for name in _NESTED if name in row}} for row in rows
    ]
    # Parquet's strings are UTF-8, which has no lone surrogate; JSON lines keep it.
    flat = [{name: _scalar(value) for name, value in row.items()} for row in flat]
    strings = pa.list_(pa.string())
    struct = pa.struct([(name, pa.type_for_alias(kind)) for name, kind in _FINDING.items()])
    kinds = {name: pa.type_for_alias(kind) for name, kind in _COLUMNS.items()}
    kinds |= {"reasons": strings, "flags": strings, "findings": pa.list_(struct)}
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_pylist(flat, schema=pa.schema(kinds.items())), sink)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def unpacked(path: Path) -> list[dict[str, Any]]:
    """Return the verdicts in a file that `packed` wrote."""
    _, parquet = _pyarrow()
    return [_as_it_was(row) for row in parquet.read_table(path).to_pylist()]


def _as_it_was(row: Mapping[str, Any]) -> dict[str, Any]:
    nested = {name: json.loads(row[name]) for name in _NESTED if row[name] is not None}
    return {name: value for name, value in row.items() if name not in _NESTED} | nested


def _pyarrow() -> tuple[Any, Any]:
    """Return pyarrow and its Parquet module; raise `ConfigError` that names the extra."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as exc:
        raise ConfigError(lacking("pyarrow", "parquet")) from exc
    return pa, parquet
