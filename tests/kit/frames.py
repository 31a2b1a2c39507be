"""What upstreams send and clients ask, in bytes."""

import json

PATIENCE_S = 20.0  # an event that does not come by then never comes
PATH = "/v1/chat/completions"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
DONE = b"data: [DONE]\n\n"
QUESTION = {"role": "user", "content": "What does the Basic plan cost?"}
PASSAGES = {
    "role": "system",
    "content": "Answer from these.\n[C1] Source: plans.md\nThe Basic plan costs $10 per month."
    "\n[C2] The Pro plan costs $49 per month and includes support.\n",
}
ASKED = {"model": "mock", "stream": True, "messages": [PASSAGES, QUESTION]}


def chunked(data):
    """Return `data` as one chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def frame(content=None, index=0, finish=None, **more):
    """Return one chat chunk as an event."""
    delta = {} if content is None else {"content": content}
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "mock",
        "choices": [{"index": index, "delta": delta, "logprobs": None, "finish_reason": finish}],
        **more,
    }
    return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"


def usage():
    """Return the usage chunk as an event."""
    return frame(choices=[], usage={"prompt_tokens": 3, "total_tokens": 5, "cached_tokens": 0})


def answer(text, size=4):
    """Return the events of a whole streamed answer but for usage and the end sign."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return b"".join([frame(""), *map(frame, pieces), frame(finish="stop")])


def whole(body, kind="application/json", status="200 OK", more=""):
    """Return a response whose body has its length."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body
