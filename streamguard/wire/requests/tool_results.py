"""Turns tool results into chunks: each list element by itself, JSON as lines of text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from streamguard.core.model.chunks import chunks_of_passages
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.reading.markers import TOOL_LABEL
from streamguard.prompt.boundary_lines import Form
from streamguard.prompt.passages import passages_in
from streamguard.wire.fields import text_at

_SOURCE_KEYS = ("source", "title", "filename", "url")
MAX_ITEMS = 1_000  # of one tool's result that become chunks of their own; guess
_MAX_DEPTH = 20  # of a tool's result that is read; guess
_SPLIT: tuple[Form, ...] = ("boundary", "tags", "marks")


def chunks_of_result(
    text: str, id: str, label: str = TOOL_LABEL
) -> tuple[list[RetrievedChunk], Form | None]:
    """Return a tool's result as labelled chunks, and the form of passage marks found in it.

    Marked passages become chunks; without marks each element of its list does, else the text as a
    whole. JSON becomes lines of `key: value`, numbers as written.
    """
    value = _json(text)
    found = passages_in(text) if value is None else None
    if found is not None and found.form in _SPLIT:
        return labelled(chunks_of_passages(found.passages), label), found.form
    return labelled(_results(text, value, id), label), None


def items_of(found: list[Any], id: str, label: str = TOOL_LABEL) -> list[RetrievedChunk]:
    """Return the elements of a tool's list as chunks labelled as a tool's."""
    return labelled(_items(found, id), label)


def labelled(chunks: Sequence[RetrievedChunk], label: str = TOOL_LABEL) -> list[RetrievedChunk]:
    """Return chunks labelled as a tool's result; those without a label are numbered."""
    return [
        replace(chunk, id=f"{label}{chunk.id or number}") for number, chunk in enumerate(chunks, 1)
    ]


def _results(text: str, value: Any, id: str) -> list[RetrievedChunk]:
    if isinstance(value, list):
        return _items(value, id)
    lists = [each for each in (value or {}).values() if isinstance(each, list)]
    if len(lists) == 1 and any(isinstance(each, dict) for each in lists[0]):
        rest = {key: each for key, each in value.items() if not isinstance(each, list)}
        return [*_items(lists[0], id), *_chunk(_lines(rest), f"{id}/0")]
    return _chunk(text if value is None else _lines(value), id)


def _items(found: list[Any], id: str) -> list[RetrievedChunk]:
    if len(found) > MAX_ITEMS:
        return _chunk(_lines(found), id)
    return [
        chunk for number, each in enumerate(found, 1) for chunk in _chunk_of(each, f"{id}/{number}")
    ]


def _chunk_of(item: Any, id: str) -> list[RetrievedChunk]:
    """Return one element of a result list; its name is not part of its text."""
    if not isinstance(item, dict):
        return _chunk(_lines(item), id)
    named = text_at(item, "id") or id
    source = next((text for key in _SOURCE_KEYS if (text := text_at(item, key))), None)
    lines = _lines({key: value for key, value in item.items() if key != "id"})
    return _chunk(lines, named, source)


def _chunk(text: str, id: str, source: str | None = None) -> list[RetrievedChunk]:
    return [RetrievedChunk(text.strip(), id=id or None, source=source)] if text.strip() else []


def _lines(value: Any, depth: int = 0) -> str:
    """Return JSON as text: one line per value, after its key."""
    if depth > _MAX_DEPTH or value is None:
        return ""
    if isinstance(value, dict):
        inner = ((key, _lines(each, depth + 1)) for key, each in value.items())
        return "\n".join(f"{key.replace('_', ' ')}: {text}" for key, text in inner if text)
    if isinstance(value, list):
        return "\n".join(filter(None, (_lines(each, depth + 1) for each in value)))
    return value if isinstance(value, str) else str(value).lower()


def _json(text: str) -> Any:
    """Return the object or list that `text` encodes, numbers as strings; None for anything else."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None
