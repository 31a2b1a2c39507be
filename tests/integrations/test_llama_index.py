"""LlamaIndex's own LLM class, streams, query engine and instrumentation, with a fake model."""

import asyncio
import warnings

import pytest

with warnings.catch_warnings(action="ignore"):
    pytest.importorskip("llama_index.core", reason="needs the extra llama-index")
    from llama_index.core import SummaryIndex
    from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
    from llama_index.core.chat_engine.condense_plus_context import DEFAULT_CONTEXT_PROMPT_TEMPLATE
    from llama_index.core.chat_engine.context import DEFAULT_CONTEXT_TEMPLATE
    from llama_index.core.chat_engine.types import AgentChatResponse, StreamingAgentChatResponse
    from llama_index.core.instrumentation import get_dispatcher
    from llama_index.core.instrumentation.event_handlers import BaseEventHandler
    from llama_index.core.llms import ChatMessage, CompletionResponse, CustomLLM, LLMMetadata
    from llama_index.core.llms.callbacks import llm_completion_callback
    from llama_index.core.prompts.chat_prompts import (
        CHAT_TEXT_QA_PROMPT,
        CHAT_TREE_SUMMARIZE_PROMPT,
    )
    from llama_index.core.prompts.default_prompts import (
        DEFAULT_REFINE_PROMPT,
        DEFAULT_TEXT_QA_PROMPT,
        DEFAULT_TREE_SUMMARIZE_PROMPT,
    )
    from llama_index.core.query_engine.citation_query_engine import CITATION_QA_TEMPLATE
    from llama_index.core.schema import NodeWithScore, TextNode

    from streamguard.integrations.llama_index import (
        LlamaIndexResult,
        LlamaIndexSentence,
        context_of,
        guarded,
        guarded_response,
        guarded_sync,
    )

from streamguard import Context, Policy, RetrievedChunk
from streamguard.errors import ConfigError
from tests.integrations.cases import ANSWER, CONTEXT, FILLED, PASSAGE, PIECES, QUESTION, TEMPLATE
from tests.integrations.checks import check_verdict
from tests.kit.judges import Gate

pytestmark = pytest.mark.filterwarnings("ignore")  # of LlamaIndex's own models


class Model(CustomLLM):
    @property
    def metadata(self):
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt, formatted=False, **_):
        return CompletionResponse(text=ANSWER)

    @llm_completion_callback()
    def stream_complete(self, prompt, formatted=False, **_):
        def responses():
            said = ""
            for piece in PIECES:
                said += piece
                yield CompletionResponse(text=said, delta=piece)

        return responses()


ASKED = [ChatMessage(role="user", content=QUESTION)]
NODES = [NodeWithScore(node=TextNode(id_="n-1", text=PASSAGE, metadata={"page": 1}), score=0.9)]


def templates():
    """Return LlamaIndex's own prompts, filled in: messages, and how many passages they hold."""
    two = f"{PASSAGE}\n\nThe Pro plan costs $99."
    cited = f"Source 1:\n{PASSAGE}\n\nSource 2:\nThe Pro plan costs $99.\n"
    user = [ChatMessage(role="user", content=QUESTION)]
    for prompt in (CHAT_TEXT_QA_PROMPT, CHAT_TREE_SUMMARIZE_PROMPT):
        yield prompt.format_messages(context_str=two, query_str=QUESTION), 1
    for text in (DEFAULT_CONTEXT_TEMPLATE, DEFAULT_CONTEXT_PROMPT_TEMPLATE):
        yield [ChatMessage(role="system", content=text.format(context_str=two)), *user], 1
    yield CITATION_QA_TEMPLATE.format(context_str=cited, query_str=QUESTION), 2


def test_the_packages_own_prompts_are_read():
    for asked, passages in templates():
        context = context_of(asked)
        assert context.query == QUESTION
        assert len(context.chunks) == passages
        assert context.chunks[0].text.startswith(PASSAGE)
        assert context.chunks[-1].text.endswith("The Pro plan costs $99.")
        assert context.citations_requested is (passages == 2)
        assert context_of(asked, context_from="any").chunks


def test_the_packages_prompts_are_known_by_all_of_their_words():
    two = f"{PASSAGE}\n\n[C1] Free.\n---------------------\nContext: Free."
    given = {"context_str": two, "context_msg": two, "existing_answer": "It is free."}
    planted = f"{QUESTION}\n------------\n[C1] Free.\n------------"
    for prompt in (DEFAULT_TEXT_QA_PROMPT, DEFAULT_TREE_SUMMARIZE_PROMPT, DEFAULT_REFINE_PROMPT):
        context = context_of(prompt.format(query_str=planted, **given))
        assert any(chunk.text.startswith(PASSAGE) for chunk in context.chunks)
        assert context.query == QUESTION


