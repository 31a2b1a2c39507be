"""Labelled answers, what the guard says of each, and one risk for the whole answer."""

import gzip
import importlib.util
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from streamguard import GuardrailsResult
from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.core.context import Context
from streamguard.core.validate import check_text

# Neither is said of words that are wrong.
ASIDE = frozenset({"refusal", "uncited_claim"})
# Whether the code that is measured has edits with risks.
COMPARES = importlib.util.find_spec("streamguard.core.facts") is not None
_STEPS = {"WARN": 1, "REFUSE": 2}
_NO_EDIT = -8.0  # log-odds; below those of any edit that matters
_LEAST_GROUNDED = 1e-6


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled answer, its result, and the log-odds of its edits."""

    row: dict
    result: GuardrailsResult
    edits: tuple[float, ...]

    @property
    def is_wrong(self) -> bool:
        return self.row["label"] == "error"

    @property
    def raised(self) -> bool:
        return self.result.status != "PASS"

    @property
    def warned(self) -> bool:
        return any(finding.severity == "warning" for finding in self.result.findings)

    @property
    def pinned(self) -> bool:
        return any(f.severity == "warning" and self._touches(f) for f in self.result.findings)

    @property
    def pointed_at(self) -> bool:
        return any(f.check not in ASIDE and self._touches(f) for f in self.result.findings)

    def _touches(self, finding) -> bool:
        start, end = self.row["error_span"]
        return finding.start is not None and finding.start < end and finding.end > start


def read(path: Path) -> list[dict]:
    """Return the rows of JSON lines, [] with a message where the file is missing."""
    if not path.is_file():
        say(f"{path.name} is missing from DATA: its rows are left out")
        return []
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def context_of(row: dict) -> Context:
    chunks = [each["text"] if isinstance(each, dict) else each for each in row["chunks"]]
    return Context(query=row["question"], chunks=chunks)


def judge(row: dict) -> Judged:
    """Return what the default policy says of an answer."""
    edits = []

    def collect(sentence, scope):
        edits.extend(edit.risk for edit in getattr(sentence, "edits", ()))
        return ()

    checks = DEFAULT_CHECKS.plus(collect)
    result = check_text(row["answer"], context=context_of(row), checks=checks)
    return Judged(row, result, tuple(edits))


def says_something(result: GuardrailsResult) -> bool:
    """Say whether a short answer got anything but praise: a status, or a finding of any kind."""
    return result.status != "PASS" or any(f.check not in ASIDE for f in result.findings)


def alarms(result: GuardrailsResult) -> bool:
    """Say whether a right answer was raised or warned of."""
    return result.status != "PASS" or any(f.severity == "warning" for f in result.findings)


def risk_figures(result: GuardrailsResult, edits: Sequence[float]) -> tuple[float, float]:
    """Return the log-odds of the likeliest wrong edit, and the logarithm of the groundedness."""
    grounded = result.scores.groundedness
    log = 0.0 if grounded is None else math.log(max(_LEAST_GROUNDED, grounded))
    return max(edits, default=_NO_EDIT), log


def answer_risk(
    result: GuardrailsResult, edits: Sequence[float], line: Sequence[float] | None = None
) -> float:
    """Return the risk of an answer, higher is worse.

    With a `line` its weights for the likeliest edit and for the log of groundedness; without one
    the greater of the likeliest edit's log-odds and those of 1 - groundedness. Of code that
    compares no slots status, a warning and 1 - groundedness, added up.
    """
    largest, log = risk_figures(result, edits)
    if not COMPARES:
        warned = any(finding.severity == "warning" for finding in result.findings)
        return _STEPS.get(result.status or "", 0) + warned + 1 - math.exp(log)
    if line is not None:
        return line[0] * largest + line[1] * log
    return max(largest, math.log(max(_LEAST_GROUNDED, 1 - math.exp(log))) - log)
