"""What a request itself shows of the question and the sources, in any protocol's words.

Messages, inputs and prompts are read alike: the keys of the protocols do not contradict each
other. Sources are passages between boundary lines or behind `[Cn]` marks, what tools returned, and
documents that came as such.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from streamguard.core.context import Context
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.reading.markers import (
    chunks_of_prompt,
    context_block,
    passages,
    split_question,
)
from streamguard.wire.fields import field, items, text_at

# Where the instructions stand, and where a question that is no message; the latter in the order
# in which people's own interfaces name it, guess.
_SYSTEM_KEYS = ("system", "instructions")
_GEMINI_SYSTEM_KEYS = ("systemInstruction", "system_instruction")
_QUESTION_KEYS = ("prompt", "input", "question", "query", "message", "text", "q")
_TOOL_ROLES = frozenset({"tool", "function"})
_TOOL_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "mcp_call"})
_TEXT_PARTS = frozenset({"text", "input_text", None})
_SOURCE_KEYS = ("source", "title", "filename", "url")
MAX_ITEMS = 1_000  # of one tool's result that become chunks of their own; guess
_MAX_DEPTH = 20  # of a tool's result that is read; guess


@dataclass(frozen=True, slots=True)
class _Turn:
    """What one message shows: who speaks, its text, and the sources that came with it."""

    role: str
    text: str = ""
    sources: tuple[RetrievedChunk, ...] = ()


def context_of_request(request: Mapping[str, Any]) -> Context:
    """Return what a request's parsed body shows: the last question, and the sources.

    Of passages those given last count; of tool results and documents all, since an answer may
    rest on any of them. Anything of another shape is not read.
    """
    return _context(_turns(request))


def context_of(messages: Any) -> Context:
    """Return what a list of messages shows, as `context_of_request` does."""
    return _context(_of_messages(messages))


def _context(turns: Iterator[_Turn]) -> Context:
    query: str | None = None
    block: str | None = None
    sources: list[RetrievedChunk] = []
    for turn in turns:
        sources += turn.sources
        found, question = split_question(turn.text)
        if found or context_block(turn.text) is not None:
            block = found
        if turn.role == "user" and (turn.text or not turn.sources):
            query = question or None
    cited = block is not None and bool(passages(block))
    if not sources:
        return Context(query=query, prompt_context=block, citations_requested=cited)
    chunks = (*(chunks_of_prompt(block) if block is not None else ()), *sources)
    return Context(query=query, chunks=chunks, citations_requested=cited)


def _turns(request: Mapping[str, Any]) -> Iterator[_Turn]:
    for key in _SYSTEM_KEYS:
        yield _Turn("system", _text(request.get(key)))
    for key in _GEMINI_SYSTEM_KEYS:
        yield _Turn("system", _text(list(items(request.get(key), "parts"))))
    yield from _of_messages(_of_gemini(request.get("contents")))
    yield from _of_messages(request.get("messages"))
    yield from _of_messages(request.get("input"))
    if isinstance(request.get("messages"), list):
        return
    for key in _QUESTION_KEYS:
        if isinstance(request.get(key), str):
            yield _Turn("user", request[key])
            return


def _of_gemini(contents: Any) -> Any:
    """Return Gemini's contents as messages: the model is the assistant, who says nothing a user."""
    if not isinstance(contents, list):
        return contents
    return [
        {**each, "role": "assistant" if each.get("role") == "model" else each.get("role") or "user"}
        for each in contents
        if isinstance(each, dict)
    ]


def _of_messages(messages: Any) -> Iterator[_Turn]:
    """Yield the turns of a list of messages, or of the items of an input."""
    for message in messages if isinstance(messages, list) else ():
        if not isinstance(message, dict):
            continue
        role, kind = message.get("role"), message.get("type")
        if isinstance(role, str):
            yield from _message(role, message)
        elif kind in _TOOL_OUTPUTS:
            yield _tool(_text(message.get("output")), message.get("call_id"))
        elif kind == "file_search_call":
            found = list(items(message, "results"))
            yield _Turn("tool", sources=tuple(_items(found, text_at(message, "id") or "file")))


