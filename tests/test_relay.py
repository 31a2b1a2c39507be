"""What the relay lets go on, when, and where the annotation goes: every stream under every cut."""

import asyncio
import json

import pytest

from streamguard import Context, Policy, SSEDecoder, check_text, examiner
from streamguard.examiner import SLICE_CHARS
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.relay import Relay
from streamguard.testing import every_split
from streamguard.wire.protocols.openai_chat import CHAT
from tests.kit.frames import DONE, answer, frame, usage
from tests.kit.relaying import examined, finished, relayed

ID = "0" * 32
CONTEXT = Context(query="What does Basic cost?", chunks=["The Basic plan costs $10 per month."])
TEXT = "Basic costs $10. Pro costs $99."


def relay_for(context=CONTEXT, in_band=True, policy=None):
    checking = Checking(ID, context, policy or Policy())
    return Relay(checking, CHAT, "chunk" if in_band else "header")


def through(pieces, **options):
    return asyncio.run(relayed(pieces, relay_for(**options)))


def byte_cuts(raw):
    for pieces in every_split(raw.decode("latin-1")):
        yield [piece.encode("latin-1") for piece in pieces]


def taken_apart(out):
    """Return what is before the annotation, the annotation's frame, and what is behind it."""
    decoder = SSEDecoder()
    events = [*decoder.feed(out), *decoder.close()]
    (ours,) = [each.raw for each in events if b'"streamguard":{"object"' in each.raw]
    before, _, behind = out.partition(ours.lstrip(b"\n"))
    return before, json.loads(ours.lstrip(b"\n")[6:]), behind


DEEP = b"[" * 20_000 + b"]" * 20_000
BODY = answer(TEXT)
CRLF = BODY.replace(b"\n", b"\r\n")
CR = BODY.replace(b"\n", b"\r")
# What comes before the annotation, and what comes behind it.
ENDINGS = {
    "end sign": (BODY, DONE),
    "usage": (BODY, usage() + DONE),
    "usage with spaces": (BODY, usage().replace(b'":', b'": ') + DONE),
    "end sign without a space": (BODY, b"data:[DONE]\n\n"),
    "no end sign": (BODY, b""),
    "end sign twice": (BODY, DONE + DONE),
    "end sign lacks its blank line": (BODY, b"data: [DONE]\n"),
    "end sign lacks its line end": (BODY, b"data: [DONE]"),
    "usage lacks its line end": (BODY, usage()[:-2]),
    "comments between": (BODY + b": ping\n\n", usage() + b": pong\n\n" + DONE),
    "crlf": (CRLF, b"data: [DONE]\r\n\r\n"),
    "cr": (CR, b"data: [DONE]\r\r"),
    "crlf, end sign lacks its blank line": (CRLF, b"data: [DONE]\r\n"),
    "usage on a frame with a choice": (BODY, frame(usage={"total_tokens": 1}) + DONE),
    "end sign named in the text":
        (frame("say [DONE] ") + frame('"finish_reason":"stop"') + BODY, DONE),
    "several choices": (
        frame("Yes.", 1) + frame(TEXT, 0) + frame(finish="stop", index=1) + frame(" Bye.", 0)
        + frame(finish="stop", index=0),
        usage() + DONE,
    ),
    "usage on every frame": (
        frame("A b.", usage={"total": 1}) + frame(None, 0, "stop", usage={"total": 2}),
        frame(choices=[], usage={"total_tokens": 2}) + DONE,
    ),
    "empty filter results first": (
        frame(choices=[], id="", model="", prompt_filter_results=[], usage=None) + BODY,
        usage() + DONE,
    ),
    "tool call": (
        frame(choices=[{"index": 0, "delta": {"tool_calls": [{"index": 0}]}}])
        + frame(finish="tool_calls"),
        DONE,
    ),
    "text behind the end": (BODY, DONE + frame("late")),
    "broken frame": (frame("A.") + b"data: {broken\n\n" + BODY, DONE),
    "bom": (b"\xef\xbb\xbf" + BODY, DONE),
    "only the end sign": (b"", DONE),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDINGS)
