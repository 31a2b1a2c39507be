"""Upstream connections: reused between requests, but never with bytes left over."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Protocol

import aiohttp
from aiohttp.client_proto import ResponseHandler

from streamguard.server.http.chunks import Chunks


class Listener(Protocol):
    """Called on events of a connection."""

    def __call__(self, *, lost: bool) -> None:
        """Handle new bytes, or with `lost` the end of the connection."""


class PassOn(Protocol):
    """Passes a response's bytes on in the callback that received them."""

    def __call__(self, data: bytes, content: bytes) -> bool:
        """Pass on `data`, chunks with that `content`; return False to have it read as usual."""


class Connection(ResponseHandler):
    """A connection that is not reused if it received more than one response's bytes.

    aiohttp (3.14) keeps surplus bytes for the next request: after one surplus answer, every client
    would get the previous client's.
    """

    # `pass_on` is called with the bytes before aiohttp parses them, `listener` after it.
    listener: Listener | None = None
    pass_on: PassOn | None = None
    _chunks: Chunks  # of the response that is being received
    received_at = 0.0  # when bytes came last, in the loop's time
    _untaken: asyncio.TimerHandle | None = None  # runs while the upstream takes nothing

    def set_response_params(self, **params: Any) -> None:
        """Begin the next response."""
        self._chunks = Chunks()
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        """Process the upstream's bytes; the response's body gets them before the listener does.

        Complete chunks that `pass_on` accepts bypass aiohttp, whose parsing, copying and framing
        are a third of the cost of relaying an event. Its parser stays in step.
        """
        if self.pass_on is not None and not self._reading_paused:
            content = self._chunks.content(data)
            if content and self.pass_on(data, content):
                self.received_at = self._loop.time()
                return
        if self._parser is not None:
            self._chunks.follow(data)
        super().data_received(data)
        if self.listener is not None and data:  # none: a pause in reading is over
            self.listener(lost=False)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Notify the listener of the connection's end."""
        self._drop_untaken()
        if (wrong := self.exception()) is not None and wrong.__cause__ is not None:
            wrong.__cause__.with_traceback(None)  # by its frame it keeps this, and `wrong` itself
        closed = self.closed
        super().connection_lost(exc)
        if closed is not None and closed.done() and not closed.cancelled():
            closed.exception()  # looked at here, so that nobody logs it
        if self.listener is not None:
            self.listener(lost=True)

    def pause_writing(self) -> None:
        """Start the read timeout: an upstream that accepts nothing counts as silent."""
        # aiohttp sets its limit once all of a request has gone on.
        super().pause_writing()
        if self._read_timeout:
            self._untaken = self._loop.call_later(self._read_timeout, super()._on_read_timeout)

    def resume_writing(self) -> None:
        """Resume writing and clear that timeout."""
        self._drop_untaken()
        super().resume_writing()

    def _drop_untaken(self) -> None:
        if self._untaken is not None:
            self._untaken.cancel()
            self._untaken = None

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Resume reading after a pause; do nothing without one."""
        # aiohttp asks for it with every read of a body, and parses no bytes each time.
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def _reschedule_timeout(self) -> None:
        # aiohttp cancels its timer and sets another one for every read: 4 % of what an event
        # costs. The one that is set goes on instead, and looks how long ago the last read was.
        self.received_at = self._loop.time()
        if self._read_timeout_handle is None:
            super()._reschedule_timeout()

    def _on_read_timeout(self) -> None:
        left = self.received_at + (self._read_timeout or 0.0) - self._loop.time()
        if left > 0:
            self._read_timeout_handle = self._loop.call_later(left, self._on_read_timeout)
            return
        super()._on_read_timeout()
        if self.listener is not None:
            self.listener(lost=True)

    def is_connected(self) -> bool:
        """Return whether another request may use the connection."""
        return super().is_connected() and not self.should_close


class Connector(aiohttp.TCPConnector):
    """Opens as many connections as requests need; create it inside the event loop."""

    def __init__(self) -> None:
        super().__init__(limit=0)
        self._factory = partial(_connection, self._loop)


def _connection(loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    return Connection(loop)
