"""What people say of a verdict, kept with the verdict: JSON lines in one file of bounded size."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from streamguard.core.model.result import Annotation
from streamguard.errors import ConfigError, StreamguardError
from streamguard.server.results.packing import Packed

MAX_ANSWERS = 2_000  # the newest answers that feedback can be given on; guess, some 10 MB
MAX_FILE_BYTES = 67_108_864  # guess: some 10,000 answers
MAX_COMMENT_CHARS = 2_000  # guess: far above what people type

Kind = Literal["up", "down", "refusal_wrong", "was_supported"]


class FeedbackRequest(BaseModel):
    """`POST /api/feedback`. `sentence` is an index into the result's sentences."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: Annotated[str, Field(max_length=64)]
    kind: Kind
    sentence: Annotated[int | None, Field(ge=0)] = None
    comment: Annotated[str | None, Field(max_length=MAX_COMMENT_CHARS)] = None


class FeedbackFullError(StreamguardError):
    """The feedback file has reached its bound; nothing was written."""


class Feedback:
    """Remembers what was handed out, and appends what people say of it to `path`.

    A line holds the feedback and the annotation it is about, without text of answer or passages
    unless `store_text`. The file is made with the first line. Threads may share it.
    """

    def __init__(
        self,
        path: Path,
        *,
        store_text: bool = False,
        max_answers: int = MAX_ANSWERS,
        max_file_bytes: int = MAX_FILE_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._store_text = store_text
        self._max_answers = max_answers
        self._max_file_bytes = max_file_bytes
        self._clock = clock
        self._lock = Lock()
        self._handed_out: OrderedDict[str, tuple[int, Packed]] = OrderedDict()  # sentences, all

    def remember(self, annotation: Annotation) -> None:
        """Take feedback on this answer from now on; the oldest answer goes."""
        sentences = len(annotation.result.sentences) if annotation.result else 0
        packed = Packed(annotation, text=self._store_text)
        packed.finish()
        self._handed_out[annotation.id] = sentences, packed
        if len(self._handed_out) > self._max_answers:
            self._handed_out.popitem(last=False)

    def write(self, given: FeedbackRequest) -> None:
        """Append one line; blocks on the disk.

        Raises `ConfigError` for an id that was not handed out, or no longer is known, and for a
        sentence the answer does not have; `FeedbackFullError` where the file has no room left.
        """
        handed_out = self._handed_out.get(given.id)
        if handed_out is None:
            raise ConfigError("id names no answer of this server, or one too long ago")
        sentences, packed = handed_out
        if given.sentence is not None and given.sentence >= sentences:
            raise ConfigError(f"sentence is {given.sentence}, the answer has {sentences} sentences")
        line = json.dumps(self._fields(given, packed), separators=(",", ":")).encode() + b"\n"
        with self._lock, self._path.open("ab") as out:
            if out.tell() + len(line) > self._max_file_bytes:
                raise FeedbackFullError(f"the feedback file is full: {self._max_file_bytes} bytes")
            out.write(line)

    def _fields(self, given: FeedbackRequest, packed: Packed) -> dict[str, Any]:
        written = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock()))
        return {"time": written, **given.model_dump(), "annotation": json.loads(packed.json())}
