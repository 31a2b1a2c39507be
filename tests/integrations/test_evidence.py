"""Evidence that comes in the frameworks' own items: real objects, no context given."""

import asyncio
import warnings

import pytest

with warnings.catch_warnings(action="ignore"):
    pytest.importorskip("langchain", reason="needs the extra langchain: make test-integrations")
    pytest.importorskip("llama_index.core", reason="needs the extra llama-index")
    pytest.importorskip("pydantic_ai", reason="needs the extra pydantic-ai")
    from langchain.agents import create_agent
    from langchain_core.documents import Document
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessageChunk, ToolMessage
    from langchain_core.outputs import ChatGenerationChunk
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda, RunnablePassthrough
    from langchain_core.tools import create_retriever_tool, tool
    from llama_index.core import SummaryIndex
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.core.base.llms.types import (
        ChatMessage,
        ChatResponse,
        CompletionResponse,
        LLMMetadata,
    )
    from llama_index.core.base.response.schema import StreamingResponse
    from llama_index.core.llms import MockLLM
    from llama_index.core.llms.function_calling import FunctionCallingLLM
    from llama_index.core.schema import NodeWithScore, TextNode
    from llama_index.core.tools import FunctionTool, QueryEngineTool, ToolSelection
    from llama_index.core.workflow import Event, StopEvent
    from pydantic_ai import Agent
    from pydantic_ai.messages import (
        Citation,
        ContentCitationAnchor,
        DocumentCitationSource,
        MarkerCitationAnchor,
        NativeToolCallPart,
        NativeToolReturnPart,
        PartDeltaEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
        WebCitationSource,
    )
    from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from streamguard import Context, guard, guard_sync
from tests.kit.bringing import FACTS

pytestmark = pytest.mark.filterwarnings("ignore")  # of the packages' own models

RIGHT = " ".join(right for _, right, _ in FACTS)
WRONG = " ".join(fact[1 + number % 2] for number, fact in enumerate(FACTS))
WORDS = {"right": (RIGHT, "PASS", 0), "wrong": (WRONG, "WARN", 5)}
ASKED = Context(query="What is known?")


def pieces_of(text, size=12):
    return [text[at : at + size] for at in range(0, len(text), size)]


async def judged(source, **options):
    async with guard(source, context=ASKED, **options) as stream:
        async for _ in stream.items():
            pass
    return stream.result


def check(result, expected, where=("retrieval",)):
    status, wrong = expected
    assert result.status == status
    assert [one.where for one in result.context_source] == list(where)
    assert sum(finding.severity == "warning" for finding in result.findings) == wrong
    assert not result.errors


# --- LangChain


DOCUMENTS = [
    Document(passage, id=f"d-{number}", metadata={"source": f"{number}.md"})
    for number, (passage, _, _) in enumerate(FACTS)
]


class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return DOCUMENTS


class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        return self

    def _stream(self, messages, stop=None, run_manager=None, **_):
        text = next(self.messages)
        calls = [{"name": "look_up", "args": '{"query": "x"}', "id": "c-1", "index": 0}]
        if text is None:
            message = AIMessageChunk(content="", tool_call_chunks=calls)
            yield ChatGenerationChunk(message=message)
        for piece in pieces_of(text or ""):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))


@tool
def look_up(query: str) -> str:
    """Return all that is known."""
    return "\n\n".join(passage for passage, _, _ in FACTS)


def tools(kind):
    made = create_retriever_tool(
        Retriever(), "look_up", "Look it up.", response_format="content_and_artifact"
    )
    return [made if kind == "documents" else look_up]


def agent_of(text, kind):
    return create_agent(Model(messages=iter([None, text])), tools(kind))


ASKS = {"messages": [("user", "What is known?")]}
STREAMS = {
    "messages": lambda made: made.astream(ASKS, stream_mode="messages"),
    "several": lambda made: made.astream(ASKS, stream_mode=["messages", "updates", "custom"]),
    "subgraphs": lambda made: made.astream(ASKS, stream_mode=["messages"], subgraphs=True),
    "parts": lambda made: made.astream(ASKS, stream_mode=["messages", "updates"], version="v2"),
    "events": lambda made: made.astream_events(ASKS, version="v2"),
}


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("way", STREAMS)
@pytest.mark.parametrize("kind", ["documents", "text"])
def test_what_a_langchain_agent_s_tools_return_is_evidence(kind, way, words):
    text, *expected = WORDS[words]
    result = asyncio.run(judged(STREAMS[way](agent_of(text, kind))))
    check(result, expected, ["retrieval" if kind == "documents" else "tool"])
    prefix = "retrieval:d-" if kind == "documents" else "tool:"
    nearest = [finding.nearest.chunk_id for finding in result.findings]
    assert all(each.startswith(prefix) for each in nearest)


