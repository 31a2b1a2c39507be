"""LiteLLM's proxy as a process of its own on loopback, with guardrails and a log that is read."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

GUARDRAIL = "streamguard.integrations.litellm_guardrail.Guardrail"
UP_S, LOGGED_S = 300, 60  # at most; a busy machine takes a minute to import LiteLLM
LOG = """
import json, os
from litellm.integrations.custom_logger import CustomLogger

class Log(CustomLogger):
    def write(self, kwargs):
        with open(os.environ["RECORDS"], "a") as file:
            file.write(json.dumps(kwargs.get("standard_logging_object"), default=str) + "\\n")

    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        self.write(kwargs)

    async def async_log_failure_event(self, kwargs, response_obj, start_time, end_time):
        self.write(kwargs)

log = Log()
"""


def guardrail(name, mode, policy, **params):
    """Return a guardrail as the config names it."""
    given = {"guardrail": GUARDRAIL, "mode": mode, "policy": policy, **params}
    return {"guardrail_name": name, "litellm_params": given}


def model(name, **params):
    """Return a model as the config names it."""
    return {"model_name": name, "litellm_params": {"api_key": "none", **params}}


@dataclass
class Proxy:
    """Where the proxy listens, its key, and the file of its log."""

    base: str
    key: str
    records: Path

    def post(self, path, **body):
        """Return status and text of an answer."""
        sent = urllib.request.Request(
            self.base + path,
            json.dumps(body).encode(),
            {"content-type": "application/json", "authorization": f"Bearer {self.key}"},
        )
        try:
            with urllib.request.urlopen(sent, timeout=UP_S) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as exc:
            return exc.code, exc.read().decode()

    def logged(self, sign):
        """Return the record of the call whose messages hold `sign`; its log comes later."""
        until = time.monotonic() + LOGGED_S
        while time.monotonic() < until:
            lines = self.records.read_text().splitlines() if self.records.exists() else []
            for line in lines:
                if sign in line:
                    return json.loads(line)
            time.sleep(0.05)
        raise AssertionError(f"no record of a call with {sign!r} in {self.records}")


def _free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def started(folder, config, port=0, key=""):
    """Start the proxy; it writes to `out.txt` of the folder."""
    (folder / "config.yaml").write_text(json.dumps(config))  # YAML holds JSON
    (folder / "proxy_log.py").write_text(LOG)
    ours = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environ = {
        **ours,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MASTER_KEY": key or f"sk-{secrets.token_hex(20)}",
        "LITELLM_MODE": "PRODUCTION",
        "RECORDS": str(folder / "records.jsonl"),
    }
    command = [Path(sys.executable).with_name("litellm"), "--config", folder / "config.yaml"]
    with (folder / "out.txt").open("w") as out:
        return subprocess.Popen(
            [*map(str, command), "--host", "127.0.0.1", "--port", str(port or _free_port())],
            env=environ, stdout=out, stderr=subprocess.STDOUT, cwd=folder,
        )  # fmt: skip


@contextmanager
def proxy(folder, models, guardrails):
    """Run the proxy while the block does."""
    port, key = _free_port(), f"sk-{secrets.token_hex(20)}"
    settings = {"callbacks": "proxy_log.log"}
    config = {"model_list": models, "guardrails": guardrails, "litellm_settings": settings}
    process = started(folder, config, port, key)
    made = Proxy(f"http://127.0.0.1:{port}", key, folder / "records.jsonl")
    try:
        _wait_for(made, process, folder)
        yield made
    finally:
        process.terminate()
        process.wait()


def _wait_for(made, process, folder):
    until = time.monotonic() + UP_S
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"{made.base}/health/liveliness", timeout=5).read()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"the proxy did not start:\n{(folder / 'out.txt').read_text()[-2000:]}")
