"""The limit of open files, and the number of streams it allows."""

from __future__ import annotations

import sys
from contextlib import suppress

PER_STREAM = 2  # the client's connection and the upstream's
# Sockets that are listened on, the loop's own, logs, other workers, who asks for results; guess.
RESERVED = 128
MANY = 1_048_576  # where there is no limit: what Linux allows one process


def raised_limit() -> int | None:
    """Raise the limit of open files to the hard limit; return it, None if unknown."""
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    wanted = hard if hard != unlimited else MANY
    if soft not in (unlimited, wanted):
        with suppress(ValueError, OSError):  # a platform's own limit below the hard one
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MANY if soft == unlimited else soft


def streams_of(files: int) -> int:
    """Return how many streams a process can relay at once with `files` open files."""
    return max(1, (files - RESERVED) // PER_STREAM)
