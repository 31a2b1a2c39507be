"""Records checked answers: their pieces as they came, and their context."""

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
from streamguard.core.machine.answer_text import MAX_TEXT_CHARS
from streamguard.core.model.chunks import as_chunks
from streamguard.core.model.result import Annotation
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.packs.masking import masked
from streamguard.errors import ConfigError
from streamguard.server.observe.logs import error_of
from streamguard.server.relay.checking import Checking
from streamguard.sinks.appending import append_atomically

log = logging.getLogger("streamguard.proxy")

MAX_WAITING = 1_000  # answers whose writing a slow disk may delay, before some are dropped; guess
MAX_PIECES = 50_000  # of one choice: its text beyond them is in one piece more; guess
_PIECES_A_TURN = 500  # written in one go: other threads have their turns

Piece = tuple[int, str]  # milliseconds since the request was read, and the text


class RecordedChecking(Checking):
    """The examiner of an answer whose pieces are kept, by choice.

    Beyond `MAX_TEXT_CHARS` in total, the examined amount, no more are kept: `truncated`.
    """

    def __init__(self, id: str, context: Context, *args: Any, **more: Any) -> None:
        super().__init__(id, context, *args, **more)
        self.context = context
        self.pieces: dict[int, list[Piece]] = {}
        self.rest: dict[
            int, list[str]
        ] = {}  # the part of a choice's text that came in too many pieces
        self.truncated = False
        self._chars = 0
        self._began = time.monotonic()

    def take(self, choice: int, texts: Sequence[str]) -> None:
        """Queue texts of one choice, and record their time."""
        if not (self.off or self._closing):
            self._keep(choice, texts)
        super().take(choice, texts)

    def _keep(self, choice: int, texts: Sequence[str]) -> None:
        at = round(1e3 * (time.monotonic() - self._began))
        kept = self.pieces.setdefault(choice, [])
        for text in filter(None, texts):
            if self.truncated or self._chars + len(text) > MAX_TEXT_CHARS:
                self.truncated = True
                return
            self._chars += len(text)
            if len(kept) < MAX_PIECES:
                kept.append((at, text))
            else:
                self.rest.setdefault(choice, []).append(text)


class Recordings:
    """JSON lines in a folder, one file per day and process, readable only by their owner.

    A thread writes them; nothing waits for it. Raises `ConfigError` if the folder cannot be
    created.
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
        """Record a finished answer; `path` and model are its only request data here."""
        if self._waiting >= MAX_WAITING:
            log.warning("not_recorded", extra={"fields": {"waiting": self._waiting}})
            return
        self._waiting += 1
        fields = {"path": path, "model": checking.model}
        self._thread.submit(self._write, checking, annotation, fields)

    def close(self) -> None:
        """Write the queue and stop."""
        self._thread.shutdown()

    def _write(
        self, checking: RecordedChecking, annotation: Annotation, fields: Mapping[str, str]
    ) -> None:
        try:
            rows = records_of(checking, annotation, fields)
            data = "".join(map(_line, rows))
            day = time.strftime("%Y-%m-%d", time.gmtime())
            path = self._folder / f"{day}-{os.getpid()}.jsonl"
            append_atomically(path, data.encode("ascii"))
        except Exception as exc:  # fail open: no answer is lost for a record of it
            log.error("not_recorded", extra={"fields": {"error": error_of(exc)}})
        finally:
            self._waiting -= 1


def records_of(
    checking: RecordedChecking, annotation: Annotation, fields: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield each choice in the form of `streamguard replay`, `audit` and `demo --data`.

    Text that the policy's packs call sensitive is replaced by a placeholder.
    """
    context = checking.context
    results = {
        result.choice: result
        for result in (annotation.choices or (annotation.result,))
        if result is not None
    }
    chunks = None
    if context.chunks is not None:
        chunks = [_chunk(chunk) for chunk in as_chunks(context.chunks)]
    for choice, pieces in checking.pieces.items():
        result = results.get(choice)
        last = [(pieces[-1][0], "".join(rest))] if (rest := checking.rest.get(choice)) else []
        pieces = [*pieces, *last]
        shown = masked([text for _, text in pieces], result, checking.policy)
        pieces = [(at, text) for (at, _), text in zip(pieces, shown, strict=True)]
        truncated = {"truncated": True} if checking.truncated else {}
        yield {
            "id": annotation.id,
            "choice": choice,
            **fields,
            "question": context.query,
            "chunks": chunks,
            "citations": context.citations,
            "citations_requested": context.citations_requested,
            "answer": "".join(text for _, text in pieces),
            "pieces": pieces,
            **truncated,
            "status": None if result is None else result.status,
            "ended": None if result is None else result.ended,
        }


def _line(row: Mapping[str, Any]) -> str:
    pieces = row["pieces"]
    turns = (pieces[at : at + _PIECES_A_TURN] for at in range(0, len(pieces), _PIECES_A_TURN))
    before, empty, behind = _json({**row, "pieces": []}).partition('"pieces":[')
    return f"{before}{empty}{','.join(_json(each)[1:-1] for each in turns)}{behind}\n"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _chunk(chunk: RetrievedChunk) -> dict[str, Any]:
    fields = {"text": chunk.text, "id": chunk.id, "source": chunk.source}
    return {name: value for name, value in fields.items() if value is not None}
