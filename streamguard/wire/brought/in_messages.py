"""Reads tool results and block citations from events of Anthropic's Messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.core.model.brought import Brought, CitedSpan
from streamguard.core.model.types import Where
from streamguard.wire.brought.tool_passages import (
    Brings,
    ListReader,
    bounded,
    names_of,
    of_tool,
    passage,
    texts_of,
)
from streamguard.wire.fields import field, text_at

_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})
# Blocks that hold a tool's result, by their type.
_RESULTS: Mapping[str, Where] = {
    "mcp_tool_result": "mcp",
    "web_search_tool_result": "web_search",
    "web_fetch_tool_result": "web_fetch",
    "code_execution_tool_result": "code",
    "bash_code_execution_tool_result": "code",
    "text_editor_code_execution_tool_result": "code",
}
_OUTPUTS = ("stdout", "stderr", "content")  # of a program
_NAMES = ("url", "source", "document_title", "title")  # of what a citation cites


@bounded
def brought_in(frame: Any, listed: ListReader) -> Brings:
    """Yield the passages and citations of a frame or a complete message, all for choice 0."""
    kind = text_at(frame, "type")
    if kind == "content_block_delta":
        delta = field(frame, "delta")
        if text_at(delta, "type") == "citations_delta":
            cited = _cited(field(delta, "citation"), _block(field(frame, "index")))
            yield 0, Brought(citations=(cited,))
    elif kind == "content_block_start":
        block, at = field(frame, "content_block"), _block(field(frame, "index"))
        yield from brought_by_block(block, at, 0, listed)
    elif kind == "message":
        further = 0
        for index, block in enumerate(listed(frame, "content")):
            yield from brought_by_block(block, _block(index), further, listed)
            further += len(text_at(block, "text")) if text_at(block, "type") == "text" else 0


def brought_by_block(block: Any, at: str, further: int, listed: ListReader) -> Brings:
    """Yield the passages, citations and calls of a block, all of choice 0.

    Of a text, `at` names the block, and it begins `further` code points on.
    """
    kind = text_at(block, "type")
    if kind == "text":
        cited = tuple(_cited(each, at) for each in listed(block, "citations"))
        yield 0, Brought(citations=cited, opens=((at, further),))
    elif kind in _CALLS:
        yield 0, Brought(awaits=text_at(block, "id"))
    elif (where := _RESULTS.get(kind)) is not None:
        yield 0, _result(where, block, text_at(block, "tool_use_id"), listed)
    elif kind.endswith("_tool_result"):  # of a tool that shows nothing, as a search for tools
        yield 0, Brought(returns=text_at(block, "tool_use_id"))


def _block(index: Any) -> str:
    return str(index or 0)


def _result(where: Where, block: Any, id: str, listed: ListReader) -> Brought:
    """Return a tool's result; nothing for an error or an encrypted page."""
    content = field(block, "content")
    if field(block, "is_error") is True or text_at(content, "type").endswith("_error"):
        return Brought(where=where, returns=id)
    if where == "mcp":
        return of_tool(where, content, id)
    if where == "web_search":
        chunks = []
        for number, page in enumerate(listed(block, "content"), 1):
            text, url = (
                text_at(page, "text") or texts_of(listed(page, "content")),
                text_at(page, "url"),
            )
            chunks += passage(where, text, f"{id}/{number}", url or None)
        return Brought(tuple(chunks), where, returns=id)
    if where == "web_fetch":
        source = field(field(content, "content"), "source")
        text = text_at(source, "data") if text_at(source, "type") == "text" else ""
        chunks = passage(where, text, id, text_at(content, "url") or None)
        return Brought(tuple(chunks), where, returns=id)
    return of_tool(where, "\n".join(names_of(content, _OUTPUTS)), id)


def _cited(citation: Any, block: str) -> CitedSpan:
    """Return a citation that covers all of a block, with the cited words of the document."""
    names = names_of(citation, _NAMES)
    source = names[0] if names else None
    return CitedSpan(names, text_at(citation, "cited_text"), block=block, source=source)
