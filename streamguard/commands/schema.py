"""`streamguard schema`: the JSON schema of the annotation."""

from __future__ import annotations

import argparse
import json
import sys

from streamguard.core.result import Annotation

DESCRIPTION = "Print the JSON schema of the annotation, as it hangs under the wire key."
EPILOG = """\
example:
  streamguard schema > annotation.schema.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add nothing: the schema has no variants."""


def run(args: argparse.Namespace) -> int:
    """Print the schema; return 0."""
    sys.stdout.write(json.dumps(Annotation.model_json_schema(), indent=2) + "\n")
    return 0