def _message(role: str, message: Mapping[str, Any]) -> Iterator[_Turn]:
    """Yield what tools returned within a message, then the message itself."""
    if role in _TOOL_ROLES:
        yield _tool(_text(message.get("content")), message.get("tool_call_id"))
        return
    documents: list[RetrievedChunk] = []
    for part in (*items(message, "content"), *items(message, "parts")):
        kind = text_at(part, "type")
        if kind == "tool_result":
            yield _tool(_text(part.get("content")), part.get("tool_use_id"))
            documents += [each for inner in items(part, "content") for each in _documents(inner)]
        elif isinstance(part, dict) and "functionResponse" in part:
            said = part["functionResponse"]
            yield _tool(_written(field(said, "response")), field(said, "name"))
        elif kind.startswith("tool-") or kind == "dynamic-tool":
            yield _tool(_written(part.get("output")), part.get("toolCallId"))
        else:
            documents += _documents(part)
    text = "" if role == "assistant" else _text(message.get("content") or message.get("parts"))
    yield _Turn(role, text, tuple(documents))


def _tool(text: str, id: Any) -> _Turn:
    """Return what a tool returned: passages are told by their marks, all else is a source."""
    if passages(text) or context_block(text) is not None:
        return _Turn("tool", text)
    return _Turn("tool", sources=tuple(_results(text, id if isinstance(id, str) else "tool")))


def _written(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(output) if output else ""


def _documents(part: Any) -> list[RetrievedChunk]:
    """Return the document or search result that a part of a message is, if it is one of text."""
    kind = text_at(part, "type")
    if kind == "document":
        source = part.get("source")
        if text_at(source, "type") == "text":
            return _document(text_at(source, "data"), part)
        content = source.get("content") if isinstance(source, dict) else None
        blocks = content if isinstance(content, list) else [content]
        return [
            chunk
            for block in blocks
            for chunk in _document(_text([block] if isinstance(block, dict) else block), part)
        ]
    return _document(_text(part.get("content")), part) if kind == "search_result" else []


def _document(text: str, part: Mapping[str, Any]) -> list[RetrievedChunk]:
    title = text_at(part, "title") or text_at(part, "source")
    return [RetrievedChunk(text.strip(), source=title or None)] if text.strip() else []


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content
             if isinstance(part, dict) and part.get("type") in _TEXT_PARTS)  # fmt: skip
    return "\n".join(text for text in texts if isinstance(text, str))


# --- what tools return


def _results(text: str, id: str) -> list[RetrievedChunk]:
    """Return a tool's result as chunks: each element of its list by itself, else all as one.

    JSON is read as lines of `key: value`, figures as they are written.
    """
    value = _json(text)
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
    """Return one element of a list of results; what names it is not part of its text."""
    if not isinstance(item, dict):
        return _chunk(_lines(item), id)
    named = text_at(item, "id") or id
    source = next((text for key in _SOURCE_KEYS if (text := text_at(item, key))), None)
    lines = _lines({key: value for key, value in item.items() if key != "id"})
    return _chunk(lines, named, source)


def _chunk(text: str, id: str, source: str | None = None) -> list[RetrievedChunk]:
    return [RetrievedChunk(text.strip(), id=id or None, source=source)] if text.strip() else []


def _lines(value: Any, depth: int = 0) -> str:
    """Return JSON as text: one line for each value, behind its key."""
    if depth > _MAX_DEPTH or value is None:
        return ""
    if isinstance(value, dict):
        inner = ((key, _lines(each, depth + 1)) for key, each in value.items())
        return "\n".join(f"{key.replace('_', ' ')}: {text}" for key, text in inner if text)
    if isinstance(value, list):
        return "\n".join(filter(None, (_lines(each, depth + 1) for each in value)))
    return value if isinstance(value, str) else str(value).lower()


def _json(text: str) -> Any:
    """Return the object or list that `text` is, figures as strings; None for anything else."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None
