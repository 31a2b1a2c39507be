"""A complete JSON answer: its bytes pass as they come, with the annotation as its last key."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

from streamguard.core.model.brought import Brought
from streamguard.core.model.types import Ended
from streamguard.errors import DecodeError
from streamguard.examiner import TURN_NS
from streamguard.server.relay.checking import Checking
from streamguard.server.request_context import LONG_BYTES, parse_json_in_turns
from streamguard.wire.bounds import FrameLimitError
from streamguard.wire.codecs.json_bytes import with_key
from streamguard.wire.codecs.json_turns import BodyLimitError
from streamguard.wire.dialect import IN_BAND, Dialect, Form
from streamguard.wire.dialects import of_answer
from streamguard.wire.fields import holds_words, is_wide
from streamguard.wire.found import path_of, text_in
from streamguard.wire.protocols.plain import PLAIN_LINES
from streamguard.wire.reader import KEY

UNKNOWN_JSON = "no text was found in its JSON"
MAX_ANSWER_BYTES = 33_554_432  # as for request bodies; longer answers are relayed unchecked


@dataclass(frozen=True, slots=True)
class JSONAnswer:
    """A complete answer and its protocol."""

    dialect: Dialect
    texts: Mapping[int, str]
    unread: bool = False  # it has words where no text is expected
    brought: Iterable[tuple[int, Brought]] = ()  # beside its text, by choice


def of_json(path: str, body: bytes, text: str | None = None) -> JSONAnswer | None:
    """Return `body` as an answer; None if it is not JSON or has no text.

    `path` is the request's; `text` is the application's path of the text in JSON of no protocol.
    Raises `FrameLimitError` for a body with too many values.
    """
    try:
        value = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    return of_value(path, value, text)


async def value_in_turns(body: bytes, pause: Callable[[], Awaitable[None]]) -> Any:
    """Parse an answer's JSON, with `pause` awaited between the turns of a long one.

    Raises `DecodeError` for invalid JSON, `FrameLimitError` for too many values.
    """
    if len(body) > LONG_BYTES:
        try:
            return await parse_json_in_turns(body, pause)
        except BodyLimitError as exc:
            raise FrameLimitError(str(exc)) from exc
    try:
        return json.loads(body.decode())
    except (ValueError, RecursionError) as exc:
        raise DecodeError("the answer is no JSON") from exc


async def _of_json_in_turns(
    path: str, body: bytes, text: str | None, pause: Callable[[], Awaitable[None]]
) -> JSONAnswer | None:
    """Like `of_json`, with `pause` awaited between the turns of a long body."""
    try:
        return of_value(path, await value_in_turns(body, pause), text)
    except FrameLimitError:
        raise
    except DecodeError:
        return None


def of_value(path: str, value: Any, text: str | None) -> JSONAnswer | None:
    """Return parsed JSON as an answer; None and errors are as in `of_json`."""
    if is_wide(value):
        raise FrameLimitError("its JSON holds more lists and objects than are looked through")
    known = of_answer(path, value) if isinstance(value, dict) else None
    if known is not None and known is not PLAIN_LINES:
        texts = known.answer(value) or {}
        unread = known.leaves_unread(value) if any(texts.values()) else holds_words(value)
        return JSONAnswer(known, texts, unread, known.brought(value))
    found, unread = text_in(value, None if text is None else path_of(text))
    return None if found is None or unread else JSONAnswer(PLAIN_LINES, {0: found})


async def examine_answer(answer: JSONAnswer, checking: Checking) -> None:
    """Pass an answer's text and passages to the checks, with pauses if it is long."""
    brought, began = [], perf_counter_ns()
    for one in answer.brought:
        brought.append(one)
        if perf_counter_ns() - began >= TURN_NS:
            await checking.pause()
            began = perf_counter_ns()
    checking.take_complete(answer.texts, brought)


