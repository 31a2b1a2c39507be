"""How large the core is, and how much of it one plain sentence crosses."""

import sys
from pathlib import Path

from scores.folds import ROOT
from streamguard.core.context import Context
from streamguard.core.validate import check_text

ROOMS = ("core", "text", "values")
SENTENCE = "The office opens at nine on weekdays."
PASSAGE = "Our office in Alder opens at nine on weekdays and at ten on Saturdays."

Rows = list[tuple[str, str]]


def measure() -> Rows:
    """Return lines and files by room, and the modules that one sentence crosses."""
    package = ROOT / "streamguard"
    files = sorted(path for room in ROOMS for path in (package / room).rglob("*.py"))
    rooms: dict[str, list[Path]] = {}
    for path in files:
        rooms.setdefault("/".join(path.relative_to(package).parts[:-1]), []).append(path)
    rows = [("core, text and values", _lines(files))]
    rooms["prompt"] = sorted((package / "prompt").glob("*.py"))  # beside them, and not counted
    rows += [(f"streamguard/{room}", _lines(some)) for room, some in sorted(rooms.items()) if some]
    rows.append(("tests", _lines(sorted((ROOT / "tests").rglob("*.py")))))
    rows.append(("modules that one plain sentence crosses", str(len(crossed()))))
    return rows


def _lines(files: list[Path]) -> str:
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    return f"{lines:,} lines in {len(files)} files"


def crossed() -> set[str]:
    """Return the modules of the core of which a Python function is called for one sentence."""
    seen: set[str] = set()
    prefixes = tuple(f"streamguard.{room}" for room in ROOMS)

    def note(frame, event, argument):
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith(prefixes):
            seen.add(name)

    context = Context(query="When does the office open?", chunks=[PASSAGE])
    sys.setprofile(note)
    try:
        check_text(SENTENCE, context=context)
    finally:
        sys.setprofile(None)
    return seen
