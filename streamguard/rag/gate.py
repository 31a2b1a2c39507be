"""The retrieval gate: whether the retrieved passages are good enough to answer from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from streamguard.core.model.chunks import ChunkLike, as_chunks
from streamguard.core.model.policy import (
    GATES,
    LEVELS,
    MAX_THRESHOLD,
    Levels,
    Metric,
    Policy,
    as_policy,
)
from streamguard.core.model.types import ConfidenceLevel, Retrieval, RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.rag.stores import Store
from streamguard.text.words import counted

# Stores compute in float32: equal vectors may come out this far below a distance of 0.
_ROUNDING = 1e-4
# Of a threshold, what a chunk needs beside one that passed. Of 0.63, 0.5 and 0.38 the one
# with which most right answers of newcomers' and later handbooks are PASS and most wrong ones found
# (`benchmarks/bench_page_answers.py`): the passage that an answer is from shares few words with the
# question more often than others mislead.
_BESIDE = 0.5
_NAMES: tuple[ConfidenceLevel, ...] = ("high", "medium", "low")


def assess(
    chunks: Sequence[ChunkLike], policy: Policy | str, *, collection: str | None = None
) -> Retrieval:
    """Return which chunks pass the gate, and how far an answer from them can be trusted.

    Each chunk carries what `policy.metric` means: `similarity`, else `distance`. It is held to the
    threshold of `collection`, or of the collection its metadata name, where the policy has one.
    The level is that of the best figure that passed; `insufficient` when fewer than
    `min_documents` passed or the best lies beyond `low`. A similarity is a share of the question's
    words: beside a chunk that passed, those with half their threshold pass too. With `strict_mode`
    off nothing is compared, and level and `is_answerable` are None. The order of the chunks is
    kept. Raises `ConfigError` for a missing or impossible figure.
    """
    chunks, policy = as_chunks(chunks), as_policy(policy)
    if not policy.strict_mode:
        return Retrieval(chunks, raw_count=len(chunks), filtered_count=len(chunks))
    figures = [_figure(chunk, number, policy) for number, chunk in enumerate(chunks)]
    passed = [
        (chunk, figure)
        for chunk, figure in zip(chunks, figures, strict=True)
        if _within(figure, _threshold(chunk, policy, collection)[1], policy.metric)
    ]
    nearest = max if policy.metric == "similarity" else min
    best = nearest((figure for _, figure in passed), default=None)
    level = _level(best, len(passed), policy)
    handed = [chunk for chunk, _ in passed]
    if level != "insufficient" and policy.metric == "similarity":
        handed = [
            chunk
            for chunk, figure in zip(chunks, figures, strict=True)
            if figure >= _BESIDE * _threshold(chunk, policy, collection)[1]
        ]
    return Retrieval(
        chunks=tuple(handed),
        is_answerable=level != "insufficient",
        confidence_level=level,
        raw_count=len(chunks),
        filtered_count=len(handed),
        best=best,
    )


@dataclass(frozen=True, slots=True)
class Declined:
    """Why the gate declined: the setting that did it, None if nothing was found, in words.

    `nearest`: the passage that came nearest to the question, None if nothing was found.
    """

    setting: str | None
    message: str
    nearest: RetrievedChunk | None = None


def declined_by(
    chunks: Sequence[RetrievedChunk], retrieval: Retrieval, policy: Policy
) -> Declined | None:
    """Return the setting by which `assess` declined a question; None for an answerable one."""
    if retrieval.is_answerable is not False:
        return None
    if not chunks:
        return Declined(None, "No passage was found for the question.")
    passed = retrieval.filtered_count or 0
    similar = policy.metric == "similarity"
    figures = [(_figure(chunk, 0, policy), chunk) for chunk in chunks]
    nearest, chunk = (max if similar else min)(figures, key=lambda pair: pair[0])
    if 0 < passed < policy.min_documents:
        found = f"{passed} of {counted(len(chunks), 'passage')} passed"
        message = f"{found}; min_documents is {policy.min_documents}."
        return Declined("min_documents", message, chunk)
    if passed:
        setting, bound = "confidence_levels", _levels(policy)[2]
    else:
        setting, bound = _threshold(chunk, policy, None)
    measured = "similarity" if similar else "distance"
    # Two decimals that lie beyond the bound, as the figure does.
    shown = (math.floor if similar else math.ceil)(round(nearest * 100, 6)) / 100
    message = f"The nearest passage has a {measured} of {shown:.2f}; {setting}: {bound:g}."
    return Declined(setting, message, chunk)


def policy_on(store: Store, collections: Sequence[str], policy: Policy) -> Policy:
    """Return `policy` in the metric of a store's collections, with their levels and thresholds.

    The policy's own settings stay, as in `policy_for`. Asks the store, so it may block. Raises
    `ConfigError` for missing collections, different metrics, and a policy that does not fit.
    """
    metric = store.metric(collections)
    return policy_for(policy, metric, store.levels(collections), store.gates(collections))


def policy_for(
    policy: Policy, metric: Metric, levels: Levels | None = None, gates: Levels | None = None
) -> Policy:
    """Return `policy` in the metric a store measures, with the levels of its embedding.

    `gates`: the thresholds of the strict, moderate and lenient gate; None: the levels. The policy's
    own settings stay: its levels win over `levels` and `gates`, a threshold keeps its figure and
    counts in `metric`, where its range is checked. Raises `ConfigError` for a threshold that does
    not fit, and for a policy that was given another metric.
    """
    given = {name: getattr(policy, name) for name in policy.model_fields_set}
    if given.get("metric", metric) != metric:
        raise ConfigError(f"metric is {policy.metric}, but the collection measures {metric}")
    if metric == "similarity" and "metric" not in given and "confidence_threshold" in given:
        # The one threshold people set, `RAG_CONFIDENCE_THRESHOLD`, means the metric in force.
        threshold = given.pop("confidence_threshold")
        if "similarity_threshold" not in given and threshold > MAX_THRESHOLD[metric]:
            allowed = f"0.0 to {MAX_THRESHOLD[metric]} (metric {metric})"
            raise ConfigError(f"confidence_threshold is {threshold}, expected {allowed}")
        given.setdefault("similarity_threshold", threshold)
    if given.get("confidence_levels") is None:
        given["confidence_levels"] = levels
        if gates is not None:
            setting = "similarity_threshold" if metric == "similarity" else "confidence_threshold"
            given.setdefault(setting, gates[GATES.index(policy.gate)])
    return Policy.load({**given, "metric": metric})


def log_line(
    retrieval: Retrieval, policy: Policy, collections: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the fields of one question's log line: plain JSON values, no text of anybody."""
    metric = policy.metric
    similar = metric == "similarity"
    return {
        "event": "retrieval",
        "collections": list(collections),
        "policy": policy.name,
        "strict_mode": policy.strict_mode,
        "metric": metric,
        "threshold": policy.similarity_threshold if similar else policy.confidence_threshold,
        "min_documents": policy.min_documents,
        "is_answerable": retrieval.is_answerable,
        "confidence_level": retrieval.confidence_level,
        "raw_count": retrieval.raw_count,
        "filtered_count": retrieval.filtered_count,
        "best": retrieval.best,
    }


