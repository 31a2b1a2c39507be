"""The beginning of a stream: which protocol it speaks decides how it is relayed."""

from __future__ import annotations

from collections.abc import Mapping

from streamguard.core.model.types import Ended
from streamguard.server.relay.ahead import Ahead, Passed
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.relay import MAX_HELD_BYTES, Relay
from streamguard.wire import dialects
from streamguard.wire.dialect import IN_BAND, Dialect, Form


class Opening:
    """The beginning of a stream, until it is known which protocol it speaks.

    Mostly the request's path and the response's headers tell (names in any mapping that ignores
    case, `content_type` without parameters); else the first frame does, and is held as long.
    Nothing is put into a stream whose protocol only its first frame told. `text` is where the
    application says that the text stands in frames of unknown shape.
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
        # Nothing is put into text, so it goes on while it is not known how it is to be read.
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
        """Whether anything may be put into the stream, as far as is known."""
        if self._passes:
            return False
        form = self._form if self.relay is None else self.relay.form
        return form is None or form in IN_BAND

    @property
    def may_add(self) -> bool:
        """Whether bytes of ours may still follow the upstream's last, so that its end waits."""
        return not self._passes and (self.relay is None or self.relay.may_add)

    def pass_on(self, chunk: bytes) -> Passed:
        """Take the bytes of one read if all of them go on at once and may be read later."""
        return "not" if self._ahead is None else self._ahead.pass_on(chunk)

    def receive(self, chunk: bytes) -> bytes:
        """Take the bytes of one read; return those that go on at once."""
        if self._ahead is not None:
            return self._ahead.receive(chunk)
        self._begun += chunk
        if self._passes:
            if len(self._begun) >= dialects.TOLD_BYTES:
                self._decided("")
            return chunk
        empty, first = dialects.first_frame(self._begun, self._content_type)
        passing, self._begun = self._begun[:empty], self._begun[empty:]
        if first is None and len(self._begun) <= MAX_HELD_BYTES:
            return passing
        return passing + self._decided(first or "")

    @property
    def due(self) -> bool:
        """Whether there is something for `turn` to do."""
        reads = self._ahead is not None and self._ahead.due and not self._ahead.held
        return reads or self._checking.due

    @property
    def held(self) -> bool:
        """Whether bytes wait to be read by `read`, apart from those of the last `receive`."""
        return self._ahead is not None and self._ahead.held

    @property
    def blocked(self) -> bool:
        """Whether more than an unfinished frame waits to go on, and for being read alone."""
        return self._ahead is not None and self._ahead.blocked

    @property
    def full(self) -> bool:
        """Whether so much waits that no more may be taken before a turn."""
        return self._checking.full or (self._ahead is not None and self._ahead.full)

    def keep(self) -> bool:
        """Keep the bytes last received; return whether there is something to `read`."""
        if self._ahead is None or self.relay is None:
            return True
        return self._ahead.held if self._ahead.behind else self.relay.keep()

    async def read(self) -> bytes:
        """Read the bytes last received, or a portion of the held ones; return those that go on."""
        return await self._ahead.read() if self._ahead is not None else b""

    def turn(self) -> None:
        """Read or examine some of what has gone on, for about a millisecond."""
        ahead, checking = self._ahead, self._checking
        reads = ahead is not None and self._reads_behind and not checking.full
        if ahead is not None and reads and (ahead.due or not checking.due):
            was_quick = ahead.turn()
            if not (was_quick and checking.due):
                return
        checking.turn()

    def told(self) -> bytes:
        """Return the annotations of sentences settled since, where frames of ours may stand."""
        return b"" if self.relay is None or self._behind else self.relay.told()

    @property
    def holds(self) -> bool:
        """Whether frames wait that may be the last, for more of the stream or for its end."""
        return self.relay is not None and self.relay.holds and not self._reads_behind

    async def settle(self) -> bytes:
        """Take the frames that wait for the last ones; return them with the annotation."""
        return await self.relay.settle() if self.relay is not None else b""

    async def finish(self) -> bytes:
        """Say that the stream ended in order; return what goes on last."""
        out = b"" if self.relay is not None else self._decided("")
        out += await self._read_rest()
        return out if self.relay is None else out + await self.relay.finish()

    async def conclude(self) -> None:
        """Examine, in turns, the rest of a stream that has ended, and close."""
        if self.relay is not None:
            await self.relay.conclude()

    def rest(self) -> bytes:
        """Return the bytes that were held back of a stream that broke off."""
        if self._ahead is not None:
            return self._ahead.rest()
        return b"" if self._passes else self._begun

    async def catch_up(self) -> None:
        """Check, in turns, the text so far of a stream that is to be abandoned."""
        if self.relay is None:
            return
        self._leave(self.relay)
        while self._behind:
            await self._checking.pause()
            self.turn()
        await self.relay.catch_up()

    def abandon(self, ended: Ended) -> None:
        """Report that the stream broke off, or that nobody reads on; the text so far counts."""
        if self.relay is None:
            self._checking.close(ended)
            return
        self._leave(self.relay)
        while self._behind:
            self.turn()
        self.relay.abandon(ended)

    def _leave(self, relay: Relay) -> None:
        """Put nothing in any more, and hold nothing back."""
        relay.leave()
        self.rest()

    @property
    def _behind(self) -> bool:
        return self._ahead is not None and self._ahead.behind

    @property
    def _reads_behind(self) -> bool:
        return self._ahead is not None and self._ahead.behind and not self._ahead.held

    async def _read_rest(self) -> bytes:
        """Read in turns all that has come; return what goes on."""
        out = [await self.read()]
        while self._behind:
            await self._checking.pause()
            if self.held:
                out.append(await self.read())
            else:
                self.turn()
        return b"".join(out)

    def _give(self, dialect: Dialect, form: Form) -> bytes:
        """Give to a relay what has come so far; return what of it goes on."""
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
