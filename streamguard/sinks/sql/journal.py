"""Spools a server's results to disk; a separate process writes them to the database.

Nothing here waits for disk or database: a record is encoded and queued, a thread appends it to the
spool, and another process (`writer`) reads it from there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from streamguard.errors import ConfigError
from streamguard.sinks.sql.spool import (
    MAX_SPOOL_BYTES,
    SEGMENT_S,
    Kept,
    Spool,
    SpoolFullError,
    held_bytes,
    packed,
)
from streamguard.sinks.sql.writer_settings import WriterSettings

MAX_QUEUED_BYTES = 33_554_432  # not on disk yet; guess: a disk that hangs for seconds
GATHER_S = 0.005  # between two writes to the spool; a record of its own costs 15 us otherwise
CLOSE_S = 5.0  # that the end of a server waits for its writer
_RESTART_S = 1.0  # between two starts of a writer that ends by itself
_QUIET_S = 10.0  # between two log lines of one kind
_LOUD = frozenset({"waiting", "unreadable", "rejected", "dropped", "ended"})

# The writer's own folder stands on no path of imports: a module there may be named like another.
_WRITER = """
import sys
sys.path.append(sys.argv[1])
from streamguard.sinks.sql.writer import main
sys.exit(main())
"""
_ROOT = Path(__file__).parents[3]

log = logging.getLogger("streamguard.results")

_beginning = threading.Lock()  # held while one thread of a forked process begins anew


def _forked() -> None:
    global _beginning  # another thread may have held it when this one was forked
    _beginning = threading.Lock()


os.register_at_fork(after_in_child=_forked)


def named(url: str) -> str:
    """Return a URL's identity: all of it but the password, which may change."""
    place, _, query = url.partition("?")
    scheme, _, place = place.partition("://")
    if scheme.startswith("sqlite"):
        place = f"/{Path(place.removeprefix('/')).absolute()}"  # not as it is from this folder
    user, _, place = place.rpartition("@")
    options = [each for each in query.split("&") if not each.lower().startswith("password=")]
    return f"{scheme}://{user.partition(':')[0]}@{place}?{'&'.join(options)}"


