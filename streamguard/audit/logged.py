"""Parses a row of a log, recognised by its shape, into an answer and its context.

`docs/audit.md` lists the exports with each shape, and their sources.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from streamguard.core.context import Context
from streamguard.core.model.brought import Brought
from streamguard.core.model.types import Ended
from streamguard.errors import ConfigError, DecodeError
from streamguard.wire.dialects import of_answer
from streamguard.wire.fields import has_unread_text, holds_words, message_text, text_at
from streamguard.wire.requests.shown import context_of, context_of_request

FIELDS = ("question", "answer", "chunks", "messages", "id", "model")  # the names a mapping may have
_SHAPES = (
    "an object with answer; with messages, or request and response; with input and output; or a"
    " span with attributes"
)
_IDS = ("id", "span_id", "custom_id", "request_id")
_ENDINGS: dict[str, Ended] = {ended: ended for ended in get_args(Ended)}
_CALLS = ("tool_calls", "function_call")
_CALLED_IN = ("choices", "message", "output", "content")
_CALLING = ("function_call", "tool_use")
_PLACE = re.compile(r"[0-9]{1,6}")
_ANSWERING = frozenset({"GENERATION", "LLM"})  # spans that hold a model's answer


@dataclass(frozen=True, slots=True)
class Logged:
    """The answers of one row, by choice, and their context.

    `ended`: how they ended, if the row says so. `brought`: passages and citations of a protocol's
    answer, by choice.
    """

    context: Context
    texts: Mapping[int, str]
    id: str | None = None
    model: str | None = None
    ended: Ended = "complete"
    brought: tuple[tuple[int, Brought], ...] = ()


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A row without an answer: another span of a trace, or a tool call; `kind` says which."""

    kind: str


def read_mapping(flag: str) -> dict[str, str]:
    """Return the path of each field in a row, from `question=input.query,answer=output`.

    Raises `ConfigError` for an unknown field, and if neither answer nor messages have a path.
    """
    mapping: dict[str, str] = {}
    for item in flag.split(","):
        name, _, place = (part.strip() for part in item.partition("="))
        if name not in FIELDS or not place:
            allowed = ", ".join(FIELDS)
            raise ConfigError(f"--map has {item!r}, expected FIELD=PLACE with one of {allowed}")
        mapping[name] = place
    if "answer" not in mapping and "messages" not in mapping:
        raise ConfigError(f"--map is {flag!r}, expected a place of the answer")
    return mapping


def read_row(row: Any, mapping: Mapping[str, str] | None = None) -> Logged | NoAnswer:
    """Return the content of a parsed row, by `mapping` or by its shape.

    Raises `DecodeError` for an unknown shape and for an answer without readable text, `ConfigError`
    for invalid passages.
    """
    try:
        return _read(row, mapping)
    except _ToolsOnlyError:
        return NoAnswer("tool_call")


class _ToolsOnlyError(Exception):
    """An answer has tool calls and no text."""


def _read(row: Any, mapping: Mapping[str, str] | None) -> Logged | NoAnswer:
    if not isinstance(row, Mapping):
        raise DecodeError(f"it is {_described(row)}, expected {_SHAPES}")
    if mapping is not None:
        return _mapped(row, mapping)
    if "answer" in row:
        return _plain(row)
    span = _span(row)
    if span is not None:
        return _of_span(row, span)
    kind = row.get("type")
    if "input" in row and "output" in row and isinstance(kind, str) and kind.isupper():
        if kind not in _ANSWERING:
            return NoAnswer(kind)
        return _pair(row, row["input"], row["output"])
    if "response" in row and row.get("object") != "response":
        return _pair(row, row.get("request") or row, row["response"])
    if "messages" in row:
        return _chat(row)
    if "input" in row and "output" in row:
        response = row if row.get("object") == "response" else row["output"]
        request = row if row.get("object") == "response" else row["input"]
        return _pair(row, request, response)
    raise DecodeError(f"it has {', '.join(sorted(row)) or 'no key'}, expected {_SHAPES}")


def _plain(row: Mapping[str, Any]) -> Logged:
    answer = row["answer"]
    if not isinstance(answer, str):
        raise DecodeError(f"answer is {_described(answer)}, expected a string")
    context = _context_of(row.get("question"), row.get("chunks"))
    if "citations_requested" in row:  # as a proxy records it
        requested, citations = row["citations_requested"], row.get("citations")
        if citations is not None and not isinstance(citations, list):
            raise DecodeError(f"citations is {_described(citations)}, expected a list or null")
        context = replace(context, citations_requested=requested is True, citations=citations)
    choice, ending = row.get("choice", 0), row.get("ended") or "complete"
    ended = "limit" if row.get("truncated") is True else _ENDINGS.get(str(ending))
    if type(choice) is not int or choice < 0 or ended is None:
        allowed = ", ".join(_ENDINGS)
        raise DecodeError(
            f"choice is {_described(choice)}, ended {_described(ending)},"
            " expected a number from 0 and one of"
            f" {allowed}"
        )
    return Logged(context, {choice: answer}, _id(row), _model(row), ended)


