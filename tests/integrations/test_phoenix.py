"""Phoenix's own clients, with a service on loopback and the keys of Phoenix's own types."""

import asyncio
import logging
import sys

import pytest

pytest.importorskip("phoenix.client", reason="needs the extra phoenix: make test-integrations")

import httpx
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import format_span_id
from phoenix.client import AsyncClient, Client
from phoenix.client.__generated__ import v1

from streamguard import guard, guard_sync
from streamguard.errors import ConfigError
from streamguard.sinks.phoenix import phoenix_sink
from tests.integrations.cases import CONTEXT, EXPECTED, PIECES
from tests.integrations.checks import check_example
from tests.integrations.services import service

SPAN = "b7ad6b7169203331"
PATH = "/v1/span_annotations"


@pytest.fixture
def phoenix():
    with service(v1__span_annotations=(200, {"data": []})) as known:
        yield known


def check(sink, **options):
    with guard_sync(iter(PIECES), context=CONTEXT, sinks=[sink], **options) as stream:
        assert list(stream.items()) == PIECES
    return stream.annotation


def told(known):
    """Return the annotations of the one request, by name; their keys are those of its type."""
    (sent,) = known.to(PATH)
    kind, result = v1.SpanAnnotationData, v1.AnnotationResult
    for each in sent.json["data"]:
        assert kind.__required_keys__ <= set(each)
        assert set(each) <= kind.__required_keys__ | kind.__optional_keys__
        assert set(each["result"]) <= result.__required_keys__ | result.__optional_keys__
    return {each["name"]: each for each in sent.json["data"]}


def test_status_verdict_and_scores_are_annotations_of_the_span(phoenix):
    with httpx.Client(base_url=phoenix.base, headers={"api_key": "k"}) as http:
        annotation = check(phoenix_sink(Client(http_client=http), span_id=SPAN))
    found = told(phoenix)
    assert found["streamguard.status"] == {
        "name": "streamguard.status",
        "annotator_kind": "CODE",
        "span_id": SPAN,
        "identifier": f"{annotation.id}-0-status",
        "result": {"label": "WARN"},
        "metadata": {"streamguard.id": annotation.id, "choice": 0, "ended": "complete"},
    }
    assert found["streamguard.relevance"]["result"] == {"score": EXPECTED.scores.relevance}
    assert "streamguard.verdict" not in found


def test_an_asynchronous_client_is_awaited_and_the_current_span_meant(phoenix):
    tracer = TracerProvider(shutdown_on_exit=False).get_tracer("test")

    async def source():
        for piece in PIECES:
            yield piece

    async def run():
        async with httpx.AsyncClient(base_url=phoenix.base) as http:
            sink = phoenix_sink(AsyncClient(http_client=http))
            async with guard(source(), context=CONTEXT, sinks=[sink]) as stream:
                assert [item async for item in stream.items()] == PIECES

    with tracer.start_as_current_span("chat") as span:
        asyncio.run(run())
    assert {each["span_id"] for each in told(phoenix).values()} == {
        format_span_id(span.get_span_context().span_id)
    }


def test_no_annotation_holds_text_unless_asked(phoenix):
    with httpx.Client(base_url=phoenix.base) as http:
        check(phoenix_sink(Client(http_client=http), span_id=SPAN))
        assert b"Basic" not in phoenix.sent[0].body
        phoenix.sent.clear()
        check(phoenix_sink(Client(http_client=http), span_id=SPAN, explain=True))
    assert "$49 per month" in told(phoenix)["streamguard.status"]["result"]["explanation"]


@pytest.mark.parametrize(
    ("span", "status", "said"),
    [(None, 200, "phoenix_sink has no span"), (SPAN, 401, "401 Unauthorized")],
)
def test_what_fails_is_logged_and_the_stream_passes(phoenix, caplog, span, status, said):
    phoenix.answers[PATH] = (status, {})
    with httpx.Client(base_url=phoenix.base) as http, caplog.at_level(logging.ERROR):
        assert check(phoenix_sink(Client(http_client=http), span_id=span)).state == "complete"
    assert said in caplog.text


def test_without_its_package_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(ConfigError, match=r"pip install '\.\[phoenix\]'"):
        phoenix_sink(None)


def test_the_example_runs(phoenix, monkeypatch):
    monkeypatch.setenv("PHOENIX_COLLECTOR_ENDPOINT", phoenix.base)
    check_example("with_phoenix")
    assert told(phoenix)["streamguard.status"]["result"] == {"label": "WARN"}
