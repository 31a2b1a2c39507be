"""Every protocol through the relay: its bytes, its text, and where the annotation goes."""

import asyncio
import json
import random
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation
from streamguard.core.model.types import ContextOrigin, RetrievedChunk
from streamguard.core.validate import check_text
from streamguard.errors import StreamStateError
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.relay import Relay
from streamguard.wire import dialects
from streamguard.wire.codecs.sse import SSEEvent
from tests.kit.relaying import examined, finished, relayed
from tests.kit.streams import PROTOCOLS, SCENARIOS, SECOND, TEXT, frames, has, texts, whole
from tests.test_doors import LINES, PATHS, Said

ID = "0" * 32
run = None  # of the loop that all tests share
CONTEXT = Context(query="What does Basic cost?", chunks=["The Basic plan costs $10 per month."])
KINDS = {
    "chat": dialects.CHAT, "completions": dialects.COMPLETIONS, "responses": dialects.RESPONSES,
    "anthropic": dialects.ANTHROPIC, "cohere": dialects.COHERE, "gemini": dialects.GEMINI,
    "gemini_array": dialects.GEMINI_ARRAY,  # of no protocol of its own: tests/test_gemini.py
    "ollama_chat": dialects.OLLAMA, "ollama_generate": dialects.OLLAMA,
    "ui": dialects.UI_MESSAGE, "events": dialects.PLAIN_EVENTS, "lines": dialects.PLAIN_LINES,
}  # fmt: skip
# How many frames stand behind the annotation; where it rides in one, which frame from the end.
BEHIND = {"chat": 1, "completions": 1, "responses": 1, "anthropic": 1, "gemini": 0, "cohere": 2,
          "ollama_chat": 1, "ollama_generate": 1, "ui": 2, "events": 1, "lines": 0}  # fmt: skip
SEAT = {"chat": 2, "completions": 2, "responses": 1, "anthropic": 2, "gemini": 1, "cohere": 2,
        "ollama_chat": 1, "ollama_generate": 1, "ui": 2}  # fmt: skip
CASES = [(p, s) for p in PROTOCOLS for s in SCENARIOS if has(p, s)]
WHOLE_CASES = [case for case in CASES if case[1] != "error"]


def relay_for(protocol, form=None, live=False, checks=DEFAULT_CHECKS):
    heard = (lambda _: None) if live else None
    whole = Annotation.to_json  # however long: what is cut is told elsewhere
    checking = Checking(ID, CONTEXT, Policy(), checks, on_sentence=heard, in_band=whole)
    dialect = KINDS[protocol]
    return Relay(checking, dialect, dialect.form(form))


@pytest.fixture(scope="module", autouse=True)
def runner():
    """Run everything on one loop: making one takes longer than most of what it runs."""
    global run
    with asyncio.Runner() as made:
        run = made.run
        yield


def through(parts, protocol, form=None, end="orderly", **options):
    return run(relayed(parts, relay_for(protocol, form, **options), end))


def cuts(made, seed=0, fine=False):
    """Yield the frames cut in several ways: by frames, at random, byte by byte."""
    raw = b"".join(made)
    yield made
    rng, parts, at = random.Random(seed), [], 0
    while at < len(raw):
        size = rng.choice((1, 2, 9, 70, 700))
        parts.append(raw[at : at + size])
        at += size
    yield parts
    if fine:
        yield [raw[at : at + 1] for at in range(len(raw))]


def written(protocol, scenario, line_end="lf"):
    made = frames(protocol, scenario)
    return [each.replace(b"\n", b"\r\n") for each in made] if line_end == "crlf" else made


def usage_behind(protocol, scenario):
    return protocol in ("chat", "completions") and scenario == "usage"


def without(out, annotation):
    """Return the bytes around the annotation, which must be there once, and what it rode in."""
    made = annotation.to_json().encode()
    assert out.count(made) == 1
    before, _, behind = out.partition(made)
    return before, behind


@cache
def expected_result(scenario, choice=0, protocol=""):
    context = CONTEXT
    if protocol == "ui" and scenario in ("tools", "calls"):  # whose tool's result is in the stream
        chunks = [*CONTEXT.chunks, RetrievedChunk("price: 10", id="tool:call_1")]
        origins = (ContextOrigin("given", None, 1), ContextOrigin("tool", None, 1))
        context = replace(CONTEXT, chunks=chunks, origins=origins)
    return check_text(texts(scenario).get(choice, ""), context=context)


