"""A frame is read as far as a turn goes: what holds more passes as it came, and is reported."""

import asyncio
import json
import re
import sys
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from streamguard import Checks, Context, Policy, SSEDecoder
from streamguard.errors import DecodeError
from streamguard.server.relay import relay as relays
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.json_answer import JSONRelay
from streamguard.server.relay.opening import Opening
from streamguard.server.relay.relay import Relay
from streamguard.wire.bounds import MAX_VALUES, FrameLimitError, decoded
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, MAX_EVENT_LINES, Shortened, SSEEvent
from streamguard.wire.dialects import DIALECTS, first_frame
from streamguard.wire.protocols.choice_streams import MAX_CHOICES
from streamguard.wire.protocols.gemini import GEMINI, GEMINI_ARRAY
from streamguard.wire.protocols.ollama import OLLAMA
from streamguard.wire.protocols.openai_chat import CHAT, text_of
from streamguard.wire.protocols.openai_completions import COMPLETIONS
from streamguard.wire.protocols.openai_responses import RESPONSES
from tests.kit.frames import DONE, frame
from tests.kit.relaying import examined, finished, relayed

# Calls of functions, the interpreter's own included, while one frame is read: some 5 ms of them.
# Random frames take 61,000 at most; `{"choices":[0,0,…]}` took 11 million.
MAX_CALLS = 75_000
SIZE = MAX_EVENT_BYTES - 200
ITEMS = ("0", "{}", "[]", '""', '"a b c d"', "-1.5", "null", "[[[[0]]]]", '{"a":1}', '{"a":"b c"}',
         '{"text":"a"}', '{"type":"text","text":"a"}', '{"type":"x","y":"a b c d"}',
         '{"delta":{"content":"a"}}', '{"message":{"content":"a"},"delta":{"content":["b"]}}',
         '{"content":{"parts":[{"text":"a"}]}}', '{"parts":[{"text":"a"}]}',
         '{"type":"message","content":[{"type":"output_text","text":"a"}]}')  # fmt: skip
PLACES = ("[%s]", '{"choices":[%s]}', '{"candidates":[%s]}',
          '{"candidates":[{"content":{"parts":[%s]}}]}',
          '{"choices":[{"delta":{"content":[%s]}}]}', '{"choices":[{"message":{"content":[%s]}}]}',
          '{"choices":[{"delta":{"content":"a"},"message":{"content":[%s]}}]}',
          '{"type":"response.completed","response":{"output":[%s]}}',
          '{"type":"response.output_item.done","item":{"type":"message","content":[%s]}}',
          '{"type":"response.x","x":[%s]}', '{"type":"content_block_start","content_block":[%s]}',
          '{"type":"content_block_delta","delta":{"type":"y","z":[%s]}}', '{"content":[%s]}',
          '{"type":"content-delta","delta":{"message":{"content":[%s]}}}',
          '{"jsonrpc":"2.0","result":{"artifacts":[%s],"parts":[%s]}}',
          '{"type":"response.output_item.done","item":{"type":"mcp_call","output":[%s]}}',
          '{"type":"response.output_item.done","item":{"type":"file_search_call","results":[%s]}}',
          '{"type":"content_block_start","content_block":{"type":"mcp_tool_result","content":[%s]}}',
          '{"choices":[{"delta":{"context":{"citations":[%s]},"annotations":[%s]}}]}',
          '{"candidates":[{"groundingMetadata":{"groundingChunks":[%s],"groundingSupports":[%s]}}]}',
          '{"type":"citation-start","delta":{"message":{"citations":{"sources":[%s]}}}}',
          '{"type":"tool-output-available","toolCallId":"t","output":[%s]}',
          '{"type":"MESSAGES_SNAPSHOT","messages":[%s]}', '{"event":"message","answer":[%s]}',
          '{"sources":[%s],"data":{"reference":{"chunks":[%s]}}}',
          '{"choices":[{"sources":[%s],"delta":{"reference":{"chunks":[%s]}}}],"sources":[%s]}',
          '{"done":false,"model":"m","message":[%s],"x":[%s]}')  # fmt: skip


def calls(function, *args):
    """Return how many functions are called while `function` runs; it may raise `DecodeError`."""
    count = 0

    def counted(_, event, __):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        with suppress(DecodeError):
            function(*args)
    finally:
        sys.setprofile(None)
    return count


def read(reader, data):
    event = SSEEvent(b"data: " + data.encode() + b"\n\n", data=data)
    reader.place(event)
    reader.read(event)


