"""A complete audit: from files to verdicts, errors and a summary, resumable."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from streamguard.audit.engines import cores, in_processes
from streamguard.audit.log_files import PART_ROWS, FilePart, LogFile, parts_of, sources_of
from streamguard.audit.manifest import Manifest, read_manifest
from streamguard.audit.part_check import (
    Job,
    Record,
    check_part,
    empty_counts,
    read_verdicts,
    write_atomically,
)
from streamguard.audit.verdicts import Counts, add, change, counts_of
from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError
from streamguard.version import __version__

Engine = Literal["local", "ray"]
Digests = Mapping[tuple[int, int], str]  # of the lines of each part, by file and number
SUMMARY = "summary.json"
# Called with the share of all bytes that is done, and with the counts so far.
OnProgress = Callable[[float, Counts], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """The files and settings of an audit; `workers`: processes or cores, None for all."""

    files: Sequence[str]
    job: Job
    engine: Engine = "local"
    workers: int | None = None
    part_rows: int = PART_ROWS


def audit(plan: Plan, on_progress: OnProgress = lambda share, counts: None) -> dict[str, Any]:
    """Check the unfinished parts of an audit, write its summary, and return it.

    `on_progress` is called after each part. Raises `ConfigError` if the folder holds another audit
    or a file has changed, `OSError` if files cannot be read or written.
    """
    sources = sources_of(plan.files)
    manifest = Manifest(plan.job.out, _settings(plan, sources))
    on_progress(manifest.share, manifest.counts)
    for record in _records(plan, sources, manifest):
        manifest.keep(record)
        on_progress(manifest.share, manifest.counts)
    summary = {
        **_heading(plan, sources),
        "errors_in": str(Path(plan.job.out, "errors")),
        "counts": _total(plan.job.out),
    }
    write_atomically(
        Path(plan.job.out, SUMMARY), json.dumps(summary, indent=1).encode("ascii") + b"\n"
    )
    return summary


def _total(folder: str) -> Counts:
    """Return the counts of all parts, added in order so that the first examples stay."""
    counts = empty_counts()
    for record in read_manifest(folder)[1]:
        add(counts, record["counts"])
    counts["cpu_s"] = round(counts["cpu_s"], 6)
    return counts


def _records(plan: Plan, sources: Sequence[LogFile], manifest: Manifest) -> Iterator[Any]:
    work = partial(check_part, plan.job)
    before = plan.job.baseline if isinstance(plan.job.baseline, str) else None
    digests = None if before is None else _digests(before)
    left = partial(_left, manifest=manifest, part_rows=plan.part_rows, before=digests)
    if plan.engine == "ray":
        from streamguard.audit.on_ray import on_ray

        return on_ray(sources, left, work, plan.workers)
    parts = (part for source in sources for part in left(source))
    return in_processes(parts, work, plan.workers or cores())


def _left(
    source: LogFile, *, manifest: Manifest, part_rows: int, before: Digests | None
) -> Iterator[FilePart]:
    """Yield the unfinished parts of a file.

    Raises `ConfigError` for a part whose rows differ from those of the audit to compare with.
    """
    for part in parts_of(source, part_rows):
        if not manifest.done(part):
            if before is not None:
                _check_same(before, part.source.number, part.number, part.digest)
            yield part


def _digests(folder: str) -> Digests:
    """Return the digest of every part of another audit."""
    records = read_manifest(folder)[1]
    return {(each["source"], each["part"]): each["digest"] for each in records}


def _check_same(before: Digests, source: int, part: int, digest: str) -> None:
    if before.get((source, part)) != digest:
        raise ConfigError(f"part {part + 1} of file {source + 1} holds other rows there")


def _heading(plan: Plan, sources: Sequence[LogFile]) -> dict[str, Any]:
    baseline = plan.job.baseline
    return {
        "streamguard": __version__,
        "policy": plan.job.policy.name,
        "baseline": baseline.name if isinstance(baseline, Policy) else baseline,
        "sources": [{"name": source.name, "size": source.size} for source in sources],
    }


def _settings(plan: Plan, sources: Sequence[LogFile]) -> dict[str, Any]:
    """Return the settings that identify an audit; raises `ConfigError` for another's verdicts."""
    job = plan.job
    settings = {
        **_heading(plan, sources),
        "part_rows": plan.part_rows,
        "mapping": job.mapping,
        "form": job.form,
        "whole": job.whole,
        "policy_settings": job.policy.model_dump(mode="json"),
    }
    if isinstance(job.baseline, Policy):
        settings["baseline_settings"] = job.baseline.model_dump(mode="json")
    elif job.baseline is not None:
        _check_same_rows(job.baseline, settings)
    return settings


def _check_same_rows(folder: str, settings: dict[str, Any]) -> None:
    """Reject another audit's verdicts if it is unfinished or has other files or parts."""
    known, records = read_manifest(folder)
    sizes = [source["size"] for source in settings["sources"]]
    was = [source["size"] for source in known["sources"]]
    if sizes != was or known["part_rows"] != settings["part_rows"]:
        raise ConfigError(
            f"{folder} holds an audit of files of {was} bytes in parts of"
            f" {known['part_rows']} rows; these have {sizes} and {settings['part_rows']}"
        )
    _check_finished(folder, records)


def _check_finished(folder: str, records: Sequence[Record]) -> None:
    if not Path(folder, SUMMARY).exists():
        raise ConfigError(f"the audit in {folder} is not finished: {len(records)} parts are done")


def compare(after: str, before: str) -> dict[str, Any]:
    """Return the summary of one finished audit, compared with another of the same rows.

    Raises `ConfigError` if their rows differ, `OSError` and `DecodeError` for folders without an
    audit.
    """
    settings, records = read_manifest(after)
    _check_finished(after, records)
    _check_same_rows(before, settings)
    digests, counts = _digests(before), empty_counts()
    for record in records:
        place = record["source"], record["part"]
        _check_same(digests, *place, record["digest"])
        earlier = {(row["line"], row["choice"]): row for row in read_verdicts(before, *place)}
        rows = read_verdicts(after, *place)
        for row in rows:
            row.pop("changed", None)
            if (row["line"], row["choice"]) in earlier:
                row["changed"] = change(earlier[row["line"], row["choice"]], row)
        kept = {name: record["counts"][name] for name in ("rows", "errors", "skipped", "cpu_s")}
        add(counts, {**kept, **counts_of(rows)})
    heading = {name: settings[name] for name in ("streamguard", "policy", "sources")}
    errors = str(Path(after, "errors"))
    return {**heading, "baseline": before, "errors_in": errors, "counts": counts}
