"""What the client matrix calls broken, and what its tables say."""

import pytest

from tests.clients import matrix
from tests.clients.compare import broken

DIRECT = {
    "client": "openai Python 3", "protocol": "chat", "route": "direct", "model": "text",
    "sees": ["own", "attach"], "blind": [], "last_finish": False, "header": True, "fails": [],
    "text": {"0": "Hi."}, "thought": "", "tool_args": "", "usage": None, "error": None,
    "finish_reason": {"0": "stop"}, "annotation": None, "annotation_chars": 0, "id": None,
}  # fmt: skip
THROUGH = {**DIRECT, "route": "default", "annotation": "a1", "annotation_chars": 900, "id": "a1"}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"text": {"0": "Hi"}}, "text is {'0': 'Hi'}, without the proxy {'0': 'Hi.'}"),
        ({"tool_args": "{"}, "tool_args is '{', without the proxy ''"),
        ({"usage": {"n": 1}}, "usage is {'n': 1}, without the proxy None"),
        ({"finish_reason": {}}, "finish_reason is {}, not {'0': 'stop'}"),
        ({"id": None}, "no id in the headers"),
        ({"annotation": None}, "annotation not seen"),
        ({"annotation": "b2"}, "annotation b2, header a1"),
        ({"sees": []}, "annotation seen, which the table denies"),
        ({"blind": ["text"]}, "annotation seen, which the table denies"),
        ({"model": "long"}, "annotation of 900 characters, 140000 meant"),
    ],
)
def test_whatever_changes_is_said_and_nothing_else(changed, said):
    assert broken(DIRECT, THROUGH) == []
    assert said in broken(DIRECT, {**THROUGH, **changed})


def test_what_a_client_does_without_the_proxy_as_well_is_not_held_against_it():
    failing = {"error": "TypeError: no", "fails": ["text"]}
    assert broken({**DIRECT, **failing}, {**THROUGH, **failing}) == []
    loop = {**THROUGH, "last_finish": True, "finish_reason": {"0": None}}
    assert broken(DIRECT, loop) == []
    assert broken(DIRECT, {**loop, "route": "attach"})


def answers():
    for client, protocol, more in (
        ("openai Python 1", "chat", {}),
        ("openai Python 3, helper", "chat", {}),
        ("openai Python 3, loop left at finish_reason", "chat", {"sees": ["attach"]}),
        ("openai Python 3", "responses", {}),
        ("EventSource in Chromium", "events", {"sees": ["event"], "header": False}),
        ("ollama Python", "ollama_chat", {"sees": []}),
        ("ollama JS", "ollama_chat", {"broken": ["text"]}),
    ):
        yield {"broken": [], **THROUGH, "client": client, "protocol": protocol, **more}


def test_the_table_says_where_each_client_reads_the_annotation():
    rows = matrix.table(list(answers())).splitlines()
    assert rows[0] == "| client | Chat Completions | Responses | Ollama chat | plain events |"
    assert rows[2] == "| openai Python 1 | in band |  |  |  |"
    assert rows[4].endswith("loop left at finish_reason | in band with `attach` |  |  |  |")
    assert rows[6] == "| EventSource in Chromium |  |  |  | in band with `event` |"
    assert rows[7] == "| ollama Python |  |  | header |  |"
    assert rows[8] == "| ollama JS |  |  | breaks 1 of 1 |  |"


def test_the_short_table_joins_versions_and_the_counts_say_what_broke():
    rows = matrix.short_table(list(answers())).splitlines()
    assert rows[2] == "| openai Python 1, 3 | in band | in band |  |  |"
    assert len(rows) == 7
    assert matrix.counts(list(answers())).endswith("form 1 of 7, with `attach` 0 of 0.")
