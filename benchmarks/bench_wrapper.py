"""What the shell and the checks cost per token, over a bare async generator.

    python benchmarks/bench_wrapper.py [--repeats N]

CPU time of this process, everything interleaved, medians over the repeats. The text is written
for this file: an answer about a hosting service with three passages of context, about one claim in
four unsupported, cut into tokens of 3.9 characters on average. No data is needed.
"""

import argparse
import asyncio
import contextlib
import gc
import platform
import random
import statistics
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterable
from time import perf_counter_ns, process_time_ns
from typing import Any, NamedTuple

from streamguard.core.checks import DEFAULT_CHECKS, PATTERN_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.index.blocks import REMEMBERED
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.stream import guard

SIZES = (100, 1_000, 10_000)  # tokens
PER_SAMPLE = 10_000  # tokens in one timed sample, whatever the size: the same noise for each

PASSAGES = (
    """Harbour Hosting offers three plans. Basic costs $10 per month and includes 5 GB of storage
and 50 GB of traffic. Team costs $45 per month and includes 100 GB of storage. Enterprise is priced
on request. Every plan was revised on 5 March 2024. A daily backup is part of Team and Enterprise;
on Basic it costs another $2 per month. Backups are kept for 30 days.""",
    """Support answers within 24 hours on Basic and within 4 hours on Team. Enterprise customers
have a named engineer. The support office in Rotterdam is open from 8:00 to 18:00 CET. Maria van
Dijk has led the support team since 2019. In 2023 the team handled 12,400 tickets and 96% of the
customers were satisfied.""",
    """Customers may cancel at any time with a notice of 14 days. Unused months are refunded. Data
is deleted 60 days after the contract ends. Moving from another provider is free for Team customers
and takes about 3 days. The service status is shown on status.example.com.""",
)
QUESTION = "What do the plans of Harbour Hosting cost, and what does support include?"
SENTENCES = (
    "Harbour Hosting offers three plans, and the right one depends on how much you store. ",
    "The Basic plan costs ${price} per month and includes {n} GB of storage [C1]. ",
    "Team costs $45 per month, which adds a daily backup and 100 GB of space. ",
    "Backups are kept for {n} days on every plan, as the documentation says. ",
    "According to the second passage, support answers within 24 hours on Basic. ",
    "On Team the answer comes within {n} hours, e.g. before the end of the day.\n\n",
    "- **Cancellation**: at any time, with a notice of 14 days.\n",
    "- **Refunds**: unused months are refunded, and nothing else is charged.\n",
    "Maria van Dijk has led the support team since {year}. ",
    "Her colleague Peter Jansen joined the Rotterdam office in {year}. ",
    "In 2023 the team handled 12,400 tickets, and {n}% of the customers were satisfied. ",
    "Moving from another provider is free for Team customers and takes about 3 days. ",
    "You should also think about how quickly your data grows, because storage is the first limit. ",
    "However, I do not have information about discounts for schools. ",
    "Data is deleted 60 days after the contract ends, so keep a copy of what you need. ",
    "If the status page shows no incident, please restart the client and try again. ",
)
ENDLESS = "and so on without an end while the words keep coming "

NO_CHECKS = Checks(verdicts=False)  # sentences alone
Form = Callable[[AsyncIterator[str]], Any]  # what is put around a source


def answer(tokens: int, seed: int = 1) -> list[str]:
    """Return an answer of exactly `tokens` pieces."""
    rng = random.Random(seed)
    parts: list[str] = []
    while sum(map(len, parts)) < 5 * tokens:
        sentence = rng.choice(SENTENCES)
        parts.append(
            sentence.format(
                price=rng.choice((10, 10, 12)),
                n=rng.choice((4, 5, 30, 90)),
                year=rng.randrange(99) + 1930,
            )
        )
    return cut("".join(parts), tokens, rng)


def cut(text: str, tokens: int, rng: random.Random) -> list[str]:
    """Return the first `tokens` pieces of `text`, of 1 to 8 characters, 3.9 on average."""
    pieces, at = [], 0
    for _ in range(tokens):
        size = rng.choice((1, 2, 3, 3, 4, 4, 4, 5, 5, 8))
        pieces.append(text[at : at + size])
        at += size
    return pieces


def context(times: int = 1) -> Context:
    """Return a new context: its index is part of what a stream costs, its passages are new."""
    REMEMBERED.clear()
    return Context(query=QUESTION, chunks=[RetrievedChunk(text) for text in PASSAGES * times])


async def source_of(pieces: list[str]) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


