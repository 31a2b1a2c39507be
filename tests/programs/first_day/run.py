"""Ask every prompt through every door in every stream, with a right and a wrong price.

python -m tests.programs.first_day.run            compare with first_day.md of benchmarks/results
python -m tests.programs.first_day.run --write    write it
"""

import argparse
import asyncio
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from tests.programs.first_day import doors, frameworks
from tests.programs.first_day.prompts import PROMPTS, RIGHT, WRONG, WRONG_VALUE, Prompt
from tests.programs.first_day.streams import STREAMS

PAGE = Path(__file__).parents[3] / "benchmarks" / "results" / "first_day.md"
DOORS = {**doors.DOORS, **frameworks.DOORS}
EVERY_DOOR = ("proxy", "ASGI", "aiohttp", "LangChain", "LlamaIndex")

HEAD = """\
# The first day

One question about two passages, in every prompt below, through every door, in every stream shape that the door has; each once with the right price and once with a wrong one. A cell counts the verdicts that are right: PASS for the right price; for the wrong one WARN or REFUSE with that price among the findings. `make test-first-day` makes this page and fails where a cell is wrong, or where one is silently unread. The prompts' marks, and the versions of the frameworks' templates, are in [prompts.md](../../docs/prompts.md).
"""  # noqa: E501


class Cell(NamedTuple):
    """One answer: what was asked how, which price it held, and what was wrong with its verdict."""

    prompt: Prompt
    door: str
    stream: str
    right: bool
    fault: str | None


def fault_of(result, *, right):
    """Return what is wrong with a verdict, None where nothing is."""
    status = result["status"]
    if status is None:
        return f"no verdict: {', '.join(each['code'] for each in result['reasons'])}"
    if right:
        return None if status == "PASS" else f"{status} for the right price"
    if status not in ("WARN", "REFUSE"):
        return f"{status} for the wrong price"
    found = any(WRONG_VALUE in (each["value"] or "") for each in result["findings"])
    return None if found else f"{status}, but not for the price"


def answer_to(prompt, *, right):
    said = RIGHT if right else WRONG
    return f"{said.removesuffix('.')} [1]." if prompt.cited else said


async def asked(names):
    """Return the cells of the doors of these names."""
    cells = []
    for name in names:
        opened, streams = DOORS[name]
        async with opened() as check:
            for prompt in PROMPTS:
                for stream in streams:
                    for right in (True, False):
                        result = await check(prompt, stream, answer_to(prompt, right=right))
                        cells.append(
                            Cell(prompt, name, stream, right, fault_of(result, right=right))
                        )
    return cells


def page(cells):
    """Return the page that shows the cells."""
    names = [name for name in EVERY_DOOR if any(cell.door == name for cell in cells)]
    by_prompt = _counted(cells, lambda cell: cell.prompt.name)
    by_stream = _counted(cells, lambda cell: cell.stream)
    parts = [HEAD, "## Prompts", _table("prompt", [p.name for p in PROMPTS], names, by_prompt)]
    known = [stream.name for stream in STREAMS]
    further = dict.fromkeys(cell.stream for cell in cells if cell.stream not in known)
    parts += ["## Streams", _table("stream", [*known, *further], names, by_stream)]
    parts.append("## What was judged wrong\n\n" + ("\n".join(wrong_lines(cells)) or "Nothing."))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def wrong_lines(cells):
    """Return what was judged wrong: a line for each door, stream, price and fault."""
    prompts = defaultdict(list)
    for cell in cells:
        if cell.fault:
            prompts[cell.door, cell.stream, cell.right, cell.fault].append(cell.prompt.name)
    lines = []
    for (door, stream, right, fault), names in prompts.items():
        which = "every prompt" if len(names) == len(PROMPTS) else ", ".join(names)
        price = "right" if right else "wrong"
        lines.append(f"- {door}; {stream}; {price} price; {which}: {fault}")
    return lines


def _counted(cells, key):
    counted = defaultdict(list)
    for cell in cells:
        counted[key(cell), cell.door].append(cell.fault is None)
    return counted


def _table(what, rows, names, counted):
    lines = [f"| {what} | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for row in rows:
        cells = (counted.get((row, name)) for name in names)
        shown = (f"{sum(each)}/{len(each)}" if each else "" for each in cells)
        lines.append(f"| {row} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main():
    """Run, and return 1 where a cell is wrong or the page is another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    args = parser.parse_args()
    missing = [name for name in EVERY_DOOR if name not in DOORS]
    cells = asyncio.run(asked(name for name in EVERY_DOOR if name in DOORS))
    wrong = [cell for cell in cells if cell.fault]
    print("\n".join(wrong_lines(cells)))
    print(f"first day: {len(cells) - len(wrong)} passed, {len(wrong)} failed")
    if missing:
        print(f"not here, and not tried: {', '.join(missing)}")
        return 1
    made = page(cells)
    if args.write:
        PAGE.write_text(made, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        print(f"{PAGE.name} is another: python -m tests.programs.first_day.run --write")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
