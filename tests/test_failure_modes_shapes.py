"""Failure modes 14 to 20: the shapes of frames, over real sockets."""

import json
import re

import pytest

from streamguard.core.choices import MAX_CHOICES
from streamguard.core.validate import check_text
from streamguard.wire.shown import context_of
from tests.upstreams import (
    ASKED,
    DONE,
    answer,
    ask,
    frame,
    in_pieces,
    proxy,
    stored_of,
    upstream,
    usage,
    whole,
    without_annotation,
)

pytestmark = pytest.mark.asyncio

TEXT = "The Basic plan costs $10 per month. The Pro plan costs $99 per month."
CONTEXT = context_of(ASKED["messages"])


def verdict(text=TEXT):
    """Return the result of `text`, as an annotation bears it."""
    return json.loads(check_text(text, context=CONTEXT).model_dump_json())


async def relayed(events, size=60):
    """Return what a client got of `events`, after asserting that no byte of them is changed."""
    async with upstream(in_pieces(events, size)) as up, proxy(up.url) as base:
        got = await ask(base, ASKED)
        assert got.clean
        assert without_annotation(got.body) == events
        return got


def delta(index=0, finish=None, **fields):
    """Return a chunk whose delta has these fields."""
    choices = [{"index": index, "delta": fields, "finish_reason": finish}]
    return frame(choices=choices)


async def test_mode_14_interleaved_choices_have_a_text_and_a_result_each():
    texts = ["The Basic plan costs $12 per month.", "The Pro plan is free. It costs $49.", "Yes."]
    words = [re.findall(r"\S+\s*", text) for text in texts]
    turns = max(map(len, words))
    events = b"".join(
        frame(words[n][turn], n) for turn in range(turns) for n in range(3) if turn < len(words[n])
    )
    ends = b"".join(frame(finish="stop", index=n) for n in (2, 0, 1))
    (annotation,) = (await relayed(events + ends + DONE)).annotations
    assert [each["text"] for each in annotation["choices"]] == [verdict(t)["text"] for t in texts]
    flags = [each["flags"] for each in annotation["choices"]]
    assert flags == [verdict(text)["flags"] for text in texts]
    assert flags[0] != flags[1]
    assert annotation["result"] == annotation["choices"][0]


CALL = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
UNREAD = [
    {"role": "assistant", "content": None},
    {"content": ""},
    {"tool_calls": [CALL]},
    {"tool_calls": [{"index": 0, "function": {"arguments": '{"price": "$77"}'}}]},
    {"reasoning_content": "Perhaps Enterprise costs $777."},
    {"reasoning": "Perhaps Enterprise costs $777."},
    {"refusal": "I cannot say."},
    {"function_call": {"name": "f", "arguments": "$7777"}},
    {"audio": {"transcript": "It costs $77777."}},
]


async def test_mode_15_what_is_not_the_visible_answer_is_relayed_and_not_read():
    events = b"".join(delta(**fields) for fields in UNREAD)
    mixed = delta(reasoning_content="It costs $7.", content=TEXT) + delta(
        refusal=None, content=None
    )
    got = await relayed(events + mixed + delta(finish="stop") + DONE)
    assert got.annotations[0]["result"] == verdict()