def filled(place, item, size=SIZE):
    """Return a frame of about `size` characters in whose lists an item is repeated."""
    lists = place.count("%s")
    count = max(1, (size - len(place)) // (len(item) + 1) // lists)
    return place % ((",".join([item] * count),) * lists)


def in_object(held):
    return "{" + ",".join(f'"{name}":{value}' for name, value in held.items()) + "}"


def wide_frames():
    def around(inner):
        lists = st.lists(inner, max_size=4).map(lambda held: f"[{','.join(held)}]")
        return lists | st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(in_object)

    items = st.recursive(st.sampled_from(ITEMS), around, max_leaves=8)
    sizes = st.sampled_from((6_000, 60_000, 200_000, SIZE))
    return st.builds(filled, st.sampled_from(PLACES), items, sizes)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda each: each.name)
@example('{"choices":[' + ",".join(["0"] * 500_000) + "]}")
@example('{"choices":[' + ",".join(["{}"] * 330_000) + "]}")
@example('{"candidates":[' + ",".join(["{}"] * 20_000) + "]}")
@example("{" + ",".join(f'"key{number}":"a b"' for number in range(60_000)) + "}")
@example("{" + ",".join(f'"key{number}":"a b"' for number in range(3_900)) + "}")
@example("[" * (MAX_EVENT_BYTES - 10))
@example('"' + '\\"' * 500_000)
@example('{"type":"TOOL_CALL_RESULT","content":' + json.dumps(json.dumps([0] * 30_000)) + "}")
@example('{"type":"TOOL_CALL_RESULT","content":' + json.dumps("a b. [1] c\n" * 90_000) + "}")
@example('{"type":"TOOL_CALL_RESULT","content":' + json.dumps("[1] a b.\n" * 6_000) + "}")
@example(
    '{"type":"TOOL_CALL_RESULT","content":' + json.dumps('{"a":' * 900 + "1" + "}" * 900) + "}"
)
@example(
    '{"search_results":['
    + ",".join(['{"snippet":"a b"}'] * 900)
    + '],"choices":['
    + ",".join(json.dumps({"index": number, "delta": {}}) for number in range(60))
    + "]}"
)
@settings(max_examples=settings.default.max_examples // 3)
@given(wide_frames())
def test_no_frame_takes_more_than_a_turn(dialect, data):
    reader = dialect.reader()
    for text in ("It ", "costs ", "$10."):
        read(reader, json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}))
    assert calls(read, reader, data) < MAX_CALLS


async def through(parts, dialect, form="chunk"):
    checking = Checking("00" * 16, Context(), Policy(), Checks())
    return await relayed(parts, Relay(checking, dialect, form))


def codes(annotation):
    return {reason.code for reason in annotation.result.reasons}


TEXT = "The Basic plan costs $10 per month. "
WIDE = [
    (CHAT, '{"choices":[%s]}'),
    (COMPLETIONS, '{"choices":[%s]}'),
    (GEMINI, '{"candidates":[%s]}'),
    (RESPONSES, '{"type":"response.in_progress","response":{"output":[%s]}}'),
]


@pytest.mark.parametrize(("form", "item"), [("chunk", "0"), ("header", "0"), ("attach", "{}")])
@pytest.mark.parametrize(("dialect", "place"), WIDE, ids=[each.name for each, _ in WIDE])
def test_what_is_not_read_is_reported_and_relayed_as_it_came(dialect, place, item, form):
    wide = f"data: {filled(place, item)}\n\n".encode()
    sent = frame(TEXT) + wide + frame(finish="stop") + DONE
    annotations = set()
    for step in (len(sent), 9_973):
        parts = [sent[at : at + step] for at in range(0, len(sent), step)]
        out, annotation = asyncio.run(through(parts, dialect, form))
        assert wide in out
        assert "limit_reached" in codes(annotation)
        assert annotation.result.status != "PASS"
        annotations.add(annotation.model_dump_json(exclude={"stream"}))
    assert len(annotations) == 1


@pytest.mark.parametrize(
    "data",
    [
        filled("[%s]", "0"), filled("[%s]", "{}"), filled("[%s]", '"a"'), filled("[%s]", "[[0]]"),
        json.dumps({f"k{number}": 0 for number in range(20_000)}),
        json.dumps({"choices": [{"delta": {}} for _ in range(600)]}),
        json.dumps([0] * 5_000),
    ],
)  # fmt: skip
def test_a_frame_of_too_many_values_is_not_read(data):
    with pytest.raises(FrameLimitError, match="a frame holds more"):
        decoded(data)


