"""Chroma, embedded or as a server: the only file that uses its client."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from streamguard.core.model.policy import LEVELS, Levels, Metric
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

_METRICS: dict[str, Metric] = {"l2": "squared_l2", "cosine": "cosine", "ip": "inner_product"}
_FILE = "chroma.sqlite3"
_PAGE = 1_000  # records read or written at once; guess
_BUILT_WITH = "streamguard_embedding"  # key of a collection's metadata


class ChromaStore:
    """Collections of a Chroma folder or server; chunks carry a distance.

    `place`: a folder that a `PersistentClient` wrote, or the address of a server. With
    `embedding` None a collection's own embedding function is used, which may download its model.
    """

    def __init__(self, place: str | Path, embedding: Embedding | None = None) -> None:
        self.place = str(place)
        self._embedding = embedding
        self._client = _client(self.place, create=False)

    def collections(self) -> list[str]:
        """Return the names of the collections, sorted."""
        return _names(self._client, self.place)

    def sources(self, collection: str) -> dict[str, int]:
        """Return the sources of a collection, sorted, with the number of their chunks."""
        counts: dict[str, int] = {}
        for metadata in _records(self._open(collection), self.place):
            source = source_in(metadata) or "unknown"
            counts[source] = counts.get(source, 0) + 1
        return dict(sorted(counts.items()))

    def metric(self, collections: Sequence[str]) -> Metric:
        """Return the metric that the collections were made with."""
        return one_metric(collections, lambda name: _metric(self._open(name)))

    def levels(self, collections: Sequence[str]) -> Levels | None:
        """Return the measured levels of the embedding in the collections' metric.

        Chroma's own default is all-MiniLM-L6-v2, for which the published levels were measured.
        """
        metric = self.metric(collections)
        own = LEVELS["cosine"] if self._embedding is None else self._embedding.levels
        return levels_in(own, metric)

    def gates(self, collections: Sequence[str]) -> Levels | None:
        """Return None: the gates' thresholds are the levels."""
        self.metric(collections)
        return None

    def query(self, collections: Sequence[str], question: Question, n: int) -> list[RetrievedChunk]:
        """Return the `n` nearest chunks over all these collections, nearest first."""
        self.metric(collections)
        asked = self._asked(question)
        return nearest_of(collections, n, lambda name: self._nearest(name, asked, n))

    def close(self) -> None:
        """Release the folder; idempotent."""
        self._client.close()

    def _asked(self, question: Question) -> dict[str, Any]:
        if not isinstance(question, str):
            return {"query_embeddings": [list(question)]}
        if self._embedding is None:
            return {"query_texts": [question]}
        return {"query_embeddings": self._embedding.embed([question])}

    def _nearest(self, collection: str, asked: dict[str, Any], n: int) -> Iterator[RetrievedChunk]:
        opened = self._open(collection)
        fields = ["documents", "metadatas", "distances"]
        with _errors(f"collection {collection}", self.place):
            # Asking for more than there are is answered with all, but old servers warn.
            found = opened.query(**asked, n_results=n, include=fields)
        rows = zip(*(found[name][0] for name in ("ids", *fields)), strict=True)
        for name, text, metadata, distance in rows:
            if text is None:
                raise ConfigError(f"collection {collection}: chunk {name!r} holds no text")
            kept = dict(metadata or {})
            yield RetrievedChunk(
                text, id=name, source=source_in(kept), distance=float(distance), metadata=kept
            )

    def _open(self, collection: str) -> Any:
        opened = _opened(self._client, self.place, collection, own=self._embedding is None)
        built_with(collection, (opened.metadata or {}).get(_BUILT_WITH), self._embedding)
        return opened