async def test_mode_16_a_usage_chunk_without_choices_keeps_its_zeros_and_its_place():
    last = frame(
        choices=[],
        usage={
            "prompt_tokens": 0,
            "total_tokens": 0,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
    )
    for end in (last + DONE, usage() + DONE, last.replace(b"0}", b'0 , "x": 0.0 }') + DONE):
        got = await relayed(answer(TEXT) + end)
        assert got.body.endswith(end)
        assert got.annotations[0]["result"] == verdict()


# Chunks that are JSON and no chunk, and the text that they have all the same.
ODD = [
    ([], ""),
    ("text", ""),
    (7, ""),
    (None, ""),
    (True, ""),
    ({}, ""),
    ({"choices": None}, ""),
    ({"choices": {}}, ""),
    ({"choices": "x"}, ""),
    ({"choices": [None, 1, "x", []]}, ""),
    ({"choices": [{}]}, ""),
    ({"choices": [{"index": 0, "delta": None}]}, ""),
    ({"choices": [{"index": 0, "delta": []}]}, ""),
    ({"choices": [{"index": 0, "delta": {"content": 7}}]}, ""),
    ({"choices": [{"index": 0, "delta": {"content": ["x"]}}]}, ""),
    ({"choices": [{"index": 0, "delta": {"content": {"text": "x"}}}]}, ""),
    ({"choices": [{"index": None, "delta": {"content": "a"}}]}, "a"),
    ({"choices": [{"index": "0", "delta": {"content": "b"}}]}, "b"),
    ({"choices": [{"index": [0], "delta": {"content": "c"}}]}, "c"),
    ({"choices": [{"index": {}, "delta": {"content": "d"}}]}, "d"),
    ({"choices": [{"index": True, "delta": {"content": "e"}}]}, "e"),
    ({"choices": [{"index": 0.5, "delta": {"content": "f"}}]}, "f"),
    ({"choices": [{"delta": {"content": "g"}, "finish_reason": [1]}]}, "g"),
    ({"choices": [{"delta": {"content": "h"}, "finish_reason": ""}], "usage": 0, "id": 7}, "h"),
    ({"choices": [{"index": 0, "delta": {"content": "i"}}], "created": "x", "model": []}, "i"),
    ({"choices": [{"index": 0, "delta": {"content": "\ud83d"}}]}, "\ud83d"),
    (
        {"choices": [{"index": 0, "delta": {"content": "\ude00"}}]},
        "\ude00",
    ),  # the pair's other half
    ({"choices": [{"index": 0, "delta": {"content": "\udfff\ud800"}}]}, "\udfff\ud800"),
    ({"choices": [{"index": 0, "delta": {"content": "\x00"}}]}, "\x00"),
]


def event(value):
    return b"data: " + json.dumps(value).encode() + b"\n\n"


async def test_mode_17_odd_shapes_and_lone_surrogates_crash_nothing():
    events = b"".join(event(value) for value, _ in ODD)
    deep = b"data: " + b"[" * 100_000 + b"]" * 100_000 + b"\n\n"
    got = await relayed(events + deep + answer(TEXT) + DONE, 5_000)
    (annotation,) = got.annotations
    assert annotation["state"] == "complete"
    text = "".join(text for _, text in ODD) + TEXT
    expected = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert annotation["result"]["text"] == verdict(expected)["text"]


async def test_mode_17_numbers_of_choices_allocate_nothing_by_number():
    numbers = [-1, 999_999_999, 10**30, *range(2, 2 * MAX_CHOICES)]
    events = b"".join(frame("A.", number) for number in numbers) + frame(TEXT, 0)
    ends = b"".join(frame(index=number, finish="stop") for number in [*numbers, 0])
    (annotation,) = (await relayed(events + ends + DONE, 5_000)).annotations
    assert len(annotation["choices"]) == MAX_CHOICES
    assert {-1, 0, 999_999_999, 10**30} <= {each["choice"] for each in annotation["choices"]}
    assert "limit_reached" in annotation["result"]["flags"]
    assert annotation["result"]["text"] == verdict()["text"]


@pytest.mark.parametrize(
    "broken", [b"{", b'{"choices":[{"delta":{"content":"x"}', b"nonsense", b"{'a': 1}", b"[1, ]"]
)
async def test_mode_18_broken_json_between_good_events_is_relayed_and_counted(broken):
    events = (
        frame("The Basic plan ") + b"data: " + broken + b"\n\n" + answer("costs $10 per month.")
    )
    (annotation,) = (await relayed(events + DONE)).annotations
    assert annotation["result"]["text"] == verdict("The Basic plan costs $10 per month.")["text"]
    assert annotation["result"]["status"] == "WARN"
    (error,) = annotation["result"]["errors"]
    assert error.startswith("wire: DecodeError")


@pytest.mark.parametrize(
    ("behind", "late"),
    [
        (DONE + DONE, 0),
        (b"data: [DONE]\n", 0),
        (b"data: [DONE]", 0),
        (DONE + frame("More: $99.") + DONE, 1),
        (DONE + b"data: {broken\n\n" + frame("More: $99."), 1),
        (b"data: [DONE] \n\n", 0),
    ],
)
async def test_mode_19_end_signs_of_every_kind_get_one_annotation(behind, late, caplog):
    caplog.set_level("INFO", "streamguard.proxy")
    text = f"Say [DONE] or data: [DONE]. {TEXT}"
    got = await relayed(answer(text) + behind)
    (annotation,) = got.annotations
    assert annotation["state"] == "complete"
    assert annotation["result"] == verdict(text)
    (line,) = [record.fields for record in caplog.records if record.msg == "answer"]
    assert line["late_frames"] == late


async def test_mode_20_an_answer_in_one_piece_keeps_every_field_as_it_was():
    body = (
        b'{ "id":"x", "choices" : [{"index":0,"message":{"content":"Basic costs \\u002410.",'
        b'"refusal":null,"extra":{"a":[1.0e0,-0,1E400,"\\ud83d"]}},"finish_reason":"stop",'
        b'"logprobs":null}],\n "usage":{"cached_tokens":0, "cached_tokens":0},"choices2":[ ] }\n'
    )
    async with upstream(whole(body)) as up, proxy(up.url) as base:
        got = await ask(base, {**ASKED, "stream": False})
        at = got.body.index(b',"streamguard":')
        assert got.body[:at] + got.body[-2:] == body
        assert got.headers["Content-Length"] == str(len(got.body))
        annotation = json.loads(got.body)["streamguard"]
        assert annotation["result"] == verdict("Basic costs $10.")
        assert (await stored_of(base, got))["id"] == annotation["id"]
