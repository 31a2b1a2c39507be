"""Shared by the integrations: the options of `guard`, and annotations as plain data."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from inspect import iscoroutine
from typing import Any, TypedDict

from streamguard.adapters import TextOf
from streamguard.core.checks import Checks
from streamguard.core.context import Context, LateContext
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.errors import ConfigError
from streamguard.stream import ContextSource
from streamguard.tap import OnFinding, Sink, logger
from streamguard.verify.judge import Judge
from streamguard.verify.verifier import Ask, Scorer

KEY = "streamguard"  # where a framework keeps data of others, ours lies under this key
RESULT = "streamguard.result"
SENTENCE = "streamguard.sentence"

# An answer's context, or a function that returns it for the request, at once or as an awaitable;
# None if unknown.
ContextOf = Context | LateContext | Callable[[Any], Context | Awaitable[Context] | None] | None


class Options(TypedDict, total=False):
    """The options of `guard`, without the context."""

    policy: Policy | str | None
    text: TextOf | None
    checks: Checks
    live: bool
    sinks: Sequence[Sink]
    on_finding: OnFinding | None
    judge: Judge | str | None
    scorers: Sequence[Scorer | Ask]
    verifiers: Sequence[Scorer | Ask]  # the same, by their earlier name


def context_for(context: ContextOf, asked: Any) -> ContextSource | None:
    """Return the context for a request, `asked`.

    A function that raises harms no answer: its error is listed in the result. A `ConfigError` about
    its arguments is raised, as it would recur with every answer.
    """
    if not callable(context):
        return context
    try:
        return context(asked)
    except ConfigError:
        raise
    except Exception as exc:
        return _failed(exc)


def context_now(context: ContextOf, asked: Any) -> Context | LateContext | None:
    """Return the context where nothing can be awaited; a function's error is logged."""
    if not callable(context):
        return context
    try:
        made = context(asked)
    except ConfigError:
        raise
    except Exception:
        logger.exception("the context could not be made")
        return None
    if made is None or isinstance(made, Context):
        return made
    why = "give Context(chunks=...)"
    if iscoroutine(made):
        made.close()
        why = "this is no async code"
    raise ConfigError(f"the context is a {type(made).__name__}, expected Context: {why}")


async def _failed(error: Exception) -> Context:
    raise error


def as_data(annotation: Annotation | SentenceAnnotation) -> dict[str, Any]:
    """Return an annotation as a dict of JSON values, spans in code points."""
    data: dict[str, Any] = json.loads(annotation.to_json())
    return data
