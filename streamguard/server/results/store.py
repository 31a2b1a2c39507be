"""Results for the side channel: bounded in number and in time, without text unless asked for."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.server.results.feed import Feed

MAX_RESULTS = 10_000  # SPEC 10
TTL_S = 900.0  # SPEC 10
MAX_SENTENCE_CHARS = 67_108_864  # of all stored sentences as JSON; guess, as for contexts


@dataclass(frozen=True, slots=True)
class _Kept:
    expires: float
    annotation: Annotation
    feed: Feed


class ResultStore:
    """Annotations by id: pending while their stream runs, then kept for `ttl_s` seconds.

    Over `max_results` the oldest result goes first, and of the sentences over
    `max_sentence_chars` those of the oldest. Copies hold no text of answers or passages unless
    `store_text`. `clock` gives seconds and never runs backwards.
    """

    def __init__(
        self,
        max_results: int = MAX_RESULTS,
        ttl_s: float = TTL_S,
        *,
        store_text: bool = False,
        max_sentence_chars: int = MAX_SENTENCE_CHARS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_results = max_results
        self._ttl_s = ttl_s
        self._store_text = store_text
        self._max_sentence_chars = max_sentence_chars
        self._clock = clock
        self._pending: dict[str, Feed] = {}
        self._results: OrderedDict[str, _Kept] = OrderedDict()
        self._talkative: OrderedDict[str, Feed] = OrderedDict()  # results with sentences
        self._sentence_chars = 0

    def open(self, id: str) -> None:
        """Say that the stream `id` runs, so that asking for it is answered with pending."""
        self._pending[id] = Feed()

    def say(self, sentence: SentenceAnnotation) -> None:
        """Tell a settled sentence to whoever listens, and keep it beside the result."""
        feed = self._pending.get(sentence.id)
        if feed is not None:
            kept = sentence if self._store_text else sentence.without_text()
            feed.say(kept.to_json())

    def put(self, annotation: Annotation) -> None:
        """Keep the annotation of a stream that is over; the first one of an id counts."""
        feed = self._pending.pop(annotation.id, None) or Feed()
        self._forget_expired()
        if annotation.id not in self._results and self._max_results > 0:
            kept = annotation if self._store_text else annotation.without_text()
            self._results[annotation.id] = _Kept(self._clock() + self._ttl_s, kept, feed)
            self._keep_sentences(annotation.id, feed)
            if len(self._results) > self._max_results:
                self._forget_oldest()
        feed.end()

    def get(self, id: str) -> Annotation | None:
        """Return the annotation of `id`, one with state pending while it runs, or None."""
        self._forget_expired()
        if id in self._pending:
            return Annotation(id=id, state="pending")
        found = self._results.get(id)
        return found.annotation if found else None

    def feed(self, id: str) -> Feed | None:
        """Return the sentences of `id` as they settle or settled, None for an unknown id."""
        self._forget_expired()
        found = self._results.get(id)
        return found.feed if found is not None else self._pending.get(id)

    def __len__(self) -> int:
        return len(self._results)

    def _keep_sentences(self, id: str, feed: Feed) -> None:
        if not feed.chars:
            return
        self._talkative[id] = feed
        self._sentence_chars += feed.chars
        while self._sentence_chars > self._max_sentence_chars:
            self._forget_sentences(next(iter(self._talkative)))

    def _forget_sentences(self, id: str) -> None:
        feed = self._talkative.pop(id, None)
        if feed is not None:
            self._sentence_chars -= feed.chars
            feed.forget()

    def _forget_oldest(self) -> None:
        id, _ = self._results.popitem(last=False)  # noqa: A001  (as everywhere here)
        self._forget_sentences(id)

    def _forget_expired(self) -> None:
        now = self._clock()
        while self._results and next(iter(self._results.values())).expires <= now:
            self._forget_oldest()
