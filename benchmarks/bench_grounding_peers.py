"""Side by side with other grounding checkers and with answer length alone, on the same answers.

    python benchmarks/bench_grounding_peers.py DATA --cache DIR [--answers N] [--prior 0.3]

DATA is JSON lines (.gz allowed), as `streamguard eval` reads it. Each peer gets an environment of
its own under DIR, filled from the package index, and is left out with a word where that fails; its
scores are kept there for the next run. Peers run as they come, without models that would have to be
downloaded. Of several scores that a peer gives, the one with the best AUROC here counts.

`--risks FILE` takes this project's risks from JSON lines, one number an answer in the data's order:
scores of weights that were not trained on these answers.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from streamguard.commands.labelled import judge, read_labelled
from streamguard.core.model.policy import Policy
from streamguard.evaluation.bootstrap import percentiles, resamples
from streamguard.evaluation.labels import Judged
from streamguard.evaluation.sample import Sample, sample_of
from streamguard.evaluation.scored_items import (
    Scored,
    auroc,
    by_group,
    confusion,
    curve,
    ranked,
    summed,
)

ADAPTERS = Path(__file__).with_name("peer_adapters.py")
EQUAL_ALARMS = 0.10  # the rate at which all scores are compared, next to each peer's own
INSTALL_S, RUN_S = 900, 7200

# groundrails asks for libraries of a gigabyte and more that its check by words does not import.
WORDS_ALONE = (
    "loguru tqdm polars typer python-dotenv numpy pyyaml pydantic rank-bm25 rapidfuzz nltk wordfreq"
    " lingua-language-detector scipy scikit-learn pandas huggingface_hub"
).split()
PEERS = {
    "groundlens": [["groundlens"]],
    "rag-quantguard": [["rag-quantguard"]],
    "corroborate": [["corroborate"]],
    "opengate-grounding": [["opengate-grounding"]],
    "groundcheck-rag": [["groundcheck-rag"]],
    "groundrails": [["--no-deps", "groundrails"], WORDS_ALONE],
    "ancora-rag": [["ancora-rag"]],
}


@dataclass
class Run:
    """What one checker said of every answer; `raised` is empty where it has no verdict."""

    name: str
    note: str
    risks: dict[str, list[float]]
    raised: list[bool] = field(default_factory=list)
    ms: float | None = None
    errors: int = 0


@dataclass(frozen=True)
class Compared:
    """A checker's figures, and ours less its own with 95 % intervals of paired resamples."""

    run: Run
    score: str
    auroc: float | None
    auroc_gain: tuple[float, float, float]
    alarms: float | None
    f1: float | None
    f1_gain: tuple[float, float, float] | None
    equal_f1: float | None
    equal_gain: tuple[float, float, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--cache", type=Path, required=True, help="environments and scores")
    parser.add_argument("--peers", default=",".join(PEERS), help="names, parted by commas")
    parser.add_argument("--answers", type=int, help="about N answers, all of each question")
    parser.add_argument("--prior", type=float, default=0.3, help="share that is bad (0.3)")
    parser.add_argument("--risks", type=Path, help="this project's risks, see above")
    options = parser.parse_args()
    rows = read_labelled(options.data)
    chosen = spread(rows, options.answers)
    judged, us = judge([rows[at] for at in chosen], Policy())
    sample = sample_of(judged, options.prior)
    ours = own(judged, us, options.risks, chosen)
    runs = [length(judged)]
    for name in options.peers.split(","):
        run = peer(name, judged, options.cache)
        if isinstance(run, str):
            print(f"{name}: left out: {run}", file=sys.stderr)
        else:
            runs.append(run)
    show(ours, [compared(ours, run, sample) for run in runs], sample)


def spread(rows: Sequence, count: int | None) -> list[int]:
    """Return the places of about `count` rows: whole groups, evenly spread."""
    groups = list(dict.fromkeys(row.group for row in rows))
    every = 1 if count is None else max(1, round(len(rows) / count))
    kept = set(groups[::every])
    return [at for at, row in enumerate(rows) if row.group in kept]


def own(judged: Sequence[Judged], us: float, given: Path | None, chosen: Sequence[int]) -> Run:
    """Return this project's run; its risk is 1 - groundedness, else its least coverage."""
    risks, note = [], "1 - groundedness"
    for one in judged:
        risk = one.result.scores.groundedness
        if risk is None:
            shares = [s.coverage for s in one.result.sentences if s.coverage is not None]
            risk = min(shares, default=1.0)
        risks.append(1.0 - risk)
    if given is not None:
        lines = given.read_text().split()
        risks, note = [float(lines[at]) for at in chosen], f"risks of {given.name}"
    sentences = sum(len(one.result.sentences) for one in judged)
    raised = [one.result.status == "REFUSE" for one in judged]
    return Run("streamguard", note, {"risk": risks}, raised, us * sentences / len(judged) / 1e3)


def length(judged: Sequence[Judged]) -> Run:
    sizes = [float(one.result.text.code_points) for one in judged]
    return Run("answer length alone", "characters", {"length": sizes})


def peer(name: str, judged: Sequence[Judged], cache: Path) -> Run | str:
    """Return the peer's run, or why there is none."""
    lines = [
        json.dumps(
            {
                "question": one.row.context.query,
                "chunks": [chunk.text for chunk in one.row.context.chunks],
                "answer": one.row.answer,
            }
        )
        for one in judged
    ]
    python = cache / name / "bin" / "python"
    reason = install(name, python)
    if reason:
        return reason
    version = installed_version(name, python)
    text = "\n".join(lines) + "\n"
    digest = hashlib.sha256((text + version + ADAPTERS.read_text()).encode()).hexdigest()[:16]
    kept = cache / name / f"scores-{digest}.jsonl"
    if not kept.exists():
        reason = score(name, python, text, len(lines), kept)
        if reason:
            return reason
    head, *found = map(json.loads, kept.read_text().splitlines())
    names = sorted({key for item in found for key in item.get("risks", ())})
    return Run(
        f"{name} {version}",
        head["note"],
        {key: [float(item.get("risks", {}).get(key, 0.0)) for item in found] for key in names},
        [item.get("raised", False) for item in found],
        head["ms"],
        sum("error" in item for item in found),
    )


def install(name: str, python: Path) -> str | None:
    """Make the environment unless it is there; return what went wrong."""
    done = python.parent.parent / "installed"
    if done.exists():
        return None
    print(f"{name}: installing", file=sys.stderr)
    venv.create(python.parent.parent, with_pip=True)
    for packages in PEERS[name]:
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        try:
            ran = subprocess.run(
                [*command, *packages], capture_output=True, text=True, timeout=INSTALL_S
            )
        except subprocess.TimeoutExpired:
            return f"not installed within {INSTALL_S} s"
        if ran.returncode:
            return f"not installed: {last_line(ran.stderr)}"
    done.touch()
    return None


def installed_version(name: str, python: Path) -> str:
    code = f"from importlib.metadata import version; print(version({name!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


def score(name: str, python: Path, text: str, count: int, kept: Path) -> str | None:
    """Run the peer over the lines and keep what it says; return what went wrong."""
    began, found = perf_counter(), []
    log = kept.with_suffix(".log")
    source = kept.with_suffix(".in")
    source.write_text(text)
    with log.open("w") as errors, source.open() as lines:
        process = subprocess.Popen(
            [python, ADAPTERS, name], stdin=lines, stdout=subprocess.PIPE, stderr=errors, text=True,
            cwd=kept.parent, env={"HF_HUB_OFFLINE": "1", "GROUNDRAILS_HOME": str(kept.parent)},
        )  # fmt: skip
        for number, line in enumerate(process.stdout):
            found.append(line)
            if number % 20 == 0 or number == count:
                print(f"\r{name}: {number} of {count}", end="", file=sys.stderr, flush=True)
            if number == 0:
                began = perf_counter()
            if perf_counter() - began > RUN_S:
                process.kill()
                break
        process.wait()
    print(file=sys.stderr)
    source.unlink()
    if len(found) != count + 1:
        return f"ended after {max(0, len(found) - 1)} of {count}: {last_line(log.read_text())}"
    head = json.loads(found[0]) | {"ms": 1e3 * (perf_counter() - began) / count}
    kept.write_text(json.dumps(head) + "\n" + "".join(found[1:]))
    return None


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["(no message)"])[-1][:200]


