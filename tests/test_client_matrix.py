"""What the client matrix calls broken, and what its tables say."""

from tests.programs.clients import matrix
from tests.programs.clients.installing import ROOT

DIRECT = {
    "client": "openai Python 3", "protocol": "chat", "route": "direct", "model": "text",
    "sees": ["own", "attach"], "blind": [], "last_finish": False, "header": True, "fails": [],
    "text": {"0": "Hi."}, "thought": "", "tool_args": "", "usage": None, "error": None,
    "finish_reason": {"0": "stop"}, "annotation": None, "annotation_chars": 0, "id": None,
}  # fmt: skip
THROUGH = {**DIRECT, "route": "default", "annotation": "a1", "annotation_chars": 900, "id": "a1"}


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


def test_the_page_has_a_place_for_the_matrix():
    page = (ROOT / "benchmarks" / "results" / "clients.md").read_text(encoding="utf-8")
    written = matrix.put(page, "| new |")
    assert written.count("| new |") == 1
    assert matrix.put(written, "x") == matrix.put(page, "x")
