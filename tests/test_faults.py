"""Every kind of fault once through the proxy; `make faults` sends thousands."""

import pytest

from tests.programs.faults.client import Got
from tests.programs.faults.course import course
from tests.programs.faults.judge import faults_of, stripped
from tests.programs.faults.kinds import KINDS, made

SEED = 0  # in the default form, live


@pytest.mark.asyncio
@pytest.mark.parametrize("kind", KINDS)
async def test_a_fault_is_relayed_as_it_is_and_judged_honestly(kind):
    async with course() as sent:
        assert (await sent.run(kind, SEED), sent.crashes) == ([], [])


ID = "ab" * 16
TEXT = b'data: {"choices":[{"index":0,"delta":{"content":"A"},"finish_reason":null}]}\n\n'
ENDS = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
SAID = b'{"object":"streamguard.result","id":"%b","state":"complete","result":null}' % ID.encode()
KEY = b',"streamguard":' + SAID + b"}"
OURS = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":null}]' + KEY + b"\n\n"
NAMED = b"event: streamguard.result\ndata: " + SAID + b"\n\n"


@pytest.mark.parametrize(
    "body",
    [
        TEXT + ENDS + OURS + b"data: [DONE]\n\n",
        TEXT + ENDS[:-3] + KEY + b"\n\n" + b"data: [DONE]\n\n",
        TEXT + ENDS + NAMED + b"data: [DONE]\n\n",
        TEXT + ENDS + OURS.replace(b"\n", b"\r\n") + b"data: [DONE]\n\n",
    ],
)
def test_an_annotation_is_taken_out_and_nothing_else(body):
    expected = TEXT + ENDS + b"data: [DONE]\n\n"
    plain, found = stripped(body, ID, expected)
    assert plain == expected
    assert [each["id"] for each in found] == [ID]


def test_annotations_behind_a_frame_that_lacked_its_line_end_are_taken_out():
    expected = TEXT.rstrip()
    plain, found = stripped(expected + b"\n\n" + OURS + NAMED, ID, expected)
    assert plain == expected + b"\n\n"
    assert len(found) == 2


@pytest.mark.parametrize(
    ("change", "category"),
    [
        ({"status": 500}, "unlike"),
        ({"clean": False}, "unlike"),
        ({"body": TEXT[1:]}, "changed"),
        ({"body": TEXT + ENDS + OURS + OURS}, "unlike"),
    ],
)
def test_what_a_fault_does_not_allow_is_told(change, category):
    fault = made("ends_between_frames", 0).but(body=TEXT + ENDS, finished=None)
    right = {"status": 200, "headers": {"x-streamguard-id": ID}, "clean": True}
    right["body"] = TEXT + ENDS + OURS
    assert faults_of(fault, "chunk", Got(**right), None) == []
    assert category in {
        name for name, _ in faults_of(fault, "chunk", Got(**(right | change)), None)
    }


def test_a_broken_stream_with_a_clean_end_or_verdict_is_dishonest():
    fault = made("chunks_without_end", 0)
    got = Got(200, {"x-streamguard-id": ID}, fault.body, clean=True)
    stored = {"state": "complete", "result": {"complete": True, "status": "PASS"}}
    assert [name for name, _ in faults_of(fault, "chunk", got, stored)] == ["dishonest"] * 2