@pytest.mark.parametrize(
    ("protocol", "scenario", "form", "line_end"),
    [
        *((p, s, "chunk", "lf") for p, s in WHOLE_CASES),
        *((p, "text", form, "crlf") for form in ("chunk", "event") for p in PROTOCOLS),
    ],
)
def test_a_frame_of_ours_stands_before_the_tail(protocol, scenario, form, line_end):
    made = written(protocol, scenario, line_end)
    cut = len(made) - BEHIND[protocol] - usage_behind(protocol, scenario)
    head, tail = b"".join(made[:cut]), b"".join(made[cut:])
    for parts in cuts(made, fine=scenario == "text" and form == "chunk"):
        out, annotation = through(parts, protocol, form)
        assert (annotation.state, annotation.result) == (
            "complete",
            expected_result(scenario, protocol=protocol),
        )
        if scenario == "choices":
            assert annotation.choices[1].text == expected_result(scenario, 1).text
        if KINDS[protocol].form(form) == "header":
            assert out == head + tail
            continue
        assert out.startswith(head)
        assert out.endswith(tail)
        ours = out[len(head) : len(out) - len(tail)]
        assert without(ours, annotation)
        assert carried(protocol, ours) == json.loads(annotation.to_json())
        is_crlf = line_end == "crlf" and protocol not in LINES
        assert ours.endswith(made[0][-4:] if is_crlf else b"\n")


def carried(protocol, ours):
    """Return the annotation of exactly one frame that every reader of the protocol can read."""
    decoder = KINDS[protocol].decoder()
    (event,) = decoder.feed(ours)
    frame = json.loads(event.data)
    if protocol == "ui":
        return frame["data"]
    return frame.get("streamguard", frame)


@pytest.mark.parametrize(
    ("protocol", "scenario", "line_end"),
    [*((p, s, "lf") for p, s in WHOLE_CASES if p in SEAT), *((p, "text", "crlf") for p in SEAT)],
)
def test_the_annotation_rides_in_the_last_frame_and_no_other_byte_changes(
    protocol, scenario, line_end
):
    made = written(protocol, scenario, line_end)
    seat = len(made) - SEAT[protocol] - usage_behind(protocol, scenario)
    for parts in cuts(made, fine=scenario == "text"):
        out, annotation = through(parts, protocol, "attach")
        before, behind = without(out, annotation)
        key = b'"messageMetadata":{"streamguard":' if protocol == "ui" else b'"streamguard":'
        assert before.endswith(b"," + key)
        behind = behind[1:] if protocol == "ui" else behind
        assert before.removesuffix(b"," + key) + behind == b"".join(made)
        assert before.startswith(b"".join(made[:seat]))
        assert behind.endswith(b"".join(made[seat + 1 :]))


@pytest.mark.parametrize(("protocol", "scenario"), CASES)
def test_by_header_alone_every_read_goes_on_as_it_came(protocol, scenario):
    async def as_they_came(parts):
        relay = relay_for(protocol, "header", live=True)
        for part in parts:
            assert relay.receive(part) == part
            assert await examined(relay) == b""
        assert await finished(relay) == b""

    for parts in cuts(frames(protocol, scenario)):
        run(as_they_came(parts))


@pytest.mark.parametrize("form", [None, "chunk", "attach", "event"])
@pytest.mark.parametrize("protocol", [p for p in PROTOCOLS if has(p, "error")])
def test_after_an_error_of_the_protocol_nothing_is_added(protocol, form):
    made = frames(protocol, "error")
    for parts in cuts(made):
        out, annotation = through(parts, protocol, form, live=False)
        assert out == b"".join(made)
        assert annotation.result.ended == "upstream_error"
        assert annotation.result.text == expected_result("error").text


@pytest.mark.parametrize("form", ["chunk", "attach"])
@pytest.mark.parametrize("protocol", [p for p in PROTOCOLS if p not in ("events", "lines")])
def test_an_end_between_frames_is_annotated_as_incomplete_in_a_frame_of_ours(protocol, form):
    made = frames(protocol)[:-5]
    for parts in cuts(made):
        out, annotation = through(parts, protocol, form)
        assert out.startswith(b"".join(made))
        assert carried(protocol, out[len(b"".join(made)) :])["state"] == "partial"
        assert annotation.result.ended == "upstream_error"


