"""The interface of every protocol: the text of a frame, and the place of an annotation.

A dialect is a value. Its `reader` reads one stream and says of each frame in which place it
stands; nothing here does I/O, so a proxy, a middleware and a test use the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, get_args

from streamguard.core.model.brought import Brought
from streamguard.wire.brought.tool_passages import MAX_LISTED_WHOLE
from streamguard.wire.codecs.sse import SSEEvent
from streamguard.wire.reader import Reader

# How a client wants to be told: not at all, by the response header alone, by a frame of its own
# that is ordinary for the protocol, by a key in a frame of the upstream's, by a named event.
Form = Literal["off", "header", "chunk", "attach", "event"]
FORMS: tuple[Form, ...] = get_args(Form)
IN_BAND = frozenset({"chunk", "attach", "event"})


class Decoder(Protocol):
    """Cuts bytes into frames; `SSEDecoder` and `LineDecoder`.

    `turn_bytes`: the bytes of a read that may be cut in one turn.
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
        """Whether a part of the unfinished frame was given out: it passed the cap."""

    def feed(self, piece: bytes) -> list[SSEEvent]:
        """Take the next bytes; return the frames they completed."""

    def close(self) -> list[SSEEvent]:
        """Return the rest as at most one frame."""

    @staticmethod
    def whole(data: bytes) -> int | None:
        """Return how many bytes of `data`, which begins with a frame, are certainly whole ones.

        None if only reading tells.
        """

    @staticmethod
    def end_of(raw: bytes) -> bytes:
        """Return the bytes that the last ones of a stream, `raw`, lack of a frame's end."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One protocol.

    `text_of` gives the text per choice of a frame (parsed JSON or an SDK's object), `finished` the
    choices it ends, `answer` the text per choice of an answer in one piece, None if the JSON is
    no answer. `given` maps a form that a client may ask for to the one this protocol has for it;
    forms that it does not name are used as asked. `default` breaks no client. `told` gives the
    frames in which a stream would tell an answer in one piece, where that is known.
    """

    name: str
    decoder: Callable[[], Decoder]
    reader: Callable[[], Reader]
    text_of: Callable[[Any], dict[int, str]]
    finished: Callable[[Any], set[int]]
    answer: Callable[[Mapping[str, Any]], dict[int, str] | None]
    default: Form
    given: Mapping[Form, Form] = field(default_factory=dict)
    told: Callable[[Mapping[str, Any]], Iterable[Mapping[str, Any]]] = lambda answer: ()

    def brought(self, answer: Mapping[str, Any]) -> Iterable[tuple[int, Brought]]:
        """Give the passages and citations of an answer in one piece, by choice."""
        return self.reader().brings(answer, MAX_LISTED_WHOLE)

    def leaves_unread(self, answer: Mapping[str, Any]) -> bool:
        """Return whether an answer in one piece may have text besides that which is read."""
        reader = self.reader()
        for frame in self.told(answer):
            reader.take(frame)
        return reader.unread

    def form(self, asked: Form | None) -> Form:
        """Return the form in which the annotation comes, where a client asked for `asked`."""
        return self.default if asked is None else self.given.get(asked, asked)
