"""A model server for the examples: it needs no key and always gives the same, wrong, price.

It speaks as much of Chat Completions, Responses, Anthropic's Messages and Bedrock's ConverseStream
as their clients read.
With a real key and model an example needs none of it.
"""

import json
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zlib import crc32

PASSAGE = "The Basic plan costs $49 per month and includes one seat."
QUESTION = "What does the Basic plan cost?"
PIECES = ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]
ANSWER = "".join(PIECES)
HEAD = {"id": "c-1", "created": 1, "model": "fake"}


@contextmanager
def fake_model() -> Iterator[str]:
    """Serve on a free port of this machine while the block runs; give the base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Model(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.endswith("/converse-stream"):
            self.send_response(200)
            self.send_header("content-type", "application/vnd.amazon.eventstream")
            self.end_headers()
            self.wfile.write(b"".join(map(_binary, BEDROCK_EVENTS)))
            return
        whole, frames = ANSWERS[self.path.split("/")[-1]]
        streams = bool(request.get("stream"))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if streams else "application/json")
        self.end_headers()
        if not streams:
            self.wfile.write(json.dumps(whole).encode())
            return
        for frame in frames:
            named = f"event: {frame['type']}\n" if "type" in frame else ""
            self.wfile.write(f"{named}data: {json.dumps(frame)}\n\n".encode())
        if self.path.endswith("completions"):
            self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {**HEAD, "object": "chat.completion.chunk", "choices": [choice]}


MESSAGE = {"role": "assistant", "content": ANSWER}
CHAT = {
    **HEAD,
    "object": "chat.completion",
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
CHAT_FRAMES = [
    _chunk({"role": "assistant", "content": ""}),
    *(_chunk({"content": piece}) for piece in PIECES),
    _chunk({}, "stop"),
]

PART = {"type": "output_text", "text": ANSWER, "annotations": []}
ITEM = {"id": "i-1", "type": "message", "role": "assistant", "status": "completed"}
BEGUN = {
    "id": "r-1",
    "object": "response",
    "created_at": 1,
    "model": "fake",
    "status": "in_progress",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
USAGE = {
    "input_tokens": 1,
    "output_tokens": 1,
    "total_tokens": 2,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens_details": {"reasoning_tokens": 0},
}
RESPONSE = {**BEGUN, "status": "completed", "output": [{**ITEM, "content": [PART]}], "usage": USAGE}
AT = {"item_id": "i-1", "output_index": 0, "content_index": 0}
RESPONSE_FRAMES = [
    {**frame, "sequence_number": number}
    for number, frame in enumerate(
        [
            {"type": "response.created", "response": BEGUN},
            {
                "type": "response.output_item.added",
                "output_index": 0,
                "item": {**ITEM, "status": "in_progress", "content": []},
            },
            {"type": "response.content_part.added", **AT, "part": {**PART, "text": ""}},
            *(
                {"type": "response.output_text.delta", **AT, "delta": piece, "logprobs": []}
                for piece in PIECES
            ),
            {"type": "response.output_text.done", **AT, "text": ANSWER, "logprobs": []},
            {"type": "response.content_part.done", **AT, "part": PART},
            {
                "type": "response.output_item.done",
                "output_index": 0,
                "item": {**ITEM, "content": [PART]},
            },
            {"type": "response.completed", "response": RESPONSE},
        ]
    )
]

ANTHROPIC = {
    "id": "m-1",
    "type": "message",
    "role": "assistant",
    "model": "fake",
    "content": [{"type": "text", "text": ANSWER}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
ANTHROPIC_FRAMES = [
    {"type": "message_start", "message": {**ANTHROPIC, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    *(
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": piece},
        }
        for piece in PIECES
    ),
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 1},
    },
    {"type": "message_stop"},
]

BEDROCK_EVENTS: list[dict[str, Any]] = [
    {"messageStart": {"role": "assistant"}},
    *({"contentBlockDelta": {"delta": {"text": p}, "contentBlockIndex": 0}} for p in PIECES),
    {"contentBlockStop": {"contentBlockIndex": 0}},
    {"messageStop": {"stopReason": "end_turn"}},
    {"metadata": {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}}},
]


def _binary(event: dict[str, Any]) -> bytes:
    """Return an event as a frame of `application/vnd.amazon.eventstream`."""
    ((name, said),) = event.items()
    about = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        bytes([len(key)]) + key.encode() + struct.pack(">BH", 7, len(value)) + value.encode()
        for key, value in about.items()
    )
    payload = json.dumps(said).encode()
    head = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    frame = head + struct.pack(">I", crc32(head)) + headers + payload
    return frame + struct.pack(">I", crc32(frame))


ANSWERS: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "completions": (CHAT, CHAT_FRAMES),
    "responses": (RESPONSE, RESPONSE_FRAMES),
    "messages": (ANTHROPIC, ANTHROPIC_FRAMES),
}
