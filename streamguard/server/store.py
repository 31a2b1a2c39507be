"""Results for the side channel: bounded in number and in time, without text unless asked for."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from streamguard.core.result import Annotation

MAX_RESULTS = 10_000  # SPEC 10
TTL_S = 900.0  # SPEC 10


class ResultStore:
    """Annotations by id: pending while their stream runs, then kept for `ttl_s` seconds.

    Over `max_results` the oldest result goes first. Copies hold no text of answers or passages
    unless `store_text`. `clock` gives seconds and never runs backwards.
    """

    def __init__(
        self,
        max_results: int = MAX_RESULTS,
        ttl_s: float = TTL_S,
        *,
        store_text: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_results = max_results
        self._ttl_s = ttl_s
        self._store_text = store_text
        self._clock = clock
        self._pending: set[str] = set()
        self._results: OrderedDict[str, tuple[float, Annotation]] = OrderedDict()

    def open(self, id: str) -> None:
        """Say that the stream `id` runs, so that asking for it is answered with pending."""
        self._pending.add(id)

    def put(self, annotation: Annotation) -> None:
        """Keep the annotation of a stream that is over; the first one of an id counts."""
        self._pending.discard(annotation.id)
        self._forget_expired()
        if annotation.id in self._results or self._max_results < 1:
            return
        kept = annotation if self._store_text else annotation.without_text()
        self._results[annotation.id] = (self._clock() + self._ttl_s, kept)
        if len(self._results) > self._max_results:
            self._results.popitem(last=False)

    def get(self, id: str) -> Annotation | None:
        """Return the annotation of `id`, one with state pending while it runs, or None."""
        self._forget_expired()
        if id in self._pending:
            return Annotation(id=id, state="pending")
        found = self._results.get(id)
        return found[1] if found else None

    def __len__(self) -> int:
        return len(self._results)

    def _forget_expired(self) -> None:
        now = self._clock()
        while self._results:
            expires, _ = next(iter(self._results.values()))
            if expires > now:
                return
            self._results.popitem(last=False)
