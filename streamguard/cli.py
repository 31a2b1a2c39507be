"""The command line: commands, their flags, and error messages."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from streamguard.errors import ConfigError, StreamguardError
from streamguard.version import __version__

_DESCRIPTION = """\
Pass an LLM token stream through untouched, check every sentence against the retrieved documents,
and close with one annotation that says what is not supported and where the nearest evidence is."""
_EPILOG = """\
"streamguard COMMAND --help" shows a command's flags and examples. To try it without a model:
"streamguard demo"."""

COMMANDS = {
    "check": "the verdict on a finished answer, as text, JSON and exit status",
    "explain": "why an answer gets its status: what was read, looked up and found",
    "proxy": "guard every answer of an OpenAI-compatible server",
    "policy": "every setting, its value, where it came from",
    "schema": "the JSON schemas of annotation, live sentence, explanation, context and frames",
    "record": "the proxy, keeping every checked answer with its pieces and their times",
    "replay": "an OpenAI-compatible server that streams recorded answers",
    "chat": "a chat page over a folder of documents, every answer guarded",
    "index": "index a folder of documents for trying out retrieval",
    "tune-gate": "suggest gate thresholds for one's own collection and embedding",
    "dashboard": "a page on what the kept results of many answers say together",
    "eval": "precision, recall and AUROC of flags and verdicts on labelled answers",
    "calibrate": "thresholds by a budget of false alarms, as a policy file",
    "audit": "verdicts on logged answers by the million, and what another policy changes",
    "judge": "whether a language model will do as a judge, tried on twelve cases",
    "verifier": "what is understood of a model that shall read claims beside the stream",
    "results": "results in a database: listed, shown, exported",
    "demo": "watch six recorded answers stream through the proxy, each with its verdict",
}
# Other servers' names of our flags.
_OTHER_NAMES = {
    "--port": "--listen",
    "--host": "--listen",
    "--bind": "--listen",
    "--base-url": "--upstream",
    "--url": "--upstream",
}
USAGE_ERROR, OTHER_ERROR = 2, 1
_INTERRUPTED = 130  # 128 + SIGINT, as shells have it
_REQUIRED = "the following arguments are required"
_INVALID_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<choices>.*)\)")


class _Parser(argparse.ArgumentParser):
    """A parser that accepts no abbreviated flags, and suggests the flag that was meant.

    An abbreviation that works today may be ambiguous in the next version.
    """

    def __init__(self, **settings: Any) -> None:
        self._words: Sequence[str] = ()
        super().__init__(
            **settings, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter
        )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, and keep the arguments for `error`."""
        self._words = tuple(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """Report unknown arguments and exit with status 2."""
        flags = [flag for flag in self._option_string_actions if flag.startswith("--")]
        names = [word.partition("=")[0] for word in words]
        meant = (
            _meant(_OTHER_NAMES.get(word, word), flags) for word in names if word.startswith("-")
        )
        unknown_words = " ".join(words)
        if "--policy" in flags and unknown_words in ("strict", "moderate", "lenient"):
            self.error(f"{unknown_words} is not known here; did you mean --policy {unknown_words}?")
        self.error(f"{unknown_words} is not known here{next(filter(None, meant), '')}")

    def error(self, message: str) -> NoReturn:
        """Print one line, with the choice that may be meant, and exit with status 2."""
        if message.startswith(_REQUIRED) or (self._words[:1] and self._words[0].startswith("-")):
            # The missing name may be the misspelt one.
            flags = (word.partition("=")[0] for word in self._words if word.startswith("--"))
            unknown = [flag for flag in flags if flag not in self._option_string_actions][:1]
            if unknown and not message.startswith(unknown[0]):
                self.unknown(unknown)
        wrong = _INVALID_CHOICE.search(message)
        if wrong is not None:
            meant = _meant(wrong["given"], re.findall(r"[\w-]+", wrong["choices"]))
            is_command = message.startswith("argument COMMAND")  # too many to list
            message = f"{wrong['given']} is not known here" if is_command and meant else message
            message += meant
        see = " See" if message.endswith("?") else "; see"
        self.exit(USAGE_ERROR, f"{self.prog}: {message}{see} {self.prog} --help\n")


def _meant(typed: str, known: Iterable[str]) -> str:
    """Return a question with the most similar known word, else ""."""
    known = sorted(known)
    begun = [word for word in known if word.startswith(typed) and len(typed) > len("--")]
    # Two dashes make any two short flags alike.
    bare = {word.lstrip("-"): word for word in known}
    near = begun[:1] or [
        bare[word] for word in difflib.get_close_matches(typed.lstrip("-"), bare, n=1)
    ]
    return f"; did you mean {near[0]}?" if near else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; errors are one line on standard error.

    The status is 2 for an invalid flag or setting, 1 for any other error; commands add their own.
    """
    _write_anything()
    argv = sys.argv[1:] if argv is None else argv
    try:
        parser = make_parser(argv[0] if argv and argv[0] in COMMANDS else None)
        args, unknown = parser.parse_known_args(argv)
        if unknown:
            getattr(args, "parser", parser).unknown(unknown)
        status = int(args.run(args))
        sys.stdout.flush()
    except ConfigError as exc:
        return _failed(exc, USAGE_ERROR)
    except StreamguardError as exc:
        return _failed(exc, OTHER_ERROR)
    except BrokenPipeError:
        # The reader left ("streamguard policy | head"): nothing more to say, also not at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OTHER_ERROR
    except OSError as exc:
        message = exc.strerror or exc
        return _failed(f"{exc.filename}: {message}" if exc.filename else message, OTHER_ERROR)
    except KeyboardInterrupt:
        return _INTERRUPTED
    return status


def make_parser(chosen: str | None = None) -> _Parser:
    """Return the parser of all commands, with the arguments of the `chosen` one.

    Only the chosen command's module is loaded: a server's libraries take longer to import than most
    checks to run. The parsed namespace has the command's `run` function and its `parser`.
    """
    parser = _Parser(prog="streamguard", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"streamguard {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, help_line in COMMANDS.items():
        command = commands.add_parser(name, help=help_line)
        if chosen == name:
            _fill(
                command, importlib.import_module(f"streamguard.commands.{name.replace('-', '_')}")
            )
    return parser


def _fill(parser: argparse.ArgumentParser, command: Any) -> None:
    parser.description, parser.epilog = command.DESCRIPTION, command.EPILOG
    command.add_arguments(parser)
    parser.set_defaults(run=command.run, parser=parser)


def _failed(error: object, status: int) -> int:
    print(f"streamguard: {error}", file=sys.stderr)
    return status


def _write_anything() -> None:
    """Let output streams without UTF-8 replace characters instead of failing.

    Output to a closed standard stream is dropped.
    """
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: PTH123, SIM115 - until the end
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
