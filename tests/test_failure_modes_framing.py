"""Failure modes 1 to 13: framing and bytes, over real sockets."""

import gzip
import json

import pytest

from streamguard.core.validate import check_text
from streamguard.wire.shown import context_of
from tests.upstreams import (
    ASKED,
    DONE,
    HEAD,
    answer,
    ask,
    flooded,
    frame,
    in_pieces,
    in_step,
    proxy,
    stored_of,
    upstream,
    whole,
    without_annotation,
)

pytestmark = pytest.mark.asyncio

TEXT = "The Basic plan costs $10 per month. The Pro plan costs $99 per month."
CONTEXT = context_of(ASKED["messages"])
STREAM = answer(TEXT, 9) + DONE


def verdict(text=TEXT):
    """Return the result of `text`, as an annotation bears it."""
    return json.loads(check_text(text, context=CONTEXT).model_dump_json())


async def relayed(events, size=40):
    """Return what a client got of `events`, cut into pieces of `size` bytes."""
    async with upstream(in_pieces(events, size)) as up, proxy(up.url) as base:
        return await ask(base, ASKED)


def events_of(frames, line_end):
    """Return each frame's bytes, with other line ends."""
    return [each.replace(b"\n", line_end) for each in frames]


# The answer in two frames, its end, and the stream's.
FRAMES = [frame(TEXT[:30]), frame(TEXT[30:]), frame(finish="stop"), DONE]


async def test_mode_01_crlf_cut_between_cr_and_lf_is_one_line_break():
    raw = b"".join(events_of(FRAMES, b"\r\n"))
    halves = raw.replace(b"\r\n", b"\r|\n").split(b"|")
    got, stored = await in_step(halves)
    assert got.body == raw
    assert stored["result"]["text"]["code_points"] == len(TEXT)
    assert stored["result"]["errors"] == []
    # In band the last frame goes on with its CR, and nothing of ours stands before its LF.
    got, _ = await in_step([raw[: -len(DONE) - 3], raw[-len(DONE) - 3 :]], form="chunk")
    assert without_annotation(got.body) == raw
    assert got.body.count(b"\r\n\r\n") == len(FRAMES) + 1
    assert b"\r\n\r\n\n" not in got.body


@pytest.mark.parametrize("form", ["header", "chunk"])
async def test_mode_02_a_frame_that_ends_with_a_bare_cr_goes_on_at_once_and_once(form):
    pieces = events_of(FRAMES, b"\r")
    got, stored = await in_step(pieces, form=form)  # each is sent when the one before has come
    body = got.body if form == "header" else without_annotation(got.body)
    assert body == b"".join(pieces)
    assert stored["state"] == "complete"
    assert stored["result"]["text"]["code_points"] == len(TEXT)


async def test_mode_03_separators_of_other_alphabets_are_ordinary_characters():
    text = "Basic\u2028costs\u2029$10\u0085per month.\x0b\x0c\x1c\x1d\x1e\x1f It does."
    chunk = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    event = json.dumps(chunk, ensure_ascii=False).encode()
    assert "\u2028".encode() in event
    # A second line, so that the event is read line by line.
    events = b"event: message\ndata: " + event + b"\n\n" + frame(finish="stop") + DONE
    got = await relayed(events, 7)
    assert without_annotation(got.body) == events
    assert got.annotations[0]["result"] == verdict(text)


async def test_mode_04_a_character_that_a_piece_cuts_is_one_character():
    text = "The “Basic” plan costs 10 € – says Zoë 😀."
    chunk = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    event = b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"
    raw = event + event + frame(finish="stop") + DONE
    got, stored = await in_step([raw[at : at + 1] for at in range(len(raw))])
    assert got.body == raw
    assert stored["result"]["text"] == verdict(text + text)["text"]


async def test_mode_05_bytes_that_are_no_utf8_are_relayed_and_read_as_replacements():
    raw = frame("caf@ costs $10.").replace(b"@", b"\xe9")  # Latin-1
    raw += frame("x@y").replace(b"@", b"\xff\xfe\xc3") + frame(finish="stop") + DONE
    got = await relayed(raw)
    assert without_annotation(got.body) == raw
    assert got.annotations[0]["state"] == "complete"
    text = "caf\ufffd costs $10.x\ufffd\ufffd\ufffdy"
    assert got.annotations[0]["result"]["text"] == verdict(text)["text"]


BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ([BOM, *FRAMES], TEXT),
        ([BOM, BOM, *FRAMES], TEXT[30:]),  # the second belongs to the first field's name
        ([FRAMES[0], BOM, *FRAMES[1:]], TEXT[:30]),
    ],
)
async def test_mode_06_every_byte_order_mark_is_relayed_and_only_the_first_ignored(events, text):
    raw = b"".join(events)
    got = await relayed(raw, 1)
    assert without_annotation(got.body) == raw
    assert got.annotations[0]["result"]["text"] == verdict(text)["text"]


async def test_mode_07_a_comment_goes_on_at_once_and_is_never_text():
    comments = [b": ping\n\n", b":\n\n", FRAMES[0].removeprefix(b"data"), b": [DONE]\n\n"]
    pieces = [*comments, FRAMES[0], *comments, *FRAMES[1:3], *comments, DONE]
    got, stored = await in_step(pieces, form="chunk")
    assert without_annotation(got.body) == b"".join(pieces)
    assert stored["state"] == "complete"
    assert stored["result"]["text"]["code_points"] == len(TEXT)