@pytest.mark.parametrize("words", WORDS)
def test_the_documents_of_a_langchain_chain_are_evidence(words):
    text, *expected = WORDS[words]

    def chain():
        model = Model(messages=iter([text]))
        prompt = RunnableLambda(lambda state: str(state["context"]))
        return {"context": Retriever()} | RunnablePassthrough.assign(answer=prompt | model)

    def answered(item):
        return item["answer"].content if "answer" in item else None

    check(asyncio.run(judged(chain().astream("What is known?"), text=answered)), expected)
    events = chain().astream_events("What is known?", version="v2")
    check(asyncio.run(judged(events)), expected)


def test_a_tool_that_fails_has_returned_nothing():
    failed = ToolMessage("$5 or $6", tool_call_id="c-1", status="error")
    calls = [{"name": "a", "args": "", "id": "c-1", "index": 0}]
    said = [AIMessageChunk(content=RIGHT), AIMessageChunk(content="", tool_call_chunks=calls)]
    with guard_sync([*((each, {}) for each in (*said, failed))], context=ASKED) as stream:
        list(stream.items())
    assert stream.result.context_source == ()


def of_anthropic(number, passage, right):
    cited = {"type": "char_location", "document_title": f"{number}.md", "cited_text": passage}
    return [{"type": "text", "text": right, "index": number},
            {"type": "text", "text": "", "citations": [cited], "index": number}]  # fmt: skip


def of_responses(number, passage, right):
    cited = {"type": "url_citation", "url": f"https://x.org/{number}", "title": "x",
             "content": passage, "start_index": 0, "end_index": len(right)}  # fmt: skip
    return [{"type": "text", "text": right, "index": number},
            {"type": "text", "annotations": [cited], "index": number}]  # fmt: skip


def of_langchain(number, passage, right):
    cited = {"type": "citation", "url": f"https://x.org/{number}", "cited_text": passage}
    return [{"type": "text", "text": right, "annotations": [cited], "index": number}]


@pytest.mark.parametrize("blocks", [of_anthropic, of_responses, of_langchain])
@pytest.mark.parametrize("shift", [0, 1])
def test_citations_in_langchain_s_blocks_count_and_a_wrong_one_is_found(blocks, shift):
    items = [
        AIMessageChunk(content=[block], id="m")
        for number, (_, right, _) in enumerate(FACTS)
        for block in blocks(number, FACTS[(number + shift) % len(FACTS)][0], f"{right} ")
    ]
    asked = Context(query="What is known?", citations_requested=True)
    with guard_sync(items, context=asked) as stream:
        assert list(stream.items()) == items
    assert [one.where for one in stream.result.context_source] == ["citation"]
    assert len(stream.result.sentences) == len(FACTS)
    assert all(len(one.cited_chunks) == 1 for one in stream.result.sentences)
    mismatched = [one for one in stream.result.findings if one.flag == "citation_mismatch"]
    assert (len(mismatched) > 7) == bool(shift)
    assert (stream.result.status == "PASS") == (not shift)


