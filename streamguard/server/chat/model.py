"""The models that answer: any OpenAI-compatible server, or the extractive answerer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from time import monotonic
from typing import Any

import aiohttp
from yarl import URL

from streamguard.core.model.types import Retrieval
from streamguard.errors import DecodeError, UpstreamError
from streamguard.rag.prompts import Prompt
from streamguard.server.chat.answerer import extract_answer
from streamguard.server.chat.recorded import cut
from streamguard.server.http.bodies import next_bytes, report_loss
from streamguard.server.http.connections import Connector
from streamguard.server.http.portions import portion
from streamguard.text.masking import masked
from streamguard.verify.judge_client import read_up_to
from streamguard.wire.bounds import FrameLimitError
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, SSEDecoder, SSEEvent
from streamguard.wire.protocols.choice_streams import MAX_CHOICES
from streamguard.wire.protocols.openai_chat import (
    finished,
    is_done,
    is_error,
    read_frame,
    text_of,
)

# From a prompt to pieces of the answer: strings, or Chat Completions chunks.
Model = Callable[[Prompt], AsyncGenerator[Any, None]]

CONNECT_TIMEOUT_S = 10.0  # guess
TURN_S = 0.001  # of the loop, for one answer; as in `examiner`
SILENCE_TIMEOUT_S = 120.0  # between two reads; guess, long prompts take their time

_MAX_ERROR_BYTES = 16_384  # read of an error's body; guess
_MAX_MESSAGE_CHARS = 300  # shown of its message; guess
_ADVICE = {
    401: "Set STREAMGUARD_UPSTREAM_KEY to a key of that server, and start again.",
    403: "The server's key may not use the model {name}.",
    404: "Look at --upstream, which ends before /chat/completions, and at --model, now {name}.",
    429: "Wait a little and try again, or look at the account's limits.",
}
_NAMELESS = frozenset({400, 404, 422})  # statuses of servers that require a model's name
_TOO_LONG = "the model's server sent an event that is too long to be read"
_LATER = "Ask again later, or look into its log."


async def pieces(text: str, tokens_per_s: float = 0.0) -> AsyncGenerator[str, None]:
    """Yield `text` in token-sized pieces at that rate; 0 means at full speed."""
    for piece in cut(text, "token", 0):
        if tokens_per_s:
            await asyncio.sleep(1 / tokens_per_s)
        yield piece


def extractive_model(tokens_per_s: float = 0.0) -> Model:
    """Return the answerer without a model, which quotes the prompt's passages."""

    async def answer(prompt: Prompt) -> AsyncGenerator[str, None]:
        retrieval = prompt.context.retrieval or Retrieval()
        # A few ms of reading words: away from the loop that relays everybody's tokens.
        text = await asyncio.to_thread(extract_answer, prompt.context.query or "", retrieval)
        async with aclosing(pieces(text, tokens_per_s)) as cut_up:
            async for piece in cut_up:
                yield piece

    return answer


def upstream_model(
    session: aiohttp.ClientSession, upstream: URL, name: str | None, key: str | None
) -> Model:
    """Return the model of an OpenAI-compatible server; `upstream` ends before `/chat`.

    Without a `name` requests name no model, which single-model servers accept. It yields the
    server's chunks as parsed JSON, and raises `UpstreamError` if the server does not answer,
    answers with an error, or breaks off. Closing it closes the connection.
    """
    url = upstream / "chat" / "completions"
    headers = {"Accept": "text/event-stream"}
    if key:
        headers["Authorization"] = f"Bearer {key}"

    async def answer(prompt: Prompt) -> AsyncGenerator[Mapping[str, Any], None]:
        body = {"messages": list(prompt.messages), "stream": True}
        if name is not None:
            body["model"] = name
        try:
            response = await session.post(url, json=body, headers=headers, allow_redirects=False)
        except (aiohttp.ClientError, OSError) as exc:  # TimeoutError is an OSError
            raise UpstreamError(
                "the model cannot be reached; see whether its server runs and --upstream is right"
            ) from exc
        report_loss(response)
        try:
            await _check(response, name, key)
            async with aclosing(_chunks(response)) as chunks:
                async for chunk in chunks:
                    yield chunk
        finally:
            response.close()  # at once: a client that left should not pay for more tokens

    return answer


def upstream_session() -> aiohttp.ClientSession:
    """Return a session for `upstream_model`; the caller closes it."""
    return aiohttp.ClientSession(
        connector=Connector(),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(
            total=None, sock_connect=CONNECT_TIMEOUT_S, sock_read=SILENCE_TIMEOUT_S
        ),
    )


