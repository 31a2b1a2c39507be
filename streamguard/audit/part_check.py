"""One part of an audit: read, check, compare, write and count its rows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, Literal

from streamguard.audit import parquet
from streamguard.audit.context_cache import Contexts
from streamguard.audit.log_files import MAX_ROW_BYTES, FilePart
from streamguard.audit.logged import Logged, NoAnswer, read_row
from streamguard.audit.verdicts import Counts, Verdict, change, counts_of, verdict_row
from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.brought import Brought
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import GuardrailsResult
from streamguard.core.model.types import Ended
from streamguard.errors import ConfigError, DecodeError

Form = Literal["jsonl", "parquet"]
VERDICTS, ERRORS = "verdicts", "errors"  # folders of an audit
_CONTEXTS = Contexts()  # of this process, for all parts: many answers share few contexts
_KEPT_CHARS = 65_536  # of a row that cannot be read, in the file of errors; guess


@dataclass(frozen=True, slots=True)
class Job:
    """The work of an audit on each part.

    `out` is the audit's folder. `baseline`: the policy to compare with, or the folder of another
    audit of the same files. `whole`: rows hold the complete result.
    """

    out: str
    policy: Policy
    baseline: Policy | str | None = None
    mapping: Mapping[str, str] | None = None
    form: Form = "jsonl"
    whole: bool = False


Record = dict[str, Any]  # what the manifest keeps of a part


def check_part(job: Job, part: FilePart) -> Record:
    """Check the rows of a part, write its verdicts and errors, and return its record.

    Files are written atomically, and the same part gives the same bytes. Raises `OSError` if they
    cannot be written.
    """
    began = process_time()
    errors: list[dict[str, Any]] = []
    skipped: dict[str, int] = {}
    rows = list(_verdicts(job, part, errors, skipped))
    name = part_name(part.source.number, part.number)
    if job.form == "parquet":
        write_atomically(Path(job.out, VERDICTS, f"{name}.parquet"), parquet.packed(rows))
    else:
        _write(Path(job.out, VERDICTS, f"{name}.jsonl"), rows)
    if errors:
        _write(Path(job.out, ERRORS, f"{name}.jsonl"), errors)
    counts = {
        "rows": sum(1 for line in part.lines if line.strip()),
        "errors": len(errors),
        "skipped": skipped,
        "cpu_s": round(process_time() - began, 6),
        **counts_of(rows),
    }
    return {
        "source": part.source.number,
        "part": part.number,
        "lines": len(part.lines),
        "digest": part.digest,
        "share": round(part.share, 6),
        "counts": counts,
    }


def part_name(source: int, part: int) -> str:
    """Return the name of a part's files without suffix."""
    return f"part-{source:05}-{part:07}"


def read_verdicts(folder: str | Path, source: int, part: int) -> list[Verdict]:
    """Return the verdicts of a part of another audit.

    Raises `DecodeError` if the file is missing or not written by an audit.
    """
    path = Path(folder, VERDICTS, part_name(source, part))
    try:
        if path.with_suffix(".parquet").exists():
            return parquet.unpacked(path.with_suffix(".parquet"))
        path = path.with_suffix(".jsonl")
        return [json.loads(line) for line in path.read_bytes().splitlines()]
    except (OSError, ValueError) as exc:
        raise DecodeError(f"{path} is not the verdicts of an audit: {exc}") from exc


def _verdicts(
    job: Job, part: FilePart, errors: list[dict[str, Any]], skipped: dict[str, int]
) -> Iterator[Verdict]:
    """Yield the verdicts of a part; record its errors and the rows without an answer."""
    earlier: dict[tuple[int, int], Verdict] = {}
    if isinstance(job.baseline, str):
        rows = read_verdicts(job.baseline, part.source.number, part.number)
        earlier = {(row["line"], row["choice"]): row for row in rows}
    for line, raw in enumerate(part.lines, part.first):
        if not raw.strip():
            continue
        place: dict[str, Any] = {"file": part.source.name, "line": line}
        try:
            logged = _logged(raw, job.mapping)
        except Exception as exc:  # no row may end an audit
            known = isinstance(exc, ConfigError | DecodeError)
            why = str(exc) if known else f"it cannot be read: {type(exc).__name__}"
            kept = raw[:_KEPT_CHARS].decode(errors="backslashreplace")
            errors.append({**place, "error": why, "row": kept})
            continue
        if isinstance(logged, NoAnswer):
            skipped[logged.kind] = skipped.get(logged.kind, 0) + 1
            continue
        context = _CONTEXTS.known(logged.context)
        for choice, text in sorted(logged.texts.items()):
            origin = {**place, "id": logged.id, "choice": choice, "model": logged.model}
            brought = [each for its, each in logged.brought if its == choice]
            result = _result(text, choice, logged.ended, context, job.policy, brought)
            row = verdict_row(origin, result, whole=job.whole)
            before = earlier.get((line, choice))
            if isinstance(job.baseline, Policy):
                other = _result(text, choice, logged.ended, context, job.baseline, brought)
                before = verdict_row(origin, other)
            if before is not None:
                row["changed"] = change(before, row)
            yield row
    if part.broken is not None:
        after = part.first + len(part.lines) - 1
        place = {"file": part.source.name, "line": after + 1}
        errors.append({**place, "error": f"behind line {after}: {part.broken}", "row": ""})


def _result(
    text: str,
    choice: int,
    ended: Ended,
    context: Context,
    policy: Policy,
    brought: Iterable[Brought],
) -> GuardrailsResult:
    guard = StreamGuard(context, policy, choice=choice)
    for each in brought:
        guard.bring(each)
    guard.feed(text)
    return guard.close(ended)


def _logged(raw: bytes, mapping: Mapping[str, str] | None) -> Logged | NoAnswer:
    if len(raw) > MAX_ROW_BYTES:
        raise DecodeError(f"the row is longer than {MAX_ROW_BYTES:,} bytes")
    try:
        row = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as exc:
        raise DecodeError(f"the row is not UTF-8: byte {exc.start}") from exc
    except (ValueError, RecursionError) as exc:
        raise DecodeError(f"the row is not JSON: {exc}") from exc
    return read_row(row, mapping)


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON lines, in ASCII: a lone surrogate of an answer is no UTF-8."""
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    write_atomically(path, text.encode("ascii"))


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically, also with respect to a crash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with unfinished.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    unfinished.replace(path)


def empty_counts() -> Counts:
    """Return the counts of no rows."""
    return {"rows": 0, "errors": 0, "skipped": {}, "cpu_s": 0.0, **counts_of(())}
