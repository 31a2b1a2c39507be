"""One answer as a stream of every protocol, and how a reader of each puts its text together."""

import json


def sse(frames, *, named=False, done=False):
    events = []
    for frame in frames:
        name = f"event: {frame['type']}\n" if named else ""
        events.append(f"{name}data: {json.dumps(frame)}\n\n".encode())
    return [*events, b"data: [DONE]\n\n"] if done else events


def lines(frames):
    return [json.dumps(frame).encode() + b"\n" for frame in frames]


def chat(pieces):
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    said = [{"index": 0, "delta": {"content": p}, "finish_reason": None} for p in pieces]
    said.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    return sse([{**head, "choices": [choice]} for choice in said], done=True)


def completions(pieces):
    head = {"id": "c", "object": "text_completion", "created": 1, "model": "m"}
    said = [{"index": 0, "text": p, "finish_reason": None} for p in pieces]
    said.append({"index": 0, "text": "", "finish_reason": "stop"})
    return sse([{**head, "choices": [choice]} for choice in said], done=True)


def responses(pieces):
    text = "".join(pieces)
    at = {"item_id": "m1", "output_index": 0, "content_index": 0}
    item = {"id": "m1", "type": "message", "role": "assistant"}
    part = {"type": "output_text", "text": text, "annotations": []}
    shown = {"id": "r", "object": "response", "created_at": 1, "model": "m"}
    whole = {**item, "status": "completed", "content": [part]}
    frames = [
        {"type": "response.created", "response": {**shown, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        *({"type": "response.output_text.delta", **at, "delta": p, "logprobs": []} for p in pieces),
        {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        {
            "type": "response.completed",
            "response": {**shown, "status": "completed", "output": [whole]},
        },
    ]
    return sse([{**f, "sequence_number": n} for n, f in enumerate(frames)], named=True)


def anthropic(pieces):
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
    block = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "text", "text": ""},
    }
    deltas = [{"type": "text_delta", "text": p} for p in pieces]
    stop = {"stop_reason": "end_turn", "stop_sequence": None}
    return sse(
        [
            {"type": "message_start", "message": message},
            block,
            *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ],
        named=True,
    )


def gemini_frames(pieces):
    def response(text, **more):
        said = {"parts": [{"text": text}], "role": "model"}
        return {"candidates": [{"content": said, "index": 0, **more}], "modelVersion": "g"}

    last = {**response("", finishReason="STOP"), "usageMetadata": {"totalTokenCount": 5}}
    return [*map(response, pieces), last]


def gemini(pieces):
    return sse(gemini_frames(pieces))


def gemini_array(pieces):
    written = [json.dumps(frame).encode() for frame in gemini_frames(pieces)]
    return [b"[" + written[0], *(b",\n" + each for each in written[1:]), b"]"]


def cohere(pieces):
    start = {"type": "content-start", "index": 0}
    content = {"type": "text", "text": ""}
    return sse(
        [
            {"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant"}}},
            {**start, "delta": {"message": {"content": content}}},
            *(
                {
                    "type": "content-delta",
                    "index": 0,
                    "delta": {"message": {"content": {"text": p}}},
                }
                for p in pieces
            ),
            {"type": "content-end", "index": 0},
            {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}},
        ],
        named=True,
    )


def ollama(pieces):
    head = {"model": "m", "created_at": "2026-01-01T00:00:00Z"}
    said = [{**head, "message": {"role": "assistant", "content": p}, "done": False} for p in pieces]
    last = {**head, "message": {"role": "assistant", "content": ""}, "done": True}
    return lines([*said, {**last, "done_reason": "stop", "eval_count": 5}])


def ui_message(pieces):
    return sse(
        [
            {"type": "start"},
            {"type": "text-start", "id": "t"},
            *({"type": "text-delta", "id": "t", "delta": p} for p in pieces),
            {"type": "text-end", "id": "t"},
            {"type": "finish"},
        ],
        done=True,
    )


def plain_events(pieces):
    return sse([{"text": p} for p in pieces])


def plain_lines(pieces):
    return lines([{"text": p} for p in pieces])


def plain_text(pieces):
    return [p.encode() for p in pieces]


def frames_of(body):
    """Return the JSON frames of a body, however they are framed."""
    text = body.decode()
    if text.lstrip().startswith("["):
        return json.loads(text)
    found = [line.removeprefix("data: ") for line in text.splitlines()]
    return [json.loads(line) for line in found if line.startswith("{")]


def chat_text(body):
    return "".join(c["delta"].get("content") or "" for f in frames_of(body) for c in f["choices"])


def completions_text(body):
    return "".join(c["text"] for f in frames_of(body) for c in f["choices"])


def responses_text(body):
    """Join the deltas; every copy must say the same."""
    frames = frames_of(body)
    deltas = "".join(f["delta"] for f in frames if f["type"] == "response.output_text.delta")
    for f in frames:
        if f["type"] == "response.output_text.done":
            assert f["text"] == deltas
        if f["type"] == "response.content_part.done":
            assert f["part"]["text"] == deltas
        if f["type"] in ("response.completed", "response.incomplete"):
            assert f["response"]["output"][0]["content"][0]["text"] == deltas
    return deltas


def anthropic_text(body):
    deltas = [f["delta"] for f in frames_of(body) if f["type"] == "content_block_delta"]
    return "".join(delta["text"] for delta in deltas)


def gemini_text(body):
    candidates = [c for f in frames_of(body) for c in f.get("candidates", ())]
    return "".join(part["text"] for c in candidates for part in c["content"]["parts"])


def cohere_text(body):
    frames = [f for f in frames_of(body) if f["type"] in ("content-start", "content-delta")]
    return "".join(f["delta"]["message"]["content"]["text"] for f in frames)


def ollama_text(body):
    return "".join(f["message"]["content"] for f in frames_of(body))


def ui_message_text(body):
    return "".join(f["delta"] for f in frames_of(body) if f["type"] == "text-delta")


def plain_json_text(body):
    return "".join(f.get("text", "") for f in frames_of(body))


EVENTS, LINES = "text/event-stream", "application/x-ndjson"
# By name: path, content type, headers, frames of an answer's pieces, and the text a reader has.
STREAMS = {
    "chat": ("/v1/chat/completions", EVENTS, {}, chat, chat_text),
    "completions": ("/v1/completions", EVENTS, {}, completions, completions_text),
    "responses": ("/v1/responses", EVENTS, {}, responses, responses_text),
    "anthropic": ("/v1/messages", EVENTS, {}, anthropic, anthropic_text),
    "gemini": ("/v1/models/g:streamGenerateContent", EVENTS, {}, gemini, gemini_text),
    "gemini_array": (
        "/v1/models/g:streamGenerateContent", "application/json", {}, gemini_array, gemini_text
    ),
    "cohere": ("/v2/chat", EVENTS, {}, cohere, cohere_text),
    "ollama": ("/api/chat", LINES, {}, ollama, ollama_text),
    "ui_message": (
        "/ask", EVENTS, {"x-vercel-ai-ui-message-stream": "v1"}, ui_message, ui_message_text
    ),
    "plain_events": ("/ask", EVENTS, {}, plain_events, plain_json_text),
    "plain_lines": ("/ask", LINES, {}, plain_lines, plain_json_text),
    "plain_text": ("/ask", "text/plain", {}, plain_text, lambda body: body.decode()),
}  # fmt: skip
