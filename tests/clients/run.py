"""Unmodified clients through the real proxy, in front of a server of every protocol.

    python -m tests.clients.run [--only SET] [--write] [--no-install] [--verbose]

Installs each set of `sets.py` into `.clients/`, asks for every scenario with and without the proxy,
compares, and prints the matrix. The exit status is 1 where the proxy breaks a client. `--write`
puts the matrix into docs/clients.md.
"""

import argparse
import asyncio
import json
import os
import shutil
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

from streamguard import DEFAULT_CHECKS
from streamguard.server.serve import make_runner, start
from tests.clients import matrix, streams, upstream
from tests.clients.compare import broken, known
from tests.clients.sets import SETS
from tests.upstreams import proxy

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
INSTALLED = ROOT / ".clients"
SCENARIOS = ("text", "choices", "tools", "calls", "reasoning", "usage", "empty", "error",
             "text-crlf", "text-late", "long")  # fmt: skip
FEWER = ("text", "tools", "choices", "usage")  # on the routes that change little
ROUTES = {
    "direct": (SCENARIOS, {}),
    "default": (SCENARIOS, {}),
    "attach": (SCENARIOS, {"x-streamguard": "attach"}),
    "header": (FEWER, {"x-streamguard": "header"}),
    "live": (FEWER, {"x-streamguard-live": "1"}),
    "slow": (("text", "tools"), {}),
}
SLOW_S = 0.1  # per sentence: far above what a verdict takes, far below a client's patience
PATIENCE_S = 240.0  # a set that is not through by then hangs


def slow(sentence, scope):
    """Check nothing, slowly."""
    time.sleep(SLOW_S)
    return ()


def plan(bases):
    """Return the steps that every probe runs."""
    return [
        {
            "route": route,
            "base": bases.get(route, bases["proxied"]),
            "headers": headers,
            "model": scenario,
            "protocols": [
                each for each in streams.PROTOCOLS if streams.has(each, scenario.partition("-")[0])
            ],
        }
        for route, (scenarios, headers) in ROUTES.items()
        for scenario in scenarios
    ]


@asynccontextmanager
async def servers():
    """Run the upstream, the proxy in front of it, and one whose checks are slow."""
    runner = make_runner(upstream.make_app())
    further = {"check_paths": ("/ui", "/events", "/lines")}
    try:
        base = await start(runner, "127.0.0.1", 0)
        late = DEFAULT_CHECKS.plus(slow)
        async with proxy(base, **further) as fast, proxy(base, checks=late, **further) as slowed:
            yield {"direct": base, "proxied": fast, "slow": slowed}
    finally:
        await runner.cleanup()


def missing():
    """Return what the machine lacks, as a sentence, or None."""
    lacking = [name for name in ("node", "npm") if shutil.which(name) is None]
    if lacking:
        return f"make test-clients needs {' and '.join(lacking)}: apt-get install nodejs npm"
    return None


async def install(each):
    """Install a set's packages, unless they are there at these versions."""
    folder = INSTALLED / each.name
    mark = folder / ".installed"
    wanted = "\n".join(each.packages)
    if mark.exists() and mark.read_text() == wanted:
        return
    print(f"installing {each.name}: {' '.join(each.packages)}", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if each.node:
        (folder / "package.json").write_text('{"private": true, "type": "module"}')
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--silent")
        command = ("npm", "install", "--prefix", folder, *quiet, *each.packages)
    else:
        quiet = ("--quiet", "--disable-pip-version-check", "--no-compile")
        command = (
            sys.executable,
            "-m",
            "pip",
            "install",
            "--target",
            folder,
            *quiet,
            *each.packages,
        )
    process = await asyncio.create_subprocess_exec(*map(str, command), cwd=folder)
    if await process.wait():
        raise SystemExit(f"{each.name}: the installation failed")
    mark.write_text(wanted)


def command_of(each, probe):
    """Return the command that runs a probe on its set, and its environment."""
    folder = INSTALLED / each.name
    if each.node:
        # Node looks for packages beside the script, not beside the working directory.
        for script in (HERE / "probes").glob("*.mjs"):
            shutil.copy(script, folder)
        return ("node", folder / probe), dict(os.environ)
    # The interpreter without this environment's packages: the set's alone.
    python = Path(sys.base_prefix) / "bin" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    hidden = {"PYTHONPATH": str(folder), "PYTHONNOUSERSITE": "1"}
    return (python, "-W", "ignore", HERE / "probes" / probe), os.environ | hidden


async def answers_of(each, probe, steps, verbose):
    """Run one probe; return its answers."""
    command, environment = command_of(each, probe)
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=None if verbose else asyncio.subprocess.PIPE,
        env=environment,
    )
    try:
        asked = json.dumps(steps).encode()
        out, err = await asyncio.wait_for(process.communicate(asked), PATIENCE_S)
    finally:
        if process.returncode is None:
            process.kill()
    made = [json.loads(line) for line in out.splitlines() if line.startswith(b"{")]
    if process.returncode or not made:
        said = (err or b"").decode()[-2_000:]
        raise SystemExit(f"{each.name} {probe} ended with {process.returncode}\n{said}")
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


async def run(args):
    """Run the sets that are asked for; return the judged answers."""
    chosen = [each for each in SETS if args.only in (None, each.name)]
    if not chosen:
        raise SystemExit(f"no set {args.only!r}; there are {', '.join(s.name for s in SETS)}")
    answers = []
    async with servers() as bases:
        steps = plan(bases)
        for each in chosen:
            if not args.no_install:
                await install(each)
            for probe in each.probes:
                begun = time.monotonic()
                made = judged(await answers_of(each, probe, steps, args.verbose))
                bad = sum(bool(answer["broken"]) for answer in made)
                took = time.monotonic() - begun
                print(f"{each.name} {probe}: {len(made)} answers, {bad} broken, {took:.0f} s",
                      file=sys.stderr, flush=True)  # fmt: skip
                answers += made
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="SET", help="one set of sets.py")
    parser.add_argument("--write", action="store_true", help="put the matrix into the pages")
    parser.add_argument("--no-install", action="store_true", help="take what is installed")
    parser.add_argument("--verbose", action="store_true", help="let the clients' errors through")
    args = parser.parse_args()
    if lacking := missing():
        raise SystemExit(lacking)
    answers = asyncio.run(run(args))
    for answer in answers:
        for fault in answer["broken"]:
            where = (
                f"{answer['client']}, {answer['protocol']}, {answer['route']}, {answer['model']}"
            )
            print(f"BROKEN {where}: {fault}")
    print(matrix.table(answers))
    print(matrix.summary(answers))
    if args.write:
        matrix.write(answers, ROOT)
    return int(any(answer["broken"] and not known(answer) for answer in answers))


if __name__ == "__main__":
    sys.exit(main())
