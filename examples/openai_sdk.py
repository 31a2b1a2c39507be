"""Guard a stream of the official OpenAI client: one line around it, the verdict after it.

OPENAI_API_KEY=... python examples/openai_sdk.py
OPENAI_BASE_URL=http://127.0.0.1:8000/v1 MODEL=my-model OPENAI_API_KEY=none python ...
"""

import asyncio
import os

import openai

from streamguard import Context, guard

QUESTION = "What does the Basic plan cost?"
PASSAGE = "The Basic plan costs $49 per month and includes one seat."


async def main() -> None:
    async with openai.AsyncOpenAI() as client:
        request = client.chat.completions.create(
            model=os.environ.get("MODEL", "gpt-4o-mini"),
            stream=True,
            messages=[
                {"role": "system", "content": f"Answer from this passage only:\n[C1] {PASSAGE}"},
                {"role": "user", "content": QUESTION},
            ],
        )
        context = Context(query=QUESTION, chunks=[PASSAGE])
        async with guard(request, context=context) as stream:  # a request is awaited for you
            async for chunk in stream.items():  # the SDK's own objects, as they are
                if chunk.choices:
                    print(chunk.choices[0].delta.content or "", end="", flush=True)
        result = stream.result
        print(f"\n{result.status}: {result.reasons[0].message}")
        for finding in result.findings:
            nearest = f" (nearest: {finding.nearest.value!r})" if finding.nearest else ""
            print(f"- {finding.message}{nearest}")


if __name__ == "__main__":
    asyncio.run(main())
