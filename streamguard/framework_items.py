"""Finds the text in frameworks' items by their shape alone; no framework is imported.

Each `is_…` returns whether an item has that shape, each `…_text` an item's text. Only the visible
answer is text: reasoning, tool calls and tool results are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.fields import field, message_text, text_at
from streamguard.wire.protocols import openai_responses

_ANSWERS = {"AIMessageChunk", "ai"}
_MESSAGES = _ANSWERS | {
    "human",
    "system",
    "tool",
    "function",
    "HumanMessageChunk",
    "ToolMessageChunk",
}
# The modes in which a graph streams, if each item names its mode.
_MODES = {"messages", "updates", "values", "custom", "debug", "tasks", "checkpoints"}
_AGENTS = {"raw_response_event", "run_item_stream_event", "agent_updated_stream_event"}


def is_langchain(item: Any) -> bool:
    """Return whether `item` is a LangChain message, a graph's pair of one, or an event.

    Of a graph that streams in several modes, each item has its mode beside it.
    """
    if _mode_of(item) or is_langchain_event(item):
        return True
    if isinstance(item, tuple):
        return len(item) == 2 and field(item[0], "type") in _MESSAGES
    return text_at(item, "type") in _ANSWERS


def langchain_text(item: Any) -> str:
    """Return a message's text, without content blocks of other types.

    Messages of other roles, as in graphs, have no answer text. Only chat models' events count:
    chains repeat them.
    """
    if is_langchain_event(item):
        item = item["data"].get("chunk") if item["event"] == "on_chat_model_stream" else None
    else:
        item = as_langchain_message(item)
    if text_at(item, "type") not in _ANSWERS:
        return ""
    return message_text(item) + text_at(item, "additional_kwargs", "refusal")


def as_langchain_message(item: Any) -> Any:
    """Return the message in an item that is no event, None for a state of a graph."""
    if mode := _mode_of(item):
        if mode != "messages":
            return None
        item = item["data"] if isinstance(item, Mapping) else item[-1]
    if isinstance(item, tuple):  # stream_mode="messages" of a graph: message and metadata
        item = item[0] if item else None
    return item if field(item, "type") in _MESSAGES else None


def is_langchain_event(item: Any) -> bool:
    """Return whether `item` is an event of `astream_events`."""
    return isinstance(item, Mapping) and {"event", "run_id", "data"} <= item.keys()


def _mode_of(item: Any) -> str:
    """Return the mode in which a graph streams an item, an empty one where it does not tell.

    It stands in front of it, behind the subgraph's name or not, or in a dict beside it.
    """
    mode: Any = None
    if isinstance(item, tuple) and len(item) in (2, 3):
        mode = item[-2]
    elif isinstance(item, Mapping) and {"type", "ns", "data"} <= item.keys():
        mode = item["type"]
    return mode if isinstance(mode, str) and mode in _MODES else ""


def is_llama_index(item: Any) -> bool:
    """Return whether `item` is a LlamaIndex completion, chat response or event of a workflow.

    Only their responses have a delta beside the provider's raw frame.
    """
    if isinstance(item, Mapping):
        return False
    if all(hasattr(item, name) for name in ("delta", "raw", "additional_kwargs")):
        return True
    modules = {base.__module__ for base in type(item).__mro__ if base.__name__ == "Event"}
    return any(name.startswith(("workflows.", "llama_index.")) for name in modules)


def llama_index_text(item: Any) -> str:
    """Return the delta: `text` and `message` hold the answer so far."""
    return text_at(item, "delta")


def is_pydantic_ai(item: Any) -> bool:
    """Return whether `item` is an event of a pydantic-ai agent."""
    return isinstance(field(item, "event_kind"), str)


def pydantic_ai_text(item: Any) -> str:
    """Return the text that an event adds: a part may begin with text, deltas add the rest."""
    kind = field(item, "event_kind")
    if kind == "part_start":
        part = field(item, "part")
        return text_at(part, "content") if field(part, "part_kind") == "text" else ""
    delta = field(item, "delta") if kind == "part_delta" else None
    return text_at(delta, "content_delta") if field(delta, "part_delta_kind") == "text" else ""


def is_agents(item: Any) -> bool:
    """Return whether `item` is a stream event of the OpenAI Agents SDK."""
    return text_at(item, "type") in _AGENTS


def agents_text(item: Any) -> dict[int, str]:
    """Return the text of the model's event inside, in any turn of the run."""
    return openai_responses.text_of(field(item, "data"))


def agents_finished(item: Any) -> set[int]:
    """Return choice 0 if the model's event inside is a response's last."""
    return openai_responses.finished(field(item, "data"))
