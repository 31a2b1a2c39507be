"""The answers of a conversation over a WebSocket: what each was asked with, says, and ends as.

OpenAI's Realtime and its Responses over WebSocket. Only the text of answers is read, and the words
that the model speaks (transcripts); arguments, refusals and what the user said are none of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from streamguard.core.model.types import Ended
from streamguard.wire.dialects import plain_path
from streamguard.wire.fields import field as field_of
from streamguard.wire.fields import items, text_at
from streamguard.wire.protocols.openai_responses import text_of

EVENT = "response.streamguard.result"
MAX_LANES = 64  # answers at once over one connection; guess, people's own stop at some ten
# Types whose frames hold sound and no text: most bytes of a Realtime session.
SOUND = (
    b'"response.output_audio.delta"',
    b'"response.audio.delta"',
    b'"input_audio_buffer.append"',
)
_TEXT = frozenset({"response.output_text.delta", "response.text.delta"})
_SPOKEN = frozenset({"response.output_audio_transcript.delta", "response.audio_transcript.delta"})
_REALTIME_END = "response.done"
_ONE_RUNS = "conversation_already_has_active_response"  # the code of a refused answer
_ENDS: Mapping[str, Ended] = {
    "response.completed": "complete",
    "response.incomplete": "complete",
    "response.failed": "upstream_error",
    "error": "upstream_error",
}
_STATUSES: Mapping[str, Ended] = {"cancelled": "cancelled", "failed": "upstream_error"}


@dataclass(frozen=True, slots=True)
class Began:
    """An answer began: its lane, by which its events are told, its id, and what it was asked."""

    lane: str
    response_id: str
    request: Mapping[str, Any]
    size: int  # of what it was asked with, in bytes
    over: bool  # more was said than is kept


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of an answer's text."""

    lane: str
    text: str


@dataclass(frozen=True, slots=True)
class Over:
    """An answer ended; `text` is all that its last event shows of it."""

    lane: str
    ended: Ended
    text: str = ""


Step = Began | Said | Over


class Conversation(ABC):
    """Reads the events of both sides, in the order in which they pass.

    Of what clients say `max_bytes` are kept; an answer to more says that it is.
    """

    dialect: ClassVar[str]

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes

    @abstractmethod
    def sent(self, event: Mapping[str, Any], size: int) -> None:
        """Take an event of the client's, which came in `size` bytes."""

    @abstractmethod
    def received(self, event: Mapping[str, Any]) -> Step | None:
        """Take an event of the server's; return what it says of an answer."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an answer was asked with, its size in bytes, and the event that asked."""

    request: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0
    over: bool = False
    event_id: str = ""


@dataclass(slots=True)
class _Lane:
    """Answers one behind the other: those asked for, whether one runs, and the last that began."""

    waiting: deque[_Asked] = field(default_factory=deque)
    runs: bool = False
    last_id: str = ""
    last: _Asked = _Asked()


class ResponsesConversation(Conversation):
    """Responses: a lane is a `stream_id`, in which one answer follows the other.

    A request names the response that it follows and sends what is new alone, so what was sent
    with that one stays its context.
    """

    dialect = "openai_responses"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self._lanes: dict[str, _Lane] = {}

    def sent(self, event: Mapping[str, Any], size: int) -> None:
        """Keep what an answer is asked with until it begins."""
        if event.get("type") != "response.create":
            return
        lane = self._lane(text_at(event, "stream_id"))
        if lane is None or len(lane.waiting) >= MAX_LANES:
            return
        kept = sum(each.last.size + sum(a.size for a in each.waiting) for each in self._all())
        over = kept + size > self._max_bytes
        lane.waiting.append(_Asked(over=True) if over else _Asked(event, size))

    def received(self, event: Mapping[str, Any]) -> Step | None:
        """Read an event by its type; those of one lane have its `stream_id`."""
        kind, name = text_at(event, "type"), text_at(event, "stream_id")
        lane = self._lane(name)
        if lane is None:
            return None
        if kind == "response.created":
            return self._began(name, lane, text_at(event, "response", "id"))
        if kind in _TEXT:
            return Said(name, text_at(event, "delta"))
        if kind == "error" and not lane.runs:
            if lane.waiting:
                lane.waiting.popleft()  # it was refused
            return None
        if kind not in _ENDS:
            return None
        lane.runs = False
        return Over(name, _ENDS[kind], text_of(field_of(event, "response")).get(0, ""))

    def _lane(self, name: str) -> _Lane | None:
        if name not in self._lanes and len(self._lanes) >= MAX_LANES:
            return None
        return self._lanes.setdefault(name, _Lane())

    def _all(self) -> Iterable[_Lane]:
        return self._lanes.values()

    def _began(self, name: str, lane: _Lane, id: str) -> Began:
        asked = lane.waiting.popleft() if lane.waiting else _Asked()
        before = text_at(asked.request, "previous_response_id")
        follows = next((e.last for e in self._all() if before and e.last_id == before), _Asked())
        request = {**asked.request, "input": [*_input(follows.request), *_input(asked.request)]}
        over = asked.over or follows.over
        lane.last = _Asked(request, follows.size + asked.size, over)
        lane.last_id, lane.runs = id, True
        return Began(name, id, request, lane.last.size, over)