async def test_mode_08_json_over_several_lines_and_fields_of_every_kind():
    chunk = {"choices": [{"index": 0, "delta": {"content": TEXT}, "finish_reason": None}]}
    lines = json.dumps(chunk, indent=1).splitlines()
    assert len(lines) > 3
    several = "".join(f"data:{line}\n" for line in lines)
    raw = f"id: 7\nretry: 10\nfoo: bar\nfoo\nevent: message\n{several}\n".encode()
    raw += b"id\n\n" + frame("", finish="stop").replace(b"data: ", b"data:") + b"data:[DONE]\n\n"
    got = await relayed(raw)
    assert without_annotation(got.body) == raw
    assert got.annotations[0]["result"] == verdict()


@pytest.mark.parametrize("label", ["; charset=windows-1252", ";charset=utf-16", " ; x=y"])
async def test_mode_09_a_wrong_charset_is_kept_and_the_text_is_utf8(label):
    kind = f"text/event-stream{label}"
    raw = answer("Zoë says: Basic costs $10.") + DONE
    async with upstream(whole(raw, kind)) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
    assert got.headers["Content-Type"] == kind
    assert got.annotations[0]["result"] == verdict("Zoë says: Basic costs $10.")


@pytest.mark.parametrize("kind", ["text/plain", "text/html; charset=utf-8", "application/x-y", ""])
async def test_mode_09_a_wrong_content_type_passes_untouched_and_is_marked_skipped(kind):
    async with upstream(whole(STREAM, kind)) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
        assert (got.body, got.clean) == (STREAM, True)
        assert (await stored_of(base, got))["state"] == "skipped"


@pytest.mark.parametrize(
    ("raw", "state"), [(b"", "partial"), (DONE, "complete"), (b"\n\n\n", "partial")]
)
async def test_mode_10_an_empty_body_is_incomplete_and_a_lone_end_sign_an_end(raw, state):
    got = await relayed(raw)
    assert got.clean
    assert without_annotation(got.body) == raw
    assert [each["state"] for each in got.annotations] == [state]
    assert got.annotations[0]["result"]["complete"] is (state == "complete")


MEGABYTE = 1_000_000


async def test_mode_11_a_line_without_end_goes_on_and_is_never_collected():
    pieces = [b"data: ", *[b"x" * 100_000] * 320]
    count, got, stored, peak = await flooded(pieces)
    assert (count, got.annotations) == (32 * MEGABYTE + 6, [])
    assert "limit_reached" in stored["result"]["flags"]
    assert stored["result"]["ended"] == "upstream_error"
    assert peak < 20 * MEGABYTE


async def test_mode_12_an_event_of_ten_megabytes_goes_on_and_the_result_says_so():
    event = frame("x" * (10 * MEGABYTE))
    pieces = [event[at : at + 60_000] for at in range(0, len(event), 60_000)]
    count, got, _, peak = await flooded([*pieces, STREAM])
    (annotation,) = got.annotations
    tail = got.body[got.body.index(b'data: {"id"', 1) :]
    assert count == len(event) + len(STREAM) + len(tail) - len(without_annotation(tail))
    assert "limit_reached" in annotation["result"]["flags"]
    assert annotation["result"]["status"] == "WARN"
    assert annotation["result"]["text"]["code_points"] == len(TEXT)
    assert peak < 8 * MEGABYTE


def gzipped(body, cut=0, kind=b""):
    """Return a response whose body is compressed, and lacks its last `cut` bytes."""
    packed = gzip.compress(body)[: -cut or None]
    head = HEAD if not kind else b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\n"
    head += b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    return head + packed


async def test_mode_13_compressed_though_not_asked_for_is_relayed_decoded():
    async with upstream(gzipped(STREAM)) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, Accept_Encoding="gzip")
        assert up.requests[0].headers["accept-encoding"] == "identity"
        assert without_annotation(got.body) == STREAM
        assert "Content-Encoding" not in got.headers
        assert got.annotations[0]["result"] == verdict()


@pytest.mark.parametrize(
    ("cut", "kind"), [(40, b""), (30, b""), (40, b"text/plain"), (40, b"application/json")]
)
async def test_mode_13_a_compressed_body_that_is_cut_is_cut_for_the_client_too(cut, kind):
    async with upstream(gzipped(STREAM, cut, kind)) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
        assert STREAM.startswith(got.body)
        assert len(got.body) > 1_000
        assert (got.clean, got.annotations) == (False, [])
        assert (await stored_of(base, got))["state"] == ("skipped" if kind else "partial")


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "x-own"])
async def test_mode_13_an_encoding_that_is_not_undone_passes_with_its_label_and_unread(encoding):
    script = HEAD + f"Content-Encoding: {encoding}\r\n\r\n".encode() + STREAM
    async with upstream(script) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
        assert (got.body, got.headers["Content-Encoding"], got.clean) == (STREAM, encoding, True)
        assert (await stored_of(base, got))["state"] == "skipped"
