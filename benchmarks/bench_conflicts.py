"""What the guard finds of conflicts made on purpose and of labelled ones, and of derived numbers.

    python benchmarks/bench_conflicts.py [DATA] [--held-back] [--derivations] [--answers N]

DATA is JSON lines (.gz allowed) with `question`, `chunks`, `answer`, `hallucinated` and `labels`
(`start`, `end`, `label_type`); without it only the self-written cases are judged. `--held-back`
takes the part that no detector was written against; look at its figures only. `--derivations`
judges derived numbers instead. Progress on standard error.
"""

import argparse
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from made_up import conflicts, conflicts_held_back, derivations, derivations_held_back
from made_up.cases import KINDS, Case

from streamguard.core.context import Context
from streamguard.core.result import GuardrailsResult
from streamguard.core.types import Finding
from streamguard.core.validate import check_text

CONFLICT_FLAGS = ("contradicted_claim", "citation_mismatch", "temporal_inconsistency")
BUDGET = 0.05  # false alarms at which recall is compared


@dataclass(frozen=True, slots=True)
class Seen:
    """What a sentence got: in three columns, and a risk in [0, 1] that ranks the rest."""

    contradicted: bool
    warned: bool
    risk: float


def read(path: Path, count: int | None) -> list[dict]:
    if not path.is_file():
        sys.exit(f"{path} is missing: give JSON lines with question, chunks, answer, labels")
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines][:count]


def told(items: Sequence, what: str) -> Iterator:
    """Yield the items, and say on standard error how far it went."""
    for number, item in enumerate(items, 1):
        if number % 50 == 0 or number == len(items):
            print(f"\r{number} of {len(items)} {what}", end="", file=sys.stderr, flush=True)
        yield item
    print(file=sys.stderr)


def check(answer: str, chunks: Sequence[str], question: str | None = None) -> GuardrailsResult:
    return check_text(answer, context=Context(query=question, chunks=chunks))


def seen_at(result: GuardrailsResult, start: int, end: int) -> Seen:
    """Return what the span got: findings that touch it, the risk of its weakest sentence."""
    touching = [f for f in result.findings if _touches(f, start, end)]
    sentences = [s for s in result.sentences if s.start < end and s.end > start]
    shares = [s.coverage if s.support is None else s.support for s in sentences]
    return Seen(
        any(f.flag in CONFLICT_FLAGS for f in touching),
        any(f.severity == "warning" for f in touching),
        max((1.0 - share for share in shares if share is not None), default=0.0),
    )


def _touches(finding: Finding, start: int, end: int) -> bool:
    return finding.start is None or (finding.start < end and (finding.end or 0) > start)


def shares(
    wrong: Sequence[Seen], clean: Sequence[Seen], threshold: float
) -> tuple[float, float, float, float, float, float]:
    """Return recall and false alarms: contradicted, warned, warned or riskier than `threshold`."""
    found = []
    for raised in (
        lambda s: s.contradicted,
        lambda s: s.warned,
        lambda s: s.warned or s.risk > threshold,
    ):
        found += [sum(map(raised, part)) / max(1, len(part)) for part in (wrong, clean)]
    return tuple(found)


def risk_threshold(clean: Sequence[Seen]) -> float:
    """Return the lowest risk above which, warnings included, the budget is kept."""
    spare = int(BUDGET * len(clean)) - sum(s.warned for s in clean)
    risks = sorted((s.risk for s in clean if not s.warned), reverse=True)
    return 1.0 if spare <= 0 else risks[min(spare, len(risks) - 1)]


