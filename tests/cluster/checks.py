"""Each part of a cluster killed in turn, while answers stream through the others.

Not collected with the other tests: it needs PostgreSQL, Redis and nginx, and `make test-cluster`
names this file.
"""

import asyncio
import json
import statistics
import time
from collections import Counter
from contextlib import aclosing, asynccontextmanager, suppress

import aiohttp
import pytest
from sqlalchemy.exc import DBAPIError

from examples.cluster.run import PROXIES, cluster
from streamguard.server.results.live import Live
from streamguard.sinks.sql import tables
from streamguard.sinks.sql.database import migrate, open_engine
from streamguard.sinks.sql.queries import all_about, each
from streamguard.sinks.sql.records import About, FeedbackRecord
from streamguard.sinks.sql.writing import forget, write_feedback, write_records
from tests.kit.upstreams import ASKED, CHUNKED, DONE, END, PATH, answer, chunked, upstream
from tests.test_results_database import DAY, count, record_of, tally

PATIENCE_S = 60.0
# A killed proxy loses the results that had not got to its disk, of the last 5 ms or so
# (docs/results.md). Here processes wait for one another, and nginx does not say who answered.
LOST_S = 0.25
TEXT = "The Basic plan costs $12 per month. It includes one seat. Support answers on weekdays. "
STREAM = answer(TEXT) + DONE
PAUSE_S = 0.01
# The upstream of the tests closes behind each answer; unsaid, a request could meet that.
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


