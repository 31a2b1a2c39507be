"""Sends requests to a judge's server: within its limits, with retries, in the form it wants."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from streamguard.core.sentence import Scope, Sentence
from streamguard.errors import DecodeError, UpstreamError
from streamguard.verify.judge_answer import JudgeAnswer, read_answer
from streamguard.verify.judge_limits import Breaker, Clock, RequestLimits
from streamguard.verify.judge_prompt import request_for
from streamguard.verify.judge_server import Known, Server, reply_in
from streamguard.verify.verifier import VerifierAnswer

# Sends a body to the server; returns the status and the body of its answer. Raises `OSError`
# without an answer.
Post = Callable[[Mapping[str, Any]], Awaitable[tuple[int, bytes]]]

ATTEMPTS = 3
MAX_ANSWER_BYTES = 1_048_576  # of the judge's; guess, far above the number asked for
READ_HERE_CHARS = 12_000  # of a request whose answer is read in the event loop; guess, 5 ms
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_DENIED = (401, 403, 404)
_REFUSED = (400, 415, 422)  # a server's answers to unknown options


def posting(server: Server, timeout_s: float) -> Post:
    """Return a function that posts to a server over its own connection."""

    async def post(body: Mapping[str, Any]) -> tuple[int, bytes]:
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=timeout_s)
        try:
            async with (
                aiohttp.ClientSession(headers=server.headers, timeout=timeout) as session,
                session.post(server.address, json=body, allow_redirects=False) as response,
            ):
                return response.status, await read_up_to(response.content, MAX_ANSWER_BYTES)
        except aiohttp.ClientError as exc:
            raise ConnectionError from exc

    return post


async def read_up_to(content: Any, most: int) -> bytes:
    """Return a body of aiohttp, up to its first `most` bytes; a single read may return less."""
    body = b""
    while len(body) < most and (piece := await content.read(most - len(body))):
        body += piece
    return body


class _AgainError(UpstreamError):
    """The server may answer on another try."""


class JudgeClient:
    """Sends one judge's requests: within its limits, with retries, in the form its server wants."""

    def __init__(
        self,
        model: str,
        timeout_s: float,
        post: Post,
        server: Server | None,
        breaker: Breaker,
        pace: RequestLimits,
        clock: Clock,
    ) -> None:
        self._model = model
        self._timeout_s = timeout_s
        self._post = post
        self.server = server
        self._breaker = breaker
        self._pace = pace
        self._clock = clock
        self._known = Known()

    async def __call__(self, sentences: Sequence[Sentence], scope: Scope) -> VerifierAnswer:
        """Return the judge's verdict on each sentence, with the cost.

        Raises `UpstreamError` if its server does not answer, `DecodeError` if its answer cannot be
        parsed.
        """
        self._breaker.check()
        request = request_for(self._model, sentences, scope)
        reading, cost = await self._read(request, sentences, scope)
        return VerifierAnswer(reading.verdicts, cost, reading.errors)

    async def _read(
        self, request: Mapping[str, Any], sentences: Sequence[Sentence], scope: Scope
    ) -> tuple[JudgeAnswer, dict[str, float]]:
        """Return the verdicts in the server's answer, and the cost.

        If the model spent its output limit on thoughts, it is asked again with a higher limit.
        """
        cost: dict[str, float] = {"requests": 0.0}
        while True:
            reply = reply_in(await self._send_with_retries(request))
            for name, value in {**reply.cost, "requests": 1.0}.items():
                cost[name] = cost.get(name, 0.0) + value
            read = partial(read_answer, reply.content, sentences, scope, is_cut=reply.is_cut)
            try:
                if _chars(request) < READ_HERE_CHARS:
                    return read(), cost
                return await asyncio.to_thread(read), cost  # 30 ms at 60,000: others stream
            except DecodeError:
                if not reply.is_cut or self._known.thinks:
                    raise
                self._known = replace(self._known, thinks=True)

    async def _send_with_retries(self, request: Mapping[str, Any]) -> bytes:
        """Return the server's answer, with retries where they may help."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._send(request)
            except _AgainError as exc:
                if attempt == ATTEMPTS:
                    raise UpstreamError(str(exc)) from exc
            # At a random time, apart from other failed requests; guess, 0.1 to 0.8 s.
            await asyncio.sleep(random.uniform(0.1, 0.2 * 2**attempt))  # noqa: S311
        raise AssertionError  # pragma: no cover

    async def _send(self, request: Mapping[str, Any]) -> bytes:
        """Return an answer with status 200; options that the server refuses are left out."""
        begun = tried = self._known
        known: Known | None = begun
        while known is not None:
            tried = known
            status, answer = await self._send_once(tried.body(request))
            if status == 200:
                if tried is not begun:  # the refused option is the one left out now
                    self._known = tried
                return bytes(answer)
            known = tried.after_refusal(answer) if status in _REFUSED else None
        kind = _AgainError if status in _AGAIN else UpstreamError
        raise kind(f"the judge's server answered with status {status}")

    async def _send_once(self, body: dict[str, Any]) -> tuple[int, bytes]:
        sent = body if self.server is None else self.server.body(body)
        async with self._pace.turn(_tokens(body)):
            began = self._clock()
            try:
                status, answer = await self._post(sent)
            except OSError as exc:
                self._breaker.failed("it cannot be reached")
                raise _AgainError("the judge's server cannot be reached") from exc
            except asyncio.CancelledError:
                # The time limit cancelled the request; otherwise its caller has left.
                if self._clock() - began >= self._timeout_s / 2:
                    self._breaker.failed("it does not answer in time")
                raise
        if status in _AGAIN or status in _DENIED:
            self._breaker.failed(f"it answers with status {status}")
        else:
            self._breaker.succeeded()
        return status, answer


def _tokens(body: Mapping[str, Any]) -> int:
    """Return about how many tokens a request and its answer have, at four characters a token."""
    most: int = body.get("max_tokens", 0) or body.get("max_completion_tokens", 0)
    return _chars(body) // 4 + most


def _chars(body: Mapping[str, Any]) -> int:
    return sum(len(one["content"]) for one in body["messages"])
