"""Text over server-sent events or JSON lines, in no protocol: what people write by hand.

Nothing is known of what reads it, so nothing is put into it unless a client asks for the named
event. What the first frame is tells how the text is written: a JSON object with a field for
text, a JSON string, or the text itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from streamguard.wire.dialect import Dialect
from streamguard.wire.fields import field
from streamguard.wire.lines import LineDecoder
from streamguard.wire.reader import KEY, Place, Reader, sse_frame
from streamguard.wire.sse import SSEDecoder, SSEEvent

EVENT = "streamguard.result"
SENTENCE_EVENT = "streamguard.sentence"
# Where people put the text, in the order in which they are looked for; guess.
TEXT_FIELDS = ("text", "content", "delta", "token", "answer", "response", "output", "message")
# Events under other names are taken for something else: sources, figures, states; guess.
TEXT_EVENTS = frozenset({"message", "token", "delta", "text", "chunk", "content", "answer"})
END_EVENTS = frozenset({"done", "end", "close", "complete", "finish"})  # guess
_END_DATA = "[DONE]"


def text_of(frame: Any) -> dict[int, str]:
    """Return the text of a frame, a string or a mapping, as choice 0."""
    text = frame if isinstance(frame, str) else ""
    for name in () if text else TEXT_FIELDS:
        value = field(frame, name)
        if isinstance(value, str):
            text = value
            break
    return {0: text} if text else {}


def finished(frame: Any) -> set[int]:
    """Return nothing: no frame is known to be the last."""
    return set()


class PlainReader(Reader):
    """Reads events or lines of text; an orderly end is a complete one."""

    signs = (_END_DATA.encode(), *(b"event:" + e.encode() for e in sorted(END_EVENTS)),
             *(b"event: " + e.encode() for e in sorted(END_EVENTS)))  # fmt: skip
    open_ended = True
    in_lines = False

    def __init__(self) -> None:
        super().__init__()
        self._kind: type | None = None  # what the first frame is

    def is_done(self, data: str) -> bool:
        """Say whether the data is `[DONE]`."""
        return data.strip() == _END_DATA

    def place(self, event: SSEEvent) -> Place:
        """Return where `event` stands: only an end sign is known."""
        if event.data is not None and event.event in END_EVENTS and not self.failed:
            return "tail"
        return super().place(event)

    def read(self, event: SSEEvent) -> Mapping[int, str]:
        """Return the text of one frame; under most names of events there is none."""
        if event.data is not None and event.event in END_EVENTS:
            self.done = True
            return {}
        named = event.event in TEXT_EVENTS or event.event == "error"
        return super().read(event) if named else {}

    def parse(self, data: str) -> Mapping[str, Any]:
        """Return a mapping that holds the text, as the first frame was written."""
        if self._kind is None:
            self._kind = type(_json(data))
        if self._kind not in (dict, str):
            return {"text": data}
        found = _json(data)
        if not isinstance(found, self._kind):
            return {}
        return {"text": found} if isinstance(found, str) else found

    def texts(self, frame: Mapping[str, Any]) -> Mapping[int, str]:
        """Return the text of a frame; behind an error there is none."""
        return {} if self.failed else text_of(frame)

    def place_of(self, frame: Mapping[str, Any]) -> Place:
        """Say that no frame tells by what it holds that it is the last."""
        return "body"

    def note(self, frame: Mapping[str, Any]) -> None:
        """Remember nothing."""

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return the named event; as a line, an object with our key."""
        if self.in_lines:
            return f'{{"{KEY}":{annotation_json}}}{self.line_end}'.encode("ascii")
        return sse_frame(annotation_json, self.line_end, event)

    def attached(self, event: SSEEvent, annotation_json: str) -> None:
        """Say that nothing is put into a frame of which nothing is known."""

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return the named event of a sentence, or a line."""
        return self.addition(annotation_json, SENTENCE_EVENT)


class PlainLineReader(PlainReader):
    """Reads lines of text."""

    in_lines = True


def _json(data: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _answer(answer: Mapping[str, Any]) -> dict[int, str] | None:
    return text_of(answer) or None


def _dialect(name: str, decoder: Callable[[], Any], reader: Callable[[], Reader]) -> Dialect:
    return Dialect(
        name=name,
        decoder=decoder,
        reader=reader,
        text_of=text_of,
        finished=finished,
        answer=_answer,
        default="header",
        given={"chunk": "header", "attach": "header"},
    )


PLAIN_EVENTS = _dialect("plain_events", SSEDecoder, PlainReader)
PLAIN_LINES = _dialect("plain_lines", LineDecoder, PlainLineReader)
