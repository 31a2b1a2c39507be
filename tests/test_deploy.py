"""The container's file and the servers in front, as docs/deploy.md has them."""

import asyncio
import json
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.kit.upstreams import (
    ASKED,
    CHUNKED,
    DONE,
    END,
    PATIENCE_S,
    answer,
    chunked,
    frame,
    proxy,
    upstream,
)

ROOT = Path(__file__).parent.parent
DOCS = (ROOT / "docs/deploy.md").read_text(encoding="utf-8")


# --- the container


def stages():
    """Return the instructions of each stage of the Dockerfile, as name and arguments."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    found, arguments = [], {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, _, rest = line.partition(" ")
        if name == "ARG":
            arguments.update([rest.strip().split("=", 1)])
            continue
        for known, value in arguments.items():
            rest = rest.replace(f"${{{known}}}", value)
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest.strip()))
    return found


def last(name):
    """Return the arguments of the last such instruction of the image."""
    return [rest for known, rest in stages()[-1] if known == name][-1]


def exec_form(rest):
    """Return a command that is run without a shell, which would keep signals to itself."""
    command = json.loads(rest)
    assert all(isinstance(word, str) for word in command)
    return command


def health_command():
    return exec_form(last("HEALTHCHECK").partition("CMD ")[2])


def test_the_image_is_slim_and_runs_as_a_user_who_has_a_folder_to_write_to():
    for (_, base), *_ in stages():
        assert re.fullmatch(r"python:3\.1[1-4]-slim( AS build)?", base)
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall("^FROM (\\S+)", text, re.MULTILINE) == ["${BASE}"] * len(stages())
    assert '--build-arg BASE="$BASE@$DIGEST"' in DOCS
    user, group = last("USER").split(":")
    assert int(user) > 0
    assert int(group) > 0
    names = [name for name, _ in stages()[-1]]
    assert names.index("USER") > max(n for n, name in enumerate(names) if name in ("RUN", "COPY"))
    assert f"--owner {user} --group {user} {last('WORKDIR')}" in last("RUN")


def test_signals_reach_the_proxy_and_it_listens_where_it_is_asked_for_its_health():
    command = exec_form(last("ENTRYPOINT"))
    assert command[1:3] == ["proxy", "--listen"]
    port = command[3].rpartition(":")[2]
    assert last("EXPOSE") == port
    assert f"http://127.0.0.1:{port}/streamguard/health" in health_command()[-1]


def test_everything_that_is_copied_is_there_and_not_ignored():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    for name, rest in stages()[0]:
        if name == "COPY":
            for source in shlex.split(rest)[:-1]:
                assert (ROOT / source).exists()
                assert f"!{source.removeprefix('./')}" in ignored


@pytest.mark.slow
@pytest.mark.asyncio
async def test_the_health_check_tells_a_server_that_runs_from_one_that_does_not():
    code = health_command()[-1]
    async with proxy("http://127.0.0.1:1") as base:
        asked = code.replace("http://127.0.0.1:8080", base)
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", asked)
        assert await process.wait() == 0
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", asked, stderr=asyncio.subprocess.DEVNULL
    )
    assert await process.wait() == 1


# --- nginx in front

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
needs_nginx = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
TEXT = "The Basic plan costs $10 per month. [C1] "


def block(language):
    """Return the one block of docs/deploy.md in that language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)
    return found


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return a certificate of 127.0.0.1 and its key."""
    directory = tmp_path_factory.mktemp("tls")
    made = directory / "cert.pem", directory / "key.pem"
    asked = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=x"
    named = f"-addext subjectAltName=IP:127.0.0.1 -out {made[0]} -keyout {made[1]}"
    command = ["openssl", *asked.split(), *named.split()]
    subprocess.run(command, check=True, capture_output=True)
    return made


@asynccontextmanager
async def nginx(base, certificate, directory):
    """Run nginx as the documentation configures it, in front of `base`; give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = (
        block("nginx")
        .replace("127.0.0.1:8080", base.removeprefix("http://"))
        .replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
        .replace("/etc/ssl/llm.example.com.pem", str(certificate[0]))
        .replace("/etc/ssl/llm.example.com.key", str(certificate[1]))
    )
    temporary = "".join(
        f"{name}_temp_path {directory}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = directory / "nginx.conf"
    config.write_text(
        f"daemon off; pid {directory}/pid; error_log stderr notice; worker_processes 1;"
        f"events {{}} http {{ access_log off; {temporary}\n{server} }}"
    )
    process = await asyncio.create_subprocess_exec(
        *(NGINX, "-p", str(directory), "-c", str(config)), stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            while b"start worker process " not in (line := await process.stderr.readline()):
                assert line, "nginx ended"
        yield f"https://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.communicate()


@asynccontextmanager
async def deployed(script, certificate, directory):
    """Run upstream, proxy and nginx; give the upstream, nginx's address and a client."""
    trusting = aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=str(certificate[0])))
    async with (
        upstream(script) as up,
        proxy(up.url, results_token="t") as base,
        nginx(base, certificate, directory) as front,
        aiohttp.ClientSession(connector=trusting) as client,
        asyncio.timeout(PATIENCE_S),
    ):
        yield up, front, client


@pytest.mark.slow
@needs_nginx
@pytest.mark.asyncio
async def test_every_event_passes_nginx_as_soon_as_it_comes(certificate, tmp_path):
    received = asyncio.Queue()

    async def script(_received, writer):
        writer.write(CHUNKED)
        for word in ("one", "two", "three"):
            writer.write(chunked(frame(word)))
            await received.get()  # the next is sent when this one has arrived
        writer.write(chunked(answer(TEXT) + DONE) + END)

    async with deployed(script, certificate, tmp_path) as (_, front, client):
        async with client.post(f"{front}/v1/chat/completions", json=ASKED) as response:
            for word in ("one", "two", "three"):
                assert await response.content.readuntil(b"\n\n") == frame(word)
                received.put_nowait(None)
            rest = await response.content.read()
        assert rest.endswith(DONE)
        assert b'"streamguard":' in rest
        name = response.headers["x-streamguard-id"]
        headers = {"Authorization": "Bearer t"}
        kept, hidden = f"{front}/streamguard/results/{name}", f"{front}/streamguard/metrics"
        async with client.get(kept, headers=headers) as stored:
            assert (await stored.json())["state"] == "complete"
        async with client.get(hidden, headers=headers) as refused:
            assert refused.status == 404


@pytest.mark.slow
@needs_nginx
@pytest.mark.asyncio
async def test_a_client_that_leaves_nginx_ends_the_upstreams_request(certificate, tmp_path):
    async def script(_received, writer):
        writer.write(CHUNKED + chunked(frame("one")))
        await asyncio.Event().wait()

    async with deployed(script, certificate, tmp_path) as (up, front, client):
        response = await client.post(f"{front}/v1/chat/completions", json=ASKED)
        await response.content.readuntil(b"\n\n")
        # Not `close`, which says goodbye inside TLS and waits for the answer: nginx does not read
        # while it relays. A client that is gone has closed the connection.
        response.connection.transport.abort()
        await asyncio.wait_for(up.requests[0].gone.wait(), PATIENCE_S)
