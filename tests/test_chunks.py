"""Whole chunks of a chunked body: told as they come, and only where every parser agrees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.server.http.chunks import Chunks

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


def begun(*pieces):
    chunks = Chunks()
    for piece in pieces:
        chunks.follow(piece)
    return chunks


CONTENTS = st.lists(
    st.binary(min_size=1, max_size=40) | st.sampled_from([b"\r\n", b"5\r\nab"]), max_size=6
)


@given(
    before=CONTENTS, next=st.lists(st.binary(min_size=1), min_size=1, max_size=3), data=st.data()
)
def test_what_follows_whole_chunks_is_read_however_they_came(before, next, data):
    raw, chunks = HEAD + b"".join(map(chunk, before)), Chunks()
    at = data.draw(st.integers(len(HEAD), len(raw)))
    while raw:
        chunks.follow(raw[:at])
        raw, at = raw[at:], data.draw(st.integers(1, 60))
    assert chunks.content(b"".join(map(chunk, next))) == b"".join(next)


@given(data=st.binary(max_size=30), cut=st.integers(1, 4))
def test_no_part_of_a_chunk_is_taken_for_a_whole_one(data, cut):
    raw = chunk(b"x" + chunk(b"inner") + data)
    chunks = begun(HEAD, raw[:cut])
    assert chunks.content(raw[cut:]) is None
    assert chunks.content(chunk(b"inner")) is None
    chunks.follow(raw[cut:])
    assert chunks.content(chunk(b"next")) == b"next"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"0\r\n\r\n",
        chunk(b"a") + b"0\r\n\r\n",
        b"1;name=value\r\na\r\n",
        b"+1\r\na\r\n",
        b"0x1\r\na\r\n",
        b"1\na\n",
        b" 1\r\na\r\n",
        b"000000001\r\na\r\n",
        b"1\r\nab\r\n",
        b"2\r\na\r\n",
        chunk(b"a") + b"1",
    ],
)
def test_only_whole_usual_chunks_are_read(raw):
    assert not begun(HEAD, chunk(b"before")).content(raw)


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [HEAD[:20], HEAD[20:]],
        [HEAD.replace(b"\r\n", b"\n")],
        [HEAD.replace(b": ", b":\n ")],
        [b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD],
        [b"HTTP/1.0" + HEAD[8:]],
        [HEAD, b"5;a=b\r\nabcde\r\n"],
        [HEAD, b"abcdefghijkl"],
        [HEAD + b"0\r\n\r\n"],
    ],
)
def test_it_says_nothing_once_it_has_lost_its_place(pieces):
    chunks = begun(*pieces)
    assert chunks.content(chunk(b"a")) is None
    chunks.follow(chunk(b"a"))
    assert chunks.content(chunk(b"a")) is None
