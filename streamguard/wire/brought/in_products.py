"""Reads passages from frames of RAG products, under the names that they have for their sources.

| product | place |
|---|---|
| RAGFlow | `reference.chunks` beside the answer, in `data` or in a chunk's delta |
| Open WebUI | `sources`, each with its texts under `document` |
| AnythingLLM, private-gpt | `sources` with `text`, of the frame or of a choice |
| Flowise | the event `sourceDocuments` with a list in `data` |
| other servers | `sources`, `documents`, `contexts` and their like: texts, or objects with one |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from streamguard.core.model.brought import Brought
from streamguard.core.model.types import RetrievedChunk
from streamguard.wire.brought.tool_passages import (
    Brings,
    ListReader,
    bounded,
    documents,
    passage,
)
from streamguard.wire.fields import field, text_at

NAMES = (
    "sources",
    "sourceDocuments",
    "source_documents",
    "documents",
    "retrieved_documents",
    "references",
    "chunks",
    "contexts",
)
_NESTS = (dict, list)
_HOLDERS = ("reference", "metadata", "result")


@bounded
def brought_by_sources(frame: Any, listed: ListReader) -> Brings:
    """Yield the passages of a frame of no protocol, all of choice 0."""
    if chunks := tuple(sources_in(frame, listed)):
        yield 0, Brought(chunks, "retrieval")


def sources_in(frame: Any, listed: ListReader) -> Iterator[RetrievedChunk]:
    """Yield the passages in a frame's lists of sources."""
    if isinstance(frame, dict) and not any(isinstance(each, _NESTS) for each in frame.values()):
        return  # as most frames are
    data = field(frame, "data")
    if isinstance(data, list) and {text_at(frame, "event"), text_at(frame, "type")} & {*NAMES}:
        yield from of_sources(listed(frame, "data"), listed)
    for owner in (frame, data):
        for holder in (owner, *(field(owner, name) for name in _HOLDERS)):
            for name in NAMES:
                yield from of_sources(listed(holder, name), listed)


def of_sources(sources: tuple[Any, ...], listed: ListReader) -> Iterator[RetrievedChunk]:
    """Yield sources as passages: texts, objects with one, or with a list of them."""
    number = 0
    for source in sources:
        texts = [each for each in listed(source, "document") if isinstance(each, str)]
        if isinstance(source, str):
            texts = [source]
        if not texts:
            number += 1
            yield from documents("retrieval", (source,), first=number)
        name = text_at(field(source, "source"), "name") or None
        for text in texts:
            number += 1
            yield from passage("retrieval", text, str(number), name)
