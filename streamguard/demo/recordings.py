"""The answers that the demo plays: built-in cases, or recordings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from streamguard.core.model.types import RetrievedChunk
from streamguard.demo.cases import CASES, SHORT, DemoCase
from streamguard.demo.knowledge import PASSAGES
from streamguard.server.chat.recorded import RecordedAnswer, read_records


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded answer; `chunks` None means a chat without retrieval.

    `judged`: the demo's judge reads it too. `broken`: its stream ends without an end sign.
    """

    title: str
    question: str
    chunks: tuple[RetrievedChunk, ...] | None
    answer: str
    context_in: Literal["prompt", "body"] = "prompt"
    split: str = "token"  # one of `replay.SPLITS`
    judged: bool = False
    broken: bool = False


def built_in(*, every: bool = True) -> tuple[Recorded, ...]:
    """Return the built-in cases with their passages: all, or the first six unless `every`."""
    return tuple(_of_case(case) for case in (CASES if every else SHORT))


def _of_case(case: DemoCase) -> Recorded:
    keys = case.passages
    chunks = None if keys is None else tuple(PASSAGES[key] for key in keys)
    options = (case.context_in, case.split, case.judged, case.broken)
    return Recorded(case.title, case.question, chunks, case.answer, *options)


def read_recorded(path: str, count: int) -> tuple[Recorded, ...]:
    """Return at most `count` recorded answers of a file, spread over it, each question once.

    Raises `OSError` for an unreadable file, `ConfigError` for one with other content.
    """
    by_question = {record.question.strip(): record for record in read_records(Path(path))}
    return tuple(_of_record(record) for record in spread(list(by_question.values()), count))


def spread(records: Sequence[RecordedAnswer], count: int) -> list[RecordedAnswer]:
    """Return `count` of the records at even distances, the first among them; all, if fewer."""
    if len(records) <= count:
        return list(records)
    return [records[number * len(records) // count] for number in range(count)]


def _of_record(record: RecordedAnswer) -> Recorded:
    # The passages go in the body: no prompt requested [Cn] citations of these answers.
    return Recorded("recorded answer", record.question, record.chunks, record.answer, "body")
