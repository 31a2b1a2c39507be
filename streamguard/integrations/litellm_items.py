"""The items of LiteLLM's streams: where their text and end are, and how each is sent.

Chat Completions and Responses come as LiteLLM's own objects, Messages as bytes that may be cut
anywhere.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from copy import deepcopy
from typing import Any

from litellm.llms.openai.responses.transformation import OpenAIResponsesAPIConfig
from litellm.types.llms.openai import GenericEvent, ResponsesAPIResponse
from litellm.types.utils import ModelResponse, ModelResponseStream
from pydantic import ValidationError

from streamguard.adapters import adapter_for
from streamguard.core.model.result import Annotation
from streamguard.errors import ConfigError, DecodeError
from streamguard.integrations.options import KEY, as_data
from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent
from streamguard.wire.fields import text_at
from streamguard.wire.protocols import anthropic, openai_chat, openai_responses
from streamguard.wire.protocols.anthropic import ANTHROPIC
from streamguard.wire.reader import read_frame, sse_frame


async def frames_of(source: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield the items of a stream, bytes regrouped into events; closes the source."""
    decoder = SSEDecoder()
    try:
        async for item in source:
            for each in decoder.feed(item) if isinstance(item, bytes) else (item,):
                yield each
        for each in decoder.close():
            yield each
    finally:
        aclose = getattr(source, "aclose", None)
        if aclose is not None:
            await aclose()


class EventData(dict[str, Any]):
    """An event's data together with the event.

    A copy of it is a plain dict: holding copies an item in order to change it, so the type
    distinguishes unchanged items.
    """

    def __init__(self, event: SSEEvent) -> None:
        super().__init__(parsed(event))
        self.event = event

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return deepcopy(dict(self), memo)


async def told_frames_of(source: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield the items of a stream like `frames_of`, events as their data."""
    frames = frames_of(source)
    try:
        async for item in frames:
            yield EventData(item) if isinstance(item, SSEEvent) else item
    finally:
        await frames.aclose()  # type: ignore[attr-defined]


def as_sent(item: Any) -> Any:
    """Return an item of a stream in the form that the route sends."""
    if isinstance(item, EventData):
        item = item.event
    return item.raw if isinstance(item, SSEEvent) else item


def made_for(first: Any, item: Any) -> Any:
    """Return an item, in the form that the route of the stream's `first` item sends.

    A plain dict is one of ours: a copy with other text, or a frame that ends the answer.
    """
    if not isinstance(item, dict) or isinstance(item, EventData):
        return as_sent(item)
    kind = text_at(item, "type")
    if isinstance(first, EventData):
        return sse_frame(json.dumps(item, separators=(",", ":")), "\n", kind or None)
    if kind.startswith("response."):
        try:
            return OpenAIResponsesAPIConfig.get_event_model_class(kind)(**item)
        except ValidationError:  # its classes ask for more than the protocol does
            return GenericEvent(**item)
    return item


def is_known(item: Any) -> bool:
    """Return whether an item's shape determines how the stream is read."""
    try:
        return not isinstance(item, str) and adapter_for(item) is not None
    except ConfigError:
        return False


class End:
    """Detects the beginning of an answer's end, by the protocol of its items.

    It is the usage chunk in Chat Completions, if there is one; the last event in Responses; the
    event with the stop reason in Messages.
    """

    def __init__(self) -> None:
        self._over = False
        self._seen: set[int] = set()  # choices that spoke
        self._ended: set[int] = set()

    @property
    def broken(self) -> bool:
        """Whether some choice with text has not ended."""
        return not self._over and not self._seen <= self._ended

    def __call__(self, item: Any) -> bool:
        """Return whether the end begins with this item; call it for every item in order."""
        if isinstance(item, ModelResponseStream):
            if openai_chat.is_usage(item, self._ended):
                return True
            self._seen.update(openai_chat.text_of(item))
            self._ended.update(openai_chat.finished(item))
            return False
        if isinstance(item, SSEEvent | dict) and not text_at(item, "type").startswith("response."):
            frame = parsed(item) if isinstance(item, SSEEvent) else item
            ends, said = anthropic.finished(frame), anthropic.text_of(frame)
        else:
            ends = openai_responses.finished(item)
            said = {0: ""} if self._seen or openai_responses.brings_text(item) else {}
        self._seen.update(said)
        failed = text_at(item, "type") == "response.failed"
        self._over = bool(ends) and not failed
        return bool(ends)


def attached(annotation: Annotation, end: Any) -> Any:
    """Return the end of an answer with the annotation added, if it has room."""
    if isinstance(end, SSEEvent):
        raw = ANTHROPIC.reader().attached(end, annotation.to_json())
        return end if raw is None else SSEEvent(raw, end.event, end.data)
    if isinstance(end, EventData):
        return attached(annotation, end.event)
    if isinstance(end, dict):
        data = as_data(annotation)
        if anthropic.finished(end):
            return {**end, KEY: data}
        is_response = bool(openai_responses.finished(end))
        return {**end, "response": {**end["response"], KEY: data}} if is_response else end
    if openai_responses.finished(end):
        setattr(end.response, KEY, as_data(annotation))
    return end


def parsed(event: SSEEvent) -> Mapping[str, Any]:
    """Return an event's data, {} if it is no JSON object."""
    try:
        return read_frame(event.data or "")
    except DecodeError:
        return {}


def reading() -> Callable[[Any], Any]:
    """Return a reader of one stream's text that counts each part of a response once."""
    output = openai_responses.OutputText()

    def text(item: Any) -> Any:
        is_response = text_at(item, "type").startswith("response.")
        return output.take(item) if is_response else text_in_item(item)

    return text


def text_in_item(item: Any) -> Any:
    """Return the text of any route's item, none of an unknown one."""
    if isinstance(item, ModelResponse | ModelResponseStream):
        return openai_chat.text_of(item)
    if isinstance(item, SSEEvent):
        return anthropic.text_of(parsed(item))
    if isinstance(item, ResponsesAPIResponse):
        return openai_responses.text_of(item)
    if isinstance(item, dict) and (whole := ANTHROPIC.answer(item)) is not None:
        return whole
    try:
        return None if isinstance(item, str) else adapter_for(item).text(item)
    except ConfigError:
        return None


def chunk_with(last: ModelResponseStream, data: Mapping[str, Any]) -> ModelResponseStream:
    """Return a chunk like the last one, with our annotation and without text."""
    choice = {"index": 0, "delta": {}, "finish_reason": None}
    return ModelResponseStream(
        id=last.id,
        created=last.created,
        model=last.model,
        choices=[choice],
        # LiteLLM's proxy serialises keys of others only beside these.
        provider_specific_fields={KEY: data},
        **{KEY: data},
    )
