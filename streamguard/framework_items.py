"""Where the text is in what frameworks yield: told by shape alone, no framework is imported.

Each `is_…` says whether an item is of that shape, each `…_text` gives an item's text. Only the
visible answer is text: reasoning, tool calls and tool results are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PYDANTIC_AI = {"part_start", "part_delta", "part_end", "final_result"}
_AGENTS = {"raw_response_event", "run_item_stream_event", "agent_updated_stream_event"}


def is_langchain(item: Any) -> bool:
    """Say whether `item` is a LangChain message of the model, in pieces or whole."""
    return _field(item, "type") in {"AIMessageChunk", "ai"}


def langchain_text(item: Any) -> str:
    """Return a message's text; content blocks that are no text are left out.

    Messages of other roles, which a graph mixes in, have no text of the answer.
    """
    if not is_langchain(item):
        return ""
    content = _field(item, "content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else ()
    return "".join(block if isinstance(block, str) else _block_text(block) for block in blocks)


def is_llama_index(item: Any) -> bool:
    """Say whether `item` is a LlamaIndex completion or chat response.

    Only theirs have a delta beside what was raw in the provider's frame.
    """
    names = ("delta", "raw", "additional_kwargs")
    return not isinstance(item, Mapping) and all(hasattr(item, name) for name in names)


def llama_index_text(item: Any) -> str:
    """Return the delta: `text` and `message` hold the answer so far."""
    return _string(item, "delta")


def is_pydantic_ai(item: Any) -> bool:
    """Say whether `item` is an event of a pydantic-ai model response."""
    return _field(item, "event_kind") in _PYDANTIC_AI


def pydantic_ai_text(item: Any) -> str:
    """Return the text that an event adds: a part may begin with text, deltas bring the rest."""
    kind = _field(item, "event_kind")
    if kind == "part_start":
        part = _field(item, "part")
        return _string(part, "content") if _field(part, "part_kind") == "text" else ""
    delta = _field(item, "delta") if kind == "part_delta" else None
    return _string(delta, "content_delta") if _field(delta, "part_delta_kind") == "text" else ""


def is_agents(item: Any) -> bool:
    """Say whether `item` is a stream event of the OpenAI Agents SDK."""
    return _field(item, "type") in _AGENTS


def _block_text(block: Any) -> str:
    return _string(block, "text") if _field(block, "type") == "text" else ""


def _string(owner: Any, name: str) -> str:
    found = _field(owner, name)
    return found if isinstance(found, str) else ""


def _field(owner: Any, name: str) -> Any:
    return owner.get(name) if isinstance(owner, Mapping) else getattr(owner, name, None)
