"""The interface of every store, and search over several collections at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from streamguard.core.model.policy import Levels, Metric
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.rag.embeddings import Embedding

# What the usual loaders call it; the first that is there counts.
_SOURCE_KEYS = ("source", "file_name", "file_path", "path", "url", "title")

Question = str | Sequence[float]


class Store(Protocol):
    """A document store to retrieve from; it only reads, and is thread-safe.

    Every method raises `ConfigError` for a collection that is missing, has an unknown metric, or
    cannot be read, and `UpstreamError` for a server that does not answer.
    """

    def collections(self) -> list[str]:
        """Return the names of the collections, sorted."""

    def sources(self, collection: str) -> dict[str, int]:
        """Return the sources of a collection, sorted, with the number of their chunks."""

    def metric(self, collections: Sequence[str]) -> Metric:
        """Return the metric of these collections; it must be one for all."""

    def levels(self, collections: Sequence[str]) -> Levels | None:
        """Return their embedding's measured confidence levels in that metric, None if unknown."""

    def gates(self, collections: Sequence[str]) -> Levels | None:
        """Return the thresholds of the strict, moderate and lenient gate, None for the levels."""

    def query(self, collections: Sequence[str], question: Question, n: int) -> list[RetrievedChunk]:
        """Return the `n` nearest chunks over all these collections, nearest first.

        A chunk's metadata name its `collection`; with several, its id begins with the collection.
        `question` may be a vector if the store holds vectors.
        """

    def close(self) -> None:
        """Release files and connections; idempotent."""


def nearest_of(
    collections: Sequence[str], n: int, ask: Callable[[str], Iterable[RetrievedChunk]]
) -> list[RetrievedChunk]:
    """Return the `n` nearest chunks among those that `ask` returns for each collection."""
    _check_names(collections)
    if n < 1:
        raise ConfigError(f"n is {n}, expected at least 1")
    found = [
        _placed(chunk, name, several=len(collections) > 1)
        for name in dict.fromkeys(collections)
        for chunk in ask(name)
    ]
    return sorted(found, key=_farness)[:n]


def one_metric(collections: Sequence[str], metric_of: Callable[[str], Metric]) -> Metric:
    """Return the common metric of these collections; raises `ConfigError` without one."""
    _check_names(collections)
    metrics = {name: metric_of(name) for name in collections}
    if len(set(metrics.values())) > 1:
        seen = ", ".join(f"{name}: {metric}" for name, metric in metrics.items())
        raise ConfigError(f"collections measure differently ({seen}), ask them one by one")
    return next(iter(metrics.values()))


def missing(collection: str, known: Iterable[str]) -> ConfigError:
    """Return the error for an unknown collection, which names the known ones."""
    names = ", ".join(sorted(known)) or "none"
    return ConfigError(f"collection is {collection!r}, the store has {names}")


def _check_names(collections: Sequence[str]) -> None:
    if isinstance(collections, str) or not collections:
        raise ConfigError(f"collections is {collections!r}, expected a list of at least one name")


def _placed(chunk: RetrievedChunk, collection: str, *, several: bool) -> RetrievedChunk:
    return replace(
        chunk,
        id=f"{collection}/{chunk.id}" if several else chunk.id,
        metadata={**chunk.metadata, "collection": collection},
    )


def _farness(chunk: RetrievedChunk) -> float:
    if chunk.similarity is not None:
        return -chunk.similarity
    return chunk.distance if chunk.distance is not None else float("inf")


def source_in(metadata: Mapping[str, Any]) -> str | None:
    """Return the source in a record's metadata, under one of the usual keys."""
    for key in _SOURCE_KEYS:
        if isinstance(metadata.get(key), str) and metadata[key].strip():
            return str(metadata[key])
    return None


def built_with(collection: str, name: object, embedding: Embedding | None) -> None:
    """Raise `ConfigError` if a collection was built with another embedding."""
    asked = "the store's own" if embedding is None else embedding.name
    if name is not None and name != asked:
        raise ConfigError(f"collection {collection} was built with {name}, not with {asked}")


def whole_sources(records: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the content hash of every complete source: all its chunks, and no others, exist.

    Each record names its `source`, its content's `hash` and its `count` of chunks.
    """
    seen: dict[str, list[tuple[str, int]]] = {}
    for record in records:
        seen.setdefault(str(record["source"]), []).append((str(record["hash"]), record["count"]))
    return {
        source: marks[0][0]
        for source, marks in seen.items()
        if len(set(marks)) == 1 and len(marks) == marks[0][1]
    }


def check_own(collection: str, name: object, embedding: Embedding) -> None:
    """Raise `ConfigError` for a collection without an index, or with another embedding's."""
    if name is None:
        raise ConfigError(
            f"collection {collection} was not made by streamguard index, choose another name"
        )
    built_with(collection, name, embedding)
