"""Decides when an answer with fast bytes grants its checks a turn; the caller has the clock."""

from __future__ import annotations

QUIET_S = 0.002  # without bytes for so long, nothing comes fast: ten times a loop's usual round
SHARE = 8  # of the time the checks have one part while bytes come fast; guess
FIRST_S = 0.001  # the assumed length of the first turn


class Pace:
    """Limits the checks of one answer to a share of the time while its bytes come fast.

    The sender and the receiver of the bytes may need the processor too. All times are of one clock,
    in seconds; `now` is the beginning.
    """

    def __init__(self, now: float) -> None:
        self.received_at = now  # when bytes came last; set it with every read
        self._next = now + (SHARE - 1) * FIRST_S

    def turned(self, began: float, now: float) -> None:
        """Record a turn from `began` to `now`."""
        self._next = now + (SHARE - 1) * (now - began)

    def left_s(self, now: float) -> float:
        """Return the seconds during which no turn should begin if no more bytes come; else 0."""
        return max(0.0, min(self._next, self.received_at + QUIET_S) - now)
