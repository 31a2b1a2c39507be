"""Embeddings as a verifier: how similar each claim is to the sentences of the chunks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from streamguard.core.model.types import Verdict
from streamguard.core.sentence import Scope, Sentence
from streamguard.rag.embeddings import Embedding, Vectors
from streamguard.verify.verifier import Verifier, fingerprint

MAX_CONTEXTS = 64  # whose sentences' vectors are kept; guess, 384 figures for each of 100: 20 MB


def similarity_verifier(embedding: Embedding, *, name: str = "embeddings") -> Verifier:
    """Return a verifier that scores a claim by its best cosine with a sentence of the chunks.

    The result has it as `sentences[].opinions[].similarity` and, averaged over all claims, as
    `scores.similarity`; it is no score of support. The sentences of a context are embedded once.
    """
    return Verifier(_Similarity(embedding), name=name)


class _Similarity:
    def __init__(self, embedding: Embedding) -> None:
        self._embed = embedding.embed
        self._lock = Lock()
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()

    def __call__(self, sentences: Sequence[Sentence], scope: Scope) -> list[Verdict]:
        sources = self._sources(scope)
        if not sources:
            return [Verdict() for _ in sentences]
        vectors = self._embed([sentence.folded.text for sentence in sentences])
        return [Verdict(similarity=_best(vector, sources)) for vector in vectors]

    def _sources(self, scope: Scope) -> Vectors:
        texts = scope.evidence.sentence_texts() if scope.evidence is not None else []
        key = fingerprint(scope.context)
        with self._lock:  # one thread makes them, the others wait for it
            if key not in self._kept:
                self._kept[key] = self._embed(texts) if texts else []
                if len(self._kept) > MAX_CONTEXTS:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]


def _best(vector: Sequence[float], sources: Vectors) -> float:
    cosines = (sum(a * b for a, b in zip(vector, one, strict=True)) for one in sources)
    return max(-1.0, min(1.0, max(cosines)))
