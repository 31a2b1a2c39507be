"""LangChain's own chains, chat models and agents, with a fake model."""

import asyncio

import pytest

pytest.importorskip("langchain", reason="needs the extra langchain: make test-integrations")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:langchain.*")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentState
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableGenerator
from langchain_core.tools import tool

from streamguard import Context, RetrievedChunk, guard, guard_sync
from streamguard.core.model.types import ContextOrigin
from streamguard.errors import ConfigError
from streamguard.integrations.langchain import StreamguardMiddleware, context_of, guarded
from tests.integrations.cases import ANSWER, CONTEXT, FILLED, PASSAGE, PIECES, QUESTION, TEMPLATE
from tests.integrations.checks import check_verdict

CHUNKS = [AIMessageChunk(content=piece, id="m-1") for piece in PIECES]


def yielding(items):
    """Return a runnable whose stream is `items`."""

    async def atransform(inputs):
        async for _ in inputs:
            for item in items:
                yield item

    def transform(inputs):
        for _ in inputs:
            yield from items

    return RunnableGenerator(transform, atransform)


async def streamed(chain, asked=QUESTION):
    return [chunk async for chunk in chain.astream(asked)]


def test_chunks_pass_as_the_same_objects_and_the_last_one_carries_the_verdict():
    chain = guarded(yielding(CHUNKS), CONTEXT)
    for told in (asyncio.run(streamed(chain)), list(chain.stream(QUESTION))):
        *chunks, last = told
        assert all(got is given for got, given in zip(chunks, CHUNKS, strict=True))
        assert last.content == ""
        check_verdict(last.response_metadata["streamguard"])
    for answer in (chain.invoke(QUESTION), asyncio.run(chain.ainvoke(QUESTION))):
        assert answer.content == ANSWER
        check_verdict(answer.response_metadata["streamguard"])


@pytest.mark.parametrize("live", [False, True])
def test_custom_events_carry_verdict_and_sentences(live):
    async def events():
        chain = guarded(yielding(CHUNKS), CONTEXT, live=live)
        return [
            (event["name"], event["data"])
            async for event in chain.astream_events(QUESTION, version="v2")
            if event["event"] == "on_custom_event"
        ]

    *sentences, (name, data) = asyncio.run(events())
    assert [name for name, _ in sentences] == ["streamguard.sentence"] * (2 if live else 0)
    assert name == "streamguard.result"
    check_verdict(data)


class Heard(BaseCallbackHandler):
    def __init__(self):
        self.data = []

    def on_custom_event(self, name, data, **_):
        self.data.append(data)


@pytest.mark.parametrize("chained", [
    lambda **more: guarded(yielding(CHUNKS) | StrOutputParser(), CONTEXT, **more),
    lambda **more: guarded(yielding(CHUNKS), CONTEXT, **more) | StrOutputParser(),
])  # fmt: skip
def test_strings_get_their_verdict_as_an_event_and_in_sinks(chained):
    got, heard = [], Heard()
    chain = chained(sinks=[got.append])

    async def events():
        return [event async for event in chain.astream_events(QUESTION, version="v2")]

    (data,) = [it["data"] for it in asyncio.run(events()) if it["event"] == "on_custom_event"]
    check_verdict(data)
    assert chain.invoke(QUESTION, config={"callbacks": [heard]}) == ANSWER
    assert [*chain.stream(QUESTION)] == asyncio.run(streamed(chain))
    for verdict in (*heard.data, *got):
        check_verdict(verdict)
    assert (len(heard.data), len(got)) == (1, 4)


def test_a_chain_of_dicts_is_read_by_text():
    items = [{"docs": [PASSAGE]}, *({"answer": piece} for piece in PIECES)]
    got = []
    chain = guarded(
        yielding(items), CONTEXT, text=lambda item: item.get("answer"), sinks=[got.append]
    )
    assert asyncio.run(streamed(chain)) == items
    check_verdict(got[0])


# ---- agents


class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        return self


@tool
def look_up(plan: str) -> str:
    """Say what a plan costs."""
    return PASSAGE


