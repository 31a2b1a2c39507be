"""Reads the context of an answer from its request: question, passages, policy."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter, sleep
from typing import Annotated, Any, NamedTuple, TypeVar

from anyio import to_thread
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from streamguard.core.context import Context
from streamguard.core.model.chunks import as_chunks
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError, DecodeError
from streamguard.text.patterns import reading_in_turns
from streamguard.wire.codecs.hidden_key import may_hold
from streamguard.wire.codecs.json_turns import BodyLimitError, outlining, reading
from streamguard.wire.fields import text_at
from streamguard.wire.reader import KEY
from streamguard.wire.requests.shown import ContextFrom, context_of, context_of_request

__all__ = [
    "ContextLimitError",
    "Policies",
    "ProvidedContext",
    "RequestContext",
    "context_of",
    "parse_context",
    "parse_context_in_turns",
    "parse_json_in_turns",
    "read_parsed_in_turns",
    "read_request",
    "read_request_in_turns",
    "validated_context",
    "without_key_in_turns",
]

MAX_CHUNKS = 10_000
MAX_CONTEXT_CHARS = 2_000_000  # of question and chunks together, as of an answer
MAX_COLLECTION_CHARS = 128  # of a collection's name, as databases of results keep it
LONG_BYTES = 16_384  # of a request that shows its context within a turn; guess

_TURN_S = 1e-3  # of reading in a thread, and
_NAP_S = 5e-5  # between two of them, long enough for the loop to wake; guesses

T = TypeVar("T")
log = logging.getLogger("streamguard.server")


class ContextLimitError(ConfigError):
    """A context exceeds a size limit."""


@dataclass(frozen=True, slots=True)
class Policies:
    """A server's own policy, the ones that requests may name, and those of collections."""

    default: Policy = field(default_factory=Policy)
    allowed: Mapping[str, Policy] = field(default_factory=dict)
    collections: Mapping[str, Policy] = field(default_factory=dict)

    def named(self, name: str | None, collection: str | None = None) -> Policy:
        """Return the policy of that name; raises `ConfigError` if requests may not choose it.

        Without a name, the collection's policy, else the server's own.
        """
        own = self.collections.get(collection or "")
        if name is None and own is not None:
            return own.holding_as(self.default)
        if name is None or name == self.default.name:
            return self.default
        if name not in self.allowed:
            known = ", ".join(sorted({self.default.name, *self.allowed}))
            raise ConfigError(f"{KEY}.policy is {name!r}, this server allows {known}")
        return self.allowed[name].holding_as(self.default)


@dataclass(frozen=True, slots=True)
class RequestContext:
    """A request without our key, with the context and policy of its answer."""

    body: bytes
    context: Context
    policy: Policy
    model: str = ""  # as the request names it
    over: str | None = None  # the limit that the context exceeds: it was not read
    collection: str = ""  # the searched collection, as the application names it
    unread: str | None = None  # why its body could not be read, None if it was or is empty


_Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Chunk(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    id: str | None = None
    source: str | None = None
    distance: _Finite | None = None
    similarity: _Finite | None = None
    metadata: dict[str, Any] = {}


class ProvidedContext(BaseModel):
    """A context in the application's own key; it takes precedence over the request's messages."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: str | None = None
    chunks: list[str | _Chunk] | None = None
    policy: str | None = None
    context_template: str | None = None
    language: str | None = None
    collection: Annotated[str, Field(max_length=MAX_COLLECTION_CHARS)] | None = None

    def filled_from(self, other: ProvidedContext) -> ProvidedContext:
        """Return a copy whose missing fields are those of `other`."""
        own = {name: value for name, value in self if value is not None}
        return other.model_copy(update=own)


_ALLOWED = ", ".join(ProvidedContext.model_fields)


def read_request(
    body: bytes,
    policies: Policies,
    *,
    query: Mapping[str, str] | None = None,
    stored: bytes | None = None,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> RequestContext:
    """Read a request's body; the key `streamguard` is removed, all other bytes stay.

    A body that is no JSON object is passed on unchanged, and `query` (of the URL) stands in for it.
    Invalid JSON that may hold the key for a laxer parser raises `ConfigError`, since the key is for
    this server only. The key takes precedence over a `stored` context (JSON as posted), which takes
    precedence over the messages that `context_from` selects (see `context_of_request`). The key's
    `context_template` replaces the server's. A context over a limit is not read. Raises
    `ConfigError` for an invalid key or a policy that is not allowed.
    """
    settings = _PromptSettings(context_from, context_template)
    return _at_once(_read_request(body, policies, query, stored, settings))


async def read_request_in_turns(
    body: bytes,
    policies: Policies,
    pause: Callable[[], Awaitable[None]],
    *,
    query: Mapping[str, str] | None = None,
    stored: bytes | None = None,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> RequestContext:
    """Like `read_request`, in short turns with `pause` awaited between them."""
    settings = _PromptSettings(context_from, context_template)
    return await _in_turns(_read_request(body, policies, query, stored, settings), pause)


async def read_parsed_in_turns(
    request: Mapping[str, Any],
    size: int,
    policies: Policies,
    pause: Callable[[], Awaitable[None]],
    *,
    stored: bytes | None = None,
    context_from: ContextFrom = "application",
    context_template: str | None = None,
) -> RequestContext:
    """Like `read_request_in_turns`, for a parsed request of `size` bytes.

    Its key `streamguard` is ignored.
    """
    settings = _PromptSettings(context_from, context_template)
    return await _in_turns(
        _read_context(request, ProvidedContext(), size, policies, stored, settings), pause
    )


async def parse_json_in_turns(body: bytes, pause: Callable[[], Awaitable[None]]) -> Any:
    """Parse JSON in short turns; raises `DecodeError` for invalid JSON."""
    return (await _in_turns(reading(body), pause)).value


async def without_key_in_turns(body: bytes, pause: Callable[[], Awaitable[None]]) -> bytes:
    """Return `body` without the key `streamguard`; unchanged if it is no JSON object.

    Raises `ConfigError` for invalid JSON that may hold the key for a laxer parser.
    """
    if KEY.encode() not in body and b"\\" not in body and b"\0" not in body:
        return body  # the key occurs in no spelling and in no encoding
    return await _in_turns(_without_key(body), pause)


async def parse_context_in_turns(
    body: bytes, pause: Callable[[], Awaitable[None]]
) -> ProvidedContext:
    """Like `parse_context`, in short turns with `pause` awaited between them."""
    return await _in_turns(_parse_context(body), pause)


def parse_context(body: bytes) -> ProvidedContext:
    """Parse a posted context.

    Raises `ConfigError` if it is invalid, `ContextLimitError` if it exceeds a limit.
    """
    return _at_once(_parse_context(body))


def validated_context(value: Any) -> ProvidedContext:
    """Return the context in the key's value.

    Raises `ConfigError` with the path of an invalid field, `ContextLimitError` beyond a limit.
    """
    chunks = value.get("chunks") if isinstance(value, dict) else None
    if isinstance(chunks, list) and len(chunks) > MAX_CHUNKS:
        raise ContextLimitError(f"the context has {len(chunks)} chunks, at most {MAX_CHUNKS}")
    try:
        provided = ProvidedContext.model_validate(value)
    except ValidationError as exc:
        error = exc.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, (KEY, *error["loc"])))
        raise ConfigError(f"{where}: {error['msg']}; allowed are {_ALLOWED}") from exc
    texts = (each if isinstance(each, str) else each.text for each in provided.chunks or ())
    _check_chars(provided.query or "", texts)
    return provided


class _PromptSettings(NamedTuple):
    """The settings that select passages from messages."""

    context_from: ContextFrom
    template: str | None


# --- the steps of reading: the event loop runs between two of them

# A step may be work for a thread: a long request's passages are found in one go.
_Work = Callable[[], Any]
_Steps = Generator[_Work | None, Any, T]


def _at_once(steps: _Steps[T]) -> T:
    result: Any = None
    while True:
        try:
            work = steps.send(result)
        except StopIteration as end:
            found: T = end.value
            return found
        result = None if work is None else _done(work)


async def _in_turns(steps: _Steps[T], pause: Callable[[], Awaitable[None]]) -> T:
    result: Any = None
    while True:
        try:
            work = steps.send(result)
        except StopIteration as end:
            found: T = end.value
            return found
        result = None
        if work is None:
            await pause()
        else:
            result = await to_thread.run_sync(_done_in_turns, work)


def _done(work: _Work) -> Any:
    """Run `work`; a `ConfigError` is returned instead of raised."""
    try:
        return work()
    except ConfigError as exc:
        return exc


def _done_in_turns(work: _Work) -> Any:
    """Run `work` in a thread that naps after each turn.

    During a nap the event loop gets the interpreter at once; otherwise it waits up to five
    milliseconds for it each time.
    """
    begun = perf_counter()

    def nap() -> None:
        nonlocal begun
        if perf_counter() - begun >= _TURN_S:
            sleep(_NAP_S)
            begun = perf_counter()

    with reading_in_turns(nap):
        return _done(work)


def _offloaded(work: _Work, size: int) -> _Steps[Any]:
    """Run `work`, in a thread if its input of `size` bytes is large."""
    result = _done(work) if size <= LONG_BYTES else (yield work)
    if isinstance(result, ConfigError):
        raise result
    return result


def _read_request(
    body: bytes,
    policies: Policies,
    query: Mapping[str, str] | None,
    stored: bytes | None,
    settings: _PromptSettings,
) -> _Steps[RequestContext]:
    request: Mapping[str, Any] = query or {}
    sent = body
    provided = ProvidedContext()
    unread = None
    try:
        try:
            read = yield from reading(body)
        except BodyLimitError as exc:
            sent = yield from _outlined(body)
            raise ContextLimitError(str(exc)) from exc
        except DecodeError as exc:  # the query stands for it
            yield from _check_hidden(body, exc)
            unread = str(exc) if body else None
        else:
            if isinstance(read.value, dict):
                request = read.value
                sent = read.without(body, KEY)
        if sent is not body:
            provided = yield from _offloaded(partial(validated_context, request[KEY]), len(body))
    except ContextLimitError as exc:
        return RequestContext(
            sent, Context(), policies.default, text_at(request, "model"), str(exc)
        )
    found = yield from _read_context(request, provided, len(body), policies, stored, settings)
    return replace(found, body=sent, unread=unread)


def _without_key(body: bytes) -> _Steps[bytes]:
    try:
        read = yield from reading(body)
    except BodyLimitError:
        return (yield from _outlined(body))
    except DecodeError as exc:
        yield from _check_hidden(body, exc)
        return body
    return read.without(body, KEY)


def _outlined(body: bytes) -> _Steps[bytes]:
    """Return a body of too many values without the key."""
    try:
        return (yield from outlining(body)).without(body, KEY)
    except DecodeError as exc:
        yield from _check_hidden(body, exc)
        return body


def _check_hidden(body: bytes, wrong: DecodeError) -> _Steps[None]:
    if (yield from may_hold(body, KEY)):
        raise ConfigError(
            f"{wrong}, and it holds the word {KEY}, which the upstream might read as the key:"
            " expected JSON in UTF-8"
        )


def _read_context(
    request: Mapping[str, Any],
    provided: ProvidedContext,
    size: int,
    policies: Policies,
    stored: bytes | None,
    settings: _PromptSettings,
) -> _Steps[RequestContext]:
    model = text_at(request, "model")
    try:
        if stored is not None:
            provided = provided.filled_from((yield from _parse_context(stored)))
        policy = policies.named(provided.policy, provided.collection)
        read = partial(_context, request, provided, settings)
        context = yield from _offloaded(read, size + len(stored or b""))
    except ContextLimitError as exc:
        return RequestContext(b"", Context(), policies.default, model, str(exc))
    return RequestContext(b"", context, policy, model, collection=provided.collection or "")


def _parse_context(body: bytes) -> _Steps[ProvidedContext]:
    try:
        read = yield from reading(body)
    except BodyLimitError as exc:
        raise ContextLimitError(str(exc)) from exc
    except DecodeError as exc:
        raise ConfigError("the body is no JSON; expected an object with query, chunks") from exc
    provided: ProvidedContext = yield from _offloaded(
        partial(validated_context, read.value), len(body)
    )
    return provided


def _context(
    request: Mapping[str, Any], provided: ProvidedContext, settings: _PromptSettings
) -> Context:
    template = settings.template if provided.context_template is None else provided.context_template
    try:
        found = context_of_request(
            request, context_from=settings.context_from, context_template=template
        )
    except ConfigError:
        raise
    except Exception:  # fail open: a defect of ours must not refuse a request
        log.exception("the context of a request could not be read")
        found = Context()
    context = _merged(found, provided)
    _check_chunks(context)
    return context


def _check_chunks(context: Context) -> None:
    chunks = as_chunks(context.chunks or ())
    if len(chunks) > MAX_CHUNKS:
        raise ContextLimitError(f"the context has {len(chunks)} chunks, at most {MAX_CHUNKS}")
    _check_chars(context.query or "", (chunk.text for chunk in chunks))


def _check_chars(query: str, texts: Iterable[str]) -> None:
    chars = len(query) + sum(map(len, texts))
    if chars > MAX_CONTEXT_CHARS:
        limit = f"at most {MAX_CONTEXT_CHARS}"
        raise ContextLimitError(f"the context has {chars} characters, {limit}")


def _merged(found: Context, provided: ProvidedContext) -> Context:
    query = found.query if provided.query is None else provided.query
    if provided.chunks is None:
        unchanged = query == found.query and provided.language is None
        return found if unchanged else replace(found, query=query, language=provided.language)
    chunks = [
        RetrievedChunk(chunk) if isinstance(chunk, str) else RetrievedChunk(**chunk.model_dump())
        for chunk in provided.chunks
    ]
    return Context(query=query, chunks=chunks, language=provided.language)