def test_every_byte_goes_on_and_the_annotation_stands_before_the_tail(name):
    before, behind = ENDINGS[name]
    results = set()
    for pieces in byte_cuts(before + behind):
        out, annotation = through(pieces)
        head, made, tail = taken_apart(out)
        assert (head, tail) == (before, behind), pieces
        assert made["streamguard"] == json.loads(annotation.to_json())
        assert annotation.state == "complete"
        results.add(annotation.model_dump_json(exclude={"stream"}))
    assert len(results) == 1


def test_an_empty_stream_is_annotated_as_incomplete():
    out, annotation = through([])
    assert taken_apart(out)[1]["id"] == "chatcmpl-streamguard"
    assert not annotation.result.complete


@pytest.mark.parametrize("broken", [b"{", b'{"choices":[{"delta":{"content":"x"}', b"[1, ]", DEEP])
def test_a_frame_that_is_no_json_is_listed_and_the_rest_is_checked(broken):
    event = b"data: " + broken + b"\n\n"
    _, annotation = through([frame("Basic costs $10.") + event + BODY + DONE])
    assert annotation.result.errors == (
        f"wire: DecodeError (a frame of {len(broken)} characters is not JSON)",
    )
    assert annotation.result.status == "WARN"
    assert annotation.result.text.code_points == 16 + len(TEXT)


def test_a_long_text_is_checked_in_turns(monkeypatch):
    monkeypatch.setattr(examiner, "TURN_NS", 0)
    text = "The Basic plan costs $10 per month. " * 300

    async def turns():
        parts, count = [frame(text), frame(finish="stop") + DONE], 0
        task = asyncio.create_task(relayed(parts, relay_for()))
        while not task.done():
            count += 1
            await asyncio.sleep(0)
        return count, (await task)[1].result

    count, found = asyncio.run(turns())
    assert count > len(text) / SLICE_CHARS / 2
    assert found == check_text(text, context=CONTEXT)


@pytest.mark.parametrize("late", [DONE, answer("Pro costs $99.") + DONE])
def test_what_comes_in_the_moment_in_which_the_wait_ends_goes_on(late):
    first = answer(TEXT) + usage()

    async def run():
        relay = relay_for()
        out = relay.receive(first) + await examined(relay)
        out += relay.receive(late)  # and is not read before the patience is over
        return out + await relay.settle() + await finished(relay)

    head, _, behind = taken_apart(asyncio.run(run()))
    assert head + behind == first + late


USAGE = {"prompt_tokens": 3, "total_tokens": 5}


@pytest.mark.parametrize("behind", [DONE, b"", b": ping\n\n" + DONE])
def test_usage_on_the_finish_chunk_stays_on_the_last_chunk(behind):
    said, last = frame("Basic costs $10."), frame(finish="stop", usage=USAGE)
    for pieces in byte_cuts(said + last + behind):
        out, annotation = through(pieces)
        head, made, tail = taken_apart(out)
        assert (head, tail) == (said, last + behind), pieces
        assert made["streamguard"]["id"] == annotation.id


def test_usage_on_every_chunk_and_in_one_of_its_own_stays_behind_the_annotation():
    said = frame("Basic costs $10.", usage=USAGE) + frame(finish="stop", usage=USAGE)
    last = frame(choices=[], usage=USAGE)
    head, made, tail = taken_apart(through([said + last + DONE])[0])
    assert (head, tail) == (said, last + DONE)
    assert made["usage"] is None


def test_a_choice_behind_the_end_of_another_lets_its_finish_chunk_go_on():
    said = frame("Basic costs $10.") + frame(finish="stop", usage=USAGE) + frame("So.", 1)
    last = frame(None, 1, finish="stop", usage=USAGE)
    head, _, tail = taken_apart(through([said + last + DONE])[0])
    assert (head, tail) == (said, last + DONE)


def test_usage_on_the_finish_chunk_is_attached_to():
    last = frame(finish="stop", usage=USAGE)
    relay = Relay(Checking(ID, CONTEXT, Policy()), CHAT, "attach")
    out, annotation = asyncio.run(relayed([frame("Basic costs $10.") + last + DONE], relay))
    assert out.endswith(DONE)
    chunk = json.loads(out.removesuffix(DONE).rpartition(b"data: ")[2])
    assert (chunk["usage"], chunk["streamguard"]["id"]) == (USAGE, annotation.id)
