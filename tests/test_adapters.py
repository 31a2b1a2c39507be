"""Items of every known shape, and the official client's streams over a real socket."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from streamguard import Annotation, Context, RetrievedChunk, check_text, guard_sync
from tests.kit import asgi, streams

CONTEXT = Context(chunks=[RetrievedChunk("The Basic plan costs $10 per month.")])
ANSWER = "The Basic plan costs $12 per month. It has 5 GB."
PIECES = streams.pieces(ANSWER)


def told(protocol: str, said: str = ANSWER) -> list[Any]:
    """Return what the frames of an answer hold, as a client gives it."""
    events = asgi.events(b"".join(streams.frames(protocol, said)), protocol.startswith("ollama"))
    return [json.loads(event.data) for event in events if event.data != "[DONE]"]


FRAMES = told("chat")
ROLE, STOP = FRAMES[0], FRAMES[-1]


def annotate(items: list[Any]) -> Annotation:
    stream = guard_sync(items, context=CONTEXT)
    with stream:
        assert list(stream.items()) == items
    return stream.annotation


# ---- shapes


RESPONSE_EVENTS = told("responses")
BROKEN_OFF = [*RESPONSE_EVENTS[:-1], {"type": "response.failed", "response": {}}]
MESSAGE_EVENTS = told("anthropic")
LINES = told("ollama_chat")
BEDROCK_EVENTS = [
    {"messageStart": {"role": "assistant"}},
    {"contentBlockDelta": {"delta": {"reasoningContent": {"text": "$9"}}, "contentBlockIndex": 0}},
    {"contentBlockStart": {"start": {"toolUse": {"name": "price"}}, "contentBlockIndex": 1}},
    {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"$": 8}'}}, "contentBlockIndex": 1}},
    *({"contentBlockDelta": {"delta": {"text": text}, "contentBlockIndex": 2}} for text in PIECES),
    {"contentBlockStop": {"contentBlockIndex": 2}},
    {"messageStop": {"stopReason": "end_turn"}},
    {"metadata": {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}}},
]
FRAMEWORK_ITEMS = {
    "bedrock": BEDROCK_EVENTS,
    "bedrock, begun late": BEDROCK_EVENTS[2:],
    "helper": [{"type": "chunk", "chunk": each} for each in FRAMES],
    "agents": [{"type": "raw_response_event", "data": each} for each in RESPONSE_EVENTS],
    "langchain": [
        SimpleNamespace(type="AIMessageChunk", content=[{"type": "reasoning", "reasoning": "$9"}]),
        SimpleNamespace(type="tool", content="It costs $77.", status="error"),
        *(SimpleNamespace(type="AIMessageChunk", content=["", text]) for text in PIECES),
    ],
    "langgraph": [
        (SimpleNamespace(type="tool", content="It costs $77.", status="error"), {}),
        *((SimpleNamespace(type="AIMessageChunk", content=text), {}) for text in PIECES),
    ],
    "langchain events": [
        {"event": "on_chain_start", "run_id": "r", "data": {}},
        *(
            {
                "event": event,
                "run_id": "r",
                "data": {"chunk": SimpleNamespace(type="AIMessageChunk", content=text)},
            }
            for text in PIECES
            for event in ("on_chat_model_stream", "on_chain_stream")
        ),
    ],
    "pydantic-ai": [
        SimpleNamespace(
            event_kind="part_start", part=SimpleNamespace(part_kind="thinking", content="$9")
        ),
        SimpleNamespace(event_kind="part_delta", delta=SimpleNamespace(part_delta_kind="thinking")),
        SimpleNamespace(
            event_kind="part_start", part=SimpleNamespace(part_kind="text", content=PIECES[0])
        ),
        *(
            SimpleNamespace(
                event_kind="part_delta",
                delta=SimpleNamespace(part_delta_kind="text", content_delta=text),
            )
            for text in PIECES[1:]
        ),
    ],
    "llama-index": [
        SimpleNamespace(delta=text, raw=None, additional_kwargs={}, text="so far")
        for text in [None, *PIECES]
    ],
}


@pytest.mark.parametrize("name", FRAMEWORK_ITEMS)
def test_items_of_a_framework_give_the_result_of_their_text(name: str):
    annotation = annotate(FRAMEWORK_ITEMS[name])
    assert annotation.result == check_text(ANSWER, context=CONTEXT)


@pytest.mark.parametrize(
    "items",
    [RESPONSE_EVENTS[:-1], BROKEN_OFF, MESSAGE_EVENTS[:-2], LINES[:-1], BEDROCK_EVENTS[:-2],
     FRAMES[:-1], told("chat", "choices")[:-1], [ROLE], told("chat", "error")],
)  # fmt: skip
def test_a_stream_that_ends_without_its_end_sign_broke_off(items: list[Any]):
    annotation = annotate(items)
    assert annotation.state == "partial"
    assert annotation.result.ended == "upstream_error"
