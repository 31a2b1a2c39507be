"""Tell every verdict as OpenTelemetry events, here to the terminal.

pip install -e '.[otel]' opentelemetry-sdk
python examples/with_opentelemetry.py
"""

import asyncio
import sys
from collections.abc import AsyncIterator

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import ConsoleLogRecordExporter, SimpleLogRecordProcessor

from streamguard import Context, guard
from streamguard.integrations.opentelemetry import opentelemetry_sink

PASSAGE = "The Basic plan costs $49 per month and includes one seat."


async def model() -> AsyncIterator[str]:
    """Stand in for a model."""
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


async def main() -> None:
    provider = LoggerProvider()
    exporter = ConsoleLogRecordExporter(out=sys.stdout)
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    sink = opentelemetry_sink(provider, explain=True)  # explanations quote answer and passages
    context = Context(query="What does the Basic plan cost?", chunks=[PASSAGE])
    async with guard(model(), context=context, sinks=[sink]) as stream:
        async for piece in stream.items():
            print(piece, end="", flush=True)
    print()


if __name__ == "__main__":
    asyncio.run(main())