class ChromaTarget:
    """An index's own collection, created if missing.

    A source's new chunks are added before its old ones are deleted, so an interruption loses
    nothing; leftovers are deleted with the source's next update.
    """

    def __init__(self, place: str | Path, collection: str, embedding: Embedding) -> None:
        self.place = str(place)
        self._embedding = embedding
        self._client = _client(self.place, create=True)
        if collection not in _names(self._client, self.place):
            with _errors(f"collection {collection}", self.place):
                self._client.create_collection(
                    collection,
                    configuration={"hnsw": {"space": "cosine"}},
                    metadata={_BUILT_WITH: embedding.name},
                    embedding_function=None,
                )
        self._collection = _opened(self._client, self.place, collection, own=False)
        check_own(collection, (self._collection.metadata or {}).get(_BUILT_WITH), embedding)

    def hashes(self) -> dict[str, str]:
        """Return the content hash of every complete source."""
        return whole_sources(_records(self._collection, self.place))

    def replace(self, source: str, digest: str, texts: Sequence[str]) -> None:
        """Replace a source's chunks."""
        for start in range(0, len(texts), _PAGE):
            page = list(texts[start : start + _PAGE])
            marks = {"source": source, "hash": digest, "count": len(texts)}
            with _errors("the collection", self.place):
                self._collection.upsert(
                    ids=[_id(source, digest, start + at) for at in range(len(page))],
                    documents=page,
                    embeddings=self._embedding.embed(page),
                    metadatas=[{**marks, "position": start + at} for at in range(len(page))],
                )
        former = {"$and": [{"source": source}, {"hash": {"$ne": digest}}]}
        with _errors("the collection", self.place):
            self._collection.delete(where=former)

    def remove(self, source: str) -> None:
        """Delete a source and its chunks."""
        with _errors("the collection", self.place):
            self._collection.delete(where={"source": source})

    def close(self) -> None:
        """Release the folder; idempotent."""
        self._client.close()


def _id(source: str, digest: str, position: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{source}\n{digest}\n{position}"))


def _client(place: str, *, create: bool) -> Any:
    chromadb = library("chromadb", "chroma")
    settings = library("chromadb.config", "chroma").Settings(anonymized_telemetry=False)
    address = urlsplit(place)
    with _errors("the store", place):
        if address.scheme in ("http", "https"):
            return chromadb.HttpClient(
                host=address.hostname,
                port=address.port or (443 if address.scheme == "https" else 8000),
                ssl=address.scheme == "https",
                settings=settings,
            )
        # The client would make a new store of any path, also of a mistyped one.
        if not create and not (Path(place) / _FILE).is_file():
            raise ConfigError(f"store {place} is not a Chroma folder: it has no {_FILE}")
        with suppress(OSError):  # which the client says better
            Path(place).mkdir(mode=0o700, parents=True, exist_ok=True)  # its files are anybody's
        return chromadb.PersistentClient(place, settings=settings)


def _names(client: Any, place: str) -> list[str]:
    with _errors("the store", place):
        return sorted(collection.name for collection in client.list_collections())


def _opened(client: Any, place: str, collection: str, *, own: bool) -> Any:
    """Return the collection, with its own embedding function or with none."""
    known = _names(client, place)
    if collection not in known:
        raise missing(collection, known)
    with _errors(f"collection {collection}", place):
        if own:
            return client.get_collection(collection)
        return client.get_collection(collection, embedding_function=None)


def _metric(collection: Any) -> Metric:
    configuration = collection.configuration or {}
    index = configuration.get("hnsw") or configuration.get("spann") or {}
    space = index.get("space") or (collection.metadata or {}).get("hnsw:space")
    if space not in _METRICS:
        allowed = ", ".join(_METRICS)
        raise ConfigError(
            f"collection {collection.name} measures {space!r}, expected one of {allowed}"
        )
    return _METRICS[space]


def _records(collection: Any, place: str) -> Iterator[dict[str, Any]]:
    """Yield the metadata of every record."""
    start = 0
    while True:
        with _errors(f"collection {collection.name}", place):
            page = collection.get(include=["metadatas"], limit=_PAGE, offset=start)
        yield from (dict(item or {}) for item in page["metadatas"])
        start += _PAGE
        if len(page["ids"]) < _PAGE:
            return


@contextmanager
def _errors(what: str, place: str) -> Iterator[None]:
    """Convert errors of the client, or of its HTTP library, to ours."""
    chroma = library("chromadb.errors", "chroma").ChromaError
    http = library("httpx", "chroma").HTTPError
    try:
        yield
    except StreamguardError:
        raise
    except (chroma, ValueError) as exc:
        if "connect" in str(exc).lower():
            raise UpstreamError(f"{place}: {exc}") from exc
        raise ConfigError(f"{what} of {place} cannot be used: {exc}") from exc
    except http as exc:
        raise UpstreamError(f"{what} of {place}: {exc}") from exc
