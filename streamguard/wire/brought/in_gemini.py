"""Reads passages, cited spans and program output from Gemini's responses."""

from __future__ import annotations

from typing import Any

from streamguard.core.model.brought import Brought, CitedSpan
from streamguard.core.model.types import RetrievedChunk
from streamguard.wire.brought.tool_passages import (
    Brings,
    ListReader,
    bounded,
    either,
    of_tool,
    passage,
    whole_number,
)
from streamguard.wire.fields import field, numbered, text_at

_KINDS = ("web", "retrievedContext", "retrieved_context", "maps")
_MOST_CITED = 10  # passages of one span; guess
_CODE = "code"  # programs and their output follow each other, without an id


@bounded
def brought_in(frame: Any, listed: ListReader) -> Brings:
    """Yield the passages and citations of a response, by candidate."""
    for index, candidate in numbered(frame, "candidates"):
        for part in listed(field(candidate, "content"), "parts"):
            if either(part, "executable_code", "executableCode") is not None:
                yield index, Brought(awaits=_CODE)
            result = either(part, "code_execution_result", "codeExecutionResult")
            if result is not None:
                yield index, of_tool("code", text_at(result, "output"), _CODE)
        grounding = either(candidate, "grounding_metadata", "groundingMetadata")
        if grounding is not None:
            yield index, brought_by_grounding(grounding, listed)


def brought_by_grounding(grounding: Any, listed: ListReader) -> Brought:
    """Return the chunks that have text, and the spans that cite a chunk.

    A web page comes as an address without text, so it is no passage.
    """
    passages: list[RetrievedChunk] = []
    names: list[tuple[str, ...]] = []
    chunks = listed(grounding, "grounding_chunks") or listed(grounding, "groundingChunks")
    for number, chunk in enumerate(chunks, 1):
        inner = next((found for kind in _KINDS if (found := field(chunk, kind)) is not None), None)
        source = text_at(inner, "title") or text_at(inner, "uri")
        passages += passage("retrieval", text_at(inner, "text"), str(number), source or None)
        names.append((f"retrieval:{number}", source) if source else (f"retrieval:{number}",))
    supports = listed(grounding, "grounding_supports") or listed(grounding, "groundingSupports")
    citations: list[CitedSpan] = []
    for support in supports:
        segment = field(support, "segment")
        indices = either(support, "grounding_chunk_indices", "groundingChunkIndices")
        numbers = indices[:_MOST_CITED] if isinstance(indices, list | tuple) else ()
        # Bytes of a part; the words say where that is in the text.
        start = whole_number(segment, "start_index", "startIndex") or 0
        end, text = whole_number(segment, "end_index", "endIndex"), text_at(segment, "text")
        citations += [
            CitedSpan(names[number], "", start, end, text)
            for number in numbers
            if type(number) is int and 0 <= number < len(names)
        ]
    return Brought(tuple(passages), "retrieval", tuple(citations))
