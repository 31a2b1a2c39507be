"""Write what the documentation takes from the code: API, settings, command line, examples.

python scripts/reference.py
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections import ChainMap, Counter
from pathlib import Path
from typing import Any

import streamguard
from streamguard import errors
from streamguard.cli import COMMANDS, make_parser
from streamguard.core.model.policy import PRESETS, Policy

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs/reference"
EXAMPLES = ROOT / "scripts/api_examples.py"
WITH_EXAMPLES = ("docs/guides/frameworks.md", "docs/guides/web.md")
# What everybody calls or reads: their docstrings are shown whole.
WHOLE = frozenset({"Context", "Finding", "GuardrailsResult", "Verdict", "Verifier", "guard"})
WRITTEN = "<!-- Written by scripts/reference.py. -->"
SETTINGS = """\
Every setting of a `Policy`, the values it takes, its default, and what it does. A policy is a \
preset's name, `Policy.preset(name, setting=value)`, or a TOML file with `preset = "moderate"` and \
the settings that differ; [Tuning](../guides/verdicts.md#tuning) says which to change when. \
`streamguard policy` prints them with the place each value came from. Anything else is refused \
with the name, the value and what is allowed."""
ENVIRONMENT = """\
Read where a command or a server starts, over the policy file and under the flags: \
`STREAMGUARD_POLICY` (a preset's name or a file), `RAG_STRICT_MODE`, `RAG_CONFIDENCE_THRESHOLD`, \
`RAG_MIN_DOCUMENTS` and `RAG_VALIDATION_ENABLED`."""
PRESET_RULE = "|---" * (len(PRESETS) + 1) + "|"
# What a command does not start without.
NEEDED = {
    "check": ["ANSWER"],
    "explain": ["ANSWER"],
    "proxy": ["--upstream", "http://localhost"],
    "record": ["--upstream", "http://localhost"],
    "replay": ["RECORDED"],
    "results": ["list"],
    "index": ["FOLDER"],
    "tune-gate": ["QUESTIONS"],
    "eval": ["DATA"],
    "calibrate": ["LABELLED", "--max-false-alarm", "0.05"],
    "schema": ["annotation"],
    "audit": ["FILES"],
    "verifier": ["inspect", "FOLDER"],
    "judge": ["try", "JUDGE"],
}
_TITLED = re.compile(r'(^```\w+ title="(examples/[^"]+)"\n).*?(^```$)', re.MULTILINE | re.DOTALL)


def pages() -> dict[str, str]:
    """Return what each page is to hold, by its path."""
    made = {
        "docs/reference/api.md": api(),
        "docs/reference/cli.md": f"{command_line()}\n{settings()}",
    }
    for name in WITH_EXAMPLES:
        page = (ROOT / name).read_text(encoding="utf-8")
        made[name] = _TITLED.sub(
            lambda match: match[1] + (ROOT / match[2]).read_text(encoding="utf-8") + match[3], page
        )
    return made


# --- the API


def api() -> str:
    """Return a section for every public name, with an example that runs."""
    shown = examples()
    sections = [
        "# API",
        WRITTEN,
        "Every name below is imported from `streamguard`. Errors are in `streamguard.errors`:",
        _fenced("text", inspect.getdoc(errors) or ""),
        (
            "Each name has its signature, what it is, its members and an example; the examples are"
            " one program, from the first to the last. `help(NAME)` in Python says more."
        ),
    ]
    for name, code in shown.items():
        sections += [f"## `{name}`", *_documented(name, getattr(streamguard, name))]
        sections.append(_fenced("python", code))
    return "\n\n".join(sections) + "\n"


def examples() -> dict[str, str]:
    """Return the example of each name, in the order in which they run."""
    head, *rest = re.split(r"^# --- ", EXAMPLES.read_text(encoding="utf-8"), flags=re.MULTILINE)
    imports = "".join(re.findall(r"^import .*\n", head, re.MULTILINE))
    parts = {}
    for part in rest:
        name, _, code = part.partition("\n")
        parts[name] = code.strip() + "\n"
    first = next(iter(parts))
    parts[first] = imports + "\n" + parts[first]
    return parts