def _mapped(row: Mapping[str, Any], mapping: Mapping[str, str]) -> Logged:
    found = {name: _at(row, place) for name, place in mapping.items()}
    named = None if found.get("id") is None else str(found["id"])
    model = found["model"] if isinstance(found.get("model"), str) else None
    if found.get("messages") is None:
        context = _context_of(found.get("question"), found.get("chunks"))
    else:
        context = _context_in(found["messages"])
        if found.get("chunks") is not None:
            query = found.get("question") or context.query
            context = _context_of(query, found["chunks"])
    answer = found["answer"] if "answer" in mapping else _last_message(found.get("messages"))
    return Logged(context, _texts(answer), named, model, brought=_brought(answer))


def _context_of(question: Any, chunks: Any) -> Context:
    """Return the context of passages: a list, a JSON list in a string, or a text with marks."""
    if question is not None and not isinstance(question, str):
        raise DecodeError(f"question is {_described(question)}, expected a string or null")
    chunks = _parsed(chunks)
    if isinstance(chunks, str):
        return Context(query=question, prompt_context=chunks)
    if isinstance(chunks, list):
        chunks = [_document(chunk) for chunk in chunks]
    elif chunks is not None:
        raise DecodeError(f"chunks is {_described(chunks)}, expected a list or a string")
    return Context(query=question, chunks=chunks)


def _document(chunk: Any) -> Any:
    """Return a passage in a form that `Context` accepts: a retriever's span has dotted keys."""
    if not isinstance(chunk, Mapping):
        return chunk
    inner = chunk.get("document")
    if isinstance(inner, Mapping):
        return inner
    return {key.removeprefix("document."): value for key, value in chunk.items()}


