"""The JSON schema of every frame that carries an annotation, as `docs/wire.schema.json` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

# Both documents stand beside the one that refers to them.
ANNOTATION: Schema = {"$ref": "annotation.schema.json"}
SENTENCE: Schema = {"$ref": "sentence.schema.json"}
_EITHER: Schema = {"anyOf": [ANNOTATION, SENTENCE]}
_TEXT: Schema = {"type": "string", "minLength": 1}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NULL: Schema = {"type": "null"}


def _is(value: object) -> Schema:
    return {"const": value}


def _object(description: str, optional: tuple[str, ...] = (), /, **properties: Schema) -> Schema:
    required = [name for name in properties if name not in optional]
    return {
        "description": description,
        "type": "object",
        "properties": properties,
        "required": required,
    }


def _with_key(kind: str, value: Schema) -> Schema:
    return _object(f"Any {kind} of the upstream's, with one key more.", streamguard=value)


def _chunk(kind: str, **empty: Schema) -> Schema:
    choice = _object(
        "The choice that a sentence belongs to, 0 for the annotation.",
        index=_COUNT,
        logprobs=_NULL,
        finish_reason=_NULL,
        **empty,
    )
    return _object(
        "A chunk of ours: the annotation in front of usage and `[DONE]`, a sentence anywhere.",
        ("usage",),
        id=_TEXT,
        object=_is(kind),
        created=_COUNT,
        model=_TEXT,
        choices={"type": "array", "minItems": 1, "maxItems": 1, "items": choice},
        usage=_NULL,
        streamguard=_EITHER,
    )


_IN_PROGRESS = _object(
    "An event of ours: the response as it was last shown, the number of the event before.",
    type=_is("response.in_progress"),
    sequence_number=_COUNT,
    response={"type": "object"},
    streamguard=_EITHER,
)
_LINE = {
    "model": _TEXT,
    "created_at": _TEXT,
    "done": _is(False),
    "streamguard": _EITHER,
}

FRAMES: Mapping[str, Schema] = {
    "openai_chat.chunk": _chunk("chat.completion.chunk", delta=_is({})),
    "openai_chat.attach": _with_key("chunk with the last `finish_reason`", ANNOTATION),
    "openai_completions.chunk": _chunk("text_completion", text=_is("")),
    "openai_completions.attach": _with_key("chunk with the last `finish_reason`", ANNOTATION),
    "openai_responses.chunk": _IN_PROGRESS,
    "openai_responses.sentence": _object(
        "A delta of ours without text, in the text that is open.",
        type=_is("response.output_text.delta"),
        sequence_number=_COUNT,
        item_id=_TEXT,
        output_index=_COUNT,
        content_index=_COUNT,
        delta=_is(""),
        logprobs=_is([]),
        streamguard=SENTENCE,
    ),
    "openai_responses.attach": _object(
        "The upstream's last event, with one key more in its response.",
        type={"enum": ["response.completed", "response.incomplete", "response.failed"]},
        response=_with_key("response", ANNOTATION),
    ),
    "openai_responses.event": _object(
        "An event of ours under a name of its own.",
        type=_is("response.streamguard.result"),
        sequence_number=_COUNT,
        streamguard=ANNOTATION,
    ),
    "anthropic.attach": _object(
        "The upstream's last `message_delta`, with one key more.",
        type=_is("message_delta"),
        streamguard=ANNOTATION,
    ),
    "anthropic.chunk": _object(
        "A ping of ours, which the SDKs do not hand on.", type=_is("ping"), streamguard=_EITHER
    ),
    "anthropic.sentence": _object(
        "A delta of ours without text, in the text block that is open.",
        type=_is("content_block_delta"),
        index=_COUNT,
        delta=_is({"type": "text_delta", "text": ""}),
        streamguard=SENTENCE,
    ),
    "anthropic.event": _object(
        "An event of ours under a name of its own.",
        type=_is("streamguard.result"),
        streamguard=ANNOTATION,
    ),
    "cohere.attach": _object(
        "The upstream's `message-end`, with one key more.",
        type=_is("message-end"),
        streamguard=ANNOTATION,
    ),
    "cohere.sentence": _object(
        "A delta of ours without text, in the content that is open.",
        type=_is("content-delta"),
        index=_COUNT,
        delta=_is({"message": {"content": {"text": ""}}}),
        streamguard=_EITHER,
    ),
    "cohere.event": _object(
        "An event of ours under a name of its own.",
        type=_is("streamguard.result"),
        streamguard=ANNOTATION,
    ),
    "gemini.attach": _with_key("response with the last `finishReason`", ANNOTATION),
    "gemini.chunk": _object(
        "A response of ours without text; in an array an element.",
        ("modelVersion", "responseId"),
        candidates={
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": _object(
                "The candidate that a sentence belongs to, 0 for the annotation.",
                index=_COUNT,
                content=_is({"parts": [{"text": ""}], "role": "model"}),
            ),
        },
        modelVersion=_TEXT,
        responseId=_TEXT,
        streamguard=_EITHER,
    ),
    "ollama.chat.chunk": _object(
        "A line of ours without text.",
        message=_is({"role": "assistant", "content": ""}),
        **_LINE,
    ),
    "ollama.generate.chunk": _object("A line of ours without text.", response=_is(""), **_LINE),
    "ollama.attach": _object(
        "The upstream's last line, with one key more.", done=_is(True), streamguard=ANNOTATION
    ),
    "ui_message.chunk": _object(
        "A data part, in front of `finish`.",
        type=_is("data-streamguard"),
        id=_is("streamguard"),
        data=ANNOTATION,
    ),
    "ui_message.sentence": _object(
        "A data part; every sentence has its own.",
        type=_is("data-streamguard-sentence"),
        id=_TEXT,
        data=SENTENCE,
    ),
    "ui_message.attach": _object(
        "The upstream's `finish`, with one key more in its metadata.",
        type=_is("finish"),
        messageMetadata=_with_key("metadata", ANNOTATION),
    ),
    "plain_lines.event": _object("A line of ours.", streamguard=_EITHER),
    "event": {
        "description": "The data of `event: streamguard.result` or `streamguard.sentence`, in"
        " Chat Completions, in text by hand and on the side channel.",
        **_EITHER,
    },
    "websocket.event": _object(
        "A message of ours behind the last event of an answer over a WebSocket.",
        type=_is("response.streamguard.result"),
        response_id={"type": "string"},
        streamguard=ANNOTATION,
    ),
    "answer": _with_key("answer in one piece", ANNOTATION),
}


def wire_schema() -> Schema:
    """Return the schema of all annotated frames, each under its name in `$defs`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A frame that carries an annotation",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in FRAMES],
        "$defs": dict(FRAMES),
    }
