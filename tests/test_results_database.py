"""The results database: what is written of an answer, once, and read back."""

import asyncio
import json
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import func, select
from sqlalchemy.engine import make_url

from streamguard import Context, Retrieval, RetrievedChunk
from streamguard.core.machine.choices import ChoiceGuards, with_late_text
from streamguard.errors import ConfigError, UpstreamError
from streamguard.sinks.sql import database, tables
from streamguard.sinks.sql.database import database_url, migrate, open_engine, shown
from streamguard.sinks.sql.queries import Wanted, each, get_json, newest
from streamguard.sinks.sql.records import About, FeedbackRecord, Record, keywords_of
from streamguard.sinks.sql.writing import forget, write_feedback, write_records
from tests.kit.tables import differing

PLANS = RetrievedChunk("The Basic plan costs $10 per month. It includes one seat.", id="plans")
DAY = tables.DAY_MS


def annotation_of(number, text="The Basic plan costs $12 per month.", **context):
    guards = ChoiceGuards(Context(query="What does it cost?", **({"chunks": [PLANS]} | context)))
    guards.feed({0: text})
    return guards.close(f"{number:032x}")


def record_of(number, text="The Basic plan costs $12 per month.", *, about=None, **context):
    annotation = annotation_of(number, text, **context)
    body = zlib.compress(annotation.to_json().encode())
    return Record(about or About(created_ms=number), body)


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/results.db"


def with_database(url, work):
    """Run `work(engine)` on a database whose tables are there."""

    async def run():
        engine = open_engine(url)
        try:
            await migrate(engine)
            return await work(engine)
        finally:
            await engine.dispose()

    return asyncio.run(run())


async def count(engine, table):
    async with engine.connect() as connection:
        return (await connection.execute(select(func.count()).select_from(table))).scalar()


async def tally(engine, kind, table=tables.tallies):
    asked = select(table.c.name, func.sum(table.c.count))
    asked = asked.where(table.c.kind == kind).group_by(table.c.name)
    async with engine.connect() as connection:
        return {row[0]: row[1] for row in await connection.execute(asked)}


def test_a_record_of_a_known_id_is_written_once_and_counted_once(url):
    async def work(engine):
        first, second = record_of(1), record_of(2)
        assert await write_records(engine, [first, first]) == 1
        assert await write_records(engine, [first, second]) == 1
        assert await write_records(engine, []) == 0
        results = await count(engine, tables.results), await count(engine, tables.bodies)
        return results, await tally(engine, "status"), await count(engine, tables.findings)

    results, statuses, findings = with_database(url, work)
    status = annotation_of(1).result.status
    assert (results, statuses) == ((2, 2), {status: 2})
    assert findings == 2 * len(annotation_of(1).result.findings)


@pytest.mark.parametrize("together", [True, False])
def test_a_record_of_an_answer_that_went_on_takes_the_place_of_the_first(url, together):
    late = with_late_text(annotation_of(1), 2).to_json().encode()
    late = replace(record_of(1), body=zlib.compress(late))

    async def work(engine):
        batches = [[record_of(1), late, record_of(1)]]
        for batch in batches if together else ([one] for one in batches[0]):
            await write_records(engine, batch)
        states = await tally(engine, "status"), await count(engine, tables.results)
        return await get_json(engine, f"{1:032x}"), *states

    served, statuses, results = with_database(url, work)
    assert json.loads(served)["state"] == "partial"
    assert (sum(statuses.values()), results) == (1, 1)


