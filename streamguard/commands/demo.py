"""`streamguard demo`: recorded answers stream through the proxy, with their verdicts."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any

from streamguard.demo.recordings import built_in, read_recorded
from streamguard.errors import StreamguardError, lacking
from streamguard.settings import load_policy

_COUNT = 20
_TOKENS_PER_S = 60.0  # what a hosted model streams; guess
_PAUSE_S = 1.5  # to read a panel's first lines; guess
_WIDTH = 100  # of the page where there is no terminal

DESCRIPTION = """\
Start a server that replays six recorded answers and the proxy in front of it, both on free
loopback ports; ask through the official openai client; show the tokens as they arrive, then the
verdict: a right answer, a wrong price, a value of another owner, a needless refusal, what a judge
reads (one that is scripted, on loopback as well), a stream that breaks off.

With --all it plays every built-in answer with all that is found, and ends with the address of the
chat page over sample documents, which stays open until Ctrl-C. Not on a terminal nothing waits: it
asks the chat a scripted question for each thing its page shows, and ends by itself."""
EPILOG = """\
FILE holds one JSON object a line (.gz allowed): question, chunks (a list of texts), answer.

exit status: 0 done, 1 where an answer did not arrive as recorded or the page did not show a thing

examples:
  streamguard demo
  streamguard demo --all
  streamguard demo --data answers.jsonl.gz --count 50"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard demo`."""
    add = parser.add_argument
    add("--all", action="store_true", help="every built-in answer, then the chat page")
    add("--data", metavar="FILE", help="recorded answers of your own instead of the built-in ones")
    add(
        "--count",
        type=_positive,
        default=_COUNT,
        metavar="N",
        help="how many answers of --data to play, spread over the file (default: %(default)s)",
    )
    add(
        "--policy",
        metavar="NAME|FILE",
        help="a preset or a TOML file (default: STREAMGUARD_POLICY, else moderate)",
    )
    add(
        "--rate",
        type=_rate,
        metavar="N",
        help="tokens a second, 0 for no limit and no pauses"
        f" (default: {_TOKENS_PER_S:g} on a terminal)",
    )


def run(args: argparse.Namespace) -> int:
    """Play the demo; return 1 if an answer was altered or a banner is missing.

    Raises `StreamguardError` without the extra, `OSError` for an unreadable file, `DecodeError` for
    a malformed one.
    """
    policy = load_policy(args.policy).policy
    brief = args.data is None and not args.all
    recordings = built_in(every=args.all)
    if args.data is not None:
        recordings = read_recorded(args.data, args.count)
    try:
        from rich.console import Console

        from streamguard.demo import page, runner
    except ImportError as exc:
        raise StreamguardError(lacking(str(exc.name), "demo")) from exc
    live = _somebody_is_there()
    own_rate = _TOKENS_PER_S if live else 0.0
    rate = own_rate if args.rate is None else args.rate
    console = Console(width=None if live else _WIDTH, highlight=False)
    pause_s = _PAUSE_S if live and rate else 0.0

    async def play() -> int:
        tally = await runner.show(
            recordings, console, policy=policy, tokens_per_s=rate, pause_s=pause_s, brief=brief
        )
        if brief:
            console.print(page.next_steps(), markup=False, soft_wrap=True)
        if tally.changed or brief:
            return 1 if tally.changed else 0
        return await _chat(page, console, args, live=live)

    return asyncio.run(play())


async def _chat(page: Any, console: Any, args: argparse.Namespace, *, live: bool) -> int:
    """Continue with the chat page, if there is a terminal; return 1 if it lacks something."""
    if args.data is not None:
        console.print(page.last_words(), markup=False, soft_wrap=True)
        return 0
    if live:
        await page.stay_open(console, tokens_per_s=_TOKENS_PER_S)
        return 0
    return 1 if await page.tour(console) else 0


def _somebody_is_there() -> bool:
    """Return whether a person can read and end the demo; without one nothing may wait."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"is {text!r}, expected a whole number of at least 1")
    return int(text)


def _rate(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"is {text!r}, expected a number of at least 0")
    return value
