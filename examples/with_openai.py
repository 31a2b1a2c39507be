"""Guard streams of the official OpenAI client, for both of its protocols.

    pip install -e '.[openai]'
    python examples/with_openai.py

The passages and the question are read from the request itself.
"""

import asyncio

import openai
from fake_model import PASSAGE, QUESTION, fake_model

from streamguard import GuardrailsResult, guard
from streamguard.integrations.openai import context_of

INSTRUCTIONS = f"Answer from this passage only:\n[C1] {PASSAGE}"


async def chat(client: openai.AsyncOpenAI) -> GuardrailsResult:
    request = {
        "model": "fake",
        "messages": [
            {"role": "system", "content": INSTRUCTIONS},
            {"role": "user", "content": QUESTION},
        ],
    }
    source = client.chat.completions.create(**request, stream=True)
    async with guard(source, context=context_of(request)) as stream:
        async for chunk in stream.items():
            print(chunk.choices[0].delta.content or "", end="", flush=True)
    return stream.result


async def responses(client: openai.AsyncOpenAI) -> GuardrailsResult:
    request = {"model": "fake", "instructions": INSTRUCTIONS, "input": QUESTION}
    source = client.responses.create(**request, stream=True)
    async with guard(source, context=context_of(request)) as stream:
        async for event in stream.items():
            if event.type == "response.output_text.delta":
                print(event.delta, end="", flush=True)
    return stream.result


async def main(base_url: str) -> None:
    async with openai.AsyncOpenAI(base_url=f"{base_url}/v1", api_key="none") as client:
        for ask in (chat, responses):
            result = await ask(client)
            print(f"\n{result.status}: {result.reasons[0].message}")


if __name__ == "__main__":
    with fake_model() as url:
        asyncio.run(main(url))
