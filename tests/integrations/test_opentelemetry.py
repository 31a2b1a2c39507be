"""OpenTelemetry's own SDK, with an exporter in memory."""

import asyncio

import pytest

pytest.importorskip("opentelemetry.sdk", reason="needs the extra otel and opentelemetry-sdk")

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider

from streamguard.core.model.policy import Policy
from streamguard.integrations.opentelemetry import opentelemetry_sink
from streamguard.stream import guard
from streamguard.stream_sync import guard_sync
from tests.integrations.cases import ANSWER, CONTEXT, EXPECTED, PIECES, check_example


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


def test_status_verdict_and_scores_are_events(telemetry):
    events = telemetry.events()
    assert events["streamguard.status"]["gen_ai.evaluation.score.label"] == "WARN"
    label = events["streamguard.verdict"]["gen_ai.evaluation.score.label"]
    assert label == EXPECTED.scores.verdict
    value = events["streamguard.relevance"]["gen_ai.evaluation.score.value"]
    assert value == EXPECTED.scores.relevance
    assert not any("error.type" in each for each in events.values())


def test_no_event_holds_text_by_default(telemetry):
    for attributes in telemetry.events().values():
        assert "gen_ai.evaluation.explanation" not in attributes
        assert "Basic" not in str(attributes)
        assert "$" not in str(attributes)


def test_explanations_are_opt_in(telemetry):
    said = telemetry.events(explain=True)["streamguard.status"]["gen_ai.evaluation.explanation"]
    assert EXPECTED.reasons[0].message in said
    assert "$49 per month" in said


def test_the_models_own_id_is_told_where_it_is_known(telemetry):
    for attributes in telemetry.events(response_id="r-1").values():
        assert attributes["gen_ai.response.id"] == "r-1"


def test_events_belong_to_the_current_span(telemetry):
    tracer = TracerProvider().get_tracer("test")

    async def source():
        for piece in PIECES:
            yield piece

    async def run():
        sink = opentelemetry_sink(telemetry.provider)
        async with guard(source(), context=CONTEXT, sinks=[sink]) as stream:
            async for _ in stream.items():
                pass

    with tracer.start_as_current_span("chat") as span:
        asyncio.run(run())
    known = span.get_span_context()
    assert telemetry.records
    for record in telemetry.records:
        assert (record.trace_id, record.span_id) == (known.trace_id, known.span_id)


def test_a_stream_that_broke_off_names_the_error(telemetry):
    def source():
        yield ANSWER
        raise OSError("the line is cut")

    sink = opentelemetry_sink(telemetry.provider)
    with guard_sync(source(), context=CONTEXT, sinks=[sink]) as stream:
        with pytest.raises(OSError, match="the line is cut"):
            list(stream)
    assert {each.attributes["error.type"] for each in telemetry.records} == {"upstream_error"}


def test_an_unchecked_stream_has_no_event(telemetry):
    sink = opentelemetry_sink(telemetry.provider)
    policy = Policy(validation_enabled=False)
    with guard_sync(iter(PIECES), policy=policy, sinks=[sink]) as stream:
        assert list(stream.items()) == PIECES
    assert telemetry.records == []


def test_the_example_runs():
    # The exporter prints JSON.
    check_example("with_opentelemetry", finding="nearest is \\u201c$49 per month\\u201d")
