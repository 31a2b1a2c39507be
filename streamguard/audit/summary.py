"""The summary of an audit: its figures as JSON and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from streamguard.audit.verdicts import SAME
from streamguard.text.words import counted

_MOST = 12  # lines of one list of the table; guess
_ORDER = {label: at for at, label in enumerate(("PASS", "WARN", "REFUSE", "FAIL", "None"))}


def table(summary: Mapping[str, Any]) -> str:
    """Return the summary for people to read."""
    return "\n".join(_lines(summary)) + "\n"


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    counts = summary["counts"]
    answers = counts["answers"]
    yield (
        f"{counted(answers, 'answer')} in {counted(counts['rows'], 'row')}, files:"
        f" {len(summary['sources']):,}; policy {summary['policy']}"
    )
    for kind, number in sorted(counts["skipped"].items()):
        yield f"  {counted(number, 'row')} without an answer: {kind}"
    if counts["errors"]:
        yield f"  {counted(counts['errors'], 'row')} could not be read: see {summary['errors_in']}"
    if answers and counts["cpu_s"]:
        yield f"  {1e3 * counts['cpu_s'] / answers:.2f} ms of one core an answer"
    for name in ("status", "verdict", "reasons", "flags", "checks"):
        yield from _list(name, counts[name], answers)
    if summary.get("baseline") is not None:
        yield from _flips(summary, counts)


def _list(name: str, found: Mapping[str, int], answers: int) -> Iterator[str]:
    if not found:
        return
    yield ""
    yield f"{name:40}{'answers':>12}{'share':>9}"
    listed = sorted(
        found.items(), key=lambda item: (_ORDER.get(item[0], len(_ORDER)), -item[1], item[0])
    )
    for label, number in listed[:_MOST]:
        shown = "not evaluated" if label == "None" else label
        yield f"  {shown:38}{number:>12,}{number / answers:>9.1%}"


def _flips(summary: Mapping[str, Any], counts: Mapping[str, Any]) -> Iterator[str]:
    compared = counts["compared"]
    flips: Mapping[str, Any] = counts["flips"]
    changed = sum(flip["answers"] for label, flip in flips.items() if label != SAME)
    yield ""
    yield (
        f"compared with {summary['baseline']}: the status of {changed:,} of {compared:,} answers"
        " flips"
    )
    if compared != counts["answers"]:
        yield f"  {counted(counts['answers'] - compared, 'answer')} without a verdict there"
    for title, found in (("", flips), ("score verdict ", counts["verdict_flips"])):
        for label, flip in sorted(found.items(), key=lambda item: (item[0] == SAME, item[0])):
            yield f"  {title + label:38}{flip['answers']:>12,}{flip['answers'] / compared:>9.1%}"
            why = sorted(flip["why"].items(), key=lambda item: (-item[1], item[0]))
            yield from (f"    {what:36}{number:>12,}" for what, number in why[:_MOST])
            places = ", ".join(f"{each['file']}:{each['line']}" for each in flip["examples"][:3])
            yield f"    as in {places}"
