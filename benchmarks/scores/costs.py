"""CPU time of checking and of indexing; run alternately for two versions and compared."""

import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from scores.answers import context_of, read
from streamguard.core.validate import check_text

_ANSWERS = 300  # of each set; a second of CPU
_WORDS = 250  # of index, a passage of a vector store


def measure(data: Path) -> dict[str, float]:
    """Return CPU microseconds by what was done."""
    found = {}
    for name, path in (
        ("everyday_dev", "everyday_dev.jsonl"),
        ("RAGTruth", "ragtruth_dev.jsonl.gz"),
    ):
        rows = read(data / path)
        if rows:
            rows = rows[:: max(1, len(rows) // _ANSWERS)]
            _timed(rows[:20])  # what is remembered of words is there in a process that serves
            sentence, index, again = _timed(rows)
            found[f"µs a sentence, {name}"] = sentence
            found[f"µs for {_WORDS} words of index, {name}"] = index
            found[f"µs for {_WORDS} words that were read before, {name}"] = again
    return found


def _timed(rows: Sequence[dict]) -> tuple[float, float, float]:
    """Return microseconds a sentence with the context prepared, and for `_WORDS` of index.

    Third: for the index of a further context with the same passages.
    """
    checking = indexing = knowing = sentences = words = 0
    forget = _forgetting()
    for row in rows:
        forget()
        context, again = context_of(row), context_of(row)
        start = time.process_time_ns()
        context.prepare()
        ready = time.process_time_ns()
        again.prepare()
        known = time.process_time_ns()
        result = check_text(row["answer"], context=context)
        checking += time.process_time_ns() - known
        indexing += ready - start
        knowing += known - ready
        sentences += len(result.sentences)
        words += sum(len(chunk.text.split()) for chunk in context.chunks)
    each = _WORDS / 1000 / max(1, words)
    return checking / 1000 / max(1, sentences), indexing * each, knowing * each


def _forgetting() -> Callable[[], None]:
    """Return what makes the code forget which passages it read, if it remembers any."""
    try:
        blocks = importlib.import_module("streamguard.core.index.blocks")
    except ImportError:
        return lambda: None
    return blocks.REMEMBERED.clear


if __name__ == "__main__":
    json.dump(measure(Path(sys.argv[1])), sys.stdout)
