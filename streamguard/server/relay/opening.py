"""The beginning of a stream: which protocol it speaks decides how it is relayed."""

from __future__ import annotations

from collections.abc import Mapping

from streamguard.core.model.types import Ended
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.relay import MAX_HELD_BYTES, Relay
from streamguard.wire import dialects
from streamguard.wire.dialect import IN_BAND, Form


class Opening:
    """The beginning of a stream, until it is known which protocol it speaks.

    Mostly the request's path and the response's headers tell (names in any mapping that ignores
    case, `content_type` without parameters); else the first frame does, and is held as long.
    Nothing is put into a stream whose protocol only its first frame told. `text` is where the
    application says that the text stands in frames of unknown shape.
    """

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
        found = dialects.of_stream(path, content_type, headers)
        self.relay = None if found is None else Relay(checking, found, found.form(form), text)

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

    def receive(self, chunk: bytes) -> bytes:
        """Take the bytes of one read; return those that go on at once."""
        if self.relay is not None:
            return self.relay.receive(chunk)
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
        """Whether there is text to be examined by `turn`."""
        return self._checking.due

    def keep(self) -> bool:
        """Keep what the last `receive` took; return whether there is more to do."""
        return self.relay is None or self.relay.keep()

    async def read(self) -> bytes:
        """Read what the last `receive` took; return what goes on now."""
        return await self.relay.read() if self.relay is not None else b""

    def turn(self) -> None:
        """Examine some of what was read, for about a millisecond."""
        self._checking.turn()

    def told(self) -> bytes:
        """Return the annotations of sentences settled since, where frames of ours may stand."""
        return self.relay.told() if self.relay is not None else b""

    @property
    def holds(self) -> bool:
        """Whether frames wait that may be the last, for more of the stream or for its end."""
        return self.relay is not None and self.relay.holds

    async def settle(self) -> bytes:
        """Take the frames that wait for the last ones; return them with the annotation."""
        return await self.relay.settle() if self.relay is not None else b""

    async def finish(self) -> bytes:
        """Say that the stream ended in order; return what goes on last."""
        if self.relay is not None:
            return await self.relay.finish()
        begun = self._decided("")
        return begun + await self.read() + await self.finish()

    async def conclude(self) -> None:
        """Examine in turns what is left of a stream that has ended, and close."""
        if self.relay is not None:
            await self.relay.conclude()

    def rest(self) -> bytes:
        """Return the bytes that were held back of a stream that broke off."""
        if self.relay is not None:
            return self.relay.rest()
        return b"" if self._passes else self._begun

    async def catch_up(self) -> None:
        """Check in turns what was taken of a stream that is to be abandoned."""
        if self.relay is not None:
            await self.relay.catch_up()

    def abandon(self, ended: Ended) -> None:
        """Say that the stream broke off, or that nobody reads on; what was taken counts."""
        if self.relay is None:
            self._checking.close(ended)
        else:
            self.relay.abandon(ended)

    def _decided(self, first: str) -> bytes:
        if self._passes:
            text = dialects.of_text(self._path, self._begun, self._headers)
            self.relay = Relay(self._checking, text, "header", self._text)
            self.relay.receive(self._begun)
            return b""
        found = dialects.by_first_frame(first, self._content_type)
        form = found.form(self._form) if found in dialects.PLAIN else "header"
        self.relay = Relay(self._checking, found, form, self._text)
        return self.relay.receive(self._begun)
