"""One event loop in a daemon thread, for verifiers of streams without an asyncio loop."""

from __future__ import annotations

import asyncio
import os
from threading import Lock, Thread


class Background:
    """An asyncio loop that starts at its first use and then keeps running."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Start over in a forked child: only the forking thread exists there."""
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def loop(self) -> asyncio.AbstractEventLoop:
        """Return the running loop."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                run = self._loop.run_forever
                Thread(target=run, name="streamguard verifiers", daemon=True).start()
        return self._loop


BACKGROUND = Background()
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=BACKGROUND.forget)
