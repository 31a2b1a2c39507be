"""Files that only their owner may read, and an atomic append for those with lines."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path

_OWNER_ONLY = 0o600  # of a new file, whatever the umask; an existing file keeps its mode


def make_owned(file: Path) -> None:
    """Create an empty file with access for its owner alone, unless it exists.

    SQLite gives its journals the permissions of their database. Raises `OSError`.
    """
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, _OWNER_ONLY))


def append_atomically(file: Path, data: bytes) -> None:
    """Append all of `data` to `file` or nothing; a new file is its owner's alone.

    If another process has appended after a partial write, that part stays. Raises `OSError`, with
    `ENOSPC` if the system took only a part.
    """
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _OWNER_ONLY)
    with os.fdopen(descriptor, "ab", buffering=0) as out:
        before = _size(descriptor)
        written = out.write(data)
        if written != len(data):
            if _size(descriptor) == before + written:
                out.truncate(before)
            raise OSError(ENOSPC, f"room for {written} of {len(data)} bytes", str(file))


def _size(descriptor: int) -> int:
    return os.fstat(descriptor).st_size
