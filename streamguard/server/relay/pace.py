"""When an answer whose bytes come fast leaves its checks a turn; no clock, the caller has one."""

from __future__ import annotations

QUIET_S = 0.002  # without bytes for so long, nothing comes fast: ten times a loop's usual round
SHARE = 8  # of the time the checks have one part while bytes come fast; guess
FIRST_S = 0.001  # what a turn is taken to last before there was one


class Pace:
    """Keeps the checks of one answer to a share of the time while its bytes come fast.

    Whoever sends and receives them may need the processor, too. All times are of one clock, in
    seconds; `now` is that of the beginning.
    """

    def __init__(self, now: float) -> None:
        self.heard = now  # when bytes came last; set it with every read
        self._next = now + (SHARE - 1) * FIRST_S

    def turned(self, began: float, now: float) -> None:
        """Say that a turn went from `began` to `now`."""
        self._next = now + (SHARE - 1) * (now - began)

    def left_s(self, now: float) -> float:
        """Return for how long no turn should begin, 0 for not at all, if no more bytes come."""
        return max(0.0, min(self._next, self.heard + QUIET_S) - now)
