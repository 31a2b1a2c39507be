"""`streamguard record`: the proxy with recording of every checked answer."""

from __future__ import annotations

import argparse
from pathlib import Path

from streamguard.commands.proxy import run
from streamguard.server.proxy import config

__all__ = ["DESCRIPTION", "EPILOG", "add_arguments", "run"]

FOLDER = "recordings"
DESCRIPTION = f"""\
Keep streams as they pass: streamguard proxy with --record {FOLDER}. Point a client to it, and every
checked answer is appended to a file of JSON lines: question, passages, and the pieces of the answer
with the milliseconds at which they came; no header and no key. They are your users' words: only the
files' owner may read them, and deleting them is yours."""
EPILOG = f"""\
example:
  streamguard record --upstream https://api.openai.com/v1
  streamguard replay {FOLDER}/2026-11-22-4711.jsonl --split recorded
  streamguard audit {FOLDER} --out audits/recorded --compare strict"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the proxy, with a default folder for recordings."""
    config.add_arguments(parser, record=Path(FOLDER))
