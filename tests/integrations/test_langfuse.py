"""Langfuse's own client, with a service on loopback that reads scores by Langfuse's own model."""

import base64
import logging

import pytest

pytest.importorskip("langfuse", reason="needs the extra langfuse: make test-integrations")

from langfuse import Langfuse
from langfuse.api import CreateScoreRequest
from langfuse.api.core.pydantic_utilities import parse_obj_as
from opentelemetry.sdk.trace import TracerProvider

from streamguard.sinks.langfuse import langfuse_sink
from streamguard.stream_sync import guard_sync
from tests.integrations.cases import CONTEXT, EXPECTED, PIECES
from tests.integrations.services import service

TRACE = "0af7651916cd43dd8448eb211c80319c"
SCORES = "/api/public/scores"


@pytest.fixture(scope="module")
def running():
    """A service and one client: Langfuse keeps one set of threads per key for the process."""
    accepted = {"api__public__scores": (202, {"message": "Accepted"})}
    with service(**accepted) as known:
        client = Langfuse(
            public_key="pk-test",
            secret_key="sk-test",
            base_url=known.base,
            tracer_provider=TracerProvider(),
        )
        yield known, client
        client.shutdown()


@pytest.fixture
def langfuse(running):
    known, client = running
    known.sent.clear()
    return known, client


def check(sink):
    with guard_sync(iter(PIECES), context=CONTEXT, sinks=[sink]) as stream:
        list(stream.items())
    return stream.annotation


def scores(known, client):
    """Return what the service got, by name, each read by the model of Langfuse's interface."""
    client.flush()
    sent = [score for request in known.to(SCORES) for score in request.json]
    assert len({score["id"] for score in sent}) == len(sent)
    return {score["name"]: parse_obj_as(CreateScoreRequest, score) for score in sent}


def test_status_verdict_and_scores_are_scores_of_the_trace_without_text(langfuse):
    known, client = langfuse
    annotation = check(langfuse_sink(client, trace_id=TRACE, observation_id="b7ad6b7169203331"))
    told = scores(known, client)
    status, relevance = told["streamguard.status"], told["streamguard.relevance"]
    assert (status.value, status.data_type) == ("WARN", "CATEGORICAL")
    assert (relevance.value, relevance.data_type) == (EXPECTED.scores.relevance, "NUMERIC")
    assert "streamguard.verdict" not in told
    for score in told.values():
        assert (score.trace_id, score.observation_id) == (TRACE, "b7ad6b7169203331")
        assert score.metadata == {"streamguard.id": annotation.id, "choice": 0, "ended": "complete"}
        assert score.comment is None
    assert b"Basic" not in b"".join(each.body for each in known.sent)
    asked = known.to(SCORES)[0].headers["Authorization"]
    assert asked == "Basic " + base64.b64encode(b"pk-test:sk-test").decode()


def test_scores_belong_to_the_current_observation_and_have_the_same_ids_when_told_again(langfuse):
    known, client = langfuse
    sink = langfuse_sink(client)
    with client.start_as_current_observation(name="answer") as span:
        annotation = check(sink)
        told = scores(known, client)
        known.sent.clear()
        sink(annotation)
    assert len(told) > 2
    for score in told.values():
        assert (score.trace_id, score.observation_id) == (span.trace_id, span.id)
    again = scores(known, client)
    assert {n: each.id for n, each in again.items()} == {n: each.id for n, each in told.items()}


def test_without_a_trace_the_stream_passes_and_the_lack_is_logged(langfuse, caplog):
    known, client = langfuse
    with caplog.at_level(logging.ERROR):
        assert check(langfuse_sink(client)).state == "complete"
    assert "langfuse_sink has no trace" in caplog.text
    assert scores(known, client) == {}