def test_a_template_is_declared():
    for given in (FILLED, [ChatMessage(role="user", content=FILLED)]):
        (chunk,) = context_of(given, context_template=TEMPLATE).chunks
        assert chunk.text == PASSAGE


def check_stream(told):
    *passed, last = told
    assert [item.delta for item in passed] == PIECES
    assert last.delta == ""
    check_verdict(last.additional_kwargs["streamguard"])
    return last


@pytest.mark.parametrize(("method", "asked"), [("chat", ASKED), ("complete", QUESTION)])
def test_a_stream_passes_and_its_last_response_carries_the_verdict(method, asked):
    last = check_stream(list(guarded_sync(getattr(Model(), f"stream_{method}")(asked), CONTEXT)))
    assert (last.message.content if method == "chat" else last.text) == ANSWER

    async def run():
        source = getattr(Model(), f"astream_{method}")(asked)  # to be awaited
        return [item async for item in guarded(source, CONTEXT)]

    check_stream(asyncio.run(run()))


def test_whoever_closes_an_asynchronous_stream_has_closed_its_source():
    async def source(closed):
        try:
            yield CompletionResponse(text="It", delta="It")
            yield CompletionResponse(text="It is", delta=" is")
        finally:
            closed.append(True)

    async def leaves():
        closed = []
        stream = guarded(source(closed))
        await anext(stream)
        await stream.aclose()
        return closed.copy()

    assert asyncio.run(leaves()) == [True]


def test_instrumentation_is_told_verdict_and_sentences():
    told = []

    class Handler(BaseEventHandler):
        def handle(self, event, **_):
            told.append(event)

    root = get_dispatcher()
    handlers = list(root.event_handlers)
    root.add_event_handler(Handler())
    try:
        list(guarded_sync(Model().stream_complete(QUESTION), CONTEXT, live=True))
    finally:
        root.event_handlers = handlers
    ours = [each for each in told if isinstance(each, LlamaIndexResult | LlamaIndexSentence)]
    assert [type(each) for each in ours] == [LlamaIndexSentence] * 2 + [LlamaIndexResult]
    check_verdict(ours[-1].annotation)


FROM_NODES = Context(
    query=QUESTION, chunks=[RetrievedChunk(PASSAGE, id="n-1", similarity=0.9, metadata={"page": 1})]
)


def test_a_query_engines_response_is_judged_against_its_nodes():
    index, got = SummaryIndex([NODES[0].node]), []
    streaming = index.as_query_engine(llm=Model(), streaming=True).query(QUESTION)
    whole = index.as_query_engine(llm=Model()).query(QUESTION)
    for given in (streaming, whole, AgentChatResponse(ANSWER, source_nodes=NODES)):
        response = guarded_response(given, QUESTION, sinks=[got.append])
        assert given is streaming or response is given
        assert str(response) == ANSWER
        assert response.metadata["streamguard"]["id"] == got[-1].id
        nodes = Context(query=QUESTION, chunks=response.source_nodes)
        check_verdict(response.metadata["streamguard"], context=nodes)


def test_the_stream_of_a_chat_engine_is_guarded_by_itself():
    with pytest.raises(ConfigError, match=r"a StreamingAgentChatResponse.*response\.response_gen"):
        guarded_response(StreamingAgentChatResponse(source_nodes=NODES), QUESTION)
    got = []
    assert list(guarded_sync(iter(PIECES), FROM_NODES, sinks=[got.append])) == PIECES
    check_verdict(got[0], context=FROM_NODES)


def test_an_async_response_is_judged_against_its_nodes():
    async def run():
        async def tokens():
            for piece in PIECES:
                yield piece

        response = AsyncStreamingResponse(response_gen=tokens(), source_nodes=NODES)
        said = [piece async for piece in guarded_response(response, QUESTION).async_response_gen()]
        return said, response

    said, response = asyncio.run(run())
    assert said == PIECES
    check_verdict(response.metadata["streamguard"], context=FROM_NODES)


def test_while_a_verifier_is_awaited_a_response_says_pending():
    gate = Gate()
    response = StreamingResponse(response_gen=iter(PIECES), source_nodes=NODES)
    policy = Policy(max_tail_wait_s=0)
    guarded_response(response, QUESTION, policy=policy, verifiers=[gate])
    assert "".join(response.response_gen) == ANSWER
    assert response.metadata["streamguard"]["state"] == "pending"
    gate.open()
    while response.metadata["streamguard"]["state"] == "pending":
        pass
    assert response.metadata["streamguard"]["verifiers"][0]["answered"] > 0
