"""pydantic-ai over Chat Completions, Responses and Anthropic."""

import json
import os

import httpx
import httpx2
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
from probing import PASSAGES, PRICE, QUESTION, Probe, hooks, run
from pydantic_ai import ModelRequest, SystemPromptPart, ToolDefinition, UserPromptPart
from pydantic_ai.direct import model_request_stream
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

os.environ["PYDANTIC_AI_NO_BANNER"] = "1"
FUNCTION = PRICE["function"]
TOOL = ToolDefinition(name=FUNCTION["name"], parameters_json_schema=FUNCTION["parameters"])


async def read(model, step, answer):
    parts = [SystemPromptPart(PASSAGES), UserPromptPart(QUESTION)]
    tools = [TOOL] if step["model"] in ("tools", "calls") else []
    async with model_request_stream(
        model,
        [ModelRequest(parts=parts)],
        model_settings={"extra_headers": step["headers"]},
        model_request_parameters=ModelRequestParameters(function_tools=tools),
    ) as stream:
        async for _ in stream:
            pass
        made = stream.get()
    for part in made.parts:
        if part.part_kind == "text":
            answer.said(part.content)
        elif part.part_kind == "thinking":
            answer.thought += part.content
        elif part.part_kind == "tool-call":
            args = part.args
            answer.tool_args += args if isinstance(args, str) else json.dumps(args)
    answer.usage = [made.usage.input_tokens, made.usage.output_tokens]
    answer.finish_reason[0] = made.finish_reason


def openai_reader(kind):
    async def reader(step, answer):
        async with httpx.AsyncClient(event_hooks=hooks(answer, True)) as http:
            base = step["base"] + "/v1"
            client = AsyncOpenAI(base_url=base, api_key="none", max_retries=0, http_client=http)
            await read(kind(step["model"], provider=OpenAIProvider(openai_client=client)), step,
                       answer)  # fmt: skip

    return reader


async def anthropic(step, answer):
    async with httpx2.AsyncClient(event_hooks=hooks(answer, True)) as http:
        client = AsyncAnthropic(
            base_url=step["base"], api_key="none", max_retries=0, http_client=http
        )
        provider = AnthropicProvider(anthropic_client=client)
        await read(AnthropicModel(step["model"], provider=provider), step, answer)


NAME = "pydantic-ai"
PROBES = [
    Probe(NAME, "chat", openai_reader(OpenAIChatModel), sees=()),
    Probe(NAME, "responses", openai_reader(OpenAIResponsesModel), sees=()),
    Probe(NAME, "anthropic", anthropic, sees=()),
]

if __name__ == "__main__":
    run(PROBES)
