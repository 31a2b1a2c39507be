"""How long each view of the dashboard takes over many results, on SQLite and PostgreSQL.

    python benchmarks/bench_dashboard.py --results sqlite:////tmp/many.db --count 1000000

Fills the database first where it is empty: made-up answers of 90 days, three models, four
collections, two policies, a thousand words in the questions, 3 % refused for want of documents,
findings in 15 %, feedback on 1 %. Then asks for every view in several scopes, through HTTP as the
page does. Prints the median, the 99th percentile and the longest of the repeats in milliseconds,
the first (cold) one by itself, and the median of this process's CPU time: with SQLite all that a
view takes.
"""

import argparse
import asyncio
import json
import os
import random
import sqlite3
import statistics
import time
import zlib
from collections import Counter

import aiohttp
from sqlalchemy import insert

from streamguard.core.validate import check_text
from streamguard.server.dashboard.app import make_app
from streamguard.server.workers.serve import make_runner, start
from streamguard.sinks.sql import tables
from streamguard.sinks.sql.database import migrate, open_engine
from streamguard.sinks.sql.records import About
from streamguard.sinks.sql.rows import result_row, tallied
from streamguard.sinks.sql.writing import tally_rows

DAYS = 90
AT_ONCE = 20_000
MODELS, POLICIES = ["small", "medium", "large"], ["moderate", "strict"]
COLLECTIONS = ["handbook", "products", "tickets", "contracts"]
CHECKS = ["unsupported_price", "unsupported_value", "unsupported_name", "contradicted_value"]
FLAGS = ["potential_hallucination", "unsupported_claim", "uncited_claim", "citation_mismatch"]
WORDS = [f"word{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}{n}" for n in range(1_000)]


def made_up(numbers, count, rng, now_ms):
    """Return rows by table for results of these numbers, and what they add to the tallies."""
    result = json.loads(check_text("It costs $5.", context=None).model_dump_json())
    rows = {table: [] for table in (tables.results, tables.findings, tables.keywords)}
    rows |= {table: [] for table in (tables.bodies, tables.feedback)}
    body, counted = zlib.compress(b'{"result":null}'), Counter()
    for seq in numbers:
        words = {WORDS[min(999, int(rng.expovariate(1 / 120)))] for _ in range(rng.randint(2, 5))}
        status = rng.choices(["PASS", "WARN", "REFUSE"], [80, 17, 3])[0]
        refused = rng.random() < 0.03
        result |= {
            "status": status,
            "policy": rng.choice(POLICIES),
            "flags": rng.sample(FLAGS, rng.choice([0, 0, 0, 1, 2])),
            "retrieval": {
                "confidence_level": rng.choices(["high", "medium", "low"], [70, 24, 6])[0],
                "is_answerable": not refused,
            },
            "scores": {"groundedness": rng.random(), "doubt": rng.random(), "verdict": "PASS"},
        }
        about = About(
            created_ms=now_ms - int((1 - seq / count) * DAYS * tables.DAY_MS),
            model=rng.choice(MODELS),
            collection=rng.choice(COLLECTIONS),
            keywords=sorted(words),
            request_ms=rng.expovariate(1),
            tail_ms=rng.expovariate(0.5),
        )
        row = {"seq": seq, **result_row(f"{seq:032x}", "complete", about, result)}
        found = [
            {
                "result": seq,
                "choice": 0,
                "position": position,
                "check": rng.choice(CHECKS),
                "flag": "potential_hallucination",
                "severity": "warning",
                "value": f"${int(rng.paretovariate(0.7)) % 5_000}",
                "sentence": 0,
            }
            for position in range(rng.choice([1, 2]) if rng.random() < 0.15 else 0)
        ]
        rows[tables.results].append(row)
        rows[tables.findings] += found
        rows[tables.bodies].append({"result": seq, "body": body})
        if row["hole"] is not None:
            rows[tables.keywords] += ({"keyword": word, "result": seq} for word in words)
        if rng.random() < 0.01:
            said = rng.choice(["up", "down", "was_supported"])
            on = 0 if said == "was_supported" else None
            rows[tables.feedback].append(
                {
                    "id": f"{seq:032x}",
                    "result_id": row["id"],
                    "created_ms": row["created_ms"],
                    "sentence": on,
                    "label": said,
                    "comment": None,
                }
            )
        counted.update(tallied(row, found))
    return rows, counted