def _figure(chunk: RetrievedChunk, number: int, policy: Policy) -> float:
    """Return the chunk's distance or similarity, a rounding error below 0 taken off."""
    metric = policy.metric
    if metric not in LEVELS:  # a policy that was copied rather than loaded is not validated
        raise ConfigError(f"metric is {metric!r}, expected one of {', '.join(LEVELS)}")
    wanted, other = ("similarity", "distance")[:: 1 if metric == "similarity" else -1]
    value: Any = getattr(chunk, wanted)
    where = f"chunks[{number}]" if chunk.id is None else f"chunk {chunk.id!r}"
    if value is None:
        seen = getattr(chunk, other)
        has = "neither distance nor similarity" if seen is None else f"a {other} of {seen}"
        raise ConfigError(f"{where} has {has}, metric {metric} needs its {wanted}")
    if not isinstance(value, Real) or not _possible(float(value), metric):
        allowed = "-1.0 to 1.0" if metric == "similarity" else "at least 0.0, for unit vectors"
        raise ConfigError(f"{where}: {wanted} is {value}, expected {allowed} (metric {metric})")
    figure = float(value)
    return figure if metric == "similarity" else max(0.0, figure)


def _possible(value: float, metric: Metric) -> bool:
    if not math.isfinite(value):
        return False
    if metric == "similarity":
        return abs(value) <= 1.0 + _ROUNDING
    return value >= -_ROUNDING


def _threshold(chunk: RetrievedChunk, policy: Policy, collection: str | None) -> tuple[str, float]:
    """Return the threshold a chunk is held to, behind the setting it comes from."""
    name = collection or chunk.metadata.get("collection")
    own = policy.collection_thresholds
    if isinstance(name, str) and name in own:
        return "collection_thresholds", own[name]
    if policy.metric == "similarity":
        return "similarity_threshold", policy.similarity_threshold
    return "confidence_threshold", policy.confidence_threshold


def _levels(policy: Policy) -> Levels:
    return policy.confidence_levels or LEVELS[policy.metric]


def _within(figure: float, bound: float, metric: Metric) -> bool:
    return figure >= bound if metric == "similarity" else figure <= bound


def _level(best: float | None, passed: int, policy: Policy) -> ConfidenceLevel:
    if best is None or passed < policy.min_documents:
        return "insufficient"
    for name, bound in zip(_NAMES, _levels(policy), strict=True):
        if _within(best, bound, policy.metric):
            return name
    return "insufficient"
