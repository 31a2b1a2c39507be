"""`streamguard schema`: the JSON schema of the annotation."""

from __future__ import annotations

import argparse
import json
import sys

from streamguard.core.result import Annotation

DESCRIPTION = """\
Print the JSON schema of the annotation: what hangs under the key "streamguard" in a stream's last
chunk and in a plain answer, and what GET /streamguard/results/{id} returns."""
EPILOG = """\
Releases add to the schema and never remove from it; schema_version says which one was written.

example:
  streamguard schema > annotation.schema.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the schema has no variants."""


def run(args: argparse.Namespace) -> int:
    """Print the schema; return 0."""
    sys.stdout.write(json.dumps(Annotation.model_json_schema(), indent=2) + "\n")
    return 0
