"""Items of every known shape, and the official client's streams over a real socket."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from openai import APIError, AsyncOpenAI, NotFoundError
from openai.types.chat import ChatCompletionChunk

from streamguard import adapters
from streamguard.adapters import OPENAI_CHAT, STRINGS, adapter_for
from streamguard.core.context import Context
from streamguard.core.model.result import Annotation
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.stream import guard
from streamguard.stream_sync import guard_sync

CONTEXT = Context(chunks=[RetrievedChunk("The Basic plan costs $10 per month.")])
ANSWER = "The Basic plan costs $12 per month. It has 5 GB."
PIECES = [ANSWER[i : i + 5] for i in range(0, len(ANSWER), 5)]


def frame(*choices: dict[str, Any], **more: Any) -> dict[str, Any]:
    head = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**head, "choices": list(choices), **more}


def piece(text: str | None, *, index: int = 0, finish: str | None = None) -> dict[str, Any]:
    delta = {} if text is None else {"content": text}
    return {"index": index, "delta": delta, "finish_reason": finish}


ROLE = frame({"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None})
STOP = frame(piece(None, finish="stop"))
USAGE = frame(usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3})
FRAMES = [ROLE, *(frame(piece(text)) for text in PIECES), STOP, USAGE]


def sdk(frames: list[dict[str, Any]]) -> list[Any]:
    return [ChatCompletionChunk.model_validate(each) for each in frames]


def annotate(items: list[Any]) -> Annotation:
    stream = guard_sync(items, context=CONTEXT)
    with stream:
        assert list(stream.items()) == items
    return stream.annotation


# ---- shapes


SHAPES = [
    ("", STRINGS),
    ("text", STRINGS),
    (ROLE, OPENAI_CHAT),
    (USAGE, OPENAI_CHAT),
    ({"choices": [], "prompt_filter_results": []}, OPENAI_CHAT),  # Azure's first frame
    ({"error": {"message": "overloaded"}}, OPENAI_CHAT),
    ({"object": "chat.completion.chunk", "choices": [{"index": 0}]}, OPENAI_CHAT),
    (sdk([ROLE])[0], OPENAI_CHAT),
    ({"type": "chunk", "chunk": ROLE}, adapters.OPENAI_CHAT_HELPER),
    ({"choices": [{"index": 0, "text": "of the older kind"}]}, adapters.OPENAI_CHAT),
    ({"type": "response.created", "response": {}}, adapters.OPENAI_RESPONSES),
    ({"type": "error", "code": "overloaded"}, adapters.OPENAI_RESPONSES),
    ({"type": "message_start", "message": {}}, adapters.ANTHROPIC),
    ({"type": "ping"}, adapters.ANTHROPIC),
    ({"message": {"role": "assistant"}, "done": False}, adapters.OLLAMA),
    ({"response": "", "done": False}, adapters.OLLAMA),
    ({"type": "raw_response_event", "data": {}}, adapters.AGENTS),
    (SimpleNamespace(type="AIMessageChunk", content="x"), adapters.LANGCHAIN),
    (SimpleNamespace(event_kind="part_start"), adapters.PYDANTIC_AI),
    (SimpleNamespace(delta="x", raw=None, additional_kwargs={}), adapters.LLAMA_INDEX),
]


def test_adapter_is_chosen_by_the_shape_of_the_first_item():
    for item, adapter in SHAPES:
        assert adapter_for(item) is adapter, item


UNKNOWN = [None, b"bytes", 7, {}, {"text": "x"}, {"choices": "text"},
           {"choices": [{"index": 0, "message": {"content": "a whole answer"}}]}]  # fmt: skip


def test_unknown_shape_is_refused_with_its_type_and_the_way_out():
    for item in UNKNOWN:
        said = rf"{type(item).__qualname__}, expected a str .*text="
        with pytest.raises(ConfigError, match=said):
            adapter_for(item)


RESPONSE_EVENTS = [
    {"type": "response.created", "response": {"output": []}},
    *({"type": "response.output_text.delta", "delta": text} for text in PIECES),
    {"type": "response.completed", "response": {"output": []}},
]
BROKEN_OFF = [*RESPONSE_EVENTS[:-1], {"type": "response.failed", "response": {}}]
MESSAGE_EVENTS = [
    {"type": "message_start", "message": {"content": []}},
    *(
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}
        for text in PIECES
    ),
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    {"type": "message_stop"},
]
LINES = [
    *({"message": {"content": text}, "done": False} for text in PIECES),
    {"message": {"content": ""}, "done": True},
]
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
    "responses": RESPONSE_EVENTS,
    "anthropic": MESSAGE_EVENTS,
    "ollama": LINES,
    "agents": [{"type": "raw_response_event", "data": each} for each in RESPONSE_EVENTS],
    "langchain": [
        SimpleNamespace(type="AIMessageChunk", content=[{"type": "reasoning", "reasoning": "$9"}]),
        SimpleNamespace(type="tool", content="It costs $77."),
        *(SimpleNamespace(type="AIMessageChunk", content=["", text]) for text in PIECES),
    ],
    "langgraph": [
        (SimpleNamespace(type="tool", content="It costs $77."), {}),
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
    [RESPONSE_EVENTS[:-1], BROKEN_OFF, MESSAGE_EVENTS[:-2], LINES[:-1], BEDROCK_EVENTS[:-2]],
    ids=["responses", "failed response", "anthropic", "ollama", "bedrock"],
)
def test_a_stream_that_ends_without_its_end_sign_broke_off(items: list[Any]):
    annotation = annotate(items)
    assert annotation.result is not None
    assert annotation.result.ended == "upstream_error"


# ---- Chat Completions as dicts and as the SDK's objects


@pytest.mark.parametrize("make", [list, sdk], ids=["dicts", "objects"])
def test_each_choice_has_a_result_of_its_own(make: Any):
    other = "The Basic plan costs $10 per month."
    frames = [ROLE]
    for n in range(0, len(ANSWER), 5):
        parts = [piece(ANSWER[n : n + 5]), piece(other[n : n + 5], index=1)]
        frames.append(frame(*parts))
    frames += [frame(piece(None, finish="stop"), piece(None, index=1, finish="length"))]
    annotation = annotate(make(frames))
    first, second = annotation.choices
    assert first == annotation.result == check_text(ANSWER, context=CONTEXT)
    assert second.text == check_text(other, context=CONTEXT).text
    assert (second.choice, second.complete) == (1, True)
    assert "potential_hallucination" not in second.flags


@pytest.mark.parametrize(
    "frames",
    [
        FRAMES[:-2],
        [frame(piece("One."), piece("Two.", index=1)), STOP],
        [ROLE],
        [ROLE, {"error": {"message": "overloaded"}}],
    ],
    ids=["no finish_reason", "one of two finished", "no text", "error frame"],
)
def test_chat_stream_that_ends_without_its_end_sign_is_incomplete(frames: list[Any]):
    annotation = annotate(frames)
    assert annotation.state == "partial"
    assert annotation.result is not None
    assert annotation.result.ended == "upstream_error"
    assert annotation.result.status != "PASS"


# ---- the official client


class _Upstream(BaseHTTPRequestHandler):
    """Answers by the model's name: `whole`, `cut` (no end sign), `error` (mid-stream), 404."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = body["model"]
        self.send_response(404 if model == "missing" else 200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for event in self._events(model):
                self.wfile.write(f"data: {event}\n\n".encode())
        except (BrokenPipeError, ConnectionResetError):
            pass  # a client that has seen enough

    def _events(self, model: str) -> Iterator[str]:
        frames = FRAMES if model in {"whole", "endless"} else FRAMES[:-2]
        if model == "missing":
            return
        if model == "error":
            frames = [*FRAMES[:3], {"error": {"message": "overloaded", "code": 503}}]
        if model == "endless":
            frames = FRAMES[:-2] * 2_000
        yield from map(json.dumps, frames)
        if model != "cut":
            yield "[DONE]"

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Upstream)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def request(model: str) -> dict[str, Any]:
    return {"model": model, "stream": True, "messages": [{"role": "user", "content": "?"}]}


def texts(items: list[Any]) -> str:
    return "".join(c.delta.content or "" for item in items for c in item.choices)


@pytest.mark.asyncio
async def test_break_closes_the_async_client_s_response(upstream: str):
    async with AsyncOpenAI(api_key="k", base_url=upstream, max_retries=0) as client:
        source = await client.chat.completions.create(**request("endless"))
        async with guard(source, context=CONTEXT) as stream:
            items = []
            async for item in stream.items():
                items.append(item)
                if len(items) == 3:
                    break
        assert source.response.is_closed
    assert stream.result.ended == "consumer_stopped"
    assert stream.result.text.code_points == len(texts(items)) == 10


@pytest.mark.asyncio
@pytest.mark.parametrize(("model", "error"), [("error", APIError), ("missing", NotFoundError)])
async def test_async_client_s_errors_go_on(upstream: str, model: str, error: type[Exception]):
    async with AsyncOpenAI(api_key="k", base_url=upstream, max_retries=0) as client:
        stream = guard(client.chat.completions.create(**request(model)))
        with pytest.raises(error):
            _ = [item async for item in stream]
    assert stream.result.ended == "upstream_error"
