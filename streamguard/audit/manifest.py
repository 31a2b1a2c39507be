"""An audit's progress: an append-only file of JSON lines.

The first line has the files and settings of the audit, each further one a finished part. A part
counts once its line is complete; an incomplete last line is removed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from streamguard.audit.log_files import MANIFEST, FilePart
from streamguard.audit.part_check import Record, empty_counts, write_atomically
from streamguard.audit.verdicts import Counts, add
from streamguard.errors import ConfigError, DecodeError


class Manifest:
    """The manifest of a folder, opened to resume its audit.

    Raises `ConfigError` if the folder holds an audit of other files or `settings`, or other
    content; `DecodeError` if its manifest is invalid.
    """

    def __init__(self, folder: str | Path, settings: Mapping[str, Any]) -> None:
        self._path = Path(folder, MANIFEST)
        self._digests: dict[tuple[int, int], str] = {}
        self._shares = [0.0] * len(settings["sources"])
        self._sizes = [source["size"] for source in settings["sources"]]
        self.counts: Counts = empty_counts()
        if not self._path.exists():
            self._begin(settings)
            return
        head, *records = self._lines()
        _check_same(folder, head, settings)
        for record in records:
            self._take(record)

    def done(self, part: FilePart) -> bool:
        """Return whether a part is finished.

        Raises `ConfigError` if it was finished with other rows: the file has changed.
        """
        known = self._digests.get((part.source.number, part.number))
        if known is not None and known != part.digest:
            last = part.first + len(part.lines) - 1
            raise ConfigError(
                f"{part.source.name} was changed since this audit began: lines {part.first} to"
                f" {last} are others; audit it anew, with another --out"
            )
        return known is not None

    def keep(self, record: Record) -> None:
        """Record a finished part; it is on disk when this returns."""
        line = json.dumps(record, separators=(",", ":")) + "\n"
        with self._path.open("ab") as out:
            out.write(line.encode("ascii"))
            out.flush()
            os.fsync(out.fileno())
        self._take(record)

    @property
    def share(self) -> float:
        """The share of all bytes in finished parts, in [0, 1]."""
        total = sum(self._sizes)
        done = sum(share * size for share, size in zip(self._shares, self._sizes, strict=True))
        return done / total if total else 1.0

    def _begin(self, settings: Mapping[str, Any]) -> None:
        folder = self._path.parent
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"--out is {str(folder)!r}, a file: expected a folder")
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = f".{self._path.name}."  # left by a process that ended while it began
        if any(not each.name.startswith(unfinished) for each in folder.iterdir()):
            raise ConfigError(f"{folder} is not empty and holds no audit: take another --out")
        write_atomically(self._path, json.dumps(settings).encode("ascii") + b"\n")

    def _lines(self) -> Iterator[Any]:
        data = self._path.read_bytes()
        complete = data[: data.rfind(b"\n") + 1]
        if complete != data:
            os.truncate(self._path, len(complete))
        return _read(self._path, complete)

    def _take(self, record: Record) -> None:
        key = record["source"], record["part"]
        if key in self._digests:  # two processes audited into one folder at once
            return
        self._digests[key] = record["digest"]
        self._shares[key[0]] = max(self._shares[key[0]], record["share"])
        add(self.counts, record["counts"])


def read_manifest(folder: str | Path) -> tuple[dict[str, Any], list[Record]]:
    """Return an audit's settings and its finished parts, in file order.

    Raises `OSError` or `DecodeError` if the folder holds no audit.
    """
    path = Path(folder, MANIFEST)
    data = path.read_bytes()
    head, *records = _read(path, data[: data.rfind(b"\n") + 1])
    by_place = {(record["source"], record["part"]): record for record in records}
    return head, [by_place[place] for place in sorted(by_place)]


def is_audit(folder: str | Path) -> bool:
    """Return whether the folder holds an audit."""
    return Path(folder, MANIFEST).is_file()


def _read(path: Path, data: bytes) -> Iterator[Any]:
    lines = data.splitlines()
    if not lines:
        raise DecodeError(f"{path} is empty, expected the manifest of an audit")
    for number, line in enumerate(lines, 1):
        try:
            yield json.loads(line)
        except ValueError as exc:
            raise DecodeError(f"{path}, line {number} is not JSON: {exc}") from exc


def _check_same(folder: str | Path, known: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    for name, value in json.loads(json.dumps(settings)).items():
        if known.get(name) != value:
            seen, wanted = (json.dumps(each)[:200] for each in (known.get(name), value))
            raise ConfigError(
                f"{folder} holds an audit with {name} {seen}, asked for is {wanted}:"
                " take another --out"
            )
