"""Serialises an annotation: in parts short enough for an event loop, or cut to a size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args

from pydantic import TypeAdapter

from streamguard.core.model.result import (
    Annotation,
    GuardrailsResult,
    LeftOut,
    SentenceReport,
    ascii_line,
    without_text,
)
from streamguard.core.model.types import Finding

Detail = Literal["full", "findings", "verdict"]
DETAILS: tuple[Detail, ...] = get_args(Detail)

# An answer of 20,000 characters has some 130 KB, one of everyday length a tenth of it.
MAX_ANNOTATION_BYTES = 262_144
PART_ITEMS = 64  # findings or sentences of one part: some 40 KB, a third of a millisecond

# The fields that grow with the answer, in their order: the type of their items, and a function
# that returns an item without text.
_LONG: dict[str, tuple[TypeAdapter[Any], Callable[[Any], object]]] = {
    "findings": (TypeAdapter(tuple[Finding, ...]), without_text),
    "uncovered_claims": (TypeAdapter(tuple[str | None, ...]), lambda claim: None),
    "sentences": (TypeAdapter(tuple[SentenceReport, ...]), without_text),
}
# Their empty lists in the JSON. No string can match: quotation marks are escaped in strings.
_EMPTY = re.compile(rf'"(?P<name>{"|".join(_LONG)})":\[(?=\])')
_REPORTS: tuple[LeftOut, ...] = ("sentences", "evidence", "findings")


def json_parts(annotation: Annotation, *, text: bool = True) -> Iterator[str]:
    """Yield `annotation.to_json()` in parts short enough for an event loop, in order.

    Without `text`, that of `annotation.without_text()`.
    """
    short = _changed(annotation, lambda each: each.model_copy(update=dict.fromkeys(_LONG, ())))
    line = (short if text else short.without_text()).to_json()
    at = 0
    for number, empty in enumerate(_EMPTY.finditer(line)):
        yield line[at : empty.end()]
        at = empty.end()
        result, name = _results(annotation)[number // len(_LONG)], empty["name"]
        yield from map(ascii_line, _items(name, getattr(result, name), text))
    yield line[at:]


def size_of(annotation: Annotation) -> int:
    """Return the number of reports and findings in `annotation`: its cost in work."""
    return sum(len(each.findings) + len(each.sentences) for each in _results(annotation))


def in_band(
    annotation: Annotation, max_bytes: int = MAX_ANNOTATION_BYTES, detail: Detail = "full"
) -> str:
    """Return `to_json()` for the stream: at most `max_bytes`, with the given `detail`.

    `truncated` names the omitted parts, in this order: reports of sentences without findings, words
    of evidence, all reports and the last findings, and the verdict last. `detail` "findings" always
    omits the first of these, "verdict" all but the last. Id and state stay, whatever `max_bytes`.
    The cost is a small multiple of `max_bytes`, however long the answer was.
    """
    for shorter in _ever_shorter(annotation, detail):
        line = _within(shorter, max_bytes)
        if line is not None:
            return line
    left_out: dict[str, Any] = {"result": None, "choices": (), "truncated": (*_REPORTS, "result")}
    return annotation.model_copy(update=left_out).to_json()


def _ever_shorter(annotation: Annotation, detail: Detail) -> Iterator[Annotation]:
    results = _results(annotation)
    if not results or detail == "full":
        yield annotation
    if results and detail != "verdict":
        yield _changed(annotation, _with_fewer_sentences, _REPORTS[:1])
        yield _changed(
            annotation, lambda each: _without_evidence(_with_fewer_sentences(each)), _REPORTS[:2]
        )
        most = max(len(each.findings) for each in results)
        while (most := most // 2) > 0:
            yield _changed(annotation, partial(_without_reports, findings=most), _REPORTS)
    if results:
        yield _changed(annotation, partial(_without_reports, findings=0), _REPORTS)


def _results(annotation: Annotation) -> list[GuardrailsResult]:
    """Return the results in the order in which they are written."""
    return [each for each in (annotation.result, *annotation.choices) if each is not None]


def _changed(
    annotation: Annotation,
    change: Callable[[GuardrailsResult], GuardrailsResult],
    left_out: tuple[LeftOut, ...] | None = None,
) -> Annotation:
    changed = {
        "result": annotation.result and change(annotation.result),
        "choices": tuple(map(change, annotation.choices)),
        "truncated": annotation.truncated if left_out is None else left_out,
    }
    return annotation.model_copy(update=changed)


def _with_fewer_sentences(result: GuardrailsResult) -> GuardrailsResult:
    kept = tuple(each for each in result.sentences if each.findings)
    return result.model_copy(update={"sentences": kept})


def _without_reports(result: GuardrailsResult, findings: int) -> GuardrailsResult:
    kept = {"sentences": (), "findings": result.findings[:findings]}
    return _without_evidence(result.model_copy(update=kept))


def _without_evidence(result: GuardrailsResult) -> GuardrailsResult:
    """Return `result` without words of the passages and without the list of uncovered claims."""
    changed = {
        "findings": tuple(
            replace(one, nearest=one.nearest and replace(one.nearest, value=None))
            for one in result.findings
        ),
        "sentences": tuple(
            replace(
                one,
                evidence=one.evidence and replace(one.evidence, derivation=None, operands=()),
                reasons=(),
            )
            for one in result.sentences
        ),
        "uncovered_claims": (),
    }
    return result.model_copy(update=changed)


def _within(annotation: Annotation, max_bytes: int) -> str | None:
    """Return the JSON, None if it is too long; serialising stops at the limit."""
    parts, left = [], max_bytes
    for part in json_parts(annotation):
        left -= len(part)  # of ASCII
        if left < 0:
            return None
        parts.append(part)
    return "".join(parts)


def _items(name: str, items: tuple[Any, ...], text: bool) -> Iterator[str]:
    """Yield the items of a long field as JSON, without the brackets around them."""
    adapter, bare = _LONG[name]
    for at in range(0, len(items), PART_ITEMS):
        some = items[at : at + PART_ITEMS]
        part = adapter.dump_json(some if text else tuple(map(bare, some)), ensure_ascii=True)
        yield ("," if at else "") + part[1:-1].decode()
