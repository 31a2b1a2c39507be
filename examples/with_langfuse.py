"""Tell every verdict as scores of a Langfuse trace.

pip install -e '.[langfuse]'
export LANGFUSE_PUBLIC_KEY=pk-... LANGFUSE_SECRET_KEY=sk-... LANGFUSE_BASE_URL=http://127.0.0.1:3000
python examples/with_langfuse.py
"""

import asyncio
from collections.abc import AsyncIterator

from langfuse import get_client

from streamguard import Context, guard
from streamguard.sinks.langfuse import langfuse_sink

PASSAGE = "The Basic plan costs $49 per month and includes one seat."


async def model() -> AsyncIterator[str]:
    """Stand in for a model."""
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


async def main() -> None:
    langfuse = get_client()
    context = Context(query="What does the Basic plan cost?", chunks=[PASSAGE])
    with langfuse.start_as_current_observation(name="answer", as_type="generation"):
        async with guard(model(), context=context, sinks=[langfuse_sink(langfuse)]) as stream:
            async for piece in stream.items():
                print(piece, end="", flush=True)
    print()
    for finding in stream.result.findings:
        print(stream.result.status, finding.message)
    langfuse.flush()


if __name__ == "__main__":
    asyncio.run(main())
