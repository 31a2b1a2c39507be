"""What the integrations share: the options that `guard` takes, and its values as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from streamguard.adapters import TextOf
from streamguard.core.checks import Checks
from streamguard.core.context import Context
from streamguard.core.policy import Policy
from streamguard.core.result import Annotation, SentenceAnnotation
from streamguard.tap import OnFinding, Sink

KEY = "streamguard"  # where a framework keeps data of others, ours lies under this key
RESULT = "streamguard.result"
SENTENCE = "streamguard.sentence"

# What an answer is checked against, or a function that says so for what was asked.
ContextOf = Context | Callable[[Any], Context] | None


class Options(TypedDict, total=False):
    """The options of `guard`, but for its context."""

    policy: Policy | None
    text: TextOf | None
    checks: Checks
    live: bool
    sinks: Sequence[Sink]
    on_finding: OnFinding | None


def context_for(context: ContextOf, asked: Any) -> Context | None:
    """Return the context of the answer to what was `asked`."""
    return context(asked) if callable(context) else context


def as_data(annotation: Annotation | SentenceAnnotation) -> dict[str, Any]:
    """Return an annotation as a dict of JSON values, spans in code points."""
    data: dict[str, Any] = json.loads(annotation.to_json())
    return data
