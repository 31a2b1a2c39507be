"""Finds the text in the items of a source: one adapter per shape of item.

The dialects of `wire/` read parsed JSON and SDK objects alike, so an adapter only selects one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pydantic import BaseModel

from streamguard import framework_evidence as evidence
from streamguard import framework_items as frameworks
from streamguard.core.model.brought import Brought
from streamguard.errors import ConfigError
from streamguard.wire.brought import in_agents, in_chat, in_gemini, in_messages, in_responses
from streamguard.wire.endings import (
    AnthropicEnding,
    ChatEnding,
    Ending,
    GeminiEnding,
    OllamaEnding,
    ResponsesEnding,
    event_like,
    item_like,
)
from streamguard.wire.fields import field, text_at
from streamguard.wire.found import checked_path, path_of, value_at
from streamguard.wire.protocols import (
    anthropic,
    bedrock,
    gemini,
    ollama,
    openai_chat,
    openai_responses,
)

TextOf = Callable[[Any], str | Mapping[int, str] | None]
Brings = Callable[[Any], Iterable[tuple[int, Brought]]]
TextAt = TextOf | str  # a function, or a path with dots between its names


@dataclass(frozen=True, slots=True)
class Adapter:
    """How items of one shape are read.

    `text` returns an item's text (a str is choice 0), or text per choice, or None. `finished`
    returns the choices that an item ends; None for a shape without end sign, where the end of the
    stream is a complete answer. `unread`: whether an item may have held text that was not read.
    `goes_on`: whether another answer may follow an end sign. `brings` returns an item's passages
    and citations by choice; it is called for an item that has no text or ends a choice, and always
    if both may come together (`brings_along`).

    For held streams: `reads` returns the text of any single item, whereas `text` must see all in
    order; `ending` makes the frames that end a stopped answer, `made` turns such a frame into an
    item like another one.
    """

    text: TextOf
    finished: Callable[[Any], Collection[int]] | None = None
    unread: Callable[[], bool] = lambda: False
    goes_on: bool = False
    brings: Brings | None = None
    brings_along: bool = False
    reads: TextOf | None = None
    ending: Callable[[], Ending] = Ending
    made: Callable[[Any, Any], Any] = item_like


def _responses_finished(event: Any) -> set[int]:
    # For the library a response that failed broke off, though it says so itself.
    return (
        set() if text_at(event, "type") == "response.failed" else openai_responses.finished(event)
    )


def _of_responses(
    finished: Callable[[Any], Collection[int]], event_in: Callable[[Any], Any]
) -> Adapter:
    """Return the adapter for a stream of one or more Responses; each part is read once."""
    output, unread = openai_responses.OutputText(), False

    def read(item: Any) -> str:
        nonlocal output, unread
        event = event_in(item)
        text = output.take(event) if text_at(event, "type") else output.rest_of(event)
        unread = unread or output.unread
        if openai_responses.finished(event):  # a run may have further responses
            output = openai_responses.OutputText()
        return text

    goes_on = finished is frameworks.agents_finished
    return Adapter(
        read,
        finished,
        lambda: unread,
        goes_on,
        brings=lambda item: in_responses.brought_in(event_in(item)),
        reads=lambda item: openai_responses.text_of(event_in(item)),
        ending=ResponsesEnding,
        made=lambda example, frame: event_like(event_in(example), frame),
    )


def _of_chat() -> Adapter:
    """Return the adapter for a stream of Chat Completions; items without text are watched."""
    reader = openai_chat.ChatReader()

    def read(item: Any) -> Mapping[int, str]:
        texts = openai_chat.text_of(item)
        if not texts:
            is_model = isinstance(item, BaseModel)
            # Without what an SDK's class has and the frame had not.
            reader.look(item.model_dump(exclude_none=True, warnings=False) if is_model else item)
        reader.count_texts(texts)
        return texts

    return Adapter(
        read,
        openai_chat.finished,
        lambda: reader.unread,
        brings=in_chat.brought_in,
        reads=openai_chat.text_of,
        ending=ChatEnding,
    )


STRINGS = Adapter(lambda item: item)
OPENAI_CHAT = Adapter(openai_chat.text_of, openai_chat.finished, brings=in_chat.brought_in)
# The OpenAI SDK's helper yields each delta twice: in the chunk, and as an event.
OPENAI_CHAT_HELPER = Adapter(
    lambda event: openai_chat.text_of(field(event, "chunk")),
    lambda event: openai_chat.finished(field(event, "chunk")),
    brings=lambda event: in_chat.brought_in(field(event, "chunk")),
)
OPENAI_RESPONSES = Adapter(
    openai_responses.text_of, _responses_finished, brings=in_responses.brought_in
)
ANTHROPIC = Adapter(
    anthropic.text_of,
    anthropic.finished,
    brings=in_messages.brought_in,
    ending=AnthropicEnding,
    made=event_like,
)
GEMINI = Adapter(
    gemini.text_of,
    gemini.finished,
    brings=in_gemini.brought_in,
    brings_along=True,
    ending=GeminiEnding,
)
OLLAMA = Adapter(ollama.text_of, ollama.finished, ending=OllamaEnding)
BEDROCK = Adapter(bedrock.text_of, bedrock.finished, brings=in_agents.brought_by_bedrock)
AGENTS = Adapter(
    frameworks.agents_text,
    frameworks.agents_finished,
    brings=lambda item: in_responses.brought_in(field(item, "data")),
)
LANGCHAIN = Adapter(frameworks.langchain_text)
LLAMA_INDEX = Adapter(frameworks.llama_index_text)
PYDANTIC_AI = Adapter(frameworks.pydantic_ai_text)


def _of_langchain() -> Adapter:
    """Return the adapter of one stream of LangChain's."""
    return replace(LANGCHAIN, brings=evidence.LangChainEvidence().brings, brings_along=True)


