"""An application on a port of loopback, for as long as a test needs it."""

from contextlib import asynccontextmanager

from streamguard.server.workers.serve import make_runner, start


@asynccontextmanager
async def serving(app):
    """Serve an aiohttp application; give its address."""
    runner = make_runner(app)
    try:
        yield await start(runner, "127.0.0.1", 0)
    finally:
        await runner.cleanup()
