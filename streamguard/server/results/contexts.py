"""Contexts that were given ahead of their answers, for clients that cannot touch a body."""

from __future__ import annotations

import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable

from streamguard.errors import ConfigError
from streamguard.server.asked import Given, Policies, given_in

MAX_CONTEXTS = 1_000  # guess: as many questions as are open at once, and then some
MAX_CONTEXT_BYTES = 67_108_864  # of all together, as they were written; guess
TTL_S = 900.0  # as long as results are kept


class ContextStore:
    """Contexts by id, each kept for `ttl_s` seconds; beyond the caps the oldest goes first.

    One context may serve many answers. `clock` gives seconds and never runs backwards, `new_id` ids
    that nobody can guess.
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
        self._kept: OrderedDict[str, tuple[float, int, Given]] = OrderedDict()

    @property
    def max_bytes(self) -> int:
        """The largest context that is kept."""
        return self._max_bytes

    @property
    def ttl_s(self) -> float:
        """How long a context is kept."""
        return self._ttl_s

    def put(self, body: bytes, policies: Policies) -> str:
        """Keep what `body` says in JSON; return its id.

        Raises `ConfigError` for anything but query, chunks and an allowed policy.
        """
        try:
            value = json.loads(body.decode())
        except (ValueError, RecursionError) as exc:
            raise ConfigError("the body is no JSON; expected an object with query, chunks") from exc
        given = given_in(value)
        policies.named(given.policy)
        name = self._new_id()
        self._kept[name] = (self._clock() + self._ttl_s, len(body), given)
        self._bytes += len(body)
        self._forget()
        return name

    def get(self, id: str) -> Given | None:
        """Return the context of `id`, None for none or no longer."""
        self._forget()
        found = self._kept.get(id)
        return found[2] if found is not None else None

    def __len__(self) -> int:
        return len(self._kept)

    def _forget(self) -> None:
        now = self._clock()
        while self._kept:
            expires, size, _ = next(iter(self._kept.values()))
            over = len(self._kept) > self._max_contexts or self._bytes > self._max_bytes
            if expires > now and not over:
                return
            self._bytes -= size
            self._kept.popitem(last=False)
