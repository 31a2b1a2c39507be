"""The interface of scorers: how each is called, and the answers it may give."""

from __future__ import annotations

import asyncio
import hashlib
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import iscoroutinefunction
from threading import Lock
from typing import Any, get_args

from streamguard.core.context import Context
from streamguard.core.machine.ledger import check_name
from streamguard.core.model.types import Quotation, Score, Word
from streamguard.core.sentence import Scope, Sentence
from streamguard.errors import ConfigError, DecodeError
from streamguard.verify.threads import Threads

BATCH = 8  # sentences a call; guess, what an int8 cross-encoder reads in 0.1 s on two cores
TIMEOUT_S = 30.0  # of a call, its waiting for a thread included; guess
MAX_CACHED = 10_000  # verdicts of one verifier; guess, some 5 MB
MAX_MESSAGE_CHARS = 500  # of a verdict's message; a longer one is cut
# The lowest value of each figure of a verdict; the highest is 1.
_RANGES = (("support", 0.0), ("contradiction", 0.0), ("similarity", -1.0), ("confidence", 0.0))


@dataclass(frozen=True, slots=True)
class VerifierAnswer:
    """A verifier's verdicts with their cost; it may also return the verdicts alone.

    `cost` is summed over an answer, as `{"input_tokens": 812}`. `errors` describe failed verdicts
    without secrets; the result lists them.
    """

    verdicts: Sequence[Score]
    cost: Mapping[str, float] = field(default_factory=dict)
    errors: Sequence[str] = ()


Said = VerifierAnswer  # the name that verifiers import

