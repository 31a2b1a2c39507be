"""Amazon Bedrock: reads the context in a Converse request; `guard_sync` reads its streams.

    response = client.converse_stream(**request)
    with guard_sync(response["stream"], context=context_of(request)) as stream:
        for event in stream.items(): ...

The same with `guard` for aiobotocore and aioboto3, whose streams are asynchronous. `context_of`
takes the arguments of `converse_stream` or `converse`: the passages are documents, search results,
tool results, and those behind `[Cn]` marks in the prompt. Imports nothing of the SDK. A proxy
cannot stand in front: requests are signed for their host, and answers come in binary frames with
checksums.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from streamguard.core.context import Context
from streamguard.wire.fields import field, items, text_at
from streamguard.wire.requests.shown import ContextFrom, context_of_request

__all__ = ["context_of"]

_READABLE = frozenset({"txt", "md", "csv"})  # formats of documents whose bytes are text


def context_of(
    request: Mapping[str, Any],
    *,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> Context:
    """Return the context in a Converse request; see `context_of_request`."""
    messages = [
        {"role": text_at(message, "role"), "content": list(_parts(message))}
        for message in items(request, "messages")
    ]
    system = [_text(text_at(block, "text")) for block in items(request, "system")]
    shown = {"system": system, "messages": messages}
    return context_of_request(shown, context_from=context_from, context_template=context_template)


def _parts(message: Any) -> Iterator[Mapping[str, Any]]:
    """Yield a message's blocks in Anthropic's form, after which they are modelled."""
    for block in items(message, "content"):
        result, document = field(block, "toolResult"), field(block, "document")
        found = field(block, "searchResult")
        if result is not None:
            content = [_text(_block_text(each)) for each in items(result, "content")]
            call = text_at(result, "toolUseId")
            yield {"type": "tool_result", "tool_use_id": call, "content": content}
        elif document is not None:
            source = {"type": "content", "content": list(_document(document))}
            yield {"type": "document", "source": source, "title": text_at(document, "name")}
        elif found is not None:
            content = [_text(_block_text(each)) for each in items(found, "content")]
            yield {"type": "search_result", "title": text_at(found, "title"), "content": content}
        else:
            yield _text(text_at(block, "text") or text_at(block, "guardContent", "text", "text"))


def _document(document: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the text of a document, nothing in an unsupported format."""
    source = field(document, "source")
    data = field(source, "bytes")
    if isinstance(data, bytes) and field(document, "format") in _READABLE:
        yield _text(data.decode(errors="replace"))
    for text in (text_at(source, "text"), *map(_block_text, items(source, "content"))):
        if text:
            yield _text(text)


def _block_text(block: Any) -> str:
    """Return a block of text or JSON as text."""
    value = field(block, "json")
    return text_at(block, "text") if value is None else json.dumps(value, default=str)


def _text(text: str) -> Mapping[str, Any]:
    return {"type": "text", "text": text}
