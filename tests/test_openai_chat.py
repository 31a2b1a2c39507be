"""The Chat Completions dialect: text out of frames, and the annotation into one."""

import json

import pytest

from streamguard.errors import DecodeError
from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent
from streamguard.wire.protocols.openai_chat import ChatReader, text_of
from tests.kit.frames import frame as chat_event


def chunk(*choices, **more):
    return {"id": "c1", "created": 7, "model": "m", "choices": list(choices), **more}


def choice(content=None, index=0, finish_reason=None, **delta):
    delta = delta if content is None else {"content": content, **delta}
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def answer(content, index=0):
    message = {"role": "assistant", "content": content, "refusal": None}
    return {"index": index, "message": message, "logprobs": None, "finish_reason": "stop"}


TEXTS = [
    (chunk(choice("Hi")), {0: "Hi"}),
    (chunk(choice("a", 0), choice("b", 1)), {0: "a", 1: "b"}),
    (chunk(choice("", role="assistant")), {}),
    ({"choices": [{"index": 0, "delta": {"content": None}}]}, {}),
    (chunk(choice(tool_calls=[{"index": 0, "function": {"arguments": "{"}}])), {}),
    (chunk(choice(reasoning_content="hm")), {}),
    (chunk(choice("Hi", reasoning_content="hm")), {0: "Hi"}),
    (chunk(choice(refusal="no")), {0: "no"}),
    (chunk(choice("Well, ", refusal="no")), {0: "Well, no"}),
    (chunk(choice(refusal=[{"type": "text", "text": "no"}])), {0: "no"}),
    (chunk(choice([{"type": "refusal", "refusal": "no"}])), {0: "no"}),
    (chunk(choice([{"type": "refusal", "text": "no"}])), {}),
    (chunk({"index": 0, "message": {"content": None, "refusal": "no"}}), {0: "no"}),
    (chunk(usage={"total_tokens": 0}), {}),
    (chunk(answer("whole")), {0: "whole"}),
    # Odd shapes.
    ({}, {}),
    (None, {}),
    ({"choices": None}, {}),
    ({"choices": [None, 3, "x", []]}, {}),
    ({"choices": [{"delta": {"content": ["x"]}}]}, {0: "x"}),
    (chunk(choice([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])), {0: "ab"}),
    (chunk(choice([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}])), {}),
    (chunk(choice([{"type": "reference", "reference_ids": [1]}, {"text": "b"}])), {0: "b"}),
    ({"choices": [{"index": 1, "text": "older"}]}, {1: "older"}),
    ({"choices": [{"delta": {"content": "x"}}]}, {0: "x"}),
    ({"choices": [{"index": "1", "delta": {"content": "x"}}]}, {0: "x"}),
    ({"choices": [{"index": True, "delta": {"content": "x"}}]}, {0: "x"}),
    ({"choices": [{"index": 0.5, "delta": {"content": "x"}, "finish_reason": [1]}]}, {0: "x"}),
    ({"choices": [{"index": -1, "delta": {"content": "x"}}]}, {-1: "x"}),
    ({"choices": [{"index": 999_999_999, "delta": {"content": "x"}}]}, {999_999_999: "x"}),
    ({"choices": [{"index": 0, "delta": {"content": "\ud83d"}}]}, {0: "\ud83d"}),
    ({"choices": [{"index": 0, "delta": {"content": "\x00"}}], "usage": 0, "id": 7}, {0: "\x00"}),
]


@pytest.mark.parametrize(("frame", "expected"), TEXTS)
def test_the_text_of_a_frame_is_its_content_per_choice(frame, expected):
    assert text_of(frame) == expected


def event(frame, name="message"):
    data = frame if isinstance(frame, str) else json.dumps(frame, separators=(",", ":"))
    return SSEEvent(f"data: {data}\n\n".encode(errors="replace"), name, data)


def test_a_frame_whose_text_cannot_be_told_for_certain_is_always_parsed():
    reader = ChatReader()
    for text in ("a", "b"):
        # The first "content" is not the answer's; the answer's is written with escapes.
        data = '{"x":{"content":"a"},"choices":[{"delta":{"\\u0063ontent":"' + text + '"}}]}'
        assert reader.read(event(data)) == {0: text}


def test_a_frame_like_the_template_but_broken_inside_is_refused():
    reader = ChatReader()
    data = json.dumps(chunk(choice("good")), separators=(",", ":"))
    reader.read(event(data))
    for broken in (data.replace("good", "ba\td"), data.replace("good", 'b"d')):
        with pytest.raises(DecodeError):
            reader.read(event(broken))
    longer = data.replace('"good"', '"x","role":"y"')
    assert reader.read(event(longer)) == {0: "x"}


PAD = {"usage": None, "obfuscation": "x7"}


@pytest.mark.parametrize(
    "other",
    [chat_event("a"), chat_event("a", usage=None), chat_event("a", **PAD, more=1),
     chat_event("a", **PAD | {"obfuscation": '"'}), chat_event("a", **PAD | {"obfuscation": "\\"}),
     chat_event("a", **PAD | {"obfuscation": None}),
     chat_event("a", usage={}, obfuscation="x"),
     chat_event("a", **PAD) + chat_event("b", usage=None)],
)  # fmt: skip
def test_what_else_differs_in_a_padded_frame_is_read_in_full(other):
    reader = ChatReader()
    reader.read(*SSEDecoder().feed(chat_event("learned", **PAD)))
    assert reader.plain(other) is None


@pytest.mark.parametrize("more", [{}, PAD])
def test_frames_are_as_before_where_their_texts_can_be_cut_out(more):
    reader, learned = ChatReader(), chat_event("learned", **more)
    assert reader.plain(learned) is None
    reader.read(*SSEDecoder().feed(learned))
    one, two = chat_event("a", **more), chat_event("b", **more)
    assert reader.plain(one) == [b"a"]
    assert reader.plain(one + two) == [b"a", b"b"]
    assert reader.plain(chat_event("", **more)) == [b""]
    assert reader.plain(chat_event('"', **more)) == [b'\\"']
    for other in (one[:-1], one[1:], one + two[:-1], b""):
        assert reader.plain(other) is None


def test_comments_broken_frames_and_frames_without_usage_are_not_of_the_tail():
    reader = ChatReader()
    reader.read(event(chunk(choice(None, 0, "stop"))))
    assert reader.place(SSEEvent(b": ping\n\n")) != "tail"
    assert reader.place(event('{"usage"')) != "tail"
    assert reader.place(event(chunk())) != "tail"
    assert reader.read(SSEEvent(b": ping\n\n")) == {}


def test_no_frame_of_an_error_is_of_the_tail_or_a_seat():
    reader = ChatReader()
    failing = event({"error": {"message": "x"}, "choices": [{"finish_reason": "y"}]})
    assert reader.place(failing) == "body"
    reader.read(failing)
    assert reader.failed
    assert reader.place(event("[DONE]")) != "tail"
