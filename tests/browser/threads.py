"""Servers in a thread of their own: the browser's tests have the loop of this one."""

import asyncio
import threading
from contextlib import contextmanager

PATIENCE_S = 20


@contextmanager
def in_thread(opened, loop=None):
    """Enter `opened`, an asynchronous context, in a thread; give what it gives, as a string."""
    loop = loop or asyncio.new_event_loop()
    started, stop, given = threading.Event(), asyncio.Event(), []

    async def run():
        async with opened as it:
            given.append(str(it))
            started.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=[run()])
    thread.start()
    try:
        assert started.wait(PATIENCE_S)
        yield given[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE_S)
        loop.close()
