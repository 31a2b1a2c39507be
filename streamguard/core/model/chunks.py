"""Passages as people have them: chunks, strings, dicts, and the documents of frameworks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.prompt.boundary_lines import Passage
from streamguard.text.patterns import each_in_turns

# Any, for the documents of frameworks: LangChain's, LlamaIndex's (with a score or without) and
# Haystack's are told by their shape, and no framework is imported for that.
ChunkLike = RetrievedChunk | str | Mapping[str, Any] | Any

_ALLOWED = 'RetrievedChunk, str, a dict with "text", or a framework\'s document'
_TEXT_KEYS = ("text", "page_content", "content")
_SOURCE_KEYS = ("source", "file_path", "file_name", "filename", "title", "url")
_FIELDS = ("id", "source", "distance", "similarity")


def as_chunks(chunks: Iterable[ChunkLike]) -> tuple[RetrievedChunk, ...]:
    """Return `chunks` as `RetrievedChunk`; `ConfigError` names the one that cannot be read.

    A dict has its text under `text` (else `page_content` or `content`), and may have `id`,
    `source`, `distance` or `similarity` and `metadata`; its other keys become metadata. A
    framework's document brings text, id, metadata and, out of these, its source; the score of a
    LlamaIndex node or a Haystack document counts as similarity.
    """
    if isinstance(chunks, (str, bytes, Mapping)) or not isinstance(chunks, Iterable):
        kind = type(chunks).__name__
        raise ConfigError(f"chunks is one {kind}, expected a sequence of {_ALLOWED}")
    numbered = enumerate(each_in_turns(chunks))
    return tuple(_as_chunk(chunk, f"chunks[{number}]") for number, chunk in numbered)


def chunks_of_passages(passages: Iterable[Passage]) -> tuple[RetrievedChunk, ...]:
    """Return passages of a prompt as chunks."""
    return tuple(
        RetrievedChunk(passage.text, id=passage.id, source=passage.source)
        for passage in each_in_turns(passages)
    )


def _as_chunk(chunk: ChunkLike, where: str) -> RetrievedChunk:
    if isinstance(chunk, str):
        return RetrievedChunk(chunk)
    if isinstance(chunk, Mapping):
        chunk = _of_mapping(chunk, where)
    elif not isinstance(chunk, RetrievedChunk):
        chunk = _of_document(chunk, where)
    if not isinstance(chunk.text, str):
        raise wrong_type(f"{where}.text", chunk.text, "a str")
    id_, source = _name(chunk.id, f"{where}.id"), _name(chunk.source, f"{where}.source")
    if (id_, source) == (chunk.id, chunk.source):
        return chunk
    return replace(chunk, id=id_, source=source)


def _name(value: object, where: str) -> str | None:
    """Return the name of a chunk or its source; numbers and paths are written out."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) or hasattr(value, "__fspath__"):
        return str(value)
    raise wrong_type(where, value, "a str, a number, a path or None")


def _of_mapping(item: Mapping[str, Any], where: str) -> RetrievedChunk:
    key = next((key for key in _TEXT_KEYS if key in item), None)
    if key is None:
        seen = ", ".join(sorted(map(str, item))) or "no key"
        raise ConfigError(f'{where} is a dict with {seen}, expected one with "text"')
    fields = {name: item[name] for name in _FIELDS if item.get(name) is not None}
    own = item.get("metadata")
    metadata = dict(own) if isinstance(own, Mapping) else {}
    taken = {key, "metadata", *_FIELDS}
    metadata |= {str(name): value for name, value in item.items() if name not in taken}
    fields.setdefault("source", _source(metadata))
    return RetrievedChunk(item[key], **fields, metadata=metadata)


def _of_document(document: Any, where: str) -> RetrievedChunk:
    get_content = getattr(document, "get_content", None)  # LlamaIndex
    if callable(get_content):
        text, name, metadata = get_content(), document.node_id, document.metadata
    elif hasattr(document, "page_content"):  # LangChain
        text, name = document.page_content, getattr(document, "id", None)
        metadata = document.metadata
    elif hasattr(document, "content") and hasattr(document, "meta"):  # Haystack
        text, name, metadata = document.content, document.id, document.meta
    else:
        raise wrong_type(where, document, _ALLOWED)
    similarity = getattr(document, "score", None)
    metadata = metadata or {}
    source = _source(metadata)
    return RetrievedChunk(text, id=name, source=source, similarity=similarity, metadata=metadata)


def _source(metadata: Mapping[str, Any]) -> str | None:
    named = (metadata.get(key) for key in _SOURCE_KEYS)
    return next((name for name in named if isinstance(name, str)), None)


def wrong_type(name: str, value: object, allowed: str) -> ConfigError:
    """Return the error for a wrong type, with the type seen and those allowed."""
    return ConfigError(f"{name} is a {type(value).__name__}, expected {allowed}")
