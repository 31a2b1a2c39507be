import asyncio
import contextlib
import gzip
import io
import json
import os
import re
import socket
import subprocess
import sys
import urllib.request

import pytest
from rich.console import Console

import streamguard.demo
from streamguard.cli import main
from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.core.context import Context
from streamguard.core.model.result import Annotation, StreamReport
from streamguard.core.model.types import FLAGS
from streamguard.core.validate import check_text
from streamguard.core.verdict.closing import BANNERS
from streamguard.demo.cases import CASES, SHORT
from streamguard.demo.knowledge import PASSAGES
from streamguard.demo.notes import marked_sentences
from streamguard.demo.page import last_words, next_steps, tour
from streamguard.demo.panel import panel
from streamguard.demo.recordings import spread
from streamguard.demo.runner import stumbling_check
from streamguard.demo.tour import (
    AMBER,
    LOW,
    NEEDLESS,
    PLAIN,
    STOPS,
    UNDERLINE,
    WITHHELD,
    Stop,
    seen,
)
from streamguard.settings import VARIABLES
from tests.kit.terminal import PATIENCE_S, in_a_terminal, until


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch):
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


def checked(case):
    chunks = None if case.passages is None else [PASSAGES[key] for key in case.passages]
    asked_for_citations = case.context_in == "prompt" and bool(chunks)
    context = Context(query=case.question, chunks=chunks, citations_requested=asked_for_citations)
    return check_text(case.answer, context=context, checks=DEFAULT_CHECKS.plus(stumbling_check))


def test_the_built_in_answers_come_out_as_their_cases_say_and_show_every_flag():
    cases = [case for case in CASES if not (case.judged or case.broken)]
    results = [checked(case) for case in cases]
    said = [(case.title, case.status, case.flags) for case in cases]
    found = zip(cases, results, strict=True)
    assert [(case.title, result.status, result.flags) for case, result in found] == said
    assert {flag for case in CASES for flag in case.flags} == set(FLAGS)
    assert {case.status for case in CASES} == {"PASS", "WARN", "REFUSE", None}
    assert sum(case.status == "PASS" and not case.flags for case in CASES) >= 2


def test_six_answers_show_what_it_is_for_and_the_demo_ends_with_what_to_type_next(capsys):
    assert main(["demo", "--rate", "0"]) == 0
    played = capsys.readouterr().out
    lines = played.splitlines()
    assert len(lines) <= 60
    signs = {"PASS": "✔", "WARN": "⚠", "REFUSE": "✖"}
    verdicts = [line.split()[:2] for line in lines if line[:3].strip() in signs.values()]
    assert verdicts == [[signs[case.status], case.status] for case in SHORT]
    for case in SHORT:
        assert case.title in played
    for said in (
        "“$15”; the passage says “$12” (prices.md).",
        "The passages give “21:00” for Old Port (stations.md), and “19:00” for Mill Square",
        "The answer declines, though a passage says “A bike that is left",
        "The judge (scripted) reads a contradiction; the passage says “damage by water is not",
        "The answer broke off before its end.",
        "every answer arrived as recorded, to the last character",
    ):  # fmt: skip
        assert said in played
    assert played.endswith(f"{next_steps()}\n")
    assert "demo --all" in next_steps()


def test_the_judges_answers_are_found_by_a_judge_alone():
    (case,) = [case for case in SHORT if case.judged]
    assert checked(case).status == "PASS"


