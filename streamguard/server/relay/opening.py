"""The beginning of a stream: its protocol determines how it is relayed."""

from __future__ import annotations

from collections.abc import Mapping

from streamguard.core.model.types import Ended
from streamguard.server.relay.ahead import Ahead, Passed
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.relay import MAX_HELD_BYTES, Relay
from streamguard.wire import dialects
from streamguard.wire.dialect import IN_BAND, Dialect, Form


class Opening:
    """The beginning of a stream until its protocol is known.

    Usually the request's path and the response's headers determine it (a mapping that ignores case,
    `content_type` without parameters); otherwise the first frame does, and is held until then.
    Nothing is inserted into a stream recognised only by its first frame. `text` is the
    application's path of the text in frames of unknown shape.
    """

    over = False  # all of the upstream is relayed
    leaves = False  # nothing is held back
    patience_s: float | None = None  # as long as a tail may wait

    def __init__(
        self,
        path: str,
        content_type: str,
        headers: Mapping[str, str],
        checking: Checking,
        form: Form | None,
        text: str | None = None,
    ) -> None:
        self._text = text
        self._path = path
        self._headers = headers
        # Nothing is inserted into plain text, so it passes before its reader is known.
        self._passes = content_type == dialects.TEXT_TYPE
        self._content_type = content_type
        self._checking = checking
        self._form = form
        self._begun = b""
        self.relay: Relay | None = None
        self._ahead: Ahead | None = None  # beside it
        if (found := dialects.of_stream(path, content_type, headers)) is not None:
            self._give(found, found.form(form))

    @property
    def adds(self) -> bool:
        """Whether anything may be inserted into the stream, as far as known."""
        if self._passes:
            return False
        form = self._form if self.relay is None else self.relay.form
        return form is None or form in IN_BAND

    @property
    def may_add(self) -> bool:
        """Whether our bytes may still follow the upstream's last, so that its end waits."""
        return not self._passes and (self.relay is None or self.relay.may_add)

    def pass_on(self, chunk: bytes) -> Passed:
        """Accept a read whose bytes all pass on at once and may be read later."""
        return "not" if self._ahead is None else self._ahead.pass_on(chunk)

    def receive(self, chunk: bytes) -> bytes:
        """Process a read; return the bytes that pass on at once."""
        if self._ahead is not None:
            return self._ahead.receive(chunk)
        self._begun += chunk
        if self._passes:
            if len(self._begun) >= dialects.KIND_BYTES:
                self._decided("")
            return chunk
        empty, first = dialects.first_frame(self._begun, self._content_type)
        passing, self._begun = self._begun[:empty], self._begun[empty:]
        if first is None and len(self._begun) <= MAX_HELD_BYTES:
            return passing
        return passing + self._decided(first or "")

    @property
    def due(self) -> bool:
        """Whether `turn` has something to do."""
        reads = self._ahead is not None and self._ahead.due and not self._ahead.held
        return reads or self._checking.due

    @property
    def held(self) -> bool:
        """Whether bytes wait for `read`, other than those of the last `receive`."""
        return self._ahead is not None and self._ahead.held

    @property
    def blocked(self) -> bool:
        """Whether more than an unfinished frame waits, and only for being read."""
        return self._ahead is not None and self._ahead.blocked

    @property
    def full(self) -> bool:
        """Whether the queue has reached its limit: no more may be taken before a turn."""
        return self._checking.full or (self._ahead is not None and self._ahead.full)

    def keep(self) -> bool:
        """Keep the latest bytes; return whether there is something to `read`."""
        if self._ahead is None or self.relay is None:
            return True
        return self._ahead.held if self._ahead.behind else self.relay.keep()

    async def read(self) -> bytes:
        """Read the latest bytes, or a portion of the held ones; return those that pass on."""
        return await self._ahead.read() if self._ahead is not None else b""

    def turn(self) -> None:
        """Read or examine passed bytes for about a millisecond."""
        ahead, checking = self._ahead, self._checking
        reads = ahead is not None and self._reads_behind and not checking.full
        if ahead is not None and reads and (ahead.due or not checking.due):
            was_quick = ahead.turn()
            if not (was_quick and checking.due):
                return
        checking.turn()

    def sentence_frames(self) -> bytes:
        """Return the annotations of newly settled sentences, if our frames fit here."""
        return b"" if self.relay is None or self._behind else self.relay.sentence_frames()

    @property
    def holds(self) -> bool:
        """Whether frames that may be the last wait for more of the stream or its end."""
        return self.relay is not None and self.relay.holds and not self._reads_behind

    async def settle(self) -> bytes:
        """Treat the waiting frames as the last; return them with the annotation."""
        return await self.relay.settle() if self.relay is not None else b""

    async def finish(self) -> bytes:
        """Handle the stream's orderly end; return the last bytes."""
        out = b"" if self.relay is not None else self._decided("")
        out += await self._read_rest()
        return out if self.relay is None else out + await self.relay.finish()

    async def conclude(self) -> None:
        """Examine in turns the rest of a stream that has ended, and close."""
        if self.relay is not None:
            await self.relay.conclude()

    def rest(self) -> bytes:
        """Return the held bytes of a stream that broke off."""
        if self._ahead is not None:
            return self._ahead.rest()
        return b"" if self._passes else self._begun

    async def catch_up(self) -> None:
        """Check in turns the text so far, before `abandon`."""
        if self.relay is None:
            return
        self._leave(self.relay)
        while self._behind:
            await self._checking.pause()
            self.turn()
        await self.relay.catch_up()

    def abandon(self, ended: Ended) -> None:
        """Handle a stream that broke off, or whose client left; the text so far counts."""
        if self.relay is None:
            self._checking.close(ended)
            return
        self._leave(self.relay)
        while self._behind:
            self.turn()
        self.relay.abandon(ended)

    def _leave(self, relay: Relay) -> None:
        """Insert nothing from now on, and hold nothing."""
        relay.leave()
        self.rest()

    @property
    def _behind(self) -> bool:
        return self._ahead is not None and self._ahead.behind

    @property
    def _reads_behind(self) -> bool:
        return self._ahead is not None and self._ahead.behind and not self._ahead.held

    async def _read_rest(self) -> bytes:
        """Read in turns all bytes so far; return those that pass on."""
        out = [await self.read()]
        while self._behind:
            await self._checking.pause()
            if self.held:
                out.append(await self.read())
            else:
                self.turn()
        return b"".join(out)

    def _give(self, dialect: Dialect, form: Form) -> bytes:
        """Pass the bytes so far to a relay; return those that pass on."""
        self.relay = Relay(self._checking, dialect, form, self._text)
        self._ahead = Ahead(self.relay)
        begun, self._begun = self._begun, b""
        return self._ahead.receive(begun) if begun else b""

    def _decided(self, first: str) -> bytes:
        if self._passes:  # what has come went on
            self._give(dialects.of_text(self._path, self._begun, self._headers), "header")
            return b""
        found = dialects.by_first_frame(first, self._content_type)
        return self._give(found, found.form(self._form) if found in dialects.PLAIN else "header")
