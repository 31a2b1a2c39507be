"""Files that only their owner may read, and one way to append to those that hold lines."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path

_OWNER_ONLY = 0o600  # whatever the umask; of a file that is there the owner has decided


def make_owned(file: Path) -> None:
    """Make an empty file that only its owner may read and write, where none is there.

    SQLite gives its journals the rights of their database. Raises `OSError`.
    """
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, _OWNER_ONLY))


def append_whole(file: Path, data: bytes) -> None:
    """Append `data` to `file`, made for its owner alone where it is new, or leave it as it was.

    What another process has written behind a part of it stays. Raises `OSError`; `ENOSPC` where
    the system took only a part.
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
