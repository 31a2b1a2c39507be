"""Running answers of one instance, for clients of another, over Redis or Valkey.

Each answer has a key (empty while it runs, then its result), a list of its sentences, and a channel
of changes; all expire some time after the last change. Contexts posted ahead are stored too. If
Redis does not accept a change, only listeners at other instances miss it: the result is kept
elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import AsyncGenerator
from time import monotonic
from typing import Any

from streamguard.errors import ConfigError
from streamguard.rag.extras import library

MAX_QUEUED_BYTES = 16_777_216  # of queued changes; guess: seconds without Redis
MAX_AT_ONCE = 256  # changes of one round trip: a turn of a few milliseconds
TIMEOUT_S = 2.0  # of Redis: as long as for a worker of this machine; guess
RETRY_S = 0.5
_QUIET_S = 10.0  # between two log lines
_CHANGE_BYTES = 256  # of a change other than its content; guess
_REMOVED = -1  # in place of a sentence's number: delete the key, so that others look elsewhere
_SCHEMES = {"redis": "redis", "rediss": "rediss", "unix": "unix", "valkey": "redis"}

log = logging.getLogger("streamguard.results")

# The stream's id; a sentence's number, 0 for the result or `_REMOVED`; the content.
Change = tuple[str, int, bytes]


class Live:
    """Publishes changes to the Redis at `url`, and follows those of other instances.

    Runs on asyncio. Each change lives for `ttl_s` seconds. Raises `ConfigError` for an unsupported
    address or a missing package; no message holds the password.
    """

    def __init__(self, url: str, ttl_s: float) -> None:
        scheme, _, rest = url.partition("://")
        place = rest.rpartition("@")[2].partition("?")[0]  # a query may hold a password too
        shown = repr(f"{scheme}://{place}") if rest else "an address without ://"
        wrong = ConfigError(f"live is {shown}, expected redis://HOST:PORT or valkey://HOST:PORT")
        if scheme not in _SCHEMES or not rest:
            raise wrong
        redis = library("redis.asyncio", "redis")
        try:
            self._redis: Any = redis.from_url(
                f"{_SCHEMES[scheme]}://{rest}",
                socket_connect_timeout=TIMEOUT_S,
                socket_timeout=TIMEOUT_S,
            )
        except ValueError:
            raise wrong from None  # its words may quote a password
        self._ttl_s = max(1, int(ttl_s))
        self._queue: list[Change] = []
        self._queued_bytes = 0
        self._running: set[str] = set()  # ids that were published as running
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._logged_at = -_QUIET_S

    def open(self, id: str) -> None:
        """Publish that stream `id` runs."""
        if self._send_soon((id, 0, b"")):
            self._running.add(id)

    def publish(self, id: str, number: int, sentence_json: str) -> None:
        """Publish a sentence under its number, counted from 1."""
        self._send_soon((id, number, sentence_json.encode("ascii")))

    def put(self, id: str, body: bytes) -> None:
        """Publish the result, JSON compressed by zlib; nothing follows it."""
        is_sent = self._send_soon((id, 0, body))
        if not is_sent and id in self._running:
            self._add((id, _REMOVED, b""))  # otherwise others would see it as running
        self._running.discard(id)

    async def get(self, id: str) -> bytes | None:
        """Return the result's JSON, b"" while its stream runs, None for an unknown id.

        Raises `redis.RedisError` and `OSError` if Redis does not answer.
        """
        body = await self._redis.get(_key(id))
        return zlib.decompress(body) if body else body

    async def sentences_of(self, id: str, first: int = 0) -> list[tuple[int, str]]:
        """Return number and JSON of the published sentences, after the `first` ones.

        They are in order of publication: a number occurs twice if its sentence was sent again
        because Redis replied late, and is missing if it was not published. Raises as `get` does.
        """
        entries = await self._redis.lrange(f"{_key(id)}:said", first, -1)
        pairs = (entry.decode("ascii").split(" ", 1) for entry in entries)
        return [(int(number), body) for number, body in pairs]

    async def keep_context(self, id: str, body: bytes) -> None:
        """Store a posted context for other instances; raises as `get` does."""
        await self._redis.set(f"{_key(id)}:context", zlib.compress(body, 1), ex=self._ttl_s)

    async def context(self, id: str) -> bytes | None:
        """Return a context posted to any instance, None if unknown; raises as `get` does."""
        body = await self._redis.get(f"{_key(id)}:context")
        return zlib.decompress(body) if body else None

    async def changes(self, id: str, silence_s: float) -> AsyncGenerator[bool, None]:
        """Yield True at first and after a change, False after each silence; close it after use."""
        async with self._redis.pubsub() as channel:
            await channel.subscribe(_key(id))
            yield True  # sentences published before the subscription must be read now
            while True:
                message = await channel.get_message(
                    ignore_subscribe_messages=True, timeout=silence_s
                )
                yield message is not None

    async def aclose(self) -> None:
        """Send the queue if Redis accepts it at once, and close the connections."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            await self._send()
        await self._redis.aclose()

    def _send_soon(self, change: Change) -> bool:
        """Queue a change; return whether the queue had room."""
        if self._queued_bytes + _size(change) > MAX_QUEUED_BYTES:
            self._warn("full")
            return False
        self._add(change)
        return True

    def _add(self, change: Change) -> None:
        self._queue.append(change)
        self._queued_bytes += _size(change)
        self._changed.set()
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            while self._queue:
                if not await self._send():
                    await asyncio.sleep(RETRY_S)

    async def _send(self) -> bool:
        """Send the first changes; they stay queued if Redis does not accept them."""
        sent = self._queue[:MAX_AT_ONCE]
        pipe = self._redis.pipeline(transaction=False)
        for id, number, body in sent:  # noqa: A001 -- the name of what it holds
            key = _key(id)
            if number == _REMOVED:
                pipe.delete(key)
            elif number:
                pipe.rpush(f"{key}:said", b"%d %s" % (number, body))
                pipe.expire(f"{key}:said", self._ttl_s)
            else:
                pipe.set(key, body, ex=self._ttl_s)
            pipe.publish(key, b"")
        try:
            await pipe.execute()
        except Exception as exc:  # of the package's own tree, and the system's
            self._warn(type(exc).__name__)
            return False
        del self._queue[: len(sent)]
        self._queued_bytes -= sum(map(_size, sent))
        return True

    def _warn(self, error: str) -> None:
        if monotonic() - self._logged_at >= _QUIET_S:
            self._logged_at = monotonic()
            log.warning("live_untold", extra={"fields": {"error": error}})


def _size(change: Change) -> int:
    return _CHANGE_BYTES + len(change[2])


def _key(id: str) -> str:
    return f"streamguard:{id}"
