"""Streams of several choices that end one by one, each in a frame of its own or of many."""

from __future__ import annotations

from streamguard.wire.json_bytes import with_key
from streamguard.wire.reader import KEY, Reader, spliced, sse_frame
from streamguard.wire.sse import SSEEvent


class ChoicesReader(Reader):
    """Reads a stream that has ended once every choice has that it spoke of.

    `note` is to add to `_seen` and `_finished`, by the numbers of choices.
    """

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[int] = set()
        self._finished: set[int] = set()

    @property
    def ending(self) -> bool:
        """Whether some choice has ended, so that frames of the tail may follow."""
        return bool(self._finished)

    @property
    def ended(self) -> bool:
        """Whether the protocol's end sign came, or the end of every choice."""
        return self.done or (self.ending and self._seen <= self._finished)

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return an ordinary frame with the key; as a named event the annotation alone."""
        if event is not None:
            return sse_frame(annotation_json, self.line_end, event)
        return self.live(0, 0, annotation_json)

    def attached(self, event: SSEEvent, annotation_json: str) -> bytes | None:
        """Return the frame with the key at its top level."""
        return spliced(event, lambda data: with_key(data, KEY, annotation_json))
