"""OpenTelemetry's own SDK, with an exporter in memory."""

import re

import pytest

for name in ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"):
    pytest.importorskip(name, reason="needs OpenTelemetry's SDK: make test-integrations")

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import (
    BatchLogRecordProcessor,
    InMemoryLogRecordExporter,
    SimpleLogRecordProcessor,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from streamguard import Policy, guard_sync
from streamguard.core.machine.choices import ChoiceGuards
from streamguard.integrations.opentelemetry import opentelemetry_sink
from tests.integrations.cases import ANSWER, CONTEXT, EXPECTED, PIECES
from tests.integrations.services import service


class Telemetry:
    def __init__(self):
        self._exporter = InMemoryLogRecordExporter()
        self.provider = LoggerProvider()
        self.provider.add_log_record_processor(SimpleLogRecordProcessor(self._exporter))

    @property
    def records(self):
        return [each.log_record for each in self._exporter.get_finished_logs()]

    def events(self, **options):
        """Check the answer; return the attributes of each event by the evaluation's name."""
        sink = opentelemetry_sink(self.provider, **options)
        with guard_sync(iter(PIECES), context=CONTEXT, sinks=[sink]) as stream:
            assert list(stream.items()) == PIECES
        assert {each.event_name for each in self.records} == {"gen_ai.evaluation.result"}
        return {each.attributes["gen_ai.evaluation.name"]: each.attributes for each in self.records}


@pytest.fixture
def telemetry():
    return Telemetry()


def test_status_verdict_and_scores_are_events_without_text(telemetry):
    events = telemetry.events()
    assert events["streamguard.status"]["gen_ai.evaluation.score.label"] == "WARN"
    assert "streamguard.verdict" not in events  # there is one verdict, but for literal matching
    value = events["streamguard.relevance"]["gen_ai.evaluation.score.value"]
    assert value == EXPECTED.scores.relevance
    for attributes in events.values():
        assert not {"error.type", "gen_ai.evaluation.explanation"} & attributes.keys()
        assert not re.search(r"Basic|\$", str(attributes))
    explained = Telemetry().events(explain=True)["streamguard.status"]
    said = explained["gen_ai.evaluation.explanation"]
    assert EXPECTED.reasons[0].message in said
    assert "$49 per month" in said


def test_events_say_which_choice_they_are_of_and_an_unchecked_stream_has_none(telemetry):
    sink = opentelemetry_sink(telemetry.provider)
    policy = Policy(validation_enabled=False)
    with guard_sync(iter(PIECES), policy=policy, sinks=[sink]) as stream:
        assert list(stream.items()) == PIECES
    assert telemetry.records == []
    guards = ChoiceGuards(CONTEXT)
    guards.feed({0: "It costs $49.", 1: "It costs $59."})
    sink(guards.close("0" * 32))
    told = {
        (each.attributes["streamguard.choice"], each.attributes["gen_ai.evaluation.name"])
        for each in telemetry.records
    }
    assert {(0, "streamguard.status"), (1, "streamguard.status")} <= told


def spans_in_memory():
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider, exporter


def test_the_current_span_is_told_the_verdict(telemetry):
    provider, exporter = spans_in_memory()
    with provider.get_tracer("test").start_as_current_span("chat"):
        telemetry.events(spans=True)
    (span,) = exporter.get_finished_spans()
    assert span.attributes["streamguard.status"] == "WARN"
    assert span.attributes["streamguard.flags"] == EXPECTED.flags
    assert {each.span_id for each in telemetry.records} == {span.context.span_id}
    assert span.status.status_code is StatusCode.UNSET


def test_without_a_current_span_the_verdict_has_one_of_its_own_which_names_the_error(telemetry):
    provider, exporter = spans_in_memory()
    telemetry.events(spans=True, tracer_provider=provider)
    (span,) = exporter.get_finished_spans()
    assert span.name == "streamguard evaluate"
    assert span.attributes["streamguard.status"] == "WARN"
    assert "streamguard.verdict" not in span.attributes
    assert {each.span_id for each in telemetry.records} == {span.context.span_id}
    sink = opentelemetry_sink(telemetry.provider, spans=True, tracer_provider=provider)

    def source():
        yield ANSWER
        raise OSError("the line is cut")

    with guard_sync(source(), context=CONTEXT, sinks=[sink]) as stream:
        with pytest.raises(OSError, match="the line is cut"):
            list(stream)
    span = exporter.get_finished_spans()[-1]
    assert span.attributes["error.type"] == "upstream_error"
    assert span.status.status_code is StatusCode.ERROR


def test_events_and_spans_arrive_at_a_collector():
    with service() as collector:
        spans = TracerProvider(shutdown_on_exit=False)
        spans.add_span_processor(
            SimpleSpanProcessor(OTLPSpanExporter(f"{collector.base}/v1/traces"))
        )
        logs = LoggerProvider(shutdown_on_exit=False)
        exporter = OTLPLogExporter(f"{collector.base}/v1/logs")
        logs.add_log_record_processor(BatchLogRecordProcessor(exporter))
        sink = opentelemetry_sink(logs, spans=True, tracer_provider=spans)
        with guard_sync(iter(PIECES), context=CONTEXT, sinks=[sink]) as stream:
            list(stream)
        logs.shutdown()
        spans.shutdown()
    (traces,) = [ExportTraceServiceRequest.FromString(s.body) for s in collector.to("/v1/traces")]
    (logged,) = [ExportLogsServiceRequest.FromString(s.body) for s in collector.to("/v1/logs")]
    (span,) = traces.resource_spans[0].scope_spans[0].spans
    records = logged.resource_logs[0].scope_logs[0].log_records
    assert {each.event_name for each in records} == {"gen_ai.evaluation.result"}
    assert {each.span_id for each in records} == {span.span_id}
    labels = {value.key: value.value.string_value for value in span.attributes}
    assert labels["streamguard.status"] == "WARN"
