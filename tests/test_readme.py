"""Every block of the README runs."""

import json
import re
import shlex
from pathlib import Path

import pytest

from streamguard.cli import make_parser

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def blocks(language):
    return [text for kind, text in BLOCKS if kind == language]


@pytest.mark.parametrize("code", blocks("python"))
def test_a_python_block_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {"__name__": "__main__"})
    capsys.readouterr()


@pytest.mark.parametrize("text", blocks("json"))
def test_a_json_block_is_json(text):
    assert json.loads(text)


def commands():
    for text in blocks("console"):
        for line in text.splitlines():
            yield line.split("#")[0].strip()


@pytest.mark.parametrize("line", [line for line in commands() if line])
def test_a_command_exists(line):
    program, *words = shlex.split(line)
    if program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{words[0]}:", makefile, re.MULTILINE), line
    else:
        assert program.endswith("streamguard"), line
        make_parser(words[0]).parse_args(words)


def test_every_block_has_a_language_that_is_checked():
    assert {kind for kind, _ in BLOCKS} <= {"python", "json", "console"}
    assert len(blocks("python")) >= 3
