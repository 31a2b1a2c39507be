"""Where the text is in what a source yields: one adapter per shape of item.

The dialects of `wire/` read parsed JSON and the SDKs' objects alike, so an adapter only picks one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from streamguard import framework_items as frameworks
from streamguard.errors import ConfigError
from streamguard.wire import openai_chat

TextOf = Callable[[Any], str | Mapping[int, str] | None]


@dataclass(frozen=True, slots=True)
class Adapter:
    """How one shape of item is read.

    `text` gives an item's text (a str is choice 0), or text per choice, or None. `finished` gives
    the choices that an item ends; None where the shape has no end sign: its end is complete.
    """

    text: TextOf
    finished: Callable[[Any], Collection[int]] | None = None


def _itself(item: str) -> str:
    return item


def _of_helper(event: Any) -> dict[int, str]:
    # The helper of the OpenAI SDK says each delta twice: in the chunk, and as an event.
    return openai_chat.text_of(_field(event, "chunk"))


def _of_helper_finished(event: Any) -> set[int]:
    return openai_chat.finished(_field(event, "chunk"))


STRINGS = Adapter(_itself)
OPENAI_CHAT = Adapter(openai_chat.text_of, openai_chat.finished)
OPENAI_CHAT_HELPER = Adapter(_of_helper, _of_helper_finished)
LANGCHAIN = Adapter(frameworks.langchain_text)
LLAMA_INDEX = Adapter(frameworks.llama_index_text)
PYDANTIC_AI = Adapter(frameworks.pydantic_ai_text)


def adapter_for(item: Any) -> Adapter:
    """Return the adapter for streams whose first item is `item`.

    Raises `ConfigError` for a shape that none knows.
    """
    for fits, adapter in _KNOWN:
        if fits(item):
            return adapter
    raise ConfigError(
        f"the source's first item is a {type(item).__module__}.{type(item).__qualname__}, expected "
        "a str or an item of OpenAI (Chat Completions, Responses), Anthropic, Ollama, LangChain,"
        " LlamaIndex, pydantic-ai or the OpenAI Agents SDK (dict or SDK object); for another shape"
        " give text=, a function from an item to its str, dict[int, str] or None"
    )


def _is_str(item: Any) -> bool:
    return isinstance(item, str)


def _is_chat_frame(item: Any) -> bool:
    """Say whether `item` is a Chat Completions chunk, or the error that came in place of one."""
    choices = _field(item, "choices")
    if isinstance(choices, list | tuple):
        named = _field(item, "object") == "chat.completion.chunk"
        # Azure's first chunk is nameless and has no choices.
        return named or not choices or _field(choices[0], "delta") is not None
    return isinstance(item, Mapping) and openai_chat.is_error(item)


def _is_chat_helper_event(item: Any) -> bool:
    return _field(item, "type") == "chunk" and _is_chat_frame(_field(item, "chunk"))


def _field(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


# In the order in which an item is tried.
_KNOWN: tuple[tuple[Callable[[Any], bool], Adapter], ...] = (
    (_is_str, STRINGS),
    (_is_chat_frame, OPENAI_CHAT),
    (_is_chat_helper_event, OPENAI_CHAT_HELPER),
    (frameworks.is_langchain, LANGCHAIN),
    (frameworks.is_pydantic_ai, PYDANTIC_AI),
    (frameworks.is_llama_index, LLAMA_INDEX),
)
