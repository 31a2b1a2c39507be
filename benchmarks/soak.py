"""Keep a thousand streams open through the proxy for minutes, and see that nothing grows.

    python benchmarks/soak.py [--minutes 10] [--streams 1000] [--hostile 0.1]

The proxy runs as `streamguard proxy` in a process of its own. Every stream gets an event a second,
ends after 60 to 180 seconds with an answer of 2,000 to 20,000 characters (as many of up to 6,300 as
longer ones) and is followed by another; one in ten is left by its client,
one in twenty broken off by the upstream, one in twenty ends without its end sign. Memory is the
median of the last tenth against that of the tenth behind the warm-up (the first four tenths: of
ten minutes the ramp and the longest stream, so that streams of every age are open; results are
kept up to 2 MB, compressed as they are, so that their store is full by then: its count is printed).
Where the checks of so many streams need more than the machine has to give, the text that waits for
them is held, too, and answers end pending: then memory says how far behind they are, and the run
says so (`--streams` with fewer). Descriptors are compared with no stream open, before and after.
The exit status is 1 where something grew, was left open, or was logged as an error.

Of the clients `--hostile` (a tenth) are made to cost, a third of them each: answers with frames of
many empty choices up to what one event may hold; contexts of 200,000 to 2,000,000 characters, of
one size all the time, so that the same is to be held at every moment; clients that reset as soon as
they have asked. Memory is printed a minute, and of a run of 16 minutes and more whether it is flat
after the tenth: whether a straight line through those minutes' medians rises, by its slope and the
slope's interval of 95 %, in MB a minute. An interval so wide that it would hide a growth of
one percent a minute says nothing. Streams last two minutes, so that half as many minutes count as
independent.
"""

import argparse
import asyncio
import math
import random
import statistics
import sys
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic

from proxy_process import (
    DONE,
    END,
    HEAD,
    PASSAGES,
    REQUEST,
    ProxyProcess,
    ask,
    chunk,
    event,
    request,
    reset,
    serving,
)

