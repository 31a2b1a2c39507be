"""Labelled answers, what the guard says of each, and one risk for the whole answer."""

import gzip
import importlib.util
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from streamguard import GuardrailsResult, Policy
from streamguard.core.context import Context
from streamguard.core.validate import check_text

# Neither is said of words that are wrong.
ASIDE = frozenset({"refusal", "uncited_claim"})
# Whether the code that is measured compares slots.
COMPARES = importlib.util.find_spec("streamguard.core.facts") is not None
_STEPS = {"WARN": 1, "REFUSE": 2}


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled answer and its result."""

    row: dict
    result: GuardrailsResult

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
    return Judged(row, check_text(row["answer"], context=context_of(row)))


def answer_risk(result: GuardrailsResult) -> float:
    """Return the risk of an answer, higher is worse: of a short one its doubt, else its words'.

    Of code without a doubt status, a warning and 1 - groundedness, added up.
    """
    ungrounded = 1 - (1.0 if result.scores.groundedness is None else result.scores.groundedness)
    if not COMPARES:
        warned = any(finding.severity == "warning" for finding in result.findings)
        return _STEPS.get(result.status or "", 0) + warned + ungrounded
    chars = sum(one.end - one.start for one in result.sentences if one.is_claim)
    is_short = Policy().is_short(result.total_claims, chars)
    return (result.scores.doubt or 0.0) if is_short else ungrounded
