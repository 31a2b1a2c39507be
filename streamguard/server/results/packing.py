"""An annotation in the store: the served JSON, compressed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from streamguard.core.model.result import Annotation
from streamguard.wire.serialising import PART_ITEMS, json_parts, size_of

AT_ONCE = 4 * PART_ITEMS  # reports and findings of an annotation that is packed in one turn
TURN_CHARS = 32_768  # of JSON in one turn of a longer one: half a millisecond
# Of one that waits to be packed, for each report and finding; measured with tracemalloc.
OBJECT_BYTES = 512
_LEVEL = 1  # a third of the time of level 6, and a tenth more bytes


class Packed:
    """One annotation, compressed in turns; without `text`, that of `without_text`."""

    __slots__ = ("_done", "_parts", "_unpacked", "_unpacked_bytes")

    def __init__(self, annotation: Annotation, *, text: bool = True) -> None:
        items = size_of(annotation)
        self._done = b""
        self._parts: list[bytes] = []
        self._unpacked: Iterator[bytes] | None = _compressed(annotation, text)
        self._unpacked_bytes = OBJECT_BYTES * (items + 16)
        if items <= AT_ONCE:
            self.finish()

    @property
    def held_bytes(self) -> int:
        """The bytes held; an estimate until compression is done."""
        return len(self._done) if self._unpacked is None else self._unpacked_bytes

    @property
    def body(self) -> bytes | None:
        """The compressed JSON; None until compression is done."""
        return self._done if self._unpacked is None else None

    def turn(self) -> bool:
        """Compress for one turn; return whether more remains."""
        if self._unpacked is None:
            return False
        for part in self._unpacked:
            self._parts.append(part)
            return True
        self._done = b"".join(self._parts)
        self._parts = []
        self._unpacked = None
        return False

    def finish(self) -> None:
        """Compress all of it."""
        while self.turn():
            pass

    def json(self) -> bytes:
        """Return the JSON."""
        self.finish()
        return zlib.decompress(self._done)


def _compressed(annotation: Annotation, text: bool) -> Iterator[bytes]:
    """Yield the compressed parts, each the work of one turn."""
    zipping, done, chars = zlib.compressobj(_LEVEL), [], 0
    for part in json_parts(annotation, text=text):
        done.append(zipping.compress(part.encode("ascii")))
        chars += len(part)
        if chars >= TURN_CHARS:
            yield b"".join(done)
            done, chars = [], 0
    yield b"".join((*done, zipping.flush()))
