"""Compare what a client got, and the verdict, with what the fault allows."""

import json
import re

from streamguard.wire.dialect import IN_BAND

_DECODER = json.JSONDecoder()
_BLOCK_END = re.compile(rb"\r?\n\r?\n|\Z")


def stripped(body, id):
    """Return `body` without what carries `id`, and the annotations found.

    A result is taken out of the frame it rides in, where that frame has text or an end; else, like
    a sentence, with its frame.
    """
    found, parts, at = [], [], 0
    needle = b'"id":"' + id.encode() + b'"'
    while (hit := body.find(needle, at)) >= 0:
        start = body.rfind(b'{"object":"streamguard.', at, hit)
        text = body[start:].decode("latin-1") if start >= 0 else "null"
        annotation, length = _DECODER.raw_decode(text)
        found.append(annotation)
        kept, at = _around(body, at, start, start + length)
        parts += kept
    return b"".join((*parts, body[at:])), found


def _around(body, at, start, end):
    """Return what stays of the bytes from `at` on, and where to go on."""
    line = max(body.rfind(b"\n", at, start), body.rfind(b"\r", at, start), at - 1) + 1
    key = b',"streamguard":'
    if body[line:start].endswith(key):
        frame = body[line : start - len(key)] + body[end : end + 1]
        if not _is_ours(frame.removeprefix(b"data: ")):
            return (body[at : start - len(key)],), end
    elif not body[line:start].startswith(b"data: "):
        return (body[at:end],), end  # in a place of its own: the comparison will tell
    named = body.rfind(b"event: streamguard.", at, line)
    if named >= 0 and line - named < 40:
        line = named
    return (body[at:line],), _BLOCK_END.search(body, end).end()


def _is_ours(frame):
    """Say whether a frame says nothing but who sent it."""
    try:
        said = json.loads(frame)
    except ValueError:
        return False
    (choice,) = said.get("choices") or ({},)
    return choice.get("delta") == {} and choice.get("finish_reason") is None


def faults_of(fault, form, got, stored):
    """Return what is wrong as pairs of a category and a sentence; nothing for all right.

    `form` is the one asked for, `stored` the stored annotation, None where there is none.
    """
    if fault.or_refused and got.status == 502:
        return []
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
    body, found = stripped(got.body, got.id) if got.id else (got.body, [])
    results = [each for each in found if each["object"] == "streamguard.result"]
    expected = fault.body + (fault.ending if results else b"")
    if body != expected if fault.whole else not expected.startswith(body):
        yield (
            "changed",
            f"{len(body)} bytes, expected {len(expected)}: {_difference(body, expected)}",
        )
    if form not in IN_BAND and form is not None:
        if found:
            yield "unlike", f"an annotation in the form {form}"
    elif fault.added is not None and len(results) != fault.added:
        yield "unlike", f"{len(results)} annotations in band"
    for each in results:
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