class RealtimeConversation(Conversation):
    """Realtime: a lane is a response's id; instructions and items last for the session.

    They are read from what the client sends. The server's words count only where they are all
    there is: instructions that the client has not given itself, and what the user said.
    """

    dialect = "openai_realtime"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self._instructions = ""
        self._own = False  # instructions of the client's
        self._items: list[tuple[str, Mapping[str, Any], int]] = []
        self._items_bytes = 0
        self._waiting: deque[_Asked] = deque()
        self._over = False

    def sent(self, event: Mapping[str, Any], size: int) -> None:
        """Keep instructions, items, and what an answer is asked with until it begins."""
        kind = event.get("type")
        if kind == "session.update" and isinstance(given := _instructions(event), str):
            self._own = True
            self._instructions = given if self._has_room(size) else ""
        elif kind == "conversation.item.create":
            self._add(field_of(event, "item"), size)
        elif kind == "response.create" and len(self._waiting) < MAX_LANES:
            asked = field_of(event, "response")
            by = text_at(event, "event_id")
            kept = isinstance(asked, dict) and self._has_room(size)
            self._waiting.append(_Asked(asked, size, event_id=by) if kept else _Asked(event_id=by))

    def received(self, event: Mapping[str, Any]) -> Step | None:
        """Read an event by its type; those of an answer have its id."""
        kind, lane = text_at(event, "type"), text_at(event, "response_id")
        if kind == "response.created":
            return self._began(text_at(event, "response", "id"))
        if kind in _TEXT or kind in _SPOKEN:
            return Said(lane, text_at(event, "delta"))
        if kind == _REALTIME_END:
            response = field_of(event, "response")
            ended = _STATUSES.get(text_at(response, "status"), "complete")
            return Over(text_at(response, "id"), ended, _text_in(response))
        if kind == "error":
            self._refused(field_of(event, "error"))
        elif kind in ("session.created", "session.updated") and not self._own:
            self._instructions = text_at(event, "session", "instructions")
        elif kind == "conversation.item.deleted":
            gone = text_at(event, "item_id")
            self._items = [each for each in self._items if each[0] != gone]
            self._items_bytes = sum(size for _, _, size in self._items)
        elif kind == "conversation.item.input_audio_transcription.completed":
            said = {"type": "input_text", "text": text_at(event, "transcript")}
            item = {"type": "message", "role": "user", "content": [said]}
            self._add(item | {"id": text_at(event, "item_id")}, len(said["text"]))
        return None

    def _add(self, item: Any, size: int) -> None:
        if isinstance(item, dict) and self._has_room(size):
            self._items.append((text_at(item, "id"), item, size))
            self._items_bytes += size

    def _refused(self, error: Any) -> None:
        """Forget what an answer was asked with that will not begin: the error names its event."""
        by, is_newest = text_at(error, "event_id"), text_at(error, "code") == _ONE_RUNS
        found = next((each for each in self._waiting if by and each.event_id == by), None)
        if found is not None:
            self._waiting.remove(found)
        elif self._waiting and not by and is_newest:
            self._waiting.pop()

    def _has_room(self, size: int) -> bool:
        room = self._kept_bytes() + size <= self._max_bytes
        self._over = self._over or not room
        return room

    def _kept_bytes(self) -> int:
        waiting = sum(each.size for each in self._waiting)
        return len(self._instructions) + self._items_bytes + waiting

    def _began(self, id: str) -> Began:
        asked = self._waiting.popleft().request if self._waiting else {}
        given = asked.get("input")
        said = given if isinstance(given, list) else [item for _, item, _ in self._items]
        instructions = text_at(asked, "instructions") or self._instructions
        request = {"instructions": instructions, "input": said}
        return Began(id, id, request, self._kept_bytes(), self._over)


def conversation_of(path: str) -> type[Conversation] | None:
    """Return how the WebSocket at `path`, without a query, is read; None for an unknown one."""
    plain = plain_path(path)
    known = {"/realtime": RealtimeConversation, "/responses": ResponsesConversation}
    return next((found for end, found in known.items() if plain.endswith(end)), None)


def _instructions(event: Mapping[str, Any]) -> Any:
    return field_of(field_of(event, "session"), "instructions")


def _input(request: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the items of a request's input; a string is a user's message."""
    given = request.get("input")
    if isinstance(given, str):
        return ({"type": "message", "role": "user", "content": given},)
    return items(request, "input")


def _text_in(response: Any) -> str:
    """Return the text and the spoken words of a whole Realtime response."""
    return "".join(
        text_at(part, "text") or text_at(part, "transcript")
        for item in items(response, "output")
        for part in items(item, "content")
    )
