"""The Cohere SDK: streams, async, and whole answers."""

from importlib.metadata import version

import cohere
import httpx
from probing import MESSAGES, Probe, hooks, run

NAME = f"cohere Python {version('cohere').split('.')[0]}"


def request(step):
    options = {"additional_headers": step["headers"], "max_retries": 0}
    return {"model": step["model"], "messages": MESSAGES, "request_options": options}


def read(event, answer):
    answer.see((event.model_extra or {}).get("streamguard"))
    if event.type == "content-delta":
        content = event.delta.message.content
        answer.said(content.text)
        answer.thought += getattr(content, "thinking", None) or ""
    elif event.type == "tool-call-delta":
        answer.tool_args += event.delta.message.tool_calls.function.arguments
    elif event.type == "message-end":
        answer.finish_reason[0] = event.delta.finish_reason
        answer.usage = event.delta.usage


def client_of(step, answer):
    http = httpx.Client(event_hooks=hooks(answer), timeout=20)
    return cohere.ClientV2(api_key="none", base_url=step["base"], httpx_client=http)


def stream(step, answer):
    for event in client_of(step, answer).chat_stream(**request(step)):
        read(event, answer)


async def stream_async(step, answer):
    async with httpx.AsyncClient(event_hooks=hooks(answer, True), timeout=20) as http:
        client = cohere.AsyncClientV2(api_key="none", base_url=step["base"], httpx_client=http)
        async for event in client.chat_stream(**request(step)):
            read(event, answer)


def whole(step, answer):
    made = client_of(step, answer).chat(**request(step))
    answer.see((made.model_extra or {}).get("streamguard"))
    for part in made.message.content or ():
        if part.type == "text":
            answer.said(part.text)
        else:
            answer.thought += part.thinking
    for call in made.message.tool_calls or ():
        answer.tool_args += call.function.arguments
    answer.finish_reason[0] = made.finish_reason
    answer.usage = made.usage


PROBES = [
    Probe(NAME, "cohere", stream),
    Probe(f"{NAME}, async", "cohere", stream_async),
    Probe(f"{NAME}, whole answer", "cohere", whole),
]

if __name__ == "__main__":
    run(PROBES)
