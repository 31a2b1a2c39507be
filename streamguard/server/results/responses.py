"""Responses of the side channel, for any server: a result, and its sentences live."""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import anyio
from anyio.lowlevel import checkpoint

from streamguard.core.model.result import Annotation
from streamguard.errors import ConfigError, UpstreamError
from streamguard.server.request_context import ContextLimitError, Policies
from streamguard.server.results.context_store import ContextStore
from streamguard.server.results.feed import Feed
from streamguard.server.results.live import Live
from streamguard.server.results.result_store import ResultStore
from streamguard.server.results.shared import SharedResults, unread_logged
from streamguard.wire.protocols.plain import EVENT, SENTENCE_EVENT

_ID = re.compile(r"[0-9a-f]{32}")
_EVENT_ID = re.compile(r"[0-9]{1,18}")  # fits 64 bits
RETRY_AFTER_S = 5  # as long as the writer waits for a database that is gone, at most
MAX_SHOWN_CHARS = 40  # of a request's invalid value
PING_S = 15.0  # between two signs of life; proxies mostly cut after 60 s of silence
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_JSON = HEADERS | {"Content-Type": "application/json"}
STREAM_HEADERS = HEADERS | {"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}


@dataclass(frozen=True, slots=True)
class ResultsReply:
    """A complete response to one request."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: _JSON)


@dataclass(frozen=True, slots=True)
class Results:
    """Serves the results in `store` to requests with `Authorization: Bearer TOKEN`.

    Without a token, to anyone who knows an id. Runs on asyncio and trio.
    """

    store: ResultStore
    token: str | None = None

    def closed_to(self, authorization: str) -> ResultsReply | None:
        """Return the refusal of a request without the required token; else None."""
        return closed_to(self.token, authorization)

    def of(self, id: str, authorization: str = "") -> ResultsReply:
        """Reply with the annotation: 200, 202 while its stream runs, 404 for an unknown id."""
        if (closed := self.closed_to(authorization)) is not None:
            return closed
        found = self.store.get_json(id) if _ID.fullmatch(id) else None
        if found is None:
            return _NO_RESULT
        return ResultsReply(202 if self.store.pending(id) else 200, found)

    async def of_any(self, id: str, authorization: str = "") -> ResultsReply:
        """Like `of`, with a look-up in the shared store for unknown ids.

        503 if the shared store does not answer.
        """
        reply = self.of(id, authorization)
        shared = self.store.shared
        if reply is not _NO_RESULT or shared is None or not _ID.fullmatch(id):
            return reply
        try:
            found = await shared.get_json(id)
        except UpstreamError:
            return UNREACHED
        if found is None:
            return reply
        pending = Annotation(id=id, state="pending").to_json().encode()
        return ResultsReply(200, found) if found else ResultsReply(202, pending)

    async def events_of_any(
        self, id: str, authorization: str = "", last_event_id: str = "0"
    ) -> ResultsReply | AsyncGenerator[bytes, None]:
        """Like `events`; another instance's answer is followed through its channel."""
        reply = self.events(id, authorization, last_event_id)
        shared = self.store.shared
        if reply is not _NO_RESULT or shared is None or not _ID.fullmatch(id):
            return reply
        try:
            found = await shared.get_json(id)
        except UpstreamError:
            return UNREACHED
        if found is None:
            return reply
        received = int(last_event_id)
        if not found and shared.live is not None:
            return _followed(shared.live, id, received)
        sentences = await shared.sentences_of(id)
        last = sentences[-1][0] if sentences else _sentences(found)
        if received > last:
            return ResultsReply(204, headers=HEADERS)
        return _over([each for each in sentences if each[0] > received], last, found)

    def events(
        self, id: str, authorization: str = "", last_event_id: str = "0"
    ) -> ResultsReply | AsyncGenerator[bytes, None]:
        """Reply with an event stream of the sentences as they settle, then the annotation.

        It starts after `last_event_id`; 204 if all of it was received, since a browser's
        EventSource reconnects until then.
        """
        if (closed := self.closed_to(authorization)) is not None:
            return closed
        if not _EVENT_ID.fullmatch(last_event_id):
            seen = repr(last_event_id[:MAX_SHOWN_CHARS])
            message = f"Last-Event-ID begins with {seen}, expected a number of ours"
            return refusal(400, message, "bad_event_id")
        feed = self.store.feed(id) if _ID.fullmatch(id) else None
        if feed is None:
            return _NO_RESULT
        received = int(last_event_id)
        if feed.over and received >= feed.count + feed.results:
            return ResultsReply(204, headers=HEADERS)
        return self._streamed(id, feed, received)

    async def _streamed(self, id: str, feed: Feed, received: int) -> AsyncGenerator[bytes, None]:
        while True:
            for number, sentence in feed.after(received):
                yield _event(number, SENTENCE_EVENT, sentence)
            received = max(received, feed.count)
            if feed.over:
                break
            with anyio.move_on_after(PING_S) as silence:
                await feed.beyond(received)
            if silence.cancelled_caught:
                # No block of its own: there are readers that dispatch on every blank line.
                yield b": waiting\n"
        kept = self.store.get_json(id)
        if kept is not None:
            yield _event(feed.count + feed.results, EVENT, kept.decode())


async def _followed(live: Live, id: str, received: int) -> AsyncGenerator[bytes, None]:
    """Yield another instance's sentences of an answer as events, after those received."""
    read = 0  # sentences read so far, which are not read again
    with unread_logged():
        async with aclosing(live.changes(id, PING_S)) as changes:
            async for changed in changes:
                if not changed:
                    yield b": waiting\n"
                    continue
                result = await live.get(id)  # read before the sentences: none is published after it
                sentences = await live.sentences_of(id, read)
                read += len(sentences)
                for number, sentence in sorted(dict(sentences).items()):
                    if number > received:
                        yield _event(number, SENTENCE_EVENT, sentence)
                        received = number
                if result is None:
                    return  # its instance is gone, or Redis forgot it
                if result:
                    yield _event(received + 1, EVENT, result.decode())
                    return


async def _over(
    sentences: list[tuple[int, str]], last: int, result: bytes
) -> AsyncGenerator[bytes, None]:
    for number, sentence in sentences:
        yield _event(number, SENTENCE_EVENT, sentence)
    yield _event(last + 1, EVENT, result.decode())


def _sentences(annotation_json: bytes) -> int:
    """Return an annotation's number of sentences, the most that may have been published."""
    annotation = Annotation.model_validate_json(annotation_json)
    results = annotation.choices or filter(None, [annotation.result])
    return sum(len(each.sentences) for each in results)


def closed_to(token: str | None, authorization: str) -> ResultsReply | None:
    """Return the refusal of a request whose header lacks `token`, if one is required.

    The comparison takes constant time.
    """
    if token is None:
        return None
    wanted = f"Bearer {token}".encode(errors="surrogateescape")
    # aiohttp reads headers as UTF-8, with surrogates for other bytes.
    if hmac.compare_digest(authorization.encode(errors="surrogateescape"), wanted):
        return None
    return refusal(401, "the side channel needs Authorization: Bearer TOKEN", "bad_token")


def no_json(media_type: str) -> ResultsReply | None:
    """Return 415 unless the body is declared as JSON, else None.

    Pages of other origins can send other types without permission.
    """
    if media_type == "application/json":
        return None
    seen = f"content type is {media_type[:80]!r}, expected application/json"
    return refusal(415, seen, "bad_content_type")


async def kept(
    contexts: ContextStore,
    body: bytes | None,
    media_type: str,
    limit: int,
    policies: Policies,
    shared: SharedResults | None = None,
) -> ResultsReply:
    """Store a posted context: 201 with its id, 413 if too long or None, 400 if invalid.

    A `shared` store passes it to other instances. 415 unless it is declared as JSON.
    """
    if (refused := no_json(media_type)) is not None:
        return refused
    if body is None:
        return refusal(413, f"the context is over {limit} bytes", "context_too_long")
    try:
        name = await contexts.put_in_turns(body, policies, checkpoint)
    except ContextLimitError as exc:
        return refusal(413, str(exc), "context_too_long")
    except ConfigError as exc:
        return refusal(400, str(exc), "bad_context")
    if shared is not None:
        await shared.keep_context(name, body)
    made = {"object": "streamguard.context", "id": name, "expires_in_s": contexts.ttl_s}
    return ResultsReply(201, json.dumps(made).encode())


def refusal(status: int, message: str, code: str) -> ResultsReply:
    """Return an error response in the form that OpenAI's clients display."""
    kind = "invalid_request_error" if status < 500 else "upstream_error"
    error = {"message": message, "type": kind, "param": None, "code": code}
    return ResultsReply(status, json.dumps({"error": error}).encode())


_NO_RESULT = refusal(404, "no result of this id, or no longer", "no_result")
# The result may be in the database that does not answer, so 404 would be wrong.
UNREACHED = replace(
    refusal(503, "the results of other instances cannot be read; ask again", "results_unreached"),
    headers=_JSON | {"Retry-After": str(RETRY_AFTER_S)},
)


def _event(number: int, name: str, data: str) -> bytes:
    return f"id: {number}\nevent: {name}\ndata: {data}\n\n".encode("ascii")
