"""Records on disk on their way to the database: segment files, appended and read.

One process writes a segment and locks it meanwhile; one other reads it. A length and checksum
precede each record, so a killed writer costs at most its last one. Records in the database are
deleted with their segment; a record read twice has the same id.
"""

from __future__ import annotations

import fcntl
import json
import os
import struct
import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from streamguard.sinks.sql.records import About, FeedbackRecord, Record

SEGMENT_BYTES = 8_388_608  # of one file, apart from its last record; guess: 3 s under load
SEGMENT_S = 5.0  # during which a file is written: records are deleted with their file; guess
MAX_SPOOL_BYTES = 268_435_456  # of a folder; guess: some 100,000 results
MAX_RECORD_BYTES = 67_108_864  # of a record; a longer length is invalid
_SUFFIX = ".seg"
_HEAD = struct.Struct(">4sIII")  # mark, lengths of the facts and of the body, their CRC-32
_MARK = b"sgr1"
_LOOKED_AFTER_BYTES = 1_048_576  # written between two looks at how full the folder is

_EMPTY = (None, "", ())  # as a record is without it

Kept = Record | FeedbackRecord


def packed(kept: Kept) -> bytes:
    """Encode a record."""
    if isinstance(kept, Record):
        known = {
            "about": {name: value for name, value in _fields(kept.about) if value not in _EMPTY}
        }
        body = kept.body
    else:
        known, body = {"feedback": asdict(kept)}, b""
    header = json.dumps(known, separators=(",", ":")).encode()
    return (
        _HEAD.pack(_MARK, len(header), len(body), zlib.crc32(body, zlib.crc32(header)))
        + header
        + body
    )


def _fields(about: About) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(about, name)) for name in About.__slots__)


def unpacked(header: bytes, body: bytes) -> Kept:
    """Decode a record; raises `ValueError` for invalid bytes."""
    known = json.loads(header)
    if "feedback" in known:
        return FeedbackRecord(**known["feedback"])
    return Record(About(**known["about"]), body)


class SpoolFullError(OSError):
    """The folder's size limit is reached; nothing was written."""


