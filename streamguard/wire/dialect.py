"""The interface of every protocol: the text in a frame, and the place of an annotation.

A dialect is a value. Its `reader` reads one stream and classifies each frame by its place in the
answer. Nothing here does I/O, so a proxy, a middleware and a test share the code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, get_args

from streamguard.core.model.brought import Brought
from streamguard.wire.brought.tool_passages import MAX_LISTED_WHOLE
from streamguard.wire.codecs.sse import SSEEvent
from streamguard.wire.reader import Reader

# How a client wants the annotation: not at all, by the response header alone, in a frame of its
# own that is ordinary for the protocol, as a key in a frame of the upstream's, as a named event.
Form = Literal["off", "header", "chunk", "attach", "event"]
FORMS: tuple[Form, ...] = get_args(Form)
IN_BAND = frozenset({"chunk", "attach", "event"})


class Decoder(Protocol):
    """Cuts bytes into frames, as `SSEDecoder` and `LineDecoder` do.

    `turn_bytes`: the bytes decoded in one turn.
    """

    turn_bytes: ClassVar[int]

    @property
    def idle(self) -> bool:
        """Whether the next byte begins a frame, with nothing before it pending."""

    @property
    def owes_lf(self) -> bool:
        """Whether an LF that comes next still belongs to the frame before."""

    @property
    def halfway(self) -> bool:
        """Whether part of an unfinished frame over the limit was already returned."""

    def feed(self, piece: bytes) -> list[SSEEvent]:
        """Decode the next bytes; return the frames they complete."""

    def close(self) -> list[SSEEvent]:
        """Return the remaining bytes as at most one frame."""

    @staticmethod
    def whole(data: bytes) -> int | None:
        """Return how many bytes of `data`, which begins with a frame, are complete frames.

        None if only decoding shows it.
        """

    @staticmethod
    def end_of(raw: bytes) -> bytes:
        """Return the bytes that complete `raw`, the last frame of a stream."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One protocol.

    `text_of` returns the text per choice of a frame (parsed JSON or an SDK's object), `finished`
    the choices that the frame ends, `answer` the text per choice of a complete answer, None if the
    JSON is no answer. `own_forms` maps the annotation form that a client requests to this
    protocol's own; other forms are used as requested. `default` is a form that breaks no client.
    `frames_of` returns the frames in which a stream would carry a complete answer, none where that
    is unknown.
    """

    name: str
    decoder: Callable[[], Decoder]
    reader: Callable[[], Reader]
    text_of: Callable[[Any], dict[int, str]]
    finished: Callable[[Any], set[int]]
    answer: Callable[[Mapping[str, Any]], dict[int, str] | None]
    default: Form
    own_forms: Mapping[Form, Form] = field(default_factory=dict)
    frames_of: Callable[[Mapping[str, Any]], Iterable[Mapping[str, Any]]] = lambda answer: ()

    def brought(self, answer: Mapping[str, Any]) -> Iterable[tuple[int, Brought]]:
        """Return the passages and citations of a complete answer, by choice."""
        return self.reader().brings(answer, MAX_LISTED_WHOLE)

    def leaves_unread(self, answer: Mapping[str, Any]) -> bool:
        """Return whether a complete answer may have text that is not read."""
        reader = self.reader()
        for frame in self.frames_of(answer):
            reader.take(frame)
        return reader.unread

    def form(self, requested: Form | None) -> Form:
        """Return the annotation's form for a client that asked for `requested`."""
        return self.default if requested is None else self.own_forms.get(requested, requested)
