"""httpx-sse, the Ollama package, and readers written by hand over httpx."""

import json

import httpx
import ollama
from httpx_sse import connect_sse
from probing import MESSAGES, Probe, hooks, run


def request(step):
    body = {"model": step["model"], "stream": True, "messages": MESSAGES}
    return {"json": body, "headers": step["headers"], "timeout": 20}


def read_chunk(chunk, answer):
    if "error" in chunk:
        raise RuntimeError(chunk["error"]["message"])
    answer.see(chunk.get("streamguard"))
    answer.usage = chunk.get("usage") or answer.usage
    for choice in chunk["choices"]:
        delta = choice["delta"]
        answer.said(delta.get("content"), choice["index"])
        for call in delta.get("tool_calls") or ():
            answer.tool_args += call["function"].get("arguments") or ""
        if choice["finish_reason"]:
            answer.finish_reason[choice["index"]] = choice["finish_reason"]


def events(step, answer, path):
    """Yield the events up to the end sign."""
    with (
        httpx.Client() as client,
        connect_sse(client, "POST", step["base"] + path, **request(step)) as source,
    ):
        answer.see_headers(source.response.headers)
        for event in source.iter_sse():
            if event.data == "[DONE]":
                break
            yield event


def httpx_sse(step, answer):
    for event in events(step, answer, "/v1/chat/completions"):
        read_chunk(json.loads(event.data), answer)


def lines(step, answer, path):
    """Yield the lines that are not blank."""
    with httpx.stream("POST", step["base"] + path, **request(step)) as response:
        answer.see_headers(response.headers)
        yield from filter(None, response.iter_lines())


def line_loop(step, answer):
    for line in lines(step, answer, "/v1/chat/completions"):
        assert line.startswith("data: "), line
        if line == "data: [DONE]":
            break
        read_chunk(json.loads(line[6:]), answer)


def httpx_sse_plain(step, answer):
    for event in events(step, answer, "/events"):
        if event.event == "error":
            raise RuntimeError(event.data)
        if event.event == "streamguard.result":
            answer.see(json.loads(event.data))
        else:
            answer.said(event.data)


def json_lines(step, answer):
    for line in lines(step, answer, "/lines"):
        answer.said(json.loads(line)["text"])


def ollama_client(step, answer):
    return ollama.Client(host=step["base"], headers=step["headers"], event_hooks=hooks(answer))


def read_ollama(part, answer):
    if part.done:
        answer.finish_reason[0] = part.done_reason
        answer.usage = [part.prompt_eval_count, part.eval_count]


def ollama_chat(step, answer):
    client = ollama_client(step, answer)
    for part in client.chat(step["model"], MESSAGES, stream=True):
        answer.said(part.message.content)
        answer.thought += part.message.thinking or ""
        for call in part.message.tool_calls or ():
            answer.tool_args += json.dumps(dict(call.function.arguments))
        read_ollama(part, answer)


def ollama_generate(step, answer):
    client = ollama_client(step, answer)
    for part in client.generate(step["model"], MESSAGES[1]["content"], stream=True):
        answer.said(part.response)
        read_ollama(part, answer)


def ollama_by_hand(step, answer):
    for line in lines(step, answer, "/api/chat"):
        part = json.loads(line)
        if "error" in part:
            raise RuntimeError(part["error"])
        answer.see(part.get("streamguard"))
        answer.said(part["message"]["content"])
        if part["done"]:
            answer.finish_reason[0] = part["done_reason"]
            answer.usage = [part["prompt_eval_count"], part["eval_count"]]


PROBES = [
    Probe("httpx-sse", "chat", httpx_sse),
    Probe("httpx-sse", "events", httpx_sse_plain, sees=("event",)),
    Probe("lines by hand (httpx)", "chat", line_loop),
    Probe("lines by hand (httpx)", "lines", json_lines, sees=()),
    Probe("lines by hand (httpx)", "ollama_chat", ollama_by_hand),
    Probe("ollama Python", "ollama_chat", ollama_chat, sees=()),
    Probe("ollama Python", "ollama_generate", ollama_generate, sees=()),
]

if __name__ == "__main__":
    run(PROBES)