def compared(ours: Run, theirs: Run, sample: Sample) -> Compared:
    drawn = resamples(sample.group_count, 1000, 0)
    mine = items(ours.risks["risk"], sample)
    best = max(theirs.risks, key=lambda name: auroc(ranked(items(theirs.risks[name], sample))))
    other = items(theirs.risks[best], sample)
    blocks = ranked(mine), ranked(other)
    alarms = f1 = f1_gain = None
    if theirs.raised:
        at = confusion(other, theirs.raised)
        alarms, f1 = at.false_alarms, at.f1
        f1_gain = gain(mine, at_rate(mine, alarms), other, theirs.raised, sample, drawn)
    equal = at_rate(other, EQUAL_ALARMS)
    return Compared(
        theirs,
        best,
        auroc(blocks[1]),
        (
            auroc(blocks[0]) - auroc(blocks[1]),
            *percentiles(auroc(blocks[0], c) - auroc(blocks[1], c) for c in drawn[:300]),
        ),
        alarms,
        f1,
        f1_gain,
        confusion(other, equal).f1,
        gain(mine, at_rate(mine, EQUAL_ALARMS), other, equal, sample, drawn),
    )


def items(risks: Sequence[float], sample: Sample) -> Scored:
    found = Scored()
    for risk, one, group in zip(risks, sample.judged, sample.groups, strict=True):
        bad = one.row.hallucinated
        found.add(risk, float(bad), 0.0 if bad else sample.clean_weight, group, one.fold)
    return found