IMAGE = {"image_url": {"url": "data:;base64," + "QUJD" * 200_000}}
TOOL = {"a": {"b": [1]}}
TOKEN = {"token": " the", "logprob": -0.01, "bytes": [32, 116], "top_logprobs": []}


@pytest.mark.parametrize(
    "value",
    [
        {"choices": [{"delta": {"content": TEXT * 25_000}}]},
        {"choices": [{"delta": {"content": "a, [b], {c}: " * 70_000}}]},
        {"choices": [{"delta": {"content": json.dumps([{"a": [1, 2], "b": "c\\d"}] * 20_000)}}]},
        {"choices": [{"delta": {"content": "a"}, "logprobs": {"content": [TOKEN] * 2_000}}]},
        {
            "choices": [
                {"delta": {"images": [{"image_url": {"url": "data:;base64," + "QUJD" * 200_000}}]}}
            ]
        },
        {"model": "m", "done": True, "context": list(range(40_000))},
        {
            "type": "response.completed",
            "response": {"tools": [{"a": {"b": [1]}}] * 900, "output": []},
        },
    ],
)
def test_an_honest_long_frame_is_read(value):
    data = json.dumps(value)
    assert MAX_VALUES / 10 < len(data) < MAX_EVENT_BYTES
    assert decoded(data) == value


def test_a_number_of_very_many_digits_is_none():
    assert decoded("[" + "9" * 100 + "," + " " * 70_000 + "1]") == [int("9" * 100), 1]
    with pytest.raises(DecodeError, match="is not JSON"):
        decoded("[" + "9" * 101 + "," + " " * 70_000 + "1]")


CHOICES = [
    (CHAT, "choices", {"delta": {"content": "a"}}),
    (GEMINI, "candidates", {"content": {"parts": [{"text": "a"}]}}),
]


@pytest.mark.parametrize(("dialect", "name", "choice"), CHOICES, ids=["chat", "gemini"])
def test_more_choices_than_a_stream_has_are_unread(dialect, name, choice):
    def unread(count):
        reader = dialect.reader()
        read(reader, json.dumps({name: [{"index": at, **choice} for at in range(count)]}))
        return reader.unread

    assert (unread(MAX_CHOICES), unread(MAX_CHOICES + 1)) == (False, True)


def test_choices_beyond_the_most_are_not_looked_at():
    chunk = {"choices": [{"index": at, "delta": {"content": "a"}} for at in range(10_000)]}
    assert len(text_of(chunk)) == MAX_CHOICES


def test_a_last_frame_that_is_too_wide_ends_the_answer():
    last = {"type": "response.completed", "response": {"output": [0] * 60_000}}
    event = f"event: response.completed\ndata: {json.dumps(last)}\n\n".encode()
    said = {"type": "response.output_text.delta", "delta": TEXT}
    out, annotation = asyncio.run(
        through([f"data: {json.dumps(said)}\n\n".encode(), event], RESPONSES, "attach")
    )
    assert event in out
    assert annotation.result.complete
    assert "limit_reached" in codes(annotation)


def test_frames_that_take_longer_than_a_turn_are_read_in_several(monkeypatch):
    monkeypatch.setattr(relays, "TURN_NS", 0)
    turns = 0

    async def pause():
        nonlocal turns
        turns += 1
        await asyncio.sleep(0)

    async def run(form, end="orderly"):
        checking = Checking("00" * 16, Context(), Policy(), Checks(), pause=pause)
        opening = Opening("/v1/chat/completions", "text/event-stream", {}, checking, form)
        sent = b"".join(map(frame, TEXT.split(" "))) + frame(finish="stop") + DONE
        out = opening.receive(sent)
        if opening.keep():
            out += await examined(opening)
        if end == "orderly":
            out += await finished(opening)
        else:
            await opening.catch_up()
            opening.abandon(end)
        return out, checking.annotation.result

    for form in ("chunk", "header"):
        turns = 0
        out, result = asyncio.run(run(form))
        assert out.startswith(frame("The"))
        assert result.text.code_points == len(TEXT.replace(" ", ""))
        assert form == "header" or turns >= 8
        _, left = asyncio.run(run(form, "client_disconnect"))
        assert left.text.code_points == result.text.code_points


