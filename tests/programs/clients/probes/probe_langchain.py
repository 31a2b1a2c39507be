"""LangChain's ChatOpenAI over Chat Completions and Responses."""

from langchain_openai import ChatOpenAI
from probing import MESSAGES, PRICE, Probe, run


def read(step, answer, **more):
    asked = {"n": 2} if step["model"] == "choices" else {}
    model = ChatOpenAI(
        model=step["model"],
        base_url=step["base"] + "/v1",
        api_key="none",
        max_retries=0,
        default_headers=step["headers"],
        include_response_headers=True,
        stream_usage=step["model"] == "usage",
        **asked,
        **more,
    )
    if step["model"] in ("tools", "calls"):
        model = model.bind_tools([PRICE])
    whole = None
    for chunk in model.stream([(each["role"], each["content"]) for each in MESSAGES]):
        answer.said(chunk.text)
        answer.see_headers(
            chunk.response_metadata.get("headers") or {"x-streamguard-id": answer.id}
        )
        whole = chunk if whole is None else whole + chunk
    answer.usage = whole.usage_metadata
    answer.finish_reason[0] = whole.response_metadata.get("finish_reason")
    answer.tool_args = "".join(call["args"] or "" for call in whole.tool_call_chunks)


def chat(step, answer):
    read(step, answer)


def responses(step, answer):
    read(step, answer, use_responses_api=True)


PROBES = [
    Probe("LangChain Python", "chat", chat, sees=()),
    Probe("LangChain Python", "responses", responses, sees=()),
]

if __name__ == "__main__":
    run(PROBES)
