"""The flag `--scorer`, and `streamguard verifier inspect`."""

from __future__ import annotations

import argparse
import os
import sys

from streamguard.verify.judge import Judge
from streamguard.verify.specs import KINDS, named_judge, named_verifiers, readers_of
from streamguard.verify.verifier import Verifier

VERIFIER_HELP = f"""\
scorers, as --scorer takes them (--verifier is its earlier name):
{KINDS}"""

DESCRIPTION = """\
Say what is understood of a model in ONNX format, and try it on four sentences."""
EPILOG = """\
FOLDER holds model.onnx (or onnx/model.onnx, or one other .onnx file), tokenizer.json and
config.json, as exporters write them.

example:
  streamguard verifier inspect models/nli-deberta-v3-small"""


def add_verifier_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flag that names verifiers."""
    parser.add_argument(
        "--scorer",
        "--verifier",
        dest="verifier",
        action="append",
        default=[],
        metavar="SPEC",
        help="a reader of settled claims beside the stream: onnx:FOLDER, judge:MODEL@URL,"
        " embeddings:MODEL[@URL] or python:MODULE:NAME; may be given several times",
    )


def add_judge_argument(parser: argparse.ArgumentParser) -> None:
    """Add the flag that names a judge."""
    parser.add_argument(
        "--judge",
        metavar="MODEL@URL",
        help="a language model that judges the answers, to which passages and answers are sent;"
        " a model's name alone is asked of OPENAI_BASE_URL with OPENAI_API_KEY",
    )


def judge_of(args: argparse.Namespace) -> Judge | None:
    """Return the judge that the flag names, None without one; raises `ConfigError`."""
    if args.judge is None or args.judge == "off":
        return None
    return named_judge(args.judge, os.environ)


def opened(args: argparse.Namespace) -> tuple[Verifier, ...]:
    """Return the verifiers and the judge that the flags name, and print where texts are sent.

    Raises `ConfigError`.
    """
    return announced(readers_of(named_verifiers(args.verifier, os.environ), judge_of(args)))


def announced(readers: tuple[Verifier, ...]) -> tuple[Verifier, ...]:
    """Return the verifiers, and print on standard error where texts are sent."""
    for one in readers:
        if one.notice is not None:
            sys.stderr.write(f"{one.notice}\n")
    return readers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `streamguard verifier`."""
    parser.add_argument("what", choices=("inspect",), help="what to do: say what it is")
    parser.add_argument("folder", metavar="FOLDER", help="where the model is")


def run(args: argparse.Namespace) -> int:
    """Print the folder's files and its model's labels; raises `ConfigError`."""
    from streamguard.verify.inspecting import inspected

    sys.stdout.write(inspected(args.folder))
    return 0
