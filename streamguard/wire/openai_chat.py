"""OpenAI Chat Completions: where the text is in a frame, and how an annotation rides in one.

A frame is a parsed chunk, or a whole answer, as a dict or as an SDK's object: one code path.
Only the visible answer (`content`) is text; tool arguments, reasoning and refusals are not.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from streamguard.errors import DecodeError

KEY = "streamguard"  # the one key that is ours, in frames, answers and requests

# How the first frame that may belong to the tail, or that may precede it in the same read, shows
# in the bytes. A `finish_reason` written in another way is seen once its frame has been read.
_SIGNS_OF_THE_END = (b"[DONE]", b'"finish_reason":"', b'"finish_reason": "')


def text_of(frame: Any) -> dict[int, str]:
    """Return the text each choice of `frame` brings; choices without text are left out.

    Chunks carry it in `delta`, whole answers in `message`. Any shape is accepted: what is not
    text where text belongs is skipped, an index that is no integer counts as 0.
    """
    texts: dict[int, str] = {}
    for index, choice in _choices(frame):
        delta = _field(choice, "delta")
        content = _field(_field(choice, "message") if delta is None else delta, "content")
        if isinstance(content, str) and content:
            texts[index] = texts[index] + content if index in texts else content
    return texts


def finished(frame: Any) -> set[int]:
    """Return the choices that `frame` ends, that is those with a `finish_reason`."""
    return {index for index, choice in _choices(frame) if _field(choice, "finish_reason")}


def choices_in(frame: Any) -> set[int]:
    """Return the choices that `frame` speaks of, with or without text."""
    return {index for index, _ in _choices(frame)}


def is_error(frame: Any) -> bool:
    """Say whether `frame` reports an error in place of an answer, as the SDKs judge it."""
    return bool(_field(frame, "error"))


def is_done(data: str) -> bool:
    """Say whether an event's data is the end sign; SDKs look at how it begins."""
    return data.lstrip().startswith("[DONE]")


def is_usage(frame: Any, ended: Collection[int]) -> bool:
    """Say whether `frame` belongs behind the answer: it has usage, and only for `ended` choices."""
    if not ended or not _field(frame, "usage") or text_of(frame):
        return False
    return all(index in ended for index, _ in _choices(frame))


def first_sign_of_end(block: bytes) -> int:
    """Return the offset in `block` before which no frame of the tail begins, or -1 for nowhere.

    The tail is what follows the last `finish_reason`: usage and `[DONE]`. A search over bytes:
    what it finds is to be read before it is handed on, what precedes it is not.
    """
    found = [at for sign in _SIGNS_OF_THE_END if (at := block.find(sign)) >= 0]
    return min(found) if found else -1


def read_frame(data: str) -> Mapping[str, Any]:
    """Return an event's data as a frame, an empty one where it is JSON but no object.

    Raises `DecodeError` where it is no JSON.
    """
    try:
        frame = json.loads(data)
    except (ValueError, RecursionError) as exc:
        raise DecodeError(f"a frame of {len(data)} characters is not JSON") from exc
    return frame if isinstance(frame, dict) else {}


def annotation_frame(
    last_frame: Mapping[str, Any], annotation_json: str, *, usage: bool = False
) -> bytes:
    """Return the event that carries the annotation: an ordinary chunk with one empty delta.

    `last_frame` gives `id`, `created` and `model`; what it lacks is filled, since clients refuse
    a chunk in which they are empty. `usage` says that the stream's chunks carry `usage`, which is
    null here. `annotation_json` must be one line of ASCII JSON.
    """
    head = {
        "id": _filled(last_frame, "id", str, "chatcmpl-streamguard"),
        "object": "chat.completion.chunk",
        "created": _filled(last_frame, "created", int, 0),
        "model": _filled(last_frame, "model", str, "unknown"),
        "choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": None}],
        **({"usage": None} if usage else {}),
    }
    opened = json.dumps(head, separators=(",", ":")).removesuffix("}")
    return f'data: {opened},"{KEY}":{annotation_json}}}\n\n'.encode("ascii")


def _filled(frame: Mapping[str, Any], name: str, kind: type, otherwise: Any) -> Any:
    value = frame.get(name)
    return value if isinstance(value, kind) and value else otherwise


def _choices(frame: Any) -> Iterator[tuple[int, Any]]:
    choices = _field(frame, "choices")
    if isinstance(choices, list | tuple):
        for choice in choices:
            index = _field(choice, "index")
            yield index if type(index) is int else 0, choice


def _field(owner: Any, name: str) -> Any:
    return owner.get(name) if isinstance(owner, Mapping) else getattr(owner, name, None)
