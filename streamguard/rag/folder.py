"""The embedded default store: collections in one SQLite file, retrieved by words."""

from __future__ import annotations

import os
import sqlite3
import threading
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from heapq import nsmallest
from operator import mul
from pathlib import Path

from streamguard.core.model.policy import Levels, Metric
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.rag.embeddings import Embedding
from streamguard.rag.lexical import SHARE_GATES, SHARE_LEVELS, LexicalIndex
from streamguard.rag.stores import Question, missing, nearest_of, one_metric

IN_MEMORY = ":memory:"
_APPLICATION_ID = 0x5367_6472  # "Sgdr": tells our files from other SQLite files
_FORMAT = 1
_BUSY_S = 10.0  # how long another process may hold the file; guess
# Of the similarity, what the vectors say; the rest is the words'. Of 0, 0.2, 0.3 … 0.7 and 1 the
# one with which all-MiniLM-L6-v2 tells the handbooks' questions apart best
# (`benchmarks/bench_gate.py`): in 0.956 of the pairs of the development ones (by words alone 0.951,
# by vectors alone 0.832), in 0.863 of the others (0.855, 0.710).
_MEANING = 0.2
BLENDED_LEVELS: Levels = (0.48, 0.4, 0.25)
_SCHEMA = """
CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS documents (
    id INTEGER PRIMARY KEY,
    collection TEXT NOT NULL REFERENCES collections(name),
    source TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (collection, source)
);
CREATE TABLE IF NOT EXISTS chunks (
    document INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (document, position)
);
"""


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """A collection at one time: its chunks, and their words."""

    version: int
    chunks: tuple[RetrievedChunk, ...]
    index: LexicalIndex
    vectors: tuple[array[float], ...]  # none without an embedding


