"""Qdrant, embedded or as a server: the only file that uses its client."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from streamguard.core.model.policy import Levels, Metric
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError, StreamguardError, UpstreamError
from streamguard.rag.embeddings import Embedding, levels_in
from streamguard.rag.extras import library
from streamguard.rag.stores import (
    Question,
    built_with,
    check_own,
    missing,
    nearest_of,
    one_metric,
    source_in,
    whole_sources,
)
from streamguard.text.masking import masked

# Qdrant scores cosine and dot product as similarities, Euclid as the distance itself, not squared.
_METRICS: dict[str, Metric] = {
    "Cosine": "similarity",
    "Dot": "inner_product",
    "Euclid": "squared_l2",
}
_FILE = "meta.json"
_PAGE = 256  # records read or written at once; guess
_BUILT_WITH = "streamguard_embedding"  # key of a collection's metadata
_TEXT_KEYS = ("text", "page_content", "document", "content")  # what the usual loaders call it


class QdrantStore:
    """Collections of a local Qdrant folder or a server.

    `place`: a folder that the client's local mode wrote, or the address of a server. Chunks have a
    similarity if the collection's metric is cosine, else a distance. Without an `embedding`
    questions must be vectors: Qdrant itself makes none.
    """

    def __init__(
        self, place: str | Path, embedding: Embedding | None = None, *, key: str | None = None
    ) -> None:
        self.place = str(place)
        self._embedding = embedding
        self._client = _client(self.place, key, create=False)

    def collections(self) -> list[str]:
        """Return the names of the collections, sorted."""
        return _names(self._client, self.place)

    def sources(self, collection: str) -> dict[str, int]:
        """Return the sources of a collection, sorted, with the number of their chunks."""
        self._described(collection)
        counts: dict[str, int] = {}
        for payload in _payloads(self._client, collection, self.place):
            source = _source(payload) or "unknown"
            counts[source] = counts.get(source, 0) + 1
        return dict(sorted(counts.items()))

    def metric(self, collections: Sequence[str]) -> Metric:
        """Return the metric of the collections' scores."""
        return one_metric(collections, lambda name: _metric(name, self._described(name)))

    def levels(self, collections: Sequence[str]) -> Levels | None:
        """Return the measured levels of the embedding in the collections' metric."""
        metric = self.metric(collections)
        return None if self._embedding is None else levels_in(self._embedding.levels, metric)

    def gates(self, collections: Sequence[str]) -> Levels | None:
        """Return None: the gates' thresholds are the levels."""
        self.metric(collections)
        return None

    def query(self, collections: Sequence[str], question: Question, n: int) -> list[RetrievedChunk]:
        """Return the `n` nearest chunks over all these collections, nearest first."""
        self.metric(collections)
        vector = self._vector(question)
        return nearest_of(collections, n, lambda name: self._nearest(name, vector, n))

    def close(self) -> None:
        """Release the folder; idempotent."""
        self._client.close()

    def _vector(self, question: Question) -> list[float]:
        if not isinstance(question, str):
            return list(question)
        if self._embedding is None:
            raise ConfigError("the question is a text, and no embedding was chosen to ask with")
        return self._embedding.embed([question])[0]

    def _nearest(self, collection: str, vector: list[float], n: int) -> Iterator[RetrievedChunk]:
        described = self._described(collection)
        name, params = _vectors(collection, described)
        if len(vector) != params.size:
            seen = f"the question has {len(vector)} dimensions"
            raise ConfigError(f"collection {collection}: {seen}, expected {params.size}")
        metric = _metric(collection, described)
        with _errors(f"collection {collection}", self.place):
            found = self._client.query_points(
                collection, query=vector, using=name, limit=n, with_payload=True
            )
        for point in found.points:
            yield _chunk(point, metric, collection)

    def _described(self, collection: str) -> Any:
        described = _described(self._client, collection, self.place)
        name = (described.config.metadata or {}).get(_BUILT_WITH)
        if self._embedding is not None:
            built_with(collection, name, self._embedding)
        return described


