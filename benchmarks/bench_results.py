"""What a database of results takes, and what giving results to it costs the streams.

    python benchmarks/bench_results.py [--results URL ...] [--rate 2000] [--seconds 10]

Three measurements for each database (default: SQLite in a temporary folder):

- the rate: `--rate` results a second are given while 200 streams run in the same process; how many
  are in the database when the last was given, and how long the rest takes. And how many a second
  are written of a full spool.
- the delay: how long after it was given another connection reads a result, without Redis.
- the cost: the CPU time of this process per token of the same streams, in turns with and without
  their results going to the database.
"""

import argparse
import asyncio
import os
import platform
import random
import secrets
import sys
import tempfile
import zlib
from dataclasses import replace
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter, process_time, time_ns

from sqlalchemy import func, select

from streamguard import Context, Policy
from streamguard.server.relay.checking import Checking
from streamguard.server.results.result_store import ResultStore
from streamguard.server.results.shared import SharedResults, SharedSettings
from streamguard.sinks.sql.database import migrate, open_engine
from streamguard.sinks.sql.queries import get_json
from streamguard.sinks.sql.records import About, Record
from streamguard.sinks.sql.tables import results

STREAMS = 200
STORED = 1_000  # results of one round
QUERY = "When does the museum open for parental leave?"
SENTENCES = 10  # of an answer: RAGTruth's have some 8
SUBJECTS = "archive harbour library museum station theatre garden market".split()
PASSAGE = " ".join(
    f"The {name} opens at {at} and closes at {at + 8}." for at, name in enumerate(SUBJECTS, 7)
)
WORDS = "holiday leave laptop expense travel remote parental salary training pension".split()


def answer(seed: int) -> list[str]:
    """Return the tokens of an answer; every third of its times is wrong."""
    drawn = random.Random(seed)
    said = []
    for number in range(SENTENCES):
        at = drawn.randrange(len(SUBJECTS))
        hour = 7 + at + (number % 3 == 0)
        said.append(f"On most days the {SUBJECTS[at]} opens at {hour} in the morning for all. ")
    text = "".join(said)
    return [text[at : at + 4] for at in range(0, len(text), 4)]


async def stream(store: ResultStore, tokens: list[str], pause_s: float = 0.0) -> None:
    """Check one answer as a door does, and store its result."""
    context = Context(query=QUERY, chunks=[PASSAGE])
    checking = Checking(secrets.token_hex(16), context, POLICY, model="bench")
    for token in tokens:
        checking.take(0, (token,))
        while checking.due and not checking.turn():
            pass
        await asyncio.sleep(pause_s)
    annotation = await checking.conclude("complete")
    about = checking.about(annotation, 1.0) if store.shared is not None else None
    store.put(annotation, about)
    while store.pack_turn():  # noqa: ASYNC110 -- as the doors do
        await asyncio.sleep(0)


POLICY = Policy()


async def bodies(count: int) -> list[bytes]:
    """Return annotations' JSON of as many answers, without ids."""
    store = ResultStore()
    made = []
    for seed in range(count):
        context = Context(query="When does it open?", chunks=[PASSAGE])
        checking = Checking(secrets.token_hex(16), context, POLICY)
        checking.take(0, answer(seed))
        made.append((await checking.conclude("complete")).without_text())
    del store
    return [annotation.to_json().encode() for annotation in made]


def record(said: bytes) -> Record:
    """Return a record of a new id, of now, and with keywords as they come."""
    drawn = random.random
    annotation = said.replace(
        said[said.index(b'"id":"') + 6 :][:32], secrets.token_hex(16).encode()
    )
    about = About(
        created_ms=time_ns() // 1_000_000,
        model=random.choice(("a", "b")),
        collection=random.choice(("handbook", "faq", "wiki")),
        policy_hash="0" * 12,
        keywords=random.sample(WORDS, 4),
        tail_ms=drawn() * 10,
    )
    return Record(about, zlib.compress(annotation, 1))


async def written(engine) -> int:
    async with engine.connect() as connection:
        return (await connection.execute(select(func.count()).select_from(results))).scalar()


async def all_written(engine, count: int) -> None:
    while await written(engine) < count:  # noqa: ASYNC110 -- of another process
        await asyncio.sleep(0.02)


