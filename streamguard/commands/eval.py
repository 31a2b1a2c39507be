"""`streamguard eval`: agreement of flags, verdicts and scores with labelled answers."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from streamguard.commands.check import add_policy_arguments
from streamguard.commands.labelled import LABELLED_HELP, failures, judge, read_labelled
from streamguard.commands.outputs import output_file, output_folder
from streamguard.commands.progress import progress
from streamguard.commands.verifier import (
    VERIFIER_HELP,
    add_judge_argument,
    add_verifier_arguments,
    opened,
)
from streamguard.core.model.policy import Policy
from streamguard.core.verdict.judges import is_judge
from streamguard.errors import ConfigError
from streamguard.evaluation.bootstrap import RESAMPLES
from streamguard.evaluation.evaluate import evaluate
from streamguard.evaluation.labels import Judged
from streamguard.evaluation.plots import plots
from streamguard.evaluation.rendering import as_json, table
from streamguard.evaluation.verifying import Compared, compared, compared_table, differences
from streamguard.settings import load_policy
from streamguard.verify.verifier import Verifier

DESCRIPTION = """\
Measure every flag, check, verdict and score against labelled answers: precision, recall, F1 and
AUROC with bootstrap intervals, for answers, sentences and characters, by task and by model."""
EPILOG = f"""\
{LABELLED_HELP.format(file="DATA")}

With --scorer all figures are those of results with its word, as the policy lets it count. A
second table says what it adds: calibrated and judged out of fold, beside what we say alone.
{VERIFIER_HELP}

examples:
  streamguard eval answers.jsonl.gz
  streamguard eval answers.jsonl --scorer onnx:models/nli-deberta-v3-small
  streamguard eval answers.jsonl --prior 0.3 --json figures.json --plots plots
  streamguard eval feedback.jsonl --policy strict"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard eval`."""
    add = parser.add_argument
    add("data", metavar="DATA", help="JSON lines, see below")
    add_policy_arguments(parser)
    add_verifier_arguments(parser)
    add_judge_argument(parser)
    add(
        "--prior",
        type=float,
        metavar="SHARE",
        help="weight clean answers so that this share of all is bad, e.g. 0.3 (default: as given)",
    )
    add("--json", metavar="FILE", help="write every figure and curve as JSON; - prints it instead")
    add("--plots", metavar="DIR", help="write ROC, precision-recall and calibration curves as SVG")
    add(
        "--resamples",
        type=int,
        default=RESAMPLES,
        metavar="N",
        help="of the bootstrap; 0 leaves the intervals out (default: %(default)s)",
    )
    add("--seed", type=int, default=0, metavar="N", help="of the bootstrap (default: %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Print the figures; raises `ConfigError` and `DecodeError` for invalid flags and files."""
    if args.prior is not None and not 0.0 < args.prior < 1.0:
        raise ConfigError(f"--prior is {args.prior:g}, expected more than 0 and less than 1")
    if args.resamples < 0:
        raise ConfigError(f"--resamples is {args.resamples}, expected a whole number from 0")
    policy = load_policy(args.policy, assignments=args.set).policy
    figures = None if args.json == "-" else output_file("--json", args.json)
    curves = output_folder("--plots", args.plots)
    verifiers = opened(args)
    rows = read_labelled(args.data)
    judged, microseconds = judge(rows, policy, verifiers)
    with progress("measuring") as step:
        levels = evaluate(judged, prior=args.prior, count=args.resamples, seed=args.seed, step=step)
    if not levels:
        raise ConfigError(f"{args.data}: {_labels(judged)}; measures need some of both")
    facts = _facts(args, policy.name, judged, microseconds)
    gains = _gains(args, policy, judged, verifiers)
    if gains:
        facts["verifiers"] = {name: [asdict(row) for row in of] for name, of in gains.items()}
    if curves is not None:
        for name, text in plots(levels).items():
            (curves / name).write_text(text, encoding="utf-8")
    if args.json is not None:
        text = json.dumps({**facts, "levels": as_json(levels)}, indent=1) + "\n"
        if figures is None:
            sys.stdout.write(text)
            return 0
        figures.write_text(text, encoding="utf-8")
    sys.stdout.write(f"{_heading(facts)}\n{table(levels)}\n")
    for name, compared_rows in gains.items():
        sys.stdout.write(
            f"\nverifier {name}\n{compared_table(compared_rows)}\n{_failed(judged, name)}"
        )
    return 0


def _failed(judged: Sequence[Judged], name: str) -> str:
    """Return a message on how many answers a verifier failed, and why."""
    wrong = [found for one in judged if (found := failures(one.result, name))]
    if not wrong:
        return ""
    kinds = "; ".join(sorted({kind for found in wrong for kind in found}))
    return f"It failed on {len(wrong)} of {len(judged)} answers, which count without it: {kinds}\n"


def _gains(
    args: argparse.Namespace,
    policy: Policy,
    judged: Sequence[Judged],
    verifiers: Sequence[Verifier],
) -> dict[str, list[Compared]]:
    """Return the gain of each verifier by name; too few labels are an error."""
    if not verifiers:
        return {}
    # The verifiers are not asked again: their scores are cached.
    with_text = [one for one in judged if one.row.result is None]
    rows = [one.row for one in with_text]
    alone, _ = judge(rows, policy.model_copy(update={"deciding_verifiers": ()}), verifiers)
    more = {"count": args.resamples, "seed": args.seed}
    gains = {one.name: compared(alone, one.name, **more) for one in verifiers}
    for one in verifiers:
        if policy.decides(one.name, is_judge=is_judge(one.name)):
            gains[one.name].append(differences(alone, with_text, **more))
    return gains


def _labels(judged: list[Judged]) -> str:
    labels = [one.row.hallucinated for one in judged]
    return f"{labels.count(True)} bad and {labels.count(False)} clean answers"


def _facts(
    args: argparse.Namespace, policy: str, judged: list[Judged], microseconds: float
) -> dict[str, Any]:
    return {
        "data": Path(args.data).name,
        "policy": policy,
        "answers": len(judged),
        "groups": len({one.row.group for one in judged}),
        "sentences": sum(len(one.result.sentences) for one in judged),
        "prior": args.prior,
        "resamples": args.resamples,
        "seed": args.seed,
        "us_per_sentence": round(microseconds, 1),
        "python": platform.python_version(),
    }


def _heading(facts: dict[str, Any]) -> str:
    prior = "as in the data" if facts["prior"] is None else f"{facts['prior']:g}"
    return (
        f"{facts['data']}: {facts['answers']:,} answers in {facts['groups']:,} groups,"
        f" {facts['sentences']:,} sentences; policy {facts['policy']}; bad share {prior}\n"
        f"{facts['us_per_sentence']:.0f} us CPU per sentence, index included;"
        f" Python {facts['python']}"
    )
