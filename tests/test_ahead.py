"""What goes on ahead of being read: the same bytes, the same result, whenever it is read."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard import Context, Policy, SSEDecoder
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.opening import Opening
from streamguard.server.relay.pace import QUIET_S, SHARE, Pace
from streamguard.server.relay.relay import MAX_HELD_BYTES
from streamguard.wire.codecs.json_array import ArrayDecoder
from streamguard.wire.codecs.lines import LineDecoder
from streamguard.wire.protocols.plain import TextDecoder
from tests.kit.upstreams import PATH, answer, frame

TEXT = "".join(f"Plan {number} costs ${number} per month. " for number in range(300))
CONTENT = answer(TEXT, 40).removesuffix(frame(finish="stop"))


def opening(form="chunk", path=PATH, kind="text/event-stream", on_sentence=None):
    checking = Checking("0" * 32, Context(), Policy(), on_sentence=on_sentence)
    return Opening(path, kind, {}, checking, form), checking


def read(answer):
    """Read and examine all that waits; return what goes on."""
    out = [asyncio.run(answer.read())]
    while answer.held or answer.due:
        if answer.held:
            out.append(asyncio.run(answer.read()))
        else:
            answer.turn()
            out.append(answer.sentence_frames())
    return b"".join(out)


def finished(answer):
    async def finish():
        out = await answer.finish()
        await answer.conclude()
        return out

    return asyncio.run(finish())


def test_a_long_frame_is_looked_through_once_and_goes_on_when_it_is_read():
    answer, checking = opening()
    answer.receive(CONTENT)
    read(answer)
    long = b"data: " + b"x" * MAX_HELD_BYTES
    out = answer.receive(CONTENT + long) + answer.receive(b"y" * 10)
    assert answer.blocked
    out += read(answer) + answer.receive(b"\n\n" + CONTENT) + read(answer) + finished(answer)
    assert checking.annotation.result.text.code_points == 3 * len(TEXT)
    assert b"y" * 10 + b"\n\n" in out


def by_frames(answer, text):
    """Give it an answer frame by frame, and read whenever there is enough."""
    turns = []
    for piece in [text[at : at + 4] for at in range(0, len(text), 4)]:
        raw = frame(piece)
        assert answer.receive(raw) == raw
        if answer.keep():
            asyncio.run(answer.read())
        if answer.due:
            turns.append(piece)
            answer.turn()
    return turns


@pytest.mark.parametrize("form", ["chunk", "attach", "header"])
def test_frames_as_before_wait_for_one_another_and_are_read_together(form):
    opened, checking = opening(form)
    by_frames(opened, TEXT[:40])
    assert len(by_frames(opened, TEXT[:400])) < 10
    out = finished(opened)
    assert checking.annotation.result.text.code_points == 440
    assert (b'"streamguard"' in out) == (form != "header")


def test_no_frame_waits_for_others_where_somebody_listens_to_the_sentences():
    opened, checking = opening(on_sentence=lambda sentence: None)
    by_frames(opened, TEXT[:200])
    assert checking.sentences


DECODERS = {
    SSEDecoder: [b"\n", b"\r\n", b"\r", b"data: x", b": y"],
    LineDecoder: [b"\n", b"{}", b"\r"],
    ArrayDecoder: [b"[", b"{}", b",", b"]"],
    TextDecoder: [b"a", b"\n"],
}


@pytest.mark.parametrize("made", DECODERS)
@given(data=st.data())
def test_what_is_said_to_be_whole_is(made, data):
    raw = b"".join(data.draw(st.lists(st.sampled_from(DECODERS[made]), max_size=12)))
    decoder = made()
    decoder.feed(b"\n\n" if made is SSEDecoder else b"")
    whole = decoder.whole(raw) or 0
    assert 0 <= whole <= len(raw)
    assert b"".join(event.raw for event in decoder.feed(raw[:whole])) == raw[:whole]
    assert decoder.idle or not whole


def test_checks_have_a_share_of_the_time_while_bytes_come_fast():
    pace, now, spent, turn_s, step_s = Pace(0.0), 0.0, 0.0, QUIET_S / 4, QUIET_S / 100
    while now < 1_000 * QUIET_S:
        pace.received_at = now
        if pace.left_s(now) == 0.0:
            pace.turned(now, now + turn_s)
            now, spent = now + turn_s, spent + turn_s
        now += step_s
    assert 0.9 / SHARE < spent / now <= 1 / SHARE
