"""Guard a LangChain chain: its chunks pass as they are, the verdict comes in the last one.

pip install -e '.[langchain]'
python examples/with_langchain.py
"""

import asyncio
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate

from streamguard import Context
from streamguard.integrations.langchain import guarded

PROMPT = ChatPromptTemplate.from_template("Answer from: {passage}\n\n{question}")
# Any chat model does, such as ChatOpenAI(model="gpt-4o-mini").
MODEL = GenericFakeChatModel(
    messages=iter([AIMessage("The Basic plan costs $59 per month. It includes one seat.")])
)


def context_of(asked: dict[str, Any]) -> Context:
    return Context(query=asked["question"], chunks=[asked["passage"]])


async def main() -> None:
    chain = guarded(PROMPT | MODEL, context_of)
    asked = {
        "question": "What does the Basic plan cost?",
        "passage": "The Basic plan costs $49 per month and includes one seat.",
    }
    async for chunk in chain.astream(asked):
        print(chunk.text, end="", flush=True)
        verdict = chunk.response_metadata.get("streamguard")
    print(f"\n{verdict['result']['status']}: {verdict['result']['reasons'][0]['message']}")
    for finding in verdict["result"]["findings"]:
        print(f"- {finding['message']}")


if __name__ == "__main__":
    asyncio.run(main())
