"""Embeddings of texts, each with its measured confidence levels."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from streamguard.core.model.policy import LEVELS, Levels, Metric
from streamguard.errors import ConfigError, DecodeError, UpstreamError
from streamguard.rag import lexical
from streamguard.rag.extras import library
from streamguard.text.masking import masked

Vectors = list[list[float]]

_BATCH = 64  # texts a request; guess, far below what any endpoint allows
_TIMEOUT_S = 60.0  # of one request; guess
_READ_CHARS, _SHOWN_CHARS = 16_384, 200  # of an endpoint's error


@dataclass(frozen=True, slots=True)
class Embedding:
    """A way to make unit vectors of texts.

    `name` is stored with a collection, so that queries use the embedding it was built with.
    `levels` are the bounds of the cosine distance for high, medium and low confidence; None if not
    measured, then the published ones apply. `embed` may block, and is called in a worker thread.
    """

    name: str
    embed: Callable[[Sequence[str]], Vectors]
    levels: Levels | None = None


def levels_in(levels: Levels | None, metric: Metric) -> Levels | None:
    """Return levels of the cosine distance in `metric`; exact for unit vectors."""
    if levels is None:
        return None
    if metric == "squared_l2":
        return (2 * levels[0], 2 * levels[1], 2 * levels[2])
    if metric == "similarity":
        return (1 - levels[0], 1 - levels[1], 1 - levels[2])
    return levels


def lexical_embedding() -> Embedding:
    """Return the word-based embedding: deterministic, without a download."""
    name = f"lexical-{lexical.DIMENSION}"
    return Embedding(name, lexical.vectors, lexical.VECTOR_LEVELS)


def sentence_transformers_embedding(model: str = "all-MiniLM-L6-v2") -> Embedding:
    """Return a sentence-transformers model; raises `ConfigError` if it is not available.

    `model`: a folder, or a name whose model may be downloaded. Levels: the published ones, which on
    100 RAGTruth QA train questions keep 22.7, 72.7 and 95.7 % of own passages and 0, 0.07 and 1.9 %
    of others' with all-MiniLM-L6-v2. For another model measure them with `streamguard tune-gate`.
    """
    transformers = library("sentence_transformers", "embeddings")
    try:
        loaded = transformers.SentenceTransformer(model)
    except (OSError, ValueError) as exc:  # not there, not reachable, or no such model
        raise ConfigError(f"model {model} cannot be loaded: {exc}") from exc

    def embed(texts: Sequence[str]) -> Vectors:
        rows = loaded.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
        return [[float(value) for value in row] for row in rows]

    return Embedding(f"sentence-transformers/{model}", embed, LEVELS["cosine"])


def endpoint_embedding(url: str, model: str, *, key: str | None = None) -> Embedding:
    """Return the embeddings of an OpenAI-compatible server; `url` ends before `/embeddings`.

    Vectors are normalised to length 1. Levels are not measured: see `streamguard tune-gate`. Raises
    `UpstreamError` if the server does not answer, `DecodeError` for an invalid answer,
    `ConfigError` if called from a running event loop instead of a worker thread.
    """
    if "@" in url.partition("://")[2].partition("/")[0]:  # it would stand in errors and stores
        raise ConfigError("the endpoint's address holds a user or password; give its key by itself")
    address = url.rstrip("/") + "/embeddings"

    def embed(texts: Sequence[str]) -> Vectors:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(_ask_endpoint(address, model, key, list(texts)))
        raise ConfigError("an endpoint's embedding blocks, call it from a worker thread")

    return Embedding(f"{model} at {address}", embed)


async def _ask_endpoint(address: str, model: str, key: str | None, texts: list[str]) -> Vectors:
    import aiohttp

    headers = {"authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
    found: Vectors = []
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
            for start in range(0, len(texts), _BATCH):
                batch = texts[start : start + _BATCH]
                body = {"model": model, "input": batch}
                async with session.post(address, json=body) as response:
                    text = (await response.read()).decode(errors="replace")
                    if response.status != 200:
                        shown = " ".join(masked(text[:_READ_CHARS], key).split())
                        shown = shown[:_SHOWN_CHARS]
                        raise UpstreamError(f"{address} answered {response.status}: {shown}")
                    found += _vectors_in(text, len(batch), address)
    except (aiohttp.ClientError, TimeoutError) as exc:
        raise UpstreamError(f"{address} does not answer: {exc or type(exc).__name__}") from exc
    return found


def _vectors_in(text: str, count: int, address: str) -> Vectors:
    """Return the vectors of one answer in the order of the texts, each of length 1."""
    try:
        rows = sorted(json.loads(text)["data"], key=lambda row: row["index"])
        vectors = [unit([float(value) for value in row["embedding"]]) for row in rows]
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise DecodeError(f"{address} sent no list of embeddings: {exc!r}") from exc
    if len(vectors) != count:
        raise DecodeError(f"{address} sent {len(vectors)} embeddings for {count} texts")
    return vectors


def unit(vector: Sequence[float]) -> list[float]:
    """Return the vector normalised to length 1; raises `ValueError` for a zero vector."""
    length = sum(value * value for value in vector) ** 0.5
    if not 0.0 < length < float("inf"):
        raise ValueError(f"a vector of length {length} has no direction")
    return [value / length for value in vector]