def _documented(name: str, value: Any) -> list[str]:
    if inspect.isclass(value) and value.__name__ != name:
        return [f"The earlier name of [`{value.__name__}`](#{value.__name__.lower()})."]
    if inspect.isclass(value):
        return [*_of_class(name, value)]
    if callable(value):
        return [_signature(name, value), _text(value)]
    if isinstance(value, str):
        return ["The version, as `streamguard --version` prints it."]
    kind = type(value).__name__
    told = ", ".join(f"`{check.__name__}`" for check in value.per_sentence)
    close = ", ".join(f"`{check.__name__}`" for check in value.at_close)
    return [f"A `{kind}`. Per sentence: {told}. At the close: {close}."]


def _of_class(name: str, kind: type) -> list[str]:
    shown = [_signature(name, kind), _text(kind)]
    rows = []
    ours = [vars(each) for each in kind.__mro__ if each.__module__.startswith("streamguard")]
    for attribute, member in ChainMap(*map(dict, ours)).items():
        if attribute.startswith("_"):
            continue
        if isinstance(member, classmethod | staticmethod):
            member = member.__func__
        if inspect.isfunction(member):
            rows.append(_row(f"{attribute}{_arguments(member)}", member))
        elif isinstance(member, property) or type(member).__name__ in ("lazy", "SentencePart"):
            rows.append(_row(attribute, member))
    if rows:
        shown.append("\n".join(["| member | |", "|---|---|", *rows]))
    return shown


def _row(shown: str, member: Any) -> str:
    summary = _summary(inspect.getdoc(member) or "").replace("|", "\\|")
    return f"| `{shown.replace('|', '&#124;')}` | {summary} |".replace("&#124;", "\\|")


def _summary(text: str) -> str:
    """Return the first sentence of a docstring: the rest is for who reads the code."""
    words = " ".join(text.partition("\n\n")[0].split())
    return re.split(r"(?<=[.]) (?=[A-Z`])", words)[0]


def _signature(name: str, value: Any) -> str:
    return _fenced("text", _wrapped(f"{name}{_arguments(value)}"))


def _arguments(value: Any) -> str:
    """Return parameters with annotations and defaults as they are written."""
    parameters = []
    star = False
    for parameter in inspect.signature(value).parameters.values():
        if parameter.name in {"self", "cls"}:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parameters.append("*")
        star = star or parameter.kind in {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL}
        shown = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(
            parameter.kind, ""
        ) + parameter.name
        if isinstance(parameter.annotation, str):
            shown += f": {parameter.annotation}"
        if parameter.default is not parameter.empty:
            default = repr(parameter.default)
            made = "{}" if "Mapping" in str(parameter.annotation) else "..."
            default = made if default == "<factory>" else default
            shown += f" = {default}" if ":" in shown else f"={default}"
        parameters.append(shown)
    return f"({', '.join(parameters)})"


def _wrapped(signature: str) -> str:
    if len(signature) <= 90:
        return signature
    name, _, rest = signature.partition("(")
    lines, depth, begun = [], 0, ""
    for char in rest[:-1]:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            lines.append(begun.strip())
            begun = ""
        else:
            begun += char
    return "\n".join([f"{name}(", *(f"    {line}," for line in [*lines, begun.strip()]), ")"])


def _text(value: Any) -> str:
    """Return a docstring's first paragraph; of the names in `WHOLE` all of it.

    Of the others `help()` and the guides say the rest.
    """
    told = inspect.getdoc(value) or ""
    return told if value.__name__ in WHOLE else told.partition("\n\n")[0]


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


# --- the settings


def settings() -> str:
    """Return a row for every setting of a policy, and what the presets change."""
    properties = Policy.model_json_schema()["properties"]
    rows = [
        f"| `{name}` | {_allowed(name, properties[name])} | {_default(name)} |"
        f" {(field.description or '').replace('|', chr(92) + '|')} |"
        for name, field in Policy.model_fields.items()
    ]
    changed = sorted({name for values in PRESETS.values() for name in values})
    presets = [
        f"| `{name}` | "
        + " | ".join(_value(getattr(Policy.preset(preset), name)) for preset in PRESETS)
        + " |"
        for name in changed
    ]
    parts = [
        "## Settings",
        SETTINGS,
        "\n".join(["| setting | allowed | default | |", "|---|---|---|---|", *rows]),
        "### What the presets change",
        "\n".join([f"| setting | {' | '.join(PRESETS)} |", PRESET_RULE, *presets]),
        f"### From the environment\n\n{ENVIRONMENT}",
    ]
    return "\n\n".join(parts) + "\n"


