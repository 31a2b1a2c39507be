"""The relays that `bench_proxy.py` compares: each in processes of its own, and what they use.

    python relays.py NAME UPSTREAM PORT

serves one of those that are written in Python and need no other environment than this one.
"""

import asyncio
import contextlib
import gc
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from bench_peers import environment

HERE = Path(__file__).parent
START_S = 120.0  # LiteLLM imports for 20 s
PASS_THROUGH = (
    "httpx==0.28.1", "starlette==1.10.0", "uvicorn==0.54.0", "uvloop==0.23.0", "httptools==0.9.0",
)  # fmt: skip
LITELLM = ("litellm[proxy]==1.106.2",)
NGINX = """\
daemon off;
worker_processes 1;
error_log stderr error;
pid {folder}/pid;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder};
    proxy_temp_path {folder};
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass {upstream};
            proxy_http_version 1.1;
            proxy_buffering off;
        }}
    }}
}}
"""
MODELS = """\
model_list:
  - model_name: bench
    litellm_params: {{model: openai/bench, api_base: "{upstream}/v1", api_key: none}}
general_settings: {{dangerously_permit_weak_or_unset_master_key: true}}
"""


@dataclass(frozen=True, slots=True)
class Relay:
    """A relay: the row it fills, the process that serves it, and what it is asked.

    `server` is shared by rows that differ in the request alone. `events` of those at one pace are
    the share that a relay is given which cannot keep up.
    """

    name: str
    server: str
    form: str = "off"
    share: float = 1.0


def _ours(loop: str) -> tuple[Relay, ...]:
    checked = f"streamguard on {loop}"
    return (
        Relay(f"{checked}, off", f"patterns {loop}"),
        Relay(f"{checked}, PATTERN_CHECKS", f"patterns {loop}", "chunk"),
        Relay(f"{checked}, everything", f"everything {loop}", "chunk"),
    )


DIRECT, PIPE = "no relay", "byte pipe on asyncio"
RELAYS = (
    Relay(DIRECT, ""),
    Relay(PIPE, "pipe asyncio"),
    Relay("byte pipe on uvloop", "pipe uvloop"),
    Relay("nginx", "nginx"),
    Relay("httpx and Starlette", "pass_through"),
    Relay("LiteLLM proxy", "litellm", share=0.2),
    *_ours("asyncio"),
    *_ours("uvloop"),
)


class SkippedError(Exception):
    """A relay that cannot run here; says why."""


class Running:
    """One relay's processes, in front of `upstream`."""

    def __init__(self, server: str, upstream: str, envs: Path) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.port = _free_port()
        environ = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "DO_NOT_TRACK": "1"}
        self._log = Path(self._folder.name, "log")
        command = self._command(server, upstream, envs)
        with self._log.open("w") as log:
            self.process = subprocess.Popen(command, env=environ, stdout=log, stderr=log)
        self._wait()

    def _command(self, server: str, upstream: str, envs: Path) -> list[str]:
        folder, port = Path(self._folder.name), str(self.port)
        if server == "nginx":
            program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
            if program is None:
                raise SkippedError("is not installed: apt-get install nginx-light")
            config = folder / "nginx.conf"
            config.write_text(NGINX.format(folder=folder, port=port, upstream=upstream))
            return [program, "-c", str(config), "-p", str(folder), "-e", "stderr"]
        if server == "litellm":
            config = folder / "config.yaml"
            config.write_text(MODELS.format(upstream=upstream))
            program = _environment(envs / "litellm", *LITELLM).parent / "litellm"
            flags = ("--host", "127.0.0.1", "--port", port, "--num_workers", "1")
            return [str(program), "--config", str(config), *flags, "--telemetry", "False"]
        if server == "pass_through":
            python = _environment(envs / "pass_through", *PASS_THROUGH)
            return [str(python), str(HERE / "peers" / "pass_through.py"), upstream, port]
        return [sys.executable, __file__, server, upstream, port]

    def _wait(self) -> None:
        """Wait until it listens; `SkippedError` where it does not."""
        until = monotonic() + START_S
        while monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.05)
        self.stop()
        raise SkippedError(f"did not start: {self.last_words}")

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cpu_s(self) -> float:
        """Return the seconds of CPU that its processes have used, to the nanosecond."""
        return sum(map(_cpu_ns, _tree(self.process.pid))) / 1e9

    def stop(self) -> None:
        """End it, and keep what it said last."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.last_words = " ".join(self._log.read_text().strip().splitlines()[-1:])
        self._folder.cleanup()


def _environment(folder: Path, *requirements: str) -> Path:
    try:
        return environment(folder, *requirements)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as exc:
        raise SkippedError(f"did not install: {exc}") from exc


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _tree(pid: int) -> list[int]:
    """Return a process and all below it."""
    found = [pid]
    for parent in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def _cpu_ns(pid: int) -> int:
    used = 0
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            used += int((task / "schedstat").read_text().split()[0])
    return used


# --- what runs in the child


class PipeEnd(asyncio.Protocol):
    """One side of the byte pipe."""

    def __init__(self, other=None, upstream=None):
        self.other, self.upstream, self.early = other, upstream, []

    def connection_made(self, transport):
        self.transport = transport
        if self.upstream is not None:
            self.connecting = asyncio.ensure_future(self._connect())

    async def _connect(self):
        loop = asyncio.get_running_loop()
        _, end = await loop.create_connection(lambda: PipeEnd(self.transport), *self.upstream)
        self.other = end.transport
        if self.transport.is_closing():  # left before the upstream was reached
            self.other.close()
        for data in self.early:
            self.other.write(data)

    def data_received(self, data):
        if self.other is None:
            self.early.append(data)
        else:
            self.other.write(data)

    def connection_lost(self, exc):
        if self.other is not None:
            self.other.close()


async def pipe(upstream, port):
    """Serve the byte pipe for ever."""
    host, _, number = upstream.removeprefix("http://").partition(":")
    loop = asyncio.get_running_loop()
    made = lambda: PipeEnd(upstream=(host, int(number)))  # noqa: E731
    async with await loop.create_server(made, "127.0.0.1", port) as server:
        await server.serve_forever()


async def ours(checks, upstream, port):
    """Serve our proxy for ever."""
    from streamguard.core.checks import DEFAULT_CHECKS, PATTERN_CHECKS
    from streamguard.server.proxy.app import Settings, make_app
    from streamguard.server.workers.serve import make_runner, start

    chosen = DEFAULT_CHECKS if checks == "everything" else PATTERN_CHECKS
    await start(make_runner(make_app(Settings(upstream, checks=chosen))), "127.0.0.1", port)
    gc.collect()
    gc.freeze()  # as `serve` does
    await asyncio.Event().wait()


def main():
    name, upstream, port = sys.argv[1:]
    what, _, loop = name.partition(" ")
    factory = asyncio.new_event_loop
    if loop == "uvloop":
        import uvloop

        factory = uvloop.new_event_loop
    serving = pipe(upstream, int(port)) if what == "pipe" else ours(what, upstream, int(port))
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(serving)


if __name__ == "__main__":
    main()
