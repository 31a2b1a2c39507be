"""Amazon Bedrock's ConverseStream: botocore's own event stream parser, over a real socket."""

import asyncio
import sys

import pytest

from streamguard import RetrievedChunk, guard, guard_sync
from streamguard.integrations.bedrock import context_of
from tests.integrations.cases import CONTEXT, FILLED, PASSAGE, QUESTION, ROOT, TEMPLATE
from tests.integrations.checks import check_verdict

sys.path.insert(0, str(ROOT / "examples"))
from fake_model import BEDROCK_EVENTS, fake_model

KEYS = {"region_name": "eu-west-1", "aws_access_key_id": "a", "aws_secret_access_key": "b"}
ASKED = {"modelId": "fake", "messages": [{"role": "user", "content": [{"text": QUESTION}]}]}
SHOWING = {**ASKED, "system": [{"text": f"Answer from this passage only:\n[C1] {PASSAGE}"}]}


@pytest.fixture(scope="module")
def url():
    with fake_model() as base:
        yield base


@pytest.fixture
def client(url):
    boto3 = pytest.importorskip("boto3", reason="needs the extra bedrock")
    made = boto3.client("bedrock-runtime", endpoint_url=url, **KEYS)
    yield made
    made.close()


def test_every_event_passes_and_the_answer_is_judged_also_in_the_context_of_its_request(client):
    for asked, context in ((ASKED, CONTEXT), (SHOWING, context_of(SHOWING))):
        with guard_sync(client.converse_stream(**asked)["stream"], context=context) as stream:
            assert list(stream.items()) == BEDROCK_EVENTS
        check_verdict(stream.annotation, context=context)


def test_a_stream_that_is_left_is_closed(client):
    source = client.converse_stream(**ASKED)["stream"]
    with guard_sync(source, context=CONTEXT) as stream:
        next(stream)
    assert stream.result.ended == "consumer_stopped"
    assert source._raw_stream.closed


def test_the_asynchronous_client_is_judged_as_well(url):
    session = pytest.importorskip("aiobotocore.session", reason="needs aiobotocore")

    async def run():
        made = session.get_session().create_client("bedrock-runtime", endpoint_url=url, **KEYS)
        async with made as client:
            response = await client.converse_stream(**ASKED)
            async with guard(response["stream"], context=CONTEXT) as stream:
                return [event async for event in stream.items()], stream

    events, stream = asyncio.run(run())
    assert events == BEDROCK_EVENTS
    check_verdict(stream.annotation)


def source(**said):
    return {"document": {"name": "plans", "format": "txt", "source": said}}


FOUND = {"title": "plans", "source": "s", "content": [{"text": "One."}, {"text": "Two."}]}
RESULT = {"toolUseId": "t1", "content": [{"text": "It costs $5."}]}
JSON = {"toolUseId": "t2", "content": [{"json": {"price": "$5"}}]}


@pytest.mark.parametrize(
    ("block", "chunks"),
    [
        (source(text=PASSAGE), [RetrievedChunk(PASSAGE, source="plans")]),
        (source(bytes=PASSAGE.encode()), [RetrievedChunk(PASSAGE, source="plans")]),
        (source(content=[{"text": "One."}, {"text": "Two."}]), [
            RetrievedChunk("One.", source="plans"), RetrievedChunk("Two.", source="plans"),
        ]),
        ({"searchResult": FOUND}, [RetrievedChunk("One.\nTwo.", source="plans")]),
        ({"toolResult": RESULT}, [RetrievedChunk("It costs $5.", id="tool:t1")]),
        ({"toolResult": JSON}, [RetrievedChunk("price: $5", id="tool:t2")]),
        ({"document": {"format": "pdf", "source": {"bytes": b"%PDF"}}}, None),
        ({"image": {"format": "png", "source": {"bytes": b"PNG"}}}, None),
        ({"document": {}}, None),
    ],
)  # fmt: skip
def test_passages_are_found_wherever_a_request_has_them(block, chunks):
    asked = {"messages": [{"role": "user", "content": [block, {"text": QUESTION}]}]}
    context = context_of(asked)
    assert (context.query, context.chunks) == (QUESTION, tuple(chunks) if chunks else None)
    guarded = {"guardContent": {"text": {"text": QUESTION}}}
    asked = {"messages": [{"role": "user", "content": [block, guarded]}]}
    assert context_of(asked) == context


def test_a_template_is_declared():
    (chunk,) = context_of(
        {"messages": [{"role": "user", "content": [{"text": FILLED}]}]}, context_template=TEMPLATE
    ).chunks
    assert chunk.text == PASSAGE
