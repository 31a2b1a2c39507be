"""Guard an agent of the OpenAI Agents SDK: its model judges what it says.

pip install -e '.[openai-agents]'
python examples/with_openai_agents.py
"""

import asyncio

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from fake_model import PASSAGE, QUESTION, fake_model
from openai import AsyncOpenAI

from streamguard.integrations.openai_agents import GuardedModel


async def main(base_url: str) -> None:
    set_tracing_disabled(True)  # traces go to OpenAI
    async with AsyncOpenAI(base_url=f"{base_url}/v1", api_key="none") as client:
        agent = Agent(
            name="support",
            instructions=f"Answer from this passage only:\n[C1] {PASSAGE}",
            model=GuardedModel(OpenAIResponsesModel("fake", client)),
        )
        async for event in Runner.run_streamed(agent, QUESTION).stream_events():
            if event.type != "raw_response_event":
                continue
            if event.data.type == "response.output_text.delta":
                print(event.data.delta, end="", flush=True)
            elif event.data.type == "response.completed":
                result = event.data.response.streamguard["result"]
                print(f"\n{result['status']}: {result['reasons'][0]['message']}")


if __name__ == "__main__":
    with fake_model() as url:
        asyncio.run(main(url))
