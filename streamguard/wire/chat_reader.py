"""Reads the events of one Chat Completions stream: text per choice, and how far it has come."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamguard.wire import openai_chat
from streamguard.wire.sse import SSEEvent

_DECODER = json.JSONDecoder()
_CONTENT_KEYS = ('"content":"', '"content": "')
_NOT_PLAIN = re.compile(rb'[\x00-\x1f"\\]')  # what ends a JSON string, or is written in escapes
_PROBE = "\x01probe"  # any text that a template must give back
# Frames with a changing part beside the text (a padding against eavesdroppers, say) fit no
# template; after so many misses a stream is read in full. Guess.
MAX_TEMPLATES = 4
MAX_CHOICES = 128  # SPEC 10; the ends of further choices are not waited for


@dataclass(frozen=True, slots=True)
class _Template:
    """A frame around its text: two frames that share head and tail differ in the text alone.

    `raw_head` and `raw_tail` are the same as bytes, with the `data:` and the blank line around;
    empty where the event had more than the one line.
    """

    head: str
    tail: str
    choice: int
    raw_head: bytes
    raw_tail: bytes

    def text_in(self, data: str) -> str | None:
        """Return the text of `data`, or None where it is another frame."""
        if not data.startswith(self.head) or not data.endswith(self.tail):
            return None
        try:
            text, end = _DECODER.raw_decode(data, len(self.head) - 1)
        except ValueError:
            return None
        return text if end == len(data) - len(self.tail) else None

    def text_in_raw(self, raw: bytes) -> str | None:
        """Return the text of `raw`, or None where it is not one such frame, free of escapes."""
        start, end = len(self.raw_head), len(raw) - len(self.raw_tail)
        if not start <= end or not raw.startswith(self.raw_head) or not start:
            return None
        literal = raw[start:end]
        if not raw.endswith(self.raw_tail) or _NOT_PLAIN.search(literal):
            return None
        try:
            return literal.decode()
        except UnicodeDecodeError:
            return None


class ChatReader:
    """Reads every event of one stream, in order.

    A stream's frames mostly differ in nothing but the text, so the frame around the text is
    remembered and compared as a string; any other frame is parsed as JSON.
    """

    def __init__(self) -> None:
        self.last: Mapping[str, Any] = {}  # the last frame that had choices and an id
        self.carries_usage = False
        self.failed = False  # an error frame came
        self.done = False  # the end sign came
        self._seen: set[int] = set()
        self._finished: set[int] = set()
        self._template: _Template | None = None
        self._templates_left = MAX_TEMPLATES

    @property
    def ending(self) -> bool:
        """Whether some choice has ended, so that frames of the tail may follow."""
        return bool(self._finished)

    @property
    def ended(self) -> bool:
        """Whether the protocol's end sign came: `[DONE]`, or the end of every choice."""
        return self.done or (self.ending and self._seen <= self._finished)

    def is_tail(self, event: SSEEvent) -> bool:
        """Say whether `event` follows the whole answer: usage, or the end sign."""
        if event.data is None or self.failed:
            return False
        if openai_chat.is_done(event.data):
            return True
        if not self.ended or '"usage"' not in event.data:
            return False
        try:
            frame = openai_chat.read_frame(event.data)
        except ValueError:
            return False
        return openai_chat.is_usage(frame, self._finished)

    def read(self, event: SSEEvent) -> Mapping[int, str]:
        """Return the text per choice that `event` brings.

        Raises `DecodeError` for data that is neither JSON nor the end sign.
        """
        data = event.data
        if data is None:
            return {}
        if event.event == "error":
            self.failed = True
        elif self._template is not None:
            text = self._template.text_in(data)
            if text is not None:
                return {self._template.choice: text} if text else {}
        if openai_chat.is_done(data):
            self.done = True
            return {}
        return self._read_frame(data, event.raw)

    def read_plain(self, raw: bytes) -> Mapping[int, str] | None:
        """Return the text per choice of `raw`, if that is exactly one frame like those before.

        None for everything else, which must be read event by event. `raw` must begin where an
        event begins.
        """
        if self._template is None:
            return None
        text = self._template.text_in_raw(raw)
        if text is None:
            return None
        return {self._template.choice: text} if text else {}

    def _read_frame(self, data: str, raw: bytes) -> Mapping[int, str]:
        frame = openai_chat.read_frame(data)
        self.failed = self.failed or openai_chat.is_error(frame)
        self.carries_usage = self.carries_usage or "usage" in frame
        if frame.get("choices") and frame.get("id"):  # filters report without an id of their own
            self.last = frame
        texts = openai_chat.text_of(frame)
        ends = openai_chat.finished(frame)
        self._finished |= ends
        if len(self._seen) < MAX_CHOICES:
            self._seen |= openai_chat.choices_in(frame)
        if len(texts) == 1 and not ends and not self.failed and self._templates_left:
            self._learn(data, raw, *texts)
        return texts

    def _learn(self, data: str, raw: bytes, choice: int) -> None:
        """Remember the frame around the text, if the text can be told from it for certain."""
        self._templates_left -= 1
        for key in _CONTENT_KEYS:
            start = data.find(key) + len(key)
            if start < len(key):
                continue
            _, end = _DECODER.raw_decode(data, start - 1)
            probe = openai_chat.read_frame(f"{data[: start - 1]}{json.dumps(_PROBE)}{data[end:]}")
            if openai_chat.text_of(probe) == {choice: _PROBE}:
                self._template = _template(data, start, end, choice, raw)
                return


def _template(data: str, start: int, end: int, choice: int, raw: bytes) -> _Template:
    head, tail = data[:start], data[end:]
    raw_data = data.encode()
    before, _, after = raw.partition(raw_data)
    # What the closing quote and the blank line add; an event with more lines has no raw form.
    if before in (b"data: ", b"data:") and after in (b"\n\n", b"\r\n\r\n"):
        return _Template(head, tail, choice, before + head.encode(), b'"' + tail.encode() + after)
    return _Template(head, tail, choice, b"", b"")