async def rates(settings: SharedSettings, rate: int, seconds: int) -> None:
    spent = getrusage(RUSAGE_CHILDREN)
    used = spent.ru_utime + spent.ru_stime
    engine = open_engine(settings.url)
    await migrate(engine)
    shared = SharedResults(settings)
    said = await bodies(50)
    records = [record(random.choice(said)) for _ in range(rate * seconds)]
    over = asyncio.Event()

    async def streaming(number: int) -> None:
        store = ResultStore()
        tokens = answer(number)
        while not over.is_set():
            await stream(store, tokens, 0.05)  # 20 tokens a second

    before = await written(engine)
    streams = [asyncio.create_task(streaming(number)) for number in range(STREAMS)]
    began = perf_counter()
    for at in range(0, len(records), 20):
        for each in records[at : at + 20]:
            shared.journal.give(each)
        await asyncio.sleep(max(0.0, began + (at + 20) / rate - perf_counter()))
    gave = perf_counter() - began
    there = await written(engine) - before
    await all_written(engine, before + len(records))
    took = perf_counter() - began
    over.set()
    await asyncio.gather(*streams)
    await shared.aclose()
    dropped, share = shared.journal.counts["dropped"], there / len(records)
    rate_given = f"{len(records) / gave:,.0f}"
    print(f"  given {rate_given} a second while {STREAMS} streams ran, {dropped} dropped;")
    print(
        f"  {share:.1%} were written when the last was given, all {took - gave:.2f} s later:",
        end=" ",
    )
    print(f"{len(records) / took:,.0f} a second")

    # A full spool, and nothing else to do.
    records = [record(random.choice(said)) for _ in range(len(records))]
    shared = SharedResults(replace(settings, spool=settings.spool / "full"))
    before = await written(engine)
    for each in records:
        shared.journal.give(each)
    await all_written(engine, before + 1)
    began, first = perf_counter(), await written(engine)
    await all_written(engine, before + len(records))
    took = perf_counter() - began
    print(f"  of a full spool: {(before + len(records) - first) / took:,.0f} a second")
    await shared.aclose()
    await engine.dispose()
    spent = getrusage(RUSAGE_CHILDREN)
    used = (spent.ru_utime + spent.ru_stime - used) / (2 * len(records)) * 1e6
    print(
        f"  CPU of the writer: {used:.0f} us a result: one core writes {1e6 / used:,.0f} a second"
    )


async def delays(settings: SharedSettings, count: int) -> None:
    """How long after it was given another process reads a result: one at a time, now and then."""
    engine = open_engine(settings.url)
    shared = SharedResults(replace(settings, spool=settings.spool / "delays"))
    [said] = await bodies(1)
    waits = []
    for number in range(count + 1):
        one = record(said)
        name = one.annotation()["id"]
        given = perf_counter()
        shared.journal.give(one)
        while await get_json(engine, name) is None:  # noqa: ASYNC110 -- of another process
            await asyncio.sleep(0.002)
        if number:  # with the first the writer began
            waits.append((perf_counter() - given) * 1e3)
        await asyncio.sleep(0.05 * random.random())
    await shared.aclose()
    await engine.dispose()
    waits.sort()
    print(f"  read after {median(waits):.0f} ms, p99 {waits[-1 - count // 100]:.0f} ms", end=", ")
    print(f"{waits[-1]:.0f} ms at most of {count}")


async def costs(settings: SharedSettings, rounds: int) -> None:
    shared = SharedResults(settings)
    stores = {"without": ResultStore(), "with": ResultStore(shared=shared)}
    spent: dict[str, list[float]] = {name: [] for name in stores}
    answers = [answer(number) for number in range(STREAMS)]
    tokens = sum(map(len, answers))
    for turn in range(rounds + 1):
        order = list(stores) if turn % 2 else list(stores)[::-1]
        for name in order:
            began = process_time()
            await asyncio.gather(*(stream(stores[name], each) for each in answers))
            await asyncio.sleep(0.05)  # what the journal's threads have to do still
            if turn:  # the first warms up
                spent[name].append((process_time() - began) / tokens * 1e6)
    ratios = [a / b for a, b in zip(spent["with"], spent["without"], strict=True)]
    print(f"  CPU per token: {median(spent['without']):.2f} us without, ", end="")
    print(f"{median(spent['with']):.2f} us with; ratio {median(ratios):.4f}", end=" ")
    print(f"({min(ratios):.3f} to {max(ratios):.3f})")
    # The same by itself, which varies less: storing one answer many times.
    checking = Checking(secrets.token_hex(16), Context(query=QUERY, chunks=[PASSAGE]), POLICY)
    checking.take(0, answers[0])
    annotation = await checking.conclude("complete")
    stored: dict[str, list[float]] = {name: [] for name in stores}
    for _ in range(rounds):
        for name, store in stores.items():
            began = process_time()
            for _ in range(STORED):
                one = annotation.model_copy(update={"id": secrets.token_hex(16)})
                store.put(one, checking.about(one, 1.0) if store.shared is not None else None)
            await asyncio.sleep(0.05)
            stored[name].append((process_time() - began) / STORED * 1e6)
    await shared.aclose()
    more = median(stored["with"]) - median(stored["without"])
    of_all = more / (median(spent["without"]) * tokens / STREAMS)
    print(f"  giving a result: {more:.0f} us of CPU, {of_all:.2%} of an answer of", end=" ")
    print(f"{tokens // STREAMS} tokens")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", action="append", default=[], metavar="URL")
    parser.add_argument("--rate", type=int, default=2_000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--delays", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for number, url in enumerate(args.results or [f"sqlite:///{folder}/results.db"]):
            print(url.partition(":")[0])
            settings = SharedSettings(url, Path(folder) / str(number))
            await rates(settings, args.rate, args.seconds)
            await delays(settings, args.delays)
            await costs(settings, args.rounds)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
