"""ASGI messages, as far as they concern the guard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any

from multidict import CIMultiDict

from streamguard.server.headers import ID_HEADER, SKIPPED_HEADER, encoding_of, untransformed
from streamguard.wire.dialects import of_path

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
RawHeaders = Iterable[tuple[bytes, bytes]]

MAX_REQUEST_BYTES = 33_554_432  # longest request that is read for its context; SPEC 10


def names_of(headers: RawHeaders) -> dict[str, str]:
    """Return the headers by lower-case name; the first value of a repeated header counts."""
    named: dict[str, str] = {}
    for name, value in headers:
        named.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
    return named


def media_type(named: Mapping[str, str]) -> str:
    """Return the content type without its parameters, in lower case."""
    return named.get("content-type", "").partition(";")[0].strip().lower()


def encoding_in(headers: RawHeaders) -> str:
    """Return the body's content encoding, an empty string without one."""
    named = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    return encoding_of(CIMultiDict(named))


def length_of(named: Mapping[str, str]) -> int | None:
    """Return the Content-Length, None if it is missing or invalid."""
    written = named.get("content-length", "")
    return int(written) if written.isascii() and written.isdigit() else None


def is_guarded_request(scope: Scope) -> bool:
    """Return whether a request goes to a path of a known protocol."""
    return scope["method"] not in _METHODS_WITHOUT_ANSWER and of_path(scope["path"]) is not None


_METHODS_WITHOUT_ANSWER = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_OURS = frozenset({ID_HEADER.encode(), SKIPPED_HEADER.encode()})


def announced(
    start: Message,
    *,
    length: int | None,
    id: str | None = None,
    skipped: str | None = None,
    transforms: bool = False,
) -> Message:
    """Return the start of a response with the result's id, and the reason of a skipped check.

    The application's own headers of these names are dropped. Content-Length becomes `length`, or is
    removed for None. If the guard `transforms` the body, Cache-Control forbids further
    transformation.
    """
    headers = []
    for name, value in start.get("headers", ()):
        lowered = name.lower()
        if lowered == b"content-length" and length is not None:
            headers.append((name, str(length).encode()))
        elif lowered not in _OURS and lowered != b"content-length":
            headers.append((name, value))
    if transforms:
        headers = _untransformed(headers)
    ours = {ID_HEADER: id, SKIPPED_HEADER: skipped}
    ours_raw = [(name.encode(), value.encode()) for name, value in ours.items() if value]
    if any(name.lower() == b"access-control-allow-origin" for name, _ in headers):
        headers += [(b"access-control-expose-headers", name) for name, _ in ours_raw]
    return {**start, "headers": [*headers, *ours_raw]}


def _untransformed(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers with a single Cache-Control that forbids transformation."""
    directives = [
        value.decode("latin-1") for name, value in headers if name.lower() == b"cache-control"
    ]
    others = [each for each in headers if each[0].lower() != b"cache-control"]
    return [*others, (b"cache-control", untransformed(", ".join(directives)).encode("latin-1"))]


class Request:
    """One request; its body is recorded while the application reads it."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.is_guarded = is_guarded_request(scope)
        self.gone = False  # the server said that the client has left
        self._receive = receive
        self._pieces: list[bytes] = []
        self._size = 0
        self._complete = False
        # Uploads are none of ours: they are not kept a second time.
        headers = list(scope.get("headers", ()))
        kind = media_type(names_of(headers))
        self.encoding = encoding_in(headers)
        self._kept = kind in ("", "application/json", "text/plain")

    async def receive(self) -> Message:
        """Return the server's next message, and record its body."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.gone = True
        elif message["type"] == "http.request" and self._kept:
            self._note(message)
        return message

    @property
    def body(self) -> bytes:
        """The body as it came; empty until the application has read all of it."""
        return b"".join(self._pieces) if self._complete else b""

    def _note(self, message: Message) -> None:
        piece = bytes(message.get("body", b""))
        self._pieces.append(piece)
        self._size += len(piece)
        self._complete = not message.get("more_body", False)
        if self._size > MAX_REQUEST_BYTES:
            self.forget()

    def forget(self) -> None:
        """Drop the recorded body and stop recording."""
        self._kept = self._complete = False
        self._pieces.clear()
