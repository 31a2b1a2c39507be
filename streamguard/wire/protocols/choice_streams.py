"""Base of streams with several choices, which end separately."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from streamguard.wire.fields import MAX_CHOICES as MAX_CHOICES
from streamguard.wire.fields import field, items, numbered
from streamguard.wire.reader import Reader, sse_frame


def ended_in(frame: Any, name: str, *reasons: str) -> set[int]:
    """Return the choices in the list `name` with a finish reason in one of these fields."""
    return {
        index
        for index, choice in numbered(frame, name)
        if any(field(choice, reason) for reason in reasons)
    }


class ChoicesReader(Reader):
    """Reads a stream that has ended once all its choices have.

    `note` must call `count` with the numbers of the choices. `listed` is the key of their list.
    """

    listed: ClassVar[str] = "choices"

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[int] = set()
        self._finished: set[int] = set()

    def take(self, frame: Mapping[str, Any]) -> Mapping[int, str] | None:
        """Return the text per choice; choices beyond the limit are unread."""
        self._odd = self._odd or len(items(frame, self.listed)) > MAX_CHOICES
        return super().take(frame)

    def count(self, seen: set[int], finished: set[int]) -> None:
        """Count the choices in a frame, and those that it ends."""
        self._finished |= finished
        if len(self._seen) < MAX_CHOICES:
            self._seen |= seen

    @property
    def ending(self) -> bool:
        """Whether some choice has ended, so that closing frames may follow."""
        return bool(self._finished)

    @property
    def ended(self) -> bool:
        """Whether the protocol's end sign came, or every choice has ended."""
        return self.done or (self.ending and self._seen <= self._finished)

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return an ordinary frame with the key; for a named event the annotation alone."""
        if event is not None:
            return sse_frame(annotation_json, self.line_end, event)
        return self.live(0, 0, annotation_json)
