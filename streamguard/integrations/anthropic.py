"""Anthropic's SDK: reads the context in a request; `guard` reads its streams unchanged.

    request = {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": messages}
    source = client.messages.create(**request, stream=True)
    async with guard(source, context=context_of(request)) as stream:
        async for event in stream.items(): ...

The same holds for the helper (guard the stream of `client.messages.stream` inside `async with`, or
its `text_stream`), and for the plain client with `guard_sync`. `context_of` takes the arguments of
`create` or `stream`: the passages are `document` and `search_result` blocks, tool results, and text
after `[Cn]` marks in the prompt. Imports nothing of the SDK.
"""

from streamguard.wire.requests.shown import context_of_request as context_of

__all__ = ["context_of"]
