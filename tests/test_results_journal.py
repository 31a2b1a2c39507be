"""From a server to the results database: spool, writer, and what happens when one of them fails."""

import asyncio
import fcntl
import logging
import os
import signal
import sqlite3
import time
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event

from streamguard.errors import ConfigError, UpstreamError
from streamguard.sinks.sql import journal as journals
from streamguard.sinks.sql import spool as spools
from streamguard.sinks.sql.database import migrate, open_engine
from streamguard.sinks.sql.journal import Journal
from streamguard.sinks.sql.queries import newest
from streamguard.sinks.sql.records import About, FeedbackRecord, Record
from streamguard.sinks.sql.spool import Spool, SpoolReader, held_bytes, packed
from streamguard.sinks.sql.transfer import Transfer
from streamguard.sinks.sql.writer_settings import WriterSettings
from tests.test_results_database import record_of

PATIENCE_S = 30.0


def until(condition):
    """Wait for what another process does."""
    end = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)
    return found


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/results.db"


def written(url):
    """Return the ids in the database."""

    async def ask():
        engine = open_engine(url)
        await migrate(engine)
        found = [row["id"] for row in await newest(engine, limit=100_000)]
        await engine.dispose()
        return found

    return asyncio.run(ask())


def written_by_the_next(url, folder):
    """Let further servers write what one left in the spool: a closed one waits for so long only."""
    inner = next(folder.iterdir())
    while held_bytes(inner):
        with closing(Journal(url, folder)):
            until(lambda: held_bytes(inner) == 0)


def ids(numbers):
    return sorted(f"{number:032x}" for number in numbers)


@pytest.mark.slow
def test_a_killed_writer_is_replaced_and_nothing_is_lost_or_doubled(tmp_path, url, monkeypatch):
    monkeypatch.setattr(journals, "_RESTART_S", 0.01)
    with closing(Journal(url, tmp_path / "spool")) as journal:
        for number in range(300):
            journal.give(record_of(number))
            if number % 100 == 50:
                until(lambda: journal.counts["written"] > 0)
                os.kill(journal._writer.pid, signal.SIGKILL)
    written_by_the_next(url, tmp_path / "spool")
    assert sorted(written(url)) == ids(range(300))


@pytest.mark.slow
def test_a_database_that_is_gone_gets_its_results_when_it_is_back(tmp_path, url, caplog):
    gone = tmp_path / "gone"
    gone.mkdir()
    url = f"sqlite:///{gone}/results.db"
    with closing(Journal(url, tmp_path / "spool")) as journal:
        (tmp_path / "gone").rename(tmp_path / "away")
        with caplog.at_level(logging.WARNING):
            journal.give(record_of(1))
            until(lambda: "results_waiting" in caplog.messages)
        (tmp_path / "away").rename(tmp_path / "gone")
        until(lambda: journal.counts["written"] == 1)
    assert written(url) == ids([1])


def test_a_new_password_leaves_what_waits_where_it_is_looked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for before, after, shared in (
        ("postgresql://u:old@h/db", "postgresql://u:n/w@2@h/db", True),
        ("postgresql://h/db?user=u&password=old", "postgresql://h/db?user=u&password=new", True),
        ("postgresql://u:p@h/db", "postgresql://u:p@h/other", False),
        ("postgresql://u:p@h/db", "postgresql://v:p@h/db", False),
        ("postgresql:///?host=a&password=p", "postgresql:///?host=b&password=p", False),
        ("sqlite:///a.db", "sqlite:///b.db", False),
        ("sqlite:///a.db", f"sqlite:///{tmp_path}/a.db", True),
    ):
        assert (journals.named(before) == journals.named(after)) is shared, before
        assert "old" not in journals.named(before)


@pytest.mark.slow
def test_two_journals_of_one_folder_have_one_writer(tmp_path, url):
    with (
        closing(Journal(url, tmp_path / "spool")) as first,
        closing(Journal(url, tmp_path / "spool")) as second,
    ):
        first.give(record_of(1))
        second.give(record_of(2))
        until(lambda: first.counts["written"] + second.counts["written"] == 2)
        assert 0 in (first.counts["written"], second.counts["written"])
    assert sorted(written(url)) == ids([1, 2])


@pytest.mark.slow
def test_the_writer_loads_no_module_of_the_folder_it_runs_in(tmp_path, url, monkeypatch):
    (tmp_path / "queue.py").write_text("raise SystemExit('the wrong one')")
    monkeypatch.chdir(tmp_path)
    with closing(Journal(url, tmp_path / "spool")) as journal:
        journal.give(record_of(1))
        until(lambda: journal.counts["written"] == 1)


