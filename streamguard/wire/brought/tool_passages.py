"""Turns results of the provider's tools into passages, labelled by kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from streamguard.core.model.brought import Brought
from streamguard.core.model.types import RetrievedChunk, Where
from streamguard.text.patterns import lazy_re
from streamguard.wire.fields import NUMBERS, field, text_at
from streamguard.wire.requests.tool_results import chunks_of_result

Brings = Iterator[tuple[int, Brought]]
# Elements of all lists that are read: of one frame, so that reading takes one turn
# (tests/test_frame_limits.py), and of an answer in one piece.
MAX_LISTED, MAX_LISTED_WHOLE = 200, 2_000
# A result with more characters or marks is not split into passages and values: it is one passage.
MAX_READ_CHARS, _MAX_MARKS = 65_536, 2_000
# Fields that hold a document's own text.
_TEXTS = (
    "text",
    "content",
    "snippet",
    "output",
    "pageContent",
    "page_content",
)
_SOURCES = ("filepath", "filename", "document_name", "url", "uri", "title")
# Types of a message's parts: those of text, and those that hold none.
_PARTS = frozenset({"text", "input_text", "output_text"})
_MEDIA = frozenset({"image", "input_image", "output_image", "audio", "file", "resource_link"})
# An encoded picture or sound, which holds no words.
_ENCODED = lazy_re(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{1000,}+")


class ListReader:
    """Returns the elements of a frame's lists, up to one limit for all lists of the frame."""

    def __init__(self, most: int) -> None:
        self.over = False
        self._left = most

    def __call__(self, owner: Any, name: str) -> tuple[Any, ...]:
        """Return the elements of the list `name`, none if it is no list."""
        found = field(owner, name)
        if not isinstance(found, list | tuple):
            return ()
        kept = [each for each in found[: self._left] if not isinstance(each, NUMBERS)]
        self.over = self.over or len(found) > self._left
        self._left -= len(kept)
        return tuple(kept)


def bounded(read: Callable[[Any, ListReader], Brings]) -> Callable[..., Brings]:
    """Limit the elements that a reader sees of one frame, and report a frame with more."""

    def brought_in(frame: Any, most: int = MAX_LISTED) -> Brings:
        listed = ListReader(most)
        yield from read(frame, listed)
        if listed.over:
            yield 0, Brought(over=True)

    return brought_in


def of_tool(where: Where, result: Any, id: str) -> Brought:
    """Return the passages in a tool's result: a text, JSON, or message parts.

    Call `id` counts as returned, whatever the result holds.
    """
    return Brought(tuple(passages_of(where, result, id)), where, returns=id)


def passages_of(where: Where, result: Any, id: str) -> list[RetrievedChunk]:
    """Return a tool's result as passages; their labels begin with its kind."""
    text = result if isinstance(result, str) else _written(result)
    if len(text) > MAX_READ_CHARS:
        text = _ENCODED.sub("", text)
    marks = text.count(",") + text.count("[") + text.count("{")
    if len(text) > MAX_READ_CHARS or marks > _MAX_MARKS:
        return passage(where, text, id)
    return chunks_of_result(text, id, f"{where}:")[0]


def _written(result: Any) -> str:
    """Return a tool's result as text: the text of its message parts, else its JSON."""
    if isinstance(result, list | tuple):
        parts = [each for each in result[:MAX_LISTED] if text_at(each, "type") in _PARTS | _MEDIA]
        if len(parts) == len(result):
            return "\n\n".join(filter(None, (text_at(part, "text") for part in parts)))
        result = [plain(each) for each in result[:MAX_LISTED]]
    value = plain(result)
    return json.dumps(value, default=str) if value else ""


def documents(
    where: Where, found: Iterable[Any], prefix: str = "", first: int = 1
) -> list[RetrievedChunk]:
    """Return retrieved documents as passages: their text, under their id or number.

    `prefix`: stands before the number where the answer cites by number. `first`: the number of the
    first of them.
    """
    chunks = []
    for number, each in enumerate(found, first):
        text = next((text for name in _TEXTS if (text := text_at(each, name))), "")
        source = next((name for each_name in _SOURCES if (name := text_at(each, each_name))), None)
        called = text_at(each, "id") or f"{prefix}{number}"
        chunks += passage(where, text, called, source)
    return chunks


def passage(where: Where, text: str, id: str, source: str | None = None) -> list[RetrievedChunk]:
    """Return a text as one passage; an empty text as none."""
    text = text.strip()
    return [RetrievedChunk(text, id=f"{where}:{id}", source=source)] if text else []


def plain(value: Any) -> Any:
    """Return an SDK's object as JSON values; other values unchanged."""
    dump = getattr(value, "model_dump", None)
    return dump(exclude_none=True, warnings=False) if callable(dump) else value


def whole_number(owner: Any, *names: str) -> int | None:
    """Return the first of these fields that holds an offset, None without one."""
    found = (field(owner, name) for name in names)
    return next((value for value in found if type(value) is int and value >= 0), None)


def names_of(owner: Any, names: Iterable[str]) -> tuple[str, ...]:
    """Return the texts of these fields, without empty ones."""
    return tuple(found for name in names if (found := text_at(owner, name)))


def texts_of(parts: Iterable[Any]) -> str:
    """Return the texts of parts, one a line."""
    return "\n".join(filter(None, (text_at(part, "text") for part in parts)))


def either(owner: Any, name: str, other: str) -> Any:
    """Return a field under either of two names: SDK objects and JSON differ."""
    found = field(owner, name)
    return field(owner, other) if found is None else found


def document_text(document: Mapping[str, Any], but: Iterable[str]) -> str:
    """Return the texts of a document's fields, one a line, without the fields in `but`."""
    kept = ((name, text) for name, text in [*document.items()][:MAX_LISTED] if name not in but)
    return "\n".join(text for _, text in kept if isinstance(text, str) and text.strip())
