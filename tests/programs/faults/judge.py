"""Compare what a client got, and the verdict, with what the fault allows."""

import json
import re

from streamguard.wire.dialect import IN_BAND

_DECODER = json.JSONDecoder()
# What stands in front of an annotation that rides in a frame, and how much behind it is ours.
_KEYS = {b',"messageMetadata":{"streamguard":': 1, b',"streamguard":': 0}
_LINE_END = re.compile(rb"\r?\n|\r|\Z")
_BLOCK_END = re.compile(rb"\r?\n\r?\n|\Z")


def stripped(body, id, expected):
    """Return `body` without what carries `id`, and the annotations found.

    Each is taken out of the frame it rides in, or with its frame, whichever leaves a beginning of
    `expected`; with its frame where neither does.
    """
    found, kept, at = [], b"", 0
    needle = b'"id":"' + id.encode() + b'"'
    while (hit := body.find(needle, at)) >= 0:
        start = body.rfind(b'{"object":"streamguard.', at, hit)
        if start < 0:
            break  # named elsewhere: the comparison will tell
        annotation, length = _DECODER.raw_decode(body[start:].decode("latin-1"))
        found.append(annotation)
        ways = list(_without(body, at, start, start + length))
        right = (way for way in ways if _fits(expected, kept + way[0], body[way[1] :][:6]))
        more, at = next(right, ways[-1])
        kept += more
    return kept + body[at:], found


def _fits(expected, kept, follows):
    """Say whether `kept` begins what is expected, and what follows may stand behind it.

    That is the rest of what is expected, which frames of ours begin like, or one of ours behind
    all of it, and behind the line ends it lacked.
    """
    if expected.startswith(kept + follows):
        return True
    whole = kept.startswith(expected) and not kept[len(expected) :].strip(b"\r\n")
    return whole and follows[:1] not in (b"\n", b"\r")


def _without(body, at, start, end):
    """Yield ways to leave out the annotation: what stays of the bytes from `at` on, and where to
    go on."""
    line = _line_start(body, at, start)
    for key, behind in _KEYS.items():
        if body[at:start].endswith(key):
            yield body[at : start - len(key)], end + behind
    for ends in (_LINE_END, _BLOCK_END):
        behind = ends.search(body, end).end()
        # An event's name stands in the line before.
        named = _line_start(body, at, line - (2 if body[line - 2 : line] == b"\r\n" else 1))
        if line > at and body[named:line].startswith(b"event:"):
            yield body[at:named], behind
        yield body[at:line], behind


def _line_start(body, at, before):
    return max(body.rfind(b"\n", at, before), body.rfind(b"\r", at, before), at - 1) + 1


def faults_of(fault, form, got, stored):
    """Return what is wrong as pairs of a category and a sentence; nothing for all right.

    `form` is the one asked for, `stored` the stored annotation, None where there is none.
    """
    if fault.or_refused and got.status in (502, 504):
        return []
    form = fault.dialect.form(form)
    wrong = list(_response(fault, form, got))
    if fault.leave is None:
        wrong += _body(fault, form, got)
    if stored is not None:
        wrong += _verdict(fault, stored)
    return wrong


def _response(fault, form, got):
    if fault.leave is not None:
        return
    if got.status != fault.status:
        yield "unlike", f"status {got.status}, expected {fault.status}"
    if fault.clean is not None and got.clean is not fault.clean:
        yield ("dishonest" if got.clean else "unlike"), f"clean is {got.clean}"
    expected = form != "off" and 200 <= fault.status < 300 and got.status == fault.status
    if (got.id is not None) != expected:
        yield "unlike", f"the id is {got.id}"


def _body(fault, form, got):
    if not 200 <= got.status < 300 or fault.status != got.status:
        if got.status == fault.status and fault.body and got.body != fault.body:
            yield "changed", f"{len(got.body)} bytes of an error, expected {len(fault.body)}"
        return
    body, found = got.body, []
    if got.id:
        body, found = stripped(got.body, got.id, fault.body + fault.ending)
    results = [each for each in found if each["object"] == "streamguard.result"]
    expected = fault.body + (fault.ending if results else b"")
    if body != expected if fault.whole else not expected.startswith(body):
        yield (
            "changed",
            f"{len(body)} bytes, expected {len(expected)}: {_difference(body, expected)}",
        )
    if form not in IN_BAND:
        if found:
            yield "unlike", f"an annotation in the form {form}"
    elif fault.added is not None and len(results) != fault.added:
        yield "unlike", f"{len(results)} annotations in band"
    for each in results:
        if each["state"] != "pending":  # what comes too late for its stream is judged as stored
            yield from _verdict(fault, each)


def _verdict(fault, annotation):
    state, result = annotation["state"], annotation["result"] or {}
    if fault.skipped:
        if state != "skipped":
            yield "unlike", f"the state is {state} where nothing was to be checked"
        return
    complete = state == "complete" or bool(result.get("complete"))
    if fault.finished is False and (complete or result.get("status") == "PASS"):
        yield "dishonest", f"the verdict is {state}, {result.get('status')}: {result.get('ended')}"
    if fault.finished and not complete:
        yield "unlike", f"the verdict is {state}, ended {result.get('ended')}"


def _difference(got, expected):
    pairs = enumerate(zip(got, expected, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(got), len(expected)))
    around = slice(max(0, at - 20), at + 60)
    return f"at {at} {got[around]!r}, expected {expected[around]!r}"