def agent(**options):
    call = AIMessage("", tool_calls=[{"name": "look_up", "args": {"plan": "Basic"}, "id": "t-1"}])
    model = Model(messages=iter([call, AIMessage(ANSWER)]))
    return create_agent(model, [look_up], middleware=[StreamguardMiddleware(**options)])


FROM_TOOL = Context(
    query=QUESTION,
    chunks=[RetrievedChunk(PASSAGE, id="tool:t-1")],
    origins=(ContextOrigin("tool", None, 1),),
)
ASKED = {"messages": [HumanMessage(QUESTION)]}


def test_an_agent_is_judged_against_what_its_tool_returned():
    for state in (agent().invoke(ASKED), asyncio.run(agent().ainvoke(ASKED))):
        human, call, _, answer = state["messages"]
        assert (human.content, answer.content) == (QUESTION, ANSWER)
        assert "streamguard" not in call.response_metadata
        check_verdict(answer.response_metadata["streamguard"], context=FROM_TOOL)
    (told,) = agent().stream(ASKED, stream_mode="custom")
    check_verdict(told["streamguard"], context=FROM_TOOL)
    state = AgentState(messages=[HumanMessage(QUESTION), AIMessage("")])
    assert StreamguardMiddleware().after_model(state, None) is None  # there is no answer


def test_guard_takes_the_messages_of_a_graph_and_the_events_of_a_chain_as_they_are():
    graph = create_agent(Model(messages=iter([AIMessage(ANSWER)])), [])
    with guard_sync(graph.stream(ASKED, stream_mode="messages"), context=CONTEXT) as stream:
        assert "".join(message.content for message, _ in stream.items()) == ANSWER
    check_verdict(stream.annotation)

    async def run():
        chain = GenericFakeChatModel(messages=iter([AIMessage(ANSWER)])) | StrOutputParser()
        async with guard(chain.astream_events(QUESTION, version="v2"), context=CONTEXT) as stream:
            told = {event["event"] async for event in stream.items()}
        assert {"on_chat_model_stream", "on_chain_stream"} <= told
        check_verdict(stream.annotation)

    asyncio.run(run())


def test_async_sinks_and_contexts_of_the_middleware_are_awaited():
    got = []

    async def sink(annotation):
        await asyncio.sleep(0)
        got.append(annotation)

    async def context(messages):
        await asyncio.sleep(0)
        return CONTEXT

    asyncio.run(agent(context=context, sinks=[sink]).ainvoke(ASKED))
    assert len(got) == 1
    check_verdict(got[0])


def test_documents_of_a_retriever_tool_are_the_passages():
    documents = [Document(PASSAGE, id="d-1", metadata={"source": "plans.md"})]
    messages = [
        HumanMessage(QUESTION),
        ToolMessage("as text", artifact=documents, tool_call_id="t-1"),
        ToolMessage("another", tool_call_id="t-2"),
    ]
    found = RetrievedChunk(
        PASSAGE, id="tool:d-1", source="plans.md", metadata={"source": "plans.md"}
    )
    assert context_of(messages) == Context(
        query=QUESTION, chunks=[RetrievedChunk("another", id="tool:t-2"), found]
    )


def test_the_passages_are_read_where_a_prompt_holds_them():
    template = f"Context: {PASSAGE}\n\nQuestion: {{question}}\nAnswer:"
    prompt = ChatPromptTemplate.from_template(template).invoke({"question": QUESTION})
    for given in (prompt, prompt.to_string().removeprefix("Human: "), prompt.to_messages()):
        context = context_of(given)
        assert (context.query, context.chunks[0].text) == (QUESTION, PASSAGE)
        assert context_of(given, context_from="system").chunks is None
        assert context_of(given, context_template=TEMPLATE).chunks is None
    (chunk,) = context_of(FILLED, context_template=TEMPLATE).chunks
    assert chunk.text == PASSAGE
    asked = {"context": PASSAGE, "question": QUESTION}  # the variables of a prompt are none
    with pytest.raises(ConfigError, match=r"got a dict.*prompt \| guarded\(model, context_of\)"):
        guarded(yielding(CHUNKS), context_of).invoke(asked)
