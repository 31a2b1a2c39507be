"""The answer's text as it arrives: handed out by span, measured and digested once."""

from __future__ import annotations

import hashlib

from streamguard.core.model.result import TextReport
from streamguard.text.normalise import astral_offsets


class Transcript:
    """Keeps up to `max_chars` characters of the answer; what comes after is only counted.

    Pieces wait unjoined until a sentence is taken out, so that a piece costs one append.
    """

    def __init__(self, max_chars: int) -> None:
        self._room = max_chars
        self._arrived: list[str] = []  # pieces since the last look at the open text
        self._open = ""  # text from `_open_at` on, which is not behind the last settled sentence
        self._open_at = 0
        self._settled = 0  # the end of the last settled sentence
        self._done: list[str] = []
        self._measured = 0  # how far digest and sizes have come
        self._digest = hashlib.sha256()
        self._utf8_bytes = 0
        self.chars = 0
        self.overflowed = False
        self._surrogates = 0  # UTF-16 units more than code points
        self.astral: list[int] = []  # offsets of characters above U+FFFF in what is kept

    def add(self, text: str) -> str:
        """Take the next piece of scalar text; return as much of it as is kept."""
        before = self.chars
        self.chars = chars = before + len(text)
        if chars <= self._room:
            self._arrived.append(text)
            return text
        room = self._room - before
        kept, beyond = text[: max(0, room)], text[max(0, room) :]
        self._arrived.append(kept)
        self.overflowed = True
        self._measure_to(self._open_at + len(self._joined()))
        self._measure(beyond)
        return kept

    def settle(self, start: int, end: int) -> tuple[str, str]:
        """Put the text before `end` away; return what stands before `start`, and from there on."""
        self._measure_to(end)
        text, at = self._joined(), self._open_at
        told = text[self._settled - at : start - at], text[start - at : end - at]
        self._done += told
        self._settled = end
        if end - at > len(text) // 2:  # not for every sentence of many: that would be quadratic
            self._open, self._open_at = text[end - at :], end
        return told

    def whole(self) -> str:
        """Return everything that was kept."""
        return "".join((*self._done, self._joined()[self._settled - self._open_at :]))

    def report(self) -> TextReport:
        """Return sizes and digest of everything that came, also of what was not kept."""
        self._measure_to(self._open_at + len(self._joined()))
        return TextReport(
            self._digest.hexdigest(), self.chars, self._utf8_bytes, self.chars + self._surrogates
        )

    def _joined(self) -> str:
        if self._arrived:
            self._open = "".join((self._open, *self._arrived))
            self._arrived.clear()
        return self._open

    def _measure_to(self, end: int) -> None:
        if end > self._measured:
            joined = self._joined()
            self._measure(joined[self._measured - self._open_at : end - self._open_at])

    def _measure(self, text: str) -> None:
        data = text.encode()
        self._digest.update(data)
        self._utf8_bytes += len(data)
        if len(data) != len(text):
            at, room = self._measured, self._room
            places = [at + offset for offset in astral_offsets(text)]
            self._surrogates += len(places)
            self.astral.extend(place for place in places if place < room)
        self._measured += len(text)