async def appending(source: AsyncIterator[str]) -> AsyncIterator[str]:
    kept = []
    async for piece in source:
        yield piece
        kept.append(piece)


class Appending:
    """The same as a class, whose `__anext__` is a coroutine function."""

    def __init__(self, source: AsyncIterator[str]) -> None:
        self._source = source
        self._kept: list[str] = []

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        piece = await self._source.__anext__()
        self._kept.append(piece)
        return piece


def guarded(checks: Checks, policy: Policy | None = None, times: int = 1) -> Form:
    return lambda source: guard(source, context=context(times), checks=checks, policy=policy)


FORMS: dict[str, Form] = {
    "bare generator": lambda source: source,
    "generator + append": appending,
    "class + append": Appending,
    "validation off": guarded(NO_CHECKS, Policy(validation_enabled=False)),
    "no checks": guarded(NO_CHECKS),
    "PATTERN_CHECKS": guarded(PATTERN_CHECKS),
    "everything": guarded(DEFAULT_CHECKS),
}
CHECKED = {
    "no checks": NO_CHECKS,
    "PATTERN_CHECKS": PATTERN_CHECKS,
    "everything": DEFAULT_CHECKS,
}


async def cpu_ns(form: Form, answers: list[list[str]]) -> int:
    began = process_time_ns()
    for pieces in answers:
        async for _ in form(source_of(pieces)):
            pass
    return process_time_ns() - began


async def measured(
    repeats: int, forms: dict[str, Form], texts: dict[int, list[list[str]]]
) -> dict[tuple[str, int], list[float]]:
    """Return CPU microseconds per token by form and size, one per repeat."""
    samples: dict[tuple[str, int], list[float]] = {}
    for _ in range(repeats):
        for size, answers in texts.items():
            for name, form in forms.items():
                spent = await cpu_ns(form, answers)
                samples.setdefault((name, size), []).append(spent / 1_000 / PER_SAMPLE)
    return samples


def step(iterator: Any) -> Any:
    """Take one item without an event loop: nothing here ever waits."""
    try:
        iterator.__anext__().send(None)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("a source of this file waited")


def first_piece_us(form: Form) -> float:
    """Return the time from the first request to the first piece, the median of many.

    By the wall clock: reading the CPU clock costs as much as what is measured. Without the
    garbage collector, which setting up so many streams calls for.
    """
    gc.disable()
    iterators = [aiter(form(source_of(["one", "two"]))) for _ in range(200)]
    times = []
    for iterator in iterators:
        began = perf_counter_ns()
        step(iterator)
        times.append(perf_counter_ns() - began)
    gc.enable()
    for iterator in iterators:  # no stream of this file is left to the garbage collector
        for _ in range(3):
            exhaust(iterator)
    return statistics.median(times) / 1_000


def exhaust(iterator: Any) -> None:
    with contextlib.suppress(StopAsyncIteration):
        step(iterator)


class Ending(NamedTuple):
    """One stream, read by hand: CPU from its last token to the result, and what was seen."""

    result_us: float
    turn_us: float
    sentences: int
    chars: int
    scanned: int
    held: int
    live_bytes: int


def ending(form: Form, pieces: list[str], *, traced: bool = False) -> Ending:
    asked = 0

    async def source() -> AsyncIterator[str]:
        nonlocal asked
        for piece in pieces:
            asked += 1
            yield piece

    if traced:
        tracemalloc.start()
    stream = form(source())
    iterator = aiter(stream)
    held, turn_ns = 0, 0
    for received in range(1, len(pieces) + 1):
        began = perf_counter_ns()
        step(iterator)
        turn_ns = max(turn_ns, perf_counter_ns() - began)
        held = max(held, asked - received)
    live = tracemalloc.get_traced_memory()[1] if traced else 0
    began = process_time_ns()
    step(iterator)
    spent = process_time_ns() - began
    tracemalloc.stop()
    exhaust(iterator)
    result, report = stream.result, stream.annotation.stream
    chars, sentences = result.text.code_points, len(result.sentences)
    return Ending(
        spent / 1_000, turn_ns / 1_000, sentences, chars, report.chars_scanned, held, live
    )


def feed_us(checks: Checks, pieces: list[str]) -> list[float]:
    """Return the wall time of every `feed`, sorted; the index is built by then."""
    prepared = context()
    prepared.prepare()
    machine = StreamGuard(prepared, None, checks)
    times = []
    for piece in pieces:
        began = perf_counter_ns()
        machine.feed(piece)
        times.append((perf_counter_ns() - began) / 1_000)
    return sorted(times)


