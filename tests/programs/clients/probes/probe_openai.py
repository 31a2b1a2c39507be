"""The OpenAI SDK: sync, async and helpers, of Chat Completions, Completions and Responses."""

from functools import cache

import httpx
import openai
from openai import AsyncOpenAI, OpenAI
from probing import MESSAGES, OPTIONS, QUESTION, Probe, read_chunk, read_event, run

ids = []  # what the last response had in its header, for helpers that hide it


def hook(response):
    ids[:] = [response.headers]


async def async_hook(response):
    hook(response)


@cache
def client_of(base, kind=OpenAI):
    """Return one client per address, as programs have it."""
    hooks = {"response": [hook if kind is OpenAI else async_hook]}
    http = (httpx.Client if kind is OpenAI else httpx.AsyncClient)(event_hooks=hooks, timeout=20)
    return kind(base_url=base + "/v1", api_key="none", max_retries=0, http_client=http)


def request(step, **more):
    asked = {"model": step["model"], "messages": MESSAGES, "extra_headers": step["headers"]}
    return asked | OPTIONS.get(step["model"], {}) | more


def responses_request(step):
    return {"model": step["model"], "input": MESSAGES, "extra_headers": step["headers"]}


def chunks(step, answer):
    """Return a stream of Chat Completions."""
    stream = client_of(step["base"]).chat.completions.create(**request(step, stream=True))
    answer.see_headers(stream.response.headers)
    return stream


def chat(step, answer):
    for chunk in chunks(step, answer):
        read_chunk(chunk, answer)


def completions(step, answer):
    asked = request(step, stream=True, prompt=QUESTION)
    del asked["messages"]
    stream = client_of(step["base"]).completions.create(**asked)
    answer.see_headers(stream.response.headers)
    for chunk in stream:
        answer.see(getattr(chunk, "streamguard", None))
        answer.usage = chunk.usage or answer.usage
        for choice in chunk.choices:
            answer.said(choice.text + "", choice.index)
            if choice.finish_reason:
                answer.finish_reason[choice.index] = choice.finish_reason


async def chat_async(step, answer):
    client = client_of(step["base"], AsyncOpenAI)
    stream = await client.chat.completions.create(**request(step, stream=True))
    answer.see_headers(stream.response.headers)
    async for chunk in stream:
        read_chunk(chunk, answer)


def chat_helper(step, answer):
    with client_of(step["base"]).chat.completions.stream(**request(step)) as stream:
        answer.see_headers(*ids)
        for event in stream:
            if event.type == "chunk":
                answer.see(getattr(event.chunk, "streamguard", None))
                for choice in event.chunk.choices:
                    answer.said(choice.delta.content, choice.index)
        final = stream.get_final_completion()
    answer.text = {}
    read_whole(final, answer)


def read_whole(made, answer):
    answer.usage = made.usage
    for choice in made.choices:
        answer.said(choice.message.content, choice.index)
        answer.finish_reason[choice.index] = choice.finish_reason
        for call in choice.message.tool_calls or ():
            answer.tool_args += call.function.arguments


def responses(step, answer):
    stream = client_of(step["base"]).responses.create(**responses_request(step), stream=True)
    answer.see_headers(stream.response.headers)
    for event in stream:
        read_event(event, answer)


async def responses_async(step, answer):
    client = client_of(step["base"], AsyncOpenAI)
    stream = await client.responses.create(**responses_request(step), stream=True)
    answer.see_headers(stream.response.headers)
    async for event in stream:
        read_event(event, answer)


def responses_helper(step, answer):
    with client_of(step["base"]).responses.stream(**responses_request(step)) as stream:
        answer.see_headers(*ids)
        for event in stream:
            read_event(event, answer)
        final = stream.get_final_response()
    answer.see(getattr(final, "streamguard", None))
    answer.text[0] = final.output_text


def chat_whole(step, answer):
    client = client_of(step["base"]).chat.completions
    raw = client.with_raw_response.create(**request(step))
    answer.see_headers(raw.headers)
    made = raw.parse()
    answer.see(getattr(made, "streamguard", None))
    read_whole(made, answer)


# The loops that people write by hand, over the same SDK.


def loop_first_choice(step, answer):
    """Take `choices[0]` of every chunk; finish reason and usage of the last one."""
    for chunk in chunks(step, answer):
        answer.see(getattr(chunk, "streamguard", None))
        answer.said(chunk.choices[0].delta.content or "")
    answer.finish_reason[0] = chunk.choices[0].finish_reason
    answer.usage = chunk.usage


def loop_break(step, answer):
    """Leave at the first choice's finish reason."""
    stream = chunks(step, answer)
    for chunk in stream:
        answer.see(getattr(chunk, "streamguard", None))
        choice = chunk.choices[0]
        answer.said(choice.delta.content)
        if choice.finish_reason is not None and choice.index == 0:
            answer.finish_reason[0] = choice.finish_reason
            break
    stream.close()


def loop_last_usage(step, answer):
    """Skip chunks without choices; take the usage of the last chunk."""
    for chunk in chunks(step, answer):
        answer.see(getattr(chunk, "streamguard", None))
        for choice in chunk.choices[:1]:
            answer.said(choice.delta.content)
            answer.finish_reason[0] = choice.finish_reason or answer.finish_reason.get(0)
    answer.usage = chunk.usage


NAME = f"openai Python {openai.__version__.partition('.')[0]}"
PROBES = [
    Probe(NAME, "chat", chat),
    Probe(f"{NAME}, async", "chat", chat_async),
    Probe(f"{NAME}, helper", "chat", chat_helper),
    Probe(f"{NAME}, whole answer", "chat", chat_whole),
    Probe(NAME, "completions", completions),
    Probe(NAME, "responses", responses),
    Probe(f"{NAME}, async", "responses", responses_async),
    Probe(f"{NAME}, helper", "responses", responses_helper),
    Probe(f"{NAME}, loop over choices[0]", "chat", loop_first_choice, last_finish=True,
          fails=("usage",)),
    Probe(f"{NAME}, loop left at finish_reason", "chat", loop_break, sees=("attach",)),
    Probe(f"{NAME}, loop with the last usage", "chat", loop_last_usage),
]  # fmt: skip

if __name__ == "__main__":
    run(PROBES)
