"""Passes bytes on before they are read, unless they may belong to the answer's end."""

from __future__ import annotations

from typing import Literal

from streamguard.core.machine.answer_text import MAX_TEXT_CHARS
from streamguard.server.http.portions import lines, portion
from streamguard.server.relay.relay import MAX_HELD_BYTES, Relay

# Up to this many line ends are read before the next bytes are received; guess: 16 frames, 50 us.
DIRECT_LINES = 32
FEW_BYTES = 4_096  # held frames of this length are read at once, so that later ones may pass; guess
# Passed frames like the one before wait to be read until they have this length together: ten of
# them take as long as two read one by one (5 us each). None of them holds the answer's end.
LAZY_BYTES = 4_096
MOST_TEXTS = 512  # texts of such frames that are read in one turn: some 100 us; guess
# Whether all bytes of a read pass on, and if so whether enough passed bytes wait to be read.
Passed = Literal["not", "passed", "due"]
MAX_WAITING_BYTES = MAX_TEXT_CHARS  # passed and unread; beyond it no more bytes are accepted


class Ahead:
    """Gives a relay its bytes in portions of one turn, after they have passed on.

    If nothing will be inserted, all bytes pass at once; otherwise complete frames up to the first
    that may belong to the answer's end. `turn` reads bytes that have passed and returns nothing,
    `read` the `held` ones after them.
    """

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self._waiting = bytearray()  # came, and is not read yet
        self._gone = 0  # how many of these, from the first on, have gone on
        self._texts: list[bytes] = []  # of frames as before that went on in front of these
        self._texts_bytes = 0  # of these frames
        self._blocked = False
        self._is_lazy = False  # what has gone on may wait until there is more of it

    @property
    def behind(self) -> bool:
        """Whether bytes wait to be read."""
        return bool(self._texts or self._waiting) or self._relay.lags

    @property
    def due(self) -> bool:
        """Whether enough passed bytes wait to be worth a turn."""
        enough = LAZY_BYTES if self._is_lazy and not self._relay.hurries else 1
        return self._gone + self._texts_bytes >= enough or self._relay.lags

    @property
    def held(self) -> bool:
        """Whether the next bytes to read have not passed on."""
        return bool(self._waiting) and not (self._gone or self._texts or self._relay.lags)

    @property
    def blocked(self) -> bool:
        """Whether more than an unfinished frame waits, and only for being read."""
        return self._blocked

    @property
    def full(self) -> bool:
        """Whether the queue has reached its limit: some must be read before more is taken."""
        return len(self._waiting) + self._texts_bytes > MAX_WAITING_BYTES

    def pass_on(self, chunk: bytes) -> Passed:
        """Accept a read whose bytes all pass on at once and may be read later."""
        relay, waiting = self._relay, self._waiting
        if self._gone != len(waiting) or relay.hurries:
            return "not"
        texts = None
        if not relay.passing:
            follows = waiting or self._texts or relay.between
            texts = relay.texts_in(chunk) if follows else None
            if texts is None:
                return "not"
        if texts is None or waiting:
            waiting += chunk
            self._gone += len(chunk)
        else:
            self._texts += texts
            self._texts_bytes += len(chunk)
        self._is_lazy = True
        return "due" if self._gone + self._texts_bytes >= LAZY_BYTES else "passed"

    def receive(self, chunk: bytes) -> bytes:
        """Process a read; return the bytes that pass on at once."""
        if self.pass_on(chunk) != "not":
            return chunk
        self._is_lazy = False
        if not self.behind and self._is_little(chunk):
            return self._relay.receive(chunk)
        # A frame that is this long is looked through once; what it holds is seen when it is read.
        unfinished = len(self._waiting) - self._gone
        self._waiting += chunk
        if unfinished > MAX_HELD_BYTES and not self._relay.passing:
            self._blocked = True
            return b""
        return self._let_go()

    def turn(self) -> bool:
        """Read a portion of the passed bytes; there must be some, and nothing `held`.

        Returns whether they were frames like those before, which take hardly any time.
        """
        if self._relay.lags:
            self._relay.read_on()
            return False
        if self._texts:
            texts, self._texts = self._texts[:MOST_TEXTS], self._texts[MOST_TEXTS:]
            self._texts_bytes = self._texts_bytes if self._texts else 0
            self._relay.take(texts)
            return True
        piece = self._portion(self._gone)
        self._gone -= len(piece)
        return self._relay.follow(piece)

    async def read(self) -> bytes:
        """Read the latest bytes, or a portion of the held ones; return those that pass on.

        Returns nothing while passed bytes must be read first.
        """
        if self._gone or self._texts or self._relay.lags:
            return b""
        out = await self._relay.read()
        if self.held:
            few = self._relay.complete_frames(bytes(self._waiting[:FEW_BYTES]))
            out += self._relay.receive(self._portion(few or len(self._waiting)))
            out += await self._relay.read()
            out += self._let_go()
        return out

    def rest(self) -> bytes:
        """Return the held bytes of a stream that broke off."""
        rest = bytes(self._waiting[self._gone :])
        self._gone = len(self._waiting)
        return self._relay.rest() + rest

    def _portion(self, most: int) -> bytes:
        """Remove the next portion, up to the end of a frame if one ends within it."""
        most = min(most, self._relay.turn_bytes)
        piece = bytes(self._waiting[: portion(self._waiting, most)])
        piece = piece[: self._relay.complete_frames(piece) or len(piece)]
        del self._waiting[: len(piece)]
        return piece

    def _is_little(self, chunk: bytes) -> bool:
        return lines(chunk) <= DIRECT_LINES and len(chunk) <= self._relay.turn_bytes

    def _let_go(self) -> bytes:
        """Return the waiting bytes that may pass on."""
        relay = self._relay
        begun = bytes(self._waiting[self._gone :])
        free, self._blocked = len(begun), False
        if not relay.passing:
            follows = self._gone or self._texts or relay.lags or relay.between
            sign = relay.first_sign(begun) if follows else 0
            complete = relay.complete_frames(begun if sign < 0 else begun[:sign])
            free = complete or 0
            self._blocked = bool(begun) and (sign >= 0 or complete is None)
        self._gone += free
        return begun[:free]