def at_rate(of: Scored, alarms: float) -> list[bool]:
    """Raise what lies at or above the lowest threshold that keeps the false alarm rate."""
    threshold = float("inf")
    for bound, found in curve(of):
        if found.false_alarms > alarms + 1e-9:
            break
        threshold = bound
    return [score >= threshold for score in of.scores]


def gain(mine, my_raised, other, other_raised, sample, drawn) -> tuple[float, float, float]:
    """Return our F1 less theirs, and the bounds of its interval."""
    parts = (
        by_group(mine, my_raised, sample.group_count),
        by_group(other, other_raised, sample.group_count),
    )

    def difference(counts: Sequence[int] | None) -> float:
        one, two = (summed(part, counts).f1 or 0.0 for part in parts)
        return one - two

    return (difference(None), *percentiles(map(difference, drawn)))


def show(ours: Run, found: Sequence[Compared], sample: Sample) -> None:
    mine = items(ours.risks["risk"], sample)
    bad = sum(one.row.hallucinated for one in sample.judged)
    print(
        f"{len(sample.judged)} answers, {bad} bad; clean ones weighted"
        f" {sample.clean_weight:.2f}; intervals: 95 %, paired, by question\n"
    )
    own_equal = confusion(mine, at_rate(mine, EQUAL_ALARMS)).f1
    print(f"| checker | AUROC | we are ahead by | its false alarms | its F1 | ahead by |"
          f" F1 at {EQUAL_ALARMS:.0%} | ahead by | ms an answer |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|")
    print(
        f"| **{ours.name}** ({ours.note}) | {auroc(ranked(mine)):.3f} | | | |"
        f" | {own_equal:.3f} | | {ours.ms:.1f} |"
    )
    for one in sorted(found, key=lambda one: -one.auroc):
        print("| " + " | ".join(cells(one)) + " |")


def cells(one: Compared) -> Iterator[str]:
    errors = f"; {one.run.errors} answers it raised on" if one.run.errors else ""
    yield f"{one.run.name} ({one.run.note}; {one.score}{errors})"
    yield f"{one.auroc:.3f}"
    yield ahead(one.auroc_gain)
    yield "-" if one.alarms is None else f"{one.alarms:.3f}"
    yield "-" if one.f1 is None else f"{one.f1:.3f}"
    yield "-" if one.f1_gain is None else ahead(one.f1_gain)
    yield f"{one.equal_f1:.3f}"
    yield ahead(one.equal_gain)
    yield "-" if one.run.ms is None else f"{one.run.ms:.1f}"


def ahead(found: tuple[float, float, float]) -> str:
    difference, low, high = found
    return f"{difference:+.3f} [{low:+.3f} {high:+.3f}]"


if __name__ == "__main__":
    main()
