"""A language model that reads claims: any server that speaks Chat Completions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from streamguard.core.sentence import Scope, Sentence
from streamguard.errors import ConfigError, DecodeError, UpstreamError
from streamguard.rag.extras import library
from streamguard.verify.judge_answer import verdicts_in
from streamguard.verify.judge_prompt import VERSION, request_for
from streamguard.verify.verifier import Budget, Said, Verifier

# A body to the server; the status and the body that came back. Raises `OSError` for no answer.
Post = Callable[[Mapping[str, Any]], Awaitable[tuple[int, bytes]]]

BATCH = 16  # sentences a request; guess
PARALLEL = 4  # requests of one answer at a time; guess
TIMEOUT_S = 30.0  # of a request with its retries; guess
ATTEMPTS = 3
MAX_ANSWER_BYTES = 1_048_576  # of the judge's; guess, far above what it is asked for
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


def judge_verifier(
    url: str,
    model: str,
    *,
    key: str | None = None,
    share: float = 1.0,
    budget: Budget | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Verifier:
    """Return the model behind an OpenAI-compatible server as a verifier; `url` as in HOST/v1.

    `share` in (0, 1] of the questions are judged, always the same. The key goes to the server
    alone. Raises `ConfigError` for a wrong address, or where the extra `judge` is missing.
    """
    if not url.startswith(("http://", "https://")):
        raise ConfigError(f"the judge's address is {url!r}, expected http:// or https://")
    address = url.rstrip("/") + "/chat/completions"
    headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def post(body: Mapping[str, Any]) -> tuple[int, bytes]:
        import aiohttp

        try:
            async with (
                aiohttp.ClientSession(headers=headers) as session,
                session.post(address, json=body, allow_redirects=False) as response,
            ):
                return response.status, await read_whole(response.content, MAX_ANSWER_BYTES)
        except aiohttp.ClientError as exc:
            raise ConnectionError from exc

    return judge_by(post, model, share=share, budget=budget, timeout_s=timeout_s)


async def read_whole(content: Any, most: int) -> bytes:
    """Return a body of aiohttp's to its end, or its first `most` bytes; a read gives what came."""
    body = b""
    while len(body) < most and (piece := await content.read(most - len(body))):
        body += piece
    return body


def judge_by(
    post: Post,
    model: str,
    *,
    share: float = 1.0,
    budget: Budget | None = None,
    timeout_s: float = TIMEOUT_S,
    name: str | None = None,
) -> Verifier:
    """Return a verifier that asks by `post`; `judge_verifier` says the rest."""
    if not 0.0 < share <= 1.0:
        raise ConfigError(f"share is {share:g}, expected more than 0 and at most 1")
    return Verifier(
        _Judge(post, model),
        name=f"judge {name or model} v{VERSION}",
        select=None if share == 1.0 else lambda _, scope: _is_in(share, scope),
        budget=budget,
        batch=BATCH,
        parallel=PARALLEL,
        timeout_s=timeout_s,
    )


class _AgainError(UpstreamError):
    """The server may answer if it is asked again."""


class _Judge:
    def __init__(self, post: Post, model: str) -> None:
        self._post = post
        self._model = model
        self._takes_schema = True  # until the server says that it does not know of them
        self._tenacity = library("tenacity", "judge")

    async def __call__(self, sentences: Sequence[Sentence], scope: Scope) -> Said:
        said = await self._asked(request_for(self._model, sentences, scope))
        content, usage = _content(said)
        return Said(verdicts_in(content, sentences, scope), {**_cost(usage), "requests": 1})

    async def _asked(self, body: dict[str, Any]) -> bytes:
        """Return the server's answer; asks again where that may help."""
        tenacity = self._tenacity
        attempts = tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(ATTEMPTS),
            wait=tenacity.wait_random_exponential(multiplier=0.1, max=2),
            retry=tenacity.retry_if_exception_type(_AgainError),
            reraise=True,
        )
        try:
            async for attempt in attempts:
                with attempt:
                    status, said = await self._sent(body)
                    if status in _AGAIN:
                        raise _AgainError(f"the judge's server answered with status {status}")
        except _AgainError as exc:
            raise UpstreamError(str(exc)) from exc
        if status != 200:
            raise UpstreamError(f"the judge's server answered with status {status}")
        return bytes(said)

    async def _sent(self, body: dict[str, Any]) -> tuple[int, bytes]:
        plain = {name: body[name] for name in body if name != "response_format"}
        if not self._takes_schema:
            return await self._posted(plain)
        status, said = await self._posted(body)
        if status in (400, 422):
            status, said = await self._posted(plain)
            if status == 200:  # else it was not for the schema
                self._takes_schema = False
        return status, said

    async def _posted(self, body: dict[str, Any]) -> tuple[int, bytes]:
        try:
            return await self._post(body)
        except OSError as exc:
            raise _AgainError("the judge's server cannot be reached") from exc


def _content(said: bytes) -> tuple[str, Mapping[str, Any]]:
    """Return the text and the usage of a Chat Completions response."""
    try:
        whole = json.loads(said)
        content = whole["choices"][0]["message"]["content"]
        usage = whole.get("usage")
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as exc:
        raise DecodeError("the judge's server sent no Chat Completions response") from exc
    if not isinstance(content, str):
        raise DecodeError("the judge's server sent an answer without text")
    return content, usage if isinstance(usage, Mapping) else {}


def _cost(usage: Mapping[str, Any]) -> dict[str, float]:
    named = {
        "input_tokens": usage.get("prompt_tokens"),
        "output_tokens": usage.get("completion_tokens"),
    }
    return {
        name: float(value)
        for name, value in named.items()
        if isinstance(value, int | float) and 0 <= value < 1e9
    }


def _is_in(share: float, scope: Scope) -> bool:
    """Say whether this question is one of the share that is judged; the same every time."""
    asked = scope.context.query or "".join(scope.evidence.texts[:1] if scope.evidence else ())
    digest = hashlib.blake2b(asked.encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "big") < share * 2**32
