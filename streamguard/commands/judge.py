"""`streamguard judge try`: tests in a minute whether a language model can act as judge."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from dataclasses import asdict

from streamguard.verify.judge import judge_reader
from streamguard.verify.judge_trial import CASES, Trial, trial_table, tried
from streamguard.verify.specs import named_judge

DESCRIPTION = f"""\
Ask a judge about {len(CASES)} invented sentences, whose verdicts are known, and say what it gets
right, how long a request takes and how many tokens."""
EPILOG = """\
JUDGE is MODEL@URL, as --judge takes it, or a model's name where OPENAI_BASE_URL or OPENAI_API_KEY
says whom to ask. What a sentence gets wrong may be called contradicted or not mentioned.

exit status: 0, or 1 where fewer than three in four are right

examples:
  streamguard judge try qwen2.5@http://localhost:11434/v1
  streamguard judge try gpt-4o-mini --json"""

ENOUGH = 0.75  # of the cases; guess, below it a judge does more harm than good


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `streamguard judge`."""
    parser.add_argument("what", choices=("try",), help="what to do: try it")
    parser.add_argument("judge", metavar="JUDGE", help="the judge to try")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(args: argparse.Namespace) -> int:
    """Run the trial and print its outcome; raises `ConfigError`."""
    judge = named_judge(args.judge, os.environ)
    sys.stderr.write(f"{judge.notice}\n")
    trial = asyncio.run(tried(judge_reader(judge)))
    sys.stdout.write(_as_json(trial) if args.json else trial_table(trial))
    right = sum(one.is_right for one in trial.outcomes)
    return 0 if right >= ENOUGH * len(trial.outcomes) else 1


def _as_json(trial: Trial) -> str:
    cases = [
        {
            **asdict(one.case),
            "verdict": one.verdict.word,
            "confidence": one.verdict.confidence,
            "right": one.is_right,
            "ms": round(one.ms, 1),
            "why": one.why,
        }
        for one in trial.outcomes
    ]
    return json.dumps({"judge": trial.name, "cases": cases, "cost": trial.cost}, indent=2) + "\n"
