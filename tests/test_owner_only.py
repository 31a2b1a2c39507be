"""Files with answers, questions or passages are made for their owner alone, whatever the umask."""

import asyncio
import os
import sqlite3
from contextlib import closing

import pytest

from streamguard import guard_sync, jsonl_sink
from streamguard.rag.folder import FolderStore
from streamguard.server.results.feedback import FeedbackFile, FeedbackRequest
from streamguard.sinks.sql.database import migrate, open_engine
from streamguard.sinks.sql.journal import Journal
from streamguard.sinks.sql.writing import write_records
from tests.test_results_database import record_of
from tests.test_results_journal import until

OWNER_ONLY = 0o600


@pytest.fixture(autouse=True)
def nothing_is_masked():
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder):
    """Return the rights of all files below a folder."""
    return {str(each.relative_to(folder)): each.stat().st_mode & 0o777
            for each in folder.rglob("*") if each.is_file()}  # fmt: skip


def assert_owned(folder, *names):
    found = modes(folder)
    assert set(names) <= {name.rpartition("/")[2] for name in found}
    assert set(found.values()) == {OWNER_ONLY}, found


def test_lines_of_a_sink_are_their_owners_and_a_file_that_is_there_stays_as_it_is(tmp_path):
    shared = tmp_path / "shared.jsonl"
    shared.touch(0o644)
    for name in ("own.jsonl", "shared.jsonl"):
        with guard_sync(["It costs $5."], sinks=[jsonl_sink(tmp_path / name)]) as stream:
            list(stream)
    assert modes(tmp_path) == {"own.jsonl": OWNER_ONLY, "shared.jsonl": 0o644}


def test_feedback_is_its_owners(tmp_path):
    given = FeedbackRequest(id="0" * 32, label="up")
    asyncio.run(FeedbackFile(tmp_path / "feedback.jsonl").keep(given, b"{}"))
    assert_owned(tmp_path, "feedback.jsonl")


def test_a_database_of_results_and_its_journals_are_their_owners(tmp_path):
    async def written():
        engine = open_engine(f"sqlite:///{tmp_path}/results.db")
        await migrate(engine)
        await write_records(engine, [record_of(1)])
        assert_owned(tmp_path, "results.db", "results.db-wal", "results.db-shm")
        for each in tmp_path.iterdir():
            each.unlink()
        async with engine.connect():  # to one that is made in its place
            assert_owned(tmp_path, "results.db")
        await engine.dispose()

    asyncio.run(written())


@pytest.mark.slow
def test_spool_and_lock_of_the_writer_are_their_owners(tmp_path):
    folder = tmp_path / "made" / "spool"
    with closing(Journal(f"sqlite:///{tmp_path}/results.db", folder)) as journal:
        journal.give(record_of(1))
        until(lambda: journal.counts["written"] == 1)
        assert_owned(tmp_path, "results.db", "writer.lock")
        (inner,) = folder.iterdir()
        assert inner.stat().st_mode & 0o777 == 0o700


def test_a_store_of_documents_and_its_journal_are_their_owners(tmp_path):
    with closing(FolderStore(tmp_path / "index.sqlite", create=True)) as store:
        store.replace("documents", "a.md", "", ["A pass costs $12."])
        with sqlite3.connect(tmp_path / "index.sqlite") as other:
            other.execute("DELETE FROM chunks")
            assert_owned(tmp_path, "index.sqlite", "index.sqlite-journal")
