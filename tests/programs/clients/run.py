"""Unmodified clients through the real proxy, in front of a server of every protocol.

    python -m tests.programs.clients.run [--only SET] [--slice] [--write] [--check] [--verbose]

Installs each set of `sets.py` into `.clients/`, asks for every scenario with and without the proxy,
compares, and prints the matrix. The exit status is 1 where the proxy breaks a client. `--slice`
leaves out most forms but the default one. `--write` puts the matrix of a complete run into its
page. `--check` only says what the machine lacks.
"""

import argparse
import asyncio
import json
import sys
import time
from contextlib import asynccontextmanager
from datetime import date

from streamguard import DEFAULT_CHECKS, Policy
from streamguard.server.relay import checking
from streamguard.server.request_context import Policies
from streamguard.server.request_options import Forms
from streamguard.server.workers.serve import make_runner, start
from tests.kit import streams
from tests.kit.upstreams import proxy
from tests.programs.clients import matrix, upstream
from tests.programs.clients.browser import answers_in_browser
from tests.programs.clients.compare import broken
from tests.programs.clients.installing import (
    ROOT,
    command_of,
    install,
    machine,
    missing,
    unmade,
    versions,
)
from tests.programs.clients.sets import SETS

SCENARIOS = ("text", "choices", "tools", "calls", "reasoning", "usage", "empty", "error",
             "text-crlf", "text-late", "long")  # fmt: skip
FEWER = ("text", "tools", "choices", "usage")  # on the routes that change little
ROUTES = {
    "direct": (SCENARIOS, {}),
    "default": (SCENARIOS, {}),
    "attach": (SCENARIOS, {"x-streamguard": "attach"}),
    "header": (FEWER, {"x-streamguard": "header"}),
    "event": (("text", "text-crlf"), {"x-streamguard": "event"}),
    "live": (FEWER, {"x-streamguard-live": "1"}),
    "slow": (("text", "tools"), {}),
    "held": (FEWER, {}),
    "stopped": (("text",), {}),
    "replaced": (("text",), {}),
}
# The second sentence of the usual answer is what the policy blocks.
BLOCKED = {"patterns": {"pro": '"Pro"'}, "packs": ("regex",), "block": ("regex:pro",)}
SLICE = {"direct": SCENARIOS, "default": SCENARIOS, "attach": ("text", "tools"),
         "live": ("text",), "slow": ("text",), "held": ("text", "choices"),
         "stopped": ("text",), "replaced": ("text",)}  # fmt: skip
SLOW_S = 0.1  # per sentence: far above what a verdict takes, far below a client's patience
PATIENCE_S = 120.0  # for one answer, or for what a client imports; a probe's own is 20 s
MAX_LINE_BYTES = 2**22  # of one answer as JSON
WHERE = ("client", "protocol", "route", "model")
AT_ONCE = 2  # probes: one of them waits for the servers most of the time


def slow(sentence, scope):
    time.sleep(SLOW_S)
    return ()


def plan(bases, scenarios_of):
    """Return the steps that every probe runs, of the scenarios of every route."""
    steps = []
    for route, scenarios in scenarios_of.items():
        about = {"route": route, "base": bases.get(route, bases["proxied"])}
        about["headers"] = ROUTES[route][1]
        for scenario in scenarios:
            name = scenario.partition("-")[0]
            protocols = [each for each in streams.PROTOCOLS if streams.has(each, name)]
            steps.append({**about, "model": scenario, "protocols": protocols})
    return steps


def holding(on_violation):
    """Return the policies of a proxy that holds sentences back, and blocks the second one."""
    settings = {"hold": "sentence", "on_violation": on_violation, **BLOCKED}
    return Policies(Policy.preset("moderate", **settings))


@asynccontextmanager
async def servers():
    """Run the upstream and the proxies in front of it: usual, with slow checks, holding back."""
    runner = make_runner(upstream.make_app())
    checking.MAX_TAIL_WAIT_S = PATIENCE_S  # clients must bear whole annotations on slow machines
    further = {
        "check_paths": ("/ui", "/events", "/lines"),
        "forms": Forms(max_annotation_bytes=2**24),  # clients must bear long ones
    }
    try:
        base = await start(runner, "127.0.0.1", 0)
        late = DEFAULT_CHECKS.plus(slow)
        async with (
            proxy(base, **further) as fast,
            proxy(base, checks=late, **further) as slowed,
            proxy(base, policies=holding("annotate"), **further) as held,
            proxy(base, policies=holding("stop"), **further) as stopped,
            proxy(base, policies=holding("replace"), **further) as replaced,
        ):
            yield {
                "direct": base,
                "proxied": fast,
                "slow": slowed,
                "held": held,
                "stopped": stopped,
                "replaced": replaced,
            }
    finally:
        await runner.cleanup()