Answered = Sequence[Score] | VerifierAnswer
Ask = Callable[[Sequence[Sentence], Scope], Answered | Awaitable[Answered]]
Select = Callable[[Sentence, Scope], bool]


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `amount` for one answer, at `per_sentence` per sentence, in any unit.

    The cost of a sentence (milliseconds, money) is stated, not measured, so that the same sentences
    are read however the answer came. The worst-looking claims go first.
    """

    amount: float
    per_sentence: float
    unit: str = "ms"

    def __post_init__(self) -> None:
        for name, value in (("amount", self.amount), ("per_sentence", self.per_sentence)):
            if not 0.0 < value < math.inf:
                raise ConfigError(f"{name} is {value:g}, expected a number above 0")

    @property
    def sentences(self) -> int:
        """The number of sentences of an answer that may be read."""
        return int(round(self.amount / self.per_sentence, 9))

    def __str__(self) -> str:
        return f"{self.amount:g} {self.unit}, {self.per_sentence:g} a sentence"


@dataclass(frozen=True, slots=True)
class Batches:
    """A plan of few calls per answer: at most `most`, the first soon, the last at the end.

    The first call starts once `first` claims wait, or some wait and none has come for `pause_s`
    seconds; after a pause the next one starts at `first` claims too. Later calls start at `further`
    claims. The claims waiting at the end are spread over the remaining calls if that shortens the
    wait.
    """

    most: int
    first: int = 4
    further: int = 12
    pause_s: float = 1.0

    def due(self, waiting: int, made: int, read: int, *, ended: bool, paused: bool) -> list[int]:
        """Return the number of claims in each call to start now.

        `made`: calls so far. `read`: their claims.
        """
        left = self.most - made
        if not ended:
            enough = self.first if read < self.first else self.further
            is_due = waiting >= enough or (paused and waiting > 0 and made == 0)
            return [waiting] if left > 1 and is_due else []
        calls = max(0, min(left, -(-waiting // _LONG)))
        return [(waiting + number) // calls for number in range(calls)]


_LONG = 6  # claims of one call at the end, if more are left; guess: 5 s of a model


class Scorer:
    """A scorer of claims and its settings; one serves any number of streams.

    `ask` is a callable from sentences of one answer and their scope to one `Score` each, in order;
    `VerifierAnswer` adds the cost. A plain function runs in one of `threads` worker threads, an
    asynchronous one as a task of the stream's event loop. Its verdict on a sentence must not depend
    on the others in the call; `sentence.scope.earlier` holds the sentences before it. `name`
    appears in results, policies and logs. It gets the claims for which `select` returns True, in
    batches of up to `batch`, with up to `parallel` calls per answer at a time; `batches` plans them
    otherwise. A call that takes over `timeout_s` seconds is abandoned. At most `cache` verdicts are
    cached, by the sentence, the one before it and the context. An annotation waits longer for a
    scorer that `is_judge` (`Policy.max_tail_wait_s`). `notice` tells an operator at the start where
    texts are sent. Raises `ConfigError` for an invalid setting.
    """

    def __init__(
        self,
        ask: Ask,
        *,
        name: str | None = None,
        select: Select | None = None,
        budget: Budget | None = None,
        batch: int = BATCH,
        parallel: int = 1,
        threads: int = 2,
        timeout_s: float = TIMEOUT_S,
        cache: int = MAX_CACHED,
        batches: Batches | None = None,
        is_judge: bool = False,
        notice: str | None = None,
    ) -> None:
        if not callable(ask):
            raise ConfigError(f"a verifier is a {type(ask).__name__}, expected a callable")
        for setting, value in (("batch", batch), ("parallel", parallel), ("threads", threads)):
            if value < 1:
                raise ConfigError(f"{setting} is {value}, expected a whole number of at least 1")
        if not 0.0 < timeout_s < math.inf:
            raise ConfigError(f"timeout_s is {timeout_s:g}, expected a number of seconds above 0")
        self.name = check_name(ask) if name is None else name
        self.ask = ask
        self.select = select
        self.budget = budget
        self.batch = batch
        self.parallel = parallel
        self.timeout_s = timeout_s
        self.batches = batches
        self.is_judge = is_judge
        self.notice = notice
        self.threads = Threads(self.name, threads)
        self.cached = Cache(cache)
        self.is_async = _is_async(ask)
        self.tasks: set[asyncio.Future[Any]] = set()  # asynchronous calls that have not come back


Verifier = Scorer  # its name in earlier versions


class Cache:
    """The last `size` verdicts by key; the least recently used goes first. Thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = Lock()
        self._kept: OrderedDict[bytes, Score] = OrderedDict()

    def get(self, key: bytes) -> Score | None:
        """Return the cached verdict, None without one."""
        with self._lock:
            verdict = self._kept.get(key)
            if verdict is not None:
                self._kept.move_to_end(key)
        return verdict

    def keep(self, key: bytes, verdict: Score) -> None:
        """Cache a verdict."""
        with self._lock:
            self._kept[key] = verdict
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)


def verifiers_of(verifiers: Sequence[Verifier | Ask]) -> tuple[Verifier, ...]:
    """Return the verifiers; plain callables become verifiers.

    Raises `ConfigError` for anything else, and for two with the same name.
    """
    if isinstance(verifiers, Verifier) or callable(verifiers):
        raise ConfigError("verifiers is one verifier, expected a sequence of them")
    found = tuple(one if isinstance(one, Verifier) else Verifier(one) for one in verifiers)
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"two verifiers are called {name!r}, expected a name for each")
    return found


def checked(answer: object, count: int) -> VerifierAnswer:
    """Return a verifier's answer; raises `DecodeError` unless it has `count` verdicts."""
    answered = answer if isinstance(answer, VerifierAnswer) else None
    verdicts = answered.verdicts if answered is not None else answer
    if isinstance(verdicts, str) or not isinstance(verdicts, Sequence):
        raise DecodeError(f"gave a {type(verdicts).__name__}, expected a sequence of Score")
    if len(verdicts) != count:
        raise DecodeError(f"gave {len(verdicts)} verdicts for {count} sentences")
    for verdict in verdicts:
        _check(verdict)
    cost = answered.cost if answered is not None else {}
    for name, value in cost.items():
        if not isinstance(name, str) or not _within(value, 0.0, math.inf):
            raise DecodeError(f"gave the cost {_described(value)}, expected numbers from 0 by name")
    errors = answered.errors if answered is not None else ()
    return VerifierAnswer([_short(verdict) for verdict in verdicts], cost, errors)


