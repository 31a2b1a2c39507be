"""pydantic-ai's own agents, run in every way, with a model made of functions."""

import asyncio

import pytest

pytest.importorskip("pydantic_ai", reason="needs the extra pydantic-ai: make test-integrations")

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelRequest,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    UserPromptPart,
)
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from streamguard import Context, RetrievedChunk, guard
from streamguard.core.model.types import ContextOrigin
from streamguard.integrations.pydantic_ai import (
    Streamguard,
    StreamguardResult,
    StreamguardSentence,
    context_of,
)
from tests.integrations.cases import ANSWER, FILLED, PASSAGE, PIECES, QUESTION, TEMPLATE
from tests.integrations.checks import check_verdict

FROM_TOOL = Context(
    query=QUESTION,
    chunks=[RetrievedChunk(PASSAGE, id="tool:t-1")],
    origins=(ContextOrigin("tool", None, 1),),
)


async def model(messages, _):
    if len(messages) == 1:
        yield {0: DeltaToolCall(name="look_up", json_args="{}", tool_call_id="t-1")}
        return
    for piece in PIECES:
        yield piece


def agent(*capabilities):
    made = Agent(FunctionModel(stream_function=model), capabilities=capabilities)

    @made.tool_plain
    def look_up() -> str:
        return PASSAGE

    return made


async def events(*capabilities):
    async with agent(*capabilities).run_stream_events(QUESTION) as stream:
        return [event async for event in stream]


def bare(event):
    """Return an event as text without what each run makes anew."""
    return type(event), getattr(event, "index", None), getattr(event, "delta", None)


def test_events_pass_in_order_and_the_verdict_follows_the_answer():
    async def all_three():
        return await events(), await events(Streamguard()), await events(Streamguard(live=True))

    plain, guarded, live = asyncio.run(all_three())
    ours = [event for event in guarded if isinstance(event, StreamguardResult)]
    assert [bare(e) for e in guarded if e not in ours] == [bare(e) for e in plain]
    assert ours == [guarded[-2]]
    check_verdict(ours[0].annotation, context=FROM_TOOL)
    sentences = [event for event in live if isinstance(event, StreamguardSentence)]
    assert [event.annotation["index"] for event in sentences] == [0, 1]


async def stream_text(made):
    async with made.run_stream(QUESTION) as run:
        return [piece async for piece in run.stream_text(delta=True, debounce_by=None)]


async def run_whole(made):
    return [(await made.run(QUESTION)).output]


@pytest.mark.parametrize("way", [stream_text, run_whole])
def test_the_sinks_get_one_verdict_however_the_agent_is_run(way):
    got = []
    said = asyncio.run(way(agent(Streamguard(sinks=[got.append]))))
    assert "".join(said) == ANSWER
    assert len(got) == 1
    check_verdict(got[0], context=FROM_TOOL)


def test_guard_takes_the_events_of_an_agent_as_they_are():
    async def run():
        async with agent().run_stream_events(QUESTION) as source:
            async with guard(source, context=Context(query=QUESTION)) as stream:
                told = [event async for event in stream.items()]
        assert any(isinstance(event, PartStartEvent | PartDeltaEvent) for event in told)
        return stream.annotation

    check_verdict(asyncio.run(run()), context=FROM_TOOL)


def test_the_passages_are_read_where_a_prompt_holds_them():
    said = [UserPromptPart(QUESTION)]
    told = SystemPromptPart(f"Context: {PASSAGE}")
    for asked in (
        ModelRequest(parts=[told, *said]),
        ModelRequest(parts=said, instructions=told.content),
    ):
        context = context_of([asked], context_from="system")
        assert (context.query, context.chunks[0].text) == (QUESTION, PASSAGE)


def test_a_template_is_declared():
    (chunk,) = context_of(
        [ModelRequest(parts=[UserPromptPart(FILLED)])], context_template=TEMPLATE
    ).chunks
    assert chunk.text == PASSAGE
