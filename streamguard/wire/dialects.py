"""Which protocol an answer speaks: by its request's path, its headers, and its first frame."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from streamguard.wire.anthropic import ANTHROPIC
from streamguard.wire.dialect import Dialect
from streamguard.wire.lines import LineDecoder
from streamguard.wire.ollama import OLLAMA
from streamguard.wire.openai_chat import CHAT
from streamguard.wire.openai_responses import RESPONSES
from streamguard.wire.plain import PLAIN_EVENTS, PLAIN_LINES
from streamguard.wire.sse import SSEDecoder
from streamguard.wire.ui_message import HEADER, PART_TYPES, UI_MESSAGE

DIALECTS = (CHAT, RESPONSES, ANTHROPIC, OLLAMA, UI_MESSAGE, PLAIN_EVENTS, PLAIN_LINES)
# How the path of a request ends that asks for an answer. `/messages` alone is not enough:
# other interfaces keep messages in threads.
_PATHS: Mapping[str, Dialect] = {
    "/chat/completions": CHAT,
    "/responses": RESPONSES,
    "/v1/messages": ANTHROPIC,
    "/api/chat": OLLAMA,
    "/api/generate": OLLAMA,
}
EVENT_STREAM = "text/event-stream"
LINE_TYPES = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)
STREAM_TYPES = LINE_TYPES | {EVENT_STREAM}


def of_path(path: str) -> Dialect | None:
    """Return the protocol whose requests go to `path` (without a query), None for no known one."""
    return next((found for end, found in _PATHS.items() if path.endswith(end)), None)


def of_stream(
    path: str,
    content_type: str,
    headers: Mapping[str, str] | None = None,
    first: str | None = None,
) -> Dialect | None:
    """Return the protocol of a streamed answer.

    `content_type` without parameters; `headers` of the response, with names in any mapping that
    ignores case; `first` is the data of its first frame, an empty string where there is none.
    None where it is no stream of text, or where the first frame is needed to tell.
    """
    if content_type in LINE_TYPES:
        return (
            OLLAMA
            if of_path(path) is OLLAMA
            else None
            if first is None
            else by_first_frame(first, content_type)
        )
    if content_type != EVENT_STREAM:
        return None
    if headers is not None and HEADER in headers:
        return UI_MESSAGE
    known = of_path(path)
    if known not in (None, OLLAMA):
        return known
    return None if first is None else by_first_frame(first, content_type)


def of_answer(path: str, answer: Mapping[str, Any]) -> Dialect | None:
    """Return the protocol of an answer in one piece, None where the JSON is no answer."""
    known = of_path(path)
    candidates = (known,) if known is not None else (*_PATHS.values(), PLAIN_LINES)
    return next((each for each in candidates if each.answer(answer) is not None), None)


def first_frame(begun: bytes, content_type: str) -> tuple[int, str | None]:
    """Return how many bytes of a stream's beginning hold no data, and the first frame's data.

    The bytes are whole frames (comments, blank lines). None for data that is not whole yet.
    """
    decoder = LineDecoder() if content_type in LINE_TYPES else SSEDecoder()
    empty = 0
    for event in decoder.feed(begun):
        if event.data is not None or event.truncated:
            return empty, event.data or ""
        empty += len(event.raw)
    return empty, None


def by_first_frame(first: str, content_type: str) -> Dialect:
    """Return the protocol whose streams begin as this one does."""
    frame = _object(first)
    if content_type in LINE_TYPES:
        return OLLAMA if "done" in frame and "model" in frame else PLAIN_LINES
    kind = frame.get("type")
    if isinstance(frame.get("choices"), list):
        return CHAT
    if isinstance(kind, str):
        if kind in PART_TYPES:
            return UI_MESSAGE
        if kind == "message_start":
            return ANTHROPIC
        if kind.startswith("response."):
            return RESPONSES
    return PLAIN_EVENTS


def _object(data: str) -> Mapping[str, Any]:
    try:
        frame = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return frame if isinstance(frame, dict) else {}
