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


def annotate(items):
    with guard_sync(iter(items), context=CONTEXT) as stream:
        assert list(stream.items()) == items
    return stream.annotation


@pytest.mark.parametrize("lines", [CHAT, GENERATE], ids=["chat", "generate"])
def test_lines_are_judged(lines):
    check_verdict(annotate(lines))


@pytest.mark.parametrize("lines", [CHAT, GENERATE], ids=["chat", "generate"])
def test_lines_without_the_last_one_broke_off(lines):
    assert annotate(lines[:-1]).result.ended == "upstream_error"


@pytest.mark.parametrize("name", ["ChatResponse", "GenerateResponse"])
def test_the_clients_objects_are_judged(name):
    ollama = pytest.importorskip("ollama", reason="needs ollama: make test-integrations")
    lines = CHAT if name == "ChatResponse" else GENERATE
    check_verdict(annotate([getattr(ollama, name)(**line) for line in lines]))
