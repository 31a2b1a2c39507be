"""Held answers in every protocol: what leaves, byte for byte, and how a stopped one ends."""

import asyncio
import json
import random

import pytest

from streamguard.core.context import Context
from streamguard.core.machine.holding import MASK
from streamguard.core.model.policy import Policy
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.held import HeldStream
from streamguard.server.relay.opening import Opening
from tests.kit.held_streams import STREAMS, frames_of

CONTEXT = Context(
    query="What does Pro cost?", chunks=["The Pro plan costs $29 per month. It has 5 seats."]
)
GOOD = "The Pro plan costs $29 per month. "
FINE = GOOD + "It has 5 seats."
WRONG = GOOD + "The Basic plan costs $19. It has 5 seats."
REFUSAL = "I cannot answer this based on the provided documents."
MASKED = f"{GOOD}The Basic plan costs {MASK}. It has 5 seats."


def pieces_of(text, size=6):
    return [text[at : at + size] for at in range(0, len(text), size)]


def policy(hold="sentence", on_violation="stop", **settings):
    given = {"block": ("unsupported_price",), **settings}
    return Policy.preset("moderate", hold=hold, on_violation=on_violation, **given)


async def held(name, text, chosen, form="off", cut=None, kind=HeldStream, body=None):
    """Return what left of the stream and its annotation; `cut` cuts the bytes."""
    path, content_type, headers, frames, _ = STREAMS[name]
    checking = Checking("ab" * 16, CONTEXT, chosen)
    answer = kind(path, content_type, headers, checking, form)
    body = body or b"".join(frames(pieces_of(text)))
    out = []
    for part in cut(body) if cut else frames(pieces_of(text)):
        out.append(answer.receive(part))
        out.append(await answer.read())
        while answer.due or answer.leaves:
            if answer.due:
                answer.turn()
            out += [answer.sentence_frames(), await answer.read()]
            await asyncio.sleep(0)
        if answer.over:
            break
    out.append(await answer.finish())
    await answer.conclude()
    return b"".join(out), checking.annotation


@pytest.mark.asyncio
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("hold", ["sentence", "answer"])
async def test_without_a_violation_the_bytes_are_the_upstreams(name, hold):
    body = b"".join(STREAMS[name][3](pieces_of(FINE)))
    left, annotation = await held(name, FINE, policy(hold))
    assert left == body
    assert (annotation.hold.action, annotation.result.status) == ("none", "PASS")


@pytest.mark.asyncio
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize(
    ("on_violation", "expected"),
    [("stop", GOOD), ("replace", GOOD + REFUSAL), ("mask", MASKED), ("annotate", WRONG)],
)
async def test_what_is_blocked_leaves_in_no_protocol_however_the_bytes_are_cut(
    name, on_violation, expected
):
    read = STREAMS[name][4]
    whole, annotation = await held(name, WRONG, policy(on_violation=on_violation))
    assert read(whole) == expected
    if on_violation != "annotate":
        assert b"$19" not in whole
    for seed in range(3):
        rng = random.Random(seed)

        def cut(body, rng=rng):
            at = sorted(rng.sample(range(len(body)), 9))
            return [body[a:b] for a, b in zip([0, *at], [*at, len(body)], strict=True)]

        left, other = await held(name, WRONG, policy(on_violation=on_violation), cut=cut)
        assert read(left) == expected
        assert other.hold == annotation.hold


@pytest.mark.asyncio
@pytest.mark.parametrize("name", STREAMS)
async def test_a_whole_answer_that_is_blocked_does_not_leave(name):
    left, annotation = await held(name, WRONG, policy("answer", "replace"))
    assert STREAMS[name][4](left) == REFUSAL
    assert annotation.hold.action == "replaced"


PICTURED = {
    "chat": lambda frame, text: frame["choices"][0]["delta"].update(
        content=text, images=[{"type": "image_url", "image_url": {"url": PICTURE}}]
    ),
    "gemini": lambda frame, text: frame["candidates"][0]["content"].update(
        parts=[{"text": text}, {"inlineData": {"mimeType": "image/png", "data": PICTURE}}]
    ),
    "ollama": lambda frame, text: frame["message"].update(content=text, images=[PICTURE]),
}
PICTURED["gemini_array"] = PICTURED["gemini"]
PICTURE = "iVBORw0K" * 200_000


