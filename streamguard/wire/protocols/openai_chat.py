"""OpenAI Chat Completions: the text in a frame, and an annotation in one.

A frame is a parsed chunk or a complete answer, as a dict or an SDK's object: one code path. Only
the visible answer is text: `content`, a string or a list of parts, and `refusal`, which replaces
it. Tool arguments and reasoning are not text. Chunks of the older Completions, whose choices have
`text` without a delta, are read alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from streamguard.wire.brought.in_chat import brought_in
from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent
from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import (
    field,
    filled,
    has_unread_parts,
    has_unread_text,
    message_text,
    numbered,
    parts_text,
    text_at,
    without,
)
from streamguard.wire.protocols.choice_streams import MAX_CHOICES, ChoicesReader, ended_in
from streamguard.wire.reader import (
    KEY,
    Place,
    read_frame,
    sse_frame,
    with_annotation,
)

__all__ = [
    "CHAT",
    "KEY",
    "ChatReader",
    "annotation_frame",
    "choices_in",
    "finished",
    "is_done",
    "is_error",
    "is_usage",
    "read_frame",
    "text_of",
]

_CHOICE_FIELDS = ("delta", "message", "text", "finish_reason")  # a choice's fields
_FINISH_SIGNS = ('"finish_reason":"', '"finish_reason": "')


def text_of(frame: Any) -> dict[int, str]:
    """Return the text per choice of `frame`, without choices that have none.

    Chunks have it in `delta`, complete answers in `message`. Any shape is accepted: values other
    than text are skipped, an index that is no integer is 0.
    """
    texts: dict[int, str] = {}
    for index, choice in _choices(frame):
        text = _text(choice)
        if text:
            texts[index] = texts[index] + text if index in texts else text
    return texts


def _message(choice: Any) -> Any:
    """Return the delta or message around a choice's text, None if the choice has its own."""
    delta = field(choice, "delta")
    return field(choice, "message") if delta is None else delta


def _text(choice: Any) -> str:
    message = _message(choice)
    return parts_text(field(choice, "text")) if message is None else message_text(message)


def _has_unread(choice: Any) -> bool:
    message = _message(choice)
    return has_unread_parts(field(choice, "text")) if message is None else has_unread_text(message)


def is_completion(frame: Any) -> bool:
    """Return whether `frame` is one of the older Completions, whose choices have `text`."""
    return any(isinstance(field(choice, "text"), str) for _, choice in _choices(frame))


def finished(frame: Any) -> set[int]:
    """Return the choices that `frame` ends: those with a `finish_reason`."""
    return ended_in(frame, "choices", "finish_reason")


def choices_in(frame: Any) -> set[int]:
    """Return the choices in `frame`, with or without text."""
    return {index for index, _ in _choices(frame)}


def is_error(frame: Any) -> bool:
    """Return whether `frame` reports an error instead of an answer, by the SDKs' rule."""
    return bool(field(frame, "error"))


def is_done(data: str) -> bool:
    """Return whether an event's data is the end sign; as in SDKs its beginning decides."""
    return data.lstrip().startswith("[DONE]")


def is_usage(frame: Any, ended: Collection[int]) -> bool:
    """Return whether `frame` follows the answer: it has usage, and only `ended` choices."""
    if not ended or not field(frame, "usage") or text_of(frame):
        return False
    return all(index in ended for index, _ in _choices(frame))


def annotation_frame(
    last_frame: Mapping[str, Any],
    annotation_json: str,
    *,
    usage: bool = False,
    choice: int = 0,
    line_end: str = "\n",
) -> bytes:
    """Return the annotation's event: an ordinary chunk with one empty delta.

    `last_frame` supplies `id`, `created` and `model`; missing ones are filled, since clients reject
    a chunk without them. After a frame of the older Completions it is one of those, with an empty
    text. `usage`: the stream's chunks have `usage`, which is null here. `annotation_json` must be
    one line of ASCII JSON.
    """
    older = is_completion(last_frame)
    empty: dict[str, Any] = {"text": ""} if older else {"delta": {}}
    head = {
        "id": filled(last_frame, "id", str, f"{'cmpl' if older else 'chatcmpl'}-streamguard"),
        "object": "text_completion" if older else "chat.completion.chunk",
        "created": filled(last_frame, "created", int, 0),
        "model": filled(last_frame, "model", str, "unknown"),
        "choices": [{"index": choice, **empty, "logprobs": None, "finish_reason": None}],
        **({"usage": None} if usage else {}),
    }
    return sse_frame(with_annotation(head, annotation_json), line_end)


