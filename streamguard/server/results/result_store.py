"""Results for the side channel: bounded in number, bytes and time, by default without text."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import RLock

from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.server.results.feed import Feed
from streamguard.server.results.packing import Packed
from streamguard.server.results.shared import SharedResults
from streamguard.sinks.sql.records import About

MAX_RESULTS = 10_000  # SPEC 10
MAX_RESULTS_BYTES = 268_435_456
TTL_S = 900.0  # SPEC 10
KEPT_BYTES = 1_024  # of one result's objects other than its JSON; measured with tracemalloc


@dataclass(slots=True)
class _Kept:
    expires: float
    packed: Packed
    feed: Feed
    about: About
    id: str
    counted: int = 0  # its counted bytes


class ResultStore:
    """Annotations by id: pending while their stream runs, then kept for `ttl_s` seconds.

    Results are kept as served, compressed, with their live sentences. Beyond `max_results`, or
    `max_bytes` in total, the oldest result goes first. Copies hold no text of answers or passages
    unless `store_text`. Each result also goes to `shared`, the store of all instances. `clock`
    returns monotonic seconds. Threads may share a store.
    """

    def __init__(
        self,
        max_results: int = MAX_RESULTS,
        ttl_s: float = TTL_S,
        *,
        store_text: bool = False,
        max_bytes: int = MAX_RESULTS_BYTES,
        shared: SharedResults | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_results = max_results
        self._max_bytes = max_bytes
        self._ttl_s = ttl_s
        self._store_text = store_text
        self.shared = shared
        self._clock = clock
        self._pending: dict[str, Feed] = {}
        self._results: OrderedDict[str, _Kept] = OrderedDict()
        self._packing: _Kept | None = None  # the one that is compressed turn by turn
        self._bytes = 0
        self._lock = RLock()  # on trio, a verifier's late score comes from its own thread

    @property
    def shares_text(self) -> bool:
        """Whether texts of answers go to the shared store."""
        return self._store_text and self.shared is not None

    @property
    def held_bytes(self) -> int:
        """The bytes held, sentences of running streams included."""
        return self._bytes

    def open(self, id: str) -> None:
        """Mark stream `id` as running, so that requests for it get a pending annotation."""
        with self._lock:
            self._pending[id] = Feed()
        if self.shared is not None:
            self.shared.open(id)

    def publish(self, sentence: SentenceAnnotation) -> None:
        """Publish a settled sentence to listeners, and keep it with the result.

        If running streams alone fill the store, it is published but not kept.
        """
        with self._lock:
            feed = self._pending.get(sentence.id)
            if feed is None:
                return
            sentence_json = (sentence if self._store_text else sentence.without_text()).to_json()
            before = feed.held_bytes
            feed.add(sentence_json, keep=self._has_room(len(sentence_json)))
            self._bytes += feed.held_bytes - before
        if self.shared is not None:
            self.shared.publish(sentence.id, feed.count, sentence_json)

    def put(self, annotation: Annotation, about: About | None = None) -> None:
        """Keep the annotation of a finished stream; for each id the first one, until `amend`.

        `about` has further facts for the shared store. A long annotation is compressed by
        `pack_turn`, or here with the next one.
        """
        with self._lock:
            feed = self._pending.pop(annotation.id, None) or Feed()
            self._bytes -= feed.held_bytes
            self._forget_expired()
            keeps = self._max_results > 0 or self.shared is not None
            if annotation.id not in self._results and keeps:
                while self.pack_turn():
                    pass
                feed.pack()
                packed = Packed(annotation, text=self._store_text)
                about = about or About()
                about = about if self._store_text else about.without_text()
                kept = _Kept(self._clock() + self._ttl_s, packed, feed, about, annotation.id)
                self._results[annotation.id] = kept
                self._packing = kept
                self._count(kept)
                if len(self._results) > self._max_results:
                    self._forget_oldest()
                if packed.body is not None:
                    self._packed(kept)
            feed.end()

    def amend(self, annotation: Annotation) -> None:
        """Replace the annotation of its id, if that is still kept."""
        with self._lock:
            while self.pack_turn():
                pass
            kept = self._results.get(annotation.id)
            if kept is None:
                return
            kept.packed = Packed(annotation, text=self._store_text)
            kept.feed.results += 1
            self._packing = kept
            self._count(kept)
            if kept.packed.body is not None:
                self._packed(kept)

    def pack_turn(self) -> bool:
        """Compress the latest annotation for one turn; return whether more remains."""
        with self._lock:
            kept = self._packing
            if kept is None or kept.packed.turn():
                return kept is not None
            self._packed(kept)
            return False

    def get(self, id: str) -> Annotation | None:
        """Return the annotation of `id`, a pending one while it runs, else None."""
        found = self.get_json(id)
        return None if found is None else Annotation.model_validate_json(found)

    def get_json(self, id: str) -> bytes | None:
        """Return the annotation of `get` as served JSON."""
        with self._lock:
            self._forget_expired()
            if self.pending(id):
                return Annotation(id=id, state="pending").to_json().encode()
            found = self._results.get(id)
            if found is not None:
                found.packed.finish()  # another thread may be compressing it
        return None if found is None else found.packed.json()

    def pending(self, id: str) -> bool:
        """Return whether the stream `id` runs."""
        return id in self._pending

    def feed(self, id: str) -> Feed | None:
        """Return the sentences of `id` as they settle, None for an unknown id."""
        with self._lock:
            self._forget_expired()
            found = self._results.get(id)
        return found.feed if found is not None else self._pending.get(id)

    def __len__(self) -> int:
        return len(self._results)

    async def aclose(self) -> None:
        """Write all results to the shared store, and close it."""
        while self.pack_turn():
            pass
        if self.shared is not None:
            await self.shared.aclose()

    def _packed(self, kept: _Kept) -> None:
        """Pass a compressed result to the shared store and count its bytes."""
        self._packing = None
        if kept.counted:  # otherwise it was removed meanwhile
            self._count(kept)
        if self.shared is not None and kept.packed.body is not None:
            self.shared.keep(kept.id, kept.about, kept.packed.body)

    def _count(self, kept: _Kept) -> None:
        """Count the bytes of `kept`, and remove old results beyond the limits."""
        held = KEPT_BYTES + kept.packed.held_bytes + kept.feed.held_bytes
        self._bytes += held - kept.counted
        kept.counted = held
        self._has_room(0)

    def _has_room(self, more: int) -> bool:
        """Remove old results for further bytes; return whether there is room."""
        while self._results and self._bytes + more > self._max_bytes:
            self._forget_oldest()
        return self._bytes + more <= self._max_bytes

    def _forget_oldest(self) -> None:
        _, kept = self._results.popitem(last=False)
        self._bytes -= kept.counted
        kept.counted = 0
        kept.feed.forget()

    def _forget_expired(self) -> None:
        now = self._clock()
        while self._results and next(iter(self._results.values())).expires <= now:
            self._forget_oldest()
