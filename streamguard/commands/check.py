"""`streamguard check`: the verdict on one finished answer, as text, JSON and exit status."""

from __future__ import annotations

import argparse
import sys

from streamguard.commands.inputs import read_answer, read_passages, refuse_one_input_for_two
from streamguard.commands.report import report
from streamguard.commands.verifier import add_judge_argument, announced, judge_of
from streamguard.core.context import Context
from streamguard.core.model.result import GuardrailsResult
from streamguard.finished import check_text
from streamguard.settings import load_policy
from streamguard.verify.specs import readers_of

EXIT_STATUS = {"WARN": 10, "REFUSE": 20}
_FAILS_ON = {"warn": {"WARN", "REFUSE"}, "refuse": {"REFUSE"}, "never": set[str]()}

_WITHOUT = "give the passages: --chunks FILE or --docs FOLDER\n"
_SKIPPED = "not evaluated: validation_enabled is false\n"
_SKIPPED_JSON = '{"status": null, "state": "skipped"}\n'

DESCRIPTION = """\
Check a finished answer against the passages it was given, and say what they do not support.

The result is the same as that of a stream of the same text, whatever its pieces."""
EPILOG = """\
exit status:
  0   PASS, or not evaluated (no passages), or a status below --fail-on
  10  WARN          20  REFUSE
  2   a wrong flag or setting          1  any other error

ANSWER is a file, - for standard input, or the answer itself, of more than one word.
CHUNKS is a JSON list or JSON lines, each item a string or {"id", "text", "source"}; or plain text
with its passages behind [C1], [C2] … marks. An empty file says that nothing was retrieved.

examples:
  streamguard check answer.txt --chunks passages.jsonl --question "What does Basic cost?"
  streamguard check "Basic costs €24 a month." --docs docs/
  my-rag "What does Basic cost?" | streamguard check - --chunks passages.txt --json
  streamguard check answer.txt --chunks passages.json --policy strict --fail-on refuse"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard check`."""
    add = parser.add_argument
    add("answer", metavar="ANSWER", help="a file, - for standard input, or the answer itself")
    add("--chunks", metavar="FILE", help="the retrieved passages")
    add("--docs", metavar="FOLDER", help="all passages of these documents instead, or of one file")
    add(
        "--question",
        "--query",
        metavar="TEXT",
        help="the question; without it relevance is not scored",
    )
    add_policy_arguments(parser)
    add_judge_argument(parser)
    add(
        "--citations-requested",
        action="store_true",
        help="the prompt asked for [C1] citations: their number counts",
    )
    add(
        "--citations",
        metavar="IDS",
        help="the cited passages, e.g. C1,C3, instead of the tags in the text; implies"
        " --citations-requested; an empty list means that nothing was cited",
    )
    add("--json", action="store_true", help="print the whole result as JSON")
    add(
        "--fail-on",
        choices=tuple(_FAILS_ON),
        default="warn",
        help="the mildest status with an exit status of its own (default: %(default)s)",
    )


def add_policy_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags that choose a policy."""
    parser.add_argument(
        "--policy",
        metavar="NAME|FILE",
        help="a preset (strict, moderate, lenient, calibrated, literal) or a TOML file"
        " (default: STREAMGUARD_POLICY, else moderate)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one setting, e.g. min_groundedness=0.4; may be given several times",
    )


def run(args: argparse.Namespace) -> int:
    """Check the answer and print the result; return the exit status.

    Raises `ConfigError` for an invalid setting, `OSError` for an unreadable file, `DecodeError` for
    a malformed one.
    """
    policy = load_policy(args.policy, assignments=args.set).policy
    refuse_one_input_for_two(args.answer, args.chunks)
    answer = read_answer(args.answer)
    citations = _citations(args.citations)
    context = Context(
        query=args.question,
        chunks=read_passages(args.docs, args.chunks),
        citations=citations,
        citations_requested=args.citations_requested or citations is not None,
    )
    if not policy.validation_enabled:
        sys.stdout.write(_SKIPPED_JSON if args.json else _SKIPPED)
        return 0
    readers = announced(readers_of((), judge_of(args)))
    result = check_text(answer, context=context, policy=policy, scorers=readers)
    sys.stdout.write(_shown(result, answer, context, as_json=args.json))
    return exit_status(result, args.fail_on)


def exit_status(result: GuardrailsResult, fail_on: str) -> int:
    """Return 10 for WARN and 20 for REFUSE if `fail_on` includes it, else 0."""
    status = result.status
    return EXIT_STATUS[status] if status is not None and status in _FAILS_ON[fail_on] else 0


def _shown(result: GuardrailsResult, answer: str, context: Context, *, as_json: bool) -> str:
    if as_json:
        return result.model_dump_json(indent=2, ensure_ascii=True) + "\n"
    evidence = context.evidence
    if evidence is None:
        return report(result, answer, {}) + _WITHOUT
    texts = dict(zip(evidence.labels, evidence.texts, strict=True))
    return report(result, answer, texts)


def _citations(listed: str | None) -> tuple[str, ...] | None:
    if listed is None:
        return None
    return tuple(name.strip() for name in listed.split(",") if name.strip())