async def insert_all(engine, connection, table, rows):
    if not rows:
        return
    if engine.dialect.name == "postgresql":
        raw = (await connection.get_raw_connection()).driver_connection
        records = [tuple(row.values()) for row in rows]
        await raw.copy_records_to_table(table.name, records=records, columns=list(rows[0]))
    else:
        await connection.execute(insert(table), rows)


async def fill(url, count):
    """Fill an empty database with `count` results; one that holds some stays as it is."""
    engine, rng = open_engine(url), random.Random(1)
    await migrate(engine)
    async with engine.connect() as connection:
        asked = tables.results.select().limit(1)
        if (await connection.execute(asked)).first() is not None:
            await engine.dispose()
            return
    began, now_ms, counted = time.perf_counter(), int(time.time() * 1_000), Counter()
    for first in range(1, count + 1, AT_ONCE):
        rows, more = made_up(range(first, min(first + AT_ONCE, count + 1)), count, rng, now_ms)
        counted.update(more)
        async with engine.begin() as connection:
            for table, values in rows.items():
                await insert_all(engine, connection, table, values)
    async with engine.begin() as connection:
        for table, tallies in tally_rows(counted).items():
            for at in range(0, len(tallies), AT_ONCE):
                await insert_all(engine, connection, table, tallies[at : at + AT_ONCE])
    if engine.dialect.name == "postgresql":
        async with engine.connect() as connection:
            await (
                await connection.execution_options(isolation_level="AUTOCOMMIT")
            ).exec_driver_sql("VACUUM ANALYZE")
    await engine.dispose()
    print(f"filled in {time.perf_counter() - began:.0f} s, {len(counted):,} tallies")


async def measure(url, repeats):
    runner = make_runner(make_app(url))
    base = await start(runner, "127.0.0.1", 0)
    scopes = [{"days": 30}, {"days": 90}, {"days": 90, "model": "small"}]
    scopes += [{"days": 90, "collection": "tickets", "policy": "strict"}]
    views = ["summary", "areas", "values", "feedback", "results"]
    asked = [(name, scope) for name in views for scope in scopes]
    asked += [("results", {"days": 90, "status": "REFUSE", "model": "large"})]
    asked += [("results", {"days": 90, "check": "unsupported_name"})]
    asked += [("results", {"days": 90, "check": "unsupported_price", "value": "$7"})]
    asked += [("results", {"days": 90, "keyword": WORDS[5]})]
    asked += [("results", {"days": 90, "hole": "low_confidence", "collection": "tickets"})]
    asked += [(f"results/{77:032x}", {})]
    async with aiohttp.ClientSession(base) as session:
        for name, scope in asked:
            took, used = [], []
            for _ in range(repeats + 1):
                began, cpu = time.perf_counter(), time.process_time()
                async with session.get(f"/dashboard/api/{name}", params=scope) as response:
                    assert response.status == 200, await response.text()
                    await response.read()
                took.append(1e3 * (time.perf_counter() - began))
                used.append(1e3 * (time.process_time() - cpu))
            first, *warm = took
            late = sorted(warm)[-1 - len(warm) // 100]
            told = " ".join(f"{key}={value}" for key, value in scope.items())
            print(
                f"{name[:12]:12} {told:52} first {first:7.1f}  p50 {statistics.median(warm):7.1f}"
                f"  p99 {late:7.1f}  max {max(warm):7.1f}  CPU {statistics.median(used):7.1f} ms"
            )
    await runner.cleanup()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", required=True, metavar="URL")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=9)
    args = parser.parse_args()
    load = os.getloadavg()[0]
    of_file = args.results.startswith("sqlite")
    database = f"SQLite {sqlite3.sqlite_version}" if of_file else "PostgreSQL"
    print(f"{database}, {os.cpu_count()} cores, load {load:.1f}")
    asyncio.run(fill(args.results, args.count))
    asyncio.run(measure(args.results, args.repeats))


if __name__ == "__main__":
    main()
