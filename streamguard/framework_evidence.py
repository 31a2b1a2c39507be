"""Finds passages, citations and calls in frameworks' items by their shape; imports no framework.

Documents and nodes are passages wherever they stand in an item. A reader of LangChain's or
pydantic-ai's items keeps state, since their blocks of text are counted anew in each turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from streamguard.core.model.brought import Brought, CitedSpan
from streamguard.core.model.chunks import as_chunks
from streamguard.core.model.types import RetrievedChunk, Where
from streamguard.errors import ConfigError
from streamguard.framework_items import as_langchain_message, is_langchain_event
from streamguard.wire.brought.in_gemini import brought_by_grounding
from streamguard.wire.brought.in_messages import brought_by_block
from streamguard.wire.brought.in_responses import TOOLS, citation_of
from streamguard.wire.brought.tool_passages import (
    MAX_LISTED,
    Brings,
    ListReader,
    bounded,
    documents,
    names_of,
    of_tool,
    whole_number,
)
from streamguard.wire.fields import field, message_text, text_at

# Values of one item that are searched for documents: a graph yields its whole state; guess.
MAX_SEEN = 2_000
_SCALARS = (str, bytes, int, float, type(None))
_AWAIT = frozenset({"on_tool_start", "on_retriever_start"})
_RETURN = frozenset({"on_tool_end", "on_tool_error", "on_retriever_end", "on_retriever_error"})
_NATIVE: Mapping[str, Where] = {
    "web_search": "web_search",
    "web_fetch": "web_fetch",
    "file_search": "file_search",
    "code_execution": "code",
}


def _is_document(value: Any) -> bool:
    """Return whether `value` is a document of LangChain or Haystack, or a node of LlamaIndex."""
    if isinstance(getattr(value, "page_content", None), str):
        return hasattr(value, "metadata")
    if callable(getattr(value, "get_content", None)):
        return hasattr(value, "node_id")
    return isinstance(getattr(value, "content", None), str) and hasattr(value, "meta")


def documents_in(*values: Any) -> Iterator[RetrievedChunk]:
    """Yield the documents and nodes in values, their lists and dicts, as passages in order.

    Lists in the objects of frameworks are looked through where they are named after sources.
    """
    left, seen, number = list(reversed(values)), 0, 0
    while left and seen < MAX_SEEN:
        each = left.pop()
        seen += 1
        if isinstance(each, _SCALARS):
            continue
        if isinstance(each, Mapping):
            left += reversed(list(each.values())[:MAX_LISTED])
        elif isinstance(each, list | tuple):
            left += reversed(each[:MAX_LISTED])
        elif _is_document(each):
            number += 1
            yield from _passage(each, number)
        else:
            left += [field(each, name) for name in ("source_nodes", "nodes", "artifact")]


def _passage(document: Any, number: int) -> Iterator[RetrievedChunk]:
    try:
        (chunk,) = as_chunks([document])
    except (ConfigError, ValueError):  # text or a name of another type, or a node of no text
        return
    if chunk.text.strip():
        yield replace(chunk, id=f"retrieval:{chunk.id or number}")


@bounded
def brought_by_documents(item: Any, _: ListReader) -> Brings:
    """Yield the documents in an item of no known shape, such as a chain's dict."""
    if chunks := tuple(documents_in(item)):
        yield 0, Brought(chunks, "retrieval")


