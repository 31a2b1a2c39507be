"""Connections to the upstream: kept open between requests, and never with bytes left over."""

from __future__ import annotations

import asyncio
from functools import partial

import aiohttp
from aiohttp.client_proto import ResponseHandler


class _Connection(ResponseHandler):
    """A connection that is not used again once it has said more than it was asked.

    aiohttp (3.14) keeps what comes behind a response for the next request: one answer too many,
    and from then on every client would read the answer of the one before.
    """

    def is_connected(self) -> bool:
        """Say whether a next request may go over it."""
        return super().is_connected() and not self.should_close


class Connector(aiohttp.TCPConnector):
    """Opens as many connections as requests need; to be made inside the event loop."""

    def __init__(self) -> None:
        super().__init__(limit=0)
        self._factory = partial(_connection, self._loop)


def _connection(loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    return _Connection(loop)
