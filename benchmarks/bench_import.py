"""What an import and a help page cost: CPU seconds and resident memory, in fresh processes.

    python benchmarks/bench_import.py [--repeats N]

Byte code is written before anything is measured, as `pip install` does it. Each figure is the
least of its repeats: on a busy machine the others measure the neighbours.
"""

import argparse
import os
import subprocess
import sys
import tempfile

MODEL = "from pydantic import BaseModel\nclass One(BaseModel):\n    figure: int = 0"
CASES = {
    "python -c pass": "pass",
    "import streamguard": "import streamguard",
    "from streamguard import Context, check_text": "from streamguard import Context, check_text",
    "from streamguard import Context, guard": "from streamguard import Context, guard",
    "the usual names": "from streamguard import Context, Policy, check_text, guard",
    "and asyncio and anyio were there": (
        "import asyncio, anyio; memory, began = resident(), time.process_time()\n"
        "from streamguard import Context, Policy, check_text, guard"
    ),
    "from streamguard import *": "from streamguard import *",
    "the first check_text": (
        "from streamguard import Context, check_text\n"
        "check_text('It costs $59 per month.', context=Context(chunks=['It costs $49.']))"
    ),
    "asyncio, for comparison": "import asyncio",
    "one pydantic model": MODEL,
    "asyncio and one pydantic model": f"import asyncio\n{MODEL}",
    "streamguard --help": "HELP:--help",
    "streamguard check --help": "HELP:check --help",
    "streamguard proxy --help": "HELP:proxy --help",
    "streamguard chat --help": "HELP:chat --help",
}
MEASURED = """
import os, time
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
memory, began = resident(), time.process_time()
{code}
print(time.process_time() - began, resident() - memory)
"""
HELP = """
import contextlib, io
from streamguard.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main({words!r})
"""


def measured(code, env):
    if code.startswith("HELP:"):
        code = HELP.format(words=code.removeprefix("HELP:").split())
    shown = subprocess.run(
        [sys.executable, "-c", MEASURED.format(code=code)],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(map(float, shown.stdout.split()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    repeats = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as cache:
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env["PYTHONPYCACHEPREFIX"] = cache
        print(f"{'':45} {'CPU s':>7} {'MB':>6}")
        for name, code in CASES.items():
            measured(code, env)
            runs = [measured(code, env) for _ in range(repeats)]
            seconds, megabytes = (min(figures) for figures in zip(*runs, strict=True))
            print(f"{name:45} {seconds:7.3f} {megabytes:6.1f}")


if __name__ == "__main__":
    main()