async def answers_of(each, probe, steps, verbose):
    """Run one probe; return its answers."""
    if each.browser:
        return await answers_in_browser(probe, steps)
    command, environment = command_of(each, probe)
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=None if verbose else asyncio.subprocess.PIPE,
        limit=MAX_LINE_BYTES,
        env=environment,
    )
    said = asyncio.create_task(process.stderr.read()) if process.stderr else None
    made = []
    try:
        process.stdin.write(json.dumps(steps).encode())
        process.stdin.close()
        while line := await asyncio.wait_for(process.stdout.readline(), PATIENCE_S):
            if line.startswith(b"{"):
                made.append(json.loads(line))
        await process.wait()
    except TimeoutError:
        last = {name: made[-1][name] for name in WHERE} if made else "none"
        raise SystemExit(f"{each.name} {probe}: nothing came behind answer {last}") from None
    finally:
        if process.returncode is None:
            process.kill()
        errors = (await said).decode() if said else ""
    if process.returncode or not made:
        raise SystemExit(f"{each.name} {probe} ended with {process.returncode}\n{errors[-2_000:]}")
    return made


def judged(answers):
    """Return the answers of proxied routes, each with what it breaks."""
    key = lambda answer: (answer["client"], answer["protocol"], answer["model"])  # noqa: E731
    direct = {key(answer): answer for answer in answers if answer["route"] == "direct"}
    return [
        {**answer, "broken": broken(direct[key(answer)], answer)}
        for answer in answers
        if answer["route"] != "direct"
    ]


async def run(chosen, args):
    """Run the sets; return the judged answers, in the order of the sets."""
    turn, took = asyncio.Semaphore(AT_ONCE), time.monotonic()

    async def probed(each, probe, steps):
        async with turn:
            begun = time.monotonic()
            made = judged(await answers_of(each, probe, steps, args.verbose))
        bad = sum(bool(answer["broken"]) for answer in made)
        print(f"{each.name} {probe}: {len(made)} answers, {bad} broken,"
              f" {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)  # fmt: skip
        return made

    await asyncio.gather(*map(install, chosen))
    print(f"installed after {time.monotonic() - took:.0f} s", file=sys.stderr, flush=True)
    async with servers() as bases:
        steps = plan(bases, SLICE if args.slice else {name: ROUTES[name][0] for name in ROUTES})
        probes = [probed(each, probe, steps) for each in chosen for probe in each.probes]
        return [answer for made in await asyncio.gather(*probes) for answer in made]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="SET", action="append", help="a set of sets.py")
    parser.add_argument("--slice", action="store_true", help="the default form alone")
    parser.add_argument("--write", action="store_true", help="put the matrix into the pages")
    parser.add_argument("--check", action="store_true", help="only say what the machine lacks")
    parser.add_argument("--verbose", action="store_true", help="let the clients' errors through")
    args = parser.parse_args()
    if args.write and (args.only or args.slice):
        parser.error("--write takes a complete run: without --only and --slice")
    chosen = [each for each in SETS if not args.only or each.name in args.only]
    if unknown := set(args.only or ()) - {each.name for each in SETS}:
        known = ", ".join(each.name for each in SETS)
        parser.error(f"no set {', '.join(sorted(unknown))}; there are {known}")
    if lacking := missing(chosen) + ([] if args.check else unmade(chosen)):
        raise SystemExit("\n".join(("the client matrix cannot run:", *lacking)))
    if args.check:
        return 0
    answers = asyncio.run(run(chosen, args))
    for answer in answers:
        where = ", ".join(answer[name] for name in WHERE)
        for fault in answer["broken"]:
            print(f"BROKEN {where}: {fault}")
    print(matrix.table(answers))
    print(matrix.counts(answers), matrix.habits(answers))
    if args.write:
        told = f"Run on {date.today()} with {machine()}. {versions(chosen)}."
        matrix.write(answers, told, ROOT)
    return int(any(answer["broken"] for answer in answers))


if __name__ == "__main__":
    sys.exit(main())
