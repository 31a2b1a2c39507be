"""Contexts posted ahead of their answers, for clients that cannot change a request body."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from streamguard.server.request_context import (
    Policies,
    ProvidedContext,
    parse_context,
    parse_context_in_turns,
)

MAX_CONTEXTS = 1_000  # guess: as many questions as are open at once, and then some
MAX_CONTEXT_BYTES = 67_108_864  # of all together, as posted and kept; guess
KEPT_BYTES = 512  # of one context's objects other than its JSON; measured with tracemalloc
TTL_S = 900.0  # as long as results are kept


class ContextStore:
    """Contexts by id, each kept for `ttl_s` seconds; beyond the limits the oldest goes first.

    They are kept as posted and parsed again for every answer, as one may serve many. `clock`
    returns monotonic seconds, `new_id` unguessable ids.
    """

    def __init__(
        self,
        max_contexts: int = MAX_CONTEXTS,
        max_bytes: int = MAX_CONTEXT_BYTES,
        ttl_s: float = TTL_S,
        *,
        clock: Callable[[], float] = time.monotonic,
        new_id: Callable[[], str] = lambda: secrets.token_hex(16),
    ) -> None:
        self._max_contexts = max_contexts
        self._max_bytes = max_bytes
        self._ttl_s = ttl_s
        self._clock = clock
        self._new_id = new_id
        self._bytes = 0
        self._kept: OrderedDict[str, tuple[float, bytes]] = OrderedDict()

    @property
    def max_bytes(self) -> int:
        """The largest context accepted."""
        return max(0, self._max_bytes - KEPT_BYTES)

    @property
    def ttl_s(self) -> float:
        """How long a context is kept."""
        return self._ttl_s

    def put(self, body: bytes, policies: Policies) -> str:
        """Store the context in `body`, JSON; return its id.

        Raises `ConfigError` for unknown fields, a policy that is not allowed, or a size limit
        exceeded.
        """
        return self.keep(body, parse_context(body), policies)

    async def put_in_turns(
        self, body: bytes, policies: Policies, pause: Callable[[], Awaitable[None]]
    ) -> str:
        """Like `put`, in short turns with `pause` awaited between them."""
        return self.keep(body, await parse_context_in_turns(body, pause), policies)

    def keep(self, body: bytes, context: ProvidedContext, policies: Policies) -> str:
        """Store `body`, already validated as `context`; return its id."""
        policies.named(context.policy)
        name = self._new_id()
        self._kept[name] = (self._clock() + self._ttl_s, body)
        self._bytes += len(body) + KEPT_BYTES
        self._forget()
        return name

    def get(self, id: str) -> bytes | None:
        """Return the context of `id` as posted, None if unknown or expired."""
        self._forget()
        found = self._kept.get(id)
        return found[1] if found is not None else None

    def __len__(self) -> int:
        return len(self._kept)

    def _forget(self) -> None:
        now = self._clock()
        while self._kept:
            expires, body = next(iter(self._kept.values()))
            over = len(self._kept) > self._max_contexts or self._bytes > self._max_bytes
            if expires > now and not over:
                return
            self._bytes -= len(body) + KEPT_BYTES
            self._kept.popitem(last=False)
