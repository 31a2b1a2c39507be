"""Open files: raised at the start, told in the log, and the bound of what may be asked for."""

import argparse
import subprocess
import sys
from types import SimpleNamespace

import pytest

from streamguard.errors import ConfigError
from streamguard.server.proxy import app
from streamguard.server.proxy.config import MAX_OPEN_STREAMS, add_arguments
from streamguard.server.workers.descriptors import MANY, RESERVED, raised_limit

resource = pytest.importorskip("resource")


def settings(monkeypatch, files, *flags):
    monkeypatch.setattr(app, "raised_limit", lambda: files)
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return app.settings_of(parser.parse_args(["--upstream", "http://a", *flags]))


@pytest.mark.parametrize(
    ("limits", "expected", "set_to"),
    [
        ((256, 4_096), 4_096, [4_096]),
        ((4_096, 4_096), 4_096, []),
        ((256, resource.RLIM_INFINITY), MANY, [MANY]),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), MANY, []),
    ],
)
def test_the_limit_is_raised_to_the_hard_one(monkeypatch, limits, expected, set_to):
    now = SimpleNamespace(limits=limits, tried=[])

    def set_limits(_what, wanted):
        now.tried.append(wanted[0])
        now.limits = wanted

    monkeypatch.setattr(resource, "getrlimit", lambda _what: now.limits)
    monkeypatch.setattr(resource, "setrlimit", set_limits)
    assert raised_limit() == expected
    assert now.tried == set_to
    assert now.limits[1] == limits[1]


def test_more_streams_than_files_allow_are_refused(monkeypatch):
    files = RESERVED + 200
    assert settings(monkeypatch, files, "--max-open-streams", "100").max_open_streams == 100
    expected = "max-open-streams is 101, expected at most 100: each of 1 processes may have 328 fil"
    with pytest.raises(ConfigError, match=expected):
        settings(monkeypatch, files, "--max-open-streams", "101")
    flags = ("--max-open-streams", "101", "--workers", "2")
    assert settings(monkeypatch, files, *flags).max_open_streams == 101


def test_where_nothing_is_asked_for_there_are_as_many_as_files_allow(monkeypatch):
    assert settings(monkeypatch, RESERVED + 200).max_open_streams == 100
    assert settings(monkeypatch, MANY).max_open_streams == MAX_OPEN_STREAMS
    assert settings(monkeypatch, None).max_open_streams == MAX_OPEN_STREAMS
    assert settings(monkeypatch, None, "--max-open-streams", "9").max_open_streams == 9


def limited(*flags):
    """Run the proxy with a low soft and a hard limit of 1,000 open files until its first line."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (200, 1000));"
        "from streamguard.cli import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", code, "proxy", "--upstream", "http://127.0.0.1:9"]
    return subprocess.Popen([*command, "--listen", "127.0.0.1:0", *flags], stderr=subprocess.PIPE)


@pytest.mark.slow
def test_the_command_says_what_is_wrong_with_too_many():
    with limited("--max-open-streams", "4000") as child:
        said = child.stderr.read().decode()
    assert child.returncode == 2
    assert "max-open-streams is 4000, expected at most 436" in said
