"""A sink that appends annotations to a file of JSON lines."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from pydantic_core import PydanticSerializationError

from streamguard.core.model.result import Annotation
from streamguard.errors import ConfigError
from streamguard.sinks.appending import append_atomically


def jsonl_sink(path: str | os.PathLike[str], *, store_text: bool = False) -> Callable[..., None]:
    """Return a sink that appends one line of ASCII JSON per annotation to `path`.

    No string of answer or passages is stored unless `store_text`. Threads and tasks of one process
    may share the sink: a line is written whole or not at all, and a write that fails raises
    `OSError` (a stream logs that). The file is opened for each line, so it may be rotated. Raises
    `ConfigError` if `path` cannot be a file.
    """
    file = Path(path)
    if file.is_dir() or not file.parent.is_dir():
        raise ConfigError(f"jsonl_sink path is {str(file)!r}, expected a file in a folder that is")
    lock = Lock()

    def append(annotation: Annotation) -> None:
        kept = annotation if store_text else annotation.without_text()
        line = _json(kept).encode("ascii") + b"\n"
        with lock:
            append_atomically(file, line)

    return append


def _json(annotation: Annotation) -> str:
    try:
        return annotation.to_json()
    except PydanticSerializationError:
        # pydantic writes UTF-8, which has no lone surrogates; an application's own check may have
        # put one into a value. The json module escapes them.
        return json.dumps(annotation.model_dump(), separators=(",", ":"))
