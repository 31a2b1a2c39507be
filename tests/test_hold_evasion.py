"""Ways around a hold: text that waits for nobody, stands elsewhere, or cannot be read."""

import json

import pytest

from streamguard.core.model.policy import Policy
from streamguard.server.request_context import Policies
from tests.kit.frames import ASKED, CHUNKED, DONE, END, chunked, frame, whole
from tests.kit.upstreams import ask, proxy, raw, stored_of, upstream

pytestmark = pytest.mark.asyncio

GOOD = "The Basic plan costs $10 per month. "
WRONG = "The Basic plan costs $66 per month. "
WORSE = "The Basic plan costs $77 per month. "


def holding(hold="sentence", on_violation="stop", **more):
    given = {"hold": hold, "on_violation": on_violation, "block": ("unsupported_price",), **more}
    return {"policies": Policies(Policy.preset("moderate", **given))}


def choices(*texts):
    """Return a frame with a text for each choice, None for none."""
    said = [
        {"index": index, "delta": {"content": text}, "finish_reason": None}
        for index, text in enumerate(texts)
        if text is not None
    ]
    return frame(choices=said)


def streamed(*frames):
    return CHUNKED + b"".join(map(chunked, (*frames, frame(finish="stop"), DONE))) + END


async def left(script, body=ASKED, path="/v1/chat/completions", headers=(), **settings):
    """Return what the client got of the answer itself, and its annotation."""
    async with upstream(script) as up, proxy(up.url, **settings) as base:
        got = await ask(base, body, path, **dict(headers))
        lines = got.body.split(b"\n")
        words = b"\n".join(line for line in lines if b'"streamguard":' not in line)
        return words, await stored_of(base, got)


@pytest.mark.parametrize("hold", ["sentence", "answer"])
@pytest.mark.parametrize(
    "frames",
    [
        (choices(None, WORSE), choices(WRONG), choices("Ok. ")),
        (choices(None, WORSE.strip()), choices(WRONG), choices("Ok. ")),
        (choices("Hello there. ", WORSE), choices(WRONG + "Ok. ", "Ok. ")),
        (choices("Hello there. " + WRONG, WORSE), choices("Ok. ", "Ok. ")),
        (choices(None, WORSE), choices(None, "Ok. "), choices(WRONG + "Ok. ")),
    ],
)
async def test_an_answer_that_is_stopped_for_one_choice_lets_no_word_of_another_slip(hold, frames):
    words, annotation = await left(streamed(*frames), **holding(hold))
    assert annotation["hold"]["action"] == "stopped"
    assert b"$66" not in words
    assert b"$77" not in words


async def test_what_was_judged_of_the_other_choices_leaves():
    frames = (choices(None, GOOD), choices(None, "Hello. "), choices(WRONG), choices("Ok. "))
    words, _ = await left(streamed(*frames), **holding())
    assert GOOD.strip().encode() in words


CLOSED = holding(hold_fails="closed")
UNREAD = {
    "a frame over the cap": frame(WRONG, pad="x" * 1_100_000),
    "a frame of many values": frame(WRONG, pad=[0] * 60_000),
    "a frame of many lines": b": x\n" * 5_000 + frame(WRONG),
    "the 200th choice": frame(
        choices=[{"index": index, "delta": {"content": WRONG}} for index in range(200)][-1:]
        + [{"index": index, "delta": {"content": "Hi. "}} for index in range(199)]
    ),
    "a part of an unknown type": frame(choices=[
        {"index": 0, "delta": {"content": [{"type": "speech", "text": WRONG}]}}
    ]),
    "a field of no protocol": frame(choices=[{"index": 0, "delta": {"speech": WRONG}}]),
    "words in place of JSON": b"data: " + WRONG.encode() + b"\n\n",
}  # fmt: skip


@pytest.mark.parametrize("hold", ["sentence", "answer"])
@pytest.mark.parametrize("name", UNREAD)
async def test_what_cannot_be_read_leaves_no_hold_that_fails_closed(name, hold):
    settings = holding(hold, hold_fails="closed")
    words, annotation = await left(streamed(frame("Hello. "), UNREAD[name]), **settings)
    assert b"$66" not in words
    assert b'"content_filter"' in words
    assert annotation["result"]["status"] != "PASS"


