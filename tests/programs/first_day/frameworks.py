"""The doors of the frameworks, where their packages are installed."""

import warnings
from contextlib import asynccontextmanager
from functools import partial

from tests.kit.streams import pieces

DOORS = {}
KEY = "streamguard"


def _contents(name, answer):
    said = [answer] if name == "invoke" else pieces(answer)
    return [[{"type": "text", "text": each}] for each in said] if "parts" in name else said


try:
    from langchain_core.messages import AIMessageChunk, HumanMessage, SystemMessage
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnableGenerator

    from streamguard.integrations import langchain
except ImportError:
    pass
else:

    @asynccontextmanager
    async def chain(context_template=None):
        """Ask a chain of a prompt and a guarded model, whose context is read from the prompt."""

        read = partial(langchain.context_of, context_template=context_template)

        async def check(prompt, name, answer):
            async def said(_asked):
                for content in _contents(name, answer):
                    yield AIMessageChunk(content=content)

            roles = {"system": SystemMessage, "user": HumanMessage}
            messages = [roles[each["role"]](each["content"]) for each in prompt.messages]
            model = langchain.guarded(RunnableGenerator(said), read)
            asked = ChatPromptTemplate.from_messages(messages)
            if name == "invoke":
                last = await (asked | model).ainvoke({})
            else:
                *_, last = [item async for item in (asked | model).astream({})]
            return last.response_metadata[KEY]["result"]

        yield check

    DOORS["LangChain"] = (chain, ("astream", "astream, content in parts", "invoke"))


try:
    with warnings.catch_warnings(action="ignore"):
        from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse

        from streamguard.integrations import llama_index
except ImportError:
    pass
else:

    @asynccontextmanager
    async def llm(context_template=None):
        """Ask an LLM whose stream is guarded, and whose context is read from the messages."""

        async def check(prompt, name, answer):
            asked = [ChatMessage(role=m["role"], content=m["content"]) for m in prompt.messages]
            context = llama_index.context_of(asked, context_template=context_template)
            if name == "astream_chat":

                async def said():
                    for piece in pieces(answer):
                        message = ChatMessage(role="assistant", content=piece)
                        yield ChatResponse(message=message, delta=piece)

                *_, last = [item async for item in llama_index.guarded(said(), context)]
            else:

                def told():
                    for piece in pieces(answer):
                        yield CompletionResponse(text=piece, delta=piece)

                *_, last = llama_index.guarded_sync(told(), context)
            return last.additional_kwargs[KEY]["result"]

        yield check

    DOORS["LlamaIndex"] = (llm, ("astream_chat", "stream_complete"))
