"""Reads labelled answers line by line, and checks them."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from pydantic import ValidationError

from streamguard.commands.inputs import chunk_of
from streamguard.commands.progress import progress
from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import GuardrailsResult
from streamguard.core.verdict.claimed import VERIFIER
from streamguard.errors import ConfigError, DecodeError, UpstreamError
from streamguard.evaluation.feedback_sample import Marked
from streamguard.evaluation.labels import Judged, Labelled
from streamguard.finished import check_text
from streamguard.verify.verifier import Verifier

MAX_SILENT = 5  # answers in a row on which a verifier may fail; guess: it is gone for good

LABELLED_HELP = """\
{file} holds one JSON object a line (.gz allowed):
  {{"question": "...", "chunks": ["...", {{"text": "...", "id": "..."}}], "answer": "...",
   "labels": [{{"start": 10, "end": 24}}], "hallucinated": true}}
      labels are code point offsets of what the chunks do not support; either of labels and
      hallucinated will do, an empty list says that nothing is wrong. Optional: task, model,
      source_id (answers with one of these, or with one question and chunks, are resampled
      together), fold.
  a line of the chat page's --feedback file: a thumb up or down is a label of the answer,
      "was supported" one of a sentence; the verdict that was shown then is measured"""


def read_labelled(name: str) -> list[Labelled]:
    """Return the labelled answers of a file; all feedback on one answer becomes one of them.

    Raises `OSError`, `DecodeError` with file, line, the value seen and the allowed ones, and
    `ConfigError` if the file has no labelled answer.
    """
    opened = gzip.open if name.endswith(".gz") else open
    rows: list[Labelled] = []
    feedback: dict[str, Marked] = {}
    with opened(Path(name), "rb") as lines:
        try:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    where = f"{name}, line {number}"
                    _take(_decoded(line, where), where, rows, feedback)
        except (EOFError, gzip.BadGzipFile, zlib.error) as exc:
            raise DecodeError(f"{name} is no whole gzip file: {exc}") from exc
    marked = [one.judged().row for one in feedback.values()]
    rows += [row for row in marked if row.hallucinated is not None or row.sentences]
    if not rows:
        raise ConfigError(f"{name} holds no labelled answers")
    return rows


def failures(result: GuardrailsResult, verifier: str) -> list[str]:
    """Return the errors of the verifier of that name in one answer."""
    prefix = f"{VERIFIER}{verifier}: "
    return [error.removeprefix(prefix) for error in result.errors if error.startswith(prefix)]


def judge(
    rows: Sequence[Labelled], policy: Policy, verifiers: Sequence[Verifier] = ()
) -> tuple[list[Judged], float]:
    """Check every answer without a verdict; progress goes to standard error.

    Also returns microseconds of CPU per checked sentence, 0.0 without any; building the index of an
    answer's chunks is included. Raises `UpstreamError` if a verifier failed on `MAX_SILENT` answers
    in a row, `ConfigError` for a policy that checks nothing.
    """
    if not policy.validation_enabled:
        raise ConfigError(
            f"validation_enabled of {policy.name} is false: there is nothing to check"
        )
    judged, spent, sentences = [], 0.0, 0
    silent: Counter[str] = Counter()  # answers in a row on which a verifier failed
    with progress("checking") as step:
        for number, row in enumerate(rows, 1):
            result = row.result
            if result is None:
                began = process_time()
                result = check_text(
                    row.answer, context=row.context, policy=policy, verifiers=verifiers
                )
                spent += process_time() - began
                sentences += len(result.sentences)
                for verifier in verifiers:
                    _count_silence(silent, verifier.name, result, number)
            judged.append(Judged(row, result))
            step("", number, len(rows))
    return judged, 1e6 * spent / max(1, sentences)


def _count_silence(silent: Counter[str], name: str, result: GuardrailsResult, number: int) -> None:
    wrong = failures(result, name)
    spoke = any(one.verifier == name for s in result.sentences for one in s.opinions)
    if spoke:
        silent[name] = 0
    elif wrong:
        silent[name] += 1
    if silent[name] >= MAX_SILENT:
        raise UpstreamError(
            f"verifier {name} has failed on {MAX_SILENT} answers in a row, up to answer {number}:"
            f" {wrong[0]}"
        )


def _decoded(line: bytes, where: str) -> str:
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise DecodeError(f"{where} is not UTF-8: byte {exc.start + 1}") from exc


def _take(line: str, where: str, rows: list[Labelled], feedback: dict[str, Marked]) -> None:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise DecodeError(f"{where} is not JSON: {exc}") from exc
    if not isinstance(item, dict):
        raise DecodeError(f"{where} is {_described(item)}, expected an object")
    if "annotation" in item:
        _feedback(item, where, feedback)
    else:
        rows.append(_labelled(item, where))


def _labelled(item: Mapping[str, Any], where: str) -> Labelled:
    question, answer = item.get("question"), item.get("answer")
    if question is not None and not isinstance(question, str):
        raise DecodeError(f"{where}: question is {_described(question)}, expected a string or null")
    if not isinstance(answer, str):
        raise DecodeError(f"{where}: answer is {_described(answer)}, expected a string")
    chunks = item.get("chunks")
    if not isinstance(chunks, list):
        raise DecodeError(f"{where}: chunks is {_described(chunks)}, expected a list")
    read = [chunk_of(chunk, f"{where}: chunk {at}") for at, chunk in enumerate(chunks, 1)]
    spans = _spans(item.get("labels"), len(answer), where)
    hallucinated = _hallucinated(item.get("hallucinated"), spans, where)
    source = item.get("source_id")
    together = str(source) if source is not None else json.dumps([question, chunks])
    return Labelled(
        answer,
        Context(query=question, chunks=read),
        hallucinated,
        spans,
        group=together,
        fold=_fold(item.get("fold"), where),
        task=_text(item, "task", where),
        model=_text(item, "model", where),
    )


def _spans(labels: Any, length: int, where: str) -> tuple[tuple[int, int], ...] | None:
    if labels is None:
        return None
    if not isinstance(labels, list):
        raise DecodeError(f"{where}: labels is {_described(labels)}, expected a list")
    spans = []
    for at, label in enumerate(labels, 1):
        found = label if isinstance(label, dict) else {}
        start, end = found.get("start"), found.get("end")
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
            raise DecodeError(
                f"{where}: label {at} is {_described(label)}, expected start and end with"
                f" 0 <= start < end <= {length}, the answer's length in code points"
            )
        spans.append((start, end))
    return tuple(spans)


def _hallucinated(value: Any, spans: tuple[tuple[int, int], ...] | None, where: str) -> bool:
    if value is None and spans is not None:
        return bool(spans)
    if not isinstance(value, bool):
        raise DecodeError(
            f"{where}: hallucinated is {_described(value)}, expected true or false, or labels"
        )
    if spans is not None and bool(spans) != value:
        raise DecodeError(
            f"{where}: hallucinated is {_described(value)}, but labels holds {len(spans)}"
        )
    return value


def _fold(fold: Any, where: str) -> int | None:
    if fold is None or type(fold) is int:
        return fold
    raise DecodeError(f"{where}: fold is {_described(fold)}, expected a whole number")


def _text(item: Mapping[str, Any], field: str, where: str) -> str | None:
    value = item.get(field)
    if value is None or isinstance(value, str):
        return value
    raise DecodeError(f"{where}: {field} is {_described(value)}, expected a string")


def _feedback(item: Mapping[str, Any], where: str, feedback: dict[str, Marked]) -> None:
    """Add one mark; the last mark on an answer or sentence counts."""
    annotation, label, sentence = item["annotation"], item.get("label"), item.get("sentence")
    found = annotation.get("result") if isinstance(annotation, dict) else None
    if isinstance(annotation, dict) and annotation.get("state") == "skipped":
        return  # the answer was not judged, so no mark on it counts
    if not isinstance(found, dict):
        raise DecodeError(f"{where}: annotation.result is {_described(found)}, expected a result")
    try:
        result = GuardrailsResult.model_validate(found)
    except ValidationError as exc:
        first = exc.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise DecodeError(f"{where}: annotation.result.{field}: {first['msg']}") from exc
    name = str(annotation.get("id"))
    before = feedback.get(name)
    if isinstance(sentence, int) and not 0 <= sentence < len(result.sentences):
        count = len(result.sentences)
        raise DecodeError(f"{where}: sentence is {sentence}, the answer has {count} sentences")
    marks = [] if before is None else before.marks
    on = sentence if isinstance(sentence, int) else None
    feedback[name] = Marked(name, result, [*marks, (str(label), on)])


def _described(value: Any) -> str:
    return "missing" if value is None else json.dumps(value)[:80]
