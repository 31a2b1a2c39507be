"""Other wrappers and this one on the same tokens and checks, each in an environment of its own.

    python benchmarks/bench_peers.py [--envs DIR] [--only WORD] [--all] [--write PAGE]

Makes one environment for each peer under DIR (`.bench-peers` by default) and installs the named
version; one that does not install is skipped with a word. LLM Guard needs several GB and comes
only with `--all`. CPU time above a bare stream of the same tokens, medians; see `peers/one.py`.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
INSTALL_S, MEASURE_S = 900, 600


class Peer(NamedTuple):
    """A wrapper of `peers/adapters.py` and what to install for it; nothing for our own."""

    name: str
    requirement: str = ""
    is_big: bool = False

    @property
    def folder(self) -> str:
        return self.requirement.split("==")[0].split("[")[0]


PEERS = (
    Peer("generator"),
    Peer("streamguard, PATTERN_CHECKS"),
    Peer("streamguard, everything"),
    Peer("NeMo Guardrails, blocks of 200", "nemoguardrails==0.24.1"),
    Peer("NeMo Guardrails, blocks of 20", "nemoguardrails==0.24.1"),
    Peer("LiteLLM, iterator hook", "litellm[proxy]==1.106.2"),
    Peer("LiteLLM, content filter", "litellm[proxy]==1.106.2"),
    Peer("openai-guardrails", "openai-guardrails==0.3.6"),
    Peer("Guardrails AI, AsyncGuard", "guardrails-ai==0.11.0"),
    Peer("LLM Guard, loop by sentence", "llm-guard==0.3.16", is_big=True),
)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def interpreter(peer: Peer, envs: Path) -> Path:
    """Return the Python to run the peer with, installing it on first need.

    Raises `CalledProcessError` or `TimeoutExpired` where it does not install.
    """
    if not peer.requirement:
        return Path(sys.executable)
    return environment(envs / peer.folder, peer.requirement)


def environment(folder: Path, *requirements: str) -> Path:
    """Return the Python of an environment with `requirements`, made and filled on first need.

    Raises `CalledProcessError` or `TimeoutExpired` where they do not install.
    """
    python = folder / "bin" / "python"
    if not (ready := folder / ".ready").exists():
        say(f"installing {', '.join(requirements)}")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [python, "-m", "pip", "install", "-q", *requirements]
        subprocess.run(install, check=True, timeout=INSTALL_S, capture_output=True)
        ready.touch()
    return python


def measured(peer: Peer, envs: Path) -> dict[str, Any] | str:
    """Return the peer's figures, or a word on why there are none."""
    try:
        command = [interpreter(peer, envs), "-m", "peers.one", peer.name]
        paths = os.pathsep.join([str(HERE), str(HERE.parent)])
        done = subprocess.run(
            command,
            cwd=HERE,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONWARNINGS": "ignore"},
            check=True,
            timeout=MEASURE_S,
            capture_output=True,
            text=True,
        )
    except subprocess.TimeoutExpired as error:
        return f"not done in {error.timeout:.0f} s"
    except subprocess.CalledProcessError as error:
        last = str(error.stderr or error.stdout or error).strip().splitlines()[-1:]
        return f"did not {'install' if 'pip' in map(str, error.cmd) else 'run'}: {' '.join(last)}"
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


HEADS = (
    "wrapper", "version", "tokens read before the first passes", "characters held at most",
    "us to the first", "+us/token @100", "@1k", "@10k", "growth 1k to 10k", "longest turn, ms",
    "verbatim", "verdict reaches the caller",
)  # fmt: skip


def row(peer: Peer, found: dict[str, Any] | str) -> list[str]:
    version = peer.requirement.partition("==")[2] or "this one"
    if isinstance(found, str):
        return [peer.name, version, found, *[""] * (len(HEADS) - 3)]
    added = found["added_us"]
    return [
        peer.name,
        "-" if peer.name == "generator" else version,
        str(found["tokens_before_first"]),
        str(found["held_characters"]),
        f"{found['first_us']:.0f}",
        *(f"{added[size]:.2f}" for size in ("100", "1000", "10000")),
        str(found["growth"]),
        str(found["longest_turn_ms"]),
        "yes" if found["verbatim"] else "no",
        "yes" if found["told"] else "no",
    ]


def table(rows: list[list[str]]) -> str:
    lines = [HEADS, ["---"] * len(HEADS), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(path: Path, text: str, name: str = "peers") -> None:
    """Put the table between the page's marks; ends the program where there are none."""
    first, last = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    page = path.read_text(encoding="utf-8")
    before, start, rest = page.partition(first)
    _, end, after = rest.partition(last)
    if not start or not end:
        sys.exit(f"{path} has no place for the table: {first} … {last}")
    path.write_text(f"{before}{first}\n{text}\n{last}{after}", encoding="utf-8")
    say(f"wrote {path}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--envs", type=Path, default=HERE.parent / ".bench-peers")
    parser.add_argument("--only", default="", help="measure what has this word in its name")
    parser.add_argument("--all", action="store_true", help="also what needs several GB")
    parser.add_argument("--write", type=Path, help="the page whose table is replaced")
    options = parser.parse_args()
    rows = []
    for number, peer in enumerate(PEERS, 1):
        if options.only not in peer.name:
            continue
        say(f"{number} of {len(PEERS)}: {peer.name}")
        skip = peer.is_big and not options.all
        found = "skipped: needs several GB (--all)" if skip else measured(peer, options.envs)
        rows.append(row(peer, found))
    about = (
        f"{datetime.now(UTC).date()}, Python {platform.python_version()},"
        f" {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    )
    text = f"{about}\n\n{table(rows)}"
    print(text)
    if options.write:
        write(options.write, text)


if __name__ == "__main__":
    main()
