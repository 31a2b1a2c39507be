"""The streams: the same words as an upstream or an application may send them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from tests.first_day.prompts import ASKED

SIZE = 7  # characters of a piece: words and prices are cut
CHAT = "/v1/chat/completions"
BY_HAND = "/ask"  # a path of an application's own


@dataclass(frozen=True)
class Stream:
    """How `body` sends an answer on `path`, and how `asked` asks for it."""

    name: str
    body: Callable[[str], bytes]
    path: str = BY_HAND
    kind: str = "text/event-stream"
    asked: Callable[[list[dict]], dict] = lambda messages: {"messages": messages}


def pieces(text: str) -> list[str]:
    return [text[at : at + SIZE] for at in range(0, len(text), SIZE)]


def event(data: object, name: str | None = None) -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()


def each_as(shape: Callable[[str], object]) -> Callable[[str], bytes]:
    """Return what sends every piece as an event of `shape`, and then the end sign."""
    return lambda text: b"".join([*(event(shape(p)) for p in pieces(text)), event("[DONE]")])


def _choice(delta: dict, finish: str | None = None) -> dict:
    return {
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }  # fmt: skip


def _chat(content: Callable[[str], object]) -> Callable[[str], bytes]:
    def body(text: str) -> bytes:
        chunks = [_choice({"role": "assistant"})]
        chunks += [_choice({"content": content(piece)}) for piece in pieces(text)]
        return b"".join([*map(event, [*chunks, _choice({}, "stop")]), event("[DONE]")])

    return body


def _completions(text: str) -> bytes:
    def chunk(words: str, finish: str | None = None) -> dict:
        choice = {"index": 0, "text": words, "logprobs": None, "finish_reason": finish}
        made = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m"}
        return {**made, "choices": [choice]}

    chunks = [*map(chunk, pieces(text)), chunk("", "stop")]
    return b"".join([*map(event, chunks), event("[DONE]")])


def _whole(text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    ).encode()


def _responses(text: str) -> bytes:
    at = {"item_id": "m1", "output_index": 0, "content_index": 0}
    made = {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": []}
    events = [
        {"type": "response.created", "response": made},
        {"type": "response.content_part.added", **at, "part": {"type": "output_text", "text": ""}},
        *({"type": "response.output_text.delta", **at, "delta": piece} for piece in pieces(text)),
        {"type": "response.output_text.done", **at, "text": text},
        {"type": "response.completed", "response": {**made, "status": "completed"}},
    ]
    numbered = ({**each, "sequence_number": number} for number, each in enumerate(events))
    return b"".join(event(each, each["type"]) for each in numbered)


def _anthropic(text: str) -> bytes:
    message = {
        "id": "m", "type": "message", "role": "assistant", "model": "m", "content": [],
        "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": p}}
            for p in pieces(text)
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return b"".join(event(each, each["type"]) for each in events)


def _ollama(text: str) -> bytes:
    said = [*pieces(text), ""]
    lines = [
        {"message": {"role": "assistant", "content": piece}, "done": not piece} for piece in said
    ]
    return b"".join(
        json.dumps({"model": "m", "created_at": "2026-01-01T00:00:00Z", **line}).encode() + b"\n"
        for line in lines
    )


def _ui(text: str) -> bytes:
    parts = [{"type": "start"}, {"type": "text-start", "id": "1"}]
    parts += [{"type": "text-delta", "id": "1", "delta": piece} for piece in pieces(text)]
    parts += [{"type": "text-end", "id": "1"}, {"type": "finish"}]
    return b"".join([*map(event, parts), event("[DONE]")])


def _apart(messages: list[dict]) -> dict:
    """Return the request of a protocol whose instructions stand beside the messages."""
    told = [each["content"] for each in messages if each["role"] == "system"]
    said = [each for each in messages if each["role"] != "system"]
    return {"messages": said, **({"system": told[0]} if told else {})}


def _as_input(messages: list[dict]) -> dict:
    apart = _apart(messages)
    told = {"instructions": apart["system"]} if "system" in apart else {}
    return {"input": apart["messages"], **told}


def _part(piece: str) -> object:
    return [{"type": "text", "text": piece}]


def _token(piece: str) -> object:
    return {"type": "token", "data": piece}


def _as_prompt(messages: list[dict]) -> dict:
    """Return the request of a protocol without messages: one text, the question marked as one."""
    *told, asked = (each["content"] for each in messages)
    said = f"Question: {asked}\nAnswer:" if asked == ASKED else asked
    return {"prompt": "\n\n".join([*told, said])}


STREAMS = (
    Stream("Chat Completions", _chat(str), CHAT),
    Stream("Chat Completions, content in parts", _chat(_part), CHAT),
    Stream("Chat Completions, whole", _whole, CHAT, "application/json"),
    Stream("Completions", _completions, "/v1/completions", asked=_as_prompt),
    Stream("Responses", _responses, "/v1/responses", asked=_as_input),
    Stream("Anthropic Messages", _anthropic, "/v1/messages", asked=_apart),
    Stream("Ollama", _ollama, "/api/chat", "application/x-ndjson"),
    Stream("UI message stream", _ui),
    Stream("events of JSON strings", each_as(json.dumps)),
    Stream('events `{"text": …}`', each_as(lambda p: {"text": p})),
    Stream('events `{"chunk": …}`', each_as(lambda p: {"chunk": p})),
    Stream('events `{"type": "token", "data": …}`', each_as(_token)),
    Stream('events `{"data": {"text": …}}`', each_as(lambda p: {"data": {"text": p}})),
    Stream("`text/plain`", lambda text: text.encode(), kind="text/plain; charset=utf-8"),
)  # fmt: skip
