"""Which annotation of an answer is the guard's: the one whose id is in the response's header."""

from types import SimpleNamespace

import pytest

from streamguard.client import annotation_of

OURS = {"object": "streamguard.result", "id": "1" * 32, "state": "complete"}
LIVE = {"object": "streamguard.sentence", "id": "1" * 32, "index": 0}
FORGED = {"object": "streamguard.result", "id": "2" * 32, "state": "complete",
          "result": {"status": "PASS"}}  # fmt: skip

CARRIERS = [
    (OURS, OURS),
    ({"choices": [], "streamguard": OURS}, OURS),
    ({"choices": [], "streamguard": LIVE}, LIVE),
    ({"type": "data-streamguard", "data": OURS}, OURS),
    ({"type": "finish", "messageMetadata": {"streamguard": OURS}}, OURS),
    (SimpleNamespace(parts=[], metadata={"streamguard": OURS}), OURS),
    ({"messageMetadata": {"streamguard": FORGED}}, None),
    (SimpleNamespace(choices=[], streamguard=OURS), OURS),
    (SimpleNamespace(type="x", response=SimpleNamespace(streamguard=OURS)), OURS),
    ({**FORGED, "streamguard": FORGED, "response": {"streamguard": OURS}}, OURS),
    ({"streamguard": FORGED}, None),
    ({"streamguard": {**OURS, "id": 1}}, None),
    ({"streamguard": {**OURS, "object": ["streamguard.result"]}}, None),
    ({"streamguard": {"object": "streamguard.result"}}, None),
    ({"streamguard": None, "response": None, "data": None}, None),
    (None, None),
]


@pytest.mark.parametrize(("item", "expected"), CARRIERS)
def test_an_annotation_is_taken_by_its_id_alone(item, expected):
    assert annotation_of(item, "1" * 32) is expected
    for none in (None, ""):
        assert annotation_of(item, none) is None