class FolderStore:
    """Collections in one SQLite file, or in memory; chunks carry a similarity in [0, 1].

    The similarity is the share of the question's words in a chunk; with an `embedding`, whose
    vectors are kept in memory, it is the weighted mean of that share and the cosine similarity.
    Threads may read and query at once; a collection changed by another process is read again. Only
    `rag.indexing` uses the writing methods. Raises `ConfigError` for a file that is missing (unless
    `create`), locked, damaged or no such store.
    """

    def __init__(
        self,
        path: str | Path = IN_MEMORY,
        *,
        create: bool = False,
        embedding: Embedding | None = None,
    ) -> None:
        self.path = str(path)
        if self.path != IN_MEMORY and not create and not Path(path).is_file():
            raise ConfigError(f"store {self.path} does not exist; streamguard index makes one")
        self._embedding = embedding
        self._lock = threading.RLock()
        self._own_changes = 0  # `data_version` only counts those of other connections
        self._snapshots: dict[str, _Snapshot] = {}
        with self._using():
            if self.path != IN_MEMORY:
                _make_owned(self.path)
            self._db = sqlite3.connect(
                self.path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def collections(self) -> list[str]:
        """Return the names of the collections, sorted."""
        with self._using():
            return [name for (name,) in self._db.execute("SELECT name FROM collections ORDER BY 1")]

    def sources(self, collection: str) -> dict[str, int]:
        """Return the sources of a collection, sorted, with the number of their chunks."""
        self._check(collection)
        with self._using():
            rows = self._db.execute(
                "SELECT source, (SELECT count(*) FROM chunks WHERE document = documents.id)"
                " FROM documents WHERE collection = ? ORDER BY source",
                (collection,),
            )
            return dict(rows.fetchall())

    def metric(self, collections: Sequence[str]) -> Metric:
        """Return `similarity`; see the class."""

        def metric_of(collection: str) -> Metric:
            self._check(collection)
            return "similarity"

        return one_metric(collections, metric_of)

    def levels(self, collections: Sequence[str]) -> Levels | None:
        """Return the levels measured for retrieval by words, alone or with an embedding."""
        self.metric(collections)
        return SHARE_LEVELS if self._embedding is None else BLENDED_LEVELS

    def gates(self, collections: Sequence[str]) -> Levels | None:
        """Return the gates' thresholds measured for retrieval by words.

        With an embedding they are the same: they let as much through, and decline as much.
        """
        self.metric(collections)
        return SHARE_GATES

    def query(self, collections: Sequence[str], question: Question, n: int) -> list[RetrievedChunk]:
        """Return the `n` nearest chunks over all these collections, nearest first."""
        if not isinstance(question, str):
            raise ConfigError("the question is a vector, a folder store takes its text")

        def ask(collection: str) -> Iterator[RetrievedChunk]:
            snapshot = self._snapshot(collection)
            similarities = snapshot.index.similarities(question)
            if self._embedding is not None:
                (asked,) = self._embedding.embed([question])
                similarities = _blended(similarities, asked, snapshot.vectors)
            nearest = nsmallest(n, similarities.items(), key=lambda item: (-item[1], item[0]))
            for number, similarity in nearest:
                chunk = snapshot.chunks[number]
                yield RetrievedChunk(
                    chunk.text, id=chunk.id, source=chunk.source, similarity=similarity
                )

        return nearest_of(collections, n, ask)

    def close(self) -> None:
        """Close the file; idempotent."""
        self._db.close()

    def hashes(self, collection: str) -> dict[str, str]:
        """Return the content hash of every source; none for a collection not yet created."""
        with self._using():
            rows = self._db.execute(
                "SELECT source, hash FROM documents WHERE collection = ?", (collection,)
            )
            return dict(rows.fetchall())

    def replace(self, collection: str, source: str, digest: str, texts: Sequence[str]) -> None:
        """Replace a source's chunks, all or none."""
        with self._changing():
            self._db.execute("INSERT OR IGNORE INTO collections VALUES (?)", (collection,))
            self._delete(collection, source)
            added = self._db.execute(
                "INSERT INTO documents (collection, source, hash) VALUES (?, ?, ?)",
                (collection, source, digest),
            )
            rows = [(added.lastrowid, position, text) for position, text in enumerate(texts)]
            self._db.executemany("INSERT INTO chunks VALUES (?, ?, ?)", rows)

    def remove(self, collection: str, source: str) -> None:
        """Delete a source and its chunks, if it exists."""
        with self._changing():
            self._delete(collection, source)

    def _delete(self, collection: str, source: str) -> None:
        self._db.execute(
            "DELETE FROM documents WHERE collection = ? AND source = ?", (collection, source)
        )

    def _prepare(self) -> None:
        self._db.execute("PRAGMA foreign_keys = ON")
        mark = self._pragma("application_id")
        if mark == 0:
            mark = self._made()
        if mark != _APPLICATION_ID:
            raise ConfigError(f"store {self.path} is an SQLite file of another program")
        if self._pragma("user_version") != _FORMAT:
            seen = self._pragma("user_version")
            raise ConfigError(f"store {self.path} has format {seen}, expected {_FORMAT}")

    def _made(self) -> int:
        """Initialise an empty file and return its marker; other processes may do so at once."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            if not self._db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                self._db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {_FORMAT}")
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    self._db.execute(statement)
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        return self._pragma("application_id")

    def _pragma(self, name: str) -> int:
        return int(self._db.execute(f"PRAGMA {name}").fetchone()[0])

    def _check(self, collection: str) -> None:
        known = self.collections()
        if collection not in known:
            raise missing(collection, known)

    def _snapshot(self, collection: str) -> _Snapshot:
        self._check(collection)
        with self._using():
            version = self._pragma("data_version") + self._own_changes
            kept = self._snapshots.get(collection)
            if kept is None or kept.version != version:
                chunks = tuple(self._chunks(collection))
                kept = _Snapshot(version, chunks, _index_of(chunks), self._vectors(chunks))
                self._snapshots[collection] = kept
            return kept

    def _vectors(self, chunks: Sequence[RetrievedChunk]) -> tuple[array[float], ...]:
        if self._embedding is None:
            return ()
        found = self._embedding.embed([chunk.text for chunk in chunks])
        if len(found) != len(chunks) or len(set(map(len, found))) > 1:
            seen = sorted(set(map(len, found)))
            raise ConfigError(
                f"{self._embedding.name} gave {len(found)} vectors of {seen} figures for"
                f" {len(chunks)} passages, expected one each, all of a length"
            )
        return tuple(array("f", vector) for vector in found)

    def _chunks(self, collection: str) -> Iterator[RetrievedChunk]:
        rows = self._db.execute(
            "SELECT source, position, text FROM chunks JOIN documents ON document = documents.id"
            " WHERE collection = ? ORDER BY source, position",
            (collection,),
        )
        for source, position, text in rows:
            yield RetrievedChunk(text, id=f"{source}#{position + 1}", source=source)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._using():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
            self._own_changes += 1

    @contextmanager
    def _using(self) -> Iterator[None]:
        """Lock the shared connection, and name the file in its errors."""
        try:
            with self._lock:
                yield
        except sqlite3.OperationalError as exc:
            raise ConfigError(f"store {self.path} cannot be used: {exc}") from exc
        except sqlite3.DatabaseError as exc:
            raise ConfigError(f"store {self.path} cannot be read, is it damaged? {exc}") from exc


def _make_owned(path: str) -> None:
    """Create a file for its owner alone: it holds documents, and its journals get its rights."""
    with suppress(OSError):  # SQLite says it better
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _blended(
    shares: Mapping[int, float], asked: Sequence[float], vectors: Sequence[array[float]]
) -> dict[int, float]:
    """Return every passage's similarity, weighted from its words and its vector's cosine."""
    return {
        number: (1 - _MEANING) * shares.get(number, 0.0)
        + _MEANING * max(0.0, sum(map(mul, asked, vector)))
        for number, vector in enumerate(vectors)
    }


def _index_of(chunks: Sequence[RetrievedChunk]) -> LexicalIndex:
    return LexicalIndex((chunk.text for chunk in chunks), (chunk.source for chunk in chunks))


def in_memory(documents: Mapping[str, Sequence[str]], collection: str = "documents") -> FolderStore:
    """Return a store in memory with these texts by source, as one collection."""
    store = FolderStore()
    for source, texts in documents.items():
        store.replace(collection, source, "", texts)
    return store