def fingerprint(context: Context) -> bytes:
    """Return a digest of the words of a context's question and chunks."""
    digest = hashlib.blake2b(digest_size=16)
    texts = context.evidence.texts if context.evidence is not None else ()
    for text in (context.query or "", *texts):
        data = text.encode("utf-8", "replace")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def key_of(sentence: Sentence, context: bytes) -> bytes:
    """Return the cache key of a verdict on a sentence; `context` is the fingerprint."""
    earlier = sentence.scope.earlier
    before = earlier[-1].text if earlier else ""
    digest = hashlib.blake2b(context, digest_size=16)
    for text in (before, sentence.text):
        data = text.encode("utf-8", "replace")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def _is_async(ask: Ask) -> bool:
    return iscoroutinefunction(ask) or iscoroutinefunction(getattr(ask, "__call__", None))  # noqa: B004


def _check(verdict: object) -> None:
    if not isinstance(verdict, Score):
        kind = type(verdict).__name__
        raise DecodeError(f"gave a {kind} among its verdicts, expected a Score")
    for name, low in _RANGES:
        value = getattr(verdict, name)
        if value is not None and not _within(value, low, 1.0):
            raise DecodeError(f"gave {name} {_described(value)}, expected {low:g} to 1 or None")
    message: object = verdict.message
    if message is not None and not isinstance(message, str):
        kind = type(message).__name__
        raise DecodeError(f"gave a message of {kind}, expected str or None")
    word: object = verdict.word
    if word is not None and word not in get_args(Word):
        raise DecodeError(
            f"gave a {type(word).__name__} as its word, expected one of {', '.join(get_args(Word))}"
        )
    quotations: object = verdict.quotations
    if not isinstance(quotations, tuple) or not all(map(_is_quotation, quotations)):
        raise DecodeError("gave quotations of another type, expected a tuple of Quotation")
    if not isinstance(verdict.calibrated, bool):
        raise DecodeError("gave calibrated that is neither True nor False")
    if not _is_place(verdict.doubted):
        raise DecodeError("gave doubted words without a place, expected start and end")


def _is_place(place: object) -> bool:
    if place is None:
        return True
    if not isinstance(place, tuple) or len(place) != 2 or {*map(type, place)} != {int}:
        return False
    return bool(0 <= place[0] < place[1])


def _is_quotation(one: object) -> bool:
    if not isinstance(one, Quotation):
        return False
    fields: tuple[object, ...] = one.chunk_id, one.start, one.end
    return all(map(isinstance, fields, (str, int, int)))


def _described(value: object) -> str:
    """Return a number unchanged; for anything else only its type, as its value may be secret."""
    return repr(value) if isinstance(value, int | float) else f"of {type(value).__name__}"


def _within(value: object, low: float, high: float) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and low - 1e-6 <= value <= high + 1e-6  # type: ignore[operator]


def _short(verdict: Score) -> Score:
    message = verdict.message
    if message is not None:
        message = message.encode("utf-8", "replace").decode()[:MAX_MESSAGE_CHARS]
    return Score(
        _inside(verdict.support, 0.0),
        _inside(verdict.contradiction, 0.0),
        message,
        _inside(verdict.similarity, -1.0),
        verdict.word,
        _inside(verdict.confidence, 0.0),
        verdict.quotations,
        verdict.doubted,
        calibrated=verdict.calibrated,
    )


def _inside(value: float | None, low: float) -> float | None:
    return None if value is None else round(max(low, min(1.0, float(value))), 6)
