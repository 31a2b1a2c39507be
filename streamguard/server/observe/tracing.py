"""OpenTelemetry for the proxy: a span per checked answer, with evaluations as events.

Names follow OpenTelemetry's semantic conventions for generative AI (status: Development), written
out here since their package changes. Needs the extra `otel`; the operator's SDK decides where spans
and events go. No text of questions, passages, answers or headers is included.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import time_ns

from opentelemetry import propagate
from opentelemetry.trace import (
    NoOpTracerProvider,
    ProxyTracerProvider,
    Span,
    SpanKind,
    StatusCode,
    Tracer,
    get_tracer,
    get_tracer_provider,
    use_span,
)
from yarl import URL

from streamguard.core.model.result import Annotation
from streamguard.examiner import Examiner
from streamguard.integrations.opentelemetry import ERROR_TYPE, opentelemetry_sink, tell
from streamguard.tap import Sink
from streamguard.wire.dialects import of_path

OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
MODEL = "gen_ai.request.model"
ADDRESS = "server.address"
PORT = "server.port"
HTTP_STATUS = "http.response.status_code"

# By the protocol of the request's path: the interface's owner, not the server's.
_PROVIDERS = {
    "openai_chat": "openai",
    "openai_responses": "openai",
    "anthropic": "anthropic",
    "ollama": "ollama",
}
_MAX_MODEL_CHARS = 256  # a client writes it: a longer text is no name; guess


def are_kept() -> bool:
    """Return whether an SDK is set up in this process: without one spans are dropped."""
    return not isinstance(get_tracer_provider(), ProxyTracerProvider | NoOpTracerProvider)


@dataclass(frozen=True, slots=True)
class Tracing:
    """Traces of the answers from `upstream`."""

    upstream: URL
    tracer: Tracer = field(default_factory=lambda: get_tracer("streamguard"))
    sink: Sink = field(default_factory=opentelemetry_sink)

    @contextmanager
    def answer(self, path: str, headers: Mapping[str, str], model: str) -> Iterator[Span]:
        """Open the current span of one answer; end it with `ended`.

        It joins the trace that the request's `headers` name, if they do.
        """
        model = model if len(model) <= _MAX_MODEL_CHARS else ""
        operation = "text_completion" if path.endswith("/api/generate") else "chat"
        span = self.tracer.start_span(
            f"{operation} {model}".strip(),
            context=propagate.extract(headers),
            kind=SpanKind.CLIENT,
            attributes=self._request_attributes(operation, path, model),
        )
        # The text of an exception may quote the question: `ended` tells its type.
        with use_span(span, record_exception=False, set_status_on_exception=False):
            yield span

    def ended(self, span: Span, status: int | None, checking: Examiner) -> None:
        """Record the end of an answer: its HTTP status (None for a client that left) and result.

        The span ends now; its result is recorded once no verifier is awaited.
        """
        if status is not None:
            span.set_attribute(HTTP_STATUS, status)
        error = None if status is None or status < 400 else str(status)
        now = time_ns()
        if checking.annotation is None:
            _end(span, error, now)
        else:
            checking.when_final(partial(self._finish_span, span, error, now))

    def _finish_span(
        self, span: Span, error: str | None, ended_ns: int, annotation: Annotation
    ) -> None:
        error = error or tell(span, annotation)
        with use_span(span):  # the events belong to it
            self.sink(annotation)
        _end(span, error, ended_ns)

    def propagate(self, headers: MutableMapping[str, str]) -> None:
        """Add the current span to the `headers` of a relayed request, if there is one."""
        propagate.inject(headers)

    def _request_attributes(self, operation: str, path: str, model: str) -> Mapping[str, str | int]:
        dialect = of_path(path)
        known: dict[str, str | int] = {
            OPERATION: operation,
            PROVIDER: _PROVIDERS.get(dialect.name if dialect is not None else "", "other"),
            ADDRESS: self.upstream.host or "",
            PORT: self.upstream.port or 0,
        }
        return {**known, MODEL: model} if model else known


def _end(span: Span, error: str | None, ended_ns: int) -> None:
    if error is not None:
        span.set_attribute(ERROR_TYPE, error)
        span.set_status(StatusCode.ERROR)
    span.end(ended_ns)
