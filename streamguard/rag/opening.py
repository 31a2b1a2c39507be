"""Opens a store, or a target to index into, by its name on a command line."""

from __future__ import annotations

from streamguard.errors import ConfigError
from streamguard.rag.embeddings import (
    Embedding,
    endpoint_embedding,
    lexical_embedding,
    sentence_transformers_embedding,
)
from streamguard.rag.folder import FolderStore
from streamguard.rag.indexing import FolderTarget, Target
from streamguard.rag.stores import Store

STORES = "FILE, chroma:FOLDER, chroma:URL, qdrant:FOLDER or qdrant:URL"
EMBEDDINGS = "lexical, own, sentence-transformers[:MODEL] or the URL of an endpoint"
DEFAULT_FILE = "streamguard-index.sqlite"


def open_store(where: str, embedding: Embedding | None = None, *, key: str | None = None) -> Store:
    """Return the store at `where`: `FILE`, or a folder or address after `chroma:`, `qdrant:`.

    A file is searched by words and accepts only the lexical embedding. Raises `ConfigError` for
    another embedding or a place without such a store, `UpstreamError` for a server that does not
    answer.
    """
    kind, place = _kind(where)
    if kind == "chroma":
        from streamguard.rag.chroma import ChromaStore

        return ChromaStore(place, embedding)
    if kind == "qdrant":
        from streamguard.rag.qdrant import QdrantStore

        return QdrantStore(place, embedding, key=key)
    _check_of_words(place, embedding)
    return FolderStore(place)


def _check_of_words(place: str, embedding: Embedding | None) -> None:
    if embedding is not None and embedding.name != lexical_embedding().name:
        raise ConfigError(f"{place} is retrieved from by words, it takes no {embedding.name}")


def open_target(
    where: str, collection: str, embedding: Embedding | None = None, *, key: str | None = None
) -> Target:
    """Return the collection at `where` to index into, created if missing.

    `embedding` None: the lexical one. Raises as `open_store` does, and `ConfigError` for a
    collection that no index created.
    """
    kind, place = _kind(where)
    if kind == "chroma":
        from streamguard.rag.chroma import ChromaTarget

        return ChromaTarget(place, collection, embedding or lexical_embedding())
    if kind == "qdrant":
        from streamguard.rag.qdrant import QdrantTarget

        return QdrantTarget(place, collection, embedding or lexical_embedding(), key=key)
    _check_of_words(place, embedding)
    return FolderTarget(FolderStore(place, create=True), collection)


def open_embedding(
    name: str, *, model: str | None = None, key: str | None = None
) -> Embedding | None:
    """Return the embedding called `name`; None for `own`, the store's default.

    Raises `ConfigError` for an unknown name, an endpoint without a model, and a missing extra.
    """
    if name == "own":
        return None
    if name == "lexical":
        return lexical_embedding()
    kind, _, given = name.partition(":")
    if kind == "sentence-transformers":
        model = given or model
        return (
            sentence_transformers_embedding(model) if model else sentence_transformers_embedding()
        )
    if kind in ("http", "https"):
        if not model:
            raise ConfigError(f"embedding is {name} without a model, name one")
        return endpoint_embedding(name, model, key=key)
    raise ConfigError(f"embedding is {name!r}, expected {EMBEDDINGS}")


def _kind(where: str) -> tuple[str, str]:
    kind, colon, place = where.partition(":")
    if colon and kind in ("chroma", "qdrant", "folder"):
        if not place:
            raise ConfigError(f"store is {where!r}, expected {STORES}")
        return kind, place
    return "folder", where
