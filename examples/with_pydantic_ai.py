"""Guard a pydantic-ai agent: its answer is judged against what its tools returned.

pip install -e '.[pydantic-ai]'
python examples/with_pydantic_ai.py
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from pydantic_ai import Agent, PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from streamguard.integrations.pydantic_ai import Streamguard, StreamguardResult


async def fake(messages: list[Any], _: Any) -> AsyncIterator[Any]:
    """Stand in for a model: ask the tool, then answer with a wrong price."""
    if len(messages) == 1:
        yield {0: DeltaToolCall(name="look_up", json_args='{"plan": "Basic"}', tool_call_id="t-1")}
        return
    for piece in ["The Basic plan ", "costs $59 ", "per month. ", "It includes one seat."]:
        yield piece


# Any model does, such as "openai:gpt-4o-mini".
agent = Agent(FunctionModel(stream_function=fake), capabilities=[Streamguard()])


@agent.tool_plain
def look_up(plan: str) -> str:
    """Say what a plan costs."""
    return f"The {plan} plan costs $49 per month and includes one seat."


async def main() -> None:
    async with agent.run_stream_events("What does the Basic plan cost?") as events:
        async for event in events:
            if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                print(event.part.content, end="", flush=True)
            elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                print(event.delta.content_delta, end="", flush=True)
            elif isinstance(event, StreamguardResult):
                result = event.annotation["result"]
                print(f"\n{result['status']}: {result['reasons'][0]['message']}")


if __name__ == "__main__":
    asyncio.run(main())
