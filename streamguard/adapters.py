"""Where the text is in what a source yields: one adapter per shape of item.

The dialects of `wire/` read parsed JSON and the SDKs' objects alike, so an adapter only picks one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

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


STRINGS = Adapter(_itself)
OPENAI_CHAT = Adapter(openai_chat.text_of, openai_chat.finished)


def adapter_for(item: Any) -> Adapter:
    """Return the adapter for streams whose first item is `item`.

    Raises `ConfigError` for a shape that none knows.
    """
    if isinstance(item, str):
        return STRINGS
    if _is_chat_frame(item):
        return OPENAI_CHAT
    raise ConfigError(
        f"the source's first item is a {type(item).__module__}.{type(item).__qualname__}, expected "
        "a str or an OpenAI Chat Completions chunk (dict or SDK object); for another shape give"
        " text=, a function from an item to its str, dict[int, str] or None"
    )


def _is_chat_frame(item: Any) -> bool:
    """Say whether `item` is a Chat Completions chunk, or the error that came in place of one."""
    choices = _field(item, "choices")
    if isinstance(choices, list | tuple):
        named = _field(item, "object") == "chat.completion.chunk"
        # Azure's first chunk is nameless and has no choices.
        return named or not choices or _field(choices[0], "delta") is not None
    return isinstance(item, Mapping) and openai_chat.is_error(item)


def _field(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
