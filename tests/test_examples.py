"""Every file of `examples/` runs and says what it is there to show."""

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from streamguard.demo.chat_samples import DOCUMENTS
from streamguard.server.chat.recorded import RecordedAnswer
from streamguard.server.chat.replay import Replay, make_app
from streamguard.wire.codecs.sse import SSEDecoder
from tests.kit.chatting import PATIENCE_S, fetch
from tests.kit.serving import serving
from tests.kit.upstreams import proxy

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
COST = "What does the Basic plan cost?"
CITED = "Every full-time employee has 28 vacation days a year [C1]. Each unused day pays $300."
RECORDS = [
    RecordedAnswer(COST, (), "The Basic plan costs $59 per month."),
    RecordedAnswer("What are the vacation days?", (), CITED),
]
RUN_BY_TESTS = {
    "aiohttp_app.py", "custom_check.py", "fastapi_app.py", "openai_sdk.py", "proxy.py",
    "hold.py", "rag_chat.py", "starlette_app.py",
}  # fmt: skip


def replaying():
    """Run a model that says what is in `RECORDS`."""
    return serving(make_app(Replay(RECORDS, rate=0.0)))


async def run(name, *flags, base_url=None, typed=""):
    """Run an example as a person would; return what it printed."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}
    env |= {"OPENAI_API_KEY": "none", "NO_PROXY": "127.0.0.1", "PYTHONIOENCODING": "utf-8"}
    if base_url is not None:
        env["OPENAI_BASE_URL"] = base_url
    command, pipe = [sys.executable, str(EXAMPLES / name), *flags], subprocess.PIPE
    done = await asyncio.to_thread(
        subprocess.run, command, input=typed.encode(), stdout=pipe, stderr=pipe, env=env,
        timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def loaded(name):
    """Return an example as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def events_of(body):
    """Return the events of a body as (name, parsed data)."""
    decoder = SSEDecoder()
    return [
        (e.event, json.loads(e.data)) for e in [*decoder.feed(body), *decoder.close()] if e.data
    ]


def check_events(events, *, live):
    """Check that the tokens are the model's, and that the verdict names the wrong price."""
    said = "".join(data for name, data in events if name == "message")
    assert said == "The Basic plan costs $59 per month. It includes one seat."
    assert [name for name, _ in events].count("streamguard.sentence") == (2 if live else 0)
    name, annotation = events[-1]
    assert name == "streamguard.result"
    assert annotation["result"]["status"] == "WARN"
    assert annotation["result"]["findings"][0]["nearest"]["value"].startswith("$49")


def test_every_example_is_run_by_a_test():
    elsewhere = {path.name for path in EXAMPLES.glob("with_*.py")}
    tests = "".join(path.read_text() for path in (ROOT / "tests/integrations").glob("test_*.py"))
    assert all(f'"{name.removesuffix(".py")}"' in tests for name in elsewhere)
    here = {path.name for path in EXAMPLES.glob("*.py")} - elsewhere
    assert here == RUN_BY_TESTS | {"fake_model.py"}


@pytest.mark.slow
@pytest.mark.asyncio
async def test_the_official_client_is_guarded_and_the_proxy_puts_its_verdict_into_the_stream():
    async with replaying() as url, proxy(f"{url}/v1") as base:
        guarded = await run("openai_sdk.py", base_url=f"{url}/v1")
        proxied = await run("proxy.py", base_url=base)
    for out in (guarded, proxied):
        assert out.startswith("The Basic plan costs $59 per month.\nREFUSE: ")
    assert "nearest: '$49" in guarded
    assert "“$59 per month”; the passage says “$49 per month” (C1)." in proxied


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_custom_check_speaks_while_the_stream_runs():
    out = await run("custom_check.py")
    assert "[promise] No passage says 'we guarantee'." in out
    assert out.endswith("flags: promise\n") or ", promise\n" in out


@pytest.mark.slow
@pytest.mark.asyncio
async def test_a_held_stream_keeps_back_what_the_policy_blocks():
    lines = [
        line.split(" ms  ")[1] for line in (await run("hold.py")).splitlines() if " ms " in line
    ]
    whole = "Basic costs €49 a month. Business costs €159 a month. Ask ann@corp.example."
    ways = (whole, "Basic costs €49 a month. ", "Basic costs €49 a month. (The documents say")
    masked = "Basic costs €49 a month. Business costs •••. Ask [EMAIL]."
    for line, way in zip(lines, (*ways, masked) * 2, strict=True):
        assert line.startswith(way)
        assert ("€159 a month. Ask" in line) == (way == whole)


@pytest.mark.slow
@pytest.mark.asyncio
async def test_the_rag_chat_answers_refuses_and_greets():
    typed = "Hello\nWhat documents do you have?\nWhat are the vacation days?\n"
    async with replaying() as url:
        out = await run("rag_chat.py", str(DOCUMENTS), base_url=f"{url}/v1", typed=typed)
    assert "Hello! Ask me anything" in out
    assert "- handbook/vacation.md" in out
    assert "[high: 3 of 6]" in out
    assert "28 vacation days a year [C1]" in out
    assert "[WARN: " in out


@pytest.mark.asyncio
async def test_the_aiohttp_application_streams_events():
    async with serving(loaded("aiohttp_app").make_app()) as base:
        _, _, body = await fetch(base, "/ask", params={"question": COST})
    check_events(events_of(body), live=True)


@pytest.mark.parametrize(("name", "method", "more", "live"), [
    ("starlette", "GET", {"params": {"question": COST, "streamguard-live": "1"}}, True),
    ("fastapi", "POST", {"json": {"question": COST}}, False),
])  # fmt: skip
@pytest.mark.asyncio
async def test_an_asgi_application_streams_events(name, method, more, live):
    pytest.importorskip(name)
    httpx = pytest.importorskip("httpx")
    transport = httpx.ASGITransport(loaded(f"{name}_app").app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        response = await client.request(method, "/ask", **more)
    assert response.headers["content-type"].startswith("text/event-stream")
    check_events(events_of(response.content), live=live)
