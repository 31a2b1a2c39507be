"""`streamguard tune-gate`: gate thresholds for one's own questions, with precision and recall."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamguard.commands.index import add_embedding_arguments, embedding_key, store_key
from streamguard.core.model.policy import MAX_THRESHOLD, Metric
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError, DecodeError
from streamguard.rag.embeddings import Embedding
from streamguard.rag.lexical import LexicalIndex
from streamguard.rag.opening import EMBEDDINGS, STORES, open_embedding, open_store
from streamguard.rag.stores import Store
from streamguard.rag.tuning import Candidate, Pair, candidates, pairs_of_passages, suggested

_SHOWN_STEPS = 20  # rows of the table; guess
_RESULTS = 20  # chunks queried for each labelled question; guess
_COLLECTION = "documents"

DESCRIPTION = """\
Suggest thresholds for the retrieval gate from one's own questions: how much of what is relevant
each threshold would keep, and how much of the rest."""
EPILOG = f"""\
QUESTIONS holds one JSON object a line (.gz allowed), all of one kind:
  {{"question": "...", "relevant": ["handbook.md", "plans.md#2"]}}
      sources or ids of the chunks that answer it; --store is asked
  {{"question": "...", "chunks": ["...", "..."]}}
      passages of its own; those of the other questions are the rest
STORE is {STORES}.
EMBEDDING is {EMBEDDINGS}, or
words (what a FILE store does); it makes the vectors of the second kind, and asks the store of the
first.