def row(name: str, *cells: object) -> str:
    return f"{name:<22}" + "".join(
        f"{cell if isinstance(cell, str) else fixed(cell):>11}" for cell in cells
    )


def fixed(value: Any) -> str:
    return (
        str(value) if isinstance(value, int) else f"{value:.2f}" if value < 100 else f"{value:.0f}"
    )


def print_goals(goals: Iterable[tuple[str, float, float]]) -> None:
    print("\nGoals (seen, at most)")
    for name, seen, allowed in goals:
        print(row(f"{name:<46}", seen, allowed, "met" if seen <= allowed else "NOT MET"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repeats", type=int, default=7, help="samples per cell (default: 7)")
    repeats = parser.parse_args().repeats
    print(f"Python {platform.python_version()}, {platform.machine()}, {repeats} repeats, medians")

    texts = {size: [answer(size, n) for n in range(PER_SAMPLE // size)] for size in SIZES}
    samples = asyncio.run(measured(repeats, FORMS, texts))
    added = {
        (form, size): statistics.median(
            seen - base for seen, base in zip(of, samples["bare generator", size], strict=True)
        )
        for (form, size), of in samples.items()
    }
    rounds = [{name: first_piece_us(form) for name, form in FORMS.items()} for _ in range(repeats)]
    first = {name: statistics.median(each[name] for each in rounds) for name in FORMS}
    print("\nCPU us per token over the bare generator; growth of that from 1k to 10k tokens;")
    print("us from the first request to the first piece\n")
    print(row("", *(f"@{size}" for size in SIZES), "growth", "1st piece"))
    growth = {}
    for name in FORMS:
        growth[name] = 10 * added[name, 10_000] / (added[name, 1_000] or 1.0)
        print(row(name, *(added[name, size] for size in SIZES), growth[name], first[name]))

    endless = {
        size: [cut(ENDLESS * size, size, random.Random(n)) for n in range(PER_SAMPLE // size)]
        for size in SIZES[1:]
    }
    samples = asyncio.run(measured(repeats, {"everything": FORMS["everything"]}, endless))
    short, long = (statistics.median(samples["everything", size]) for size in SIZES[1:])
    no_end = 10 * long / short
    print(row("  without any full stop", "", short, long, no_end))

    print("\nfeed() of 10k tokens, us; last of 1k tokens to the result, CPU us; tokens held;")
    print("characters scanned per character; most live memory before the end of 10k tokens, KB\n")
    print(row("", "feed p50", "p99", "max", "result us", "held", "scanned", "live KB"))
    for name, checks in CHECKED.items():
        feeds = feed_us(checks, texts[10_000][0])
        few = [ending(FORMS[name], texts[1_000][0]) for _ in range(repeats)]
        many = ending(FORMS[name], texts[10_000][0], traced=True)
        result_us = statistics.median(each.result_us for each in few)
        turn_us = statistics.median(each.turn_us for each in few)
        cells = [feeds[len(feeds) * share // 100] for share in (50, 99)]
        cells += [feeds[-1], result_us, many.held, many.scanned / many.chars]
        print(row(name, *cells, many.live_bytes / 1024))

    large = guarded(DEFAULT_CHECKS, times=50)
    turns = [ending(large, texts[1_000][0]).turn_us for _ in range(repeats)]

    # The last of the loop is `everything`.
    print_goals(
        (
            (
                "W1 validation off, in generators + append",
                added["validation off", 10_000] / added["generator + append", 10_000],
                1.25,
            ),
            ("W4 first piece, added us", first["everything"] - first["bare generator"], 1.0),
            ("W4 tokens held", many.held, 0),
            ("F0 PATTERN_CHECKS, us per token @1k", added["PATTERN_CHECKS", 1_000], 1.5),
            ("F1 everything, us per token @1k", added["everything", 1_000], 6.0),
            ("F2 last token to result, us", result_us, 200.0 + 6 * few[0].sentences),
            (
                "F3 live memory, KB",
                many.live_bytes / 1024,
                64 + (6 * many.chars + 1_024 * many.sentences) / 1024,
            ),
            ("F4 longest turn @1k, 3 passages, us", turn_us, 2_000.0),
            ("F4 longest turn @1k, 150 passages, us", statistics.median(turns), 2_000.0),
            ("F5 growth", growth["everything"], 10.5),
            ("F5 growth without any full stop", no_end, 10.5),
            (
                "law 6: scanned per character, 200 a sentence off",
                max(0.0, many.scanned - 200 * many.sentences) / many.chars,
                1.3,
            ),
        )
    )


if __name__ == "__main__":
    main()
