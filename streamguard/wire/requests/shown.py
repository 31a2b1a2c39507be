"""Reads question and passages from a request's messages, in any protocol.

Messages, inputs and prompts are read alike, as the protocols' keys do not conflict. Passages are
those in the application's prompt (`prompt`), in tool results, and in attached documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from streamguard.core.context import Context
from streamguard.core.model.chunks import chunks_of_passages
from streamguard.core.model.types import ContextOrigin, RetrievedChunk, Where
from streamguard.errors import ConfigError
from streamguard.prompt.boundary_lines import Form
from streamguard.prompt.questions import asks_for_citations, question_in
from streamguard.prompt.reading import (
    PromptReading,
    read_alone,
    read_application,
    read_trusted,
    read_user,
)
from streamguard.prompt.template import Template, template_of
from streamguard.wire.fields import field, items, text_at
from streamguard.wire.requests.tool_results import chunks_of_result, items_of

# Whose passages count as evidence; `context_of_request` explains each.
ContextFrom = Literal["application", "system", "user", "any"]
CONTEXT_FROM: tuple[ContextFrom, ...] = get_args(ContextFrom)

# Keys of the instructions, and keys of a question that is no message, the likeliest first; guess.
_SYSTEM_KEYS = ("system", "instructions")
_GEMINI_SYSTEM_KEYS = ("systemInstruction", "system_instruction")
_QUESTION_KEYS = ("prompt", "input", "question", "query", "message", "text", "q")
_TOOL_ROLES = frozenset({"tool", "function"})
_TOOL_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "mcp_call"})
_TEXT_PARTS = frozenset({"text", "input_text", ""})
_APPLICATION = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True)
class _Turn:
    """One message: its role, text, and passages."""

    role: str
    text: str = ""
    sources: tuple[RetrievedChunk, ...] = ()
    where: Where = "document"
    form: Form | None = None


def context_of_request(
    request: Mapping[str, Any],
    *,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> Context:
    """Return the context in a request's parsed body: the last question, and the sources.

    The passages of system and developer messages and instructions count, the last that hold some.
    Where these hold none, `context_from` says which others do:

    - `application`: those of the last user message, if the application put its context there: in
      front of the question, or where its `context_template` says, or a known framework's;
    - `system`: none;
    - `user`: those of the last user message that holds some, with or without a question;
    - `any`: those given last, in any message but the assistant's.

    Tool results and documents always count, all of them, since an answer may rest on any; the
    labels of the first begin with `tool:`. Passages that do not count are no part of the question
    either. If nothing counts, and it is unclear whose passages the last user message holds, the
    context's `uncertain` says why. Anything of another shape is not read. Raises `ConfigError` for
    another `context_from` or a template without its places.
    """
    return _context(_turns(request), context_from, _template(context_template))


def context_of(
    messages: Any,
    *,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> Context:
    """Return the context in a list of messages; see `context_of_request`."""
    return _context(_of_messages(messages), context_from, _template(context_template))


def checked_context_template(text: str | None) -> str | None:
    """Return `text`, a prompt template or None; raise `ConfigError` if it is no valid template."""
    _ = _template(text)
    return text


def _template(text: str | None) -> Template | None:
    return None if text is None else template_of(text)


def checked_context_from(value: str) -> ContextFrom:
    """Return `value` if it says whose passages count; raise `ConfigError` for another."""
    for known in CONTEXT_FROM:
        if value == known:
            return known
    raise ConfigError(f"context_from is {value!r}, expected one of {', '.join(CONTEXT_FROM)}")


def _context(
    shown: Iterable[_Turn], context_from: ContextFrom, template: Template | None
) -> Context:
    checked_context_from(context_from)
    turns = list(shown)
    questions = [turn for turn in turns if turn.role == "user" and (turn.text or not turn.sources)]
    ours = [turn.text for turn in turns if turn.role in _APPLICATION and turn.text]
    instructions = [read_application(text) for text in ours]
    if ours and not questions:  # instructions may ask the user's question
        instructions[-1] = read_alone(ours[-1], template)
    read = read_trusted if context_from in ("user", "any") else read_user
    last = read(questions[-1].text, template) if questions else PromptReading(None, None, "")
    found = _chosen(turns, instructions, questions, last, context_from, template)
    wants_citations = any(asks_for_citations(reading.rules) for reading in instructions)
    chunks = None if found is None else [*chunks_of_passages(found[1].passages or ())]
    origins = []
    if found is not None:
        where, reading = found
        origins.append(ContextOrigin(where, reading.form, len(chunks or ())))
        wants_citations = wants_citations or asks_for_citations(reading.rules)
    for turn in turns:
        if turn.sources:
            origins.append(ContextOrigin(turn.where, turn.form, len(turn.sources)))
            chunks = [*(chunks or ()), *turn.sources]
    # A request that is all instructions asks its question there.
    query = (
        last.question if questions else next((each.question for each in reversed(instructions)), "")
    )
    if questions and found is not None and found[0] == "system":
        query = question_in(questions[-1].text)
    unsure = [
        *(each.uncertain for each in instructions),
        last.uncertain if context_from != "system" else None,
    ]
    return Context(
        query=query or None,
        chunks=chunks,
        citations_requested=wants_citations,
        origins=_joined(origins),
        uncertain=next(filter(None, unsure), None) if chunks is None else None,
    )


def _chosen(
    turns: Sequence[_Turn],
    instructions: Sequence[PromptReading],
    questions: Sequence[_Turn],
    last: PromptReading,
    context_from: ContextFrom,
    template: Template | None,
) -> tuple[Where, PromptReading] | None:
    """Return the message whose passages count: the application's before a user's."""
    for reading in reversed(instructions):
        if reading.passages is not None:
            return "system", reading
    if context_from == "application" and last.passages is not None:
        return "user", last
    others = [turn for turn in turns if turn.role not in {"assistant", *_APPLICATION}]
    spoken = {"user": questions, "any": others}.get(context_from, ())
    for turn in reversed(spoken):
        reading = last if questions and turn is questions[-1] else read_trusted(turn.text, template)
        if reading.passages is not None:
            return "user", reading
    return None


def _joined(origins: Sequence[ContextOrigin]) -> tuple[ContextOrigin, ...]:
    """Return the origins; those that differ only in their number become one."""
    counts: dict[tuple[Where, Form | None], int] = {}
    for each in origins:
        key = (each.where, each.form)
        counts[key] = counts.get(key, 0) + each.passages
    return tuple(ContextOrigin(*key, count) for key, count in counts.items())


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
    """Return Gemini's contents as messages: role `model` is the assistant, none the user."""
    if not isinstance(contents, list):
        return contents
    return [{**each, "role": _role(each)} for each in contents if isinstance(each, dict)]


