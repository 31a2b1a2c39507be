"""Traces of the proxy with OpenTelemetry's own SDK, over real sockets."""

import pytest

pytest.importorskip("opentelemetry.sdk", reason="needs the extra otel and opentelemetry-sdk")

import json
import sys
from contextlib import asynccontextmanager

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from yarl import URL

from streamguard.errors import ConfigError
from streamguard.integrations.opentelemetry import opentelemetry_sink
from streamguard.server.observe.tracing import Tracing
from streamguard.server.proxy.app import Settings, make_app
from streamguard.server.proxy.exchange import PROXY
from streamguard.server.workers.serve import make_runner, start
from tests.kit.upstreams import ASKED, CHUNKED, DONE, END, answer, ask, chunked, frame, upstream

pytestmark = pytest.mark.asyncio

TEXT = "The Basic plan costs $10 per month. [C1] The Pro plan costs $99 per month. [C2] "
WHOLE = CHUNKED + chunked(answer(TEXT) + DONE) + END
TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = f"00-{TRACE}-b7ad6b7169203331-01"


class Telemetry:
    """A proxy's spans and events in memory."""

    def __init__(self, url):
        self._spans, self._logs = InMemorySpanExporter(), InMemoryLogRecordExporter()
        traces, logs = (TracerProvider(shutdown_on_exit=False), LoggerProvider(None, False))
        traces.add_span_processor(SimpleSpanProcessor(self._spans))
        logs.add_log_record_processor(SimpleLogRecordProcessor(self._logs))
        self.tracing = Tracing(URL(url), traces.get_tracer("test"), opentelemetry_sink(logs))

    @property
    def spans(self):
        return self._spans.get_finished_spans()

    @property
    def events(self):
        return [each.log_record for each in self._logs.get_finished_logs()]

    @property
    def everything(self):
        """All spans and events as JSON."""
        logs = (each.log_record.attributes for each in self._logs.get_finished_logs())
        return "".join(span.to_json() for span in self.spans) + json.dumps([*map(dict, logs)])


@asynccontextmanager
async def traced(script):
    """Run an upstream and a proxy that is traced in memory; give both and what was told."""
    async with upstream(script) as up:
        app = make_app(Settings(up.url, traces=True))
        runner, told = make_runner(app), Telemetry(up.url)
        try:
            base = await start(runner, "127.0.0.1", 0)
            app[PROXY].tracing = told.tracing
            yield base, up, told
        finally:
            await runner.cleanup()


async def test_an_answer_is_a_span_of_the_conventions_names_with_its_evaluations():
    async with traced(WHOLE) as (base, up, told):
        got = await ask(base, ASKED)
    (span,) = told.spans
    assert (span.name, span.kind) == ("chat mock", SpanKind.CLIENT)
    flags = tuple(got.annotations[0]["result"]["flags"])
    assert "potential_hallucination" in flags
    assert dict(span.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "mock",
        "server.address": "127.0.0.1",
        "server.port": URL(up.url).port,
        "http.response.status_code": 200,
        "streamguard.id": got.headers["x-streamguard-id"],
        "streamguard.state": "complete",
        "streamguard.flags": flags,
        "streamguard.status": got.annotations[0]["result"]["status"],
    }
    assert span.status.status_code is StatusCode.UNSET
    assert {"streamguard.status", "streamguard.relevance"} <= {
        event.attributes["gen_ai.evaluation.name"] for event in told.events
    }
    for event in told.events:
        assert event.event_name == "gen_ai.evaluation.result"
        assert (event.trace_id, event.span_id) == (span.context.trace_id, span.context.span_id)


async def test_the_callers_trace_goes_on_through_the_proxy():
    async with traced(WHOLE) as (base, up, told):
        await ask(base, ASKED, traceparent=CALLER)
        await ask(base, None, "/v1/models", "GET", traceparent=CALLER)
    (span,) = told.spans
    assert f"{span.context.trace_id:032x}" == TRACE
    assert f"{span.parent.span_id:016x}" == "b7ad6b7169203331"
    checked, unchecked = (each.headers["traceparent"] for each in up.requests)
    assert checked == f"00-{TRACE}-{span.context.span_id:016x}-01"
    assert unchecked == CALLER


@pytest.mark.parametrize(("script", "error"), [
    (CHUNKED + chunked(frame("A.")), "upstream_error"),
    (b"HTTP/1.1 429 No\r\nContent-Length: 0\r\n\r\n", "429"),
    (b"", "502"),
])  # fmt: skip
async def test_an_answer_that_failed_names_the_error(script, error):
    async with traced(script) as (base, _, told):
        await ask(base, ASKED)
    (span,) = told.spans
    assert span.attributes["error.type"] == error
    assert span.status.status_code is StatusCode.ERROR


async def test_neither_spans_nor_events_hold_text_or_keys():
    scripts = (
        CHUNKED + chunked(answer("Zanzibar costs $10.") + frame(finish="stop") + DONE) + END,
        CHUNKED + chunked(b"data: {Zanzibar\n\n"),
        CHUNKED + chunked(b'data: {"error":{"message":"Zanzibar"}}\n\n') + END,
        b"HTTP/1.1 500 Zanzibar\r\nContent-Length: 8\r\n\r\nZanzibar",
        b"Zanzibar\r\n\r\n",
    )
    asked = {
        "model": "mock",
        "messages": [{"role": "user", "content": "Zanzibar?"}],
        "streamguard": {"chunks": ["A passage of Zanzibar."]},
    }
    for script in scripts:
        async with traced(script) as (base, _, told):
            path = "/v1/chat/completions?key=sk-plant"
            await ask(base, asked, path, Authorization="Bearer sk-plant")
        assert told.spans
        assert "Zanzibar" not in told.everything
        assert "sk-plant" not in told.everything


async def test_traces_without_their_package_are_an_error(monkeypatch):
    monkeypatch.delitem(sys.modules, "streamguard.server.observe.tracing")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(ConfigError, match=r"OpenTelemetry is not installed: .*\[otel\]"):
        make_app(Settings("http://127.0.0.1:1", traces=True))


async def test_traces_that_nobody_keeps_are_told_of_at_the_start(monkeypatch, caplog):
    async with traced(WHOLE):
        assert "no OpenTelemetry SDK is set up" in caplog.text
    caplog.clear()
    provider = TracerProvider(shutdown_on_exit=False)
    monkeypatch.setattr("opentelemetry.trace._TRACER_PROVIDER", provider)
    async with traced(WHOLE):
        assert "no OpenTelemetry SDK is set up" not in caplog.text
