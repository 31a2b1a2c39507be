"""OpenAI's SDK: the context that a request shows; `guard` reads the streams as they are.

    request = {"model": "gpt-4o-mini", "messages": messages}
    source = client.chat.completions.create(**request, stream=True)
    async with guard(source, context=context_of(request)) as stream:
        async for chunk in stream.items(): ...

The same holds for `client.responses.create`, for the helpers (`client.chat.completions.stream`,
`client.responses.stream`: guard what they give inside `async with`), and for the plain client
with `guard_sync`. Imports nothing of the SDK.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamguard.core.context import Context
from streamguard.server import asked


def context_of(request: Mapping[str, Any]) -> Context:
    """Return what a request shows: the last question asked, and the last passages given.

    `request` is what `create` or the helper was called with, for Chat Completions or Responses.
    Passages stand between the boundary lines or behind `[Cn]` marks. Any shape is accepted.
    """
    if "messages" in request:
        return asked.context_of(request["messages"])
    instructions, given = request.get("instructions"), request.get("input")
    messages: list[Any] = [{"role": "system", "content": instructions}]
    if isinstance(given, str):
        messages.append({"role": "user", "content": given})
    elif isinstance(given, list):
        messages += given
    return asked.context_of(messages)
