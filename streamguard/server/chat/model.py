"""Who answers: any OpenAI-compatible server, or the extractive answerer without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

import aiohttp
from yarl import URL

from streamguard.core.model.types import Retrieval
from streamguard.errors import DecodeError, UpstreamError
from streamguard.rag.prompts import Prompt
from streamguard.server.chat.answerer import extract_answer
from streamguard.server.chat.recorded import cut
from streamguard.server.http.bodies import hear_of_loss, next_bytes
from streamguard.server.http.connections import Connector
from streamguard.wire.openai_chat import is_done, is_error, read_frame
from streamguard.wire.sse import SSEDecoder, SSEEvent

# From a prompt to pieces of the answer: strings, or Chat Completions chunks.
Model = Callable[[Prompt], AsyncGenerator[Any, None]]

CONNECT_TIMEOUT_S = 10.0  # guess
SILENCE_TIMEOUT_S = 120.0  # between two reads; guess, long prompts take their time


async def pieces(text: str, tokens_per_s: float = 0.0) -> AsyncGenerator[str, None]:
    """Yield `text` in token-sized pieces at that rate; 0: as fast as they are taken."""
    for piece in cut(text, "token", 0):
        if tokens_per_s:
            await asyncio.sleep(1 / tokens_per_s)
        yield piece


def extractive_model(tokens_per_s: float = 0.0) -> Model:
    """Return the answerer that needs no model: it quotes the passages of the prompt."""

    async def answer(prompt: Prompt) -> AsyncGenerator[str, None]:
        retrieval = prompt.context.retrieval or Retrieval()
        # A few ms of reading words: away from the loop that relays everybody's tokens.
        text = await asyncio.to_thread(extract_answer, prompt.context.query or "", retrieval)
        async with aclosing(pieces(text, tokens_per_s)) as cut_up:
            async for piece in cut_up:
                yield piece

    return answer


def upstream_model(
    session: aiohttp.ClientSession, upstream: URL, name: str, key: str | None
) -> Model:
    """Return a model behind an OpenAI-compatible server; `upstream` ends before `/chat`.

    It yields the server's chunks as parsed JSON, and raises `UpstreamError` where the server does
    not answer, answers with an error, or breaks off. Closing it closes the connection.
    """
    url = upstream / "chat" / "completions"
    headers = {"Accept": "text/event-stream"}
    if key:
        headers["Authorization"] = f"Bearer {key}"

    async def answer(prompt: Prompt) -> AsyncGenerator[Mapping[str, Any], None]:
        body = {"model": name, "messages": list(prompt.messages), "stream": True}
        try:
            response = await session.post(url, json=body, headers=headers, allow_redirects=False)
        except (aiohttp.ClientError, OSError) as exc:  # TimeoutError is an OSError
            raise UpstreamError("the model cannot be reached") from exc
        hear_of_loss(response)
        try:
            _check(response)
            async with aclosing(_chunks(response)) as chunks:
                async for chunk in chunks:
                    yield chunk
        finally:
            response.close()  # at once: whoever left should not go on paying for tokens

    return answer


def upstream_session() -> aiohttp.ClientSession:
    """Return a session for `upstream_model`; whoever asks for it closes it."""
    return aiohttp.ClientSession(
        connector=Connector(),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(
            total=None, sock_connect=CONNECT_TIMEOUT_S, sock_read=SILENCE_TIMEOUT_S
        ),
    )


def _check(response: aiohttp.ClientResponse) -> None:
    # Its body is not shown: it may quote the key or the prompt.
    if response.status != 200:
        raise UpstreamError(f"the model's server answered with status {response.status}")
    if response.content_type != "text/event-stream":
        raise UpstreamError(f"the model's server sent {response.content_type}, not a stream")


async def _chunks(response: aiohttp.ClientResponse) -> AsyncGenerator[Mapping[str, Any], None]:
    async with aclosing(_events(response)) as events:
        async for event in events:
            if event.data and is_done(event.data):
                return
            if (chunk := _chunk(event)) is not None:
                yield chunk


async def _events(response: aiohttp.ClientResponse) -> AsyncGenerator[SSEEvent, None]:
    decoder = SSEDecoder()
    while data := await next_bytes(response):
        for event in decoder.feed(data):
            yield event
    for event in decoder.close():  # a last one that lacks only its blank line
        yield event


def _chunk(event: SSEEvent) -> Mapping[str, Any] | None:
    """Return the event's chunk, None for comments and whatever else has no choices."""
    if not event.data:
        return None
    try:
        chunk = read_frame(event.data)
    except DecodeError as exc:
        raise UpstreamError("the model's server sent what is not JSON") from exc
    if is_error(chunk):
        raise UpstreamError("the model's server reported an error")
    return chunk if isinstance(chunk.get("choices"), list) else None
