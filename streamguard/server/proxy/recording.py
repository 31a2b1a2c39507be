"""Keeps checked answers for later: pieces as they came, and what they were checked against."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from streamguard.core.context import Context
from streamguard.core.model.chunks import as_chunks
from streamguard.core.model.result import Annotation
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.server.observe.logs import error_of
from streamguard.server.relay.checking import Checking
from streamguard.sinks.appending import OWNER_ONLY, append_whole

log = logging.getLogger("streamguard.proxy")

MAX_WAITING = 1_000  # answers whose writing a slow disk may delay, before some are dropped; guess
MAX_PIECES = 200_000  # of one answer that are kept: its text beyond them is in the last one; guess

Piece = tuple[int, str]  # milliseconds since the request was read, and the text


class RecordedChecking(Checking):
    """The examiner of an answer whose pieces are kept, by their choice."""

    def __init__(self, id: str, context: Context, *given: Any, **more: Any) -> None:
        super().__init__(id, context, *given, **more)
        self.context = context
        self.pieces: dict[int, list[Piece]] = {}
        self._began = time.monotonic()

    def take(self, choice: int, texts: Sequence[str]) -> None:
        """Note texts of one choice that went on, and when."""
        if not (self.off or self._closing):
            at = round(1e3 * (time.monotonic() - self._began))
            kept = self.pieces.setdefault(choice, [])
            kept += [(at, text) for text in texts if text]
            if len(kept) > MAX_PIECES:
                kept[MAX_PIECES - 1 :] = [(at, "".join(text for _, text in kept[MAX_PIECES - 1 :]))]
        super().take(choice, texts)


class Recordings:
    """Files of JSON lines in a folder, one a day and process, that only their owner may read.

    They are written in a thread, and never waited for. Raises `ConfigError` where the folder
    cannot be one.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as exc:
            raise ConfigError(f"--record is {str(folder)!r}, expected a folder: {exc}") from exc
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, "recordings")
        self._waiting = 0

    def add(self, checking: RecordedChecking, annotation: Annotation, path: str) -> None:
        """Record an answer that is over; of its request only `path` and model are known here."""
        if self._waiting >= MAX_WAITING:
            log.warning("not_recorded", extra={"fields": {"waiting": self._waiting}})
            return
        self._waiting += 1
        told = {"path": path, "model": checking.model}
        self._thread.submit(self._write, checking, annotation, told)

    def close(self) -> None:
        """Write what waits, and end."""
        self._thread.shutdown()

    def _write(
        self, checking: RecordedChecking, annotation: Annotation, told: Mapping[str, str]
    ) -> None:
        try:
            rows = records_of(checking, annotation, told)
            data = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
            day = time.strftime("%Y-%m-%d", time.gmtime())
            path = self._folder / f"{day}-{os.getpid()}.jsonl"
            append_whole(path, data.encode("ascii"), OWNER_ONLY)
        except Exception as exc:  # fail open: no answer is lost for a record of it
            log.error("not_recorded", extra={"fields": {"error": error_of(exc)}})
        finally:
            self._waiting -= 1


def records_of(
    checking: RecordedChecking, annotation: Annotation, told: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield each choice as `streamguard replay`, `audit` and `demo --data` read it."""
    context = checking.context
    results = {result.choice: result for result in (annotation.choices or (annotation.result,))
               if result is not None}  # fmt: skip
    chunks = None
    if context.chunks is not None:
        chunks = [_chunk(chunk) for chunk in as_chunks(context.chunks)]
    for choice, pieces in checking.pieces.items():
        result = results.get(choice)
        yield {
            "id": annotation.id,
            "choice": choice,
            **told,
            "question": context.query or "",
            "chunks": chunks,
            "citations": context.citations,
            "citations_requested": context.citations_requested,
            "answer": "".join(text for _, text in pieces),
            "pieces": pieces,
            "status": None if result is None else result.status,
            "ended": None if result is None else result.ended,
        }


def _chunk(chunk: RetrievedChunk) -> dict[str, Any]:
    told = {"text": chunk.text, "id": chunk.id, "source": chunk.source}
    return {name: value for name, value in told.items() if value is not None}
