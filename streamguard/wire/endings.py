"""How each protocol ends an answer that is stopped: the frames that close it, its text included.

A stopped answer ends as one that the protocol's own filter stopped, so that every client reads a
well-formed end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.wire.fields import field, text_at
from streamguard.wire.protocols.choices import numbered


def item_like(example: Any, frame: Any) -> Any:
    """Return a frame as an item of the example's type: an SDK's object, or the frame as it is."""
    validate = getattr(type(example), "model_validate", None)
    return frame if validate is None or isinstance(frame, str) else validate(frame)


class Ending:
    """The end of a stream of plain text: a last piece, if there is any text."""

    def note(self, frame: Any) -> None:
        """Remember what a frame that has left says of the frames that must follow it."""

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return the frames that end the answer, with `text` of `choice` in front."""
        return [text] if text else []


class ChatEnding(Ending):
    """The end of Chat Completions, and of the older Completions."""

    def __init__(self) -> None:
        self._last: Mapping[str, Any] = {}  # the last frame that had choices
        self._open: dict[int, None] = {0: None}

    def note(self, frame: Any) -> None:
        """Remember the stream's head, and which choices have not ended."""
        for index, choice in numbered(frame, "choices"):
            self._open.setdefault(index)
            if field(choice, "finish_reason") is not None:
                self._open.pop(index, None)
        if field(frame, "choices"):
            head = ("id", "object", "created", "model", "system_fingerprint", "service_tier")
            told = {name: field(frame, name) for name in head}
            self._last = {name: value for name, value in told.items() if value is not None}

    def frames(self, text: str, choice: int) -> list[Any]:
        """Return a chunk with the text, and one for each open choice: `content_filter`."""
        older = text_at(self._last, "object") == "text_completion"
        found = [self._chunk(choice, text, None, older=older)] if text else []
        ends = [self._chunk(index, "", "content_filter", older=older) for index in self._open]
        return [*found, *ends]

    def _chunk(self, index: int, text: str, reason: str | None, *, older: bool) -> dict[str, Any]:
        said: dict[str, Any] = {"delta": {"content": text} if text else {}}
        if older:
            said = {"text": text}
        kind = {"id": "chatcmpl-streamguard", "object": "chat.completion.chunk"}
        head = {**kind, "created": 0, "model": "unknown", **self._last}
        return {**head, "choices": [{"index": index, **said, "finish_reason": reason}]}
