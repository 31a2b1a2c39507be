"""The Anthropic SDK: events, async, and the helper."""

import anthropic
from anthropic import Anthropic, AsyncAnthropic
from probing import PASSAGES, QUESTION, Probe, run

NAME = f"anthropic Python {anthropic.__version__.split('.')[0]}"


def client_of(step, made=Anthropic):
    return made(base_url=step["base"], api_key="none", max_retries=0)


def request(step):
    return {
        "model": step["model"],
        "max_tokens": 100,
        "system": PASSAGES,
        "messages": [{"role": "user", "content": QUESTION}],
        "extra_headers": step["headers"],
    }


def read_event(event, answer):
    answer.see(getattr(event, "streamguard", None))
    if event.type == "content_block_delta":
        delta = event.delta
        if delta.type == "text_delta":
            answer.said(delta.text)
        elif delta.type == "thinking_delta":
            answer.thought += delta.thinking
        elif delta.type == "input_json_delta":
            answer.tool_args += delta.partial_json
    elif event.type == "message_delta":
        answer.usage = event.usage
        answer.finish_reason[0] = event.delta.stop_reason


def events(step, answer):
    with client_of(step) as client:
        stream = client.messages.create(**request(step), stream=True)
        answer.see_headers(stream.response.headers)
        for event in stream:
            read_event(event, answer)


async def events_async(step, answer):
    async with client_of(step, AsyncAnthropic) as client:
        stream = await client.messages.create(**request(step), stream=True)
        answer.see_headers(stream.response.headers)
        async for event in stream:
            read_event(event, answer)


def helper(step, answer):
    with client_of(step) as client, client.messages.stream(**request(step)) as stream:
        answer.see_headers(stream.response.headers)
        for event in stream:
            read_event(event, answer)
        final = stream.get_final_message()
    answer.usage = final.usage
    answer.finish_reason[0] = final.stop_reason
    answer.text[0] = "".join(block.text for block in final.content if block.type == "text")


PROBES = [
    Probe(NAME, "anthropic", events),
    Probe(f"{NAME}, async", "anthropic", events_async),
    Probe(f"{NAME}, helper", "anthropic", helper),
]

if __name__ == "__main__":
    run(PROBES)
