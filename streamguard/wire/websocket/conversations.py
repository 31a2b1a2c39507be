"""Reads the answers of a conversation over a WebSocket: request, text and end of each.

These are OpenAI's Realtime and its Responses over WebSocket. Only answers' text is read, with
refusals and the transcript of the model's speech; not arguments or the user's words.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from streamguard.core.model.brought import Brought
from streamguard.core.model.types import Ended
from streamguard.wire.brought.in_responses import brought_in
from streamguard.wire.dialects import plain_path
from streamguard.wire.fields import field as field_of
from streamguard.wire.fields import items, text_at
from streamguard.wire.protocols.openai_responses import SPOKEN, TEXT, OutputText
from streamguard.wire.websocket.client_requests import MAX_ANSWERS, ClientRequest, Requests

EVENT = "response.streamguard.result"
_TYPE_BYTES = 256  # of a message, in which its type stands; guess
_SOUND = re.compile(
    rb'"type"\s*:\s*"(?:response\.(?:output_)?audio\.delta|input_audio_buffer\.append)"'
)
_READ = TEXT | SPOKEN
_CREATE = "response.create"
_ENDS: Mapping[str, Ended] = {
    "response.completed": "complete",
    "response.incomplete": "complete",
    "response.failed": "upstream_error",
    "error": "upstream_error",
}
# The beginnings of types of server events about anything but an answer.
_OF_SESSIONS = (
    "session.",
    "transcription_session.",
    "conversation.",
    "input_audio_buffer.",
    "output_audio_buffer.",
    "rate_limits.",
    "mcp_list_tools.",
)
_STATUSES: Mapping[str, Ended] = {"cancelled": "cancelled", "failed": "upstream_error"}


@dataclass(frozen=True, slots=True)
class Began:
    """An answer began: the stream that names it in events, its id, and its request."""

    stream: str
    response_id: str
    request: Mapping[str, Any]
    size: int  # of its request, in bytes
    over: bool  # the request is longer than what is kept


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A piece of an answer's text.

    `unread`: the event holds more text, which was not read. `brought`: passages and citations that
    precede the text. With an empty `stream` the piece may belong to any answer.
    """

    stream: str
    text: str
    unread: bool = False
    brought: tuple[Brought, ...] = ()


@dataclass(frozen=True, slots=True)
class Over:
    """An answer ended; `text` is text that only its last event has.

    `unread`: the last event holds more text, which was not read.
    """

    stream: str
    ended: Ended
    text: str = ""
    unread: bool = False


Step = Began | AnswerPiece | Over


class Conversation(ABC):
    """Reads the events of both sides in the order in which they pass.

    At most `max_bytes` of the client's messages are kept; an answer to more reports that.
    """

    dialect: ClassVar[str]

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes

    @abstractmethod
    def sent(self, event: Mapping[str, Any], size: int) -> None:
        """Read a client's event, which came in `size` bytes."""

    @abstractmethod
    def received(self, event: Mapping[str, Any]) -> tuple[Step, ...]:
        """Read a server's event; return the steps of answers in it."""


@dataclass(slots=True)
class _Stream:
    """A sequence of answers: the requested ones, the running one's text, and the last."""

    requests: Requests = field(default_factory=Requests)
    output: OutputText | None = None
    over: OutputText | None = None  # the last answer's text, for pieces after its end
    last_id: str = ""
    last: ClientRequest = field(default_factory=ClientRequest)

    @property
    def is_idle(self) -> bool:
        """Whether no answer runs or is requested here."""
        return self.output is None and not self.requests.waiting

    def fails_by(self, event: Mapping[str, Any]) -> bool:
        """Drop the request that an error refuses; return whether it ends the running answer."""
        error = field_of(event, "error") or {**event, "event_id": ""}  # that is the server's own
        by = text_at(error, "event_id")
        if self.output is not None and by and by == text_at(self.last.request, "event_id"):
            return True
        return not (self.requests.refused(error, runs=self.output is not None) or by)


