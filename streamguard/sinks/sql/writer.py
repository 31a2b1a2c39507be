"""The process that moves records from the spool to the database, next to the streaming one.

Its parent sends the settings over standard input, so that no process list shows a password, then a
byte for further records, and reads events from standard output. When standard input ends, the
process writes the rest and exits. If several serve one folder, one works and the others wait.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import select
import sys
import time
from contextlib import suppress
from pathlib import Path

from streamguard.sinks.appending import make_owned
from streamguard.sinks.sql.writer_settings import WriterSettings

POLL_S = 0.02  # between two looks at an empty spool: another server's records are not announced
FIRST_WAIT_S, LONGEST_WAIT_S = 0.1, 5.0  # for a database that is gone; doubled each time
_LOCK = "writer.lock"


def main() -> int:
    """Write until standard input ends; return the exit status."""
    settings = WriterSettings(**json.loads(sys.stdin.readline()))
    make_owned(path := Path(settings.folder) / _LOCK)
    with path.open("a") as lock:
        if not _locked(lock.fileno()):
            return 0
        # Only the working process loads the libraries.
        asyncio.run(_written(settings))
    return 0


def _locked(lock: int) -> bool:
    """Wait for the lock; return False if the parent ends first."""
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if _parent_ended(0.2):
            return False


def _parent_ended(wait_s: float) -> bool:
    """Wait up to `wait_s` for the parent's signal or end; return whether it has ended."""
    stdin = sys.stdin.fileno()
    return bool(select.select([stdin], [], [], wait_s)[0]) and not os.read(stdin, 65_536)


def _report(event: str, **fields: object) -> None:
    # The parent may be gone: the records are written all the same.
    with suppress(OSError):
        os.write(sys.stdout.fileno(), json.dumps({"event": event, **fields}).encode() + b"\n")


async def _written(settings: WriterSettings) -> None:
    from streamguard.sinks.sql.transfer import Transfer  # loads the libraries

    transfer = Transfer(settings, _report)
    wait_s = FIRST_WAIT_S
    try:
        while True:
            ending = _parent_ended(0)  # checked first: records written until now are still read
            try:
                taken = await transfer.turn()
            except Exception as exc:  # a lost database raises many kinds of errors
                _report("waiting", error=transfer.reason(exc))
                if ending:
                    return  # records in the spool stay for the next one
                again = time.monotonic() + wait_s
                while not ending and (left := again - time.monotonic()) > 0:
                    ending = _parent_ended(left)
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
                continue
            wait_s = FIRST_WAIT_S
            if not taken:
                if ending:
                    return
                _parent_ended(POLL_S)
    finally:
        await transfer.close()


if __name__ == "__main__":
    sys.exit(main())
