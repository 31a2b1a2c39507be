"""Describes an upstream's failure without quoting: an exception's text may hold secrets."""

from __future__ import annotations

import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping

import aiohttp
from aiohttp.http_exceptions import (
    BadHttpMessage,
    BadStatusLine,
    LineTooLong,
    PayloadEncodingError,
)
from yarl import URL

from streamguard.errors import UpstreamError
from streamguard.server.observe.logs import error_of

# The parser's words before its quotation: "Invalid header value char:\n\n  b'...'".
_MESSAGE = re.compile(r"[A-Za-z][\w ,/.'-]{1,79}")


def failure(url: URL, error: BaseException) -> Mapping[str, object]:
    """Return the log fields of an upstream's failure: its address and the cause."""
    return {"upstream": str(url.origin()), "cause": cause_of(error), "error": error_of(error)}


def cause_of(error: BaseException) -> str:
    """Return the cause in words, from the innermost known error."""
    return next(filter(None, map(_known_cause, _causes(error))), type(error).__name__)


def unreadable(error: BaseException) -> str | None:
    """Return the fault in a response's head; None if the error came earlier."""
    return next(
        (_known_cause(each) for each in _causes(error) if isinstance(each, BadHttpMessage)), None
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes, the innermost first."""
    found = [error]
    while (inner := found[-1].__cause__) is not None and inner not in found:
        found.append(inner)
    return reversed(found)


def _known_cause(error: BaseException) -> str | None:
    if isinstance(error, LineTooLong):
        return f"a part of its head is over {error.args[1]} bytes"
    if isinstance(error, BadStatusLine):
        return "its first line is none of HTTP/1.1"
    if isinstance(error, PayloadEncodingError):
        return "its body is cut, or not coded as its head says"
    if isinstance(error, BadHttpMessage):
        message = _MESSAGE.match(error.message)
        return f"its head is no HTTP: {message[0].strip()}" if message else "its head is no HTTP"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "it closed the connection without an answer"
    if isinstance(error, TimeoutError):
        return "it said nothing for too long"
    if isinstance(error, UpstreamError):
        return str(error)
    return _of_system(error) if isinstance(error, OSError) else None


def _of_system(error: OSError) -> str | None:
    if isinstance(error, socket.gaierror):
        return "its name is not known"
    if isinstance(error, ssl.SSLCertVerificationError):
        return "its certificate is not valid"
    if isinstance(error, ssl.SSLError):
        return "it speaks no TLS that is known"
    known = error.errno is not None and error.errno > 0
    return os.strerror(error.errno).lower() if known and error.errno else None