BLOCKS = {
    "server_tool_result": (
        {"type": "server_tool_call", "id": "t", "name": "search", "args": {}},
        lambda text: {"type": "server_tool_result", "tool_call_id": "t", "output": text},
        "tool",
    ),
    "file_search": (
        {"type": "tool_call", "id": "f"},
        lambda text: {"type": "file_search_call", "id": "f", "results": [
            {"file_id": "a", "filename": "a.md", "text": text}]},
        "file_search",
    ),
    "mcp": (
        {"type": "mcp_tool_use", "id": "t"},
        lambda text: {"type": "mcp_tool_result", "tool_use_id": "t", "content": [
            {"type": "text", "text": text}]},
        "mcp",
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("kind", BLOCKS)
def test_results_of_the_provider_s_tools_in_langchain_s_blocks_are_evidence(kind, words):
    text, *expected = WORDS[words]
    call, result, where = BLOCKS[kind]
    passages = "\n".join(passage for passage, _, _ in FACTS)
    blocks = [[call], [result(passages)], *(
        [{"type": "text", "text": piece, "index": 2}] for piece in pieces_of(text))]  # fmt: skip
    items = [AIMessageChunk(content=block, id="m") for block in blocks]
    with guard_sync(items, context=ASKED) as stream:
        list(stream.items())
    check(stream.result, expected, [where])


def test_what_gemini_and_perplexity_tell_beside_a_langchain_message_is_evidence():
    grounding = {"grounding_chunks": [{"retrieved_context": {"title": "a.md", "text": fact[0]}}
                                      for fact in FACTS]}  # fmt: skip
    searched = {"search_results": [{"url": "u", "snippet": fact[0]} for fact in FACTS]}
    for told, where in (
        ({"response_metadata": {"grounding_metadata": grounding}}, "retrieval"),
        ({"additional_kwargs": searched}, "web_search"),
    ):
        items = [AIMessageChunk(content=RIGHT), AIMessageChunk(content="", **told)]
        with guard_sync(items, context=ASKED) as stream:
            list(stream.items())
        check(stream.result, ("PASS", 0), [where])


# --- LlamaIndex


NODES = [
    TextNode(id_=f"n-{number}", text=passage, metadata={"file_name": f"{number}.md"})
    for number, (passage, _, _) in enumerate(FACTS)
]


class Calling(FunctionCallingLLM):
    """Calls the tool `docs`, then says `text`."""

    text: str
    turn: int = 0

    @property
    def metadata(self):
        return LLMMetadata(is_function_calling_model=True)

    def get_tool_calls_from_response(self, response, **_):
        return response.message.additional_kwargs.get("calls", [])

    def _prepare_chat_with_tools(self, *_, **__):
        return {"messages": []}

    async def astream_chat_with_tools(self, *_, **__):
        self.turn += 1
        return self.responses(self.turn)

    async def responses(self, turn):
        if turn == 1:
            call = ToolSelection(tool_id="t-1", tool_name="docs", tool_kwargs={"input": "x"})
            message = ChatMessage(role="assistant", content="", additional_kwargs={"calls": [call]})
            yield ChatResponse(message=message, delta="", raw={})
            return
        said = ""
        for piece in pieces_of(self.text):
            said += piece
            message = ChatMessage(role="assistant", content=said)
            yield ChatResponse(message=message, delta=piece, raw={})

    def unused(self, *_, **__):
        raise NotImplementedError

    achat = chat = complete = acomplete = unused
    stream_chat = stream_complete = astream_chat = astream_complete = unused


def llama_tools(kind):
    if kind == "engine":
        engine = SummaryIndex(NODES).as_query_engine(llm=MockLLM())
        return [QueryEngineTool.from_defaults(engine, name="docs", description="Documents.")]

    def docs(input: str):
        """Return what is known."""
        if kind == "nodes":
            return [NodeWithScore(node=node, score=0.5) for node in NODES]
        return "\n\n".join(passage for passage, _, _ in FACTS)

    return [FunctionTool.from_defaults(docs, name="docs")]


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("kind", ["engine", "nodes", "text"])
def test_what_a_llama_index_agent_s_tools_return_is_evidence(kind, words):
    text, *expected = WORDS[words]

    async def run():
        handler = FunctionAgent(tools=llama_tools(kind), llm=Calling(text=text)).run("What?")
        return await judged(handler.stream_events())

    check(asyncio.run(run()), expected, ["tool" if kind == "text" else "retrieval"])


class Retrieved(Event):
    nodes: list[NodeWithScore]


class Piece(Event):
    delta: str


@pytest.mark.parametrize("words", WORDS)
def test_nodes_in_events_of_a_llama_index_workflow_are_evidence(words):
    text, *expected = WORDS[words]
    nodes = [NodeWithScore(node=node, score=0.5) for node in NODES]
    said = [Piece(delta=piece) for piece in pieces_of(text)]
    response = StreamingResponse(response_gen=iter(()), source_nodes=nodes)
    for items in ([Retrieved(nodes=nodes), *said], [*said, StopEvent(result=response)]):
        with guard_sync(items, context=ASKED) as stream:
            list(stream.items())
        check(stream.result, expected)


def test_citations_in_the_provider_s_frames_of_llama_index_responses_count():
    items, said = [], ""
    for number, (passage, right, _) in enumerate(FACTS):
        begins, said = len(said), f"{said}{right} "
        url = {"url": f"https://x.org/{number}", "title": "x", "content": passage,
               "start_index": begins, "end_index": len(said)}  # fmt: skip
        delta = {"content": f"{right} ", "annotations": [
            {"type": "url_citation", "url_citation": url}]}  # fmt: skip
        raw = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}
        items.append(CompletionResponse(text=said, delta=f"{right} ", raw=raw))
    with guard_sync(items, context=ASKED) as stream:
        list(stream.items())
    check(stream.result, ("PASS", 0), ["citation"])
    assert all(one.cited_chunks for one in stream.result.sentences)


# --- pydantic-ai


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("kind", ["text", "rows"])
def test_what_a_pydantic_ai_agent_s_tools_return_is_evidence(kind, words):
    text, *expected = WORDS[words]

    async def model(messages, _):
        if len(messages) == 1:
            yield {0: DeltaToolCall(name="look_up", json_args="{}", tool_call_id="t-1")}
            return
        for piece in pieces_of(text):
            yield piece

    made = Agent(FunctionModel(stream_function=model))

    @made.tool_plain
    def look_up():
        rows = [{"id": f"r-{number}", "text": fact[0]} for number, fact in enumerate(FACTS)]
        return "\n\n".join(fact[0] for fact in FACTS) if kind == "text" else rows

    async def run():
        async with made.run_stream_events("What is known?") as events:
            return await judged(events)

    check(asyncio.run(run()), expected, ["tool"])


NATIVE = {
    "web_search": ({"status": "completed", "sources": [
        {"type": "url", "url": "https://x.org", "text": fact[0]} for fact in FACTS]}, "web_search"),
    "file_search": ({"status": "completed", "results": [
        {"file_id": f"f-{number}", "text": fact[0]} for number, fact in enumerate(FACTS)]},
        "file_search"),
    "mcp_server:docs": ("\n".join(fact[0] for fact in FACTS), "mcp"),
    "code_execution": ({"logs": ["\n".join(fact[0] for fact in FACTS)]}, "code"),
}  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("name", NATIVE)
def test_returns_of_pydantic_ai_s_native_tools_are_evidence(name, words):
    text, *expected = WORDS[words]
    content, where = NATIVE[name]
    call = NativeToolCallPart(tool_name=name, args={}, tool_call_id="n-1")
    returned = NativeToolReturnPart(tool_name=name, content=content, tool_call_id="n-1")
    items = [
        PartStartEvent(index=0, part=call),
        PartStartEvent(index=1, part=returned),
        PartStartEvent(index=2, part=TextPart(content="")),
        *(PartDeltaEvent(index=2, delta=TextPartDelta(piece)) for piece in pieces_of(text)),
    ]
    with guard_sync(items, context=ASKED) as stream:
        list(stream.items())
    check(stream.result, expected, [where])


@pytest.mark.parametrize("shift", [0, 1])
def test_citations_of_pydantic_ai_s_parts_count_and_a_wrong_one_is_found(shift):
    items, half = [], len(FACTS) // 2
    for turn in range(2):  # indexes begin anew in each
        said, citations = "", []
        for number in range(turn * half, (turn + 1) * half):
            begins, said = len(said), said + f"{FACTS[number][1]} "
            passage = FACTS[(number + shift) % len(FACTS)][0]
            web = WebCitationSource(f"https://x.org/{number}", excerpts=[passage])
            document = DocumentCitationSource(title=f"{number}.md", excerpts=[passage])
            within = ContentCitationAnchor(start=begins, end=len(said))
            behind = MarkerCitationAnchor(start=len(said) - 1, end=len(said))
            citations += [Citation([web], anchor=within) if number % 2 else
                          Citation([document], anchor=behind)]  # fmt: skip
        deltas = [TextPartDelta(said[5:]), TextPartDelta("", citations_delta=citations)]
        items.append(PartStartEvent(index=0, part=TextPart(content=said[:5])))
        items += [PartDeltaEvent(index=0, delta=delta) for delta in deltas]
    with guard_sync(items, context=ASKED) as stream:
        list(stream.items())
    assert [one.where for one in stream.result.context_source] == ["citation"]
    assert all(len(one.cited_chunks) == 1 for one in stream.result.sentences)
    mismatched = [one for one in stream.result.findings if one.flag == "citation_mismatch"]
    assert (len(mismatched) > 7) == bool(shift)
    assert (stream.result.status == "PASS") == (not shift)