examples:
  streamguard tune-gate questions.jsonl --store streamguard-index.sqlite
  streamguard tune-gate answers.jsonl.gz --embedding words"""


@dataclass(frozen=True, slots=True)
class GateQuestion:
    """One line of the file: a question with its relevant sources and ids, or its own passages."""

    question: str
    relevant: frozenset[str] | None
    chunks: tuple[str, ...] | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard tune-gate`."""
    add = parser.add_argument
    add("questions", metavar="QUESTIONS", help="JSON lines, see below")
    add("--store", metavar="STORE", help="where labelled questions are asked")
    add(
        "--collection",
        metavar="NAME",
        action="append",
        help=f"may be given several times (default: {_COLLECTION})",
    )
    add_embedding_arguments(parser)
    add("--json", action="store_true", help="print every threshold as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the thresholds; raises `ConfigError` for too few questions."""
    questions = read_questions(args.questions)
    if questions[0].chunks is not None:
        metric, pairs = _self_supervised(questions, args)
    else:
        metric, pairs = _labelled(questions, args)
    found = candidates(pairs, metric)
    shown = _as_json(found, metric, pairs) if args.json else _as_table(found, metric, pairs)
    sys.stdout.write(shown + "\n")
    return 0


def read_questions(name: str) -> list[GateQuestion]:
    """Return the lines of a file, all of one kind, without duplicates.

    Raises `DecodeError` with the line's number and the expected form, `ConfigError` for a file
    without questions.
    """
    found: dict[tuple[str, tuple[str, ...] | None], GateQuestion] = {}
    opened = gzip.open if name.endswith(".gz") else open
    with opened(Path(name), "rt", encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                question = _question_in(line, f"{name}, line {number}")
                found.setdefault((question.question, question.chunks), question)
    if not found:
        raise ConfigError(f"{name} holds no questions")
    if len({question.chunks is None for question in found.values()}) > 1:
        raise ConfigError(f"{name} mixes labelled questions and questions with chunks")
    return list(found.values())


def _question_in(line: str, where: str) -> GateQuestion:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise DecodeError(f"{where} is not JSON: {exc}") from exc
    question = item.get("question") if isinstance(item, dict) else None
    relevant = _strings(item, "relevant") if isinstance(question, str) else None
    chunks = _strings(item, "chunks") if isinstance(question, str) else None
    if not isinstance(question, str) or (relevant is None) == (chunks is None):
        raise DecodeError(f'{where}: expected a "question" with either "relevant" or "chunks"')
    return GateQuestion(question, None if relevant is None else frozenset(relevant), chunks)


def _strings(item: dict[str, Any], key: str) -> tuple[str, ...] | None:
    value = item.get(key)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        return None
    return tuple(value)


def _self_supervised(
    rows: Sequence[GateQuestion], args: argparse.Namespace
) -> tuple[Metric, list[Pair]]:
    passages = [question.chunks or () for question in rows]
    questions = [question.question for question in rows]
    if args.embedding == "words":
        return "similarity", list(_pairs_by_words(questions, passages))
    embedding = open_embedding(
        args.embedding, model=args.embedding_model, key=embedding_key(args.embedding)
    )
    if embedding is None:
        raise ConfigError("embedding is own, which only a store has: name another, or label")
    return "cosine", list(_pairs_by_vectors(questions, passages, embedding))


def _pairs_by_words(questions: Sequence[str], passages: Sequence[Sequence[str]]) -> Iterator[Pair]:
    index = LexicalIndex(text for texts in passages for text in texts)
    size = sum(map(len, passages))
    similarities = [dict(index.nearest(question, size)) for question in questions]
    yield from pairs_of_passages(passages, lambda q, p: similarities[q].get(p, 0.0))


def _pairs_by_vectors(
    questions: Sequence[str], passages: Sequence[Sequence[str]], embedding: Embedding
) -> Iterator[Pair]:
    vectors = embedding.embed(questions)
    held = embedding.embed([text for texts in passages for text in texts])

    def distance(question: int, passage: int) -> float:
        return 1.0 - sum(a * b for a, b in zip(vectors[question], held[passage], strict=True))

    yield from pairs_of_passages(passages, distance)


def _labelled(
    questions: Sequence[GateQuestion], args: argparse.Namespace
) -> tuple[Metric, list[Pair]]:
    if args.store is None:
        raise ConfigError("--store is missing: labelled questions are asked of a store")
    embedding = open_embedding(
        args.embedding, model=args.embedding_model, key=embedding_key(args.embedding)
    )
    collections = args.collection or [_COLLECTION]
    with closing(open_store(args.store, embedding, key=store_key())) as store:
        return store.metric(collections), _pairs_of_store(questions, store, collections)


def _pairs_of_store(
    questions: Sequence[GateQuestion], store: Store, collections: Sequence[str]
) -> list[Pair]:
    found = []
    name = None  # of a passage that was found
    for question in questions:
        for chunk in store.query(collections, question.question, _RESULTS):
            names = {chunk.id, name := chunk.source}
            found.append(Pair(_figure(chunk), bool(names & (question.relevant or frozenset()))))
    examples = [min(question.relevant) for question in questions if question.relevant]
    if found and examples and not any(pair.relevant for pair in found):
        raise ConfigError(
            f"relevant names no passage that was found: it has {examples[0]!r}, the store {name!r}"
        )
    return found


def _figure(chunk: RetrievedChunk) -> float:
    figure = chunk.distance if chunk.similarity is None else chunk.similarity
    if figure is None:
        raise ConfigError(f"chunk {chunk.id!r} has neither distance nor similarity")
    return figure


def _as_table(found: Sequence[Candidate], metric: Metric, pairs: Sequence[Pair]) -> str:
    relevant = sum(pair.relevant for pair in pairs)
    setting = "similarity_threshold" if metric == "similarity" else "confidence_threshold"
    lines = [
        f"metric {metric}: {relevant} relevant pairs, {len(pairs) - relevant} others",
        "",
        f"{'threshold':>9}  precision  recall  others kept",
    ]
    step = max(1, round((len(found) - 1) / _SHOWN_STEPS))
    lines += [_row(candidate) for candidate in found[::step]]
    lines.append("")
    for gate, candidate in suggested(found).items():
        lines.append(f"{_row(candidate)}  {gate}: {setting} = {candidate.threshold}")
    levels = ", ".join(str(candidate.threshold) for candidate in suggested(found).values())
    lines += ["", f'metric = "{metric}"', f"confidence_levels = [{levels}]"]
    return "\n".join(lines)


def _row(candidate: Candidate) -> str:
    return (
        f"{candidate.threshold:9.2f}  {candidate.precision:9.3f}  {candidate.recall:6.3f}"
        f"  {candidate.others_kept:11.4f}"
    )


def _as_json(found: Sequence[Candidate], metric: Metric, pairs: Sequence[Pair]) -> str:
    rows = [{name: getattr(candidate, name) for name in Candidate.__slots__} for candidate in found]
    chosen = {gate: candidate.threshold for gate, candidate in suggested(found).items()}
    relevant = sum(pair.relevant for pair in pairs)
    return json.dumps(
        {
            "metric": metric,
            "relevant": relevant,
            "others": len(pairs) - relevant,
            "range": [0.0, MAX_THRESHOLD[metric]],
            "suggested": chosen,
            "candidates": rows,
        },
        indent=2,
    )