@pytest.mark.slow
def test_no_password_is_among_a_processs_arguments_or_names(tmp_path):
    url = "postgresql://someone:s3cret@127.0.0.1:1/none"
    pytest.importorskip("asyncpg")
    with closing(Journal(url, tmp_path / "spool")) as journal:
        pid = until(lambda: journal._writer).pid
        shown = ("cmdline", "environ")  # of a process, to those who may look
        seen = b"".join(Path(f"/proc/{pid}/{name}").read_bytes() for name in shown)
        assert b"s3cret" not in seen
        assert not [path for path in tmp_path.rglob("*") if "s3cret" in str(path)]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_process_that_was_forked_gives_to_the_same_database(tmp_path, url):
    with closing(Journal(url, tmp_path / "spool")) as journal:
        journal.give(record_of(1))
        until(lambda: journal.counts["written"] == 1)
        if not (child := os.fork()):
            journal.give(record_of(2))
            journal.close()
            os._exit(journal.counts["spooled"] != 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        until(lambda: len(written(url)) == 2)
        journal.give(record_of(3))
        until(lambda: len(written(url)) == 3)


@pytest.mark.slow
def test_a_full_spool_drops_what_comes_and_counts_it(tmp_path, url, caplog):
    caplog.set_level(logging.WARNING)
    with closing(Journal(url, tmp_path / "spool", max_bytes=100)) as journal:
        assert not journal.is_full
        journal.give(record_of(1))
        until(lambda: journal.counts["dropped"] == 1)
        assert "results_dropped" in caplog.messages
        assert journal.is_full  # for what is as long as that
    assert written(url) == []


def test_a_folder_that_cannot_be_is_refused(tmp_path, url):
    (tmp_path / "spool").write_text("a file")
    with pytest.raises(ConfigError, match=r"results-spool '.*spool' cannot be made: Not a dir"):
        Journal(url, tmp_path / "spool")


@pytest.mark.slow
def test_a_full_queue_and_a_closed_journal_drop_what_comes(tmp_path, url, monkeypatch, caplog):
    with closing(Journal(url, tmp_path / "spool")) as journal:
        monkeypatch.setattr(journals, "MAX_QUEUED_BYTES", 10)
        journal.give(record_of(1))
        assert journal.counts["dropped"] == 1
        assert "results_dropped" in caplog.messages
    for _ in range(3):
        journal.give(FeedbackRecord("a", "up"))
    assert journal.counts["dropped"] == 4
    monkeypatch.setattr(journals, "_QUIET_S", 0.0)
    journal.give(FeedbackRecord("a", "up"))
    told = [each.fields["records"] for each in caplog.records if each.msg == "results_dropped"]
    assert told == [1, 4]  # of those since the last line, which are not told one by one


# --- the spool


ABOUT = About(2, "m", "c", "h", ["a", "b"], "why\ud800?", [[0, 1, "text"]], 0.0, 1.5, 2.5, 3.5)


def test_a_record_comes_out_of_the_spool_as_it_went_in(tmp_path):
    given = FeedbackRecord("id", "up", 3, "well", 4, "own")
    kept = [Record(About(created_ms=1), b"body"), Record(ABOUT, b""), given]
    spool = Spool(tmp_path)
    spool.append(b"".join(map(packed, kept)))
    read = SpoolReader(tmp_path).portion(10, 1_000)
    assert [(type(each), packed(each)) for each in read] == [(type(k), packed(k)) for k in kept]


def small(number):
    return Record(About(created_ms=number), bytes(10))


def created(portion):
    return [each.about.created_ms for each in portion]


def test_portions_go_on_where_the_last_one_that_was_done_ended(tmp_path):
    spool, reader = Spool(tmp_path), SpoolReader(tmp_path)

    def taken(*most):
        found = created(reader.portion(*most))
        reader.done()
        return found

    spool.append(b"".join(packed(small(number)) for number in range(5)))
    assert created(reader.portion(2, 10_000)) == [0, 1]
    assert taken(2, 10_000) == [0, 1]
    assert taken(10, 2 * len(packed(small(0)))) == [2, 3]
    assert taken(10, 1) == [4]  # one that is longer than asked for
    assert created(reader.portion(10, 10_000)) == []
    assert held_bytes(tmp_path) > 0  # it is still being written
    spool.append(packed(small(5)))
    spool.close()
    assert taken(10, 10_000) == [5]
    assert held_bytes(tmp_path) == 0


def test_a_segment_that_is_read_before_it_is_locked_loses_nothing(tmp_path, monkeypatch):
    """A reader sees an empty file that nobody holds: its writer has made it this moment."""
    spool, reader, lock, left = Spool(tmp_path), SpoolReader(tmp_path), fcntl.flock, [2]

    def slowly(file, operation):
        if operation == fcntl.LOCK_EX and left[0]:
            left[0] -= 1
            reader.portion(1, 1_000)
            reader.done()
        lock(file, operation)

    monkeypatch.setattr(spools.fcntl, "flock", slowly)
    spool.append(packed(record_of(1)))
    assert reader.portion(1, 1_000) == [record_of(1)]
    assert left == [0]


def test_what_is_damaged_is_counted_and_the_rest_is_read(tmp_path):
    good, bad = packed(small(1)), bytearray(packed(small(2)))
    bad[-1] ^= 1
    later = packed(FeedbackRecord("a", "b")).replace(b'"label"', b'"lebal"')
    for content in (bytes(bad) + good + later, b"no record, and long enough for one", good[:-3]):
        spool = Spool(tmp_path)
        spool.append(content)
        spool.close()
    reader = SpoolReader(tmp_path)
    assert created(reader.portion(10, 10_000)) == [1]
    reader.done()
    reader.portion(10, 10_000)
    reader.done()
    assert reader.unreadable == 4  # a checksum, another's checksum, no mark, a torn end
    assert held_bytes(tmp_path) == 0


def test_a_write_that_fails_leaves_whole_records(tmp_path, monkeypatch):
    spool = Spool(tmp_path)
    spool.append(packed(small(1)))
    before = held_bytes(tmp_path)
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: real(file, data[:7]))  # a disk that is full
        with pytest.raises(OSError, match="wrote 7 of"):
            spool.append(packed(small(2)))
    assert held_bytes(tmp_path) == before
    spool.append(packed(small(3)))
    assert created(SpoolReader(tmp_path).portion(10, 10_000)) == [1, 3]


