"""An annotation as JSON: in parts that are short for an event loop, or cut to fit into a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any, Literal, get_args

from pydantic import BaseModel, TypeAdapter

from streamguard.core.model.result import (
    Annotation,
    GuardrailsResult,
    LeftOut,
    SentenceReport,
    ascii_line,
    finding_without_text,
    sentence_without_text,
)
from streamguard.core.model.types import Finding

Detail = Literal["full", "findings", "verdict"]
DETAILS: tuple[Detail, ...] = get_args(Detail)

# An answer of 20,000 characters has some 130 KB, one of everyday length a tenth of it.
MAX_ANNOTATION_BYTES = 262_144
PART_ITEMS = 64  # findings or sentences of one part: some 40 KB, a third of a millisecond

# The fields whose length is the answer's: how they are written, and each item without text.
_LONG: dict[str, tuple[TypeAdapter[Any], Callable[[Any], object]]] = {
    "findings": (TypeAdapter(tuple[Finding, ...]), finding_without_text),
    "sentences": (TypeAdapter(tuple[SentenceReport, ...]), sentence_without_text),
    "uncovered_claims": (TypeAdapter(tuple[str | None, ...]), lambda claim: None),
}


def json_parts(annotation: Annotation, *, text: bool = True) -> Iterator[str]:
    """Yield `annotation.to_json()` in parts that are short for an event loop, in order.

    Without `text` that of `annotation.without_text()`.
    """
    return map(ascii_line, _model_parts(annotation, text))


def size_of(annotation: Annotation) -> int:
    """Return how many reports and findings `annotation` holds: they tell the work it makes."""
    results = (annotation.result, *annotation.choices)
    return sum(len(each.findings) + len(each.sentences) for each in results if each is not None)


def in_band(
    annotation: Annotation, max_bytes: int = MAX_ANNOTATION_BYTES, detail: Detail = "full"
) -> str:
    """Return what rides in a stream: `to_json()`, of at most `max_bytes`, as far as `detail` asks.

    What is left out is named by `truncated`: first the reports of sentences without findings, then
    the words of evidence, then all reports and the last findings, the verdict last of all. `detail`
    "findings" leaves out the first of these in any case, "verdict" all but the last. Id and state
    stay, whatever `max_bytes`. The work is that of a few times it, however long the answer was.
    """
    for shorter in _ever_shorter(annotation, detail):
        line = _within(shorter, max_bytes)
        if line is not None:
            return line
    left_out: dict[str, Any] = {"result": None, "choices": (), "truncated": (*_REPORTS, "result")}
    return annotation.model_copy(update=left_out).to_json()


def _ever_shorter(annotation: Annotation, detail: Detail) -> Iterator[Annotation]:
    results = [each for each in (annotation.result, *annotation.choices) if each is not None]
    if not results or detail == "full":
        yield annotation
    if not results:
        return
    most = 0
    if detail != "verdict":
        yield _changed(annotation, _REPORTS[:1], _with_fewer_sentences)
        yield _changed(
            annotation, _REPORTS[:2], lambda each: _without_evidence(_with_fewer_sentences(each))
        )
        most = max(len(each.findings) for each in results)
    while most > 1:
        most //= 2
        yield _changed(annotation, _REPORTS, partial(_without_reports, findings=most))
    yield _changed(annotation, _REPORTS, partial(_without_reports, findings=0))


_REPORTS: tuple[LeftOut, ...] = ("sentences", "evidence", "findings")


def _changed(
    annotation: Annotation,
    left_out: tuple[LeftOut, ...],
    change: Callable[[GuardrailsResult], GuardrailsResult],
) -> Annotation:
    changed = {
        "result": annotation.result and change(annotation.result),
        "choices": tuple(map(change, annotation.choices)),
        "truncated": left_out,
    }
    return annotation.model_copy(update=changed)


def _with_fewer_sentences(result: GuardrailsResult) -> GuardrailsResult:
    kept = tuple(each for each in result.sentences if each.findings)
    return result.model_copy(update={"sentences": kept})


def _without_reports(result: GuardrailsResult, findings: int) -> GuardrailsResult:
    kept = {"sentences": (), "findings": result.findings[:findings]}
    return _without_evidence(result.model_copy(update=kept))


def _without_evidence(result: GuardrailsResult) -> GuardrailsResult:
    """Return `result` with no words of the passages, and without the list of uncovered claims."""
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
    """Return the JSON, None where it is longer; no more of it is made than tells that."""
    if size_of(annotation) <= PART_ITEMS:
        line = annotation.to_json()
        return line if len(line) <= max_bytes else None
    parts, left = [], max_bytes
    for part in json_parts(annotation):
        left -= len(part)  # of ASCII
        if left < 0:
            return None
        parts.append(part)
    return "".join(parts)


def _model_parts(model: BaseModel, text: bool) -> Iterator[str]:
    """Yield a model's JSON: what is short in one part, what is long in slices."""
    fields = [(name, getattr(model, name)) for name in type(model).model_fields]
    shown = model
    if isinstance(model, GuardrailsResult) and not text:
        shown = model.model_copy(update=dict.fromkeys(_LONG, ())).without_text()
    lead = "{"
    for long, some in groupby(fields, lambda field: _is_long(*field)):
        if not long:
            short = shown.model_dump_json(include={name for name, _ in some}, ensure_ascii=True)
            yield lead + short[1:-1]
            lead = ","
            continue
        for name, value in some:
            yield f'{lead}"{name}":'
            lead = ","
            yield from _value_parts(name, value, text)
    yield "}"


def _is_long(name: str, value: Any) -> bool:
    if name in _LONG:
        return bool(value)
    return isinstance(value[0] if isinstance(value, tuple) and value else value, GuardrailsResult)


def _value_parts(name: str, value: Any, text: bool) -> Iterator[str]:
    if isinstance(value, GuardrailsResult):
        yield from _model_parts(value, text)
        return
    yield "["
    if name in _LONG:
        adapter, without_text = _LONG[name]
        for at in range(0, len(value), PART_ITEMS):
            items = value[at : at + PART_ITEMS]
            part = adapter.dump_json(
                items if text else tuple(map(without_text, items)), ensure_ascii=True
            )
            yield ("," if at else "") + part[1:-1].decode()
    else:
        for at, each in enumerate(value):
            if at:
                yield ","
            yield from _model_parts(each, text)
    yield "]"