class Journal:
    """Sends records to the database of `url` through a spool in `folder`.

    `max_bytes` bounds the spool, and the memory queue is bounded too: further records are dropped,
    counted in `counts` and logged. Thread-safe; close it at the end. Raises `ConfigError` if the
    folder cannot be created.
    """

    def __init__(
        self,
        url: str,
        folder: Path,
        *,
        keep_days: float | None = None,
        keep_results: int | None = None,
        max_bytes: int = MAX_SPOOL_BYTES,
    ) -> None:
        # Of its own for each database, so that nothing goes to another one.
        inner = folder / hashlib.sha256(named(url).encode()).hexdigest()[:16]
        try:
            inner.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as exc:
            raise ConfigError(
                f"results-spool {str(folder)!r} cannot be made: {exc.strerror}"
            ) from exc
        self._folder = inner
        self._writer_settings = WriterSettings(url, str(inner), keep_days, keep_results)
        self._max_bytes = max_bytes
        self._clear()
        self._logged_at: dict[str, float] = {}
        self._unlogged: dict[str, int] = {}  # records since a line of their kind was logged
        self._closing = False  # nothing more is taken
        self._begin()

    def _clear(self) -> None:
        self._spool = Spool(self._folder, self._max_bytes)
        self.counts = {"given": 0, "spooled": 0, "dropped": 0, "written": 0, "rejected": 0}
        self._queue: list[bytes] = []
        self._queued_bytes = 0

    def _begin(self) -> None:
        """Start threads and writer, again in a forked process, which has none."""
        self._lacking = 0  # bytes of the last records for which the spool had no room
        self._lock = threading.Lock()  # of the queue: held for moments only, a stream may wait
        self._speaking = threading.Lock()  # of the writer, also while it starts
        self._has_records = threading.Event()
        self._brought = False  # all that was taken is on disk
        self._writer: subprocess.Popen[bytes] | None = None
        self._threads = [
            threading.Thread(target=work, name=f"streamguard-{name}", daemon=True)
            for name, work in (("spool", self._append), ("writer", self._supervise))
        ]
        for thread in self._threads:
            thread.start()
        self._process = os.getpid()  # at last: other threads go on once they see it

    def give(self, kept: Kept) -> None:
        """Queue a record for writing; never waits, and costs only the encoding."""
        record = packed(kept)
        self._check_process()
        with self._lock:
            self.counts["given"] += 1
            fits = self._queued_bytes + len(record) <= MAX_QUEUED_BYTES and not self._closing
            if fits:
                self._queue.append(record)
                self._queued_bytes += len(record)
            else:
                self.counts["dropped"] += 1
        if not fits:
            self._log("dropped", {"records": 1, "error": "the queue is full or closed"})
        self._has_records.set()

    @property
    def is_full(self) -> bool:
        """Whether the spool is full, so that records are dropped."""
        return self.waiting_bytes + max(1, self._lacking) > self._max_bytes

    @property
    def waiting_bytes(self) -> int:
        """The bytes in the spool, from all servers that share it."""
        return held_bytes(self._folder)

    def close(self) -> None:
        """Write all records to disk and stop the writer; waits at most `CLOSE_S` seconds."""
        self._check_process()
        with self._lock:
            self._closing = True
        self._has_records.set()
        for thread in self._threads:
            thread.join(CLOSE_S)
        if self._writer is not None:
            self._writer.kill()  # its unfinished work is undone, and done by the next one

    def _check_process(self) -> None:
        """Start over in a forked process: the parent writes the queue."""
        if self._process == os.getpid():
            return
        with _beginning:
            if self._process == os.getpid():  # another thread was first
                return
            self._spool.close()  # it stays locked: the other one has it open
            if self._writer is not None:
                self._speak_to(self._writer).close()
            self._clear()
            self._begin()

    def _append(self) -> None:
        while not self._closing:
            if not self._has_records.wait(SEGMENT_S if self._spool.is_open else None):
                self._spool.close_old()
                continue
            time.sleep(GATHER_S)
            self._has_records.clear()
            self._append_queued()
        self._append_queued()
        self._spool.close()
        self._end_writer()

    def _append_queued(self) -> None:
        with self._lock:
            queue, self._queue, self._queued_bytes = self._queue, [], 0
        if not queue:
            return
        records = b"".join(queue)
        try:
            self._spool.append(records)
        except OSError as exc:
            self._lacking = len(records) if isinstance(exc, SpoolFullError) else 0
            with self._lock:
                self.counts["dropped"] += len(queue)
            self._log("dropped", {"records": len(queue), "error": str(exc)})
        else:
            self._lacking = 0
            self.counts["spooled"] += len(queue)
            self._wake_writer()

    def _supervise(self) -> None:
        while (writer := self._started()) is not None:
            assert writer.stdout is not None  # noqa: S101 -- a pipe
            for line in writer.stdout:
                self._on_event(json.loads(line))
            with self._speaking:
                self._speak_to(writer).close()
            writer.stdout.close()
            writer.wait()
            if not self._closing:
                self._log("ended", {"status": writer.returncode})
                time.sleep(_RESTART_S)

    def _started(self) -> subprocess.Popen[bytes] | None:
        """Start a writer, with retries: the system may lack resources for a while."""
        while True:
            try:
                return self._start()
            except OSError as exc:
                self._log("ended", {"error": str(exc)})
                if self._closing:
                    return None
                time.sleep(_RESTART_S)

    def _start(self) -> subprocess.Popen[bytes] | None:
        """Start a writer and send it its settings; return None if none is needed any more."""
        with self._speaking:
            if self._closing and self._writer is not None:
                return None
            self._writer = subprocess.Popen(  # noqa: S603 -- arguments of our own
                [sys.executable, "-P", "-c", _WRITER, str(_ROOT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # this process's end reaches it as the end of its input
            )
            os.set_blocking(self._speak_to(self._writer).fileno(), False)
            self._send_to_writer(self._writer_settings.to_json().encode() + b"\n")
            if self._brought:
                self._speak_to(self._writer).close()
            return self._writer

    def _wake_writer(self) -> None:
        with self._speaking:
            self._send_to_writer(b"\n")

    def _send_to_writer(self, data: bytes) -> None:
        if self._writer is None or self._speak_to(self._writer).closed:
            return
        # It may have ended; and one that was told so often that the pipe is full will look.
        with contextlib.suppress(BrokenPipeError, BlockingIOError):
            os.write(self._speak_to(self._writer).fileno(), data)

    def _end_writer(self) -> None:
        with self._speaking:
            self._brought = True
            if self._writer is not None:
                self._speak_to(self._writer).close()

    def _speak_to(self, writer: subprocess.Popen[bytes]) -> IO[bytes]:
        assert writer.stdin is not None  # noqa: S101 -- a pipe
        return writer.stdin

    def _on_event(self, event_fields: Mapping[str, Any]) -> None:
        event, fields = (
            event_fields["event"],
            {name: event_fields[name] for name in event_fields if name != "event"},
        )
        if event == "written":
            self.counts["written"] += fields["new"]
        elif event == "rejected":
            self.counts["rejected"] += 1
        self._log(event, fields)

    def _log(self, event: str, fields: Mapping[str, Any]) -> None:
        """Log an event, at most one line per kind in `_QUIET_S` seconds.

        `records` counts those since the kind's last line.
        """
        level = logging.WARNING if event in _LOUD else logging.DEBUG
        now = time.monotonic()
        shown = dict(fields)
        if "records" in shown:
            shown["records"] += self._unlogged.pop(event, 0)
        if now - self._logged_at.get(event, -_QUIET_S) >= _QUIET_S:
            self._logged_at[event] = now
            log.log(level, f"results_{event}", extra={"fields": shown})
        elif "records" in shown:
            self._unlogged[event] = shown["records"]
