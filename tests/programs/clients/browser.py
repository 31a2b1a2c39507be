"""Runs the probe of what a browser has by itself, in headless Chromium."""

import asyncio
import json
import tempfile

from aiohttp import web

from streamguard.server.workers.serve import make_runner, start
from tests.programs.clients.installing import BROWSER, PROBES

PAGE = """<!doctype html><title>probe</title><script type="module" src="/{probe}"></script>"""
# Without its sandbox, which a container's root user cannot have; it visits our page alone.
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-dev-shm-usage", "--disable-background-networking")  # fmt: skip
PATIENCE_S = 240.0  # for the whole plan


async def answers_in_browser(probe, steps):
    """Open a page that runs `probe`; return its answers."""
    answers, done = [], asyncio.Event()

    async def page(request):
        return web.Response(text=PAGE.format(probe=probe), content_type="text/html")

    async def plan(request):
        return web.json_response(steps)

    async def take(request):
        answers.append(json.loads(await request.text()))
        return web.Response()

    async def finish(request):
        done.set()
        return web.Response()

    app = web.Application(client_max_size=2**25)
    app.add_routes([web.get("/", page), web.get("/plan", plan)])
    app.add_routes([web.post("/answers", take), web.post("/done", finish)])
    app.router.add_static("/", PROBES)
    runner = make_runner(app)
    try:
        await _visit(await start(runner, "127.0.0.1", 0), done)
    finally:
        await runner.cleanup()
    return answers


async def _visit(url, done):
    """Show the page at `url` until it is done or the browser ends; raise `TimeoutError` else."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        quiet = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            BROWSER, *FLAGS, f"--user-data-dir={profile}", url, stdout=quiet, stderr=quiet
        )
        ends = [asyncio.create_task(process.wait()), asyncio.create_task(done.wait())]
        try:
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if process.returncode is None:
                process.terminate()
            await asyncio.gather(*ends[:1])
            ends[1].cancel()
