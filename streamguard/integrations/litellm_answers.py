"""LiteLLM's complete answers: their text, a copy with other text, and the verdict in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litellm.types.llms.openai import ResponsesAPIResponse
from litellm.types.utils import ModelResponse, TextCompletionResponse
from openai.types.responses.response import IncompleteDetails

from streamguard.core.model.result import Annotation
from streamguard.integrations.options import KEY, as_data
from streamguard.wire.endings import AnthropicEnding
from streamguard.wire.protocols import openai_chat, openai_responses
from streamguard.wire.protocols.anthropic import ANTHROPIC
from streamguard.wire.rewriting import with_texts


def is_answer(response: Any) -> bool:
    """Return whether a response is a text answer."""
    if isinstance(response, dict):
        return ANTHROPIC.answer(response) is not None
    return isinstance(response, ModelResponse | TextCompletionResponse | ResponsesAPIResponse)


def annotated(response: Any, annotation: Annotation) -> Any:
    """Add the annotation to an answer and return it."""
    if isinstance(response, dict):
        response[KEY] = as_data(annotation)
    else:
        setattr(response, KEY, as_data(annotation))
    return response


def texts_of(response: Any) -> Mapping[int, str]:
    """Return the text of an answer, by choice."""
    if isinstance(response, dict):
        return ANTHROPIC.answer(response) or {}
    if isinstance(response, ResponsesAPIResponse):
        return openai_responses.text_of(response)
    return openai_chat.text_of(response)


def with_other_texts(response: Any, texts: Mapping[int, str], *, stopped: bool) -> Any:
    """Return a copy of an answer with these texts; `stopped`: a filter ended it.

    Raises `DecodeError` if the answer has no place for them.
    """
    changed = with_texts(response, texts, texts_of)
    if stopped and isinstance(changed, dict):
        AnthropicEnding().mark_stopped(changed)
    elif stopped and isinstance(changed, ResponsesAPIResponse):
        changed.status = "incomplete"
        changed.incomplete_details = IncompleteDetails(reason="content_filter")
    elif stopped:
        for choice in changed.choices:
            choice.finish_reason = "content_filter"
    return changed
