"""`streamguard audit`: verdicts on logged answers, and those that another policy changes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from streamguard.audit.log_files import PART_ROWS
from streamguard.audit.logged import read_mapping
from streamguard.audit.manifest import is_audit
from streamguard.audit.part_check import Job
from streamguard.audit.run import OnProgress, Plan, audit, compare
from streamguard.audit.summary import table
from streamguard.audit.verdicts import Counts
from streamguard.commands.check import add_policy_arguments
from streamguard.commands.progress import progress
from streamguard.core.model.policy import Policy
from streamguard.errors import ConfigError
from streamguard.settings import load_policy

_OF_CHECKING = (
    "out",
    "policy",
    "set",
    "map",
    "engine",
    "workers",
    "part_rows",
    "write",
    "with_results",
)
UNREAD = 3  # the exit status where rows could not be read

DESCRIPTION = """\
Check logged answers, any number of them: a verdict for each, a summary, and with --compare which
verdicts another policy, or another version of this package, gives otherwise, and why."""
EPILOG = """\
FILES are JSON lines (.gz allowed), Parquet, or folders of them. A row is told by its shape:
  {"question": "...", "chunks": ["...", {"text": "...", "id": "..."}], "answer": "..."}
  OpenAI's chats: messages that end with the assistant's, or request and response; those of other
  providers likewise
  observations of Langfuse, spans of Phoenix (OpenInference): those that hold a model's answer
and --map says it for all others: --map question=input.query,answer=output,chunks=context.docs

DIR gets verdicts/ (one row an answer, without its text), errors/ (rows that could not be read,
with file and line, as they stand), manifest.jsonl and summary.json. When it is interrupted, in
whatever way, the same command goes on where it stopped.

--compare names what the verdicts are compared with: a preset, a policy file, or the folder of
an earlier audit of the same files. Where FILES is such a folder as well, nothing is checked anew.

exit status:
  0  every row was read       3  some were not: see DIR/errors
  2  a wrong flag or setting  1  any other error

examples:
  streamguard audit logs/*.jsonl.gz --out audits/today
  streamguard audit logs.jsonl --policy strict --compare moderate --out audits/strict
  streamguard audit logs.parquet --map question=q,answer=a,chunks=docs --out audits/docs
  streamguard audit audits/new --compare audits/old"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard audit`."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILES", help="what was logged, see below")
    add("--out", metavar="DIR", help="the folder of the audit: a new one, or one to go on with")
    add_policy_arguments(parser)
    add("--compare", metavar="NAME|FILE|DIR", help="what the verdicts are compared with")
    add("--map", metavar="FIELD=PLACE,...", help="where question, answer, chunks or messages stand")
    add(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="processes of this machine, or Ray's (default: %(default)s)",
    )
    add("--workers", type=int, metavar="N", help="processes, or Ray's cores (default: all cores)")
    add(
        "--part-rows",
        type=int,
        default=PART_ROWS,
        metavar="N",
        help="rows that are checked and written together (default: %(default)s)",
    )
    add(
        "--write",
        choices=("jsonl", "parquet"),
        default="jsonl",
        help="the form of the verdicts (default: %(default)s)",
    )
    add(
        "--with-results",
        action="store_true",
        help="write each whole result beside its verdict, words of answer and passages included",
    )
    add("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace) -> int:
    """Run the audit and print its summary; return the exit status.

    Raises `ConfigError` for wrong flags and folders, `OSError` for files that cannot be read.
    """
    if len(args.files) == 1 and is_audit(args.files[0]):
        if args.compare is None or not is_audit(args.compare):
            raise ConfigError(f"{args.files[0]} is an audit: expected --compare with another one")
        _check_unchecked(args)
        summary = compare(args.files[0], args.compare)
    else:
        with _progress() as on_progress:
            summary = audit(_plan(args), on_progress)
    shown = json.dumps(summary, indent=1) + "\n" if args.json else table(summary)
    sys.stdout.write(shown)
    return UNREAD if summary["counts"]["errors"] else 0


def _check_unchecked(args: argparse.Namespace) -> None:
    """Reject flags about checking when two finished audits are compared."""
    for name in _OF_CHECKING:
        if getattr(args, name) != args.parser.get_default(name):
            flag = name.replace("_", "-")
            raise ConfigError(
                f"--{flag} is given, but {args.files[0]} is an audit: finished audits"
                " are compared with --json alone"
            )


def _plan(args: argparse.Namespace) -> Plan:
    if args.out is None:
        raise ConfigError("--out is missing, expected the folder of the audit")
    for flag, value in (("--workers", args.workers), ("--part-rows", args.part_rows)):
        if value is not None and value < 1:
            raise ConfigError(f"{flag} is {value}, expected a whole number from 1")
    policy = load_policy(args.policy, assignments=args.set).policy
    named: str | None = args.compare
    baseline: Policy | str | None = named
    if named is not None and not is_audit(named):
        baseline = load_policy(named).policy
    for each in (policy, baseline):
        if isinstance(each, Policy) and not each.validation_enabled:
            raise ConfigError(
                f"validation_enabled of {each.name} is false: there is nothing to check"
            )
    mapping = None if args.map is None else read_mapping(args.map)
    job = Job(args.out, policy, baseline, mapping, args.write, args.with_results)
    return Plan(args.files, job, args.engine, args.workers, args.part_rows)


@contextmanager
def _progress() -> Iterator[OnProgress]:
    began: tuple[float, float, int] | None = None
    with progress("auditing") as step:

        def on_progress(share: float, counts: Counts) -> None:
            nonlocal began
            if began is None:  # an earlier run's parts do not show how fast this one is
                began = monotonic(), share, counts["answers"]
            since, first_share, first = began
            took = max(1e-6, monotonic() - since)
            rate = (counts["answers"] - first) / took
            gained = share - first_share
            left = f", {_time(took * (1 - share) / gained)} left" if gained else ""
            step(
                f"{counts['answers']:,} answers, {rate:,.0f} a second{left}", int(100 * share), 100
            )

        yield on_progress


def _time(seconds: float) -> str:
    hours, minutes = divmod(round(seconds) // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {round(seconds) % 60} s"