def _of_pydantic_ai() -> Adapter:
    """Return the adapter of one stream of pydantic-ai's events."""
    return replace(PYDANTIC_AI, brings=evidence.PydanticAIEvidence().brings, brings_along=True)


def _of_llama_index() -> Adapter:
    """Return the adapter of one LlamaIndex stream, whose items hold their provider's frames."""
    known: Adapter | None = None

    def brings(item: Any) -> Iterable[tuple[int, Brought]]:
        nonlocal known
        yield from evidence.brought_by_llama_index(item)
        if isinstance(raw := field(item, "raw"), str | None):
            return
        known = known or next((found for fits, found in _KNOWN if fits(raw)), LLAMA_INDEX)
        if known.brings is not None:
            yield from known.brings(raw)

    return replace(LLAMA_INDEX, brings=brings, brings_along=True)


def text_by(text: TextAt) -> TextOf:
    """Return the application's function, or one that reads the path it named."""
    if not isinstance(text, str):
        return text
    return partial(value_at, path=path_of(checked_path(text) or ""))


def adapter_for(item: Any) -> Adapter:
    """Return the adapter for streams whose first item is `item`.

    Raises `ConfigError` for an unknown shape.
    """
    for fits, adapter in _KNOWN:
        if fits(item):
            return adapter
    raise ConfigError(
        f"the source's first item is a {type(item).__module__}.{type(item).__qualname__}, expected "
        "a str or an item of OpenAI (Chat Completions, Responses), Anthropic, Gemini, Ollama,"
        " Bedrock, LangChain, LlamaIndex, pydantic-ai or the OpenAI Agents SDK (dict or SDK"
        " object); for another shape give text=, a path as data.text or a function from an item to"
        " its str, dict[int, str] or None"
    )


def also_bringing(adapter: Adapter, first: Any) -> Adapter:
    """Add to an application's adapter the passages and citations in items like `first`."""
    try:
        found = adapter_for_stream(first)
    except ConfigError:
        return replace(adapter, brings=evidence.brought_by_documents)
    return replace(adapter, brings=found.brings, brings_along=found.brings_along)


def adapter_for_stream(first: Any) -> Adapter:
    """Return the adapter for one stream by its first item; it must read all items in order.

    Raises as `adapter_for` does.
    """
    found = adapter_for(first)
    for known, of_stream in _WITH_STATE:
        if found is known:
            return of_stream()
    if found is OPENAI_RESPONSES:
        return _of_responses(_responses_finished, lambda item: item)
    if found is AGENTS:
        return _of_responses(frameworks.agents_finished, lambda item: field(item, "data"))
    return found


def _is_chat_frame(item: Any) -> bool:
    """Return whether `item` is a Chat Completions chunk, or an error in place of one."""
    choices = field(item, "choices")
    if isinstance(choices, list | tuple):
        named = field(item, "object") == "chat.completion.chunk"
        # Azure's first chunk is nameless and has no choices.
        has_delta = field(choices[0], "delta") is not None if choices else True
        return named or has_delta or openai_chat.is_completion(item)
    return isinstance(item, Mapping) and openai_chat.is_error(item)


def _is_chat_helper_event(item: Any) -> bool:
    return text_at(item, "type") == "chunk" and _is_chat_frame(field(item, "chunk"))


def _is_gemini_response(item: Any) -> bool:
    if isinstance(field(item, "candidates"), list | tuple):
        return True
    # A prompt that was blocked, or usage ahead of the first candidate.
    return any(field(item, name) is not None for name in gemini.SIDE_FIELDS)


def _is_ollama_line(item: Any) -> bool:
    has_text = field(item, "message") is not None or isinstance(field(item, "response"), str)
    return has_text and isinstance(field(item, "done"), bool)


_WITH_STATE: tuple[tuple[Adapter, Callable[[], Adapter]], ...] = (
    (OPENAI_CHAT, _of_chat),
    (LANGCHAIN, _of_langchain),
    (LLAMA_INDEX, _of_llama_index),
    (PYDANTIC_AI, _of_pydantic_ai),
)
# In the order in which the shapes are tried.
_KNOWN: tuple[tuple[Callable[[Any], bool], Adapter], ...] = (
    (lambda item: isinstance(item, str), STRINGS),
    (_is_chat_frame, OPENAI_CHAT),
    (_is_chat_helper_event, OPENAI_CHAT_HELPER),
    (lambda item: text_at(item, "type") == "error", OPENAI_RESPONSES),
    (lambda item: text_at(item, "type").startswith("response."), OPENAI_RESPONSES),
    (lambda item: text_at(item, "type") in anthropic.EVENTS, ANTHROPIC),
    (_is_gemini_response, GEMINI),
    (_is_ollama_line, OLLAMA),
    (
        lambda item: isinstance(item, Mapping) and any(name in item for name in bedrock.EVENTS),
        BEDROCK,
    ),
    (frameworks.is_agents, AGENTS),
    (frameworks.is_langchain, LANGCHAIN),
    (frameworks.is_pydantic_ai, PYDANTIC_AI),
    (frameworks.is_llama_index, LLAMA_INDEX),
)
