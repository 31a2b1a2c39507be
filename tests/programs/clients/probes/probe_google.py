"""The Google Gen AI SDK: streams, async, and whole answers. It hides keys that it does not know."""

from functools import cache

from google import genai
from google.genai import types
from probing import PASSAGES, QUESTION, Probe, run

MAJOR = genai.__version__.split(".")[0]
NAME = f"google-genai Python {MAJOR}"
CONFIG = types.GenerateContentConfig(system_instruction=PASSAGES)


@cache
def client_of(base, headers):
    options = types.HttpOptions(base_url=base, headers=dict(headers), timeout=20_000)
    return genai.Client(api_key="none", http_options=options)


def asked(step):
    return client_of(step["base"], tuple(step["headers"].items()))


def request(step):
    return {"model": step["model"], "contents": QUESTION, "config": CONFIG}


def read(response, answer):
    answer.see_headers(response.sdk_http_response.headers)
    answer.see((response.model_extra or {}).get("streamguard"))
    answer.usage = response.usage_metadata or answer.usage
    for candidate in response.candidates or ():
        index = candidate.index or 0
        for part in (candidate.content.parts if candidate.content else None) or ():
            if part.thought:
                answer.thought += part.text
            elif part.text:
                answer.said(part.text, index)
            elif part.function_call:
                answer.tool_args += str(part.function_call.args)
        if candidate.finish_reason:
            answer.finish_reason[index] = candidate.finish_reason.name


def stream(step, answer):
    for response in asked(step).models.generate_content_stream(**request(step)):
        read(response, answer)


async def stream_async(step, answer):
    made = asked(step).aio.models.generate_content_stream(**request(step))
    async for response in await made:
        read(response, answer)


def whole(step, answer):
    read(asked(step).models.generate_content(**request(step)), answer)


PROBES = [
    Probe(NAME, "gemini", stream, sees=()),
    Probe(f"{NAME}, async", "gemini", stream_async, sees=()),
    Probe(f"{NAME}, whole answer", "gemini", whole, sees=()),
]

if __name__ == "__main__":
    run(PROBES)
