"""The answers of a conversation over a WebSocket: what each was asked with, says, and ends as.

OpenAI's Realtime and its Responses over WebSocket. Only the text of answers is read, and the words
that the model speaks (transcripts); arguments, refusals and what the user said are none of it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from streamguard.core.model.types import Ended
from streamguard.wire.dialects import plain_path
from streamguard.wire.fields import field as field_of
from streamguard.wire.fields import items, text_at
from streamguard.wire.protocols.openai_responses import SPOKEN, TEXT, OutputText, text_of

EVENT = "response.streamguard.result"
MAX_LANES = 64  # answers at once over one connection; guess, people's own stop at some ten
# A frame of sound holds no text: most bytes of a Realtime session.
SOUND = re.compile(
    rb'"type"\s*:\s*"(?:response\.(?:output_)?audio\.delta|input_audio_buffer\.append)"'
)
_READ = TEXT | SPOKEN
_REALTIME_END = "response.done"
_ONE_RUNS = "conversation_already_has_active_response"  # the code of a refused answer
_ENDS: Mapping[str, Ended] = {
    "response.completed": "complete",
    "response.incomplete": "complete",
    "response.failed": "upstream_error",
    "error": "upstream_error",
}
# What an error is about that refuses no answer, as its `param` begins.
_NO_ANSWERS = ("session", "item", "conversation", "audio")
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
    """A piece of an answer's text; `unread`: more came with it that is not read.

    Of a lane that no answer has it may be any answer's.
    """

    lane: str
    text: str
    unread: bool = False


@dataclass(frozen=True, slots=True)
class Over:
    """An answer ended; `text` is what its last event shows of it that no other told.

    `unread`: it shows more than was told.
    """

    lane: str
    ended: Ended
    text: str = ""
    unread: bool = False


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
    def received(self, event: Mapping[str, Any]) -> tuple[Step, ...]:
        """Take an event of the server's; return what it says of answers."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an answer was asked with, its size in bytes, and the event that asked."""

    request: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0
    over: bool = False
    event_id: str = ""


