"""The tutorial, typed: its files are written, its commands run, and what they print is read."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.documents import ROOT, blocks

PAGE = "docs/tutorial.md"
INSTALLING = "pip install"  # the tests' own environment has what it installs
PATIENCE_S = 120


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.fixture
def typed(tmp_path):
    """Do what the tutorial says in a folder of its own; return what its last command printed."""
    ports = {"9000": free_port(), "8000": free_port()}

    def on_free_ports(text):
        for said, free in ports.items():
            text = text.replace(said, free)
        return text

    lines = []
    for block in blocks(PAGE):
        if block.title is not None and block.language != "text":
            file = tmp_path / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(on_free_ports(block.text), encoding="utf-8")
        elif block.language == "console" and INSTALLING not in block.text:
            lines.append(on_free_ports(block.text))
    env = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")}
    # The folder of the interpreter has the command too; this checkout's package goes first.
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    env |= {"PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1"}
    shell = subprocess.Popen(
        ["bash", "-e", "-c", "".join(lines)],
        cwd=tmp_path,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        shell.wait(PATIENCE_S)
    finally:
        os.killpg(shell.pid, signal.SIGTERM)  # the servers that were left running
        out, err = shell.communicate()
    assert shell.returncode == 0, err
    return out


@pytest.mark.slow
def test_who_follows_the_tutorial_has_an_application_that_finds_the_wrong_price(typed):
    events = [event for event in typed.split("\n\n") if "data: " in event]
    *pieces, verdict = events
    texts = [json.loads(piece.partition("data: ")[2])["text"] for piece in pieces]
    assert len(texts) > 3
    assert "".join(texts) == "The Basic plan costs $59 per month. It includes one seat."
    assert verdict.startswith("event: verdict\n")
    result = json.loads(verdict.partition("data: ")[2])
    assert result["status"] == "WARN"
    (finding,) = [each for each in result["findings"] if each["severity"] == "warning"]
    assert finding["value"] == "$59 per month"
    assert finding["nearest"]["value"] == "$49 per month"


def test_the_tutorials_own_words_are_those_of_its_result():
    (shown,) = [block.text for block in blocks(PAGE) if block.language == "text"]
    for word in ("event: verdict", '"WARN"', '"$59 per month"', '"$49 per month"'):
        assert word in shown