async def _check(response: aiohttp.ClientResponse, name: str | None, key: str | None) -> None:
    if response.status != 200:
        raise UpstreamError(await _refusal(response, name, key))
    if response.content_type != "text/event-stream":
        raise UpstreamError(f"the model's server sent {response.content_type}, not a stream")


async def _refusal(response: aiohttp.ClientResponse, name: str | None, key: str | None) -> str:
    """Return a readable message for an error status: the server's own, masked, and a remedy."""
    message = _error_message(await _start_of(response), key)
    words = f"the model's server answered {response.status}" + (f": “{message}”" if message else "")
    advice = _ADVICE.get(response.status, _LATER if response.status >= 500 else "")
    if name is None and response.status in _NAMELESS:
        advice = "Name the model with --model: this server may want one."
    return f"{words.removesuffix('.')}. {advice.format(name=name)}" if advice else words


async def _start_of(response: aiohttp.ClientResponse) -> bytes:
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            return await read_up_to(response.content, _MAX_ERROR_BYTES)
    except (aiohttp.ClientError, OSError):  # TimeoutError is an OSError
        return b""


def _error_message(body: bytes, key: str | None) -> str:
    """Return the message in an error's body without keys, empty if it has none."""
    try:
        found = json.loads(body)
    except ValueError:
        return ""
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    if not isinstance(found, str):
        return ""
    shown = " ".join(masked(found, key).split())
    return shown if len(shown) <= _MAX_MESSAGE_CHARS else f"{shown[:_MAX_MESSAGE_CHARS].rstrip()}…"


async def _chunks(response: aiohttp.ClientResponse) -> AsyncGenerator[Mapping[str, Any], None]:
    spoke: set[int] = set()  # choices that spoke and have not ended
    begun = False
    async with aclosing(_events(response)) as events:
        async for event in events:
            if event.data and is_done(event.data) and begun:
                # The end sign came without finish reasons; SDKs take such choices as complete.
                if spoke:
                    yield _made([_choice(index, {}, "stop") for index in sorted(spoke)])
                return
            if event.data and is_done(event.data):
                break
            if (chunk := _chunk(event)) is not None:
                begun = True
                spoke |= text_of(chunk).keys()
                spoke -= finished(chunk)
                yield chunk
    if not begun:
        raise UpstreamError("the model's server sent no answer; ask again")


async def _events(response: aiohttp.ClientResponse) -> AsyncGenerator[SSEEvent, None]:
    decoder, began = SSEDecoder(), monotonic()
    try:
        while data := await next_bytes(response):
            while data:  # a portion is a turn's work: a piece may hold very many events
                piece, data = data[: portion(data)], data[portion(data) :]
                for event in decoder.feed(piece):
                    if event.data or event.truncated:
                        yield event
                if monotonic() - began > TURN_S:
                    await asyncio.sleep(0)  # bytes that are there already are read without waiting
                    began = monotonic()
    except UpstreamError as exc:
        words = str(exc).replace("the upstream", "the model's server")
        raise type(exc)(f"{words} before the answer's end; ask again") from exc
    for event in decoder.close():  # a last one that lacks only its blank line
        yield event


def _chunk(event: SSEEvent) -> Mapping[str, Any] | None:
    """Return the event's chunk, None for comments and data without choices."""
    # An event without data: broken off at the stream's end, or longer than the cap.
    if event.part:  # only its last part shows whether it can be read
        return None
    if event.truncated and (len(event.raw) >= MAX_EVENT_BYTES or event.raw.endswith(b"\n")):
        raise UpstreamError(_TOO_LONG)
    if not event.data:
        return None
    try:
        chunk = read_frame(event.data)
    except FrameLimitError as exc:
        raise UpstreamError(_TOO_LONG) from exc
    except DecodeError as exc:
        raise UpstreamError("the model's server sent what is not JSON") from exc
    if is_error(chunk):
        raise UpstreamError("the model's server reported an error")
    choices = chunk.get("choices")
    if not isinstance(choices, list):
        return None
    if len(choices) > MAX_CHOICES:
        raise UpstreamError(_TOO_LONG)
    made = []
    for number, choice in enumerate(choices):
        fields = choice if isinstance(choice, dict) else {}
        delta = fields.get("delta") or fields.get("message")
        if not isinstance(delta, dict):
            delta = {"content": fields["text"]} if isinstance(fields.get("text"), str) else {}
        index = fields.get("index")
        number = index if isinstance(index, int) else number
        made.append(_choice(number, delta, fields.get("finish_reason")))
    return _made(made)


def _choice(index: int, delta: Mapping[str, Any], finish: Any) -> dict[str, Any]:
    return {"index": index, "delta": delta, "finish_reason": finish}


def _made(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": choices}
