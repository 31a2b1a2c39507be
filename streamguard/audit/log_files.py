"""The files of an audit, cut into parts of rows.

A part is the unit of work for a process, of output, and of resumption. The cuts depend only on a
file's bytes.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO

from streamguard.audit.parquet import NoParquetError, rows_of
from streamguard.errors import ConfigError

PART_ROWS = 500  # some three seconds of one core; guess
MAX_PART_BYTES = 16_777_216  # a part ends where it is longer, so that memory stays bounded; guess
MANIFEST = "manifest.jsonl"  # of an audit, in its folder
MAX_ROW_BYTES = 67_108_864  # of a row; a longer one is reported as unreadable
_SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".parquet")


@dataclass(frozen=True, slots=True)
class LogFile:
    """One file of an audit: its index from 0, its name as given, its size in bytes."""

    number: int
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class FilePart:
    """Rows of one file that are checked together, as the bytes of JSON lines.

    `number` counts a file's parts from 0; `first` is the number of the first line, from 1, blank
    lines counted. `share` of the file lies before the part's end; `broken` says why the file cannot
    be read further.
    """

    source: LogFile
    number: int
    first: int
    lines: tuple[bytes, ...]
    share: float
    broken: str | None = None

    @property
    def digest(self) -> str:
        """The digest of its lines, which shows whether the file has changed."""
        found = blake2b(digest_size=16)
        for line in self.lines:
            found.update(line)
        return found.hexdigest()


def sources_of(names: Iterable[str]) -> tuple[LogFile, ...]:
    """Return the named files; for a folder, its files with the suffixes of logs.

    Raises `OSError` for a missing file, `ConfigError` for a folder without logs and for a pipe.
    """
    found: list[Path] = []
    for name in names:
        path = Path(name)
        inside = sorted(filter(_is_log, path.rglob("*"))) if path.is_dir() else []
        if path.is_dir() and not inside:
            allowed = ", ".join(_SUFFIXES)
            raise ConfigError(f"{name} is a folder without files that end in one of {allowed}")
        found += inside if path.is_dir() else [path]
    for path in found:
        if path.exists() and not path.is_file():
            raise ConfigError(
                f"{path} is a pipe or a device, expected a file that an audit can go on with"
            )
    return tuple(LogFile(at, str(path), path.stat().st_size) for at, path in enumerate(found))


def _is_log(path: Path) -> bool:
    """Return whether a file in a folder is a log, and no output of an audit there."""
    own = any((folder / MANIFEST).is_file() for folder in list(path.parents)[:2])
    return path.name.endswith(_SUFFIXES) and path.is_file() and not own


def parts_of(source: LogFile, part_rows: int = PART_ROWS) -> Iterator[FilePart]:
    """Yield a file's parts, each of `part_rows` lines, fewer if these are long.

    A truncated compressed file, or invalid Parquet, ends with a `broken` part. Raises `OSError` if
    it cannot be opened.
    """
    number, first, share = 0, 1, 0.0
    lines: list[bytes] = []
    size = 0
    broken = None
    try:
        for line, share in _rows(source):
            lines.append(line)
            size += len(line)
            if len(lines) == part_rows or size > MAX_PART_BYTES:
                yield FilePart(source, number, first, tuple(lines), share)
                number, first, size = number + 1, first + len(lines), 0
                lines = []
    except (EOFError, gzip.BadGzipFile, zlib.error) as exc:
        broken = f"the file is no whole gzip file: {exc}"
    except NoParquetError as exc:
        broken = f"the file is no Parquet file: {exc}"
    if lines or broken:
        yield FilePart(source, number, first, tuple(lines), 1.0, broken)


def _rows(source: LogFile) -> Iterator[tuple[bytes, float]]:
    """Yield each line, and the share of the file before its end."""
    if source.name.endswith(".parquet"):
        yield from rows_of(source.name)
        return
    with Path(source.name).open("rb") as raw, _unpacked(raw, source.name) as opened:
        while line := opened.readline(MAX_ROW_BYTES + 1):
            yield line, raw.tell() / max(1, source.size)
            while len(line) > MAX_ROW_BYTES and not line.endswith(b"\n"):
                line = opened.readline(MAX_ROW_BYTES + 1)


@contextmanager
def _unpacked(raw: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    if not name.endswith(".gz"):
        yield raw
        return
    with gzip.GzipFile(fileobj=raw) as opened:
        yield opened  # type: ignore[misc]