def _span(row: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return a span's attributes as nested objects, None for any other row."""
    inner = row.get("attributes")
    if isinstance(inner, Mapping):
        return _nested(inner)
    dotted = {
        key.removeprefix("attributes."): value
        for key, value in row.items()
        if key.startswith("attributes.")
    }
    return _nested(dotted) if dotted else None


def _of_span(row: Mapping[str, Any], span: Mapping[str, Any]) -> Logged | NoAnswer:
    kind = row.get("span_kind") or text_at(span, "openinference", "span", "kind")
    if not isinstance(kind, str) or kind.upper() not in _ANSWERING:
        return NoAnswer(str(kind) if kind else "span")
    inputs = _messages(_at(span, "llm.input_messages"))
    outputs = _messages(_at(span, "llm.output_messages"))
    request = inputs or _at(span, "input.value")
    response = outputs or _at(span, "output.value")
    named = _at(row, "context.span_id") or _id(row)
    model = text_at(span, "llm", "model_name") or None
    context, documents = _context_in(request), _listed(_at(span, "retrieval.documents"))
    if documents:
        context = _context_of(context.query, documents)
    return Logged(context, _texts(response), named, model, brought=_brought(response))


def _messages(listed: Any) -> list[Any]:
    """Return a span's messages in a protocol's form."""
    found = []
    for each in _listed(listed):
        inner = each.get("message") if isinstance(each, Mapping) else None
        message = inner if isinstance(inner, Mapping) else each
        if isinstance(message, Mapping) and "contents" in message:  # its parts, one by one
            parts = [
                part.get("message_content", part) if isinstance(part, Mapping) else part
                for part in _listed(message["contents"])
            ]
            message = {**message, "content": parts}
        found.append(message)
    return found


def _nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with dotted keys resolved: `{"a.b": 1}` as `{"a": {"b": 1}}`, lists too."""
    root: dict[str, Any] = {}
    for key, value in flat.items():
        *path, last = key.split(".")
        owner = root
        for name in path:
            below = owner.setdefault(name, {})
            owner = below if isinstance(below, dict) else {}
        if isinstance(value, Mapping):
            value = _nested(value)
        elif isinstance(value, list):
            value = [_nested(each) if isinstance(each, Mapping) else each for each in value]
        owner[last] = value
    return root


def _listed(value: Any) -> list[Any]:
    """Return a list, also from an object with numeric keys: `{"0": …, "1": …}`."""
    value = _parsed(value)
    if isinstance(value, Mapping):
        places = {key: int(key) for key in value if _PLACE.fullmatch(key)}
        return [value[key] for key in sorted(places, key=places.__getitem__)]
    return value if isinstance(value, list) else []


def _pair(row: Mapping[str, Any], request: Any, response: Any) -> Logged:
    request, reply = _body(request), _body(response)
    model = _model(row, request, reply)
    # The text and not its parsed value: an answer may be JSON itself.
    texts = _texts(response if reply == _parsed(response) else reply)
    return Logged(_context_in(request), texts, _id(row), model, brought=_brought(reply))


def _chat(row: Mapping[str, Any]) -> Logged:
    """Return a chat: next to its completion, or with the answer as its last message."""
    messages = _parsed(row["messages"])
    if "choices" in row:
        completion = {"object": "chat.completion", "choices": row["choices"]}
        brought = _brought(completion)
        return Logged(_context_in(row), _texts(completion), _id(row), _model(row), brought=brought)
    return Logged(_context_in(messages), _texts(_last_message(messages)), _id(row), _model(row))


def _last_message(messages: Any) -> Any:
    last = messages[-1] if isinstance(messages, list) and messages else None
    if text_at(last, "role") != "assistant":
        raise DecodeError("the last of its messages is no assistant's: there is no answer")
    return last


def _context_in(request: Any) -> Context:
    """Return the context in a request: a body, its messages, or a bare question."""
    request = _parsed(request)
    if isinstance(request, Mapping):
        return context_of_request(request)
    if isinstance(request, list):
        return context_of(request)
    return Context(query=request if isinstance(request, str) else None)


def _texts(response: Any) -> Mapping[int, str]:
    """Return the text per choice of an answer: a protocol's, a message, or a string.

    Raises `DecodeError` without one.
    """
    value = _parsed(response)
    if isinstance(value, list):
        value = value[-1] if value else None
    if isinstance(value, Mapping):
        texts = _texts_of_object(value)
        if texts:
            return texts
    elif isinstance(value, str):
        return {0: value}
    if isinstance(response, str):  # JSON that is no protocol's: the answer itself is JSON
        return {0: response}
    raise DecodeError(f"no text was found in its answer, which is {_described(response)}")


def _brought(response: Any) -> tuple[tuple[int, Brought], ...]:
    """Return the passages and citations of a protocol's answer, none of another one."""
    value = _parsed(response)
    known = of_answer("", value) if isinstance(value, dict) else None
    return () if known is None else tuple(known.brought(value))


def _texts_of_object(value: Mapping[str, Any]) -> Mapping[int, str] | None:
    """Return the texts of a message or of a protocol's answer, None if it is neither."""
    if isinstance(value.get("role"), str):
        if has_unread_text(value):
            seen = _described(value.get("content"))
            raise DecodeError(f"its answer has parts that are not read: {seen}")
        texts: Mapping[int, str] = {0: message_text(value)}
    else:
        known = of_answer("", value)
        if known is None:
            return None
        texts = known.answer(value) or {}
    if not any(texts.values()):
        if _calls_tools(value):
            raise _ToolsOnlyError
        if not texts or holds_words(value):
            raise DecodeError(f"no text was found in its answer, which is {_described(value)}")
    return texts


def _calls_tools(value: Any) -> bool:
    """Return whether an answer, or a choice of it, calls tools."""
    if isinstance(value, list):
        return any(map(_calls_tools, value))
    if not isinstance(value, Mapping):
        return False
    if any(value.get(name) for name in _CALLS) or value.get("type") in _CALLING:
        return True
    return any(_calls_tools(value.get(name)) for name in _CALLED_IN)


def _body(value: Any) -> Any:
    """Return a request's or response's body, else the value itself, parsed."""
    value = _parsed(value)
    inner = _parsed(value.get("body")) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else value


def _parsed(value: Any) -> Any:
    """Return the object or list in a JSON string, else the value itself."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _at(row: Any, place: str) -> Any:
    """Return the value at a path such as `input.query`; a literal dotted key takes precedence.

    None if it is missing. JSON strings on the path are parsed.
    """
    row = _parsed(row)
    if isinstance(row, Sequence) and not isinstance(row, str):
        row = {str(number): each for number, each in enumerate(row)}
    if not isinstance(row, Mapping):
        return None
    if place in row:
        return row[place]
    names = place.split(".")
    for length in range(len(names) - 1, 0, -1):
        head, rest = ".".join(names[:length]), ".".join(names[length:])
        if head in row:
            return _at(row[head], rest)
    return None


def _id(row: Mapping[str, Any]) -> str | None:
    named = (row[key] for key in _IDS if row.get(key) is not None)
    return next(map(str, named), None)


def _model(*owners: Any) -> str | None:
    return next((name for owner in owners if (name := text_at(owner, "model"))), None)


def _described(value: Any) -> str:
    return "missing" if value is None else json.dumps(value, default=str)[:80]
