"""Reads the input of a command: an answer and its chunks."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from streamguard.core.model.chunks import chunks_of_passages
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError, DecodeError
from streamguard.prompt.boundary_lines import passages

_FIELDS = ("text", "id", "source", "distance", "similarity", "metadata")
_STRINGS = ("id", "source")
_FIGURES = ("distance", "similarity")
_SHOWN = 60  # characters of an answer that an error shows; guess
_PASSAGE_MARK = re.compile(r"\s*\[C\d{1,6}\]")


def read_text(name: str) -> str:
    """Return the file's text, or standard input's for `-`, without a byte order mark.

    Raises `OSError` for an unreadable file, `DecodeError` if it is not UTF-8, `ConfigError` if
    standard input is closed.
    """
    if name == "-" and sys.stdin is None:
        raise ConfigError("standard input is closed, expected a text there for -")
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        where = "standard input" if name == "-" else name
        seen = f"byte {exc.start} is {data[exc.start]:#04x}"
        raise DecodeError(f"{where} is not UTF-8: {seen}") from exc


def read_answer(argument: str) -> str:
    """Return the answer: a file's text, standard input's for `-`, or the argument itself.

    Raises `ConfigError` for one word that names no file; else as `read_text` does.
    """
    if argument == "-" or os.path.isfile(argument):  # noqa: PTH113 -- a text may be no path at all
        return read_text(argument)
    if len(argument.split()) > 1:
        return argument
    seen = f"{argument[:_SHOWN]!r} is {'a folder' if os.path.isdir(argument) else 'no file'}"  # noqa: PTH112
    raise ConfigError(f"ANSWER {seen}, expected a file, - or an answer of more than one word")


def read_chunks(name: str) -> tuple[RetrievedChunk, ...]:
    """Return the chunks of a file: a JSON list, JSON lines, or text with `[Cn]` marks.

    An item is a string or an object with `text` and, optionally, `id`, `source`, `distance` or
    `similarity`; other keys become metadata. Text without marks is one chunk, an empty file is
    none. Raises `OSError`, or `DecodeError` with the item's place and the expected form.
    """
    return parse_chunks(read_text(name), name)


def refuse_one_input_for_two(answer: str, chunks: str | None) -> None:
    """Raise `ConfigError` if answer and chunks are both read from standard input."""
    if answer == chunks == "-":
        raise ConfigError("ANSWER and --chunks are both -, expected standard input for one of them")


def read_docs(where: str) -> tuple[tuple[RetrievedChunk, ...], tuple[tuple[str, str], ...]]:
    """Return the passages of a document or folder, and the failures as (source, reason).

    Passages are cut and named as in `streamguard chat`. Raises `ConfigError` if the path is neither
    a folder nor a document, `OSError` for an unreadable document, `DecodeError` for a malformed
    one.
    """
    from streamguard.rag.indexing import index_folder, texts_of
    from streamguard.rag.readers import readable

    gathered, path = _Gathered(), Path(where)
    if not path.is_file():
        failed = index_folder(path, gathered).failed
        return tuple(gathered.chunks), failed
    if not readable(path):
        raise ConfigError(f"file {where} is no .md, .txt, .html or .pdf file")
    gathered.replace(path.name, "", texts_of(path, path.read_bytes()))
    return tuple(gathered.chunks), ()


def read_passages(docs: str | None, chunks: str | None) -> tuple[RetrievedChunk, ...] | None:
    """Return the passages that `--docs` or `--chunks` names, None without any.

    Documents that cannot be read are listed on standard error. Raises as `read_chunks` and
    `read_docs` do, and `ConfigError` for both flags, or for documents without a passage.
    """
    if docs is not None and chunks is not None:
        raise ConfigError("--docs and --chunks are both given, expected one of them")
    if chunks is not None:
        return read_chunks(chunks)
    if docs is None:
        return None
    if not docs:
        raise ConfigError("--docs is empty, expected a folder or a file")
    found, failed = read_docs(docs)
    for source, reason in failed:
        sys.stderr.write(f"{source}: not read: {reason}\n")
    if not found:
        raise ConfigError(f"--docs {docs} holds no document that can be read")
    return found


class _Gathered:
    """A collection in memory for one indexing run; see `rag.indexing.Target`."""

    def __init__(self) -> None:
        self.chunks: list[RetrievedChunk] = []

    def hashes(self) -> dict[str, str]:
        """Return nothing, so that each document is read."""
        return {}

    def replace(self, source: str, digest: str, texts: Sequence[str]) -> None:
        """Add a document's passages."""
        numbered = enumerate(texts, 1)
        self.chunks += [RetrievedChunk(text, f"{source}#{n}", source) for n, text in numbered]

    def remove(self, source: str) -> None:
        """Do nothing: a document without text has added no passages."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def parse_chunks(text: str, name: str) -> tuple[RetrievedChunk, ...]:
    """Return the chunks of a text; errors call it `name`."""
    if not text.strip():
        return ()
    if _PASSAGE_MARK.match(text):
        return chunks_of_passages(passages(text))
    if text.lstrip()[0] not in "[{" and not _is_json_strings(text):
        return chunks_of_passages(passages(text)) or (RetrievedChunk(text.strip()),)
    items = _json_items(text, name)
    return tuple(chunk_of(item, where) for where, item in items)


def _is_json_strings(text: str) -> bool:
    """Return whether every line is a JSON string; plain text may begin with a quotation too."""
    lines = [line for line in text.split("\n") if line.strip()]  # as JSON lines end, no others
    try:
        return all(isinstance(json.loads(line), str) for line in lines)
    except (ValueError, RecursionError):
        return False


def _json_items(text: str, name: str) -> list[tuple[str, Any]]:
    """Return (place, item) of a JSON list, or of JSON lines."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise DecodeError(f"{name} is JSON that is nested too deeply") from None
    except ValueError as exc:
        if text.lstrip().startswith("["):
            raise DecodeError(f"{name} is neither a JSON list nor [Cn] passages: {exc}") from exc
        return _json_lines(text, name)
    items = value if isinstance(value, list) else [value]
    return [(f"{name}, item {number}", item) for number, item in enumerate(items, 1)]


