"""`streamguard schema`: the JSON schemas of streamguard's formats."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

from streamguard.core.explain.explanation import Explanation
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.server.request_context import ProvidedContext
from streamguard.wire.frame_schemas import wire_schema

DESCRIPTION = """\
Print a JSON schema: of the annotation (what hangs under the key "streamguard" at a stream's end
and in a plain answer, and what GET /streamguard/results/{id} returns), of a live sentence, of
what `streamguard explain --json` prints, of the context a request may give, or of the frames that
carry annotations in every protocol."""
EPILOG = """\
Releases add to the schemas and never remove from them; schema_version says which one was written.

example:
  streamguard schema > annotation.schema.json"""

_SCHEMAS: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    "annotation": Annotation.model_json_schema,
    "sentence": SentenceAnnotation.model_json_schema,
    "explanation": Explanation.model_json_schema,
    "context": ProvidedContext.model_json_schema,
    "wire": wire_schema,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the choice of schemas."""
    parser.add_argument(
        "what",
        nargs="?",
        choices=tuple(_SCHEMAS),
        default="annotation",
        help="which schema (default: %(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the schema; return 0."""
    sys.stdout.write(json.dumps(_SCHEMAS[args.what](), indent=2) + "\n")
    return 0
