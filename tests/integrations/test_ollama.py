"""Ollama's own client objects, and the lines its server sends."""

import pytest

from streamguard.stream_sync import guard_sync
from tests.integrations.cases import CONTEXT, PIECES
from tests.integrations.checks import check_verdict

LAST = {"done": True, "done_reason": "stop"}
CHAT = [
    *({"message": {"role": "assistant", "content": piece}, "done": False} for piece in PIECES),
    {"message": {"role": "assistant", "content": ""}, **LAST},
]
GENERATE = [*({"response": piece, "done": False} for piece in PIECES), {"response": "", **LAST}]


@pytest.mark.parametrize("made", [False, True])
def test_lines_and_the_clients_objects_are_judged_and_break_off_without_the_last_one(made):
    for name, items in (("ChatResponse", CHAT), ("GenerateResponse", GENERATE)):
        if made:
            ollama = pytest.importorskip("ollama", reason="needs ollama: make test-integrations")
            items = [getattr(ollama, name)(**line) for line in items]
        for told in (items, items[:-1]):
            with guard_sync(iter(told), context=CONTEXT) as stream:
                assert list(stream.items()) == told
            if told is items:
                check_verdict(stream.annotation)
            else:
                assert stream.result.ended == "upstream_error"