def judge_made_up(cases: Iterable[Case]) -> None:
    cases = list(cases)
    pairs = [
        (
            case,
            seen_at(check(case.answer, case.chunks), 0, len(case.answer)),
            seen_at(check(case.clean, case.chunks), 0, len(case.clean)),
        )
        for case in told(cases, "cases")
    ]
    threshold = risk_threshold([clean for _, _, clean in pairs])
    heading()
    rows = defaultdict(list)
    for case, wrong, clean in pairs:
        for name in (case.kind, f"  {case.made_from}:{case.kind}", "all"):
            rows[name].append((wrong, clean))
    by_kind = []
    for kind in KINDS:
        for name in (kind, f"  written:{kind}", f"  data:{kind}"):
            if rows[name]:
                figures = shares(*map(list, zip(*rows[name], strict=True)), threshold)
                line(name.split(":")[0], len(rows[name]), figures)
        by_kind.append(shares(*map(list, zip(*rows[kind], strict=True)), threshold))
    line("all cases", len(cases), shares(*map(list, zip(*rows["all"], strict=True)), threshold))
    line(
        "mean of the kinds", len(KINDS), [sum(c) / len(by_kind) for c in zip(*by_kind, strict=True)]
    )


def judge_labelled(rows: Sequence[dict]) -> None:
    spans, clean, alarmed = [], [], []
    for row in told(rows, "answers"):
        result = check(row["answer"], row["chunks"], row["question"])
        if not row["hallucinated"]:
            here = [seen_at(result, s.start, s.end) for s in result.sentences]
            clean += here
            alarmed.append(here)
        spans += [
            (label["label_type"], seen_at(result, label["start"], label["end"]))
            for label in row["labels"]
            if "Conflict" in label["label_type"]
        ]
    threshold = risk_threshold(clean)
    heading("labelled spans; false alarms on sentences of clean answers")
    for kind in (*sorted({kind for kind, _ in spans}), ""):
        wrong = [seen for name, seen in spans if kind in name]
        line(kind or "both", len(wrong), shares(wrong, clean, threshold))
    for name, raised in (
        ("contradicted", lambda s: s.contradicted),
        ("any warning", lambda s: s.warned),
    ):
        share = sum(any(map(raised, here)) for here in alarmed) / max(1, len(alarmed))
        print(f"{share:.3f} of {len(alarmed)} clean answers hold a sentence with: {name}")


def heading(title: str = "made up; false alarms on the clean twins") -> None:
    print(f"\n{title}")
    print(f"{'':26}{'':>6}{'contradicted':>16}{'any warning':>16}{f'or risk, {BUDGET:.0%}':>16}")
    print(f"{'':26}{'cases':>6}" + f"{'recall':>9}{'alarms':>7}" * 3)


def line(name: str, count: int, figures: Sequence[float]) -> None:
    print(
        f"{name:26}{count:>6}"
        + "".join(f"{figure:>{9 if at % 2 == 0 else 7}.3f}" for at, figure in enumerate(figures))
    )


def judge_derivations(found: Iterable[derivations.Derivation]) -> None:
    accepted = defaultdict(list)
    for case in told(list(found), "derivations"):
        seen = seen_at(check(case.answer, case.chunks), case.start, case.end)
        for kind in (case.kind, "all"):
            accepted[kind, case.is_right].append(not seen.warned)
    print(f"{'accepted (no warning)':26}{'right':>16}{'wrong':>16}")
    for kind in (*sorted({kind for kind, _ in accepted} - {"all"}), "all"):
        cells = [accepted[kind, is_right] for is_right in (True, False)]
        text = "".join(f"{sum(c):>6} of {len(c):<3}{sum(c) / len(c):>4.2f}" for c in cells)
        print(f"{kind:26}{text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--held-back", action="store_true", help="the part held back")
    parser.add_argument("--derivations", action="store_true", help="derived numbers instead")
    parser.add_argument("--answers", type=int, help="only the first N answers of DATA")
    options = parser.parse_args()
    if options.derivations:
        part = derivations_held_back if options.held_back else derivations
        judge_derivations(part.derivations())
        return
    rows = read(options.data, options.answers) if options.data else []
    part = conflicts_held_back if options.held_back else conflicts
    judge_made_up(part.cases(rows))
    if rows and not options.held_back:
        judge_labelled(rows)


if __name__ == "__main__":
    main()