# --- from the spool into the database


def taking(url, folder, turns, told, **orders):
    async def work():
        taker = Transfer(
            WriterSettings(url, str(folder), **orders), lambda event, **_: told.append(event)
        )
        taken = [await taker.turn() for _ in range(turns)]
        await taker.close()
        return taken

    return asyncio.run(work())


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "spool").mkdir()
    return tmp_path / "spool"


def test_what_no_database_takes_is_told_and_the_others_are_written(folder, url):
    spool = Spool(folder)
    too_great = Record(About(created_ms=2**70), record_of(7).body)
    no_annotation = Record(About(), zlib.compress(b'{"id": 3}'))
    for each in (record_of(1), too_great, no_annotation, Record(About(), b"no zlib"), record_of(2)):
        spool.append(packed(each))
    told = []
    assert taking(url, folder, 2, told) == [5, 0]
    assert sorted(written(url)) == ids([1, 2])
    assert told == ["ready", "rejected", "rejected", "rejected", "written"]


def test_damage_is_told_and_what_is_too_much_is_forgotten(folder, url):
    spool = Spool(folder)
    now = int(time.time() * 1_000)
    for number, age_days in enumerate((9, 0, 0, 0)):
        about = About(created_ms=now - age_days * 86_400_000)
        spool.append(packed(record_of(number, about=about)))
    spool.append(b"no record, and long enough for one")
    told = []
    taking(url, folder, 3, told, keep_days=1.0, keep_results=2)
    assert sorted(written(url)) == ids([2, 3])
    assert told == ["ready", "written", "unreadable", "forgotten"]


@pytest.mark.parametrize("error", [sqlite3.OperationalError, AttributeError])
def test_a_database_that_fails_meanwhile_is_asked_again(folder, url, error):
    """Drivers raise Python's own errors too where they find a connection lost."""

    async def work():
        taker = Transfer(WriterSettings(url, str(folder)), lambda event, **_: None)

        def locked(*_):
            raise error("database is locked")

        await taker.turn()
        Spool(folder).append(packed(record_of(1)))
        event.listen(taker._engine.sync_engine, "before_cursor_execute", locked)
        with pytest.raises(Exception, match="database is locked") as failed:
            await taker.turn()
        assert taker.reason(failed.value).endswith("database is locked")
        event.remove(taker._engine.sync_engine, "before_cursor_execute", locked)
        assert [await taker.turn(), await taker.turn()] == [1, 0]
        await taker.close()

    asyncio.run(work())
    assert written(url) == ids([1])


@pytest.mark.parametrize("is_replaced", [False, True])
def test_results_follow_a_file_that_was_removed_or_replaced(folder, url, is_replaced):
    file = Path(url.removeprefix("sqlite:///"))
    told = []

    async def work():
        taker = Transfer(WriterSettings(url, str(folder)), lambda event, **_: told.append(event))
        reader = open_engine(url)
        await taker.turn()
        spool = Spool(folder)
        spool.append(packed(record_of(1)))
        assert await taker.turn() == 1
        assert [row["id"] for row in await newest(reader)] == ids([1])
        for each in file.parent.glob("results.db*"):
            each.unlink()
        if is_replaced:
            await migrate(other := open_engine(url))
            await other.dispose()
        spool.append(packed(record_of(2)))
        with pytest.raises(UpstreamError) as failed:
            await taker.turn()
        assert taker.reason(failed.value) == f"sqlite:///{file} was removed or replaced"
        assert await taker.turn() == 1
        assert [row["id"] for row in await newest(reader)] == ids([2])
        await taker.close()
        await reader.dispose()

    asyncio.run(work())
    assert written(url) == ids([2])
    assert told == ["ready", "written", "ready", "written"]