class QdrantTarget:
    """An index's own collection, created if missing.

    A source's new chunks are added before its old ones are deleted, so an interruption loses
    nothing; leftovers are deleted with the source's next update.
    """

    def __init__(
        self, place: str | Path, collection: str, embedding: Embedding, *, key: str | None = None
    ) -> None:
        self.place = str(place)
        self._embedding = embedding
        self._collection = collection
        self._client = _client(self.place, key, create=True)
        self._models = library("qdrant_client.models", "qdrant")
        try:
            if collection not in _names(self._client, self.place):
                self._create()
            metadata = _described(self._client, collection, self.place).config.metadata
            check_own(collection, (metadata or {}).get(_BUILT_WITH), embedding)
        except BaseException:
            self.close()  # the folder is locked as long as the client lives
            raise

    def hashes(self) -> dict[str, str]:
        """Return the content hash of every complete source."""
        return whole_sources(_payloads(self._client, self._collection, self.place))

    def replace(self, source: str, digest: str, texts: Sequence[str]) -> None:
        """Replace a source's chunks."""
        marks = {"source": source, "hash": digest, "count": len(texts)}
        for start in range(0, len(texts), _PAGE):
            page = list(texts[start : start + _PAGE])
            vectors = self._embedding.embed(page)
            points = [
                self._models.PointStruct(
                    id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{source}\n{digest}\n{position}")),
                    vector=vector,
                    payload={**marks, "position": position, "text": text},
                )
                for position, (text, vector) in enumerate(zip(page, vectors, strict=True), start)
            ]
            with _errors(f"collection {self._collection}", self.place):
                self._client.upsert(self._collection, points)
        self._delete(must=[self._is("source", source)], must_not=[self._is("hash", digest)])

    def remove(self, source: str) -> None:
        """Delete a source and its chunks."""
        self._delete(must=[self._is("source", source)])

    def close(self) -> None:
        """Release the folder; idempotent."""
        self._client.close()

    def _create(self) -> None:
        size = len(self._embedding.embed(["size"])[0])
        with _errors(f"collection {self._collection}", self.place):
            self._client.create_collection(
                self._collection,
                vectors_config=self._models.VectorParams(
                    size=size, distance=self._models.Distance.COSINE
                ),
                metadata={_BUILT_WITH: self._embedding.name},
            )

    def _is(self, key: str, value: str) -> Any:
        return self._models.FieldCondition(key=key, match=self._models.MatchValue(value=value))

    def _delete(self, **conditions: Any) -> None:
        chosen = self._models.FilterSelector(filter=self._models.Filter(**conditions))
        with _errors(f"collection {self._collection}", self.place):
            self._client.delete(self._collection, chosen)


def _client(place: str, key: str | None, *, create: bool) -> Any:
    qdrant = library("qdrant_client", "qdrant").QdrantClient
    with _errors("the store", place):
        if urlsplit(place).scheme in ("http", "https"):
            return qdrant(url=place, api_key=key, check_compatibility=False)
        # The client would make a new store of any path, also of a mistyped one.
        if not create and not (Path(place) / _FILE).is_file():
            raise ConfigError(f"store {place} is not a local Qdrant folder: it has no {_FILE}")
        with suppress(OSError):  # which the client says better
            Path(place).mkdir(mode=0o700, parents=True, exist_ok=True)  # its files are anybody's
        return qdrant(path=place)


def _names(client: Any, place: str) -> list[str]:
    with _errors("the store", place):
        return sorted(collection.name for collection in client.get_collections().collections)


def _described(client: Any, collection: str, place: str) -> Any:
    known = _names(client, place)
    if collection not in known:
        raise missing(collection, known)
    with _errors(f"collection {collection}", place):
        return client.get_collection(collection)


def _vectors(collection: str, described: Any) -> tuple[str | None, Any]:
    """Return name and parameters of a collection's only kind of vectors."""
    params = described.config.params.vectors
    if not isinstance(params, dict):
        return None, params
    if len(params) != 1:
        seen = ", ".join(sorted(params)) or "none"
        raise ConfigError(f"collection {collection} has the vectors {seen}, expected one kind")
    return next(iter(params.items()))


def _metric(collection: str, described: Any) -> Metric:
    distance = str(getattr(_vectors(collection, described)[1].distance, "value", None))
    if distance not in _METRICS:
        allowed = ", ".join(_METRICS)
        raise ConfigError(f"collection {collection} measures {distance}, expected one of {allowed}")
    return _METRICS[distance]


def _chunk(point: Any, metric: Metric, collection: str) -> RetrievedChunk:
    payload = dict(point.payload or {})
    text = next((payload[key] for key in _TEXT_KEYS if isinstance(payload.get(key), str)), None)
    if text is None:
        raise ConfigError(f"collection {collection}: chunk {str(point.id)!r} holds no text")
    score = float(point.score)
    return RetrievedChunk(
        text,
        id=str(point.id),
        source=_source(payload),
        similarity=score if metric == "similarity" else None,
        distance=_distance(score, metric),
        metadata=payload,
    )


def _distance(score: float, metric: Metric) -> float | None:
    if metric == "similarity":
        return None
    return score * score if metric == "squared_l2" else 1.0 - score


def _source(payload: dict[str, Any]) -> str | None:
    """Return the source in a payload: at its top level or, as some loaders write it, one below."""
    inner = payload.get("metadata")
    return source_in(payload) or (source_in(inner) if isinstance(inner, dict) else None)


def _payloads(client: Any, collection: str, place: str) -> Iterator[dict[str, Any]]:
    offset = None
    while True:
        with _errors(f"collection {collection}", place):
            points, offset = client.scroll(
                collection, limit=_PAGE, offset=offset, with_payload=True, with_vectors=False
            )
        yield from (dict(point.payload or {}) for point in points)
        if offset is None:
            return


@contextmanager
def _errors(what: str, place: str) -> Iterator[None]:
    """Convert errors of the client to ours; its local mode has no error type of its own."""
    exceptions = library("qdrant_client.http.exceptions", "qdrant")
    try:
        yield
    except StreamguardError:
        raise
    except exceptions.ResponseHandlingException as exc:
        raise UpstreamError(f"{place} does not answer: {masked(str(exc))}") from exc
    except exceptions.ApiException as exc:  # which quotes the server
        raise ConfigError(f"{what} of {place} cannot be used: {masked(str(exc))}") from exc
    except (RuntimeError, ValueError, KeyError, OSError, sqlite3.Error) as exc:
        raise ConfigError(f"{what} of {place} cannot be used: {exc}") from exc
