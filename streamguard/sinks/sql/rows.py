"""The rows of a record in each table."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from streamguard.sinks.evaluations import SCORES
from streamguard.sinks.sql.records import About
from streamguard.sinks.sql.tables import DAY_MS, MAX_NAME_CHARS, MAX_VALUE_CHARS

Row = dict[str, Any]
Tally = tuple[str, int, str, str, str, str]  # kind, day, model, collection, policy, name
Json = Mapping[str, Any]

# Upper bounds of an answer's delay, in milliseconds: of "added_ms" tallies.
ADDED_MS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000)
_NO_RESULT: Json = {}


def result_row(id: str, state: str, about: About, result: Json | None) -> Row:
    """Return the row of `results` without its `seq`; `result` is the first choice's."""
    found = result or _NO_RESULT
    scores = found.get("scores") or _NO_RESULT
    retrieval = found.get("retrieval") or _NO_RESULT
    refusal = found.get("refusal") or _NO_RESULT
    flags = found.get("flags") or ()
    text = found.get("text") or _NO_RESULT
    return {
        "id": clean(id, 64),
        "created_ms": about.created_ms,
        "state": state,
        "model": clean(about.model),
        "collection": clean(about.collection),
        "policy": clean(found.get("policy") or ""),
        "policy_hash": clean(about.policy_hash, 16),
        "status": found.get("status"),
        "verdict": scores.get("verdict"),
        "flags": f",{','.join(map(clean, flags))}," if flags else "",
        **{name: scores.get(name) for name in SCORES},
        "citation_density": found.get("citation_density"),
        "supported_claims": found.get("supported_claims"),
        "total_claims": found.get("total_claims"),
        "confidence_level": retrieval.get("confidence_level"),
        "answerable": retrieval.get("is_answerable"),
        "refusal_kind": refusal.get("kind"),
        "refusal_extent": refusal.get("extent"),
        "ended": found.get("ended"),
        "code_points": text.get("code_points"),
        "pieces": None,
        "check_us": None,
        "request_ms": about.request_ms,
        "longest_ms": about.longest_ms,
        "tail_ms": about.tail_ms,
        "duration_ms": about.duration_ms,
        "keywords": " ".join(clean(word) for word in about.keywords),
        "hole": hole(found),
        "question": None if about.question is None else clean(about.question, None),
    }


def hole(result: Json) -> str | None:
    """Return why the documents may lack the answer, None without a sign of it.

    The first that applies: "refused": the answer or the gate declined, as the evidence suggested;
    "unsupported": nothing or too little of the answer is supported; "low_confidence": the retrieved
    passages were far from the question. A refusal against the evidence does not count.
    """
    refusal = result.get("refusal") or _NO_RESULT
    retrieval = result.get("retrieval") or _NO_RESULT
    if refusal.get("kind") == "over_refusal":
        return None
    if refusal.get("extent") == "whole" or retrieval.get("is_answerable") is False:
        return "refused"
    if result.get("status") == "REFUSE" or "no_context_warning" in (result.get("flags") or ()):
        return "unsupported"
    if retrieval.get("confidence_level") in ("low", "insufficient"):
        return "low_confidence"
    return None


def finding_rows(results: Iterable[Json]) -> Iterator[Row]:
    """Yield the rows of `findings` of each choice's result, without `result`."""
    for result in results:
        sentences = {
            number: position
            for position, sentence in enumerate(result["sentences"])
            for number in sentence["findings"]
        }
        for position, finding in enumerate(result["findings"]):
            value = finding["value"]
            yield {
                "choice": result["choice"],
                "position": position,
                "check": clean(finding["check"]),
                "flag": clean(finding["flag"]),
                "severity": finding["severity"],
                "value": None if value is None else clean(value, MAX_VALUE_CHARS),
                "sentence": sentences.get(position),
            }


def sentence_rows(about: About) -> Iterator[Row]:
    """Yield the rows of `sentences`, without `result`."""
    for choice, position, text in about.sentences:
        yield {"choice": choice, "position": position, "text": clean(text, None)}


def tallied(row: Row, findings: Iterable[Row]) -> Counter[Tally]:
    """Return the counts that one result adds to `tallies` and `name_tallies`.

    Kinds that count results: status, refusal (its kind), flag, level (of confidence), groundedness
    and doubt (the lower bound of a tenth: "0.0" to "0.9"), added_ms (the least bound in `ADDED_MS`,
    else "more"), and refused, unsupported and low_confidence (each keyword of results with this
    hole). A missing name is "none". Kinds that count findings: warning and info (the check), value
    (of warnings: the check, a space, the value).
    """
    names: list[tuple[str, str]] = [
        ("status", row["status"] or "none"),
        ("refusal", row["refusal_kind"] or "none"),
        ("level", row["confidence_level"] or "none"),
        ("groundedness", _tenth(row["groundedness"])),
        ("doubt", _tenth(row["doubt"])),
        ("added_ms", _added(row["request_ms"], row["tail_ms"])),
    ]
    names += (("flag", flag) for flag in row["flags"].split(",") if flag)
    if row["hole"] is not None:
        names += ((row["hole"], word) for word in row["keywords"].split())
    for finding in findings:
        names.append((finding["severity"], finding["check"]))
        if finding["value"] is not None and finding["severity"] == "warning":
            names.append(("value", f"{finding['check']} {finding['value']}"))
    day = row["created_ms"] // DAY_MS
    same = day, row["model"], row["collection"], row["policy"]
    return Counter((kind, *same, name) for kind, name in names)


def clean(text: str, most: int | None = MAX_NAME_CHARS) -> str:
    """Return `text` as every database accepts it: without NUL and lone surrogates, shortened."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    return text.replace("\x00", "\ufffd")[:most]


def _tenth(share: float | None) -> str:
    return "none" if share is None else f"0.{min(9, max(0, int(share * 10)))}"


def _added(request_ms: float | None, tail_ms: float | None) -> str:
    if request_ms is None and tail_ms is None:
        return "none"
    at = bisect_right(ADDED_MS, (request_ms or 0.0) + (tail_ms or 0.0))
    return "more" if at == len(ADDED_MS) else f"{ADDED_MS[at]:g}"
