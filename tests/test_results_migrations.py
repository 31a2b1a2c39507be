"""The tables of the results database: made, and brought from one version to the next."""

import asyncio
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import select

from streamguard.errors import ConfigError
from streamguard.sinks.sql import database, tables
from streamguard.sinks.sql.database import migrate, open_engine
from tests.test_results_database import count, with_database

MIGRATIONS = Path(database.__file__).parent / "migrations"


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{tmp_path}/results.db"


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