@pytest.mark.parametrize("form", [None, "chunk", "attach"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_end_inside_a_frame_adds_nothing(protocol, form):
    raw = b"".join(frames(protocol))
    for cut_off in (3, 11, 150):
        for end in ("orderly", "upstream_error"):
            short = raw[:-cut_off] if raw[:-cut_off][-1:] != b"\n" else raw[: -cut_off - 2]
            out, annotation = through(list(cuts([short]))[1], protocol, form, end)
            if annotation.result.ended == "upstream_error":
                assert out == short or form != "header"
                assert without_ours(protocol, out) == short


def without_ours(protocol, out):
    """Return the bytes without a frame of ours, if there is one."""
    return b"".join(e.raw for e in _events(protocol, out) if b'"streamguard.result"' not in e.raw)


def _events(protocol, out):
    decoder = KINDS[protocol].decoder()
    return [*decoder.feed(out), *decoder.close()]


def test_a_chunk_of_ours_is_ordinary_and_repeats_neither_finish_reason_nor_usage():
    made = frames("chat", "usage")
    out, annotation = through([b"".join(made)], "chat")
    ours = json.loads(out[len(b"".join(made[:-2])) + 6 : -len(b"".join(made[-2:]))])
    assert ours.pop("streamguard")["id"] == annotation.id
    assert ours == json.loads(made[0][6:]) | {
        "choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": None}]
    }


@pytest.mark.parametrize("kind", ["response.completed", "response.incomplete", "response.failed"])
def test_the_annotation_rides_in_the_response_of_every_last_event(kind):
    made = frames("responses")
    made[-1] = made[-1].replace(b"response.completed", kind.encode())
    out, annotation = through(made, "responses")
    last = json.loads(_events("responses", out)[-1].data)
    assert last["response"]["streamguard"] == json.loads(annotation.to_json())
    assert annotation.result.complete is (kind != "response.failed")


def test_an_aborted_ui_message_is_incomplete_and_keeps_its_data_part():
    made = [*frames("ui")[:-3], b'data: {"type":"abort"}\n\n', b"data: [DONE]\n\n"]
    for form in ("chunk", "attach"):
        out, annotation = through(made, "ui", form)
        assert without_ours("ui", out) == b"".join(made)
        assert annotation.result.ended == "upstream_error"
        assert out.index(b"data-streamguard") < out.index(b'"abort"')


def test_metadata_that_a_ui_message_finishes_with_stays():
    finish = b'data: {"type":"finish","messageMetadata":{"a":[1.0e0]} }\n\n'
    made = [*frames("ui")[:-2], finish, b"data: [DONE]\n\n"]
    out, annotation = through(made, "ui", "attach")
    before, behind = without(out, annotation)
    assert before.endswith(b'{"a":[1.0e0],"streamguard":')
    assert behind == b"} }\n\ndata: [DONE]\n\n"


def test_without_a_seat_the_annotation_comes_in_a_frame_of_its_own():
    made = [*frames("chat")[:-2], b"data: [DONE]\n\n"]  # no finish_reason
    out, _ = through(made, "chat", "attach")
    assert without_ours("chat", out) == b"".join(made)
    lines = b'data: {"type":"response.completed",\ndata: "response":{"id":"r","output":[]}}\n\n'
    made = [*frames("responses")[:-1], lines]
    out, annotation = through(made, "responses")
    assert without_ours("responses", out) == b"".join(made)
    assert annotation.result.complete


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_random_cuts_change_nothing_but_where_the_annotation_is(protocol, data):
    scenario = data.draw(st.sampled_from([s for p, s in CASES if p == protocol]))
    form = data.draw(st.sampled_from([None, "chunk", "attach", "event", "header"]))
    raw = b"".join(written(protocol, scenario, data.draw(st.sampled_from(["lf", "crlf"]))))
    at = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=40)))
    parts = [raw[a:b] for a, b in zip([0, *at], [*at, len(raw)], strict=True)]
    out, annotation = through(parts, protocol, form)
    expected_out, expected = through([raw], protocol, form)
    assert annotation.result == expected.result
    assert _unmarked(out, annotation) == _unmarked(expected_out, expected)


def _unmarked(out, annotation):
    return out.replace(annotation.to_json().encode(), b"HERE")


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("form", ["chunk", "attach", "event"])
def test_live_annotations_are_frames_of_their_own_between_frames(protocol, form):
    for line_end in ("lf", "crlf"):
        source = written(protocol, "text", line_end)
        expected = _unmarked(*through([b"".join(source)], protocol, form))
        for parts in cuts(source, fine=form == "chunk" and line_end == "lf"):
            out, annotation = through(parts, protocol, form, live=True)
            found = _events(protocol, out)
            ours = [e for e in found if b"streamguard.sentence" in e.raw]
            kept = b"".join(e.raw for e in found if e not in ours)
            if KINDS[protocol].form(form) == "header":
                assert (ours, kept) == ([], b"".join(source))
                continue
            assert len(ours) == len(annotation.result.sentences)
            assert _unmarked(kept, annotation) == expected


