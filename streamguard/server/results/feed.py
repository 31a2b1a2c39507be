"""The sentences of one answer as they settle, for listeners during or after it."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import get_ident

import anyio

# Of one answer, as JSON; further sentences are only in its result. Guess: some 10,000 sentences.
MAX_FEED_CHARS = 8_388_608
PACKED_CHARS = 16_384  # of sentences that are compressed together: a turn of 0.1 ms
STRING_BYTES = 64  # of a string of ASCII beside its characters, and its place in a list


class Feed:
    """Sentence annotations as JSON, numbered from 1, and whether more may come.

    Sentences are compressed in blocks. It runs on asyncio and trio; another thread may add them,
    one at a time.
    """

    __slots__ = (
        "_changed",
        "_chars",
        "_kept",
        "_loose",
        "_loose_chars",
        "_packed",
        "count",
        "held_bytes",
        "over",
        "results",
    )

    def __init__(self) -> None:
        self.over = False
        self.count = 0  # of all added sentences
        self.results = 1  # results sent after the sentences: an amended one is sent again
        self.held_bytes = 0
        self._kept = 0  # number of kept sentences: the first ones
        self._chars = 0  # characters of the kept sentences
        self._packed: list[tuple[int, bytes]] = []  # number of sentences, and them compressed
        self._loose: list[str] = []  # kept sentences that are not compressed yet
        self._loose_chars = 0
        self._changed: _Bell | None = None  # set while a listener waits

    def add(self, sentence_json: str, *, keep: bool = True) -> None:
        """Add a sentence; without `keep` it and all later ones get a number only."""
        complete = self._kept == self.count  # the kept sentences have no gaps
        self.count += 1
        if keep and complete and self._chars + len(sentence_json) <= MAX_FEED_CHARS:
            self._loose.append(sentence_json)
            self._kept += 1
            self._chars += len(sentence_json)
            self._loose_chars += len(sentence_json)
            self.held_bytes += len(sentence_json) + STRING_BYTES
            if self._loose_chars >= PACKED_CHARS:
                self.pack()
        self._wake()

    def end(self) -> None:
        """Mark the end: no more sentences come."""
        self.over = True
        self._wake()

    def pack(self) -> None:
        """Compress the sentences added since the last call."""
        if not self._loose:
            return
        packed = zlib.compress("\n".join(self._loose).encode("ascii"), 1)
        self._packed.append((len(self._loose), packed))
        self.held_bytes += len(packed) + STRING_BYTES
        self.held_bytes -= self._loose_chars + STRING_BYTES * len(self._loose)
        self._loose, self._loose_chars = [], 0

    def forget(self) -> None:
        """Drop the sentences; the numbers stay."""
        self._packed.clear()
        self._loose.clear()
        self.held_bytes = self._kept = self._chars = self._loose_chars = 0

    def after(self, number: int) -> Iterator[tuple[int, str]]:
        """Yield number and JSON of the kept sentences after `number`."""
        first = 0  # number of sentences before the block
        for count, packed in tuple(self._packed):
            if first + count > number:
                lines = zlib.decompress(packed).decode("ascii").split("\n")
                begin = max(number - first, 0)
                yield from enumerate(lines[begin:], first + begin + 1)
            first += count
        begin = max(number - first, 0)
        yield from enumerate(self._loose[begin:], first + begin + 1)

    async def beyond(self, number: int) -> None:
        """Wait for a sentence after `number`, or for the end."""
        while True:
            # Set before the check for more: a sentence that a thread adds after it rings the bell.
            bell = self._changed = self._changed or _Bell()
            if self.count > number or self.over:
                return
            await bell.event.wait()

    def _wake(self) -> None:
        bell, self._changed = self._changed, None
        if bell is not None:
            bell.ring()


class _Bell:
    """An event of the current loop that any thread can set."""

    def __init__(self) -> None:
        self.event = anyio.Event()
        self._thread = get_ident()
        self._soon = _soon()

    def ring(self) -> None:
        """Set the event soon; do nothing if the loop is gone."""
        if get_ident() == self._thread:
            self.event.set()
            return
        with suppress(RuntimeError):
            self._soon(self.event.set)


def _soon() -> Callable[[Callable[[], object]], object]:
    """Return a function that calls another soon in the running loop, of asyncio or trio."""
    try:
        return asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:
        from trio.lowlevel import current_trio_token

        return current_trio_token().run_sync_soon
