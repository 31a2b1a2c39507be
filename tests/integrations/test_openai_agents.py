"""The OpenAI Agents SDK's own runner, with a model behind a real socket."""

import asyncio
import sys
from contextlib import suppress

import pytest

pytest.importorskip("agents", reason="needs the extra openai-agents: make test-integrations")

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from streamguard import Context, RetrievedChunk, guard
from streamguard.integrations.openai_agents import GuardedModel, context_of, output_guardrail
from tests.integrations.cases import ANSWER, CONTEXT, FILLED, PASSAGE, QUESTION, ROOT, TEMPLATE
from tests.integrations.checks import check_verdict

sys.path.insert(0, str(ROOT / "examples"))
from fake_model import fake_model

set_tracing_disabled(True)
INSTRUCTIONS = f"Answer from this passage only:\n[C1] {PASSAGE}"
SHOWN = context_of(INSTRUCTIONS, QUESTION)
MODELS = [OpenAIResponsesModel, OpenAIChatCompletionsModel]


@pytest.fixture(scope="module")
def url():
    with fake_model() as base:
        yield f"{base}/v1"


def running(url, model, work, **more):
    """Run an agent of `model`, made guarded by `more`; return what `work` makes of it."""

    async def run():
        async with AsyncOpenAI(base_url=url, api_key="none") as client:
            made = model("fake", client)
            guarded = more.pop("guarded", None)
            agent = Agent(
                name="support",
                instructions=INSTRUCTIONS,
                model=made if guarded is None else GuardedModel(made, **guarded),
                **more,
            )
            return await work(agent)

    return asyncio.run(run())


async def stream_events(agent):
    result = Runner.run_streamed(agent, QUESTION)
    events = [event async for event in result.stream_events()]
    assert result.final_output == ANSWER
    return events


def raw(events):
    return [event.data for event in events if event.type == "raw_response_event"]


@pytest.mark.parametrize("model", MODELS)
def test_a_streams_last_event_carries_the_verdict(url, model):
    got = []
    plain = running(url, model, stream_events)
    guarded = running(url, model, stream_events, guarded={"sinks": [got.append]})
    assert [each.type for each in guarded] == [each.type for each in plain]
    assert [each.type for each in raw(guarded)] == [each.type for each in raw(plain)]
    last = raw(guarded)[-1]
    assert last.type == "response.completed"
    check_verdict(last.response.streamguard, context=SHOWN)
    assert [annotation.id for annotation in got] == [last.response.streamguard["id"]]


@pytest.mark.parametrize("model", MODELS)
def test_a_whole_answers_verdict_goes_to_the_sinks(url, model):
    async def run(agent):
        return (await Runner.run(agent, QUESTION)).final_output

    got = []
    guarded = {"context": CONTEXT, "sinks": [got.append]}
    assert running(url, model, run, guarded=guarded) == ANSWER
    (annotation,) = got
    check_verdict(annotation)


def test_an_output_guardrail_keeps_the_verdict_and_never_trips(url):
    async def run(agent):
        return await Runner.run(agent, QUESTION, context=PASSAGE)

    guardrail = output_guardrail(lambda run: Context(query=QUESTION, chunks=[run.context]))
    result = running(url, OpenAIResponsesModel, run, output_guardrails=[guardrail])
    assert result.final_output == ANSWER
    (judged,) = result.output_guardrail_results
    check_verdict(judged.output.output_info)


def test_guard_takes_the_events_of_a_run_as_they_are(url):
    async def run(agent):
        events = Runner.run_streamed(agent, QUESTION, run_config=RunConfig()).stream_events()
        async with guard(events, context=CONTEXT) as stream:
            assert raw([event async for event in stream.items()])
        return stream.annotation

    check_verdict(running(url, OpenAIResponsesModel, run))


def test_the_results_of_tools_are_the_passages():
    def output(call, said):
        return {"type": "function_call_output", "call_id": call, "output": said}

    call = {"type": "function_call", "call_id": "c-1", "name": "look_up", "arguments": "{}"}
    items = [
        {"role": "user", "content": "Hello?"}, output("c-0", "older"),
        {"role": "user", "content": QUESTION}, call, output("c-1", PASSAGE),
        output("c-2", [{"type": "input_text", "text": "More."}]),
    ]  # fmt: skip
    context = context_of(None, items)
    assert context.query == QUESTION
    found = [("tool:c-1", PASSAGE), ("tool:c-2", "More.")]
    assert context.chunks[1:] == tuple(RetrievedChunk(text, id=name) for name, text in found)


class Scripted(OpenAIResponsesModel):
    """A model whose stream is these events; an error among them is raised."""

    def __init__(self, *events):
        self.events, self.closed = events, False

    async def stream_response(self, *_, **__):
        try:
            for event in self.events:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.closed = True


def streamed(*events):
    """Return what came of such a stream before it ended, and what the sinks got."""

    async def run():
        got, told, inner = [], [], Scripted(*events)
        model = GuardedModel(inner, CONTEXT, sinks=[got.append])
        with suppress(ConnectionError):
            async for event in model.stream_response(None, QUESTION):
                told.append(event)  # noqa: PERF401 -- what came before the error counts
        assert inner.closed
        return told, got

    return asyncio.run(run())


def test_a_call_that_only_calls_tools_is_not_judged():
    end = {"type": "response.completed", "response": {"output": []}}
    assert streamed(end) == ([end], [])


ENDINGS = {  # of a stream: its last event, and how the answer ended
    "response.completed": ("complete", "complete"),
    "response.incomplete": ("complete", "complete"),
    "response.failed": ("partial", "upstream_error"),
    "error": ("partial", "upstream_error"),
    None: ("partial", "upstream_error"),
}


@pytest.mark.parametrize("last", ENDINGS)
def test_an_answer_that_breaks_off_says_so_and_its_end_waits_for_nothing_behind_it(last, caplog):
    said = {"type": "response.output_text.delta", "delta": ANSWER}
    events = [said, {"type": last}] if last else [said]
    late = [said] if last == "response.completed" else []
    told, (annotation,) = streamed(*events, *late, *([ConnectionError()] if late else []))
    assert told == [*events, *late]
    assert (annotation.state, annotation.result.ended) == ENDINGS[last]
    assert ("behind the end of an answer" in caplog.text) is bool(late)


def test_a_template_is_declared():
    (chunk,) = context_of("Be kind.", FILLED, context_template=TEMPLATE).chunks
    assert chunk.text == PASSAGE