def pictured(name, text):
    """Return a stream's frames, the first of which holds the text and a picture of megabytes."""
    frames = STREAMS[name][3]([text, "It has 5 seats."])
    begins, ends = frames[0].index(b"{"), frames[0].rindex(b"}") + 1
    first = json.loads(frames[0][begins:ends])
    PICTURED[name](first, text)
    return [frames[0][:begins] + json.dumps(first).encode() + frames[0][ends:], *frames[1:]]


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [65_521, 4_000_000])
@pytest.mark.parametrize("name", PICTURED)
async def test_a_picture_of_megabytes_is_held_with_its_text_and_leaves_whole(name, size):
    def cut(body):
        return [body[at : at + size] for at in range(0, len(body), size)]

    closed = policy(hold_fails="closed")
    body = b"".join(pictured(name, GOOD))
    left, annotation = await held(name, "", closed, cut=cut, body=body)
    assert left == body
    assert (annotation.hold.action, annotation.result.status) == ("none", "PASS")
    assert "limit_reached" not in {reason.code for reason in annotation.result.reasons}

    wrong = GOOD + "The Basic plan costs $19. "
    body = b"".join(pictured(name, wrong))
    left, annotation = await held(name, "", closed, cut=cut, body=body)
    assert b"$19" not in left
    assert annotation.hold.action == "stopped"
    masking = policy(on_violation="mask")
    left, annotation = await held(name, "", masking, cut=cut, body=body)
    expected = body.decode().replace("$19", MASK)
    assert frames_of(left) == frames_of(expected.encode())


@pytest.mark.asyncio
@pytest.mark.parametrize("fails", ["open", "closed"])
async def test_of_a_frame_over_the_cap_that_cannot_be_read_nothing_leaves_unsaid(fails):
    body = b'data: {"choices": [' + b"{} , " * 300_000
    for rest in (b"]}\n\n", b""):
        left, annotation = await held(
            "chat",
            "",
            policy(hold_fails=fails),
            cut=lambda sent: [sent[:9], sent[9:]],
            body=body + rest,
        )
        assert "limit_reached" in {reason.code for reason in annotation.result.reasons}
        assert left.startswith(body) == (fails == "open")


ENDS = {
    "chat": b'"finish_reason":"content_filter"',
    "completions": b'"finish_reason":"content_filter"',
    "responses": b'"reason":"content_filter"',
    "anthropic": b'"stop_reason":"refusal"',
    "gemini": b'"finishReason":"SAFETY"',
    "gemini_array": b'"finishReason":"SAFETY"',
    "cohere": b'"message-end"',
    "ollama": b'"done":true',
    "ui_message": b'"finish"',
}


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ENDS)
async def test_a_stopped_answer_ends_as_its_protocols_filter_ends_one(name):
    left, annotation = await held(name, WRONG, policy())
    assert ENDS[name] in left.replace(b'": ', b'":')
    assert annotation.result.ended == "blocked"
    if name not in ("plain_events", "plain_lines"):
        told, _ = await held(name, WRONG, policy(), form="chunk")
        assert b'"action":"stopped"' in told


@pytest.mark.asyncio
async def test_the_annotation_rides_where_it_would_without_a_hold():
    for name in ("chat", "anthropic", "gemini", "ollama"):
        form = "chunk" if name in ("chat", "ollama") else "attach"
        with_hold, _ = await held(name, FINE, policy(), form=form)
        without, _ = await held(name, FINE, Policy(), form=form, kind=Opening)
        at = with_hold.index(b'"streamguard":')
        assert with_hold[:at] == without[:at]


@pytest.mark.asyncio
async def test_text_that_waits_too_long_leaves_and_a_whole_answer_keeps_its_client_awake():
    now = [0.0]
    path, kind, headers, frames, _ = STREAMS["chat"]
    checking = Checking("ab" * 16, CONTEXT, policy(max_hold_s=5.0))
    stream = HeldStream(path, kind, headers, checking, "off", now=lambda: now[0])
    first = frames(pieces_of(GOOD))[0]
    assert stream.receive(first) == b""
    assert (await stream.read(), stream.holds, stream.patience_s) == (b"", True, 5.0)
    now[0] = 5.0
    assert await stream.settle() == first
    assert not stream.holds
    await stream.finish()
    assert checking.annotation.hold.early

    checking = Checking("ab" * 16, CONTEXT, policy("answer"))
    stream = HeldStream(path, kind, headers, checking, "off", now=lambda: now[0])
    stream.receive(b": hello\n\n" + first)
    assert stream.patience_s > 0
    assert await stream.settle() == b": held until it is checked\n\n"
    assert (await stream.finish()).startswith(b": hello\n\n" + first)


