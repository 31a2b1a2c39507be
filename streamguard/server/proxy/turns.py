"""Turns of checking, one after the other for all streams of a loop: what goes on comes first."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Literal

# What wakes a task that waits for bytes: there is something to read, the next read is its own, or
# it has its turn.
Woken = Literal["received", "read", "turn"]


class Turns:
    """Gives turns of checking in the order in which they are asked for.

    Behind each the loop has two rounds for everybody's bytes: in the first it hears that some have
    come, in the second they are handed on. So a frame waits for one turn at most, however many
    streams are behind with their checks.
    """

    def __init__(self) -> None:
        self._taken = False
        self._asked: deque[asyncio.Future[Woken]] = deque()

    def take(self) -> bool:
        """Take the turn if it is free; say whether it was."""
        if self._taken:
            return False
        self._taken = True
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._free)
        return True

    def ask(self, woken: asyncio.Future[Woken]) -> None:
        """Set `woken`, which is not done, to "turn" when there is one, unless it is by then."""
        if self.take():
            woken.set_result("turn")
        else:
            self._asked.append(woken)

    async def next(self) -> None:
        """Wait for a turn."""
        woken: asyncio.Future[Woken] = asyncio.get_running_loop().create_future()
        self.ask(woken)
        await woken

    def _free(self) -> None:
        self._taken = False
        while self._asked:
            woken = self._asked.popleft()
            if not woken.done():
                self.take()
                woken.set_result("turn")
                return


async def pause() -> None:
    """Let the loop have a round."""
    await asyncio.sleep(0)
