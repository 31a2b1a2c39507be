"""A language model that reads claims: which one, how often it may be asked, and asking it."""

from __future__ import annotations

import asyncio
import hashlib
import math
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from time import monotonic
from typing import Any

from streamguard.core.sentence import Scope, Sentence
from streamguard.errors import ConfigError, DecodeError, UpstreamError
from streamguard.verify.judge_answer import Reading, read_answer
from streamguard.verify.judge_limits import Breaker, Clock, Pace
from streamguard.verify.judge_prompt import VERSION, request_for
from streamguard.verify.judge_server import Known, Server, reply_in, server_of
from streamguard.verify.verifier import Batches, Budget, Said, Verifier

# A body to the server; the status and the body that came back. Raises `OSError` for no answer.
Post = Callable[[Mapping[str, Any]], Awaitable[tuple[int, bytes]]]

TIMEOUT_S = 30.0  # of a request with its retries; guess
MAX_REQUESTS = 3  # of one answer
CONCURRENCY = 16  # requests at a time, over all answers; guess, below what servers refuse
ATTEMPTS = 3
FIRST, SECOND = 4, 12  # claims that wait for the first request, and for a further one
MAX_SENTENCES = 60  # of a request; guess, what a model's answer has room for
MAX_ANSWER_BYTES = 1_048_576  # of the judge's; guess, far above what it is asked for
READ_HERE_CHARS = 12_000  # of a request whose answer is read in the event loop; guess, 5 ms
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_DENIED = (401, 403, 404)
_REFUSED = (400, 415, 422)  # what a server says to what it does not know
_FORMS = "MODEL@URL, as in gpt-4o-mini@https://api.openai.com/v1, or a Judge"


@dataclass(frozen=True, slots=True)
class Judge:
    """A language model that reads an answer's claims beside the stream.

    Passages, question and answer are sent to `url`, and `key` with them, to nobody else. `url` is
    that of an OpenAI-compatible server, as https://HOST/v1, of Azure, of Anthropic's Messages or of
    Ollama (docs/verifiers/judge.md). An answer takes at most `max_requests` of at most `timeout_s`
    seconds each, retries included; with 1 the only one waits for the answer's end. Over all answers
    at most `concurrency` requests are open, and any minute has at most `requests_per_minute` and
    `tokens_per_minute`; whatever exceeds them waits, within its `timeout_s`. `share` in (0, 1] of
    the questions are judged, always the same. `budget` bounds what one answer takes. Raises
    `ConfigError` for a setting that is none.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout_s: float = TIMEOUT_S
    max_requests: int = MAX_REQUESTS
    concurrency: int = CONCURRENCY
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    share: float = 1.0
    budget: Budget | None = None

    def __post_init__(self) -> None:
        server_of(self.url, self.model, None)
        if not isinstance(self.model, str) or not self.model.strip():
            raise ConfigError(f"the judge's model is {self.model!r}, expected a model's name")
        if not 0.0 < self.share <= 1.0:
            raise ConfigError(f"share is {self.share:g}, expected more than 0 and at most 1")
        if not 0.0 < self.timeout_s < math.inf:
            raise ConfigError(
                f"timeout_s is {self.timeout_s:g}, expected a number of seconds above 0"
            )
        for name in ("max_requests", "concurrency", "requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise ConfigError(f"{name} is {value!r}, expected a whole number of at least 1")

    @property
    def notice(self) -> str:
        """What an operator is told at the start: where the words go."""
        return f"passages and answers are sent to {self.url}, whose model {self.model} judges them"


def as_judge(given: Judge | str) -> Judge:
    """Return the judge that `MODEL@URL` names, or `given` itself; `ConfigError` for another."""
    if isinstance(given, Judge):
        return given
    if not isinstance(given, str):
        raise ConfigError(f"judge is a {type(given).__name__}, expected {_FORMS}")
    model, at, rest = given.rpartition("@http")
    if not at or not model:
        raise ConfigError(
            f"judge is {given!r}, expected {_FORMS}; a model's name alone says whom to ask only on"
            " the command line, where OPENAI_BASE_URL and OPENAI_API_KEY are read"
        )
    return Judge(f"http{rest}", model)


@lru_cache(maxsize=64)
def judge_reader(judge: Judge) -> Verifier:
    """Return the judge as a verifier, the same one for the same judge.

    So its limits, what it said and what its server takes hold for all streams that name it.
    """
    server = server_of(judge.url, judge.model, judge.key)
    post = _posting(server, judge.timeout_s)
    asking = _Asking(judge, post, server, Breaker(f"judge {judge.model}", monotonic))
    return _reader(judge, asking, judge.model)


def judge_verifier(
    url: str,
    model: str,
    *,
    key: str | None = None,
    share: float = 1.0,
    budget: Budget | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Verifier:
    """Return a judge as a verifier; `Judge` says the rest."""
    return judge_reader(Judge(url, model, key, share=share, budget=budget, timeout_s=timeout_s))


def judge_by(
    post: Post,
    model: str,
    *,
    share: float = 1.0,
    budget: Budget | None = None,
    timeout_s: float = TIMEOUT_S,
    name: str | None = None,
    max_requests: int = MAX_REQUESTS,
    pace: Pace | None = None,
    clock: Clock = monotonic,
) -> Verifier:
    """Return a judge that is asked by `post` in the form of Chat Completions.

    `name` stands for the model's in its name; with `pace` it shares its limits with others.
    `Judge` says the rest.
    """
    judge = Judge(
        "http://localhost",  # nothing is sent there
        model,
        share=share,
        budget=budget,
        timeout_s=timeout_s,
        max_requests=max_requests,
    )
    named = name or model
    asking = _Asking(judge, post, None, Breaker(f"judge {named}", clock), pace, clock)
    return _reader(judge, asking, named)


def _reader(judge: Judge, asking: _Asking, name: str) -> Verifier:
    share = judge.share
    return Verifier(
        asking,
        name=f"judge {name} v{VERSION}",
        select=None if share == 1.0 else lambda _, scope: _is_in(share, scope),
        budget=judge.budget,
        batch=MAX_SENTENCES,
        parallel=judge.max_requests,
        timeout_s=judge.timeout_s,
        batches=Batches(judge.max_requests, FIRST, SECOND),
        is_judge=True,
        notice=judge.notice if asking.server is not None else None,
    )


def _posting(server: Server, timeout_s: float) -> Post:
    async def post(body: Mapping[str, Any]) -> tuple[int, bytes]:
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=timeout_s)
        try:
            async with (
                aiohttp.ClientSession(headers=server.headers, timeout=timeout) as session,
                session.post(server.address, json=body, allow_redirects=False) as response,
            ):
                return response.status, await read_whole(response.content, MAX_ANSWER_BYTES)
        except aiohttp.ClientError as exc:
            raise ConnectionError from exc

    return post


async def read_whole(content: Any, most: int) -> bytes:
    """Return a body of aiohttp's to its end, or its first `most` bytes; a read gives what came."""
    body = b""
    while len(body) < most and (piece := await content.read(most - len(body))):
        body += piece
    return body


