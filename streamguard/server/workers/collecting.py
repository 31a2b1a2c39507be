"""Runs Python's garbage collector over a server's objects in small steps.

A full collection visits every object that may be part of a cycle and blocks all streams meanwhile:
120 to 470 ms beside 200 streams, some of them hostile. Nearly no object is garbage: a request makes
no cycle (tests/test_garbage.py), and objects without cycles are freed at once. So full collections
are disabled, and objects that survive two collections are frozen: the next one visits only newer
ones.

Cycles that become garbage once frozen stay until the next thaw. They belong to the event loop and
foreign code, and are collected when the server is idle, when they may be many, or when memory has
grown a lot.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
from pathlib import Path

# Objects pass a first collection after 500 of them, and a second after four of those, which visits
# some 2,500 and freezes them. A full one does not come by itself:
# it cost 6 ms however little there was to visit (docs/performance.md has the measurement).
THRESHOLDS = (500, 4, 1_000_000)
LOOK_S = 60.0  # between two looks whether the server is idle; guess
_IDLE_COLLECTIONS = 1  # of the youngest objects between two looks, of an idle server
# Frozen objects since the last thaw, from which on one is worth its pause to an idle server, and to
# a busy one; guesses, some 5 and 100 MB.
SOME, MANY = 50_000, 1_000_000
# Memory that came since the last thaw, from which on one is worth its pause to any server: where
# passages are long, few objects hold much. Guess, as much as open contexts may hold: a server that
# was idle then grows by a fourth of that with its first requests, and none of it is garbage.
GROWN_BYTES = 256 * 1024 * 1024

# What is larger is mapped by itself, and goes back to the system when it is freed. That is glibc's
# own limit at first, which rises with what is freed, up to 32 MB: the holes that a few contexts of
# 2 MB left behind held 70 of 190 MB. Fixed by `mallopt`, where it is `M_MMAP_THRESHOLD` (-3). More
# than the largest frame: of 128 KiB a frame of a megabyte took 7.8 ms of CPU instead of 4.6, for
# the pages of each of its copies (`benchmarks/bench_frames.py --proxy --shape zeros`).
MAPPED_BYTES = 2 * 1024 * 1024
_M_MMAP_THRESHOLD = -3

_STATM = Path("/proc/self/statm")  # of Linux; its second number are pages in memory


class Collecting:
    """Freezes objects that survive two collections, from `begin` to `end`.

    `shares`: objects that exist at `begin` lie in memory shared with other processes until visited,
    so an idle server does not visit them.
    """

    def __init__(self, *, shares: bool = False) -> None:
        self._shares = shares
        self._before = gc.get_threshold()
        self._looked = 0  # collections of the youngest objects at the last look
        self._frozen = 0  # objects at the last thaw
        self._resident = 0  # bytes then
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Freeze all objects, and check from time to time whether the server is idle."""
        gc.set_threshold(*THRESHOLDS)
        _call_libc("mallopt", _M_MMAP_THRESHOLD, MAPPED_BYTES)
        self._collect()
        gc.callbacks.append(_freeze)
        self._look_later(loop)

    def end(self) -> None:
        """Restore the collector; repeated calls, or one without `begin`, do nothing."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            gc.callbacks.remove(_freeze)
            gc.set_threshold(*self._before)

    def look(self) -> bool:
        """Collect all objects if the server is idle or much may be garbage; return whether it did.

        Freed memory goes back to the system in any case.
        """
        idle = not self._shares and _young_collections() - self._looked <= _IDLE_COLLECTIONS
        self._looked = _young_collections()
        due = gc.get_freeze_count() - self._frozen > (SOME if idle else MANY)
        if due or _resident_bytes() - self._resident > GROWN_BYTES:
            due = True
            gc.unfreeze()
            self._collect()
        else:
            _give_back()
        return due

    def _collect(self) -> None:
        gc.collect()
        gc.freeze()
        _give_back()
        self._resident = _resident_bytes()
        self._frozen, self._looked = gc.get_freeze_count(), _young_collections()

    def _look_later(self, loop: asyncio.AbstractEventLoop) -> None:
        def look() -> None:
            self.look()
            self._look_later(loop)

        self._timer = loop.call_later(LOOK_S, look)


def _freeze(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"]:
        gc.freeze()


def _resident_bytes() -> int:
    """Return the process's resident memory in bytes; 0 if the system does not report it."""
    try:
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _give_back() -> None:
    """Return freed memory to the system, which glibc otherwise keeps (360 of 800 MB).

    A call costs 1 ms, and 0.1 ms per MB returned.
    """
    _call_libc("malloc_trim", 0)


def _call_libc(name: str, *numbers: int) -> None:
    """Call a function of the C library; do nothing if it has none of that name."""
    found = getattr(ctypes.CDLL(None), name, None) if os.name == "posix" else None
    if found is not None:
        found(*numbers)


def _young_collections() -> int:
    return int(gc.get_stats()[0]["collections"])