class LangChainEvidence:
    """Reads the messages, pairs and events of one LangChain stream."""

    def __init__(self) -> None:
        self._opened: set[str] = set()  # blocks of text

    def brings(self, item: Any, most: int = MAX_LISTED) -> Iterable[tuple[int, Brought]]:
        """Return what an item brings: a message's blocks, a tool's result, documents."""
        return () if _is_text_alone(item) else self._brought_by(item, most)

    def _brought_by(self, item: Any, most: int) -> Brings:
        listed = ListReader(most)
        if is_langchain_event(item):
            yield from self._of_event(item, listed)
        elif (message := as_langchain_message(item)) is not None:
            yield from self._of_message(message, listed)
        else:
            yield from brought_by_documents(item)
        if listed.over:
            yield 0, Brought(over=True)

    def _of_event(self, event: Mapping[str, Any], listed: ListReader) -> Brings:
        name, data, run = text_at(event, "event"), event["data"], text_at(event, "run_id")
        if name == "on_chat_model_stream":
            # What waits for a call is told by the tool's own events.
            yield from (
                (choice, brought)
                for choice, brought in self._of_message(field(data, "chunk"), listed)
                if brought.awaits is None
            )
        elif name in _AWAIT:
            yield 0, Brought(awaits=run)
        elif name == "on_tool_end" and not any(documents_in(output := field(data, "output"))):
            called = text_at(output, "tool_call_id") or text_at(event, "name")
            yield 0, replace(of_tool("tool", _tool_text(output), called), returns=run)
        elif name in _RETURN or name == "on_chain_end":
            chunks = tuple(documents_in(field(data, "output")))
            yield 0, Brought(chunks, "retrieval", returns=run)

    def _of_message(self, message: Any, listed: ListReader) -> Brings:
        if text_at(message, "type") == "tool":
            yield _of_tool_message(message)
            return
        for call in listed(message, "tool_call_chunks") or listed(message, "tool_calls"):
            if called := text_at(call, "id"):
                yield 0, Brought(awaits=called)
        content = field(message, "content")
        if not isinstance(content, str):
            further = 0
            for number, block in enumerate(listed(message, "content")):
                index = field(block, "index")
                at = f"{text_at(message, 'id')}/{number if index is None else index}"
                yield from self._of_block(block, at, further, listed)
                further += len(message_text({"content": [block]}))
        if found := listed(field(message, "additional_kwargs"), "search_results"):  # Perplexity's
            yield 0, Brought(tuple(documents("web_search", found)), "web_search")
        grounding = field(field(message, "response_metadata"), "grounding_metadata")
        if grounding:
            yield 0, brought_by_grounding(grounding, listed)

    def _of_block(self, block: Any, at: str, further: int, listed: ListReader) -> Brings:
        """Yield what a block of a message brings, in its provider's form or LangChain's own."""
        kind = text_at(block, "type")
        if kind == "text":
            if at not in self._opened:
                self._opened.add(at)
                yield 0, Brought(opens=((at, further),))
            cited = [_cited(each, at) for each in listed(block, "annotations")]
            if cited := [each for each in cited if each.names or each.quoted]:
                yield 0, Brought(citations=tuple(cited))
            if field(block, "citations"):
                yield from brought_by_block(block, at, further, listed)
        elif kind == "server_tool_call":
            yield 0, Brought(awaits=text_at(block, "id"))
        elif kind == "server_tool_result":
            output = "" if text_at(block, "status") == "error" else field(block, "output")
            yield 0, of_tool("tool", output, text_at(block, "tool_call_id"))
        elif (read := TOOLS.get(kind)) is not None:
            yield 0, read(block, text_at(block, "id") or kind, listed)
        else:
            yield from brought_by_block(block, at, further, listed)


def _is_text_alone(item: Any) -> bool:
    """Return whether an item is a piece of text and nothing else, as most are."""
    message = item[0] if type(item) is tuple and len(item) == 2 else item
    is_text = type(getattr(message, "content", None)) is str
    if not is_text or getattr(message, "type", None) == "tool":
        return False
    calls = getattr(message, "tool_call_chunks", None) or getattr(message, "tool_calls", None)
    additional = getattr(message, "additional_kwargs", None) or ()
    metadata = getattr(message, "response_metadata", None) or ()
    return not (calls or "search_results" in additional or "grounding_metadata" in metadata)


def _of_tool_message(message: Any) -> tuple[int, Brought]:
    """Return a tool's documents; its text where it has none."""
    called = text_at(message, "tool_call_id")
    if chunks := tuple(documents_in(field(message, "artifact"))):
        return 0, Brought(chunks, "retrieval", returns=called)
    if text_at(message, "status") == "error":
        return 0, Brought(returns=called)
    return 0, of_tool("tool", _tool_text(message), called)


def _tool_text(output: Any) -> Any:
    """Return the text of a tool's message; any other output unchanged."""
    return message_text(output) if text_at(output, "type") == "tool" else output


def _cited(annotation: Any, block: str) -> CitedSpan:
    """Return a citation in LangChain's own form, or in that of OpenAI's Responses."""
    cited = citation_of(annotation, block)
    extras = names_of(field(annotation, "extras"), ("file_id", "filename", "source"))
    return replace(
        cited,
        names=(*cited.names, *extras),
        quoted=cited.quoted or text_at(annotation, "cited_text"),
        start=whole_number(annotation, "file_index") if cited.start is None else cited.start,
    )


