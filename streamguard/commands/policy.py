"""`streamguard policy`: every setting, its value, and the value's origin."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from streamguard.commands.check import add_policy_arguments
from streamguard.core.model.policy import GATE_SHARES, MEASURED, Policy
from streamguard.settings import VARIABLES, LoadedPolicy, load_policy

DESCRIPTION = """\
Print every setting of the policy in force, its value, where the value came from, and what it
does or was measured on."""
EPILOG = f"""\
A later source wins: built-in default, preset, TOML file, environment, --set.
environment: {", ".join(VARIABLES)}

A policy file holds settings by name, and may start from a preset (moderate, if it names none):
  preset = "strict"
  min_groundedness = 0.7
  allowed_names = ["Acme Cloud"]"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `streamguard policy`."""
    add_policy_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(args: argparse.Namespace) -> int:
    """Print the policy in force; raises `ConfigError` for an invalid setting."""
    loaded = load_policy(args.policy, assignments=args.set)
    sys.stdout.write(_as_json(loaded) if args.json else _as_table(loaded) + _curve(loaded))
    return 0


def _curve(loaded: LoadedPolicy) -> str:
    """Return lines with the measured shares of the presets, and of the gates of retrieval."""
    lines = [
        "",
        "of everyday answers    right, not PASS    wrong, found    the same, other authors",
    ]
    for name, (chosen, others) in MEASURED.items():
        here = "  <- in force" if name == loaded.policy.name else ""
        shares = f"{chosen.flagged:<19.3f}{chosen.found:<16.3f}"
        lines.append(f"  {name:<21}{shares}{others.flagged:.3f}, {others.found:.3f}{here}")
    lines += [
        "",
        "of questions, by words   answerable, passed  others, declined  the same, other authors",
    ]
    for gate, (fitted, unseen) in GATE_SHARES.items():
        here = "  <- in force" if gate == loaded.policy.gate else ""
        shares = f"{fitted.let_through:<20.3f}{fitted.declined:<18.3f}"
        lines.append(f"  {gate:<23}{shares}{unseen.let_through:.3f}, {unseen.declined:.3f}{here}")
    return "\n".join(lines) + "\n"


def _as_json(loaded: LoadedPolicy) -> str:
    values = loaded.policy.model_dump(mode="json")
    rows = {
        name: {"value": values[name], "origin": loaded.origins[name], "about": _about(name)}
        for name in Policy.model_fields
    }
    return json.dumps(rows, indent=2) + "\n"


def _as_table(loaded: LoadedPolicy) -> str:
    rows = [("setting", "value", "from", "what it does")]
    for name in Policy.model_fields:
        value, *more = _shown(getattr(loaded.policy, name))
        rows.append((name, value, loaded.origins[name], _about(name)))
        rows.extend(("", line, "", "") for line in more)
    return "\n".join(_aligned(rows)) + "\n"


def _shown(value: Any) -> list[str]:
    """Return the lines of a value as in a policy file, one list item per line."""
    if not isinstance(value, tuple):
        return [json.dumps(value, ensure_ascii=False, default=dict)]
    items = [json.dumps(item, ensure_ascii=False) for item in value]
    if len(items) < 2:
        return [f"[{', '.join(items)}]"]
    return [f"[{items[0]},", *(f" {item}," for item in items[1:-1]), f" {items[-1]}]"]


def _aligned(rows: list[tuple[str, str, str, str]]) -> Iterator[str]:
    # Long phrases stick out of their column rather than push the others to the right.
    widths = [max(len(row[at]) for row in rows if row[0]) for at in range(3)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        yield "  ".join((*cells, row[3])).rstrip()


def _about(name: str) -> str:
    return Policy.model_fields[name].description or ""