class ResponsesConversation(Conversation):
    """Responses: a stream is named by `stream_id` and has one answer after the other.

    A request names its previous response and sends only new messages, so earlier messages stay in
    its context.
    """

    dialect = "openai_responses"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self._streams: dict[str, _Stream] = {}
        self._forgot = False  # the answer before may belong to a stream that is gone

    def sent(self, event: Mapping[str, Any], size: int) -> None:
        """Keep the request of an answer until it begins."""
        stream = self._stream(text_at(event, "stream_id"))
        if stream is None:
            return
        if event.get("type") != _CREATE:
            if not stream.is_idle:  # an error may refuse this event
                stream.requests.add(event)
            return
        streams = self._streams.values()
        kept = sum(each.last.size + sum(a.size for a in each.requests.waiting) for each in streams)
        over = kept + size > self._max_bytes
        stream.requests.add(event, ClientRequest(over=True) if over else ClientRequest(event, size))

    def received(self, event: Mapping[str, Any]) -> tuple[Step, ...]:
        """Read an event by its type; events of one stream share its `stream_id`."""
        kind, name = text_at(event, "type"), text_at(event, "stream_id")
        stream = self._stream(name)
        named = text_at(event, "response", "id")
        if stream is None:  # the reader of the steps reports that it is one too many
            return (Began(name, named, {}, 0, True),) if kind == "response.created" else ()
        if kind == "response.created":
            if stream.output is not None and not stream.last_id:  # text came before it
                stream.last_id = named
                return ()
            return (self._began(name, stream, named),)
        if kind == "error" and not stream.fails_by(event):
            return ()
        if kind in _ENDS:
            if stream.output is None:
                return ()
            stream.over, stream.output = stream.output, None
            return (_over(name, _ENDS[kind], stream.over, field_of(event, "response")),)
        if stream.output is not None:
            return _new_pieces(name, stream.output, event)
        pieces = _new_pieces(name, stream.over or OutputText(TEXT), event)
        if not (pieces and pieces[0].text and stream.requests.waiting):  # late text
            return pieces
        return (self._began(name, stream, ""), *self.received(event))

    def _stream(self, name: str) -> _Stream | None:
        """Return the stream of that name, a new one if there is none; None at the limit.

        An idle stream makes room for a new one.
        """
        if name not in self._streams and len(self._streams) >= MAX_ANSWERS:
            idle = next((each for each, stream in self._streams.items() if stream.is_idle), None)
            if idle is None:
                return None
            del self._streams[idle]
            self._forgot = True
        return self._streams.setdefault(name, _Stream())

    def _began(self, name: str, stream: _Stream, id: str) -> Began:
        made = stream.requests.done(_CREATE) or ClientRequest()
        before = text_at(made.request, "previous_response_id")
        unknown = ClientRequest(over=bool(before) and self._forgot)
        streams = self._streams.values() if before else ()
        follows = next((each.last for each in streams if each.last_id == before), unknown)
        request = {**made.request, "input": [*_input(follows.request), *_input(made.request)]}
        over = made.over or follows.over
        stream.last = ClientRequest(request, follows.size + made.size, over)
        stream.last_id, stream.output = id, OutputText(TEXT)
        return Began(name, id, request, stream.last.size, over)


