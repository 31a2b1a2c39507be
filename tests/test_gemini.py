"""Gemini beside what it shares with the other protocols: arrays, odd responses, its requests."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard import guard_sync
from streamguard.errors import StreamStateError
from streamguard.wire import dialects
from streamguard.wire.codecs.json_array import ArrayDecoder
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, SSEEvent
from streamguard.wire.requests.shown import context_of_request
from tests.kit.streams import SCENARIOS, TEXT, gemini_array, gemini_responses, has, texts
from tests.kit.upstreams import ask, proxy, result, upstream
from tests.kit.upstreams import whole as answer_of
from tests.test_dialects import CONTEXT, as_object, expected_result, runner, through

PATH = "/v1beta/models/gemini-x:streamGenerateContent"
CASES = [each for each in SCENARIOS if has("gemini", each)]
PASSAGE = "[C1] The Basic plan costs $10 per month."
ASKED = {
    "systemInstruction": {"parts": [{"text": f"DOCUMENT CONTEXT START\n{PASSAGE}\n"
                                             "DOCUMENT CONTEXT END"}]},
    "contents": [{"parts": [{"text": "Hello?"}]}, {"role": "model", "parts": [{"text": "Yes?"}]},
                 {"role": "user", "parts": [{"text": "What does Basic cost?"}]}],
}  # fmt: skip

__all__ = ["runner"]


def cut(raw, at):
    return [raw[a:b] for a, b in itertools.pairwise(sorted({0, len(raw), *at}))]


def read(pieces, most=MAX_EVENT_BYTES):
    decoder = ArrayDecoder(most)
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return [*events, *decoder.close()], decoder


@given(st.data())
def test_an_array_is_cut_into_its_elements_however_it_comes(data):
    strings = st.text(alphabet='ab"\\[]{},:\n é😀', max_size=8)
    value = st.dictionaries(strings, st.lists(strings, max_size=3), max_size=3)
    elements = data.draw(st.lists(value, max_size=4))
    raw = json.dumps(elements, ensure_ascii=data.draw(st.booleans())).encode() + b" \n"
    at = data.draw(st.sets(st.integers(1, len(raw) - 1)))
    events, decoder = read(cut(raw, at))
    assert b"".join(event.raw for event in events) == raw
    told = [event.data for event in events if event.data is not None]
    assert [json.loads(each) for each in told[:-1]] == elements
    assert told[-1] == "]"
    assert not any(event.truncated for event in events)
    assert decoder.idle


@given(st.binary(max_size=60), st.integers(2, 30), st.sets(st.integers(0, 60)))
def test_no_byte_of_anything_is_lost(raw, most, at):
    for body in (raw, b"[" + raw, b'[{"a":"' + raw + b'"}]'):
        events, _ = read(cut(body, {each for each in at if each < len(body)}), most)
        assert b"".join(event.raw for event in events) == body


def test_what_is_too_long_or_no_array_passes_unread():
    long = b'[{"a":"' + b"x" * 99 + b'"},{"b":1}]'
    for pieces in (cut(long, range(0, 50, 7)), [long]):
        events, decoder = read(pieces, 40)
        assert [event.data for event in events if event.data] == ['{"b":1}', "]"]
        assert events[0].truncated
        assert not decoder.halfway
    for odd in (b'{"error":{}}', b"[3]", b'["x"]', b"[[]]", b"}", b"nothing", b"[\\]"):
        events, _ = read([odd[:1], odd[1:]])
        assert all(event.data is None for event in events)
        assert any(event.truncated for event in events)
    closed = ArrayDecoder()
    assert (ArrayDecoder.end_of(b"["), closed.close()) == (b"", [])
    with pytest.raises(StreamStateError, match="the stream has ended; use a new decoder"):
        closed.feed(b"[")


@pytest.mark.parametrize("form", [None, "attach", "chunk", "event", "header"])
@pytest.mark.parametrize("scenario", CASES)
def test_an_array_stays_one_and_bears_the_annotation(scenario, form):
    made = gemini_array(scenario)
    raw = b"".join(made)
    for pieces in (made, [raw], cut(raw, range(0, len(raw), 9))):
        out, annotation = through(pieces, "gemini_array", form)
        found, bare = json.loads(out), json.loads(raw)
        ours = [each.pop("streamguard") for each in found if "streamguard" in each]
        if scenario == "error":
            assert out == raw
            assert annotation.result.ended == "upstream_error"
            continue
        assert annotation.result == expected_result(scenario)
        assert ours == [] if form == "header" else ours == [json.loads(annotation.to_json())]
        if form in (None, "attach"):
            assert found == bare
        elif form != "header":
            assert found[:-1] == bare
            assert found[-1]["candidates"][0]["content"]["parts"] == [{"text": ""}]


def test_responses_read_alike_as_objects_of_the_sdk():
    for scenario in [each for each in CASES if each != "error"]:
        said = gemini_responses(scenario)
        named = json.loads(json.dumps(said).replace("finishReason", "finish_reason"))
        for made in (said, list(map(as_object, named))):
            with guard_sync(made, context=CONTEXT) as stream:
                *items, annotation = stream
            assert items == made
            assert annotation.result == expected_result(scenario)
            assert len(annotation.choices) == (len(texts(scenario)) if scenario == "choices" else 0)


@pytest.mark.asyncio
@pytest.mark.parametrize("path", [PATH, f"{PATH}?alt=json"])
async def test_an_array_is_a_stream_for_the_proxy_and_its_request_shows_the_context(path):
    raw = b"".join(gemini_array())
    async with upstream(answer_of(raw)) as up, proxy(up.url) as base:
        got = await ask(base, ASKED, path)
        _, stored = await result(base, got.headers["x-streamguard-id"])
        assert json.loads(got.body)[-1]["streamguard"]["id"] == stored["id"]
        assert stored["result"]["text"]["code_points"] == len(TEXT)
        assert "potential_hallucination" in stored["result"]["flags"]
        assert json.loads(up.requests[0].body) == ASKED


@pytest.mark.parametrize("role", ["user", "function", "tool"])
def test_what_functions_returned_is_a_source(role):
    response = {"functionResponse": {"name": "price", "response": {"basic": "$10 per month"}}}
    turns = [{"role": role, "parts": [response]}, {"role": "user", "parts": [{"text": "So?"}]}]
    context = context_of_request({"contents": turns})
    assert context.query == "So?"
    assert "$10 per month" in context.evidence.texts[0]
    assert context_of_request({"contents": "Hi"}).query is None
    assert dialects.GEMINI_ARRAY.reader().addition("{}", None) == b""
    assert dialects.GEMINI.reader().attached(SSEEvent(b"data: x\n\n", data="y"), "{}") is None
