"""Decides which requests can be read, and rejects others if checks are required."""

from __future__ import annotations

from dataclasses import dataclass

from streamguard.errors import DecodeError
from streamguard.server.headers import ENCODINGS
from streamguard.server.http.bodies import ErrorResponse, refused
from streamguard.server.http.inflating import MAX_INFLATED_BYTES, InflatedLimitError, inflated
from streamguard.server.proxy.turns import pause
from streamguard.server.relay.checking import SkipReason
from streamguard.server.request_context import RequestContext
from streamguard.wire.dialects import of_path

CODE = "check_required"


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A request's decompressed body; None if unreadable, with `unread` and `why`."""

    body: bytes | None
    unread: SkipReason | None = None
    why: str = ""

    @property
    def refusal(self) -> ErrorResponse | None:
        """The rejection of an unreadable request if checks are required; else None."""
        if self.unread is None:
            return None
        return refused(413 if self.unread == "limit" else 400, self.why, CODE)


async def unpacked(begun: bytes, complete: bool, encoding: str, max_bytes: int) -> Unpacked:
    """Return the body that begins with `begun`, decompressed if its `encoding` is supported."""
    if not complete:
        return Unpacked(None, "limit", f"the body has more than {max_bytes} bytes")
    if not encoding:
        return Unpacked(begun)
    if encoding not in ENCODINGS:
        known = ", ".join(sorted(ENCODINGS))
        why = f"a request that is encoded as {encoding} cannot be checked, expected one of {known}"
        return Unpacked(None, "encoding", why)
    try:
        return Unpacked(await inflated(begun, encoding, min(max_bytes, MAX_INFLATED_BYTES), pause))
    except InflatedLimitError as exc:
        return Unpacked(None, "limit", str(exc))
    except DecodeError as exc:
        return Unpacked(None, "encoding", f"{exc}; it is said to be {encoding}")


def not_checkable(path: str, request_context: RequestContext) -> ErrorResponse | None:
    """Return the rejection of a request with an unreadable context; None if it was read.

    Requests of the protocols are JSON; on other paths a body may be anything.
    """
    if request_context.over is not None:
        return refused(413, request_context.over, CODE)
    if request_context.unread is not None and of_path(path) is not None:
        return refused(400, f"{request_context.unread}: what it asks cannot be checked", CODE)
    return None