class Spool:
    """Appends records to segments in `folder`, which several processes may share.

    Beyond `max_bytes` for all their segments it raises `SpoolFullError`, an `OSError`.
    """

    def __init__(self, folder: Path, max_bytes: int = MAX_SPOOL_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._segment_bytes = min(SEGMENT_BYTES, max_bytes // 8)
        self._file: int | None = None
        self._written = 0  # to the open segment
        self._opened_at = 0.0
        self._free = 0  # bytes until the next look at how full the folder is

    def append(self, records: bytes) -> None:
        """Append complete records; raises `OSError` if none was written."""
        self.close_old()
        if self._free < len(records):
            left = self._max_bytes - held_bytes(self._folder)
            if left < len(records):
                raise SpoolFullError(f"the spool is full: {self._max_bytes} bytes")
            # Other processes write there too: each checks again before the excess can be large.
            self._free = min(left, _LOOKED_AFTER_BYTES + len(records))
        if self._file is None:
            self._open()
        assert self._file is not None  # noqa: S101 -- opened above
        try:
            written = os.write(self._file, records)
            if written != len(records):
                raise OSError(f"wrote {written} of {len(records)} bytes")
        except OSError:
            os.ftruncate(self._file, self._written)
            raise
        self._written += len(records)
        self._free -= len(records)
        if self._written >= self._segment_bytes:
            self.close()

    @property
    def is_open(self) -> bool:
        """Whether a segment is still being written."""
        return self._file is not None

    def close_old(self) -> None:
        """Close a segment that began `SEGMENT_S` seconds ago."""
        if time.monotonic() - self._opened_at >= SEGMENT_S:
            self.close()

    def close(self) -> None:
        """Mark the segment as complete; the next record begins a new one."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL
        while self._file is None:
            path = self._folder / f"{time.time_ns():020d}-{os.getpid()}{_SUFFIX}"
            file = os.open(path, flags, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                is_there = os.fstat(file).st_nlink > 0
            except OSError:  # a file system without locks
                os.close(file)
                raise
            if is_there:
                self._file, self._written, self._opened_at = file, 0, time.monotonic()
            else:  # a reader deleted it, empty, before it was locked
                os.close(file)


def held_bytes(folder: Path) -> int:
    """Return the total size of a folder's segments."""
    return sum(size for _, size in _segments(folder))


def _segments(folder: Path) -> Iterator[tuple[str, int]]:
    with os.scandir(folder) as found:
        for each in found:
            if each.name.endswith(_SUFFIX):
                try:
                    yield each.name, each.stat().st_size
                except FileNotFoundError:  # read to its end and deleted meanwhile
                    continue


class SpoolReader:
    """Reads the segments of a folder in batches, oldest first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, int] = {}  # how far each segment was read
        self._ahead: dict[str, int] = {}  # how far, with the portion that is not done yet
        self.unreadable = 0  # places with bytes that are no record

    def portion(self, records: int, most_bytes: int) -> list[Kept]:
        """Return the next records in order, none if all are done.

        Until `done` is called it returns the same ones, or more.
        """
        found: list[Kept] = []
        left = most_bytes
        self._ahead = {}
        for name, size in sorted(_segments(self._folder)):
            at = self._read.get(name, 0)
            if at < size and left > 0 and len(found) < records:
                left -= self._take(name, at, records - len(found), left, found)
        return found

    def done(self) -> None:
        """Move past the last batch, and delete completed segments."""
        self._read |= self._ahead
        self._ahead = {}
        for name, _ in sorted(_segments(self._folder)):
            with (self._folder / name).open("rb") as file:
                if self._is_complete(file.fileno(), self._read.get(name, 0)):
                    # Under the lock: a writer that waits for it then sees that the file is gone.
                    (self._folder / name).unlink()
                    self._read.pop(name, None)

    def _is_complete(self, file: int, read: int) -> bool:
        """Lock a segment; return whether it was read to its end and its writer is gone."""
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        size = os.fstat(file).st_size  # under the lock: it grows no more
        if size > read and not self._holds_record(file, read, size):
            self.unreadable += 1  # its writer was killed while writing it
            return True
        return size == read

    def _holds_record(self, file: int, at: int, size: int) -> bool:
        length = _length(os.pread(file, _HEAD.size, at), 0)
        return 0 < length <= size - at

    def _take(self, name: str, at: int, records: int, most_bytes: int, found: list[Kept]) -> int:
        """Add records of one segment to `found`; return their bytes."""
        with (self._folder / name).open("rb", buffering=0) as file:
            data = os.pread(file.fileno(), max(most_bytes, _HEAD.size), at)
            if (first := _length(data, 0)) > len(data):
                data = os.pread(file.fileno(), first, at)
        end = 0
        while records > 0 and (length := _length(data, end)):
            if length < 0:
                self.unreadable += 1
                end = len(data)  # the start of the next one is unknown
            if length < 0 or end + length > len(data):
                break
            self._add(data[end + _HEAD.size : end + length], _HEAD.unpack_from(data, end), found)
            end += length
            records -= 1
        self._ahead[name] = at + end
        return end

    def _add(self, data: bytes, head: tuple[bytes, int, int, int], found: list[Kept]) -> None:
        _, length, _, checksum = head
        if zlib.crc32(data) == checksum:
            try:
                found.append(unpacked(data[:length], data[length:]))
                return
            except (ValueError, TypeError, KeyError):
                pass  # of a later version, say
        self.unreadable += 1


def _length(data: bytes, at: int) -> int:
    """Return the length of the record at `at`: 0 if it is incomplete, -1 if invalid."""
    if len(data) - at < _HEAD.size:
        return 0
    mark, header, body, _ = _HEAD.unpack_from(data, at)
    length = _HEAD.size + header + body
    return length if mark == _MARK and length <= MAX_RECORD_BYTES else -1