class ChatReader(ChoicesReader):
    """Reads the events of one Chat Completions stream."""

    signs = (b"[DONE]", *(sign.encode() for sign in _FINISH_SIGNS))
    content_keys = ('"content":"', '"content": "')
    brings = staticmethod(brought_in)

    def __init__(self) -> None:
        super().__init__()
        self.last: Mapping[str, Any] = {}  # the last frame that had choices and an id
        self.carries_usage = False
        self._texts: dict[int, blake2b] = {}  # by choice; a message may repeat it at the end
        self._messages: list[tuple[int, str]] = []  # beside deltas, not compared yet

    def is_done(self, data: str) -> bool:
        """Return whether the data is `[DONE]`."""
        return is_done(data)

    def place(self, event: SSEEvent) -> Place:
        """Return the event's place in the answer; most are recognised without parsing."""
        data = event.data
        if data is None or self.ended or is_done(data):
            return super().place(event)
        ends = any(sign in data for sign in _FINISH_SIGNS)
        return super().place(event) if ends else "body"

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Return the frame's place; an annotation fits next to the last `finish_reason`."""
        if is_error(frame):
            return "body"
        if finished(frame) and not self.ended:
            # Clients that take usage from the last chunk must not find ours there.
            return "rear" if field(frame, "usage") else "slot"
        # One choice may come behind another's end, with usage between them.
        if self.ended and is_usage(frame, self._finished):
            return "foot"
        # What filters and routers still report on an answer that has ended says nothing more.
        quiet = self.ended and frame and not text_of(frame) and not _calls(frame)
        return "aside" if quiet and choices_in(frame) <= self._finished else "body"

    def note_cut(self, texts: Sequence[str], raw: bytes = b"") -> None:
        """Count texts of frames that were not parsed."""
        self.count_texts({self._form_choice: "".join(texts)})

    def _read_frame(self, event: SSEEvent, data: str) -> Mapping[int, str]:
        texts = super()._read_frame(event, data)
        self.count_texts(texts)
        return texts

    def count_texts(self, texts: Mapping[int, str]) -> None:
        """Count text that was read, and compare complete messages with it."""
        for choice, text in texts.items():
            if choice in self._texts or len(self._texts) < MAX_CHOICES:
                digest = self._texts.setdefault(choice, blake2b())
                digest.update(text.encode("utf-16-le", "surrogatepass"))  # halves may come in two
        for choice, text in self._messages:
            complete = blake2b(text.encode("utf-16-le", "surrogatepass")).digest()
            is_same = choice in self._texts and self._texts[choice].digest() == complete
            self._odd = self._odd or not is_same
        self._messages.clear()

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text per choice."""
        return text_of(frame)

    def knows(self, frame: Mapping[str, Any]) -> bool:
        """Return whether a frame has choices, or usage or an error instead."""
        if frame.get("choices"):
            choices = [choice for _, choice in _choices(frame) if isinstance(choice, Mapping)]
            return any(name in choice for name in _CHOICE_FIELDS for choice in choices)
        return "choices" in frame or "usage" in frame or is_error(frame)

    def other_content(self, frame: Mapping[str, Any]) -> Any:
        """Return the content of deltas and messages other than text."""
        pairs = [
            (field(choice, "delta"), field(choice, "message")) for _, choice in _choices(frame)
        ]
        deltas = [without(delta, "content", "refusal", "text") for delta, _ in pairs if delta]
        return deltas + [without(message, "content", "refusal") for _, message in pairs if message]

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember the choices, those that have ended, and a chunk's shape."""
        self.failed = self.failed or is_error(frame)
        self.carries_usage = self.carries_usage or "usage" in frame
        self._odd = self._odd or _is_spoken(frame)
        self._odd = self._odd or any(_is_odd(choice) for _, choice in _choices(frame))
        self._messages += _messages(frame)
        if frame.get("choices") and frame.get("id"):  # filters report without an id of their own
            self.last = frame
        self.count(choices_in(frame), finished(frame))

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return an ordinary chunk for that choice with the key."""
        return annotation_frame(
            self.last,
            annotation_json,
            usage=self.carries_usage,
            choice=choice,
            line_end=self.line_end,
        )


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    choices = answer.get("choices")
    if is_error(answer) or not isinstance(choices, list):
        return None
    if any(map(_has_unread, choices)):
        return None
    texts = text_of(answer)
    return None if _is_spoken(answer) and not texts else texts


def _frames_of(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    choices = [
        {**choice, "delta": choice["message"], "message": None}
        if isinstance(choice, dict) and "message" in choice
        else choice
        for _, choice in _choices(answer)
    ]
    return [{**answer, "choices": choices}]


def _is_odd(choice: Any) -> bool:
    """Return whether a choice has unread text: in a part, or next to its delta's content."""
    delta = field(choice, "delta")
    if _has_unread(choice):
        return True
    if delta is not None and has_unread_text(field(choice, "message")):
        return True
    elsewhere = text_at(delta, "text") or ("" if delta is None else text_at(choice, "text"))
    return elsewhere not in ("", _text(choice))


def _messages(frame: Any) -> Iterator[tuple[int, str]]:
    """Yield complete messages that differ from their deltas, by choice."""
    for index, choice in _choices(frame):
        if field(choice, "delta") is not None:
            text = message_text(field(choice, "message"))
            if text and text != _text(choice):
                yield index, text


def _is_spoken(frame: Any) -> bool:
    """Return whether a choice has text only next to its audio, where it is not read."""
    contents = (field(choice, "delta") or field(choice, "message") for _, choice in _choices(frame))
    return any(text_at(each, "audio", "transcript") for each in contents)


def _calls(frame: Mapping[str, Any]) -> bool:
    return any(field(field(choice, "delta"), "tool_calls") for _, choice in _choices(frame))


def _choices(frame: Any) -> Iterator[tuple[int, Any]]:
    return numbered(frame, "choices")


CHAT = Dialect(
    name="openai_chat",
    decoder=SSEDecoder,
    reader=ChatReader,
    text_of=text_of,
    finished=finished,
    answer=_answer,
    default="chunk",
    own_forms={},
    frames_of=_frames_of,
)
