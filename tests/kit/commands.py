"""Commands as people type them, in a folder of their own and without the environment's settings."""

import pytest

from streamguard.cli import main
from streamguard.settings import VARIABLES


@pytest.fixture(autouse=True)
def _here(monkeypatch, tmp_path):
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


def run(capsys, *argv):
    """Run a command; return its status, and what it said on both streams."""
    status = main([str(argument) for argument in argv])
    return status, *capsys.readouterr()
