"""Texts that are cut out of frames as before are those that parsing every frame gives."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from streamguard.errors import DecodeError
from streamguard.wire.codecs.frame_forms import form_of, read_text
from streamguard.wire.codecs.sse import SSEDecoder
from streamguard.wire.protocols.anthropic import ANTHROPIC
from streamguard.wire.protocols.cohere import COHERE
from streamguard.wire.protocols.gemini import GEMINI
from streamguard.wire.protocols.ollama import OLLAMA
from streamguard.wire.protocols.openai_chat import CHAT
from streamguard.wire.protocols.openai_completions import COMPLETIONS
from streamguard.wire.protocols.openai_responses import RESPONSES
from streamguard.wire.protocols.ui_message import UI_MESSAGE

# A frame of each protocol around its text, with values that differ from frame to frame.
FRAMES = {
    "chat": (
        CHAT,
        (
            'data: {{"id":"c","created":{n},"choices":[{{"index":0,"delta":{{"content":{text}}}}}],'
            '"usage":{{"total_tokens":{n},"prompt_tokens":7}},"obfuscation":"{word}"}}\n\n'
        ),
    ),
    "spaced": (
        CHAT,
        (
            'event: message\r\ndata: {{"choices": [{{"index": 1, "delta": {{"role": "assistant", '
            '"content": {text}}}}}], "p": "{word}"}}\r\n\r\n'
        ),
    ),
    "nested": (  # the first "content" is not the answer's
        CHAT,
        'data: {{"x":{{"content":"no"}},"choices":[{{"delta":{{"content":{text}}}}}]}}\n\n',
    ),
    "twice": (CHAT, 'data: {{"choices":[{{"delta":{{"content":"no","content":{text}}}}}]}}\n\n'),
    "lines": (CHAT, 'id: {n}\ndata: {{"choices":[{{"delta":{{"content":{text}}}}}]}}\n\n'),
    "completions": (COMPLETIONS, 'data: {{"created":{n},"choices":[{{"text":{text}}}]}}\n\n'),
    "anthropic": (
        ANTHROPIC,
        (
            'event: content_block_delta\ndata: {{"type":"content_block_delta","index":0,'
            '"delta":{{"type":"text_delta","text":{text}}}}}\n\n'
        ),
    ),
    "cohere": (
        COHERE,
        (
            'data: {{"type":"content-delta",'
            '"delta":{{"message":{{"content":{{"text":{text}}}}}}}}}\n\n'
        ),
    ),
    "responses": (
        RESPONSES,
        (
            'event: response.output_text.delta\ndata: {{"type":"response.output_text.delta",'
            '"sequence_number":{n},"item_id":"i","output_index":0,"content_index":0,'
            '"delta":{text},"obfuscation":"{word}"}}\n\n'
        ),
    ),
    "refused": (
        RESPONSES,
        'data: {{"type":"response.refusal.delta","output_index":1,"delta":{text}}}\n\n',
    ),
    "gemini": (
        GEMINI,
        (
            'data: {{"candidates": [{{"content": {{"parts": [{{"text": {text}}}]}}}}],'
            '"usageMetadata": {{"candidatesTokenCount": {n}}}}}\r\n\r\n'
        ),
    ),
    "ollama": (
        OLLAMA,
        '{{"model":"m","created_at":"2026-08-04T{word}Z","message":{{"content":{text}}}}}\n',
    ),
    "ui": (UI_MESSAGE, 'data: {{"type":"text-delta","id":"0","delta":{text}}}\n\n'),
}
# Beside any character, those that JSON escapes, and halves of one.
CHARACTERS = st.sampled_from('"\\/\n\r\t\b\f\0\x1f\x7féß\u2028😀,:{}[]') | st.characters()
WORDS = st.text("abcXYZ019-:.+", max_size=12)
TEXTS = st.text(CHARACTERS, max_size=12)
LITERALS = st.builds(json.dumps, TEXTS, ensure_ascii=st.booleans()) | st.sampled_from(
    ['"\\ud83d"', '"\\ude00"', '"\\ud83d\\ude00"', '"\\/"', '"\\u00E9\\u00e9"', '""', "null"]
)


def frame(around, text, n=1, word="x"):
    """Return a frame with its text as JSON writes it."""
    return around.format(text=text, n=n, word=word).encode(errors="replace")


def read_by_form(reader, decoder, raw):
    """Read whole frames as a relay does; return their texts, and what was wrong."""
    plain = reader.plain(raw) if decoder.idle else None
    if plain is not None:
        choice, texts = reader.read_plain(plain)
        return [(choice, text) for text in texts], False
    return read_in_full(reader, decoder, raw)


def read_in_full(reader, decoder, raw):
    """Read frames one by one."""
    texts, wrong = [], False
    for event in decoder.feed(raw):
        try:
            texts += reader.read(event).items()
        except DecodeError:
            wrong = True
    return texts, wrong


def learnt(around, text='"learnt"'):
    """Return two frames that differ in all that may differ."""
    return [frame(around, text), frame(around, text, 2, "xy")]


def agree(dialect, reads):
    """Hold that a reader that knows forms reads the same as one that parses every frame."""
    fast, full = dialect.reader(), dialect.reader()
    full._forms_left = 0
    decoders = dialect.decoder(), dialect.decoder()
    for raw in reads:
        assert read_by_form(fast, decoders[0], raw) == read_in_full(full, decoders[1], raw), raw
    for name in ("ended", "failed", "done", "unread", "guessed", "line_end", "has_room"):
        assert getattr(fast, name) == getattr(full, name), name
    if dialect in (RESPONSES, OLLAMA):
        assert fast.live(0, 0, "{}") == full.live(0, 0, "{}")
    if dialect is RESPONSES:
        assert fast._output._all() == full._output._all()
    return fast


@pytest.mark.parametrize("name", FRAMES)
@settings(max_examples=settings.default.max_examples // 2)
@given(st.lists(st.lists(st.tuples(LITERALS, st.integers(0, 10**20), WORDS), max_size=4)))
@example([[('"a"', 1, "x")], [('"\\u00e9\\n"', 22, "yz"), ('"b"', 3, "")]])
@example(
    [[('"a"', 1, "x")], [('"b"', 1, "x"), ('"c"', 1, "x")], [('"d"', 1, "x"), ("null", 1, "x")]]
)
def test_frames_as_before_are_read_as_if_they_were_parsed(name, reads):
    dialect, around = FRAMES[name]
    agree(dialect, [b"".join([frame(around, *each) for each in read]) for read in reads])


# What stands for a few bytes of a frame: all that JSON and events are made of.
MARKS = [b'"', b"\\", b"\\u00", b"\\u12e9", b"{", b"}", b"]", b",", b":", b" ", b"\t", b"\x00"]
ENDS = [b"\n", b"\r\n", b"\n\n", b"data: ", b"\xe2\x82", b"\xf0\x9f\x98\x80", b"0", b"-", b"1e5"]
KEYS = [
    b'"content":"',
    b'"sequence_number":9,',
    b'"text":"',
    b"content",
    b'"error":1,',
    b'"created":',
    b'"done":true,',
]
PIECES = st.lists(st.sampled_from([*MARKS, *ENDS, *KEYS]), max_size=3).map(b"".join)


@pytest.mark.parametrize("name", FRAMES)
@given(LITERALS, st.lists(st.tuples(st.integers(0), st.integers(0, 6), PIECES), max_size=3))
def test_frames_with_any_bytes_changed_are_read_as_if_they_were_parsed(name, text, changes):
    dialect, around = FRAMES[name]
    first, second = learnt(around)
    changed = second + frame(around, text, 7, "yz")
    for at, length, piece in changes:
        at %= len(changed)
        changed = changed[:at] + piece + changed[at + length :]
    agree(dialect, [first, second, changed])


@pytest.mark.parametrize("name", [name for name in FRAMES if name not in ("nested", "twice")])
def test_the_usual_frames_have_a_form_whatever_their_texts(name):
    dialect, around = FRAMES[name]
    reader = agree(dialect, learnt(around))
    assert reader.plain(frame(around, '"learnt"')) == (None if name == "lines" else [b"learnt"])
    for text in ('"a"', '"\\n"', '"\\ud83d\\ude00"', '"é"', '""'):
        (event,) = dialect.decoder().feed(frame(around, text, 12_345, "yz"))
        assert reader._form.text_in(event.data) == json.loads(text)
    if name != "lines":
        many = b"".join([frame(around, '"\\"a"', n, "w" * n) for n in range(5)])
        assert reader.plain(many) == [rb"\"a"] * 5


@pytest.mark.parametrize("name", ["nested", "twice"])
def test_a_text_that_a_form_cannot_tell_for_certain_is_parsed(name):
    dialect, around = FRAMES[name]
    assert agree(dialect, [frame(around, '"a"'), frame(around, '"b"')])._form is None


@pytest.mark.parametrize("name", ["chat", "ollama", "responses"])
def test_a_first_frame_is_taken_for_like_the_others_but_for_its_text(name):
    dialect, around = FRAMES[name]
    reader = agree(dialect, [frame(around, '"a"')])
    assert reader.plain(frame(around, '"b"') + frame(around, '"c"')) == [b"b", b"c"]
    assert reader.plain(frame(around, '"b"', 2)) is None or name == "ollama"
    assert reader.plain(frame(around, '"b"', word="y")) is None


def test_strings_that_may_hold_words_belong_to_the_form():
    around = FRAMES["spaced"][1]
    reader = agree(CHAT, learnt(around))
    for word in ("of a sentence", "é", '\\"', "x" * 201):
        assert reader.plain(frame(around, '"a"', word=word)) is None


@pytest.mark.parametrize("n", ["1e5", "01", "-", "1.", "1" * 19, '"1"', "null", "1 1"])
def test_a_value_that_is_no_usual_number_is_parsed(n):
    around = FRAMES["completions"][1]
    reader = agree(COMPLETIONS, learnt(around))
    assert reader.plain(frame(around, '"a"', n="-12.5")) == [b"a"]
    assert reader.plain(frame(around, '"a"', n=n)) is None


def test_only_an_events_own_number_may_differ():
    around = FRAMES["responses"][1]
    own = agree(RESPONSES, [frame(around, '"a"', n) for n in (3, 4, 5)])
    assert b'"sequence_number":5' in own.live(0, 0, "{}")
    two = around.replace('"delta"', '"x":{{"sequence_number":3}},"delta"')
    for other in (two, two.replace('"sequence_number":{n},', "")):
        assert agree(RESPONSES, [frame(other, '"a"', n) for n in (3, 4)])._form is None


def test_a_key_within_a_string_is_no_key():
    data = '{"id":"\\"created\\":1","text":"a"}'
    form = form_of(data, data.index('a"}'), len(data) - 2, f"data: {data}\n\n".encode())
    assert form.text_in(data.replace('"a"', '"b"')) == "b"
    assert form.text_in(data.replace(":1", ":2")) is None


def test_halves_of_a_character_come_as_they_are_written():
    assert read_text(rb"\ud83d\ude00") == "😀"
    assert read_text(rb"\ud83d") == "\ud83d"
    assert read_text(b"\xe2\x82") == "\ufffd"


def test_data_with_half_a_character_in_it_is_parsed():
    around = FRAMES["chat"][1]
    reader = agree(CHAT, learnt(around))
    (event,) = SSEDecoder().feed(frame(around, '"a"'))
    assert reader._form.text_in(event.data.replace('"a"', '"\ud83d"')) is None


def test_a_long_text_of_escapes_takes_its_length():
    around = FRAMES["chat"][1]
    reader = agree(CHAT, learnt(around))
    many = "\\n" * 500_000
    assert reader.plain(frame(around, f'"{many}"')) == [many.encode()]
    assert reader.plain(frame(around, f'"{many}')) is None
