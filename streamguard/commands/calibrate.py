"""`streamguard calibrate`: thresholds by a budget of false alarms, as a policy file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamguard.commands.check import add_policy_arguments
from streamguard.commands.labelled import LABELLED_HELP, judge, read_labelled
from streamguard.commands.outputs import output_file
from streamguard.commands.verifier import (
    VERIFIER_HELP,
    add_judge_argument,
    add_verifier_arguments,
    opened,
)
from streamguard.core.model.policy import Calibration, Policy
from streamguard.core.verdict.judges import is_judge
from streamguard.errors import ConfigError
from streamguard.evaluation.budget import FalseAlarmBudget, too_few
from streamguard.evaluation.labels import Judged, Labelled
from streamguard.evaluation.thresholds import MOST_RULES, Calibrated, calibrate
from streamguard.evaluation.verifying import calibration_of, compared, compared_table
from streamguard.settings import DEFAULT_PRESET, LoadedPolicy, load_policy
from streamguard.text.normalise import scalar_text
from streamguard.verify.verifier import Verifier

OF_SENTENCES = "what is told of sentences on as many of theirs;"

DESCRIPTION = """\
Find thresholds that raise each outcome on no more than a share of clean answers, and write them as
a policy file for --policy. Labelled answers of one's own product are what counts: few hundred
clean ones will do."""
EPILOG = f"""\
{LABELLED_HELP.format(file="LABELLED")}

