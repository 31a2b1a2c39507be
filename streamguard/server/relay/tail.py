"""Holds the last frames for the annotation, and places it among them."""

from __future__ import annotations

from streamguard.core.model.result import SentenceAnnotation
from streamguard.wire.codecs.sse import SSEEvent
from streamguard.wire.dialect import IN_BAND, Form
from streamguard.wire.protocols.plain import EVENT
from streamguard.wire.reader import Place, Reader

MAX_TAIL_WAIT_S = 2.0  # SPEC: that frames wait for more of a stream that may be over

# The annotation goes in front of the first of these that the stream has, in this order.
_STOPS: tuple[Place, ...] = ("foot", "rear", "end", "tail")


class Tail:
    """Holds the end of one stream until its annotation comes, and inserts it.

    The annotation is a key in a frame with room for it (`attach`), or precedes the first frame
    after the answer. Frames of an unfinished answer pass; a frame with room waits until the next
    one shows whether it was the last. Sentences settled meanwhile precede the annotation, or go
    earlier if the protocol has room.
    """

    def __init__(self, reader: Reader, form: Form) -> None:
        self._reader = reader
        self._form = form
        self._held: list[tuple[SSEEvent, Place]] = []
        self._unsent: list[SentenceAnnotation] = []  # settled where there was no room for them

    @property
    def has_slot(self) -> bool:
        """Whether a frame with room for the annotation is held."""
        return bool(self._held)

    def add(self, event: SSEEvent, place: Place) -> bytes:
        """Add a frame; return the frames that pass, as the last one is not among them."""
        if self._form not in IN_BAND:
            return event.raw
        out = self.rest() if place in ("body", "slot", "rear") else b""
        takes_annotation = place == "slot" and self._form == "attach"
        if takes_annotation or place in _STOPS or (place == "aside" and self._held):
            self._held.append((event, place))
            return out
        return out + event.raw

    def annotated(self, annotation_json: str) -> bytes:
        """Return the held frames with the annotation; alone after an error."""
        if self._form not in IN_BAND or self._reader.failed or self._reader.guessed:
            return self.rest()
        held, self._held = self._held, []
        raws = [event.raw for event, _ in held]
        for at, (event, place) in enumerate(held if self._form == "attach" else ()):
            if place in ("slot", "rear", "end"):
                attached = self._reader.attached(event, annotation_json)
                if attached is not None:
                    return b"".join((*raws[:at], self._behind(attached), *raws[at + 1 :]))
        places = [place for _, place in held]
        at = next((places.index(place) for place in _STOPS if place in places), len(held))
        event_name = EVENT if self._form == "event" else None
        addition = self._reader.addition(annotation_json, event_name)
        return b"".join((*raws[:at], self._behind(b"".join(raws[at:]), addition)))

    def rest(self) -> bytes:
        """Return the held frames unchanged."""
        held, self._held = self._held, []
        return b"".join(event.raw for event, _ in held)

    def add_sentence(self, sentence: SentenceAnnotation) -> None:
        """Queue a settled sentence until there is room for it."""
        if self._form in IN_BAND:
            self._unsent.append(sentence)

    def sentence_frames(self) -> bytes:
        """Return the queued sentences if they fit between two frames."""
        return b"" if self._held or not self._reader.has_room else self._unsent_frames()

    def _behind(self, frames: bytes, addition: bytes = b"") -> bytes:
        """Return `frames` preceded by the queued sentences and `addition`."""
        # The LF of a CRLF that the last frame ended with still belongs to that frame.
        lead = b"\n" if frames.startswith(b"\n") else b""
        return b"".join((lead, self._unsent_frames(), addition, frames[len(lead) :]))

    def _unsent_frames(self) -> bytes:
        unsent, self._unsent = self._unsent, []
        if not unsent or self._reader.failed or self._reader.guessed:
            return b""
        return b"".join(
            self._reader.live(each.choice, each.index, each.to_json()) for each in unsent
        )
