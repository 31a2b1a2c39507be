"""Feedback on a verdict: accepted by any server, bounded, and kept with the result."""

from __future__ import annotations

import json
import logging
import os
import time
from collections import OrderedDict
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Annotated, Literal, Protocol

from anyio import to_thread
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from streamguard.errors import ConfigError, StreamguardError, UpstreamError
from streamguard.server.results.responses import (
    HEADERS,
    UNREACHED,
    ResultsReply,
    closed_to,
    no_json,
    refusal,
)
from streamguard.server.results.result_store import ResultStore
from streamguard.server.results.shared import SharedResults
from streamguard.sinks.appending import append_atomically
from streamguard.sinks.sql.records import FeedbackRecord

log = logging.getLogger("streamguard.feedback")

MAX_COMMENT_CHARS = 2_000  # guess: far above what people type
MAX_BODY_BYTES = 32_768  # a comment whose every character is escaped as two surrogates
MAX_FILE_BYTES = 67_108_864  # guess: some 10,000 answers
MAX_PER_ANSWER = 100  # marks on one answer: a mark for each of its sentences, and then some; guess
MAX_COUNTED = 10_000  # answers whose marks are counted: as many as there are results
PER_S = 20.0  # marks of one process; guess, far above any real number
BURST = 100.0

Label = Literal["up", "down", "refusal_wrong", "was_supported"]


class FeedbackRequest(BaseModel):
    """`POST /streamguard/feedback`. `sentence` is an index into the result's sentences.

    `up`: the answer (or sentence) is right; `down`: it is wrong; `was_supported`: a flagged
    sentence is right; `refusal_wrong`: the answer should not have declined.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    label: Label
    sentence: Annotated[int | None, Field(ge=0, lt=2**31)] = None
    comment: Annotated[str | None, Field(max_length=MAX_COMMENT_CHARS)] = None


class FeedbackFullError(StreamguardError):
    """The limit on stored feedback is reached; nothing was written."""


class FeedbackKeeper(Protocol):
    """Keeps feedback."""

    async def keep(self, feedback: FeedbackRequest, annotation: bytes) -> None:
        """Keep feedback on an answer with this `annotation` (JSON).

        Raises `FeedbackFullError` at the limit, and `OSError`.
        """


class FeedbackFile:
    """JSON lines in one file of bounded size, created with the first line.

    A line holds the time, the feedback and its annotation. Threads, tasks and processes may share
    the file.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        max_bytes: int = MAX_FILE_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = Path(path)
        self._max_bytes = max_bytes
        self._clock = clock
        self._lock = Lock()

    async def keep(self, feedback: FeedbackRequest, annotation: bytes) -> None:
        """Append one line."""
        written = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock()))
        fields = json.dumps({"time": written, **feedback.model_dump()}, separators=(",", ":"))
        line = b'%s,"annotation":%s}\n' % (fields[:-1].encode(), annotation)
        await to_thread.run_sync(self._append, line)

    def _append(self, line: bytes) -> None:
        with self._lock:
            held = self._path.stat().st_size if self._path.exists() else 0
            if held + len(line) > self._max_bytes:
                raise FeedbackFullError(f"the feedback file is full: {self._max_bytes} bytes")
            append_atomically(self._path, line)


class SharedFeedback:
    """Keeps feedback in the database, and first by `also`, if there is one."""

    def __init__(self, shared: SharedResults, also: FeedbackKeeper | None = None) -> None:
        self._shared = shared
        self._also = also

    async def keep(self, feedback: FeedbackRequest, annotation: bytes) -> None:
        """Keep the feedback; raises `FeedbackFullError` at the limit, and the errors of `also`."""
        journal = self._shared.journal
        if journal is not None and journal.is_full:  # before it is in a file: it may come again
            raise FeedbackFullError("too much waits for the database: the feedback was not kept")
        if self._also is not None:
            await self._also.keep(feedback, annotation)
        if journal is not None:
            journal.give(
                FeedbackRecord(feedback.id, feedback.label, feedback.sentence, feedback.comment)
            )


