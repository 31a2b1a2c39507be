"""The sentences of one answer as they settle, for whoever listens while it runs or later."""

from __future__ import annotations

from collections.abc import Iterator

import anyio

# Of one answer, as JSON; what is more is only in its result. Guess: some 10,000 sentences.
MAX_FEED_CHARS = 8_388_608


class Feed:
    """Sentence annotations as JSON, numbered from 1, and whether more may come.

    It runs on asyncio and trio.
    """

    def __init__(self) -> None:
        self.over = False
        self.count = 0  # of all that were said
        self.chars = 0  # of those that are kept
        self._said: list[str] = []
        self._changed: anyio.Event | None = None  # somebody waits for it

    def say(self, sentence_json: str) -> None:
        """Add a sentence."""
        self.count += 1
        if self.chars + len(sentence_json) <= MAX_FEED_CHARS:
            self._said.append(sentence_json)
            self.chars += len(sentence_json)
        self._wake()

    def end(self) -> None:
        """Say that no more will come."""
        self.over = True
        self._wake()

    def forget(self) -> None:
        """Drop what was said; the numbers stay."""
        self._said.clear()
        self.chars = 0

    def after(self, number: int) -> Iterator[tuple[int, str]]:
        """Yield number and JSON of the kept sentences after `number`."""
        yield from enumerate(self._said[number:], number + 1)

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