class _AgainError(UpstreamError):
    """The server may answer if it is asked again."""


class _Asking:
    """Asks one judge: within its limits, again where that may help, and as its server wants it."""

    def __init__(
        self,
        judge: Judge,
        post: Post,
        server: Server | None,
        breaker: Breaker,
        pace: Pace | None = None,
        clock: Clock = monotonic,
    ) -> None:
        self._judge = judge
        self._post = post
        self.server = server
        self._breaker = breaker
        self._pace = pace or Pace(
            judge.concurrency, judge.requests_per_minute, judge.tokens_per_minute, clock
        )
        self._clock = clock
        self._known = Known()

    async def __call__(self, sentences: Sequence[Sentence], scope: Scope) -> Said:
        self._breaker.check()
        asked = request_for(self._judge.model, sentences, scope)
        reading, cost = await self._read(asked, sentences, scope)
        return Said(reading.verdicts, cost, reading.errors)

    async def _read(
        self, asked: Mapping[str, Any], sentences: Sequence[Sentence], scope: Scope
    ) -> tuple[Reading, dict[str, float]]:
        """Return what is read of the answer, and what it cost.

        Where the model's room ended within its thoughts it is asked again, with room for them.
        """
        cost: dict[str, float] = {"requests": 0.0}
        while True:
            reply = reply_in(await self._asked(asked))
            for name, value in {**reply.cost, "requests": 1.0}.items():
                cost[name] = cost.get(name, 0.0) + value
            read = partial(read_answer, reply.content, sentences, scope, is_cut=reply.is_cut)
            try:
                if _chars(asked) < READ_HERE_CHARS:
                    return read(), cost
                return await asyncio.to_thread(read), cost  # 30 ms at 60,000: others stream
            except DecodeError:
                if not reply.is_cut or self._known.thinks:
                    raise
                self._known = replace(self._known, thinks=True)

    async def _asked(self, asked: Mapping[str, Any]) -> bytes:
        """Return the server's answer; asks again where that may help."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._sent(asked)
            except _AgainError as exc:
                if attempt == ATTEMPTS:
                    raise UpstreamError(str(exc)) from exc
            # Apart from those that failed beside it; guess, 0.1 to 0.8 s.
            await asyncio.sleep(random.uniform(0.1, 0.2 * 2**attempt))  # noqa: S311
        raise AssertionError  # pragma: no cover

    async def _sent(self, asked: Mapping[str, Any]) -> bytes:
        """Return an answer with status 200; what its server refuses is left out."""
        begun = tried = self._known
        known: Known | None = begun
        while known is not None:
            tried = known
            status, said = await self._posted(tried.body(asked))
            if status == 200:
                if tried is not begun:  # what was refused was what is left out now
                    self._known = tried
                return bytes(said)
            known = tried.after_refusal(said) if status in _REFUSED else None
        kind = _AgainError if status in _AGAIN else UpstreamError
        raise kind(f"the judge's server answered with status {status}")

    async def _posted(self, body: dict[str, Any]) -> tuple[int, bytes]:
        sent = body if self.server is None else self.server.body(body)
        async with self._pace.turn(_tokens(body)):
            began = self._clock()
            try:
                status, said = await self._post(sent)
            except OSError as exc:
                self._breaker.failed("it cannot be reached")
                raise _AgainError("the judge's server cannot be reached") from exc
            except asyncio.CancelledError:
                # For its time; else nobody waits any more.
                if self._clock() - began >= self._judge.timeout_s / 2:
                    self._breaker.failed("it does not answer in time")
                raise
        if status in _AGAIN or status in _DENIED:
            self._breaker.failed(f"it answers with status {status}")
        else:
            self._breaker.succeeded()
        return status, said


def _tokens(body: Mapping[str, Any]) -> int:
    """Return about how many tokens a request and its answer take: four characters are one."""
    most: int = body.get("max_tokens", 0) or body.get("max_completion_tokens", 0)
    return _chars(body) // 4 + most


def _chars(body: Mapping[str, Any]) -> int:
    return sum(len(one["content"]) for one in body["messages"])


def _is_in(share: float, scope: Scope) -> bool:
    """Say whether this question is one of the share that is judged; the same every time."""
    asked = scope.context.query or "".join(scope.evidence.texts[:1] if scope.evidence else ())
    digest = hashlib.blake2b(asked.encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "big") < share * 2**32
