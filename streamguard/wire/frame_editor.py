"""Changes frames of a held stream and ends a stopped one, in any dialect."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from streamguard.errors import DecodeError
from streamguard.wire.codecs.sse import SSEEvent
from streamguard.wire.dialect import Dialect
from streamguard.wire.endings import END, ENDINGS, ENDS_WITH_DONE, Ending
from streamguard.wire.found import path_of, text_in
from streamguard.wire.reader import read_frame, spliced, sse_frame
from streamguard.wire.rewriting import scrubbed, with_texts

_LINES = frozenset({"ollama", "plain_lines"})
_NAMED = frozenset({"openai_responses", "anthropic", "cohere"})  # events have their type as name


class FrameEditor:
    """Edits the frames of one stream: its decoder's events, read and written by its dialect."""

    def __init__(self, dialect: Dialect | None, path: str | None = None) -> None:
        self._dialect = dialect
        self._path = None if path is None else path_of(path)
        self._name = "" if dialect is None else dialect.name
        self._ending: Ending = ENDINGS.get(self._name, Ending)()
        self._line_end = "\n"
        self._wrote = False  # an element of a JSON array has left

    def rewrite(self, event: SSEEvent, texts: Mapping[int, str]) -> SSEEvent:
        """Return the frame with these texts; raises `DecodeError` if they have no place in it."""
        event = _uncut(event)
        if (frame := _json(event.data or "")) is None:  # the data is the text
            return self._with_data(event, texts.get(0, ""))
        return self._with_frame(event, with_texts(frame, texts, self._text_of))

    def scrub(self, event: SSEEvent, removed: Sequence[tuple[str, str]]) -> SSEEvent:
        """Return the frame without the removed texts, copies of them included."""
        frame = _json(event.data or "")
        if frame is None:
            data = scrubbed(event.data or "", removed)
            return event if data == event.data or not data else self._with_data(event, data)
        clean = scrubbed(frame, removed)
        if clean is not frame and event.cut:
            event = _uncut(event)
            clean = scrubbed(_json(event.data or ""), removed)
        return event if clean is frame else self._with_frame(event, clean)

    def see(self, event: SSEEvent) -> None:
        """Note the shape of a frame that has come."""
        if (frame := _json(event.data or "")) is not None:
            self._ending.see(frame)

    def texts_of(self, event: SSEEvent) -> Mapping[int, str] | None:
        """Return the text of one plain frame by itself; None for frames of a protocol.

        A reader of plain frames finds the text's place only after several frames.
        """
        if self._name not in ("plain_events", "plain_lines") or event.data is None:
            return None
        frame = _json(event.data)
        text = event.data if frame is None else text_in(frame, self._path)[0]
        return {0: text} if text else {}

    def note(self, event: SSEEvent) -> None:
        """Note a frame that has left: the frames that end the stream must fit it."""
        if b"\r\n" in event.raw:
            self._line_end = "\r\n"
        self._wrote = self._wrote or event.data is not None
        frame = _json(event.data or "")
        if frame is not None:
            self._ending.note(frame)

    def end(self, text: str, choice: int) -> list[SSEEvent]:
        """Return the frames that end a stopped answer, with `text` of `choice` before them."""
        events = [self._written(frame) for frame in self._ending.frames(text, choice)]
        if self._name in ENDS_WITH_DONE:
            events.append(self._event(sse_frame(END, self._line_end), END))
        if self._name == "gemini_array":
            events.append(self._event(b"]" if self._wrote else b"[]", "]"))
        return events

    def _text_of(self, frame: Any) -> Mapping[int, str]:
        if self._path is not None:
            return {0: text_in(frame, self._path)[0] or ""}
        return {} if self._dialect is None else self._dialect.text_of(frame)

    def _written(self, frame: Any) -> SSEEvent:
        """Return one of our frames in the stream's own framing."""
        if isinstance(frame, str):
            if self._name == "plain_text":
                return self._event(frame.encode(), frame)
            data = json.dumps(frame) if self._name == "plain_lines" else frame
        else:
            data = json.dumps(frame, separators=(",", ":"))
        if self._name in _LINES:
            return self._event(f"{data}{self._line_end}".encode(), data)
        if self._name == "gemini_array":
            opening, self._wrote = (",\n" if self._wrote else "["), True
            return self._event(f"{opening}{data}".encode(), data)
        if isinstance(frame, str):
            lines = "".join(f"data: {line}{self._line_end}" for line in frame.split("\n"))
            return self._event(f"{lines}{self._line_end}".encode(), frame)
        name = frame.get("type") if self._name in _NAMED else None
        return self._event(sse_frame(data, self._line_end, name), data)

    def _with_frame(self, event: SSEEvent, frame: Any) -> SSEEvent:
        data = json.dumps(frame, separators=(",", ":"))
        raw = spliced(event, lambda _: data.encode())
        if raw is None:
            raise DecodeError("the data of a frame stands in several lines, and cannot be changed")
        return replace(event, raw=raw, data=data)

    def _with_data(self, event: SSEEvent, data: str) -> SSEEvent:
        """Return a text frame with its data replaced."""
        if self._name == "plain_text":
            return replace(event, raw=data.encode(), data=data)
        if self._name in _LINES:
            return replace(event, raw=f"{data}{self._line_end}".encode(), data=data)
        lines = "".join(f"data: {line}{self._line_end}" for line in data.split("\n"))
        return replace(event, raw=f"{lines}{self._line_end}".encode(), data=data)

    @staticmethod
    def _event(raw: bytes, data: str) -> SSEEvent:
        return SSEEvent(raw, data=data)


def _uncut(event: SSEEvent) -> SSEEvent:
    """Return the frame with its complete data: pictures were read only in part.

    Raises `DecodeError` if that is no JSON object on one line.
    """
    if not event.cut:
        return event
    found = event.raw[event.raw.find(b"{") : event.raw.rfind(b"}") + 1]
    data = found.decode(errors="replace")
    if _json(data) is None:
        raise DecodeError("a frame over the size that is parsed cannot be changed")
    return replace(event, data=data, cut=False)


def _json(data: str) -> Any:
    """Return a frame's data as JSON, None if it is neither object nor list."""
    if not data.lstrip().startswith(("{", "[")) or data.strip() == END:
        return None
    try:
        return read_frame(data) if data.lstrip().startswith("{") else json.loads(data)
    except (DecodeError, ValueError):
        return None