@pytest.mark.slow
def test_where_nobody_reads_the_demo_streams_every_answer_asks_the_chat_and_ends_by_itself():
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    done = subprocess.run(
        [sys.executable, "-m", "streamguard", "demo", "--all"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        env={**environment, "PYTHONUTF8": "1"},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    played = done.stdout.decode()
    for case in CASES:
        assert case.title in played
        assert case.answer[:60] in played
    for said in (
        "✔ PASS", "⚠ WARN", "✖ REFUSE", "○ not evaluated",
        "This response was generated without supporting documentation.",
        "nearest evidence in C1: “A day pass costs $12 and covers",
        "every answer arrived as recorded, to the last character",
    ):  # fmt: skip
        assert said in played
    assert re.search(r"pieces checked, \d+ µs each", played)
    assert played.rstrip().endswith(last_words())
    told = played.partition("the chat page")[2]  # a question for each thing that its page shows
    for stop in STOPS:
        assert f"✔ {stop.shows}" in told
        assert stop.question in told
    for banner in BANNERS.values():
        assert banner.text in told
    assert f"all {len(STOPS)} came" in told


def test_a_banner_that_does_not_come_is_counted_and_named_with_what_came():
    out = io.StringIO()
    stop = Stop("yellow banner", "What are the vacation days?")
    missed = asyncio.run(tour(Console(file=out, width=100), [stop]))
    assert missed == 1
    assert "✖ yellow banner" in out.getvalue()
    assert "not seen; seen: plain bubble" in out.getvalue()
    assert "1 of 1 did not come" in out.getvalue()


@pytest.mark.slow
def test_on_a_terminal_the_demo_ends_with_the_page_open_and_an_interrupt_ends_it():
    with socket.socket() as taken:
        # The usual port is taken, if not by another program: another one is taken and named.
        with contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", 8090))
            taken.listen()
        with in_a_terminal("demo", "--all", "--rate", "0", status=0) as screen:
            shown = until(screen, rb"a page to open:\s+\S*?(http://127\.0\.0\.1:\d+)")
            base = shown[1].decode()
            assert base != "http://127.0.0.1:8090"
            with urllib.request.urlopen(f"{base}/", timeout=PATIENCE_S) as answer:
                assert b"<title>streamguard</title>" in answer.read()


@pytest.mark.slow
def test_an_interrupt_between_answers_ends_the_demo_without_a_trace():
    with in_a_terminal("demo", status=130) as screen:
        until(screen, rb"1/\d+")


NO_FAULT = {"extent": "none", "kind": "none"}
RESULT = {
    "banners": [], "refusal": NO_FAULT, "retrieval": {"confidence_level": "high"}, "findings": [],
    "status": "PASS", "reasons": [{"message": "rule 2"}],
}  # fmt: skip
DECLINES = {"extent": "whole", "kind": "over_refusal"}
INFO = {"severity": "info", "flag": "unsupported_claim", "message": "no evidence"}


@pytest.mark.parametrize(("change", "expected"), [
    ({}, {PLAIN: "Tea."}),
    ({"retrieval": None}, {PLAIN: "Tea."}),
    ({"retrieval": {"confidence_level": "low"}}, {LOW: "Tea."}),
    ({"findings": [INFO]}, {UNDERLINE: "no evidence"}),
    ({"findings": [{**INFO, "flag": "uncited_claim"}]}, {PLAIN: "Tea."}),
    ({"status": "REFUSE"}, {WITHHELD: "rule 2"}),
    ({"banners": [{"colour": "yellow", "text": "Hm."}]}, {"yellow banner": "Hm."}),
    ({"refusal": DECLINES, "retrieval": {"confidence_level": "low"}}, {AMBER: "Tea.",
     NEEDLESS: "Tea. The passages may hold an answer."}),
])  # fmt: skip
def test_what_the_page_shows_is_read_from_the_frames(change, expected):
    result = {**RESULT, **change}
    frames = [
        {"type": "token", "text": "Tea."},
        {"type": "result", "annotation": {"result": result}},
    ]
    assert seen(frames) == expected


def test_recorded_answers_of_ones_own_are_played_with_their_progress(tmp_path, capsys):
    path = tmp_path / "answers.jsonl.gz"
    rows = [
        {"question": f"Which number is {n}?", "chunks": [f"It is {n}."], "answer": f"It is {n}."}
        for n in range(9)
    ]
    path.write_bytes(
        gzip.compress("".join(f"{json.dumps(row)}\n" for row in [*rows, rows[0]]).encode())
    )
    assert main(["demo", "--data", str(path), "--count", "3"]) == 0
    out = capsys.readouterr().out
    for progress in ("1/3", "2/3", "3/3"):
        assert progress in out
    for number in (0, 3, 6):
        assert f"Which number is {number}?" in out
    assert "status  PASS 3" in out


@pytest.mark.parametrize(("records", "count", "chosen"), [
    (10, 5, [0, 2, 4, 6, 8]), (3, 5, [0, 1, 2]), (7, 3, [0, 2, 4]), (5, 1, [0]),
])  # fmt: skip
def test_the_chosen_records_are_spread_over_the_file(records, count, chosen):
    assert spread(list(range(records)), count) == chosen


@pytest.mark.parametrize("missing", ["rich.console", "openai"])
def test_a_missing_extra_is_named_with_what_to_install(monkeypatch, capsys, missing):
    monkeypatch.delitem(sys.modules, "streamguard.demo.runner", raising=False)
    monkeypatch.delattr(streamguard.demo, "runner", raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    assert main(["demo"]) == 1
    assert "pip install '.[demo]'" in capsys.readouterr().err


def printed(annotation, answer, chunks):
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=True, color_system="standard")
    console.print(panel(annotation, answer, chunks))
    return out.getvalue()


def annotated(answer, passage):
    result = check_text(answer, context=Context(chunks=[passage]))
    report = StreamReport(pieces=4, chars_scanned=len(answer), check_us=100.0)
    annotation = Annotation(id="0" * 32, state="complete", result=result, stream=report)
    return printed(annotation, answer, {"C1": passage})


def test_an_unsupported_sentence_is_underlined_numbered_and_has_its_evidence():
    shown = annotated("Tea is hot. Tea costs $3 here.", "Tea is hot. Tea costs $2 here.")
    assert "\x1b[4mTea costs $3 here.\x1b[0m\x1b[1;33m ‹1›" in shown
    assert "\x1b[4mTea is hot." not in shown
    assert "“Tea costs $2 here.”" in shown
    assert "25 µs each" in shown


def test_a_runaway_sentence_is_cut_and_the_evidence_is_the_sentence_around_the_value():
    answer = "It costs " + ", ".join(f"${n}" for n in range(500, 700)) + "."
    shown = annotated(answer, "It costs $2.")
    assert "$599" not in shown
    assert "findings more" in shown
    chunk = "Old prices.\nA tea costs $2. " + "Milk is free of charge " * 20 + "and good."
    result = check_text("A tea costs $3.", context=Context(chunks=[chunk]))
    (marked,) = marked_sentences(result, {"C1": chunk})
    assert marked.notes[0].evidence == "C1: “A tea costs $2.”"