def _role(content: Mapping[str, Any]) -> Any:
    role = content.get("role")
    return "assistant" if role == "model" else role or "user"


def _of_messages(messages: Any) -> Iterator[_Turn]:
    """Yield the turns of a list of messages, or of the items of an input."""
    for message in messages if isinstance(messages, list) else ():
        if not isinstance(message, dict):
            continue
        role, kind = message.get("role"), text_at(message, "type")
        if isinstance(role, str):
            yield from _message(role, message)
        elif kind in _TOOL_OUTPUTS:
            yield _tool(_text(message.get("output")), message.get("call_id"))
        elif kind == "file_search_call":
            found = list(items(message, "results"))
            chunks = items_of(found, text_at(message, "id") or "file")
            yield _Turn("tool", sources=tuple(chunks), where="tool")


def _message(role: str, message: Mapping[str, Any]) -> Iterator[_Turn]:
    """Yield the tool results within a message, then the message itself."""
    if role in _TOOL_ROLES and "parts" not in message:  # Gemini's results are parts
        yield _tool(_text(message.get("content")), message.get("tool_call_id"))
        return
    documents: list[RetrievedChunk] = []
    for part in (*items(message, "content"), *items(message, "parts")):
        kind = text_at(part, "type")
        if kind == "tool_result":
            yield _tool(_text(part.get("content")), part.get("tool_use_id"))
            documents += [each for inner in items(part, "content") for each in _documents(inner)]
        elif isinstance(part, dict) and "functionResponse" in part:
            reply = part["functionResponse"]
            yield _tool(_written(field(reply, "response")), field(reply, "name"))
        elif kind.startswith("tool-") or kind == "dynamic-tool":
            yield _tool(_written(part.get("output")), part.get("toolCallId"))
        else:
            documents += _documents(part)
    text = "" if role == "assistant" else _text(message.get("content") or message.get("parts"))
    yield _Turn(role, text, tuple(documents))


def _tool(text: str, id: Any) -> _Turn:
    """Return a tool's result."""
    chunks, form = chunks_of_result(text, id if isinstance(id, str) else "result")
    return _Turn("tool", sources=tuple(chunks), where="tool", form=form)


def _written(output: Any) -> str:
    if isinstance(output, str):
        return output
    return json.dumps(output) if output else ""


def _documents(part: Any) -> list[RetrievedChunk]:
    """Return the document or search result in a message part, if it is text."""
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
    texts = (
        part.get("text")
        for part in content
        if isinstance(part, dict) and text_at(part, "type") in _TEXT_PARTS
    )
    return "\n".join(text for text in texts if isinstance(text, str))
