"""Reads citations and tool results from events of Bedrock, agents and UI streams."""

from __future__ import annotations

from typing import Any

from streamguard.core.model.brought import Brought, CitedSpan
from streamguard.wire.brought.tool_passages import (
    Brings,
    ListReader,
    bounded,
    documents,
    names_of,
    of_tool,
    texts_of,
    whole_number,
)
from streamguard.wire.fields import field, text_at


@bounded
def brought_by_bedrock(frame: Any, listed: ListReader) -> Brings:
    """Yield the citation of a block from an event of ConverseStream."""
    block = field(frame, "contentBlockDelta")
    index, delta = str(field(block, "contentBlockIndex") or 0), field(block, "delta")
    if (cited := field(delta, "citation")) is not None:
        names, quoted = (
            names_of(cited, ("source", "title")),
            texts_of(listed(cited, "sourceContent")),
        )
        source = names[-1] if names else None
        yield 0, Brought(citations=(CitedSpan(names, quoted, block=index, source=source),))
    elif field(frame, "contentBlockStop") is not None:
        # Blocks of text are not said to begin: the next one does here.
        stopped = whole_number(field(frame, "contentBlockStop"), "contentBlockIndex") or 0
        yield 0, Brought(opens=((str(stopped + 1), 0),))


@bounded
def brought_by_ui_message(frame: Any, _: ListReader) -> Brings:
    """Yield a tool's result from a part of a UI message stream."""
    if text_at(frame, "type") == "tool-output-available":
        yield 0, of_tool("tool", field(frame, "output"), text_at(frame, "toolCallId"))


@bounded
def brought_by_ag_ui(frame: Any, _: ListReader) -> Brings:
    """Yield a tool's result from an event of an agent."""
    if text_at(frame, "type") == "TOOL_CALL_RESULT":
        yield 0, of_tool("tool", field(frame, "content"), text_at(frame, "toolCallId"))


@bounded
def brought_by_dify(frame: Any, listed: ListReader) -> Brings:
    """Yield the application's retrieved passages from an event."""
    if found := listed(field(frame, "metadata"), "retriever_resources"):
        yield 0, Brought(tuple(documents("retrieval", found)), "retrieval")
