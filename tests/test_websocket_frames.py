"""WebSocket frames: messages in any cut, the places between them, and what breaks the protocol."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Close, CloseCode, Frame, Opcode

from streamguard.wire.websocket.message_decoder import MessageDecoder, close_frame, text_frame


def framed(opcode, data, *, fin=True, masked=False):
    """Return a frame as the websockets library writes it."""
    return Frame(Opcode(opcode), data, fin=fin).serialize(mask=masked)


def fed(pieces, max_bytes=1_000_000):
    decoder = MessageDecoder(max_bytes)
    return [m for piece in pieces for m in decoder.feed(piece)[0]], decoder


def cut(data, sizes):
    at = 0
    for size in sizes:
        yield data[at : at + size]
        at += size
    yield data[at:]


messages = st.lists(
    st.tuples(
        st.binary(max_size=300) | st.sampled_from([b"x" * 125, b"y" * 126, b"z" * 65_536]),
        st.integers(1, 4),  # in so many frames
        st.booleans(),  # a ping between them
    ),
    max_size=5,
)


@given(messages, st.booleans(), st.lists(st.integers(1, 90), max_size=60))
def test_messages_are_read_in_every_cut(said, masked, sizes):
    wire = b""
    for data, count, ping in said:
        step = -(-len(data) // count) or 1
        parts = [data[at : at + step] for at in range(0, len(data), step)] or [b""]
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            wire += framed(0 if number else 1, part, fin=last, masked=masked)
            wire += framed(9, b"still there?", masked=masked) if ping else b""
    found, decoder = fed(cut(wire, sizes))
    assert [each.data for each in found] == [data for data, _, _ in said]
    assert decoder.between
    assert not any(each.truncated for each in found)


def test_a_ping_between_the_frames_of_a_message_is_no_part_of_it():
    wire = framed(1, b"one ", fin=False) + framed(9, b"still there?") + framed(0, b"two")
    found, _ = fed([wire[at : at + 1] for at in range(len(wire))])
    assert [each.data for each in found] == [b"one two"]


@pytest.mark.parametrize("parts", [[b"x" * 5_000], [b"x" * 600, b"x" * 600, b"x" * 600]])
def test_of_a_message_over_the_cap_the_beginning_is_kept(parts):
    wire = b"".join(
        framed(0 if number else 1, part, fin=number == len(parts) - 1, masked=True)
        for number, part in enumerate(parts)
    )
    found, _ = fed([wire[:700], wire[700:], framed(1, b"next")], max_bytes=1_000)
    assert [(each.data, each.truncated) for each in found] == [
        (b"x" * 1_000, True),
        (b"next", False),
    ]


@pytest.mark.parametrize("size", [1, 125, 126, 65_535, 65_536])
def test_a_message_of_ours_is_one_text_frame(size):
    text = json.dumps("a" * (size - 2)) if size > 2 else "1"
    frame = text_frame(text)
    assert frame == framed(1, text.encode())
    assert fed([frame])[0][0].data == text.encode()


def test_a_close_of_ours_says_why():
    made = Frame(Opcode.CLOSE, Close(CloseCode.POLICY_VIOLATION, "no").serialize())
    assert close_frame(1008, "no") == made.serialize(mask=False)
