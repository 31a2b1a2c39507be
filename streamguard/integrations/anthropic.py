"""Anthropic's SDK: the context that a request shows; `guard` reads the streams as they are.

    request = {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": messages}
    source = client.messages.create(**request, stream=True)
    async with guard(source, context=context_of(request)) as stream:
        async for event in stream.items(): ...

The same holds for the helper (guard what `client.messages.stream` gives inside `async with`, or
its `text_stream`), and for the plain client with `guard_sync`. Imports nothing of the SDK.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from streamguard.core.context import Context
from streamguard.core.types import RetrievedChunk
from streamguard.server import asked


def context_of(request: Mapping[str, Any]) -> Context:
    """Return what a request shows: the last question asked, and the passages given.

    `request` is what `create` or `stream` was called with. Plain-text `document` blocks and
    `search_result` blocks of the messages are the passages, wherever tools returned them too;
    without any, passages behind `[Cn]` marks or between the boundary lines of the prompt. Any
    shape is accepted.
    """
    given = request.get("messages")
    messages = given if isinstance(given, list) else []
    shown = asked.context_of([{"role": "system", "content": request.get("system")}, *messages])
    chunks = [
        chunk
        for message in messages
        if isinstance(message, Mapping)
        for block in _blocks(message.get("content"))
        for chunk in _chunks(block)
    ]
    return Context(query=shown.query, chunks=chunks) if chunks else shown


def _blocks(content: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the blocks of a message's content, those inside tool results too."""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, Mapping):
            yield block
            if block.get("type") == "tool_result":
                yield from _blocks(block.get("content"))


def _chunks(block: Mapping[str, Any]) -> Iterator[RetrievedChunk]:
    """Yield what a block holds as passages; a document in blocks is one passage for each."""
    if block.get("type") == "search_result":
        held, title = block.get("content"), block.get("title")
    elif block.get("type") == "document":
        source = block.get("source")
        source = source if isinstance(source, Mapping) else {}
        held = source.get("data" if source.get("type") == "text" else "content")
        title = block.get("title")
    else:
        return
    parts = [held] if isinstance(held, str) else [part.get("text") for part in _blocks(held)]
    for text in parts:
        if isinstance(text, str):
            yield RetrievedChunk(text, source=title if isinstance(title, str) else None)