@pytest.mark.parametrize(("context", "text", "expected"), [
    ({}, "The Basic plan costs $10 per month.", None),
    ({}, "The moon orbits far away.", "unsupported"),
    ({"chunks": ()}, "I cannot answer this based on the provided documents.", "refused"),
    ({}, "I cannot answer this based on the provided documents.", None),  # an over-refusal
    ({"chunks": None, "retrieval": Retrieval((PLANS,), True, "low", 3, 1)},
     "The Basic plan costs $10 per month.", "low_confidence"),
])  # fmt: skip
def test_a_hole_says_why_documents_may_lack_something(url, context, text, expected):
    about = About(keywords=("basic", "plan"))

    async def work(engine):
        await write_records(engine, [record_of(1, text, about=about, **context)])
        [row] = await newest(engine)
        counted = (tables.name_tallies, tables.totals)
        words = [await tally(engine, row["hole"] or "refused", table) for table in counted]
        return row["hole"], words, await count(engine, tables.keywords)

    hole, words, keywords = with_database(url, work)
    assert hole == expected
    assert words == [{"basic": 1, "plan": 1} if hole else {}] * 2
    assert keywords == (2 if hole else 0)


def test_results_are_listed_by_what_is_wanted_newest_first(url):
    def about(number, model):
        return About(created_ms=number * DAY, model=model, policy_hash="abc")

    async def work(engine):
        await write_records(engine, [record_of(n, about=about(n, f"m{n % 2}")) for n in range(6)])

        async def created(limit=50, **wanted):
            rows = await newest(engine, Wanted(**wanted), limit)
            pages = [page async for page in each(engine, Wanted(**wanted), limit)]
            assert [row for page in pages for row in page] == rows
            return [row["created_ms"] // DAY for row in rows]

        assert await created() == [5, 4, 3, 2, 1, 0]
        assert await created(limit=2) == [5, 4]
        assert await created(model="m1") == [5, 3, 1]
        assert await created(since_ms=2 * DAY, until_ms=4 * DAY) == [3, 2]
        flag = annotation_of(1).result.flags[0]
        assert len(await created(flag=flag)) == 6
        assert await created(flag="_%") == []
        assert await created(status="none") == []

    with_database(url, work)


def test_old_results_go_by_time_and_by_number_with_all_that_is_theirs(url):
    async def work(engine):
        records = [record_of(n, about=About(created_ms=n * DAY)) for n in range(6)]
        await write_records(engine, records)
        await write_feedback(engine, [FeedbackRecord(f"{1:032x}", "down", created_ms=0)])
        # Said on the day of the newest, of one that goes for its number.
        late = [FeedbackRecord(f"{n:032x}", "down", created_ms=5 * DAY) for n in (2, 5)]
        await write_feedback(engine, late)
        assert await forget(engine) == 0
        assert await forget(engine, before_ms=2 * DAY, at_most=1) == 1
        assert await forget(engine, before_ms=2 * DAY) == 1
        assert await forget(engine, keep=3) == 1
        assert await forget(engine, keep=3) == 0
        found = [row["created_ms"] // DAY for row in await newest(engine)]
        assert await count(engine, tables.bodies) == 3
        assert await count(engine, tables.feedback) == 1
        statuses = await tally(engine, "status")
        assert await forget(engine, keep=0) == 3
        assert await count(engine, tables.feedback) == 0
        for table in (tables.tallies, tables.name_tallies, tables.totals):
            assert await count(engine, table) == 0
        return found, sum(statuses.values())

    assert with_database(url, work) == ([5, 4, 3], 3)


def test_keywords_say_what_a_question_is_about():
    rows = [
        ("How many days of parental leave do I get?", ("day", "parental", "leave")),
        ("What are the policies on John's laptops?", ("policy", "john", "laptop")),
        ("Case 4711-B, a3b, it: ok?", ("case",)),
        ("laptop laptops LAPTOP", ("laptop",)),
        ("我叫王小明，请问能不能退保？ refund", ("refund",)),
        ("田中花子の母は使えますか ขอคืนเงิน", ()),
        ("x" * 41, ()),
        (None, ()),
        (" ".join(f"word{chr(97 + n)}" for n in range(20)), tuple(f"word{c}" for c in "abcdefgh")),
    ]
    assert differing(rows, keywords_of) == []


def test_an_address_is_refused_and_shown_without_its_password():
    def refused(given):
        with pytest.raises(ConfigError) as told:
            database_url(given)
        return str(told.value).partition(", expected")[0]

    rows = [
        ("mysql://u:secret@h/d", "'mysql://***@h/d' is no database of ours"),
        ("u:secret@h", "'***@h' is no database"),
        ("sqlite://", "'sqlite://' is no database of ours"),
        ("sqlite:///file::memory:?uri=true", "'sqlite:///file::memory:' is no database of ours"),
        ("nothing", "'nothing' is no database"),
    ]
    assert differing(rows, refused) == []
    for password in ("p%40ss", "pa/ss", "p@ss", "p:s"):
        assert shown(f"postgresql://u:{password}@h/d?password=pw") == "postgresql://***@h/d"
    assert "secret" not in shown(database_url("sqlite:///x.db").set(password="secret"))
    given = make_url("postgresql+asyncpg://h/db?user=u&password=TOPSECRET")
    assert shown(given) == "postgresql://h/db"


def test_a_database_that_cannot_be_is_refused(tmp_path, monkeypatch):
    (tmp_path / "results.db").write_text("no database, but long enough to be looked at" * 99)
    with pytest.raises(UpstreamError, match=r"results.db cannot be used: file is not a database"):
        with_database(f"sqlite:///{tmp_path}/results.db", lambda engine: None)
    for file in ("nowhere/results.db", ""):
        with pytest.raises(ConfigError, match="expected a file in a folder that is"):
            open_engine(f"sqlite:///{tmp_path}/{file}")
    monkeypatch.setattr("streamguard.sinks.sql.database.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"asyncpg is not installed.*'\.\[postgres\]'"):
        database_url("postgresql://u@h/d")


# --- its versions

MIGRATIONS = Path(database.__file__).parent / "migrations"


def test_the_migrations_make_the_tables_that_the_code_knows(url):
    def differences(connection):
        context = MigrationContext.configure(
            connection, opts={"version_table": "streamguard_version", "compare_type": True}
        )
        return compare_metadata(context, tables.metadata)

    async def work(engine):
        await migrate(engine)  # once more changes nothing
        async with engine.connect() as connection:
            return await connection.run_sync(differences)

    assert with_database(url, work) == []


def test_words_that_an_older_version_counted_are_counted_still(url):
    def to_0002(connection):
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")

    async def work():
        engine = open_engine(url)
        async with engine.begin() as connection:
            await connection.run_sync(to_0002)
            names = "kind, day, name, model, collection, policy, count"
            counted = [("refused", "plan", 2), ("refused", "plan", 3), ("asked", "plan", 9)]
            for model, (kind, name, number) in enumerate([*counted, ("status", "WARN", 4)]):
                values = f"('{kind}', 7, '{name}', 'm{model}', '', '', {number})"
                await connection.exec_driver_sql(f"INSERT INTO tallies ({names}) VALUES {values}")
        await migrate(engine)
        async with engine.begin() as connection:
            kept = [
                sorted(tuple(row) for row in await connection.execute(select(table)))
                for table in (tables.tallies, tables.name_tallies, tables.totals)
            ]
        await engine.dispose()
        return kept

    days, by_name, totals = asyncio.run(work())
    assert days == [("status", 7, "WARN", "m3", "", "", 4)]
    assert by_name == [("refused", "plan", 7, f"m{n}", "", "", 2 + n) for n in range(2)]
    assert totals == [("refused", "plan", 7, 5), ("status", "WARN", 7, 4)]


def test_two_processes_may_migrate_at_once(url):
    async def run():
        engines = [open_engine(url) for _ in range(3)]
        await asyncio.gather(*map(migrate, engines))
        counted = await count(engines[0], tables.results)
        for engine in engines:
            await engine.dispose()
        return counted

    assert asyncio.run(run()) == 0


def test_tables_of_a_later_version_are_refused(url):
    async def work(engine):
        async with engine.begin() as connection:
            await connection.exec_driver_sql("UPDATE streamguard_version SET version_num = '9999'")
        with pytest.raises(ConfigError, match=r"sqlite:///.* has tables of a later version"):
            await migrate(engine)

    with_database(url, work)