class PydanticAIEvidence:
    """Reads the events of one pydantic-ai stream."""

    def __init__(self) -> None:
        self._texts = 0  # parts of text so far
        self._numbers: dict[Any, int] = {}  # of the last one, by its index in its turn

    def brings(self, event: Any, most: int = MAX_LISTED) -> Brings:
        """Yield what an event brings: calls, results of tools, citations of a part."""
        listed, kind = ListReader(most), text_at(event, "event_kind")
        if kind == "part_start":
            yield from self._of_part(field(event, "part"), field(event, "index"), listed)
        elif kind == "part_delta":
            block = str(self._numbers.get(field(event, "index"), 0))
            yield from _of_citations(listed(field(event, "delta"), "citations_delta"), block)
        elif kind == "function_tool_call":
            yield 0, Brought(awaits=text_at(field(event, "part"), "tool_call_id"))
        elif kind == "function_tool_result":
            # Older releases call the part a result.
            part = field(event, "part") or field(event, "result")
            yield 0, _returned("tool", part, listed)
        if listed.over:
            yield 0, Brought(over=True)

    def _of_part(self, part: Any, index: Any, listed: ListReader) -> Brings:
        kind = text_at(part, "part_kind")
        if kind == "text":
            self._texts += 1
            self._numbers[index] = self._texts
            block = str(self._texts)
            yield 0, Brought(opens=((block, 0),))
            yield from _of_citations(listed(part, "citations"), block)
        elif kind == "builtin-tool-call":
            yield 0, Brought(awaits=text_at(part, "tool_call_id"))
        elif kind == "builtin-tool-return":
            name = text_at(part, "tool_name")
            where = "mcp" if name.startswith("mcp_server") else _NATIVE.get(name, "tool")
            yield 0, _returned(where, part, listed)


def _returned(where: Where, part: Any, listed: ListReader) -> Brought:
    """Return the passages in a tool's result; a request to try again and a failure have none."""
    called, content = text_at(part, "tool_call_id"), field(part, "content")
    failed = text_at(part, "outcome") not in ("", "success")
    if failed or text_at(part, "part_kind") not in ("tool-return", "builtin-tool-return"):
        return Brought(returns=called)
    if chunks := tuple(documents_in(content)):
        return Brought(chunks, "retrieval", returns=called)
    if where in ("web_search", "file_search"):
        found = content if isinstance(content, list | tuple) else ()
        named = (each for name in ("results", "sources") for each in listed(content, name))
        chunks = tuple(documents(where, (*found[:MAX_LISTED], *named), f"{called}/"))
        return Brought(chunks, where, returns=called)
    return of_tool(where, content, called)


def _of_citations(citations: Iterable[Any], block: str) -> Brings:
    for cited in citations:
        anchor = field(cited, "anchor")
        start, end = whole_number(anchor, "start"), whole_number(anchor, "end")
        if text_at(anchor, "kind") == "marker":  # its words stand before the mark
            end = start
        for source in (field(cited, "sources") or ())[:MAX_LISTED]:
            names = names_of(source, ("url", "document_id", "title"))
            excerpts = [each for each in field(source, "excerpts") or () if isinstance(each, str)]
            spans = (
                CitedSpan(
                    names, quoted, start, end, block=block, source=names[0] if names else None
                )
                for quoted in excerpts[:MAX_LISTED] or [""]
            )
            yield 0, Brought(citations=tuple(spans))


@bounded
def brought_by_llama_index(item: Any, listed: ListReader) -> Brings:
    """Yield what an event of a workflow brings: calls, results of tools, nodes."""
    if text_at(item, "delta"):
        return
    called = text_at(item, "tool_id")
    output = field(item, "tool_output")
    if output is not None:
        raw = field(output, "raw_output")
        if field(output, "is_error") is True:
            yield 0, Brought(returns=called)
        elif chunks := tuple(documents_in(raw)):
            yield 0, Brought(chunks, "retrieval", returns=called)
        else:
            yield 0, of_tool("tool", text_at(output, "content"), called)
    elif called:
        yield 0, Brought(awaits=called)
    elif chunks := tuple(documents_in(item, field(item, "result"))):
        yield 0, Brought(chunks, "retrieval")
