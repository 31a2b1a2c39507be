"""The streams: the same words as an upstream or an application may send them."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from tests.kit import streams
from tests.programs.first_day.prompts import ASKED

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


def each_as(shape):
    """Return what sends every piece as an event of `shape`, and then the end sign."""

    def body(text):
        events = [shape(piece) for piece in streams.pieces(text)]
        told = [each if isinstance(each, str) else json.dumps(each) for each in events]
        return b"".join(f"data: {each}\n\n".encode() for each in (*told, "[DONE]"))

    return body


def _in(protocol):
    return lambda text: b"".join(streams.frames(protocol, text))


def _whole(text):
    return streams.whole("chat", text)


def _in_parts(piece):
    content = [{"type": "text", "text": piece}]
    choice = {"index": 0, "delta": {"content": content}, "finish_reason": None}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice]}


def _apart(messages):
    """Return the request of a protocol whose instructions stand beside the messages."""
    told = [each["content"] for each in messages if each["role"] == "system"]
    said = [each for each in messages if each["role"] != "system"]
    return {"messages": said, **({"system": told[0]} if told else {})}


def _as_input(messages):
    apart = _apart(messages)
    told = {"instructions": apart["system"]} if "system" in apart else {}
    return {"input": apart["messages"], **told}


def _token(piece):
    return {"type": "token", "data": piece}


def _as_prompt(messages):
    """Return the request of a protocol without messages: one text, the question marked as one."""
    *told, asked = (each["content"] for each in messages)
    said = f"Question: {asked}\nAnswer:" if asked == ASKED else asked
    return {"prompt": "\n\n".join([*told, said])}


STREAMS = (
    Stream("Chat Completions", _in("chat"), CHAT),
    Stream("Chat Completions, content in parts", each_as(_in_parts), CHAT),
    Stream("Chat Completions, whole", _whole, CHAT, "application/json"),
    Stream("Completions", _in("completions"), "/v1/completions", asked=_as_prompt),
    Stream("Responses", _in("responses"), "/v1/responses", asked=_as_input),
    Stream("Anthropic Messages", _in("anthropic"), "/v1/messages", asked=_apart),
    Stream("Ollama", _in("ollama_chat"), "/api/chat", "application/x-ndjson"),
    Stream("UI message stream", _in("ui")),
    Stream("events of JSON strings", each_as(json.dumps)),
    Stream('events `{"text": …}`', each_as(lambda p: {"text": p})),
    Stream('events `{"chunk": …}`', each_as(lambda p: {"chunk": p})),
    Stream('events `{"type": "token", "data": …}`', each_as(_token)),
    Stream('events `{"data": {"text": …}}`', each_as(lambda p: {"data": {"text": p}})),
    Stream("`text/plain`", lambda text: text.encode(), kind="text/plain; charset=utf-8"),
)  # fmt: skip
