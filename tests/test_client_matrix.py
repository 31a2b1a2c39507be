"""What the client matrix calls broken, and what its tables say."""

import pytest

from tests.clients import matrix
from tests.clients.compare import broken
from tests.clients.installing import ROOT
from tests.clients.run import FEWER, ROUTES, SCENARIOS, SLICE, plan

DIRECT = {
    "client": "openai Python 3", "protocol": "chat", "route": "direct", "model": "text",
    "sees": ["own", "attach"], "blind": [], "last_finish": False, "header": True, "fails": [],
    "text": {"0": "Hi."}, "thought": "", "tool_args": "", "usage": None, "error": None,
    "finish_reason": {"0": "stop"}, "annotation": None, "annotation_chars": 0, "id": None,
}  # fmt: skip
THROUGH = {**DIRECT, "route": "default", "annotation": "a1", "annotation_chars": 900, "id": "a1"}


def test_an_answer_that_is_the_same_with_its_annotation_is_not_broken():
    assert broken(DIRECT, THROUGH) == []


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
def test_whatever_changes_is_said(changed, said):
    assert said in broken(DIRECT, {**THROUGH, **changed})


def test_a_client_that_fails_by_itself_is_no_proof():
    failing = {"error": "TypeError: no"}
    assert broken({**DIRECT, **failing}, {**THROUGH, **failing})
    known = {**failing, "fails": ["text"]}
    assert broken({**DIRECT, **known}, {**THROUGH, **known}) == []
    meant = {**failing, "model": "error"}
    assert broken({**DIRECT, **meant}, {**THROUGH, **meant}) == []


def test_a_loop_over_the_last_chunk_may_lose_its_finish_reason_in_the_default_form_alone():
    loop = {**THROUGH, "last_finish": True, "finish_reason": {"0": None}}
    assert broken(DIRECT, loop) == []
    assert broken(DIRECT, {**loop, "route": "attach"})
    assert broken(DIRECT, {**loop, "model": "usage"})


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


def test_the_short_table_joins_versions_and_ways_to_use_a_package():
    rows = matrix.short_table(list(answers())).splitlines()
    assert rows[2] == "| openai Python 1, 3 | in band | in band |  |  |"
    assert rows[3] == "| loops by hand | in band with `attach` |  |  |  |"
    assert len(rows) == 7


def test_the_counts_and_the_loops_that_lose_a_finish_reason_are_told():
    told = [*answers(), {**THROUGH, "broken": [], "last_finish": True, "route": "attach"}]
    assert matrix.counts(told).endswith("the default form 1 of 7, with `attach` 0 of 1.")
    assert matrix.habits(told).endswith("not with `attach`: openai Python 3.")
    assert matrix.habits(list(answers())) == ""


def test_the_page_has_a_place_for_the_matrix():
    page = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    written = matrix.put(page, "| new |")
    assert written.count("| new |") == 1
    assert matrix.put(written, "x") == matrix.put(page, "x")


def test_the_slice_asks_for_every_scenario_in_the_default_form_and_for_no_route_of_its_own():
    assert SLICE["default"] == SLICE["direct"] == SCENARIOS
    assert all(set(SLICE[route]) <= set(ROUTES[route][0]) for route in SLICE)
    steps = plan({"direct": "d", "proxied": "p", "slow": "s"}, SLICE)
    assert {step["base"] for step in steps} == {"d", "p", "s"}
    assert set(FEWER) < set(SCENARIOS)
