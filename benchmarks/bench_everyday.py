"""What the guard says of everyday answers: short, faithful ones, and ones with a single error.

    python benchmarks/bench_everyday.py [CASES] [--held-back] [--list]

CASES is JSON lines with `domain`, `question`, `chunks`, `answer`, `kind` ("clean", or the kind of
error) and `wrong` (the words of the answer that are wrong, null where it is clean); without it the
self-written cases in `made_up/everyday.jsonl` are judged, which the rules were mended with;
`--held-back` takes those that were written blind when the rules stood. An error counts as found
where a warning touches the sentence that holds the wrong words or the status is not PASS. `--list`
shows every clean answer that is doubted and every error that is missed.
"""

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from streamguard.core.context import Context
from streamguard.core.result import GuardrailsResult
from streamguard.core.validate import check_text

CASES = Path(__file__).parent / "made_up" / "everyday.jsonl"
HELD_BACK = CASES.with_name("everyday_held_back.jsonl")
NEEDED = frozenset({"domain", "question", "chunks", "answer", "kind", "wrong"})


@dataclass(frozen=True, slots=True)
class Judged:
    """A case and its result."""

    case: dict
    result: GuardrailsResult

    @property
    def is_clean(self) -> bool:
        return self.case["wrong"] is None

    @property
    def warns(self) -> bool:
        return any(finding.severity == "warning" for finding in self.result.findings)

    @property
    def points_at_it(self) -> bool:
        """Whether a warning touches the sentence of the wrong words."""
        start = self.case["answer"].index(self.case["wrong"])
        (held,) = (s for s in self.result.sentences if s.start <= start < s.end)
        return any(
            finding.severity == "warning"
            and (finding.start is None or held.start <= finding.start < held.end)
            for finding in self.result.findings
        )

    @property
    def found(self) -> bool:
        return self.points_at_it or self.result.status != "PASS"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="?", type=Path)
    parser.add_argument("--held-back", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    path = options.cases or (HELD_BACK if options.held_back else CASES)
    judged = [Judged(case, judge(case)) for case in read(path)]
    clean = [one for one in judged if one.is_clean]
    wrong = [one for one in judged if not one.is_clean]
    for status in ("PASS", "WARN", "REFUSE"):
        row(f"clean answers, {status}", [one.result.status == status for one in clean])
    row("clean answers, a warning", [one.warns for one in clean])
    kinds = defaultdict(list)
    for one in wrong:
        kinds[one.case["kind"]].append(one)
    row("errors found", [one.found for one in wrong])
    row("  a warning at the place", [one.points_at_it for one in wrong])
    for kind, some in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
        row(f"  {kind}", [one.found for one in some])
    if options.list:
        doubted = [one for one in clean if one.warns or one.result.status != "PASS"]
        for one in (*doubted, *(one for one in wrong if not one.found)):
            show(one)


def read(path: Path) -> list[dict]:
    if not path.is_file():
        sys.exit(f"{path} is missing: give JSON lines with {', '.join(sorted(NEEDED))}")
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    for number, case in enumerate(cases, 1):
        if lacking := NEEDED - case.keys():
            sys.exit(f"{path}, line {number} lacks {', '.join(sorted(lacking))}")
    return cases


def judge(case: dict) -> GuardrailsResult:
    context = Context(query=case["question"], chunks=case["chunks"])
    return check_text(case["answer"], context=context)


def row(name: str, hits: list[bool]) -> None:
    share = sum(hits) / len(hits) if hits else 0.0
    print(f"{name:32}{sum(hits):>5} of {len(hits):<5}{share:>7.0%}")


def show(one: Judged) -> None:
    result = one.result
    print(f"\n{one.case['kind']}: {one.case['answer']}")
    print(f"  {result.status}: {'; '.join(reason.message for reason in result.reasons)}")
    for finding in result.findings:
        if finding.severity == "warning":
            print(f"  {finding.check}: {finding.message}")


if __name__ == "__main__":
    main()
