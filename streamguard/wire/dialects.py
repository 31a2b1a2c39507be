"""Finds an answer's protocol by the request's path, the headers and the first frame."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from streamguard.errors import DecodeError
from streamguard.text.patterns import lazy_re
from streamguard.wire.agents.a2a import A2A
from streamguard.wire.agents.ag_ui import AG_UI
from streamguard.wire.agents.dify import DIFY
from streamguard.wire.agents.langgraph import LANGGRAPH
from streamguard.wire.codecs.lines import LineDecoder
from streamguard.wire.codecs.sse import SSEDecoder
from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import text_at
from streamguard.wire.protocols.anthropic import ANTHROPIC
from streamguard.wire.protocols.cohere import COHERE
from streamguard.wire.protocols.gemini import GEMINI, GEMINI_ARRAY
from streamguard.wire.protocols.ollama import OLLAMA
from streamguard.wire.protocols.openai_chat import CHAT, is_completion
from streamguard.wire.protocols.openai_completions import COMPLETIONS
from streamguard.wire.protocols.openai_responses import RESPONSES
from streamguard.wire.protocols.plain import PLAIN_EVENTS, PLAIN_LINES, PLAIN_TEXT, plain_text
from streamguard.wire.protocols.ui_message import HEADER, UI_MESSAGE
from streamguard.wire.reader import read_frame

PLAIN = (PLAIN_EVENTS, PLAIN_LINES)  # nothing is inserted unless requested
DIALECTS = (
    CHAT,
    COMPLETIONS,
    RESPONSES,
    ANTHROPIC,
    GEMINI,
    GEMINI_ARRAY,
    COHERE,
    OLLAMA,
    UI_MESSAGE,
    AG_UI,
    DIFY,
    LANGGRAPH,
    A2A,
    *PLAIN,
    PLAIN_TEXT,
)
_STREAM_OF_GEMINI = ":streamgeneratecontent"
# The ends, in lower case, of paths whose requests expect an answer. `/messages` alone is not
# enough: other interfaces keep messages in threads.
_PATHS: Mapping[str, Dialect] = {
    "/chat/completions": CHAT,
    "/completions": COMPLETIONS,
    "/responses": RESPONSES,
    "/v1/messages": ANTHROPIC,
    "/api/chat": OLLAMA,
    "/api/generate": OLLAMA,
    ":generatecontent": GEMINI,
    _STREAM_OF_GEMINI: GEMINI,
    "/v2/chat": COHERE,
    "/chat-messages": DIFY,
    "/completion-messages": DIFY,
    "/workflows/run": DIFY,
    "/runs/stream": LANGGRAPH,
}
_RAW_PREDICTIONS = (":rawpredict", ":streamrawpredict")
_PUBLISHERS = {"/publishers/anthropic/": ANTHROPIC, "/publishers/mistralai/": CHAT}
EVENT_STREAM = "text/event-stream"
LINE_TYPES = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)
TEXT_TYPE = "text/plain"
STREAM_TYPES = LINE_TYPES | {EVENT_STREAM, TEXT_TYPE}
JSON_TYPE = "application/json"
ANSWER_TYPES = STREAM_TYPES | {JSON_TYPE}
_EVENT_BEGINS = (b"data:", b"event:", b"id:", b"retry:", b":")
_FIRST_TYPES = {"message_start": ANTHROPIC, "message-start": COHERE, "RUN_STARTED": AG_UI}
KIND_BYTES = max(map(len, _EVENT_BEGINS))  # of a text's beginning, which show its kind
_BLANK_LINES = re.compile(rb"(?:[ \t\r]*+\n)*+")
# Events without a line of data: comments, ids, and blank lines by themselves.
_SILENT_EVENTS = re.compile(rb"(?:(?:(?!data|\xef)[^\r\n]++(?:\r\n|[\r\n]))*+(?:\r\n|[\r\n]))*+")
_CHARSET = lazy_re(r"charset\s*=\s*[\"']?([^\s;\"']+)", re.IGNORECASE)


def plain_path(path: str) -> str:
    """Return a path normalised as most servers do, in lower case.

    Empty segments, dot segments, parameters after a `;` and a trailing slash are dropped. Percent
    escapes must be decoded before.
    """
    kept: list[str] = []
    for segment in path.lower().replace("\\", "/").split("/"):
        name = segment.partition(";")[0].strip()
        if name == "..":
            kept[-1:] = []
        elif name not in ("", "."):
            kept.append(name)
    return "/" + "/".join(kept)


def matches(path: str, pattern: str) -> bool:
    """Return whether a path, however spelt, fits the pattern; a `*` at its end fits anything."""
    plain = plain_path(path)
    if not pattern.endswith("*"):
        return plain == plain_path(pattern)
    return f"{plain}/".startswith(f"/{pattern[:-1].lower().lstrip('/')}")


def of_path(path: str) -> Dialect | None:
    """Return the protocol whose requests go to `path` (without a query), None if unknown.

    The path may be spelt in any way that some server accepts.
    """
    plain = plain_path(path)
    if plain.endswith(_RAW_PREDICTIONS):  # Vertex: whose protocol it is, its publisher says
        return next((found for name, found in _PUBLISHERS.items() if name in plain), None)
    return next((found for end, found in _PATHS.items() if plain.endswith(end)), None)


def is_stream(path: str, content_type: str) -> bool:
    """Return whether an answer of that type comes in frames.

    JSON is one complete answer, except on the path of Gemini's streams.
    """
    array = content_type == JSON_TYPE and plain_path(path).endswith(_STREAM_OF_GEMINI)
    return array or content_type in STREAM_TYPES


def of_stream(
    path: str,
    content_type: str,
    headers: Mapping[str, str] | None = None,
    first: str | None = None,
) -> Dialect | None:
    """Return the protocol of a streamed answer.

    `is_stream` must be True for it. `content_type` has no parameters. `headers` are the response's,
    in a mapping that ignores case. `first` is the data of the first frame, an empty string without
    one. None if it is no stream of text, or if the first frame is needed and missing.
    """
    if content_type in LINE_TYPES:
        if of_path(path) is OLLAMA:
            return OLLAMA
        return None if first is None else by_first_frame(first, content_type)
    if content_type == JSON_TYPE:
        return GEMINI_ARRAY
    if content_type != EVENT_STREAM:
        return None
    if headers is not None and HEADER in headers:
        return UI_MESSAGE
    known = of_path(path)
    if known not in (None, OLLAMA):
        return known
    return None if first is None else by_first_frame(first, content_type)


def of_text(path: str, begun: bytes, headers: Mapping[str, str]) -> Dialect:
    """Return the protocol of a text/plain body by its first bytes.

    Mostly it is plain text; some servers send events or JSON lines under that type.
    """
    if begun.startswith(_EVENT_BEGINS):
        known = of_path(path)
        return PLAIN_EVENTS if known in (None, OLLAMA) else known
    if begun.startswith(b"{"):
        return PLAIN_LINES
    named = _CHARSET.search(headers.get("content-type", ""))
    return plain_text(named[1] if named else "utf-8")


def of_answer(path: str, answer: Mapping[str, Any]) -> Dialect | None:
    """Return the protocol of a complete answer, None if the JSON is no answer."""
    known = of_path(path)
    candidates = (COMPLETIONS, *_PATHS.values(), A2A) if known is None else (known,)
    of_all = (*candidates, PLAIN_LINES)
    return next((each for each in of_all if each.answer(answer) is not None), None)


def first_frame(begun: bytes, content_type: str) -> tuple[int, str | None]:
    """Return how many leading bytes of a stream hold no data, and the first frame's data.

    The leading bytes are complete frames (comments, blank lines). The data is None while
    incomplete.
    """
    in_lines = content_type in LINE_TYPES
    decoder = LineDecoder() if in_lines else SSEDecoder()
    # 64 KiB of blank lines are as many frames: they are passed over in one search.
    silent = (_BLANK_LINES if in_lines else _SILENT_EVENTS).match(begun)
    empty = silent.end() if silent else 0
    for event in decoder.feed(begun[empty:]):
        if event.data is not None or event.truncated:
            return empty, event.data or ""
        empty += len(event.raw)
    return empty, None


def by_first_frame(first: str, content_type: str) -> Dialect:
    """Return the protocol whose streams begin with such a frame."""
    try:
        frame = read_frame(first)
    except DecodeError:
        frame = {}
    if content_type in LINE_TYPES:
        return OLLAMA if "done" in frame and "model" in frame else PLAIN_LINES
    kind = text_at(frame, "type")
    if isinstance(frame.get("choices"), list):
        return COMPLETIONS if is_completion(frame) else CHAT
    if isinstance(frame.get("candidates"), list):
        return GEMINI
    if "jsonrpc" in frame:
        return A2A
    if kind.startswith("response."):
        return RESPONSES
    return _FIRST_TYPES.get(kind, PLAIN_EVENTS)
