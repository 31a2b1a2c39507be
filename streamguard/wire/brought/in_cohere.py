"""Reads cited spans, documents and tool results from events of Cohere's chat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from streamguard.core.model.brought import Brought, CitedSpan
from streamguard.wire.brought.tool_passages import (
    Brings,
    ListReader,
    bounded,
    document_text,
    either,
    passage,
    passages_of,
    plain,
    whole_number,
)
from streamguard.wire.fields import field, text_at

_NO_TEXT = frozenset({"id", "title", "url", "timestamp"})  # of a document


@bounded
def brought_in(frame: Any, listed: ListReader) -> Brings:
    """Yield the passages and citations of a frame or a complete answer, all for choice 0."""
    kind = text_at(frame, "type")
    if kind == "citation-start":
        message = field(field(frame, "delta"), "message")
        found = field(message, "citations")
        yield from _of_citations(listed(message, "citations") or (found,), listed)
    elif kind == "content-start":
        yield 0, Brought(opens=((str(field(frame, "index") or 0), 0),))
    elif not kind:
        yield from _of_citations(listed(field(frame, "message"), "citations"), listed)


def _of_citations(found: Iterable[Any], listed: ListReader) -> Brings:
    for cited in found:
        if text_at(cited, "type") not in ("", "TEXT_CONTENT"):
            continue  # of a thought or a plan
        block = str(field(cited, "content_index") or 0)
        start, end = whole_number(cited, "start"), whole_number(cited, "end")
        for source in listed(cited, "sources"):
            brought = _source(source)
            name = brought.passages[0].id if brought.passages else None
            names = (name or text_at(source, "id"),)
            citation = CitedSpan(names, "", start, end, text_at(cited, "text"), block)
            yield 0, Brought(brought.passages, brought.where, (citation,))


def _source(source: Any) -> Brought:
    """Return the passages of a source: a document or a tool's result."""
    called = text_at(source, "id") or "source"
    if text_at(source, "type") == "tool":
        output = either(source, "tool_output", "toolOutput")
        return Brought(tuple(passages_of("tool", output, called)))
    entry = plain(field(source, "document"))
    document = entry if isinstance(entry, dict) else {}
    inner = document.get("data")
    inner = inner if isinstance(inner, dict) else document
    name = text_at(inner, "title") or text_at(inner, "url") or None
    chunks = passage("retrieval", document_text(inner, _NO_TEXT), called, name)
    return Brought(tuple(chunks), "retrieval")