def test_an_event_of_very_many_lines_is_not_read():
    def event(lines):
        return b"data: 1\n" * lines + b"\n"

    few, many = SSEDecoder().feed(event(MAX_EVENT_LINES) + event(MAX_EVENT_LINES + 1))
    assert few.data.count("1") == MAX_EVENT_LINES
    assert (many.data, many.truncated, many.raw) == (None, True, event(MAX_EVENT_LINES + 1))


@pytest.mark.parametrize(
    ("begun", "kind", "empty", "first"),
    [
        (b"\n" * 65_536, "text/event-stream", 65_536, None),
        (b": ping\r\n\r\n" * 6_000 + b"data: a\n\n", "text/event-stream", 60_000, "a"),
        (b"id: 1\ndata: a\n\n", "text/event-stream", 0, "a"),
        (b"\xef\xbb\xbf: ping\n\ndata: a\n\n", "text/event-stream", 11, "a"),
        (b"retry: 1\n\n: a\ndata: a", "text/event-stream", 10, None),
        (b" \r\n\n" * 10_000 + b"{}\n", "application/x-ndjson", 40_000, "{}"),
    ],
)
def test_what_comes_before_the_first_frame_is_passed_over_at_once(begun, kind, empty, first):
    assert first_frame(begun, kind) == (empty, first)
    assert calls(first_frame, begun, kind) < 200


def test_the_brackets_of_an_array_are_cut_in_portions():
    async def run():
        checking = Checking("00" * 16, Context(), Policy(), Checks())
        relay = Opening("/x:streamGenerateContent", "application/json", {}, checking, "attach")
        sent = b"[" + b'{"candidates":[' + b"[]," * 20_000 + b"[]]}]"
        most, out = calls(relay.receive, sent), []
        out.append(await relay.read())
        while relay.held:
            out.append(await relay.read())
        return most, b"".join((*out, await finished(relay)))

    most, out = asyncio.run(run())
    assert most < 100
    assert out.endswith(b"[]]}]")


@pytest.mark.parametrize("item", ["0", "{}", '{"a":1}'])
def test_a_whole_answer_of_too_many_values_is_not_looked_through(item):
    async def run(sent):
        checking = Checking("00" * 16, Context(), Policy(), Checks())
        whole = JSONRelay("/v1/chat/completions", checking, "attach")
        out = whole.receive(sent) + await finished(whole)
        return out, checking

    for size in (15_000, 400_000):
        sent = filled('{"choices":[%s]}', item, size).encode()
        out, checking = asyncio.run(run(sent))
        assert out == sent
        assert checking.annotation.state == "skipped"
        assert checking.skip_reason == "limit"


def test_a_long_last_line_of_ollama_with_its_context_ends_the_answer():
    said = {"model": "m", "response": TEXT, "done": False}
    last = {"model": "m", "response": "", "done": True, "context": list(range(30_000))}
    sent = f"{json.dumps(said)}\n{json.dumps(last)}\n".encode()
    _, annotation = asyncio.run(through([sent], OLLAMA))
    assert annotation.result.complete
    assert "limit_reached" not in codes(annotation)
    assert "unread" not in codes(annotation)


def test_an_array_decoder_reads_what_is_cut_in_portions():
    assert GEMINI_ARRAY.decoder().turn_bytes < 65_536


@pytest.mark.parametrize(("told", "unread"), [(10_000, False), (1_500_000, True)])
def test_many_parts_are_not_looked_for_in_a_very_long_answer(told, unread):
    reader = RESPONSES.reader()
    for at in range(0, told, 500_000):
        delta = "a" * min(500_000, told - at)
        read(reader, json.dumps({"type": "response.output_text.delta", "delta": delta}))
    parts = [{"type": "output_text", "text": f"new {number}"} for number in range(3)]
    response = {"output": [{"type": "message", "content": [part]} for part in parts]}
    read(reader, json.dumps({"type": "response.completed", "response": response}))
    assert reader.unread is unread


def test_a_wide_frame_of_no_protocol_is_passed_over_and_said():
    reader = next(each for each in DIALECTS if each.name == "plain_events").reader()
    data = json.dumps({"text": [0] * 60_000})
    with pytest.raises(FrameLimitError):
        reader.read(SSEEvent(b"data: " + data.encode() + b"\n\n", data=data))


PICTURE = "iVBORw0KGgo" * 140_000  # 1.5 MB