def _allowed(name: str, schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']:g} to {schema['maximum']:g}"
    if "exclusiveMinimum" in schema:
        return f"more than {schema['exclusiveMinimum']:g}, to {schema['maximum']:g}"
    if "minimum" in schema:
        return f"{schema['minimum']:g} or more"
    kinds = {"boolean": "true, false", "string": "text", "array": "a list of text"}
    special = {
        "confidence_levels": "three figures, or nothing",
        "collection_thresholds": "a table of figures by collection",
        "verifiers": "a table of weights by verifier",
        "patterns": "a table of regular expressions by name",
        "phone_region": "two letters, or nothing",
        "replacement_text": "text, or nothing",
        "deciding_verifiers": "a list of text, or nothing",
        "max_tail_wait_s": "0 to 600, or nothing",
    }
    return special.get(name) or kinds[schema["type"]]


def _default(name: str) -> str:
    return _value(getattr(Policy(), name))


def _value(value: object) -> str:
    if value is None or value in ((), {}):
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        long = f"{len(value)} phrases"
        return long if len(value) > 3 else ", ".join(f"`{each}`" for each in value)
    return f"`{value}`"


# --- the command line


def command_line() -> str:
    """Return a section for every command; flags of several commands stand in one of their own."""
    parsers = {
        name: make_parser(name).parse_known_args([name, *NEEDED.get(name, ())])[0].parser
        for name in COMMANDS
    }
    rows = {name: _flags(parser) for name, parser in parsers.items()}
    times = Counter(row for each in rows.values() for row in each)
    shared = {row: flag for each in rows.values() for row, flag in each.items() if times[row] > 1}
    seen = set[str]()
    sections = [
        "# Command line and settings",
        WRITTEN,
        "`streamguard COMMAND --help` says the same, with examples.",
        "## Flags of several commands",
        _table(sorted(shared, key=shared.__getitem__)),
    ]
    for name, summary in COMMANDS.items():
        sections += [f"## streamguard {name}", f"{summary[0].upper()}{summary[1:]}."]
        if own := [row for row in rows[name] if row not in shared]:
            sections.append(_table(own))
        if further := [f"`{flag}`" for row, flag in rows[name].items() if row in shared]:
            sections.append(f"Also, from the table above: {', '.join(further)}.")
        told = _before_the_examples(parsers[name].epilog or "").split("\n\n")
        if new := [each for each in told if each and each not in seen]:
            sections.append(_fenced("text", "\n\n".join(new)))
        seen.update(told)
    return "\n\n".join(sections) + "\n"


def _flags(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Return each row of the parser's table, with the flag or argument that it describes."""
    found = {}
    for action in parser._actions:  # noqa: SLF001 -- argparse has no other list of them
        if action.dest != "help" and (row := _flag(action)):
            found[row] = action.option_strings[-1] if action.option_strings else action.dest
    return found


def _before_the_examples(epilog: str) -> str:
    return re.split(r"^examples?:", epilog, flags=re.MULTILINE)[0].strip()


def _table(rows: list[str]) -> str:
    return "\n".join(["| argument | |", "|---|---|", *rows])


def _flag(action: argparse.Action) -> str | None:
    if action.help == argparse.SUPPRESS:
        return None
    metavar = action.metavar or ("" if action.nargs == 0 else action.dest.upper())
    if action.choices:
        metavar = "{" + ",".join(map(str, action.choices)) + "}"
    shown = ", ".join(action.option_strings) or str(metavar)
    if action.option_strings and action.nargs != 0:
        shown += f" {metavar}"
    words = (action.help or "") % {**vars(action), "prog": "streamguard"}
    words = re.sub(r"\s+", " ", words).replace("|", "\\|")
    return f"| `{shown.replace('|', chr(92) + '|')}` | {words} |"


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (ROOT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