async def test_an_open_hold_lets_it_leave_and_says_so():
    words, annotation = await left(streamed(UNREAD["a frame of many values"]), **holding())
    codes = [reason["code"] for reason in annotation["result"]["reasons"]]
    assert b"$66" in words
    assert "limit_reached" in codes
    assert not {"check_error", "late_text"} & set(codes)


async def test_a_last_frame_without_its_line_end_is_held_as_any_other():
    words, annotation = await left(CHUNKED + chunked(frame(WRONG + "Ok.")[:-2]) + END, **holding())
    assert b"$66" not in words
    assert annotation["hold"]["action"] == "stopped"


def message(text):
    return {"choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}]}


ODD_WHOLE = {
    "words behind it": json.dumps(message(WRONG)).encode() + b" and more",
    "a deep one": json.dumps(message(WRONG)).encode()[:-1]
    + b',"x":'
    + b"[" * 100_000
    + b"]" * 100_000
    + b"}",
    "a wide one": json.dumps({**message(WRONG), "pad": [[0]] * 30_000}).encode(),
    "in UTF-16": json.dumps(message(WRONG)).encode("utf-16"),
}


@pytest.mark.parametrize("name", ODD_WHOLE)
async def test_an_answer_in_one_piece_that_cannot_be_read_is_replaced_or_left(name):
    body = whole(ODD_WHOLE[name])
    words, _ = await left(body, **CLOSED)
    assert json.loads(words)["error"]["code"] == "not_checked"
    words, annotation = await left(body, **holding())
    assert words == ODD_WHOLE[name]
    assert annotation["result"]["status"] != "PASS"


@pytest.mark.parametrize(
    ("settings", "expected"), [(CLOSED, b"not_checked"), (holding(), b"xxxxxxxx")]
)
async def test_an_endless_answer_in_one_piece_is_not_kept(monkeypatch, settings, expected):
    monkeypatch.setattr("streamguard.server.proxy.exchange.MAX_ANSWER_BYTES", 100_000)
    chunks = [b'{"choices":[],"pad":"', *[b"x" * 50_000] * 40, b'"}']
    head = CHUNKED.replace(b"text/event-stream", b"application/json")
    words, _ = await left(head + b"".join(map(chunked, chunks)) + END, **settings)
    assert expected in words
    assert len(words) < 1_000 or len(words) == sum(map(len, chunks))


@pytest.mark.parametrize("hold", ["sentence", "answer"])
async def test_no_more_frames_wait_than_an_answer_may_have_bytes(monkeypatch, hold):
    monkeypatch.setattr("streamguard.server.relay.held.MAX_ANSWER_BYTES", 100_000)
    frames = [frame("The Basic plan"), *[frame(pad="x" * 10_000)] * 20, frame(" costs $66. Ok.")]
    words, annotation = await left(streamed(*frames), **holding(hold))
    assert annotation["hold"]["early"]
    assert b"limit_reached" in json.dumps(annotation).encode()
    words, _ = await left(streamed(*frames), **holding(hold, hold_fails="closed"))
    assert b"costs" not in words


async def test_blank_lines_in_front_of_an_answer_are_not_kept():
    silence = [b"\n" * 60_000] * 3
    script = CHUNKED + b"".join(map(chunked, [*silence, frame(WRONG), DONE])) + END
    words, annotation = await left(script, path="/ask", check_paths=("/ask",), **holding())
    assert words.startswith(silence[0])
    assert b"$66" not in words
    assert annotation["hold"]["action"] == "stopped"


@pytest.mark.parametrize(("hold_fails", "asked"), [("closed", "header"), ("open", "off")])
async def test_a_websocket_goes_around_no_hold(hold_fails, asked):
    async with upstream(whole(b"")) as up, proxy(up.url, **holding(hold_fails=hold_fails)) as base:
        head = "GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\n"
        head += "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        head += "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
        back = await raw(base, f"{head}\r\nx-streamguard: {asked}\r\n\r\n".encode())
    assert back.startswith(b"HTTP/1.1 400 ")
    assert b"check_required" in back
    assert up.requests == []
