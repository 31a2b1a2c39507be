"""Reads Azure's context, annotations and search results from chunks of Chat Completions."""

from __future__ import annotations

from typing import Any

from streamguard.core.model.brought import Brought
from streamguard.wire.brought.in_products import of_sources
from streamguard.wire.brought.in_responses import citation_of
from streamguard.wire.brought.tool_passages import Brings, ListReader, bounded, documents
from streamguard.wire.fields import field, numbered, text_at


@bounded
def brought_in(frame: Any, listed: ListReader) -> Brings:
    """Yield the passages and citations of a chunk or a complete answer, by choice."""
    found = listed(frame, "search_results")  # Perplexity's, in every chunk
    searched = Brought(tuple(documents("web_search", found)), "web_search")
    if sources := tuple(of_sources(listed(frame, "sources"), listed)):  # Open WebUI's, at first
        yield 0, Brought(sources, "retrieval")
    for index, choice in numbered(frame, "choices"):
        delta = field(choice, "delta")
        message = field(choice, "message") if delta is None else delta
        context = field(message, "context")
        if context is not None:
            yield index, _of_context(context, listed)
        # RAGFlow's and private-gpt's.
        entries = listed(field(message, "reference"), "chunks") or listed(choice, "sources")
        if sources := tuple(of_sources(entries, listed)):
            yield index, Brought(sources, "retrieval")
        cited = (
            field(each, kind)
            for each in listed(message, "annotations")
            if (kind := text_at(each, "type")) in ("url_citation", "file_citation")
        )
        if citations := tuple(map(citation_of, cited)):
            yield index, Brought(citations=citations)
        if searched.passages:
            yield index, searched


def _of_context(context: Any, listed: ListReader) -> Brought:
    """Return Azure's retrieved passages; `[doc1]` in the text means the first of them."""
    cited = documents("retrieval", listed(context, "citations"), "doc")
    texts = {chunk.text for chunk in cited}
    others = documents("retrieval", listed(context, "all_retrieved_documents"), "retrieved")
    more = (chunk for chunk in others if chunk.text not in texts)
    return Brought((*cited, *more), "retrieval")
