"""JSON of any size and shape, read in turns: what it says is what `json.loads` finds."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.errors import DecodeError
from streamguard.wire.codecs import json_turns
from streamguard.wire.codecs.json_turns import BodyLimitError, outlining, reading

TEXT = st.text(st.sampled_from('ab"\\/\n\té“😀\ud83d'), max_size=30)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=30,
)
FINITE = VALUES.filter(lambda value: "Infinity" not in json.dumps(value))


def counted(turns):
    """Return how many turns come before the last, and what they give."""
    count = 0
    while True:
        try:
            next(turns)
        except StopIteration as end:
            return count, end.value
        count += 1


def read_whole(body, by=reading):
    return counted(by(body))[1]


@given(FINITE, st.sampled_from([None, 2]), st.sampled_from([1, 6, 7, 20, 1_000]))
def test_a_value_is_what_json_loads_finds(value, indent, turn_bytes):
    written = json.dumps(value, indent=indent).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_turns, "TURN_BYTES", max(turn_bytes, 12))
        assert read_whole(written).value == json.loads(written)
        try:
            raw = json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            return
        assert read_whole(raw).value == json.loads(raw)


@given(FINITE, st.sampled_from([None, 1]), st.sampled_from([12, 1_000]))
def test_an_outline_has_the_same_members(value, indent, turn_bytes):
    written = b" " + json.dumps(value, indent=indent).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_turns, "TURN_BYTES", turn_bytes)
        found = read_whole(written, outlining).members
    told = read_whole(written).members
    assert [written[start:end] for _, start, end in found] == [
        written[start:end] for _, start, end in told
    ]
    assert [key for key, _, _ in found] == [key for key, _, _ in told]


def test_an_outline_of_anything_is_found_in_turns():
    assert [key for key, _, _ in read_whole(b'{"\\x": 1}', outlining).members] == [""]
    turns = outlining(b'{"a": [' + b"0," * 10_000 + b'"' + b"\\n" * 400_000 + b'"], "b": 1}')
    assert len(list(turns)) >= 10_000 // json_turns.TURN_VALUES + 800_000 // json_turns.TURN_BYTES


@given(st.binary(max_size=40) | st.text('[]{}",:\\u0123456789abcdef.eE+- \ntruefalsn', max_size=40))
def test_what_is_no_json_is_refused_as_json_loads_does(written):
    body = written.encode() if isinstance(written, str) else written
    try:
        expected = json.loads(body.decode("utf-8-sig").rstrip("\0 \t\r\n"), strict=False)
    except ValueError:
        with pytest.raises(DecodeError):
            read_whole(body)
    else:
        assert repr(read_whole(body).value) == repr(expected)


@pytest.mark.parametrize(
    "body",
    [b"", b" ", b"{", b"[", b'"', b'{"a"', b'{"a":', b'{"a":1', b'{"a":1,', b"{1:2}", b'{"a" 1}',
     b"[1 2]", b"[1,]", b'{"a":1,}', b"[1}", b"tru", b"nul", b"-", b"01", b"1.", b"1e", b"nan",
     b"Inf", b"-Inf", b"+1", b"\0", b"1\x000", b"\xff\xfe1\0", b'"\\x"', b'"\\u12"', b'"\xff"',
     b"[] []", b"]", b'"abc\\'],
)  # fmt: skip
def test_a_broken_body_is_refused(body):
    with pytest.raises(DecodeError, match="the body is no JSON in UTF-8"):
        read_whole(body)


def test_what_some_server_reads_besides_is_read():
    long = "1" * 401
    found = read_whole(f"\ufeff[NaN, -Infinity, Infinity, {long}, -{long}.5]\n\0\0 ".encode()).value
    assert repr(found) == "[nan, -inf, inf, inf, -inf]"
    for number in (f"0.{long}", f"1e{long}", f"-1E-{long}", "1" * 400):
        assert read_whole(number.encode()).value == json.loads(number)
    told = b'\xef\xbb\xbf {"a": NaN, "b": [1], "c": "d"} \0'
    members = [told[start:end] for _, start, end in read_whole(told).members]
    assert members == [b'"a": NaN', b' "b": [1]', b' "c": "d"']
    assert read_whole(told, outlining).members == read_whole(told).members


@pytest.mark.parametrize("body", [
    b'{"a', b"{", b'{"a": 1} x', b'{"a": 1}{"b": 2}', b"{'a': 1}", b"{a: 1}", b'{"a": 1, b: 2}',
    b'{"a": [/*"*/1]}', b'{"a": \'"\'}', b"{{}: 1}", b'{"a": 1 // "\n}', b'{"a": {/*"*/"b": 1}}',
])  # fmt: skip
def test_an_outline_of_what_a_laxer_reader_may_read_otherwise_is_refused(body):
    with pytest.raises(DecodeError, match="the body is no JSON in UTF-8"):
        read_whole(body, outlining)


def test_values_in_each_other_and_all_together_are_bounded(monkeypatch):
    deep = b"[" * 100 + b"]" * 100
    assert read_whole(deep).value == json.loads(deep)
    with pytest.raises(BodyLimitError, match="more than 100 values in each other"):
        read_whole(b"[" + deep + b"]")
    with pytest.raises(BodyLimitError, match="more than 100 values in each other"):
        read_whole(b'{"a":' * 5_000_000)
    monkeypatch.setattr(json_turns, "MAX_VALUES", 1_000)
    assert len(read_whole(b"[" + b"1," * 998 + b"1]").value) == 999
    with pytest.raises(BodyLimitError, match="more than 1000 values"):
        read_whole(b"[" + b"1," * 999 + b"1]")


LONG = "The “Basic” plan\tcosts €10 😀. "


@pytest.mark.parametrize(
    "said",
    [[""] * 20_000, {"chunks": [{"text": "a", "n": 1.5}] * 5_000}, [LONG * 50_000],
     {LONG * 50_000: "漢字" * 100_000}, ["😀" * 200_000], ["\\" * 200_000 + '"' * 200_000],
     ["x" * 3_000_000]],
    ids=range(7),
)  # fmt: skip
@pytest.mark.parametrize("escaped", [True, False])
def test_the_work_of_a_turn_is_bounded(said, escaped, monkeypatch):
    body, decoded = json.dumps(said, ensure_ascii=escaped).encode(), []
    expected, loads = json.loads(body), json.loads

    def noting(text, **rest):
        decoded.append(len(text))
        return loads(text, **rest)

    monkeypatch.setattr(json_turns.json, "loads", noting)
    count, found = counted(reading(body))
    assert found.value == expected
    values = body.count(b",") + 1
    assert count >= max(values // json_turns.TURN_VALUES, len(body) // json_turns.TURN_BYTES) // 2
    assert max(decoded, default=0) <= json_turns.TURN_BYTES + 2


@pytest.mark.parametrize("turn_bytes", range(12, 20))
@pytest.mark.parametrize("text", ["é" * 20, "漢字" * 9, "😀" * 9, "a😀\n" * 9, '\\"é' * 9])
@pytest.mark.parametrize("escaped", [True, False])
def test_a_string_is_cut_between_its_characters(turn_bytes, text, escaped, monkeypatch):
    monkeypatch.setattr(json_turns, "TURN_BYTES", turn_bytes)
    body = json.dumps(["", text], ensure_ascii=escaped).encode()
    count, found = counted(reading(body))
    assert found.value == ["", text]
    assert count >= 1