async def slowly(_received, writer):
    """Stream the answer in small pieces, half a second long."""
    writer.write(HEAD)
    size = -(-len(STREAM) // 50)
    for at in range(0, len(STREAM), size):
        writer.write(STREAM[at : at + size])
        await writer.drain()
        await asyncio.sleep(PAUSE_S)


@asynccontextmanager
async def running(script=slowly):
    """Run a cluster in front of `script`; give it and a client's session."""
    async with upstream(script) as up, aiohttp.ClientSession() as session:
        with cluster(up.url) as made:
            yield made, session


async def asked(session, base, headers=None):
    """Ask, read the answer to its end, and return its id; the stream must be whole."""
    async with session.post(base + PATH, json=ASKED, headers=headers or {}) as response:
        body = await response.read()
        assert response.status == 200, body
        assert body.endswith(DONE)
        lines = body.decode().split("\n")
        frames = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
        said = (each["choices"][0]["delta"].get("content") for each in frames)
        assert "".join(filter(None, said)) == TEXT
        return response.headers["x-streamguard-id"]


async def found(session, base, name):
    async with session.get(f"{base}/streamguard/results/{name}") as response:
        return response.status, await response.json()


async def in_database(made, names):
    """Return how often each id is in the database, once all of `names` are."""
    engine = open_engine(made.results)
    end = time.monotonic() + PATIENCE_S
    try:
        while True:
            counts = Counter()
            with suppress(DBAPIError, OSError):  # it may be starting still
                async with aclosing(each(engine)) as pages:
                    async for page in pages:
                        counts.update(row["id"] for row in page)
            if counts.keys() >= set(names):
                return counts
            missing = len(set(names) - counts.keys())
            assert time.monotonic() < end, f"{missing} results never came"
            await asyncio.sleep(0.05)
    finally:
        await engine.dispose()


@pytest.mark.asyncio
async def test_a_result_of_one_is_read_from_the_other_also_through_the_database_alone():
    async with running(HEAD + STREAM) as (made, session):
        one, two = (made.addresses[name] for name in PROXIES)

        async def read_from(other, by, pause_s):
            """Say how many milliseconds it took."""
            name = await asked(session, by)
            over = time.perf_counter()
            while (await found(session, other, name))[0] != 200:
                await asyncio.sleep(pause_s)
            waited = (time.perf_counter() - over) * 1_000
            assert pause_s or await found(session, other, name) == await found(session, by, name)
            return waited

        waits = [await read_from(*((one, two), (two, one))[turn % 2], 0) for turn in range(60)]
        print(f"\nfrom the other: p50 {statistics.median(waits):.1f} ms, max {max(waits):.1f} ms")
        await in_database(made, [await asked(session, made.url)])
        made.kill("redis")
        await found(session, two, "0" * 32)  # it finds out that Redis is gone
        # The cores are for those that are asked.
        waits = [await read_from(two, one, 0.002) for _ in range(100)]
        print(f"by the database: p50 {statistics.median(waits):.1f} ms, max {max(waits):.1f} ms")


@pytest.mark.asyncio
async def test_a_context_that_was_posted_to_one_is_that_of_an_answer_of_the_other():
    async with running(HEAD + STREAM) as (made, session):
        one, two = (made.addresses[name] for name in PROXIES)
        given = {"query": "What is it?", "chunks": ["Support answers."], "collection": "plans"}
        async with session.post(f"{one}/streamguard/contexts", json=given) as response:
            context = (await response.json())["id"]
        name = await asked(session, two, {"x-streamguard-context": context})
        assert (await found(session, two, name))[1]["result"]["retrieval"]["raw_count"] == 1
        await in_database(made, [name])
        engine = open_engine(made.results)
        assert (await all_about(engine, name))["result"]["collection"] == "plans"
        await engine.dispose()
        made.kill("redis")
        name = await asked(session, two, {"x-streamguard-context": "0" * 32})
        assert "context" in (await found(session, two, name))[1]["result"]["errors"][0]


@pytest.mark.asyncio
async def test_sentences_settle_at_the_other_while_the_answer_runs():
    heard = asyncio.Event()

    async def until_heard(_received, writer):
        writer.write(CHUNKED + chunked(answer(TEXT)))
        await writer.drain()
        async with asyncio.timeout(PATIENCE_S):
            await heard.wait()  # the answer ends when its sentences were read elsewhere
        writer.write(chunked(DONE) + END)

    async with running(until_heard) as (made, session):
        one, two = (made.addresses[name] for name in PROXIES)
        headers = {"x-streamguard-live": "1"}
        async with session.post(one + PATH, json=ASKED, headers=headers) as response:
            name = response.headers["x-streamguard-id"]
            while (seen := await found(session, two, name))[0] != 202:
                await asyncio.sleep(0.01)
            assert seen[1]["state"] == "pending"
            url = f"{two}/streamguard/results/{name}/events"
            lines = []
            async with session.get(url) as events:
                async for line in events.content:
                    lines.append(line.decode().rstrip("\n"))
                    if lines[-1] == "event: streamguard.sentence":
                        heard.set()
            await response.read()
        async with session.get(f"{one}/streamguard/results/{name}/events") as events:
            there = (await events.read()).decode().split("\n")
        kept = [line for line in lines if not line.startswith(":")]
        assert kept == there[: len(kept)]
        last = next(line for line in reversed(kept) if line.startswith("id: "))
        async with session.get(url, headers={"Last-Event-ID": last[4:]}) as events:
            assert events.status == 204


KILLED = ("postgres", "redis", "one", "two", "nginx")


@pytest.mark.asyncio
@pytest.mark.parametrize("part", KILLED)
async def test_a_part_that_is_killed_loses_and_doubles_no_result(part):
    """Streams of the parts that live go on whole; those of a killed proxy may break."""
    async with running() as (made, session):
        names, broken = {}, []

        async def client(base):
            while not over.is_set():
                try:
                    name = await asked(session, base)
                    names[name] = base, time.monotonic()
                except (aiohttp.ClientError, AssertionError, OSError) as exc:
                    broken.append((base, f"{type(exc).__name__} {exc}"[:300]))
                    await asyncio.sleep(0.05)

        over = asyncio.Event()
        living = [made.addresses[name] for name in PROXIES if name != part]
        through = [made.url] * 8 if part != "nginx" else []
        clients = [asyncio.create_task(client(base)) for base in [*(living * 5), *through]]
        await asyncio.sleep(1.5)
        before, killed_at = len(names), time.monotonic()
        await asyncio.to_thread(made.kill, part)
        gone_at = time.monotonic()
        await asyncio.sleep(2.0)
        assert len(names) > before, "nobody was answered while it was gone"
        await asyncio.to_thread(made.start, part)
        await asyncio.sleep(1.0)
        over.set()
        await asyncio.gather(*clients)
        lost = set()
        if part in PROXIES:
            span = killed_at - LOST_S, gone_at + LOST_S
            lost = {n for n, (by, at) in names.items() if by == made.url and span[0] < at < span[1]}
        kept = {*names, await asked(session, made.url)} - lost
        counts = await in_database(made, kept)
        said = f"{len(names)} answers, {len(broken)} broken, {len(lost - counts.keys())} lost"
        print(f"\n{part} killed: {said}, each of the others once")
        assert not [each for each in broken if each[0] in living]
        if part not in PROXIES:
            assert not broken, broken
        else:
            assert len(broken) <= 8, broken  # those that streamed through it at that moment
        assert set(counts.values()) == {1}


@pytest.mark.asyncio
async def test_the_tables_are_the_same_in_postgresql():
    async with running() as (made, _):
        engine = open_engine(made.results)
        await asyncio.gather(*(migrate(engine) for _ in range(3)))
        records = [
            record_of(n, about=About(created_ms=n * DAY, model="\x00\ud800", keywords=("plan",)))
            for n in range(10)
        ]
        both = await asyncio.gather(
            write_records(engine, records), write_records(engine, records[::-1])
        )
        assert sum(both) == 10
        assert sum((await tally(engine, "status")).values()) == 10
        given = FeedbackRecord(f"{1:032x}", "up", created_ms=0)
        assert [await write_feedback(engine, [given]) for _ in range(2)] == [1, 0]
        assert await forget(engine, before_ms=5 * DAY, keep=3) == 7
        assert await count(engine, tables.bodies) == 3
        await engine.dispose()


@pytest.mark.asyncio
async def test_sentences_that_were_sent_twice_are_told_by_their_numbers():
    """Redis took them, and said so too late: they are sent again."""
    async with running() as (made, _):
        live = Live(made.live, 60.0)
        for number in (1, 2, 1, 2, 3):
            live.publish("a", number, f'{{"n":{number}}}')
        end = time.monotonic() + PATIENCE_S
        while len(told := await live.sentences_of("a")) < 5:
            assert time.monotonic() < end
            await asyncio.sleep(0.01)
        assert dict(told) == {number: f'{{"n":{number}}}' for number in (1, 2, 3)}
        assert await live.sentences_of("a", 2) == told[2:]  # what was not read yet
        await live.aclose()