EVERY_S = 1.0  # between two events of one stream
SECONDS = (60.0, 180.0)  # of one stream
STREAM_MINUTES = 2  # its mean
RAMP_S = 60.0  # until all streams are open
SAMPLE_S = 2.0
TOLD_S = 30.0  # between two lines of progress
WARM_UP = 0.4  # of the time
WINDOW = 0.1  # of the time, over which memory is averaged
GROWTH = 0.05  # of memory at most
DESCRIPTORS = 10  # more or less at most
ENOUGH = 0.9  # of the streams must be open at the median; a slower machine soaks nothing
IDLE_S = 300.0  # for what is open to end, and kept connections to be closed
LATE = 0.05  # of the answers may end pending; more of them measure the machine
CHARS = (2_000, 20_000)  # of an answer; one of 200 has no sentence, and no index, for a minute
KEPT_BYTES = "2000000"
FLAT_AFTER = 10  # minutes, from which on memory is to be flat
FEWEST = 6  # minutes behind those, for a line through them
UNTOLD = 0.01  # of memory a minute: a slope's interval of more on either side tells nothing
# Student's t of 97.5 % by degrees of freedom, 1 to 30; the normal distribution's beyond.
STUDENT = (
    12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
HOSTILE_EVERY = 5  # events of a hostile stream to a frame that is made to cost
EMPTY = b'data: {"choices":[%b]}\n\n'
EMPTY_HEAD = EMPTY.partition(b"%")[0]  # of no ordinary frame here
FRAME_BYTES = (60_000, 250_000, 1_000_000)  # of such a frame: the last nears the cap of an event
KEPT_CHARS = 100_000  # of a hostile answer: its end, where the annotation is
AGAIN_S = 5.0  # between two requests of a client that resets
CONTEXT_CHARS = (200_000, 2_000_000)
TEXT = (
    "The Basic plan costs $10 per month and includes 5 projects. [C1] Support usually answers"
    " within 24 hours, and Dana Whitfield takes calls. [C2] It is $99 per month for the Pro plan. "
)


@dataclass
class Soak:
    """One run: what became of its streams, and what the proxy took meanwhile."""

    hostile: float = 0.0  # share of the streams
    until: float = 0.0
    open_upstream: int = 0
    ended: Counter = field(default_factory=Counter)
    wrong: Counter = field(default_factory=Counter)
    samples: list = field(default_factory=list)  # (time, kB, descriptors, streams open upstream)
    stored: list = field(default_factory=list)  # (time, results kept)

    async def answer(self, reader, writer):
        """Answer one request of the proxy, in one of several ways."""
        self.open_upstream += 1
        gone = asyncio.create_task(reader.read(1))
        try:
            await self._answer(writer, gone)
        finally:
            gone.cancel()
            self.open_upstream -= 1

    async def _answer(self, writer, gone):
        writer.write(HEAD + chunk(event("")))
        seconds, at = random.uniform(*SECONDS), random.randrange(len(TEXT))
        low, high = map(math.log, CHARS)
        size = math.ceil(math.exp(random.uniform(low, high)) / seconds * EVERY_S)
        end, text = monotonic() + seconds, TEXT * (2 + size // len(TEXT))
        is_hostile, count = random.random() < self.hostile / 3, 0
        while monotonic() < end:
            await asyncio.wait([gone], timeout=EVERY_S)
            if gone.done():
                return
            count += 1
            if is_hostile and not count % HOSTILE_EVERY:
                writer.write(chunk(EMPTY % (b"0," * (random.choice(FRAME_BYTES) // 2) + b"0")))
            writer.write(chunk(event(text[at : at + size])))
            at = (at + size) % len(TEXT)
        lot = random.random()
        if lot < 0.05:
            reset(writer)
            return
        writer.write((chunk(event(finish="stop") + DONE) if lot > 0.1 else b"") + END)
        await writer.drain()

    async def client(self, port, delay_s, asked=REQUEST):
        """Ask and read, again and again, until the time is over; with nothing `asked` leave."""
        await asyncio.sleep(delay_s)
        while monotonic() < self.until:
            try:
                await (self._read(port, asked) if asked else self._leave(port))
            except (ConnectionError, asyncio.IncompleteReadError):
                self.ended["broken off"] += 1

    async def _leave(self, port):
        self.ended["reset at once"] += 1
        _, writer = await ask(port)
        reset(writer)
        await asyncio.sleep(AGAIN_S)

    async def _read(self, port, asked):
        leaves_after = random.uniform(0.0, 120.0) if random.random() < 0.1 else None
        self.ended["huge contexts"] += asked is not REQUEST
        reader, writer = await ask(port, body=asked)
        body, began, is_plain = b"", monotonic(), asked is REQUEST
        try:
            while piece := await reader.read(65_536):
                is_plain = is_plain and EMPTY_HEAD not in piece
                body = (body if is_plain else body[-KEPT_CHARS:]) + piece
                if leaves_after is not None and monotonic() - began > leaves_after:
                    self.ended["left"] += 1
                    random.choice((reset, lambda each: each.close()))(writer)
                    return
        finally:
            writer.close()
        self._judge(body, is_plain)

    def _judge(self, body, is_plain):
        annotations = body.count(b'"object":"streamguard.result"')
        if not body.endswith(END):
            self.ended["broken off"] += 1
            self.wrong["an annotation on a broken stream"] += annotations
            return
        whole = DONE in body
        self.ended["whole" if whole else "no end sign"] += 1
        if not is_plain:  # it is checked in part or not at all, and says so
            self.ended["hostile"] += 1
            self.wrong["more than one annotation"] += annotations > 1
            return
        pending = b'"state":"pending"' in body  # a machine too slow for the verdict by then
        self.ended["pending"] += pending
        self.wrong["not one annotation"] += annotations != 1
        complete = b'"state":"complete"' in body
        self.wrong["a wrong state"] += complete != whole and not pending

    async def watch(self, proxy):
        """Note what the proxy takes, and tell it now and then, until the time is over."""
        told = monotonic() + TOLD_S
        while (now := monotonic()) < self.until:
            taken = (proxy.memory_kb(), proxy.descriptors(), self.open_upstream)
            self.samples.append((now, *taken))
            if now > told:
                told = now + TOLD_S
                kb, descriptors, _ = taken
                stored = (await proxy.health())["stored_results"]
                self.stored.append((now, stored))
                print(
                    f"{self.until - now:5.0f} s left: {self.open_upstream:,} streams open,"
                    f" {kb / 1024:.1f} MB, {descriptors:,} descriptors, {stored:,} results kept,"
                    f" {dict(self.ended)}",
                    file=sys.stderr,
                    flush=True,
                )
            await asyncio.sleep(SAMPLE_S)

    def memory_kb(self, start, end):
        """Return the median of memory between two moments."""
        return statistics.median(kb for at, kb, *_ in self.samples if start <= at <= end)


async def idle(soak, proxy):
    """Wait until nothing is open; return the proxy's health and descriptors."""
    patience = monotonic() + IDLE_S
    before, since = None, 0.0
    while monotonic() < patience:
        health, now = await proxy.health(), proxy.descriptors()
        if now != before:
            before, since = now, monotonic()
        # Kept connections are closed after 15 s.
        if not health["open_streams"] and not soak.open_upstream and monotonic() - since > 20:
            break
        await asyncio.sleep(1.0)
    return health, before


async def run(minutes, streams, hostile):
    """Run; return whether nothing grew."""
    soak = Soak(hostile)
    flags = ("--max-results-bytes", KEPT_BYTES, "--log-level", "info")
    async with serving(soak.answer) as upstream, ProxyProcess(upstream, *flags) as proxy:
        soak.until = monotonic() + 1.0
        await soak.client(proxy.port, 0.0)  # what is opened on first use
        _, descriptors_before = await idle(soak, proxy)
        soak.ended.clear()
        began = monotonic()
        soak.until = began + minutes * 60
        clients = [
            soak.client(proxy.port, RAMP_S * n / streams, asked)
            for n, asked in enumerate(asked_by(streams, hostile))
        ]
        await asyncio.gather(soak.watch(proxy), *clients)
        health, descriptors_after = await idle(soak, proxy)
        return report(soak, proxy, streams, began, health, descriptors_before, descriptors_after)


def asked_by(streams, hostile):
    """Return the body that each client asks with, none for one that leaves at once.

    The same few ask with huge contexts all the time, each with one of its size: so what must be
    held is the same at every moment, and does not hide what should not be.
    """
    some = round(streams * hostile / 3)
    low, high = CONTEXT_CHARS
    sizes = [low + (high - low) * n // max(1, some - 1) for n in range(some)]
    huge = [request(f"{PASSAGES}\n{TEXT * (chars // len(TEXT))}") for chars in sizes]
    asked = [*huge, *[b""] * some, *[REQUEST] * (streams - 2 * some)]
    random.shuffle(asked)  # so that they do not all come first
    return asked


def report(soak, proxy, streams, began, health, descriptors_before, descriptors_after):
    """Print what came of it; return whether all is as it must be."""
    length = soak.until - began
    warm = began + WARM_UP * length
    first = soak.memory_kb(warm, warm + WINDOW * length)
    last = soak.memory_kb(soak.until - WINDOW * length, soak.until)
    growth = last / first - 1
    peak = max(descriptors for _, _, descriptors, _ in soak.samples)
    at_once = statistics.median(opened for at, *_, opened in soak.samples if at > warm)
    logged = {
        name: count for name, count in proxy.logged.items() if name[0] in ("error", "critical")
    }
    moved = descriptors_after - descriptors_before
    ended = sum(soak.ended[name] for name in ("whole", "no end sign", "broken off", "left"))
    late = soak.ended["pending"] / max(1, ended)
    failures = {
        "too few streams were open at once": at_once < ENOUGH * streams,
        f"the checks were behind, and memory holds what waits: {late:.0%} pending": late > LATE,
        "memory grew": growth >= GROWTH,
        "descriptors were left open": abs(moved) > DESCRIPTORS,
        "requests were left open upstream": soak.open_upstream,
        "streams were left open": health["open_streams"],
        "errors were logged": logged,
        **{name: count for name, count in soak.wrong.items() if count},
    }
    kept = [stored for at, stored in soak.stored if at > warm] or [0]
    count = f"{ended:,} streams, {at_once:,.0f} at once"
    print(f"{length / 60:.1f} minutes, {count}: {dict(soak.ended)}")
    print(f"memory behind the warm-up {first / 1024:.1f} MB, at the end {last / 1024:.1f} MB:"
          f" {growth:+.1%} (aim: under {GROWTH:+.0%})")  # fmt: skip
    by_minute = tell_minutes(soak, began)
    failures[f"memory was not flat after minute {FLAT_AFTER}"] = by_minute == "no"
    print(f"results kept {kept[0]:,} and {kept[-1]:,}")
    print(f"descriptors {descriptors_before} before, {peak:,} at most, {descriptors_after} after")
    print(f"open at the end: {health['open_streams']} streams, {soak.open_upstream} upstream")
    for name, found in failures.items():
        if found:
            print(f"NOT WELL: {name}" + ("" if found is True else f": {found}"))
    return not any(failures.values())


def tell_minutes(soak, began):
    """Print memory a minute; return whether it is flat after the tenth: yes, no or not known."""
    minutes = int((soak.until - began) // 60)
    medians = [soak.memory_kb(began + 60 * n, began + 60 * (n + 1)) / 1024 for n in range(minutes)]
    for number, megabytes in enumerate(medians, 1):
        print(f"minute {number}: {megabytes:.1f} MB")
    verdict, why = flatness(medians[FLAT_AFTER:])
    print(f"flat after minute {FLAT_AFTER}: {verdict} ({why})")
    return verdict


def flatness(medians):
    """Return whether memory by minute is flat, as `tell_minutes` does, and the slope in words."""
    if len(medians) < FEWEST:
        return "not known", f"give --minutes {FLAT_AFTER + FEWEST} or more"
    at = range(len(medians))
    slope, level = statistics.linear_regression(at, medians)
    free = len(medians) // STREAM_MINUTES - 2
    spread = math.sqrt(sum((y - level - slope * x) ** 2 for x, y in zip(at, medians, strict=True)))
    wide = math.sqrt(sum((x - statistics.mean(at)) ** 2 for x in at) * (len(medians) - 2))
    beside = (STUDENT[free - 1] if free <= len(STUDENT) else 1.96) * spread / wide
    beside *= math.sqrt(STREAM_MINUTES)
    said = f"slope {slope:+.2f} MB/min, interval {slope - beside:+.2f} to {slope + beside:+.2f}"
    if slope - beside > 0:
        return "no", said
    return ("yes" if beside < UNTOLD * statistics.mean(medians) else "not known"), said


def main():
    """Run from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument("--hostile", type=float, default=0.1, help="share of the streams")
    args = parser.parse_args()
    return 0 if asyncio.run(run(args.minutes, args.streams, args.hostile)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
