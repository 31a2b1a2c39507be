"""Base of the protocols whose streams get no annotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent
from streamguard.wire.dialect import Dialect
from streamguard.wire.reader import Reader


class QuietReader(Reader):
    """Reads the events of one stream that gets no annotation."""

    def addition(self, annotation_json: str, event: str | None) -> bytes:
        """Return nothing: no frame is added."""
        return b""

    def attached(self, event: SSEEvent, annotation_json: str) -> None:
        """Return None: no frame is changed."""

    def live(self, choice: int, index: int, annotation_json: str) -> bytes:
        """Return nothing: no frame is added."""
        return b""


def quiet(
    name: str,
    reader: Callable[[], Reader],
    answer: Callable[[Mapping[str, Any]], dict[int, str] | None],
) -> Dialect:
    """Return the dialect of an event protocol without annotations; `answer` as in `Dialect`."""
    return Dialect(
        name=name,
        decoder=SSEDecoder,
        reader=reader,
        text_of=lambda frame: dict(reader().texts(frame)),
        finished=lambda frame: set(),
        answer=answer,
        default="header",
        own_forms={"chunk": "header", "attach": "header", "event": "header"},
    )


def no_answer(answer: Mapping[str, Any]) -> None:
    """Return None for any JSON: the protocol has streams alone."""
