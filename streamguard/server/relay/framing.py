"""Writes a guarded stream's items as frames of a protocol, with an annotation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.errors import ConfigError
from streamguard.server.relay.tail import Tail
from streamguard.wire.dialect import Dialect, Form
from streamguard.wire.protocols.anthropic import ANTHROPIC
from streamguard.wire.protocols.openai_chat import CHAT
from streamguard.wire.protocols.openai_responses import RESPONSES
from streamguard.wire.protocols.plain import PLAIN_EVENTS
from streamguard.wire.protocols.ui_message import UI_MESSAGE
from streamguard.wire.reader import sse_frame
from streamguard.wire.serialising import in_band

_DONE = sse_frame("[DONE]")
_TEXT_ID = "text-1"  # of the one text part of a UI message


@dataclass(frozen=True, slots=True)
class Framing:
    """How items become frames of `dialect`.

    `text` makes a frame from a string; `opening` and `closing` make those around an answer of
    strings; all get the answer's id. Mappings and SDK objects are frames and bring their own
    opening and closing, except `done`, the protocol's end sign. `named`: an event's name is its
    type.
    """

    dialect: Dialect
    text: Callable[[str, str], Any] | None
    opening: Callable[[str], tuple[Any, ...]] = lambda answer: ()
    closing: Callable[[str], tuple[Any, ...]] = lambda answer: ()
    done: bytes = b""
    named: bool = False


def _chunk(answer: str, delta: Mapping[str, str], finish: str | None = None) -> Any:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {
        "id": f"chatcmpl-{answer}",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "unknown",  # clients refuse an empty one
        "choices": [choice],
    }


FRAMINGS: Mapping[str, Framing] = {
    "plain": Framing(PLAIN_EVENTS, lambda text, answer: json.dumps(text)),
    "chat": Framing(
        CHAT,
        lambda text, answer: _chunk(answer, {"content": text}),
        opening=lambda answer: (_chunk(answer, {"role": "assistant", "content": ""}),),
        closing=lambda answer: (_chunk(answer, {}, "stop"),),
        done=_DONE,
    ),
    "responses": Framing(RESPONSES, None, named=True),
    "anthropic": Framing(ANTHROPIC, None, named=True),
    "ui": Framing(
        UI_MESSAGE,
        lambda text, answer: {"type": "text-delta", "id": _TEXT_ID, "delta": text},
        opening=lambda answer: (
            {"type": "start", "messageId": answer},
            {"type": "text-start", "id": _TEXT_ID},
        ),
        closing=lambda answer: ({"type": "text-end", "id": _TEXT_ID}, {"type": "finish"}),
        done=_DONE,
    ),
}


def framing(name: str) -> Framing:
    """Return the framing of that name; raises `ConfigError` for an unknown one."""
    if name not in FRAMINGS:
        raise ConfigError(f"dialect is {name!r}, expected one of {', '.join(FRAMINGS)}")
    return FRAMINGS[name]


class Framer:
    """Writes one answer: `frame` every item, then `end`; both return the bytes to write.

    Frames are held until the annotation comes, from the first one that may carry or follow it.
    `form` must be one of the dialect's; `in_band` turns the annotation into text for the stream.
    """

    def __init__(
        self,
        framing: Framing,
        form: Form,
        id: str,
        in_band: Callable[[Annotation], str] = in_band,
    ) -> None:
        self._in_band = in_band
        self._framing = framing
        self._id = id
        self._decoder = framing.dialect.decoder()
        self._reader = framing.dialect.reader()
        self._own: bool | None = None  # strings come, so opening and closing are ours
        self._tail = Tail(self._reader, form)

    def frame(self, item: Any) -> bytes:
        """Return the bytes to write for `item`.

        Raises `ConfigError` for an item that is neither text, mapping nor SDK object.
        """
        if isinstance(item, SentenceAnnotation):
            self._tail.add_sentence(item)
            return self._tail.sentence_frames()
        if not isinstance(item, str):
            self._own = self._own or False
            return self._write(item)
        if self._framing.text is None:
            name = self._framing.dialect.name
            raise ConfigError(f"the stream gave text, expected the events of {name}")
        opening = self._framing.opening(self._id) if self._own is None else ()
        self._own = True
        return b"".join(map(self._write, (*opening, self._framing.text(item, self._id))))

    def end(self, annotation: Annotation) -> bytes:
        """Return the last bytes: the closing, with the annotation in its place."""
        frames = []
        if self._own is not False:
            opening = self._framing.opening(self._id) if self._own is None else ()
            frames = [*opening, *self._framing.closing(self._id)]
        out = b"".join(map(self._write, frames))
        # Without the end of the answer there is none of the stream: a cut must show.
        complete = self._own is not False or self._reader.ended
        done = self._framing.done if complete else b""
        return out + self._tail.annotated(self._in_band(annotation)) + done

    def rest(self) -> bytes:
        """Return the held frames if no annotation comes."""
        held = self._tail.rest()
        return self._tail.sentence_frames() + held

    def _write(self, item: Any) -> bytes:
        raw = _frame_of(item, self._framing.named)
        out = b""
        for event in self._decoder.feed(raw):
            place = self._reader.place(event)
            self._reader.read(event)
            out += self._tail.add(event, place)
        return out


def _frame_of(item: Any, named: bool) -> bytes:
    """Return an item as one event."""
    if isinstance(item, str):
        return sse_frame(item)
    dump = getattr(item, "model_dump", None)
    value = dump(mode="json", exclude_unset=True) if callable(dump) else item
    if not isinstance(value, Mapping):
        kind = type(item).__name__
        raise ConfigError(f"the stream gave a {kind}, expected a str, a mapping or an SDK's object")
    name = str(value.get("type")) if named else None
    return sse_frame(json.dumps(value, separators=(",", ":")), event=name)
