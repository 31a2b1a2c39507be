"""LlamaIndex's OpenAI-like model over Chat Completions."""

import httpx
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike
from probing import MESSAGES, OPTIONS, Probe, hooks, run


def chat(step, answer):
    with httpx.Client(event_hooks=hooks(answer)) as http:
        model = OpenAILike(
            model=step["model"],
            api_base=step["base"] + "/v1",
            api_key="none",
            is_chat_model=True,
            is_function_calling_model=True,
            max_retries=0,
            default_headers=step["headers"],
            http_client=http,
        )
        messages = [ChatMessage(**each) for each in MESSAGES]
        for part in model.stream_chat(messages, **OPTIONS.get(step["model"], {})):
            answer.see(getattr(part.raw, "streamguard", None))
            answer.said(part.delta)
            answer.usage = part.raw.usage or answer.usage
            for choice in part.raw.choices:
                if choice.finish_reason:
                    answer.finish_reason[choice.index] = choice.finish_reason
            calls = part.message.additional_kwargs.get("tool_calls") or ()
            answer.tool_args = "".join(call.function.arguments or "" for call in calls)


if __name__ == "__main__":
    run([Probe("LlamaIndex", "chat", chat)])
