"""A judge: a language model that reads claims, with its settings and limits."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from functools import lru_cache
from time import monotonic

from streamguard.core.sentence import Scope
from streamguard.errors import ConfigError
from streamguard.verify.judge_client import JudgeClient, Post, posting
from streamguard.verify.judge_limits import Breaker, Clock, RequestLimits
from streamguard.verify.judge_prompt import VERSION
from streamguard.verify.judge_server import server_of
from streamguard.verify.verifier import Batches, Budget, Verifier

TIMEOUT_S = 30.0  # of a request with its retries; guess
MAX_REQUESTS = 3  # of one answer
CONCURRENCY = 16  # requests at a time, over all answers; guess, below what servers refuse
FIRST, SECOND = 4, 12  # claims that wait for the first request, and for a further one
MAX_SENTENCES = 60  # of a request; guess, what a model's answer has room for
_FORMS = "MODEL@URL, as in gpt-4o-mini@https://api.openai.com/v1, or a Judge"


@dataclass(frozen=True, slots=True)
class Judge:
    """A language model that reads an answer's claims beside the stream.

    Passages, question, answer and `key` are sent to `url` and nowhere else. `url` names an
    OpenAI-compatible server, as https://HOST/v1, or Azure, Anthropic's Messages or Ollama
    (docs/verifiers.md). An answer takes at most `max_requests` of at most `timeout_s` seconds each,
    retries included; with 1 the only request is sent at the answer's end. Over all answers at most
    `concurrency` requests are open, with at most `requests_per_minute` and `tokens_per_minute`;
    further ones wait, within their `timeout_s`. `share` in (0, 1] is the share of questions that
    are judged, always the same ones. `budget` limits the cost of one answer. Raises `ConfigError`
    for a wrong setting.
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
        """The notice to an operator at the start: the address that texts are sent to."""
        return f"passages and answers are sent to {self.url}, whose model {self.model} judges them"


def as_judge(judge: Judge | str) -> Judge:
    """Return `judge`, or the one that `MODEL@URL` names; raises `ConfigError` otherwise."""
    if isinstance(judge, Judge):
        return judge
    if not isinstance(judge, str):
        raise ConfigError(f"judge is a {type(judge).__name__}, expected {_FORMS}")
    model, at, rest = judge.rpartition("@http")
    check_has_scheme(judge)
    if not at or not model:
        raise ConfigError(
            f"judge is {judge!r}, expected {_FORMS}; a model's name alone is enough only on the"
            " command line, where OPENAI_BASE_URL and OPENAI_API_KEY are read"
        )
    return Judge(f"http{rest}", model)


def check_has_scheme(spec: str) -> None:
    """Raise `ConfigError` for an address without http://, as in "m@localhost:8000"."""
    model, at, address = spec.rpartition("@")
    if at and model and address and "://" not in spec:
        raise ConfigError(
            f"judge is {spec!r}, whose address lacks http:// or https://, as in"
            f" {model}@http://{address}"
        )


@lru_cache(maxsize=64)
def judge_reader(judge: Judge) -> Verifier:
    """Return the judge as a verifier, the same one for equal judges.

    So all streams that name it share its limits, its cached verdicts and what it learned of its
    server.
    """
    server = server_of(judge.url, judge.model, judge.key)
    breaker = Breaker(f"judge {judge.model}", monotonic)
    pace = RequestLimits(
        judge.concurrency, judge.requests_per_minute, judge.tokens_per_minute, monotonic
    )
    post = posting(server, judge.timeout_s)
    client = JudgeClient(judge.model, judge.timeout_s, post, server, breaker, pace, monotonic)
    return _reader(judge, client, judge.model)


def judge_verifier(
    url: str,
    model: str,
    *,
    key: str | None = None,
    share: float = 1.0,
    budget: Budget | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Verifier:
    """Return a judge as a verifier; `Judge` documents the arguments."""
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
    pace: RequestLimits | None = None,
    clock: Clock = monotonic,
) -> Verifier:
    """Return a judge whose requests `post` sends, in the form of Chat Completions.

    `name` replaces the model in the verifier's name; a shared `pace` shares its limits. `Judge`
    documents the other arguments.
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
    breaker = Breaker(f"judge {named}", clock)
    pace = pace or RequestLimits(judge.concurrency, None, None, clock)
    client = JudgeClient(model, timeout_s, post, None, breaker, pace, clock)
    return _reader(judge, client, named)


def _reader(judge: Judge, client: JudgeClient, name: str) -> Verifier:
    share = judge.share
    return Verifier(
        client,
        name=f"judge {name} v{VERSION}",
        select=None if share == 1.0 else lambda _, scope: _is_in(share, scope),
        budget=judge.budget,
        batch=MAX_SENTENCES,
        parallel=judge.max_requests,
        timeout_s=judge.timeout_s,
        batches=Batches(judge.max_requests, FIRST, SECOND),
        is_judge=True,
        notice=judge.notice if client.server is not None else None,
    )


def _is_in(share: float, scope: Scope) -> bool:
    """Return whether this question belongs to the judged share; the same every time."""
    basis = scope.context.query or "".join(scope.evidence.texts[:1] if scope.evidence else ())
    digest = hashlib.blake2b(basis.encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "big") < share * 2**32