class JSONRelay:
    """Relays one JSON answer as a `Relay` does a stream; it is read when complete.

    If it carries the annotation, only the closing brace and the bytes after it wait for the
    verdict. A body that is no answer, or exceeds `max_bytes`, passes unchanged and unchecked.
    """

    # The answer is not read or examined before its end.
    due = held = blocked = full = False
    over = False
    leaves = False  # nothing is held back
    patience_s: float | None = None
    holds = False  # only the closing brace, which no timeout may release

    def __init__(
        self,
        path: str,
        checking: Checking,
        form: Form | None,
        max_bytes: int = MAX_ANSWER_BYTES,
        text: str | None = None,
    ) -> None:
        self._text = text
        self.adds = form is None or form in IN_BAND
        self.may_add = self.adds
        self._path = path
        self._checking = checking
        self._form = form
        self._max_bytes = max_bytes
        self._body: bytearray | None = bytearray()  # a copy, read at the end; None if too long
        self._held = bytearray()  # the last brace and the white space after it
        self._answer: JSONAnswer | None = None

    def receive(self, chunk: bytes) -> bytes:
        """Process a read; return the bytes that pass on at once."""
        if self._body is None:
            return chunk
        self._body += chunk
        if len(self._body) > self._max_bytes:
            return self.give_up() + chunk
        if not self.adds:
            return chunk
        if self._held and chunk.isspace():
            self._held += chunk
            return b""
        came = bytes(self._held) + chunk
        last = came.rfind(b"}")
        if last < 0 or came[last + 1 :].strip():  # more follows: that brace closes something else
            last = len(came)
        self._held = bytearray(came[last:])
        return came[:last]

    def keep(self) -> bool:
        """Return False: there is nothing to read before the end."""
        return False

    async def read(self) -> bytes:
        """Return nothing: the answer is read at its end."""
        return b""

    def turn(self) -> None:
        """Do nothing: the answer is examined at its end."""

    def sentence_frames(self) -> bytes:
        """Return nothing: sentences have no place in JSON."""
        return b""

    async def settle(self) -> bytes:
        """Return nothing: it holds no frames."""
        return b""

    async def finish(self) -> bytes:
        """Handle the orderly end; return the last bytes. `conclude` must follow."""
        body = b"" if self._body is None else bytes(self._body)
        self._body = None
        checking = self._checking
        try:
            answer = await _of_json_in_turns(self._path, body, self._text, checking.pause)
        except FrameLimitError as exc:
            checking.skip_reason = "limit"
            checking.report_limit(str(exc))
            checking.skip(str(exc))
            return self.rest()
        self._answer = answer
        if answer is None:
            checking.skip(UNKNOWN_JSON)
            return self.rest()
        self._checking.dialect = answer.dialect.name
        await examine_answer(answer, checking)
        if answer.unread:
            self._checking.report_unread("its JSON holds text where none was looked for")
        has_keys = body.lstrip().startswith(b"{")
        if answer.dialect.form(self._form) not in IN_BAND or not has_keys:
            return self.rest()
        annotation = await self._checking.tail("complete")
        sent = len(body) - len(self._held)
        return with_key(body, KEY, self._checking.in_band(annotation))[sent:]

    async def conclude(self) -> None:
        """Examine the complete answer in turns, and close."""
        if self._answer is not None:
            await self._checking.conclude("complete")

    def rest(self) -> bytes:
        """Return the held bytes."""
        held, self._held = bytes(self._held), bytearray()
        return held

    async def catch_up(self) -> None:
        """Check in turns an answer whose client has left."""
        if self._answer is not None:
            await self._checking.catch_up()

    def abandon(self, ended: Ended) -> None:
        """Handle an answer that broke off, or whose client left: half of one is not checked."""
        if self._answer is not None:
            self._checking.close("complete")
        elif ended == "upstream_error":
            self._checking.skip("it broke off within its JSON", ended)
        else:
            self._checking.close(ended)

    def give_up(self) -> bytes:
        """Stop reading: the rest will not be seen here. Return the held bytes."""
        self._body, self.may_add = None, False
        return self.rest()
