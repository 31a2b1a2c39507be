"""OpenAI's SDK: reads the context in a request; `guard` reads its streams unchanged.

    request = {"model": "gpt-4o-mini", "messages": messages}
    source = client.chat.completions.create(**request, stream=True)
    async with guard(source, context=context_of(request)) as stream:
        async for chunk in stream.items(): ...

The same holds for `client.responses.create`, for the helpers (`client.chat.completions.stream`,
`client.responses.stream`: guard their stream inside `async with`), and for the plain client with
`guard_sync`. `context_of` takes the arguments of `create` or the helper; passages stand between the
boundary lines or behind `[Cn]` marks, or tools returned them. Imports nothing of the SDK.
"""

from streamguard.wire.requests.shown import context_of_request as context_of

__all__ = ["context_of"]
