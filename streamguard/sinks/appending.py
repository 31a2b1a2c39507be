"""One way to append to a file that others read line by line: all of what is given, or nothing."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path

OWNER_ONLY = 0o600


def append_whole(file: Path, data: bytes, mode: int = 0o666) -> None:
    """Append `data` to `file`, made with `mode` where it is new, or leave the file as it was.

    What another process has written behind a part of it stays. Raises `OSError`; `ENOSPC` where
    the system took only a part.
    """
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
    with os.fdopen(descriptor, "ab", buffering=0) as out:
        before = _size(descriptor)
        written = out.write(data)
        if written != len(data):
            if _size(descriptor) == before + written:
                out.truncate(before)
            raise OSError(ENOSPC, f"room for {written} of {len(data)} bytes", str(file))


def _size(descriptor: int) -> int:
    return os.fstat(descriptor).st_size
