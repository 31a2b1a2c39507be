"""The sentences of one answer as they settle, for whoever listens while it runs or later."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import anyio

# Of one answer, as JSON; what is more is only in its result. Guess: some 10,000 sentences.
MAX_FEED_CHARS = 8_388_608
PACKED_CHARS = 16_384  # of sentences that are compressed together: a turn of 0.1 ms
STRING_BYTES = 64  # of a string of ASCII beside its characters, and its place in a list


class Feed:
    """Sentence annotations as JSON, numbered from 1, and whether more may come.

    What was told is kept compressed, many sentences together. It runs on asyncio and trio.
    """

    __slots__ = (
        "_changed", "_chars", "_kept", "_loose", "_loose_chars", "_packed",
        "count", "held_bytes", "over",
    )  # fmt: skip

    def __init__(self) -> None:
        self.over = False
        self.count = 0  # of all that were said
        self.held_bytes = 0  # held
        self._kept = 0  # of all that were said, from the first
        self._chars = 0  # of those
        self._packed: list[tuple[int, bytes]] = []  # how many, and their lines, compressed
        self._loose: list[str] = []  # those behind
        self._loose_chars = 0
        self._changed: anyio.Event | None = None  # somebody waits for it

    def say(self, sentence_json: str, *, keep: bool = True) -> None:
        """Add a sentence; without `keep` only its number stays, and none is kept from then on."""
        whole = self._kept == self.count  # what is kept has no gaps
        self.count += 1
        if keep and whole and self._chars + len(sentence_json) <= MAX_FEED_CHARS:
            self._loose.append(sentence_json)
            self._kept += 1
            self._chars += len(sentence_json)
            self._loose_chars += len(sentence_json)
            self.held_bytes += len(sentence_json) + STRING_BYTES
            if self._loose_chars >= PACKED_CHARS:
                self.pack()
        self._wake()

    def end(self) -> None:
        """Say that no more will come."""
        self.over = True
        self._wake()

    def pack(self) -> None:
        """Compress what was said since the last time."""
        if not self._loose:
            return
        packed = zlib.compress("\n".join(self._loose).encode("ascii"), 1)
        self._packed.append((len(self._loose), packed))
        self.held_bytes += len(packed) + STRING_BYTES
        self.held_bytes -= self._loose_chars + STRING_BYTES * len(self._loose)
        self._loose, self._loose_chars = [], 0

    def forget(self) -> None:
        """Drop what was said; the numbers stay."""
        self._packed.clear()
        self._loose.clear()
        self.held_bytes = self._kept = self._chars = self._loose_chars = 0

    def after(self, number: int) -> Iterator[tuple[int, str]]:
        """Yield number and JSON of the kept sentences after `number`."""
        first = 0  # of all before the block
        for count, packed in tuple(self._packed):
            if first + count > number:
                lines = zlib.decompress(packed).decode("ascii").split("\n")
                begin = max(number - first, 0)
                yield from enumerate(lines[begin:], first + begin + 1)
            first += count
        begin = max(number - first, 0)
        yield from enumerate(self._loose[begin:], first + begin + 1)

    async def beyond(self, number: int) -> None:
        """Wait until there is a sentence after `number`, or no more will come."""
        while self.count <= number and not self.over:
            if self._changed is None:
                self._changed = anyio.Event()
            await self._changed.wait()

    def _wake(self) -> None:
        if self._changed is not None:
            self._changed.set()
            self._changed = None
