"""A stream of empty texts says what a stream without any says, in the library and in every door."""

import asyncio
import json

import pytest

from streamguard import Checks, Context, Policy, guard, guard_sync
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.opening import Opening
from tests.kit.relaying import examined, finished


def event(value):
    return f"data: {json.dumps(value)}\n\n".encode()


def made(items, **options):
    async def source():
        for item in items:
            yield item

    async def read():
        async with guard(source(), **options) as stream:
            return [item async for item in stream], stream.annotation

    sync = guard_sync(iter(items), **options)
    handed_on, (also, annotation) = list(sync), asyncio.run(read())
    assert handed_on[: len(items)] == also[: len(items)] == items
    annotations = sync.annotation, annotation
    return [each.model_dump(exclude={"id", "stream"}) for each in annotations]


CONTEXT = Context(query="What does it cost?", chunks=["The Basic plan costs $10."])


@pytest.mark.parametrize(
    ("items", "options"),
    [
        ([""], {}),
        (["", ""], {"context": CONTEXT}),
        ([""], {"text": "data.text"}),
        ([{"data": {"text": ""}}], {"text": "data.text"}),
        ([{"data": {"text": ""}}, {"data": {"text": "", "id": "a"}}], {"text": "data.text"}),
        ([""], {"text": lambda item: item}),
    ],
)
def test_empty_items_say_what_no_items_say(items, options):
    said, nothing = made(items, **options), made([], **options)
    assert said == nothing
    assert said[0]["result"]["status"] is None


@pytest.mark.parametrize("item", [{"data": {"txt": "It costs."}}, {"a": 1}, object(), "It costs."])
def test_an_item_that_is_no_empty_text_is_unread_where_the_named_place_holds_none(item):
    for annotation in made([item], text="data.text"):
        assert [each["code"] for each in annotation["result"]["reasons"]] == ["unread"]


def relayed(kind, parts):
    async def run():
        checking = Checking("00" * 16, Context(), Policy(), Checks())
        opening = Opening("/answers", kind, {}, checking, "event")
        out = []
        for part in parts:
            out.append(opening.receive(part))
            if opening.keep():
                out.append(await examined(opening))
        out.append(await finished(opening))
        return b"".join(out), checking.annotation.result

    return asyncio.run(run())


EVENTS, LINES = "text/event-stream", "application/x-ndjson"


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        (EVENTS, [b"data:\n\n"]),
        (EVENTS, [event("")]),
        (EVENTS, [event(""), event(""), event("")]),
        (EVENTS, [event({"text": ""}), event({"id": "chunk-1", "delta": {"content": ""}})]),
        (LINES, [b'""\n', b'{"text":""}\n']),
    ],
)
def test_empty_frames_say_what_no_frames_say(kind, parts):
    _, nothing = relayed(kind, [])
    _, said = relayed(kind, parts)
    assert said == nothing
    assert (said.status, [each.code for each in said.reasons]) == (None, ["nothing_to_check"])


@pytest.mark.parametrize("frame", [{"x": 1}, {}, [1], {"text": None}, [""] * 300])
def test_a_frame_that_holds_something_else_is_unread(frame):
    _, said = relayed(EVENTS, [event(frame)])
    assert [each.code for each in said.reasons] == ["unread"]
