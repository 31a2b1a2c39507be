"""Logs as JSON lines, without answer texts, header values, query strings and exception texts."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from collections.abc import Mapping
from typing import IO

from streamguard.core.model.result import Annotation

FIELDS = "fields"  # the attribute of a record that holds its structured part
EVERY_S = 1.0  # between two lines that say the same
MAX_THROTTLED = 1_000  # kinds of lines that are counted at the same time; guess


class JSONLines(logging.Formatter):
    """Formats one JSON object per line: time (UTC), level, event, and the record's fields.

    The event is the message unless the fields name another one, as for messages with values.
    `always` are fields of every line. An exception shows as its type and origin: its text may quote
    a secret.
    """

    def __init__(self, always: Mapping[str, object] | None = None) -> None:
        super().__init__()
        self._always = always or {}

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of ASCII JSON."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            # Other libraries put values into their messages: only the pattern is ours to show.
            "event": str(record.msg),
            **self._always,
            **getattr(record, FIELDS, {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = error_of(record.exc_info[1])
        return json.dumps(line, default=str)


class OnceASecond(logging.StreamHandler[IO[str]]):
    """Writes equal warnings and errors at most once a second, with the number left out.

    Hostile peers can cause any number of lines. Two are equal if their event and their error's
    origin are.
    """

    def __init__(self, stream: IO[str]) -> None:
        super().__init__(stream)
        # By the key of equal lines: the time of the last one written, the number left out since
        # then, and the latest of those.
        self._since: dict[tuple[str, str, str], tuple[float, int, logging.LogRecord | None]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record unless an equal one was written within a second."""
        self._catch_up(record.created)
        if record.levelno < logging.WARNING:
            super().emit(record)
            return
        error = error_of(record.exc_info[1]) if record.exc_info and record.exc_info[1] else ""
        same = record.name, str(record.msg), error
        if same in self._since:
            written, count, _ = self._since[same]
            self._since[same] = written, count + 1, record
            return
        if len(self._since) < MAX_THROTTLED:
            self._since[same] = record.created, 0, None
        super().emit(record)

    def close(self) -> None:
        """Write a summary of the omitted lines."""
        self._catch_up(float("inf"))
        super().close()

    def _catch_up(self, now: float) -> None:
        for same, (written, count, last) in tuple(self._since.items()):
            if now - written < EVERY_S:
                continue
            del self._since[same]
            if last is not None:
                fields = getattr(last, FIELDS, {})
                setattr(last, FIELDS, {**fields, "repeated": count})
                super().emit(last)


def set_up(
    level: str = "INFO",
    stream: IO[str] | None = None,
    always: Mapping[str, object] | None = None,
) -> None:
    """Send the process's logs to `stream` (default: standard error), with `always` in each line."""
    handler = OnceASecond(stream or sys.stderr)
    handler.setFormatter(JSONLines(always))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    logging.getLogger("aiohttp.access").setLevel(logging.CRITICAL)  # it logs query strings
    logging.getLogger("alembic").setLevel(logging.WARNING)  # each start, that it began to look


def error_of(error: BaseException) -> str:
    """Return an exception's type and where it was raised, without its text."""
    frames = traceback.extract_tb(error.__traceback__)
    kind = type(error).__name__
    return f"{kind} at {frames[-1].filename}:{frames[-1].lineno}" if frames else kind


def annotation_fields(annotation: Annotation) -> dict[str, object]:
    """Return the log fields of an annotation: figures and names, no text."""
    result = annotation.result
    fields: dict[str, object] = {"id": annotation.id, "state": annotation.state}
    if result is not None:
        fields |= {
            "result_status": result.status,
            "ended": result.ended,
            "flags": list(result.flags),
            "findings": len(result.findings),
            "claims": result.total_claims,
            "sentences": result.work.sentences,
            "chars": result.text.code_points,
            "choices": max(1, len(annotation.choices)),
        }
        if result.scores.verdict is not None:
            fields["verdict"] = result.scores.verdict
    if annotation.stream is not None:
        fields |= {"pieces": annotation.stream.pieces, "check_us": annotation.stream.check_us}
    return fields
