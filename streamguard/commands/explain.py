"""`streamguard explain`: the reasons of an answer's status, sentence by sentence."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing

from streamguard.commands.check import add_policy_arguments
from streamguard.commands.explained import explained_lines
from streamguard.commands.inputs import read_answer, read_passages, refuse_one_input_for_two
from streamguard.commands.verifier import add_judge_argument, announced, judge_of
from streamguard.core.context import Context
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.finished import explain_text
from streamguard.rag.folder import in_memory
from streamguard.settings import load_policy
from streamguard.verify.specs import readers_of

DESCRIPTION = """\
Say why an answer gets its status: for each sentence the values, names and citations that were read,
where the passages have them, what the checks found, who scored it and by which words, what was not
read; and the rules that the status follows from."""
EPILOG = """\
ANSWER is a file, - for standard input, or the answer itself, of more than one word. All passages of
--docs count unless --passages says how many were shown; --chunks takes those of an application.

examples:
  streamguard explain answer.txt --docs docs/ --question "What does Basic cost?"
  streamguard explain "Basic costs €24 a month." --docs plans.md
  my-rag "What does Basic cost?" | streamguard explain - --chunks passages.jsonl --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard explain`."""
    add = parser.add_argument
    add("answer", metavar="ANSWER", help="a file, - for standard input, or the answer itself")
    add("--docs", metavar="FOLDER", help="the documents that the answer rests on, or one file")
    add("--chunks", metavar="FILE", help="the passages instead, as streamguard check takes them")
    add(
        "--passages",
        type=int,
        metavar="N",
        help="of --docs only the N that streamguard chat would show for the question, in its order:"
        " for answers that cite [C1]",
    )
    add("--question", "--query", metavar="TEXT", help="the question that was asked")
    add_policy_arguments(parser)
    add_judge_argument(parser)
    add(
        "--citations-requested",
        action="store_true",
        help="the prompt asked for [C1] citations: their number counts",
    )
    add(
        "--json",
        action="store_true",
        help="print the same as JSON (streamguard schema explanation)",
    )


def run(args: argparse.Namespace) -> int:
    """Explain the answer; return 0 whatever its status is.

    Raises `ConfigError` for an invalid setting, `OSError` for an unreadable file, `DecodeError` for
    a malformed one.
    """
    policy = load_policy(args.policy, assignments=args.set).policy
    if not policy.validation_enabled:
        raise ConfigError("validation_enabled is false, expected true for something to explain")
    refuse_one_input_for_two(args.answer, args.chunks)
    answer = read_answer(args.answer)
    context = Context(
        query=args.question,
        chunks=_nearest(read_passages(args.docs, args.chunks), args),
        citations_requested=args.citations_requested,
    )
    readers = announced(readers_of((), judge_of(args)))
    explanation = explain_text(answer, context=context, policy=policy, scorers=readers)
    if args.json:
        sys.stdout.write(explanation.model_dump_json(indent=2, ensure_ascii=True) + "\n")
    else:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        sys.stdout.writelines(f"{line}\n" for line in explained_lines(explanation, colour=colour))
    return 0


def _nearest(
    chunks: tuple[RetrievedChunk, ...] | None, args: argparse.Namespace
) -> tuple[RetrievedChunk, ...] | None:
    """Return the passages that a chat would retrieve for the question, if the flag asks for it."""
    if args.passages is None:
        return chunks
    if args.docs is None or not args.question or args.passages < 1:
        expected = "expected a number of at least 1, beside --docs and --question"
        raise ConfigError(f"--passages is {args.passages}, {expected}")
    texts: dict[str, list[str]] = {}
    for chunk in chunks or ():
        texts.setdefault(chunk.source or "", []).append(chunk.text)
    with closing(in_memory(texts)) as store:
        return tuple(store.query(["documents"], args.question, args.passages))
