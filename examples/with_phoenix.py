"""Tell every verdict as annotations of a Phoenix span.

pip install -e '.[phoenix]'
export PHOENIX_COLLECTOR_ENDPOINT=http://127.0.0.1:6006
python examples/with_phoenix.py
"""

import asyncio
from collections.abc import AsyncIterator

from opentelemetry.sdk.trace import TracerProvider
from phoenix.client import AsyncClient

from streamguard import Context, guard
from streamguard.sinks.phoenix import phoenix_sink

PASSAGE = "The Basic plan costs $49 per month and includes one seat."


async def model() -> AsyncIterator[str]:
    """Stand in for a model."""
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


async def main() -> None:
    tracer = TracerProvider().get_tracer("app")  # export its spans to Phoenix, as its guide says
    context = Context(query="What does the Basic plan cost?", chunks=[PASSAGE])
    with tracer.start_as_current_span("answer"):
        async with guard(model(), context=context, sinks=[phoenix_sink(AsyncClient())]) as stream:
            async for piece in stream.items():
                print(piece, end="", flush=True)
    print()
    for finding in stream.result.findings:
        print(stream.result.status, finding.message)


if __name__ == "__main__":
    asyncio.run(main())
