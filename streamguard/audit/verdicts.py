"""The verdict on a logged answer as a row, the differences of two verdicts, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from streamguard.core.model.result import GuardrailsResult

Verdict = dict[str, Any]  # one row of the output, see `verdict_row`
Counts = dict[str, Any]  # numbers by name, nested; added up by `add`

EXAMPLES = 5  # of each flip that the summary names by file and line
SAME = "same status"
_FIGURES = ("groundedness", "doubt", "relevance", "completeness", "hallucination", "drift")


def verdict_row(
    place: Mapping[str, Any], result: GuardrailsResult, *, whole: bool = False
) -> Verdict:
    """Return the row of one answer, beginning with `place`: file, line, id, choice and model.

    It holds no text of answer or passages, unless `whole`: then `result` is the complete result.
    """
    scores = result.scores
    row: Verdict = {
        **place,
        "policy": result.policy,
        "status": result.status,
        "verdict": scores.verdict,
        "refusal": result.refusal.extent,
        "reasons": [reason.code for reason in result.reasons],
        "flags": list(result.flags),
        "findings": [
            {
                "check": each.check,
                "flag": each.flag,
                "severity": each.severity,
                "start": each.start,
                "end": each.end,
            }
            for each in result.findings
        ],
        "claims": result.total_claims,
        "supported": result.supported_claims,
        **{name: getattr(scores, name) for name in _FIGURES},
    }
    if whole:
        row["result"] = result.model_dump(mode="json")
    return row


def change(before: Verdict, after: Verdict) -> dict[str, Any] | None:
    """Return the differences between two verdicts on one answer, None if equal.

    `status` and `verdict` hold both values, the other keys the entries in only one verdict.
    """
    earlier, later = _entries(before), _entries(after)
    appeared = list((later - earlier).elements())
    disappeared = list((earlier - later).elements())
    reasons = set(before["reasons"]), set(after["reasons"])
    changed = {
        "status": [before["status"], after["status"]],
        "verdict": [before["verdict"], after["verdict"]],
        "appeared": [_finding(each) for each in appeared],
        "disappeared": [_finding(each) for each in disappeared],
        "reasons_appeared": sorted(reasons[1] - reasons[0]),
        "reasons_disappeared": sorted(reasons[0] - reasons[1]),
    }
    same = all(len(set(changed[name])) == 1 for name in ("status", "verdict"))
    return None if same and not any(list(changed.values())[2:]) else changed


def _entries(row: Verdict) -> Counter[tuple[Any, ...]]:
    return Counter(
        (each["check"], each["flag"], each["severity"], each["start"], each["end"])
        for each in row["findings"]
    )


def _finding(entry: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(("check", "flag", "severity", "start", "end"), entry, strict=True))


def counts_of(rows: Iterable[Verdict]) -> Counts:
    """Return the counts of statuses, verdicts, flags, checks, reasons and changes."""
    counts: Counts = {"answers": 0, "compared": 0, "flips": {}, "verdict_flips": {}}
    for name in ("status", "verdict", "flags", "checks", "reasons"):
        counts[name] = Counter()
    for row in rows:
        counts["answers"] += 1
        counts["status"][str(row["status"])] += 1
        counts["verdict"][str(row["verdict"])] += 1
        counts["flags"].update(row["flags"])
        counts["checks"].update({each["check"] for each in row["findings"]})
        counts["reasons"].update(row["reasons"])
        counts["compared"] += "changed" in row
        if row.get("changed"):
            _count_change(counts, row)
    return counts


def _count_change(counts: Counts, row: Verdict) -> None:
    changed = row["changed"]
    for name, key in (("flips", "status"), ("verdict_flips", "verdict")):
        before, after = changed[key]
        if before == after and name == "verdict_flips":
            continue
        label = SAME if before == after else f"{before} to {after}"
        flip = counts[name].setdefault(label, {"answers": 0, "why": Counter(), "examples": []})
        flip["answers"] += 1
        flip["why"].update(_why(changed))
        if len(flip["examples"]) < EXAMPLES:
            flip["examples"].append({"file": row["file"], "line": row["line"]})


def _why(changed: Mapping[str, Any]) -> set[str]:
    """Return the new (+) and missing (-) checks and reasons, each once per answer."""
    return {
        *(f"+ reason {code}" for code in changed["reasons_appeared"]),
        *(f"- reason {code}" for code in changed["reasons_disappeared"]),
        *(f"+ check {each['check']}" for each in changed["appeared"]),
        *(f"- check {each['check']}" for each in changed["disappeared"]),
    }


def add(total: Counts, more: Mapping[str, Any]) -> None:
    """Add `more` to `total`, name by name; the first few examples are kept, in order."""
    for name, value in more.items():
        if isinstance(value, Mapping):
            add(total.setdefault(name, {}), value)
        elif isinstance(value, list):
            total[name] = (total.get(name, []) + value)[:EXAMPLES]
        else:
            total[name] = total.get(name, 0) + value