class RealtimeConversation(Conversation):
    """Realtime: a stream is a response's id; instructions and items last for the session.

    They are read from the client's events. The server's count only where the client sent none: its
    default instructions, and the transcript of the user's speech.
    """

    dialect = "openai_realtime"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self._instructions = ""
        self._own = False  # the client has set instructions
        self._items: list[tuple[str, Mapping[str, Any], int]] = []
        self._items_bytes = 0
        self._requests = Requests()
        self._outputs: dict[str, OutputText] = {}  # of the running answers
        self._early: set[str] = set()  # running answers whose beginning was not announced
        self._ended: dict[str, OutputText] = {}  # of the answers that ended last, for late text
        self._over = False

    def sent(self, event: Mapping[str, Any], size: int) -> None:
        """Keep instructions, items, and the request of an answer until it begins."""
        kind = event.get("type")
        instructions = field_of(field_of(event, "session"), "instructions")
        if kind == "session.update" and isinstance(instructions, str):
            self._own = True
            self._instructions = instructions if self._has_room(size) else ""
        elif kind == "conversation.item.create":
            self._add(field_of(event, "item"), size)
        if kind == _CREATE:
            request = field_of(event, "response")
            kept = isinstance(request, dict) and self._has_room(size)
            self._requests.add(event, ClientRequest(request, size) if kept else ClientRequest())
        elif kind != "input_audio_buffer.append":  # without an event that confirms them
            self._requests.add(event)

    def received(self, event: Mapping[str, Any]) -> tuple[Step, ...]:
        """Read an event by its type; an answer's events have its id."""
        kind = text_at(event, "type")
        if kind == "response.created":
            named = text_at(event, "response", "id")
            if named in self._early:  # text came before it
                self._early.discard(named)
                return ()
            return (self._began(named),)
        if kind == "response.done":
            return self._done(field_of(event, "response"))
        if kind.startswith("response."):
            return self._on_text(kind, event)
        return self._noted(kind, event)

    def _on_text(self, kind: str, event: Mapping[str, Any]) -> tuple[Step, ...]:
        stream = text_at(event, "response_id")
        if not stream and len(self._outputs) == 1:
            stream = next(iter(self._outputs))
        output = self._outputs.get(stream)
        if output is not None:
            return _new_pieces(stream, output, event)
        pieces = _new_pieces(stream, self._ended.get(stream, OutputText(_READ)), event)
        full = len(self._outputs) >= MAX_ANSWERS
        if not (pieces and pieces[0].text) or not stream or stream in self._ended or full:
            return pieces
        self._early.add(stream)
        return (self._began(stream), *_new_pieces(stream, self._outputs[stream], event))

    def _done(self, response: Any) -> tuple[Step, ...]:
        named = text_at(response, "id")
        output = self._outputs.pop(named, None)
        if output is None:
            return ()
        self._early.discard(named)
        self._ended[named] = output
        if len(self._ended) > MAX_ANSWERS:
            del self._ended[next(iter(self._ended))]
        ended = _STATUSES.get(text_at(response, "status"), "complete")
        return (_over(named, ended, output, response),)

    def _noted(self, kind: str, event: Mapping[str, Any]) -> tuple[Step, ...]:
        """Keep the server's session settings; watch events of unknown kinds for text."""
        if text_at(event, "item", "role") != "assistant":  # the client's own
            self._requests.done(kind)
        if kind == "error":
            self._requests.refused(field_of(event, "error"))
        elif kind in ("session.created", "session.updated") and not self._own:
            self._instructions = text_at(event, "session", "instructions")
        elif kind == "conversation.item.deleted":
            gone = text_at(event, "item_id")
            self._items = [each for each in self._items if each[0] != gone]
            self._items_bytes = sum(size for _, _, size in self._items)
        elif kind == "conversation.item.input_audio_transcription.completed":
            content = {"type": "input_text", "text": text_at(event, "transcript")}
            item = {"type": "message", "role": "user", "content": [content]}
            self._add(item | {"id": text_at(event, "item_id")}, len(content["text"]))
        elif not kind.startswith(_OF_SESSIONS):  # it belongs to an unknown answer
            of = self._outputs or dict([*self._ended.items()][-1:])
            return tuple(content for each in of.items() for content in _new_pieces(*each, event))
        return ()

    def _add(self, item: Any, size: int) -> None:
        if isinstance(item, dict) and self._has_room(size):
            self._items.append((text_at(item, "id"), item, size))
            self._items_bytes += size

    def _has_room(self, size: int) -> bool:
        room = self._kept_bytes() + size <= self._max_bytes
        self._over = self._over or not room
        return room

    def _kept_bytes(self) -> int:
        waiting = sum(each.size for each in self._requests.waiting)
        return len(self._instructions) + self._items_bytes + waiting

    def _began(self, id: str) -> Began:
        made = (self._requests.done(_CREATE) or ClientRequest()).request
        own = made.get("input")
        messages = own if isinstance(own, list) else [item for _, item, _ in self._items]
        instructions = text_at(made, "instructions") or self._instructions
        request = {"instructions": instructions, "input": messages}
        self._outputs[id] = OutputText(_READ)
        if len(self._outputs) > MAX_ANSWERS:  # the first one's end was not reported
            del self._outputs[next(iter(self._outputs))]
            self._early &= self._outputs.keys()
        return Began(id, id, request, self._kept_bytes(), self._over)


def _new_pieces(
    stream: str, output: OutputText, event: Mapping[str, Any]
) -> tuple[AnswerPiece, ...]:
    """Return the new text that an event adds to a stream's answer."""
    before, text = output.unread, output.take(event)
    is_unread = output.unread and not before
    all_brought = [each for _, each in brought_in(event)] if not text else []
    brought = tuple(
        each for each in all_brought if not each.opens
    )  # of blocks the first one alone is known
    return (AnswerPiece(stream, text, is_unread, brought),) if text or is_unread or brought else ()


def _over(stream: str, ended: Ended, output: OutputText, response: Any) -> Over:
    """Return an answer's end, with the text that only its complete `response` has."""
    left = output.rest_of(response)
    output.over()
    return Over(stream, ended, left, output.unread)


def outline(event: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event that is too wide to search, reduced to the fields that identify its answer.

    These are its own scalar fields, and those of its `response`.
    """
    response = field_of(event, "response")
    shown = {"response": _plain_fields(response)} if isinstance(response, dict) else {}
    return {**_plain_fields(event), **shown}


def _plain_fields(owner: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in owner.items() if not isinstance(value, dict | list)}


def is_sound(message: bytes) -> bool:
    """Return whether a message is certainly audio, as most bytes of a Realtime session are.

    Audio has one type, always spelt alike, and no text.
    """
    if not _SOUND.search(message[:_TYPE_BYTES]):
        return False
    return message.count(b'"type"') == 1 and b"\\" not in message


def conversation_of(path: str) -> type[Conversation] | None:
    """Return the reader's class for the WebSocket at `path` (without a query), None if unknown."""
    plain = plain_path(path)
    known = {"/realtime": RealtimeConversation, "/responses": ResponsesConversation}
    return next((found for end, found in known.items() if plain.endswith(end)), None)


def _input(request: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the items of a request's input; a string counts as a user's message."""
    messages = request.get("input")
    if isinstance(messages, str):
        return ({"type": "message", "role": "user", "content": messages},)
    return items(request, "input")
