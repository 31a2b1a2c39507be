"""Texts are taken from frames by comparing bytes; parsing every frame gives the same."""

import asyncio
import hashlib
import json

from hypothesis import example, given
from hypothesis import strategies as st

from streamguard import Checks, Context, Policy, SSEDecoder
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.relay import Relay
from streamguard.wire.protocols.anthropic import ANTHROPIC
from streamguard.wire.protocols.openai_chat import CHAT
from tests.kit.relaying import examined, finished
from tests.kit.upstreams import DONE, frame

ID = "00" * 16
USUAL = [frame(text) for text in ("a", " b", "", " plan [DONE]", "data: ", "é€", "}]}", "\x7f")]
RAW = frame("+")
ODD = [
    frame('"'), frame("\\"), frame("\n\n"), frame("😀"), frame("x", 1), frame("m", model="b"),
    frame(None), b": ping\n\n", b"\n", b"id: 1\n" + frame("c"), b"event: a\n" + frame("d"),
    frame("e").replace(b"\n", b"\r\n"), frame("f").replace(b":", b": "), b"data: {broken\n\n",
    RAW.replace(b"+", "é€".encode()), RAW.replace(b"+", b"\xc3"), RAW.replace(b"+", b"\xa9"),
    RAW.replace(b"+", b"\xed\xa0\x80"), RAW.replace(b'"+"', b"null"), RAW.replace(b"+", b"\x01"),
]  # fmt: skip


def delta(text):
    data = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": text},
    }
    return b"event: content_block_delta\ndata: " + json.dumps(data).encode() + b"\n\n"


async def relayed(pieces, dialect):
    """Return what goes on, and the annotation; only what is due is examined."""
    checking = Checking(ID, Context(), Policy(), Checks())
    relay = Relay(checking, dialect, "header")
    out = b""
    for piece in pieces:
        out += relay.receive(piece)
        if relay.keep():
            out += await examined(relay)
    out += await finished(relay)
    return out, checking.annotation


def parsed(raw, dialect):
    """Return the text per choice and the number of frames with text: JSON of every frame."""
    decoder, texts, count = SSEDecoder(), {}, 0
    for event in (*decoder.feed(raw), *decoder.close()):
        try:
            found = dialect.text_of(json.loads(event.data or ""))
        except (ValueError, AttributeError):
            continue
        for choice, text in found.items():
            texts[choice] = texts.get(choice, "") + text
            count += 1
    return texts, count


def same_as_parsed(frames, reads, dialect):
    """Assert that reads of so many frames each give what parsing every frame gives."""
    pieces, at = [], 0
    for size in reads:
        pieces.append(b"".join(frames[at : at + size]))
        at += size
    raw = b"".join(frames)
    pieces.append(raw[len(b"".join(pieces)) :])
    out, annotation = asyncio.run(relayed(filter(None, pieces), dialect))
    assert out == raw
    texts, count = parsed(raw, dialect)
    results = {each.choice: each.text for each in annotation.choices or (annotation.result,)}
    for choice, text in texts.items():
        assert results[choice].sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert annotation.stream.pieces == count


READS = st.lists(st.integers(1, 5), max_size=30)


@given(st.lists(st.sampled_from(USUAL * 3 + ODD), max_size=40), READS)
@example([USUAL[0], RAW.replace(b"+", b"\xc3"), RAW.replace(b"+", b"\xa9")], [1])
@example([USUAL[0], USUAL[1] * 2, USUAL[2], ODD[0], USUAL[1]], [1, 2, 2])
def test_reads_of_whole_frames_give_what_parsing_gives(frames, reads):
    same_as_parsed([*frames, DONE], reads, CHAT)


PIECES = st.tuples(st.sampled_from(["a", " b", "", "é", '"', "data: "]), st.text(max_size=5))


@given(st.lists(PIECES, max_size=30), READS)
def test_reads_of_padded_frames_give_what_parsing_gives(pieces, reads):
    frames = [frame(text, usage=None, obfuscation=padding) for text, padding in pieces]
    same_as_parsed([*frames, DONE], reads, CHAT)


@given(st.lists(st.sampled_from(["a", " b", "", "é", '"', "data: "]), max_size=30), READS)
def test_reads_of_named_frames_give_what_parsing_gives(texts, reads):
    stop = b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    same_as_parsed([*map(delta, texts), stop], reads, ANTHROPIC)
