"""Recorded answers: read from a file, and streamed as the frames of a model."""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, repeat
from pathlib import Path
from typing import Any

from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError

DONE = b"data: [DONE]\n\n"
CREATED = 1_700_000_000  # fixed, so that the same request gives the same bytes
MODEL = "replay"

_TOKEN = re.compile(r"\s{0,1}[^\s]{1,4}|\s")  # about as long as a tokenizer's tokens
_WORD = re.compile(r"\s{0,8}\S{1,80}|\s{1,8}")
RECORDED = "recorded"  # as the pieces came, where the file says how
SPLITS = ("token", "char", "word", "random", "whole", RECORDED)


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A recorded answer with its question and passages.

    `pieces`: (milliseconds since the request, text) of each piece; empty if not recorded.
    """

    question: str
    chunks: tuple[RetrievedChunk, ...]
    answer: str
    pieces: tuple[tuple[float, str], ...] = ()


def read_records(path: Path) -> list[RecordedAnswer]:
    """Read JSON lines with `question`, `chunks` and `answer`, unpacked if the name ends in .gz.

    Raises `ConfigError` with the invalid line, or for a file without answers.
    """
    raw = path.read_bytes()
    try:
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile) as exc:
        raise ConfigError(f"{path} is not UTF-8 text, or not what its name says") from exc
    lines = text.split("\n")
    found = [_record(line, f"{path}:{n}") for n, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise ConfigError(f"{path} holds no recorded answer")
    return found


def _record(line: str, where: str) -> RecordedAnswer:
    try:
        row = json.loads(line)
        chunks = tuple(_chunk(chunk) for chunk in row.get("chunks") or ())
        question, answer = row["question"], row["answer"]
        question = "" if question is None else question  # of a request that asked none
        pieces = tuple((float(at), str(text)) for at, text in row.get("pieces") or ())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
        raise ConfigError(
            f"{where} is no JSON object with question, chunks (texts or objects with a text)"
            " and answer"
        ) from exc
    if not isinstance(question, str) or not isinstance(answer, str):
        raise ConfigError(f"{where}: question and answer must be text")
    if pieces and "".join(text for _, text in pieces) != answer:
        raise ConfigError(f"{where}: its pieces do not join to its answer")
    return RecordedAnswer(question, chunks, answer, pieces)


def pieces_of(record: RecordedAnswer, split: str, seed: int = 0) -> list[str]:
    """Return the answer in its pieces; a record without pieces is cut into tokens."""
    if split == RECORDED and record.pieces:
        return [text for _, text in record.pieces]
    return cut(record.answer, split, seed)


def due_of(record: RecordedAnswer, split: str, rate: float) -> Iterator[float]:
    """Yield when the event after each piece is due, in seconds from the beginning; endless.

    `rate` in pieces per second, 0 for at once; recorded pieces keep their own times.
    """
    if split == RECORDED and record.pieces:
        yield from (at / 1e3 for at, _ in record.pieces)
        yield from repeat(record.pieces[-1][0] / 1e3)
    yield from (number / rate if rate else 0.0 for number in count(1))


def _chunk(chunk: Any) -> RetrievedChunk:
    if isinstance(chunk, str):
        return RetrievedChunk(chunk)
    return RetrievedChunk(str(chunk["text"]), chunk.get("id"), chunk.get("source"))


def cut(text: str, split: str, seed: int) -> list[str]:
    """Return pieces that join to `text`; `seed` is used by `random` only."""
    if split == "char":
        return list(text)
    if split in ("token", RECORDED):
        return _TOKEN.findall(text)
    if split == "word":
        return _WORD.findall(text)
    if split == "whole":
        return [text] if text else []
    rng = random.Random(f"{seed}:{len(text)}")  # noqa: S311  (a repeatable cut, no secret)
    pieces, at = [], 0
    while at < len(text):
        size = rng.choice((0, 1, 1, 2, 3, 4, 4, 5, 9, 30))
        pieces.append(text[at : at + size])
        at += size
    return pieces


def events(
    record: RecordedAnswer, number: int, *, split: str, seed: int = 0, usage: bool = False
) -> Iterator[bytes]:
    """Yield the events of a streamed answer, the end sign included.

    `usage`, as clients request it: null in every chunk, and a chunk of its own at the end.
    """
    more: dict[str, Any] = {"usage": None} if usage else {}
    yield _event(number, _choice({"role": "assistant", "content": ""}), **more)
    pieces = pieces_of(record, split, seed)
    for piece in pieces:
        yield _event(number, _choice({"content": piece}), **more)
    yield _event(number, _choice({}, "stop"), **more)
    if usage:
        yield _event(number, None, usage=_usage(len(pieces)))
    yield DONE


def _choice(delta: Mapping[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _event(number: int, choice: dict[str, Any] | None, **more: Any) -> bytes:
    chunk = {
        "id": f"chatcmpl-replay-{number}",
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": MODEL,
        "choices": [] if choice is None else [choice],
        **more,
    }
    return b"data: " + json.dumps(chunk, separators=(",", ":")).encode() + b"\n\n"


def _usage(tokens: int) -> dict[str, int]:
    return {"prompt_tokens": 0, "completion_tokens": tokens, "total_tokens": tokens}


def whole_answer(record: RecordedAnswer, number: int) -> dict[str, Any]:
    """Return the answer as the JSON of a request without streaming."""
    message = {"role": "assistant", "content": record.answer, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return {
        "id": f"chatcmpl-replay-{number}",
        "object": "chat.completion",
        "created": CREATED,
        "model": MODEL,
        "choices": [choice],
        "usage": _usage(len(_TOKEN.findall(record.answer))),
    }