@pytest.mark.parametrize("scenario", ["text", "tools"])
def test_live_annotations_of_responses_ride_in_open_text_or_stand_in_front_of_the_end(scenario):
    made = frames("responses", scenario)
    for parts in ([b"".join(made)], *cuts(made, fine=True)):
        out, annotation = through(parts, "responses", live=True)
        found = [json.loads(event.data) for event in _events("responses", out)]
        at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        is_open = False
        for number, event in enumerate(found):
            if "streamguard" not in event:
                begun = event["type"] == "response.output_text.delta"
                is_open = begun or (is_open and event["type"] != "response.output_text.done")
            elif event["type"] == "response.output_text.delta":
                assert (is_open, event["delta"], event | at) == (True, "", event)
            else:
                assert event["type"] == "response.in_progress"
                assert all("streamguard" in later for later in found[number:-1])
        assert len(found) - len(made) == len(annotation.result.sentences)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_protocol_is_known_by_path_or_by_the_first_frame(protocol):
    kind = Said(protocol).kind
    first = _events(protocol, frames(protocol)[0])[0].data
    of_shape = dialects.PLAIN_EVENTS if protocol == "ui" else KINDS[protocol]
    assert dialects.of_stream("/ask", kind, {}, first) is of_shape
    assert dialects.of_stream("/ask", kind) is None
    if protocol in PATHS:
        assert dialects.of_path("/base" + PATHS[protocol]) is KINDS[protocol]
        assert dialects.of_stream(PATHS[protocol], kind) is KINDS[protocol]


def test_other_paths_ask_for_no_answer_and_a_first_frame_that_none_knows_is_text():
    for path in ("/v1/threads/t/messages", "/v1/models", "/responses/r1", ""):
        assert dialects.of_path(path) is None
    for first in ("", "hello", "[1]", '"x"', '{"type": 3}', '{"type":"x"}', "{"):
        assert dialects.of_stream("/ask", "text/event-stream", {}, first) is dialects.PLAIN_EVENTS
        assert dialects.of_stream("/ask", "application/jsonl", {}, first) is dialects.PLAIN_LINES
    for begun, told in ((b": x\n\n", None), (b": x\n\ndata: Hi\n\n", "Hi"), (b": x\n\ndata", None)):
        assert dialects.first_frame(begun, "text/event-stream") == (5, told)
    header = {"x-vercel-ai-ui-message-stream": "v1"}
    assert dialects.of_stream("/api/chat", "text/event-stream", header) is dialects.UI_MESSAGE
    assert dialects.of_stream("/api/chat", "text/html", header) is None


@pytest.mark.parametrize("protocol", PATHS)
def test_an_answer_in_one_piece_is_known_by_path_and_by_shape(protocol):
    for scenario in [each for each in ("text", "tools", "choices") if has(protocol, each)]:
        answer = json.loads(whole(protocol, scenario))
        for path in (PATHS[protocol], "/ask"):
            dialect = dialects.of_answer(path, answer)
            assert dialect is KINDS[protocol]
            assert dialect.answer(answer) == texts(scenario)
    assert dialects.of_answer(PATHS[protocol], {"data": []}) is None


def test_json_of_no_protocol_is_an_answer_where_it_has_text():
    assert dialects.PLAIN_EVENTS.text_of({"data": {"text": "Hi"}}) == {0: "Hi"}
    assert dialects.PLAIN_EVENTS.text_of({"id": 3}) == {}
    assert dialects.of_answer("/ask", {"answer": "Yes."}) is dialects.PLAIN_LINES
    assert dialects.of_answer("/ask", {"answer": 3}) is None
    assert dialects.UI_MESSAGE.answer({"answer": "Yes."}) is None
    assert SECOND not in TEXT


class Item:
    """An SDK's object, as far as it matters: attributes in place of keys."""

    def __init__(self, **fields):
        self.__dict__.update(fields)


