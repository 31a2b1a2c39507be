"""Guard a LangChain chain: its chunks pass as they are, the verdict comes in the last one.

pip install -e '.[langchain]'
python examples/with_langchain.py

A chain that ends in an output parser has no place for it, and tells it to callbacks and sinks.
"""

import asyncio
from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from streamguard import Annotation, Context
from streamguard.integrations.langchain import context_of, guarded

QUESTION = "What does the Basic plan cost?"
DOCUMENTS = [Document("The Basic plan costs $49 per month and includes one seat.", id="plans.md")]
PROMPT = ChatPromptTemplate.from_template("Context:\n{context}\n\nQuestion: {question}")
ANSWER = AIMessage("The Basic plan costs $59 per month. It includes one seat.")
# Any chat model does, such as ChatOpenAI(model="gpt-4o-mini"), and any retriever.
MODEL = GenericFakeChatModel(messages=iter([ANSWER, ANSWER]))
RETRIEVER = RunnableLambda(lambda question: DOCUMENTS)


async def with_documents() -> None:
    """Check against the documents themselves; the last chunk carries the verdict."""

    def retrieved(asked: dict[str, Any]) -> Context:
        return Context(query=asked["question"], chunks=asked["context"])

    chain = guarded(PROMPT | MODEL, retrieved)
    asked = {"question": QUESTION, "context": await RETRIEVER.ainvoke(QUESTION)}
    async for chunk in chain.astream(asked):
        print(chunk.text, end="", flush=True)
        verdict = chunk.response_metadata.get("streamguard")
    print(f"\n{verdict['result']['status']}: {verdict['result']['reasons'][0]['message']}")


def with_parser() -> None:
    """Check against what the prompt shows; a sink gets the verdict, as callbacks do."""
    verdicts: list[Annotation] = []
    asked = {"context": RETRIEVER | texts_of, "question": RunnablePassthrough()}
    chain = asked | PROMPT | guarded(MODEL, context_of, sinks=[verdicts.append]) | StrOutputParser()
    for piece in chain.stream(QUESTION):
        print(piece, end="", flush=True)
    print(f"\n{verdicts[0].result.status}")
    for finding in verdicts[0].result.findings:
        print(f"- {finding.message}")


def texts_of(documents: list[Document]) -> str:
    return "\n\n".join(document.page_content for document in documents)


if __name__ == "__main__":
    asyncio.run(with_documents())
    with_parser()
