"""Upstreams that fail: what is counted and logged of it, and what the client gets."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from yarl import URL

from streamguard.core.model.types import Ended
from streamguard.server.http.bodies import Refusal, refused, silent
from streamguard.server.http.causes import failure, unreadable
from streamguard.server.http.patience import RequestSilentError
from streamguard.server.observe.metrics import Metrics

log = logging.getLogger("streamguard.proxy")


@dataclass(frozen=True, slots=True)
class Failures:
    """Tells of the failures of one upstream."""

    upstream: URL
    metrics: Metrics

    def unrelayable(self, wrong: str) -> Refusal:
        """Return what a client gets in place of a response that cannot go on."""
        self.metrics.upstream_errors.add("unrelayable")
        fields = {"upstream": str(self.upstream.origin()), "cause": wrong}
        log.warning("upstream_unrelayable", extra={"fields": fields})
        return _unrelayable(wrong)

    def not_asked(self, exc: Exception) -> Refusal:
        """Say why there is no response; the request's own body may be at fault."""
        if RequestSilentError in (type(exc), type(exc.__cause__)):
            return silent()
        late, wrong = isinstance(exc, TimeoutError), unreadable(exc)
        kind = "silent" if late else "unreachable" if wrong is None else "unrelayable"
        self.metrics.upstream_errors.add(kind)
        log.warning(f"upstream_{kind}", extra={"fields": failure(self.upstream, exc)})
        if wrong is not None:
            return _unrelayable(wrong)
        if kind == "silent":
            return refused(504, "the upstream did not answer in time", "upstream_timeout")
        return refused(502, "the upstream cannot be reached", "upstream_unreachable")

    def broke_off(self, ended: Ended) -> None:
        """Count an upstream that failed within a response that is not checked."""
        self.metrics.upstream_errors.add("silent" if ended == "limit" else "broke_off")


def _unrelayable(wrong: str) -> Refusal:
    return refused(502, f"the upstream's answer cannot go on: {wrong}", "upstream_unrelayable")
