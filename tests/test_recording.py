"""What `streamguard proxy --record` keeps of the answers it checks, and what becomes of it."""

import asyncio
import json
import stat

import pytest

from streamguard import Context, Policy
from streamguard.cli import main
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.server.proxy import recording
from streamguard.server.proxy.app import Settings, make_app, settings_of
from streamguard.wire.requests.shown import context_of
from tests.test_replay import parsed
from tests.upstreams import ASKED, DONE, PATH, answer, ask, in_pieces, proxy, upstream

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
    async with upstream(in_pieces(STREAM, 20)) as up, proxy(up.url, record=tmp_path / "r") as base:
        await ask(base, ASKED, PATH, Authorization="Bearer sk-secret", api_key="k9")
    (path,) = (tmp_path / "r").glob("*.jsonl")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "sk-secret" not in path.read_text()
    assert "k9" not in path.read_text()


@pytest.mark.asyncio
async def test_a_disk_that_is_slow_or_full_costs_records_and_no_answer(
    tmp_path, monkeypatch, caplog
):
    folder = tmp_path / "r"

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(recording, "append_whole", full)
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


def test_the_flag_makes_the_folder_or_says_why_not(tmp_path):
    from streamguard.server.proxy import config

    (tmp_path / "file").write_text("")
    args = parsed(config, "--upstream", "http://localhost", "--record", str(tmp_path / "file"))
    with pytest.raises(ConfigError, match=r"--record is .*expected a folder"):
        make_app(settings_of(args))
    make_app(Settings("http://localhost", record=tmp_path / "a" / "b"))
    assert (tmp_path / "a" / "b").is_dir()


def test_a_recording_is_audited_as_it_is(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asyncio.run(recorded(tmp_path / "r", ASKED, ASKED))
    assert main(["audit", "r", "--out", "out", "--workers", "1"]) == 0
    assert capsys.readouterr().out.startswith("2 answers in 2 rows")
    for path in (tmp_path / "out/verdicts").glob("*"):
        for line in path.read_text().splitlines():
            assert json.loads(line)["status"] == check_text(TEXT, context=CONTEXT).status