def as_object(value):
    if isinstance(value, dict):
        return Item(**{name: as_object(inner) for name, inner in value.items()})
    return [as_object(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("protocol", "scenario"), [c for c in CASES if c[0] not in ("chat", "events", "lines")]
)
def test_frames_read_alike_as_mappings_and_as_objects(protocol, scenario):
    dialect, found, ended = KINDS[protocol], [], set()
    reader = dialect.reader()
    for event in _events(protocol, b"".join(frames(protocol, scenario))):
        if event.data == "[DONE]":
            continue
        frame = json.loads(event.data)
        assert dialect.text_of(as_object(frame)) == dialect.text_of(frame) or frame.get("response")
        assert dialect.finished(as_object(frame)) == dialect.finished(frame)
        found.append(reader.read(event).get(0, ""))
        ended |= dialect.finished(frame)
    assert "".join(found) == texts(scenario).get(0, "")
    assert ended == (set() if scenario == "error" else set(texts(scenario)) or {0})


ODD = [None, 3, "x", [], {}, {"type": 3}, {"type": "text-delta", "delta": 3}, {"message": "x"},
       {"type": "content_block_delta", "delta": None}, {"content": [None, {"type": "text"}]},
       {"type": "response.output_text.delta", "delta": {}},
       {"output": [{"content": 3}]}]  # fmt: skip


@pytest.mark.parametrize("dialect", [d for d in dialects.DIALECTS if "plain" not in d.name])
def test_frames_of_any_shape_are_read_without_harm(dialect):
    assert [dialect.text_of(frame) for frame in ODD] == [{}] * len(ODD)
    assert [dialect.finished(frame) for frame in ODD] == [set()] * len(ODD)


def test_text_by_hand_is_read_as_the_first_frame_is_written():
    cases = [
        (["Hi ", "there."], "Hi there."),
        (["42", '"x"'], '42"x"'),
        (['"Hi "', '"there."', "{}"], "Hi there."),
        (['{"token":"Hi "}', '{"content":"there."}', '{"id":3}', '"x"'], "Hi there."),
        (['{"text":"Hi"}', "broken"], "Hi"),
    ]
    for data, expected in cases:
        reader = dialects.PLAIN_EVENTS.reader()
        found = [reader.read(SSEEvent(b"", data=each)).get(0, "") for each in data]
        assert "".join(found) + reader.rest().get(0, "") == expected


def test_text_as_it_is_has_no_frames_and_no_end_sign():
    made = dialects.of_text("/ask", b"Hi", {})
    decoder, reader = made.decoder(), made.reader()
    events = [*decoder.feed("Zoë".encode()[:-1]), *decoder.close()]
    assert "".join(reader.read(event).get(0, "") for event in events) == "Zo\ufffd"
    assert {reader.place(event) for event in events} == {"body"}
    assert decoder.end_of(b"Zo") == b""
    with pytest.raises(StreamStateError):
        decoder.feed(b"x")


@pytest.mark.parametrize(
    "told",
    [[("token", "Hi "), ("error", "overloaded"), ("token", "there")],
     [("sources", "[1]"), ("token", "Hi ")]],
)  # fmt: skip
def test_only_events_of_text_are_read_as_text_and_none_behind_an_error(told):
    reader = dialects.PLAIN_EVENTS.reader()
    assert [reader.read(SSEEvent(b"", *each)) for each in told] == [{}] * len(told)
    assert reader.rest() == {0: "Hi "}


def test_a_comment_carries_no_text_and_an_end_ends():
    reader = dialects.PLAIN_EVENTS.reader()
    assert reader.read(SSEEvent(b": x\n\n")) == {}
    assert reader.place(SSEEvent(b"", truncated=True)) == "body"
    assert reader.place(SSEEvent(b"", "done", "bye")) == "tail"
    assert (reader.read(SSEEvent(b"", "done", "bye")), reader.ended) == ({}, True)
    assert dialects.PLAIN_EVENTS.finished({"done": True}) == set()


def test_a_frame_that_is_no_utf8_or_no_object_inside_carries_nothing():
    reader, odd = dialects.RESPONSES.reader(), '{"response":3}'
    for raw, data in ((b"data: \xff\n\n", "\ufffd"), (f"data: {odd}\n\n".encode(), odd)):
        assert reader.attached(SSEEvent(raw, data=data), "{}") is None


def test_an_ollama_line_without_a_key_is_not_taken_for_the_shape_of_lines():
    reader = dialects.OLLAMA.reader()
    reader.read(SSEEvent(b"[]\n", data="[]"))
    made = json.loads(reader.addition("{}", None))
    assert made["message"] == {"role": "assistant", "content": ""}