@pytest.mark.asyncio
async def test_a_client_that_leaves_is_told_of_and_nothing_of_what_was_held():
    path, kind, headers, frames, _ = STREAMS["chat"]
    checking = Checking("ab" * 16, CONTEXT, policy())
    stream = HeldStream(path, kind, headers, checking, "off")
    for part in frames(pieces_of(WRONG))[:3]:
        stream.receive(part)
    await stream.catch_up()
    stream.abandon("client_disconnect")
    assert checking.annotation.result.ended == "client_disconnect"
    assert checking.annotation.hold.left[0].code_points == 0


@pytest.mark.asyncio
async def test_a_stream_that_breaks_off_gives_what_was_checked():
    path, kind, headers, frames, read = STREAMS["chat"]
    checking = Checking("ab" * 16, CONTEXT, policy(on_violation="mask"))
    stream = HeldStream(path, kind, headers, checking, "off")
    for part in frames(pieces_of(WRONG))[:10]:
        stream.receive(part)
    left = stream.rest()
    stream.abandon("upstream_error")
    text = read(left)
    assert text.startswith(GOOD)
    assert "$19" not in text
    assert checking.annotation.result.ended == "upstream_error"


@pytest.mark.asyncio
async def test_frames_that_cannot_be_read_leave_in_their_order():
    path, kind, headers, frames, _ = STREAMS["chat"]
    checking = Checking("ab" * 16, CONTEXT, policy())
    stream = HeldStream(path, kind, headers, checking, "off")
    parts = frames(pieces_of(FINE))
    odd = [parts[0], b"data: {oops\n\n", b": ping\n\n", *parts[1:]]
    out = b"".join([stream.receive(part) for part in odd])
    out += await stream.read() + await stream.finish()
    assert out == b"".join(odd)
    assert any("wire" in error for error in checking.annotation.result.errors)


def whole_answer(text):
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": {}}


WHOLE = {
    "chat": ("/v1/chat/completions", whole_answer, lambda a: a["choices"][0]["message"]["content"]),
    "anthropic": (
        "/v1/messages",
        lambda text: {
            "id": "m", "type": "message", "role": "assistant", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}],
        },
        lambda a: a["content"][0]["text"],
    ),
    "responses": (
        "/v1/responses",
        lambda text: {
            "id": "r", "object": "response", "status": "completed",
            "output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}],
        },
        lambda a: a["output"][0]["content"][0]["text"],
    ),
    "gemini": (
        "/v1/models/g:generateContent",
        lambda text: {
            "candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]
        },
        lambda a: a["candidates"][0]["content"]["parts"][0]["text"],
    ),
}  # fmt: skip


async def held_whole(name, text, chosen, form="off"):
    from streamguard.server.relay.held import HeldJSON

    path, make, _ = WHOLE[name]
    checking = Checking("ab" * 16, CONTEXT, chosen)
    answer = HeldJSON(path, checking, form, 100_000)
    body = json.dumps(make(text), indent=1).encode()
    assert answer.receive(body[:40]) + answer.receive(body[40:]) == b""
    out = await answer.finish()
    await answer.conclude()
    return body, out, checking.annotation


@pytest.mark.asyncio
@pytest.mark.parametrize("name", WHOLE)
async def test_an_answer_in_one_piece_is_held_too(name):
    read = WHOLE[name][2]
    body, out, annotation = await held_whole(name, FINE, policy())
    assert out == body
    assert annotation.hold.action == "none"
    for on_violation, expected in (
        ("stop", GOOD), ("replace", GOOD + REFUSAL), ("mask", MASKED)
    ):  # fmt: skip
        _, out, annotation = await held_whole(name, WRONG, policy(on_violation=on_violation))
        assert read(json.loads(out)) == expected
        assert b"$19" not in out
    _, out, _ = await held_whole(name, WRONG, policy("answer", "replace"))
    assert read(json.loads(out)) == REFUSAL
    _, out, _ = await held_whole(name, WRONG, policy("answer", "replace"), form="attach")
    assert json.loads(out)["streamguard"]["hold"]["action"] == "replaced"
