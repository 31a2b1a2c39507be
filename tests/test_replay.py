"""Recorded answers: streamed as a model would have streamed them, and what a proxy records."""

import argparse
import asyncio
import gzip
import json
import re
import signal
import stat

import openai
import pytest

from streamguard import Context, Policy, RetrievedChunk, SSEDecoder
from streamguard.cli import main
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.server.chat import replay as replay_module
from streamguard.server.chat.recorded import SPLITS, RecordedAnswer, cut, events, read_records
from streamguard.server.chat.replay import Replay, make_app
from streamguard.server.proxy import app as proxy_module
from streamguard.server.proxy import recording
from streamguard.server.proxy.app import settings_of
from streamguard.wire.protocols.openai_chat import read_frame, text_of
from streamguard.wire.requests.shown import context_of
from tests.kit.serving import serving
from tests.kit.upstreams import ASKED, DONE, PATH, answer, ask, command, in_pieces, proxy, upstream

RECORDS = [
    RecordedAnswer(
        "What does Basic cost?", (RetrievedChunk("Basic costs $10."),), "It costs $10.\n\nOK?"
    ),
    RecordedAnswer("Who leads support?", (), "Zoë  Ångström leads support. 👩‍🚀"),
    RecordedAnswer("What does Basic cost?", (), "Basic costs $99."),
]


def asked(question, **more):
    return {"model": "any", "messages": [{"role": "user", "content": question}], **more}


def test_a_wrong_file_is_refused_with_its_line(tmp_path):
    for name, text, complaint in (
        ("a.jsonl", b"", "holds no recorded answer"),
        ("a.jsonl", b"{}", ":1 is no JSON object with question, chunks"),
        ("a.jsonl", b'\n{"question":"q","answer":3}', ":2: question and answer must be text"),
        ("a.jsonl", b"[", ":1 is no JSON object"),
        ("a.jsonl", b'{"question":"q","answer":"a","chunks":[3]}', ":1 is no JSON object"),
        ("a.jsonl", b'{"question":"q","answer":"a","pieces":[3]}', ":1 is no JSON object"),
        ("a.jsonl", b'{"question":"q","answer":"ab","pieces":[[0,"a"]]}', "pieces do not join"),
        ("a.jsonl", b"\xff", "is not UTF-8 text"),
        ("a.gz", b"x", "is not UTF-8 text"),
        ("b.gz", gzip.compress(b"{}")[:12], "is not UTF-8 text"),
    ):
        path = tmp_path / name
        path.write_bytes(text)
        with pytest.raises(ConfigError, match=re.escape(complaint)):
            read_records(path)


def choose(replay, *questions):
    return [replay.choose(asked(question)["messages"]) for question in questions]


def test_records_are_chosen_by_the_question_and_else_in_turn():
    replay = Replay(RECORDS)
    assert choose(replay, *["What does Basic cost?"] * 3) == [0, 2, 0]
    told = "[C1] x\nQuestion: Who leads support?", "Hm?\nWho leads support?"
    assert choose(replay, *told) == [1, 1]
    assert choose(replay, *["Something else"] * 4) == [0, 1, 2, 0]
    assert replay.choose(None) == 1


@pytest.mark.asyncio
async def test_the_official_client_reads_the_recorded_answer():
    async with (
        serving(make_app(Replay(RECORDS, rate=0.0))) as base,
        openai.AsyncOpenAI(api_key="k", base_url=f"{base}/v1", max_retries=0) as client,
    ):
        models = await client.models.list()
        assert [model.id for model in models.data] == [f"replay-{split}" for split in SPLITS]
        for model in (*SPLITS, "another"):
            more = {"model": f"replay-{model}", "stream_options": {"include_usage": True}}
            stream = await client.chat.completions.create(
                **asked(RECORDS[1].question) | more, stream=True, seed=3
            )
            async with stream:
                chunks = [chunk async for chunk in stream]
            said = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
            assert "".join(said) == RECORDS[1].answer
            assert chunks[-1].usage.completion_tokens > 0
        for body in (b"", b"[]", b"{}", b"\xff"):
            assert (await ask(base, body)).status == 400
        whole = await client.chat.completions.create(**asked(RECORDS[1].question))
        assert whole.choices[0].message.content == RECORDS[1].answer


@pytest.mark.asyncio
async def test_recorded_pieces_come_as_they_came_then(monkeypatch, tmp_path):
    path = tmp_path / "a.jsonl"
    pieces = [[50_000, "Basic "], [50_000, "costs"], [170_000, " $49."]]
    row = {"question": "Q?", "chunks": None, "answer": "Basic costs $49.", "pieces": pieces}
    path.write_text(json.dumps(row))
    waits = []

    class Recorded:
        get_running_loop = staticmethod(asyncio.get_running_loop)

        @staticmethod
        async def sleep(seconds):
            waits.append(round(seconds, -1))

    records = read_records(path)
    assert cut(records[0].answer, "recorded", 0) == cut(records[0].answer, "token", 0)
    async with serving(make_app(Replay(records, split="recorded"))) as base:
        monkeypatch.setattr(replay_module, "asyncio", Recorded)
        got = await ask(base, asked("Q?", stream=True))
    assert waits[:4] == [50, 50, 170, 170]
    assert got.body == b"".join(events(records[0], 0, split="recorded"))
    decoder = SSEDecoder()
    said = [text_of(read_frame(each.data)).get(0) for each in decoder.feed(got.body)[1:4]]
    assert said == ["Basic ", "costs", " $49."]


