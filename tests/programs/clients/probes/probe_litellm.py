"""LiteLLM over Chat Completions, Responses, Anthropic and Ollama, one call for all."""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network for prices

import litellm
from probing import MESSAGES, OPTIONS, Probe, read_chunk, read_event, run

litellm.suppress_debug_info = True
NATIVE = {"litellm_provider": "openai", "mode": "chat", "supports_native_streaming": True}
IDS = ("llm_provider-x-streamguard-id", "x-streamguard-id")


def see_header(found, answer):
    hidden = getattr(found, "_hidden_params", None) or {}
    headers = {**(hidden.get("headers") or {}), **(hidden.get("additional_headers") or {})}
    answer.id = next((headers[name] for name in IDS if name in headers), answer.id)


def request(step, provider, path):
    asked = {
        "model": f"{provider}/{step['model']}",
        "api_base": step["base"] + path,
        "api_key": "none",
        "extra_headers": step["headers"],
        "max_retries": 0,
        "stream": True,
        "timeout": 20,
    }
    # No tools are asked for: with any, it looks for another package first.
    return asked if step["model"] in ("tools", "calls") else asked | OPTIONS.get(step["model"], {})


def completion(provider, path):
    def read(step, answer):
        stream = litellm.completion(messages=MESSAGES, **request(step, provider, path))
        see_header(stream, answer)
        for chunk in stream:
            see_header(chunk, answer)
            read_chunk(chunk, answer)

    return read


def responses(step, answer):
    asked = {**request(step, "openai", "/v1"), "input": MESSAGES}
    asked.pop("stream_options", None)
    # Of a model that it does not know it asks for a whole answer, and makes a stream of that.
    litellm.register_model({step["model"]: NATIVE, f"openai/{step['model']}": NATIVE})
    stream = litellm.responses(**asked)
    see_header(stream, answer)
    for event in stream:
        see_header(event, answer)
        read_event(event, answer)


PROBES = [
    # Of several choices it reads to the first finish reason.
    Probe("LiteLLM", "chat", completion("openai", "/v1"), sees=("attach",), blind=("choices",)),
    Probe("LiteLLM", "responses", responses),
    Probe("LiteLLM", "anthropic", completion("anthropic", ""), sees=()),
    Probe("LiteLLM", "ollama_chat", completion("ollama_chat", ""), sees=()),
]

if __name__ == "__main__":
    run(PROBES)