@dataclass(slots=True)
class _Lane:
    """Answers one behind the other: those asked for, the text of the one that runs, the last."""

    waiting: deque[_Asked] = field(default_factory=deque)
    output: OutputText | None = None
    last_id: str = ""
    last: _Asked = _Asked()

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs or waits here."""
        return self.output is None and not self.waiting


class ResponsesConversation(Conversation):
    """Responses: a lane is a `stream_id`, in which one answer follows the other.

    A request names the response that it follows and sends what is new alone, so what was sent
    with that one stays its context.
    """

    dialect = "openai_responses"

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self._lanes: dict[str, _Lane] = {}
        self._forgot = False  # what an answer follows may be of a lane that is gone

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

    def received(self, event: Mapping[str, Any]) -> tuple[Step, ...]:
        """Read an event by its type; those of one lane have its `stream_id`."""
        kind, name = text_at(event, "type"), text_at(event, "stream_id")
        lane = self._lane(name)
        named = text_at(event, "response", "id")
        if lane is None:  # whoever reads the answers says that it is one too many
            return (Began(name, named, {}, 0, True),) if kind == "response.created" else ()
        if kind == "response.created":
            if lane.output is not None and not lane.last_id:  # text came before it
                lane.last_id = named
                return ()
            return (self._began(name, lane, named),)
        if kind == "error" and lane.waiting:
            # What is asked for while another runs is refused first, else the next in line.
            _ = lane.waiting.pop() if lane.output is not None else lane.waiting.popleft()
            return ()
        if kind in _ENDS:
            return self._ended(name, lane, _ENDS[kind], event)
        if lane.output is not None:
            return _told(name, lane.output, event)
        if kind not in TEXT:
            return ()
        if not lane.waiting:  # behind its answer
            return (Said(name, text_at(event, "delta")),)
        return (self._began(name, lane, ""), *self.received(event))

    def _ended(
        self, name: str, lane: _Lane, ended: Ended, event: Mapping[str, Any]
    ) -> tuple[Step, ...]:
        output, lane.output = lane.output, None
        if output is None:
            return ()
        left = output.end(text_of(field_of(event, "response")).get(0, ""))
        return (Over(name, ended, left, output.unread),)

    def _lane(self, name: str) -> _Lane | None:
        """Return the lane of a name; of too many an idle one goes, None where there is none."""
        if name not in self._lanes and len(self._lanes) >= MAX_LANES:
            idle = next((each for each, lane in self._lanes.items() if lane.is_idle), None)
            if idle is None:
                return None
            del self._lanes[idle]
            self._forgot = True
        return self._lanes.setdefault(name, _Lane())

    def _all(self) -> Iterable[_Lane]:
        return self._lanes.values()

    def _began(self, name: str, lane: _Lane, id: str) -> Began:
        asked = lane.waiting.popleft() if lane.waiting else _Asked()
        before = text_at(asked.request, "previous_response_id")
        unknown = _Asked(over=bool(before) and self._forgot)
        follows = next((e.last for e in self._all() if before and e.last_id == before), unknown)
        request = {**asked.request, "input": [*_input(follows.request), *_input(asked.request)]}
        over = asked.over or follows.over
        lane.last = _Asked(request, follows.size + asked.size, over)
        lane.last_id, lane.output = id, OutputText(TEXT)
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
        self._outputs: dict[str, OutputText] = {}  # of the answers that run
        self._early: set[str] = set()  # of those, whose beginning was not told
        self._ended: deque[str] = deque(maxlen=MAX_LANES)  # answers whose text would be late
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

    def received(self, event: Mapping[str, Any]) -> tuple[Step, ...]:
        """Read an event by its type; those of an answer have its id."""
        kind = text_at(event, "type")
        if kind == "response.created":
            named = text_at(event, "response", "id")
            if named in self._early:  # text came before it
                self._early.discard(named)
                return ()
            return (self._began(named),)
        if kind == _REALTIME_END:
            return self._done(field_of(event, "response"))
        if kind.startswith("response."):
            return self._said(kind, event)
        self._noted(kind, event)
        return ()

    def _said(self, kind: str, event: Mapping[str, Any]) -> tuple[Step, ...]:
        lane = text_at(event, "response_id")
        if not lane and len(self._outputs) == 1:
            lane = next(iter(self._outputs))
        output = self._outputs.get(lane)
        if output is not None:
            return _told(lane, output, event)
        if kind not in _READ:
            return ()
        if not lane or lane in self._ended or len(self._outputs) >= MAX_LANES:
            return (Said(lane, text_at(event, "delta")),)
        self._early.add(lane)
        return (self._began(lane), *_told(lane, self._outputs[lane], event))

    def _done(self, response: Any) -> tuple[Step, ...]:
        named = text_at(response, "id")
        output = self._outputs.pop(named, None)
        if output is None:
            return ()
        self._early.discard(named)
        self._ended.append(named)
        ended = _STATUSES.get(text_at(response, "status"), "complete")
        left = output.end(_text_in(response))
        return (Over(named, ended, left, output.unread),)

    def _noted(self, kind: str, event: Mapping[str, Any]) -> None:
        """Keep what the server says of the session."""
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

    def _add(self, item: Any, size: int) -> None:
        if isinstance(item, dict) and self._has_room(size):
            self._items.append((text_at(item, "id"), item, size))
            self._items_bytes += size

    def _refused(self, error: Any) -> None:
        """Forget what an answer was asked with that will not begin.

        The error names its event, where the client named it; else the next in line is refused,
        or the newest where another runs.
        """
        by, about = text_at(error, "event_id"), text_at(error, "param")
        found = next((each for each in self._waiting if by and each.event_id == by), None)
        if found is not None:
            self._waiting.remove(found)
        elif self._waiting and not by and not about.startswith(_NO_ANSWERS):
            is_newest = text_at(error, "code") == _ONE_RUNS
            _ = self._waiting.pop() if is_newest else self._waiting.popleft()

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
        self._outputs[id] = OutputText(_READ)
        if len(self._outputs) > MAX_LANES:  # nobody said how the first one ended
            self._outputs.pop(next(iter(self._outputs)))
        return Began(id, id, request, self._kept_bytes(), self._over)


def _told(lane: str, output: OutputText, event: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return what an event says of the answer of a lane."""
    text = output.text_in(event)
    output.note(event)
    output.chars += len(text)
    return (Said(lane, text, output.unread),) if text or output.unread else ()


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