class Feedback:
    """Accepts feedback on the answers in `answers` from clients with `token`, and keeps it.

    At most `MAX_PER_ANSWER` marks per answer, and `PER_S` per second on average. `count` is called
    with the label of each kept mark. `clock` returns monotonic seconds. Runs on asyncio and trio.
    """

    def __init__(
        self,
        answers: ResultStore,
        keeper: FeedbackKeeper,
        token: str | None = None,
        *,
        count: Callable[[str], None] = lambda _label: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._count = count
        self._answers = answers
        self._keeper = keeper
        self._token = token
        self._clock = clock
        self._room, self._looked = BURST, clock()
        self._marks: OrderedDict[str, int] = OrderedDict()

    async def take(
        self, body: bytes | None, media_type: str, authorization: str = ""
    ) -> ResultsReply:
        """Keep the feedback in `body` and reply 204, else an error; a body of None was too long."""
        if (closed := closed_to(self._token, authorization)) is not None:
            return closed
        if (refused := no_json(media_type)) is not None:
            return refused
        if body is None:
            return refusal(413, f"feedback is over {MAX_BODY_BYTES} bytes", "feedback_too_long")
        try:
            feedback = FeedbackRequest.model_validate_json(body)
        except ValidationError as exc:
            return refusal(400, explained(exc), "bad_feedback")
        found = self._answers.get_json(feedback.id)
        if found is None and self._answers.shared is not None:
            try:
                found = await self._answers.shared.get_json(feedback.id)
            except UpstreamError:
                return UNREACHED
        if found is None:
            message = "id names no answer of this server, or one too long ago"
            return refusal(404, message, "no_result")
        if not found or self._answers.pending(feedback.id):
            return refusal(409, "the answer still runs; say it when it is over", "still_running")
        if not self._has_room(feedback.id):
            return refusal(429, "too much feedback; try again later", "too_much_feedback")
        return await self._keep(feedback, found)

    async def _keep(self, feedback: FeedbackRequest, annotation: bytes) -> ResultsReply:
        try:
            await _check_sentence(feedback, annotation)
            await self._keeper.keep(feedback, annotation)
        except FeedbackFullError as exc:
            return refusal(507, str(exc), "feedback_full")
        except ConfigError as exc:
            return refusal(400, str(exc), "bad_feedback")
        except OSError as exc:
            log.error("feedback_not_written", extra={"fields": {"error": type(exc).__name__}})
            return refusal(500, "the feedback could not be written", "feedback_not_written")
        self._count(feedback.label)
        return ResultsReply(204, headers=HEADERS)

    def _has_room(self, id: str) -> bool:
        """Count a mark on an answer; return whether it is within the limits."""
        marks = self._marks.get(id, 0)
        now = self._clock()
        self._room = min(BURST, self._room + (now - self._looked) * PER_S)
        self._looked = now
        if marks >= MAX_PER_ANSWER or self._room < 1.0:
            return False
        self._room -= 1.0
        self._marks[id] = marks + 1
        if len(self._marks) > MAX_COUNTED:
            self._marks.popitem(last=False)
        return True


def explained(error: ValidationError) -> str:
    """Return the invalid fields and their errors, without the values."""
    errors = (
        f"{'.'.join(str(part) for part in each['loc']) or 'body'}: {each['msg']}"
        for each in error.errors(include_input=False)
    )
    return "; ".join(errors)


def id_in(body: bytes) -> str | None:
    """Return the id of the answer that feedback is on, None if `body` is no feedback."""
    try:
        return FeedbackRequest.model_validate_json(body).id
    except ValidationError:
        return None


def checked_file(file: Path) -> Path:
    """Return `file`; raises `ConfigError` if feedback cannot be appended to it.

    Called at a server's start, so that a wrong path costs no feedback.
    """
    folder = file.parent
    if file.is_dir() or not folder.is_dir():
        raise ConfigError(f"feedback is {file}, expected a file in a folder that is there")
    if not os.access(file if file.exists() else folder, os.W_OK):
        raise ConfigError(f"feedback is {file}, which may not be written")
    return file


async def _check_sentence(feedback: FeedbackRequest, annotation: bytes) -> None:
    if feedback.sentence is None:
        return
    # In a thread: the annotation of a long answer takes longer to read than a stream may wait.
    read = await to_thread.run_sync(json.loads, annotation)
    sentences = len(read["result"]["sentences"]) if read["result"] else 0
    if feedback.sentence >= sentences:
        raise ConfigError(f"sentence is {feedback.sentence}, the answer has {sentences} sentences")
