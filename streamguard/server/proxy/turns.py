"""Turns of checking, shared by all streams of a loop: relayed bytes come first."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

# Uses a turn; returns False where nobody wants it any more.
Begin = Callable[[], bool]


class Turns:
    """Grants turns of checking in the order of requests.

    After each turn the loop has two rounds for relayed bytes: in the first it receives them, in the
    second it passes them on. So a frame waits for at most one turn, however many streams are behind
    with their checks.
    """

    def __init__(self) -> None:
        self._taken = False
        self._waiting: deque[Begin] = deque()

    def take(self) -> bool:
        """Take the turn if it is free; return whether it was."""
        if self._taken:
            return False
        self._taken = True
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._free)
        return True

    def request(self, begin: Begin) -> None:
        """Call `begin` from the loop when there is a turn."""
        if self.take():
            asyncio.get_running_loop().call_soon(begin)
        else:
            self._waiting.append(begin)

    async def next(self) -> None:
        """Wait for a turn."""
        if self.take():
            return
        woken = asyncio.get_running_loop().create_future()

        def begin() -> bool:
            if woken.done():
                return False
            woken.set_result(None)
            return True

        self._waiting.append(begin)
        await woken

    def _free(self) -> None:
        self._taken = False
        if self._waiting:
            self.take()
        while self._waiting and not self._waiting.popleft()():
            pass


async def pause() -> None:
    """Yield one round of the loop."""
    await asyncio.sleep(0)