@pytest.mark.slow
@pytest.mark.asyncio
async def test_both_commands_serve_until_they_are_told_to_stop(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"question": "Q?", "answer": "Basic costs $10."}))
    listen = ("--listen", "127.0.0.1:0")
    async with (
        command("replay", str(path), *listen, "--rate", "0") as (upstream, replaying_child),
        command(
            "proxy", "--upstream", upstream, *listen, "--policy", "strict", "--store-text",
            STREAMGUARD_RESULTS_TOKEN="t", RAG_MIN_DOCUMENTS="3",
        ) as (base, child),
    ):  # fmt: skip
        (annotation,) = (await ask(base, asked("Q?", stream=True))).annotations
        assert annotation["result"]["policy"] == "strict"
        stored = f"/streamguard/results/{annotation['id']}"
        assert (await ask(base, None, stored, "GET")).status == 401
        for process in (child, replaying_child):
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0
        lines = (await child.stderr.read()).decode().splitlines()
        assert {json.loads(line)["event"] for line in lines} == {"answer", "stopping"}


def parsed(module, *flags):
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    return parser.parse_args(flags)


def test_a_wrong_setting_is_refused_at_the_start(capsys):
    upstream = "--upstream http://u"
    for module, flags, complaint in (
        (proxy_module, "--upstream up:80", "upstream is 'up:80', expected http"),
        (proxy_module, f"{upstream} --listen 80", "listen is '80', expected"),
        (proxy_module, f"{upstream} --metrics-listen 80", "metrics-listen is '80', expected"),
        (proxy_module, f"{upstream} --allow-policy x", "allow-policy is 'x', expected"),
        (proxy_module, f"{upstream} --collection-policy a=x", "collection-policy a: policy is"),
        (proxy_module, f"{upstream} --results-token=", "results-token is empty, expected a"),
        (proxy_module, f"{upstream} --text data..text", "text is 'data..text', expected a path"),
        (replay_module, "nofile --rate -1", "rate is -1, expected 0 or more"),
        (replay_module, "nofile --listen x", "listen is 'x', expected HOST:PORT"),
    ):
        with pytest.raises(ConfigError, match=re.escape(complaint)):
            module.run(parsed(module, *flags.split()))
    many = "9" * 5_000
    for flags in ("max-results 0", f"max-results {many}", "results-ttl 0", "idle-timeout soon"):
        with pytest.raises(SystemExit):
            parsed(proxy_module, *f"{upstream} --{flags}".split())
        assert "expected a" in capsys.readouterr().err


# --- what the proxy records of the answers it checks, and what becomes of it


TEXT = "The Basic plan costs $10 per month. [C1] The Pro plan costs $99 per month."
STREAM = answer(TEXT) + DONE
CONTEXT = context_of(ASKED["messages"])


def rows_in(folder):
    return [json.loads(line) for path in folder.glob("*.jsonl")
            for line in path.read_text().splitlines()]  # fmt: skip


async def recorded(folder, *asked):
    """Ask a proxy that records; return what it recorded, once it has ended."""
    async with upstream(in_pieces(STREAM, 20)) as up, proxy(up.url, record=folder) as base:
        for body in asked:
            await ask(base, body, PATH)
    return rows_in(folder)


@pytest.mark.asyncio
async def test_only_its_owner_may_read_a_recording_and_no_key_is_in_it(tmp_path):
    folder = tmp_path / "a" / "b"  # which is made
    async with upstream(in_pieces(STREAM, 20)) as up, proxy(up.url, record=folder) as base:
        await ask(base, ASKED, PATH, Authorization="Bearer sk-secret", api_key="k9")
    (path,) = folder.glob("*.jsonl")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "sk-secret" not in path.read_text()
    assert "k9" not in path.read_text()
    args = parsed(proxy_module, "--upstream", "http://localhost", "--record", str(path))
    with pytest.raises(ConfigError, match=r"--record is .*expected a folder"):
        proxy_module.make_app(settings_of(args))


@pytest.mark.asyncio
async def test_a_disk_that_is_slow_or_full_costs_records_and_no_answer(
    tmp_path, monkeypatch, caplog
):
    folder = tmp_path / "r"

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(recording, "append_atomically", full)
        assert await recorded(folder, ASKED) == []
    monkeypatch.setattr(recording, "MAX_WAITING", 0)
    assert await recorded(folder, ASKED) == []
    told = [each.fields for each in caplog.records if each.message == "not_recorded"]
    assert [next(iter(fields)) for fields in told] == ["error", "waiting"]


@pytest.mark.asyncio
async def test_pieces_without_number_are_joined_and_of_a_text_without_end_the_beginning_kept(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(recording, "MAX_PIECES", 3)
    (row,) = await recorded(tmp_path / "joined", ASKED)
    assert len(row["pieces"]) == 4
    assert "".join(text for _, text in row["pieces"]) == TEXT
    checking = recording.RecordedChecking("0" * 32, Context(), Policy())
    checking.take(0, ["a", "b", "c", *[""] * 1_000])  # of nothing nothing is kept
    assert checking.rest == {}
    monkeypatch.undo()
    monkeypatch.setattr(recording, "MAX_TEXT_CHARS", 50)
    monkeypatch.setattr(recording, "_PIECES_A_TURN", 2)
    (row,) = await recorded(tmp_path / "cut", ASKED)
    assert row["truncated"] is True
    assert TEXT.startswith(row["answer"])
    assert 46 <= len(row["answer"]) <= 50
    assert "".join(text for _, text in row["pieces"]) == row["answer"]


def test_a_recording_is_audited_as_it_is(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asyncio.run(recorded(tmp_path / "r", ASKED, ASKED))
    assert main(["audit", "r", "--out", "out", "--workers", "1"]) == 0
    assert capsys.readouterr().out.startswith("2 answers in 2 rows")
    for path in (tmp_path / "out/verdicts").glob("*"):
        for line in path.read_text().splitlines():
            assert json.loads(line)["status"] == check_text(TEXT, context=CONTEXT).status
