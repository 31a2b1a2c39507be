"""The OpenAI Agents SDK: a streamed run over Chat Completions and over Responses."""

import httpx
from agents import (
    Agent,
    FunctionTool,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from probing import PASSAGES, PRICE, QUESTION, Probe, hooks, read_event, run

set_tracing_disabled(True)


async def price(context, arguments):
    return "$10"


FUNCTION = PRICE["function"]
TOOL = FunctionTool(
    name=FUNCTION["name"],
    description="The price of a plan.",
    params_json_schema=FUNCTION["parameters"],
    on_invoke_tool=price,
    strict_json_schema=False,
)


def reader(kind):
    async def read(step, answer):
        async with httpx.AsyncClient(event_hooks=hooks(answer, True)) as http:
            base = step["base"] + "/v1"
            client = AsyncOpenAI(base_url=base, api_key="none", max_retries=0, http_client=http)
            usage = step["model"] == "usage"
            agent = Agent(
                name="prices",
                instructions=PASSAGES,
                model=kind(step["model"], openai_client=client),
                model_settings=ModelSettings(extra_headers=step["headers"], include_usage=usage),
                tools=[TOOL] if step["model"] in ("tools", "calls") else [],
                tool_use_behavior="stop_on_first_tool",
            )
            result = Runner.run_streamed(agent, QUESTION, max_turns=1)
            async for event in result.stream_events():
                if event.type == "raw_response_event":
                    read_event(event.data, answer)

    return read


PROBES = [
    Probe("OpenAI Agents", "chat", reader(OpenAIChatCompletionsModel), sees=()),
    Probe("OpenAI Agents", "responses", reader(OpenAIResponsesModel)),
]

if __name__ == "__main__":
    run(PROBES)
