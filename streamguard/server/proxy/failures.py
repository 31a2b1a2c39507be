"""Failures of the upstream: counts, log lines, and the client's response."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass

import aiohttp
from yarl import URL

from streamguard.core.model.types import Ended
from streamguard.server.headers import shown_path
from streamguard.server.http.bodies import ErrorResponse, refused, silent
from streamguard.server.http.causes import failure, unreadable
from streamguard.server.http.patience import RequestSilentError
from streamguard.server.observe.metrics import Metrics

log = logging.getLogger("streamguard.proxy")


# A version that stands twice in a path ("/v1/v1/"): both the upstream's address and the client's
# base URL have it.
_OF_CLIENTS = "leave {} out of the address that clients have"
_TWICE = re.compile(r"/(v\d+(?:alpha|beta)?\d*)/\1(?:/|$)")


@dataclass(slots=True)
class Failures:
    """Reports the failures of one upstream."""

    upstream: URL
    metrics: Metrics
    twice_logged: bool = False  # the hint about a doubled version was logged

    def unrelayable(self, wrong: str) -> ErrorResponse:
        """Return the client's response to one that cannot be relayed."""
        self.metrics.upstream_errors.add("unrelayable")
        fields = {"upstream": str(self.upstream.origin()), "cause": wrong}
        log.warning("upstream_unrelayable", extra={"fields": fields})
        return _unrelayable(wrong)

    def unreachable(self, exc: Exception) -> ErrorResponse:
        """Return the client's response if there is none; the request's own body may be at fault."""
        if RequestSilentError in (type(exc), type(exc.__cause__)):
            return silent()
        late, wrong = isinstance(exc, TimeoutError), unreadable(exc)
        if late:
            kind = "silent"
        else:
            kind = "unreachable" if wrong is None else "unrelayable"
        self.metrics.upstream_errors.add(kind)
        log.warning(f"upstream_{kind}", extra={"fields": failure(self.upstream, exc)})
        if wrong is not None:
            return _unrelayable(wrong)
        if kind == "silent":
            return refused(504, "the upstream did not answer in time", "upstream_timeout")
        message = "the upstream cannot be reached; the proxy's log says which address and why"
        return refused(502, message, "upstream_unreachable")

    def not_found(self, answer: aiohttp.ClientResponse) -> None:
        """Log once a hint if the upstream rejects a path that has its version twice."""
        twice = _TWICE.search(answer.url.path) if answer.status == 404 else None
        if twice is None or self.twice_logged:
            return
        self.twice_logged = True
        version = f"/{twice[1]}"
        ours = self.upstream.path.rstrip("/").endswith(version)
        change = f"leave {version} out of --upstream" if ours else _OF_CLIENTS.format(version)
        fields = {"path": shown_path(answer.url.path), "change": change}
        log.warning("upstream_path_twice", extra={"fields": fields})

    def broke_off(self, ended: Ended) -> None:
        """Count an upstream that failed during an unchecked response."""
        self.metrics.upstream_errors.add("silent" if ended == "limit" else "broke_off")


def _unrelayable(wrong: str) -> ErrorResponse:
    return refused(502, f"the upstream's answer cannot go on: {wrong}", "upstream_unrelayable")