def _json_lines(text: str, name: str) -> list[tuple[str, Any]]:
    items = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            items.append((f"{name}, line {number}", json.loads(line)))
        except (ValueError, RecursionError) as exc:
            raise DecodeError(f"{name}, line {number} is not JSON: {exc}") from exc
    return items


def chunk_of(item: Any, where: str) -> RetrievedChunk:
    """Return a chunk given as a string or as an object with a text.

    Raises `DecodeError` that names `where`, the value seen, and the expected form.
    """
    if isinstance(item, str):
        return RetrievedChunk(item)
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        seen = "an object without one" if isinstance(item, dict) else json.dumps(item)[:80]
        raise DecodeError(f"{where} is {seen}, expected a string or an object with a text")
    for field in (*_STRINGS, *_FIGURES):
        _check(item, field, where)
    known = {field: item[field] for field in _FIELDS[:-1] if item.get(field) is not None}
    metadata = item.get("metadata")
    others = {key: value for key, value in item.items() if key not in _FIELDS}
    return RetrievedChunk(
        **known, metadata={**(metadata if isinstance(metadata, dict) else {}), **others}
    )


def _check(item: dict[str, Any], field: str, where: str) -> None:
    value = item.get(field)
    if value is None:
        return
    figure = isinstance(value, int | float) and not isinstance(value, bool)
    if not (figure if field in _FIGURES else isinstance(value, str)):
        expected = "a number" if field in _FIGURES else "a string"
        raise DecodeError(f"{where}: {field} is {value!r}, expected {expected}")