What is promised: of new clean answers, drawn as these were, each outcome is raised on no more than
the share given, on average (split conformal, a question's answers counting as one); with
--confidence, with that probability over all such sets of answers. unsupported_claim and doubtful
are told of sentences, and raised on no more than that share of those. REFUSE has two rules and so
has FAIL: each gets its part. What no threshold decides (a contradiction, an unsupported price)
comes on top; the table shows what the policy would say of the answers at hand.

With --from-results people's marks are the labels: up and was_supported say that an answer is right,
down that something in it is wrong. People mark answers with a warning more often; so of the marked
ones a sample is taken in which as many were warned of as of all answers. What is proposed comes
with what it would change, setting by setting and check by check.

With --scorer its word and what we say are fitted together first, and the thresholds are those of
both. A verifier whose gain, judged out of fold, may be chance is left out, so that its word changes
nothing, a judge's neither.
{VERIFIER_HELP}

examples:
  streamguard calibrate labelled.jsonl --max-false-alarm 0.05 --output policy.toml
  streamguard calibrate labelled.jsonl.gz --max-false-alarm 0.1 --confidence 0.95 > policy.toml
  streamguard calibrate --from-results sqlite:///streamguard.db --max-false-alarm 0.05
  streamguard check answer.txt --chunks passages.jsonl --policy policy.toml"""


@dataclass(frozen=True, slots=True)
class _Shares:
    """A policy's outcomes on answers, as shares in [0, 1]."""

    name: str
    refused: float
    warned: float
    failed: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard calibrate`."""
    add = parser.add_argument
    add("labelled", metavar="LABELLED", nargs="?", help="JSON lines, see below")
    add(
        "--from-results",
        metavar="URL",
        help="in place of LABELLED: the database of --results, with the feedback on its answers",
    )
    add("--collection", metavar="NAME", help="with --from-results: only answers from this one")
    add(
        "--per-collection",
        action="store_true",
        help="with --from-results: beside --output a file for each collection with enough feedback",
    )
    add(
        "--max-false-alarm",
        type=float,
        required=True,
        metavar="SHARE",
        help="of clean answers (of sentences, for what is told of these) that each outcome may be"
        " raised on, e.g. 0.05",
    )
    add(
        "--confidence",
        type=float,
        metavar="SHARE",
        help="keep the budget with this probability, e.g. 0.95, instead of on average",
    )
    add("--output", metavar="FILE", help="the policy file (default: standard output)")
    add_verifier_arguments(parser)
    add_judge_argument(parser)
    add_policy_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write the policy file and a table of its effects.

    Raises `ConfigError` for an invalid flag or too few clean answers, `DecodeError` for an invalid
    line.
    """
    budget = _budget(args.max_false_alarm, args.confidence)
    loaded = load_policy(args.policy, assignments=args.set)
    if loaded.policy.matching == "literal":
        raise ConfigError(
            "matching is 'literal', whose thresholds are published: expected 'values'"
        )
    if (args.labelled is None) is (args.from_results is None):
        raise ConfigError("expected either LABELLED or --from-results URL")
    if args.from_results is not None:
        from streamguard.commands import from_results

        return from_results.run(args, loaded, budget)
    for flag, option in (("collection", args.collection), ("per-collection", args.per_collection)):
        if option:
            raise ConfigError(f"--{flag} is for --from-results")
    output = output_file("--output", args.output)
    verifiers = opened(args)
    rows = read_labelled(args.labelled)
    _check_enough(rows, budget)
    loaded, gains = _with_verifiers(loaded, rows, verifiers)
    judged, _ = judge(rows, loaded.policy, verifiers)
    found = calibrate(judged, loaded.policy, budget)
    text = policy_file(found, loaded, _provenance(args, judged))
    shown = gains + _table(found, _outcomes(rows, judged, loaded.policy, found, verifiers))
    if output is None:
        sys.stdout.write(text)
        sys.stderr.write(shown)
    else:
        output.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{shown}\nwritten: {output}\n")
    return 0


def _with_verifiers(
    loaded: LoadedPolicy, rows: Sequence[Labelled], verifiers: Sequence[Verifier]
) -> tuple[LoadedPolicy, str]:
    """Return the policy with the calibrations of helpful verifiers, and a text on their gain."""
    gains, calibrations, silenced = "", dict(loaded.policy.verifiers), set[str]()
    silent = loaded.policy.model_copy(update={"deciding_verifiers": ()})
    texts = [row for row in rows if row.result is None]
    judged = judge(texts, silent, verifiers)[0] if verifiers else []
    for one in verifiers:
        calibrations.pop(one.name, None)
        table = compared(judged, one.name)
        gains += f"verifier {one.name}\n{compared_table(table)}\n"
        if table[-1].helps:
            calibrations[one.name] = calibration_of(judged, one.name)
        else:
            silenced.add(one.name)
            gains += f"{one.name} is left out: what it adds may be chance\n"
    changes: dict[str, Any] = {"verifiers": calibrations}
    named = loaded.policy.deciding_verifiers
    if any((named is None and is_judge(name)) or name in (named or ()) for name in silenced):
        # A judge that no calibration names would count by the one that is shipped.
        deciding = calibrations if named is None else named
        changes["deciding_verifiers"] = tuple(name for name in deciding if name not in silenced)
    changes = {name: new for name, new in changes.items() if new != getattr(loaded.policy, name)}
    if not changes:
        return loaded, gains
    origins = {**loaded.origins, **dict.fromkeys(changes, "--verifier")}
    return LoadedPolicy(loaded.policy.model_copy(update=changes), origins), gains


def _budget(share: float, confidence: float | None) -> FalseAlarmBudget:
    for flag, value in (("--max-false-alarm", share), ("--confidence", confidence)):
        if value is not None and not 0.0 < value < 1.0:
            raise ConfigError(f"{flag} is {value:g}, expected more than 0 and less than 1")
    return FalseAlarmBudget(share, confidence)


def _check_enough(rows: Sequence[Labelled], budget: FalseAlarmBudget) -> None:
    """Reject too little data before anything is checked."""
    clean = [row for row in rows if row.hallucinated is False]
    groups = len({row.group for row in clean})
    part = budget.split(MOST_RULES)
    if groups < part.groups_needed:
        raise ConfigError(
            f"{len(clean)} {too_few(groups, part)}"
            f" (a part of {budget.share:g} for each of {MOST_RULES} rules)"
        )


def _provenance(args: argparse.Namespace, judged: Sequence[Judged]) -> list[str]:
    clean = [one for one in judged if one.row.hallucinated is False]
    questions = len({one.row.group for one in clean})
    sure = "" if args.confidence is None else f" --confidence {args.confidence:g}"
    promise = "on average" if args.confidence is None else f"with confidence {args.confidence:g}"
    name = ascii(Path(args.labelled).name)[1:-1]
    return [
        f"streamguard calibrate {name} --max-false-alarm {args.max_false_alarm:g}{sure}",
        f"{len(clean)} clean answers to {questions} questions, {len(judged)} answers in all.",
        f"Each outcome is raised on at most {args.max_false_alarm:.3g} of clean answers like these",
        f"({promise}), {OF_SENTENCES}",
        "what no threshold decides comes on top.",
    ]


def policy_file(found: Sequence[Calibrated], loaded: LoadedPolicy, head: Sequence[str]) -> str:
    """Return the TOML of the policy in force with the new thresholds."""
    own = {one.threshold.setting for one in found} | {"name"}
    lines = [*(f"# {line}" for line in head), f"preset = {_toml(_preset(loaded))}"]
    for name, origin in loaded.origins.items():
        value = getattr(loaded.policy, name)
        is_set = origin != "default" and not origin.startswith("preset ")
        if is_set and name not in own and value is not None:
            lines.append(f"{name} = {_toml(value)}")
    for one in found:
        recall = "" if one.recall is None else f", {one.recall:.3f} of the bad"
        lines += [
            "",
            f"# {_raises(one)}: {one.false_alarms:.3f} of the clean{recall} here",
            f"{one.threshold.setting} = {one.value:g}",
        ]
    return "\n".join(lines) + "\n"


def _raises(one: Calibrated) -> str:
    return f"{one.threshold.outcome}, {one.threshold.reason}"


def _preset(loaded: LoadedPolicy) -> str:
    """Return the preset that the policy starts from; a policy file has its own name."""
    named = (origin.partition("preset ")[2] for origin in loaded.origins.values())
    return next(filter(None, named), DEFAULT_PRESET)


def _toml(value: Any) -> str:
    if isinstance(value, Calibration):
        return _toml(value.model_dump())
    if isinstance(value, dict):
        items = ", ".join(f"{_toml(name)} = {_toml(item)}" for name, item in value.items())
        return f"{{{items}}}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):  # TOML knows no half characters, and escapes them not in pairs
        return json.dumps(scalar_text(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def _outcomes(
    rows: Sequence[Labelled],
    judged: Sequence[Judged],
    policy: Policy,
    found: Sequence[Calibrated],
    verifiers: Sequence[Verifier],
) -> list[_Shares]:
    """Return the outcomes of the old and the new policy on clean and on bad answers.

    Feedback from the chat page has no text to check again: then the new outcomes are missing.
    """
    shares = _shares("before", judged)
    if any(row.result is not None for row in rows):
        return shares
    values = policy.model_dump() | {one.threshold.setting: one.value for one in found}
    again, _ = judge(rows, Policy.load(values), verifiers)
    return shares + _shares("after", again)


def _shares(when: str, judged: Sequence[Judged]) -> list[_Shares]:
    found = []
    for name, label in (("clean", False), ("bad", True)):
        results = [one.result for one in judged if one.row.hallucinated is label]
        if results:
            size = len(results)
            refused = sum(r.status == "REFUSE" for r in results) / size
            warned = sum(r.status in ("WARN", "REFUSE") for r in results) / size
            failed = sum(r.scores.published == "FAIL" for r in results) / size
            found.append(_Shares(f"{when}, {name}", refused, warned, failed))
    return found


def _table(found: Sequence[Calibrated], shares: Sequence[_Shares]) -> str:
    lines = [f"{'setting':32}{'value':>8}{'clean':>8}{'bad':>8}  raises"]
    for one in found:
        recall = "-" if one.recall is None else f"{one.recall:.3f}"
        lines.append(
            f"{one.threshold.setting:32}{one.value:>8.4f}{one.false_alarms:>8.3f}{recall:>8}"
            f"  {_raises(one)}"
        )
    lines += ["", f"{'answers':16}{'REFUSE':>10}{'WARN or REFUSE':>16}{'FAIL':>8}"]
    lines += [
        f"{one.name:16}{one.refused:>10.3f}{one.warned:>16.3f}{one.failed:>8.3f}" for one in shares
    ]
    return "\n".join(lines) + "\n"
