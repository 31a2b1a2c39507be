"""Failure modes 9 to 20: bytes, and the shapes of frames, over real sockets.

Those that are not here are about decoder and relay: `tests/cases/failure_modes/` says where.
"""

import json
import re
from itertools import zip_longest

import pytest

from streamguard.core.machine.choices import MAX_CHOICES
from streamguard.core.validate import check_text
from streamguard.wire.requests.shown import context_of
from tests.kit.frames import ASKED, DONE, answer, frame, whole
from tests.kit.upstreams import (
    ask,
    flooded,
    in_pieces,
    proxy,
    stored_of,
    upstream,
    without_annotation,
)

pytestmark = pytest.mark.asyncio

TEXT = "The Basic plan costs $10 per month. The Pro plan costs $99 per month."
CONTEXT = context_of(ASKED["messages"])
STREAM = answer(TEXT, 9) + DONE


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


MEGABYTE = 1_000_000


async def test_mode_11_a_line_without_end_goes_on_and_is_never_collected():
    pieces = [b"data: ", *[b"x" * 100_000] * 320]
    count, got, stored, peak = await flooded(pieces)
    assert (count, got.annotations) == (32 * MEGABYTE + 6, [])
    assert "limit_reached" in stored["result"]["flags"]
    assert stored["result"]["ended"] == "upstream_error"
    assert peak < 20 * MEGABYTE


async def test_mode_12_an_event_of_ten_megabytes_goes_on_and_the_result_says_so():
    event = frame("x" * (10 * MEGABYTE))
    pieces = [event[at : at + 60_000] for at in range(0, len(event), 60_000)]
    count, got, _, peak = await flooded([*pieces, STREAM])
    (annotation,) = got.annotations
    tail = got.body[got.body.index(b'data: {"id"', 1) :]
    assert count == len(event) + len(STREAM) + len(tail) - len(without_annotation(tail))
    assert "limit_reached" in annotation["result"]["flags"]
    assert annotation["result"]["status"] == "WARN"
    assert annotation["result"]["text"]["code_points"] == len(TEXT)
    assert peak < 8 * MEGABYTE


async def test_mode_14_interleaved_choices_have_a_text_and_a_result_each():
    texts = ["The Basic plan costs $12 per month.", "The Pro plan is free. It costs $49.", "Yes."]
    words = [re.findall(r"\S+\s*", text) for text in texts]
    turns = zip_longest(*words)
    events = b"".join(frame(w, n) for turn in turns for n, w in enumerate(turn) if w is not None)
    ends = b"".join(frame(finish="stop", index=n) for n in (2, 0, 1))
    (annotation,) = (await relayed(events + ends + DONE)).annotations
    assert [each["text"] for each in annotation["choices"]] == [verdict(t)["text"] for t in texts]
    found = [each["findings"] for each in annotation["choices"]]
    assert found == [verdict(text)["findings"] for text in texts]
    assert found[0] != found[1]
    assert annotation["result"] == annotation["choices"][0]


async def test_mode_17_numbers_of_choices_allocate_nothing_by_number():
    numbers = [-1, 999_999_999, 10**30, *range(2, 2 * MAX_CHOICES)]
    events = b"".join(frame("A.", number) for number in numbers) + frame(TEXT, 0)
    ends = b"".join(frame(index=number, finish="stop") for number in [*numbers, 0])
    (annotation,) = (await relayed(events + ends + DONE, 5_000)).annotations
    assert len(annotation["choices"]) == MAX_CHOICES
    assert {-1, 0, 999_999_999, 10**30} <= {each["choice"] for each in annotation["choices"]}
    assert "limit_reached" in annotation["result"]["flags"]
    assert annotation["result"]["text"] == verdict()["text"]


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
        assert "Content-Length" not in got.headers  # it went on before its length was known
        assert got.clean
        annotation = json.loads(got.body)["streamguard"]
        assert annotation["result"] == verdict("Basic costs $10.")
        assert (await stored_of(base, got))["id"] == annotation["id"]