def pictured(kind):
    """Return the stream of an answer with a picture in its protocol's form, and its dialect."""
    if kind == "chat":
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
        delta = {"content": "It is green. ", "images": [image]}
        chunk = {"id": "c", "choices": [{"index": 0, "delta": delta}]}
        data = [f"data: {json.dumps(chunk)}\n\n".encode()]
        return CHAT, b"".join([frame(TEXT), *data, frame(TEXT), frame(finish="stop"), DONE])
    if kind.startswith("gemini"):
        parts = [[{"text": TEXT}], [{"inlineData": {"mimeType": "image/png", "data": PICTURE}}]]
        candidates = [{"index": 0, "content": {"parts": part}} for part in parts]
        candidates.append({"index": 0, "content": {"parts": parts[0]}, "finishReason": "STOP"})
        frames = [{"candidates": [each]} for each in candidates]
        if kind == "gemini_array":
            return GEMINI_ARRAY, json.dumps(frames).encode()
        return GEMINI, b"".join(f"data: {json.dumps(each)}\r\n\r\n".encode() for each in frames)
    if kind == "ollama":
        said = {"role": "assistant", "content": TEXT}
        messages = [said, {**said, "images": [PICTURE]}, {**said, "content": ""}]
        lines = [{"model": "m", "message": each, "done": not each["content"]} for each in messages]
        return OLLAMA, b"".join(json.dumps(each).encode() + b"\n" for each in lines)
    image = {"type": "image_generation_call", "id": "ig", "result": PICTURE}
    part = {"type": "output_text", "text": TEXT * 2}
    output = [image, {"type": "message", "content": [part]}]
    frames = [
        {"type": "response.image_generation_call.partial_image", "partial_image_b64": PICTURE},
        {"type": "response.output_item.done", "output_index": 0, "item": image},
        {"type": "response.output_text.delta", "output_index": 1, "delta": TEXT},
        {"type": "response.output_text.delta", "output_index": 1, "delta": TEXT},
        {"type": "response.completed", "response": {"id": "r", "output": output}},
    ]
    return RESPONSES, b"".join(f"data: {json.dumps(each)}\n\n".encode() for each in frames)


@pytest.mark.parametrize("form", ["header", "attach"])
@pytest.mark.parametrize("kind", ["chat", "gemini", "gemini_array", "ollama", "responses"])
def test_a_picture_of_megabytes_is_no_limit_where_the_text_was_read(kind, form):
    dialect, sent = pictured(kind)
    for step in (len(sent), 65_521):
        parts = [sent[at : at + step] for at in range(0, len(sent), step)]
        out, annotation = asyncio.run(through(parts, dialect, form))
        assert not codes(annotation) & {"limit_reached", "unread"}
        said = len(TEXT) * 2 + (len("It is green. ") if kind == "chat" else 0)
        assert annotation.result.text.code_points == said
        assert annotation.result.complete
        if form == "header":
            assert out == sent
        else:
            assert out.count(b"streamguard.result") <= 1
            assert len(out) >= len(sent)


RUNS = st.tuples(st.sampled_from('a" ,'), st.sampled_from((1, 7, 65_535, 65_536, 90_000)))


@settings(max_examples=12)
@given(st.lists(RUNS, min_size=1, max_size=6), st.lists(st.integers(0, 10**6), max_size=9))
def test_strings_too_long_for_words_are_cut_short_however_they_come(parts, cuts):
    data = b"".join(char.encode() * count for char, count in parts)
    whole = Shortened(MAX_EVENT_BYTES)
    whole.add(data)
    pieces = Shortened(MAX_EVENT_BYTES)
    places = sorted({0, len(data), *(cut % len(data) for cut in cuts)})
    for start, end in pairwise(places):
        pieces.add(data[start:end])
    assert pieces.data == whole.data
    assert max(map(len, re.findall(rb"a+", whole.data)), default=0) <= 65_536


def test_a_text_without_blanks_that_was_cut_short_is_a_limit():
    sent = b"".join([frame("x" * 1_200_000), frame(TEXT), frame(finish="stop"), DONE])
    out, annotation = asyncio.run(through([sent], CHAT, "header"))
    assert out == sent
    assert "limit_reached" in codes(annotation)


def test_a_block_too_long_without_pictures_is_not_read():
    long = b"data: " + b"a b " * 300_000
    for pieces in ([long + b"\n\n"], [long, b" c", b"\n\n"]):
        decoder = SSEDecoder()
        events = [each for piece in pieces for each in decoder.feed(piece)]
        assert [each.part for each in events] == [True] * (len(events) - 1) + [False]
        assert all(each.truncated for each in events)
        assert b"".join(each.raw for each in events) == b"".join(pieces)
