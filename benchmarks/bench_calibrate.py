"""Whether calibrated thresholds keep their budget on clean answers to other questions.

    python benchmarks/bench_calibrate.py DATA [--max-false-alarm 0.1] [--splits 200]

DATA is JSON lines (.gz allowed), as `streamguard eval` reads it. Questions are halved at random,
thresholds found on one half and counted on the other. Each question weighs the same.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence

from streamguard.commands.labelled import judge, read_labelled
from streamguard.core.model.policy import Policy
from streamguard.evaluation.budget import FalseAlarmBudget, Observed, lowest_allowed
from streamguard.evaluation.thresholds import THRESHOLDS

CONFIDENCE = 0.95


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--max-false-alarm", type=float, default=0.1)
    parser.add_argument("--splits", type=int, default=200)
    options = parser.parse_args()
    rows = [row for row in read_labelled(options.data) if row.hallucinated is False]
    judged, _ = judge(rows, Policy())
    groups = sorted({row.group for row in rows})
    rng = random.Random(0)
    halves = [set(rng.sample(groups, len(groups) // 2)) for _ in range(options.splits)]
    budgets = [FalseAlarmBudget(options.max_false_alarm, sure) for sure in (None, CONFIDENCE)]
    print(f"{len(rows)} clean answers to {len(groups)} questions, {len(halves)} random halves;")
    print(f"false alarms on the other half, budget {options.max_false_alarm:g}")
    print(f"{'':32}{'on average':>24}{f'confidence {CONFIDENCE:g}':>24}")
    print(f"{'':32}" + f"{'mean':>12}{'over it':>12}" * 2)
    for one in THRESHOLDS:
        observed = [
            Observed(score, each.row.group)
            for each in judged
            for score in one.scores_of(each.result, Policy())
        ]
        cells = "".join(
            map(cell, (alarms(observed, halves, budget) for budget in budgets), budgets)
        )
        print(f"{one.setting:32}{cells}")


def alarms(
    observed: Sequence[Observed], halves: Iterable[set[str]], budget: FalseAlarmBudget
) -> list[float]:
    """Return, for each half, the share that its threshold raises of the other half."""
    found = []
    for half in halves:
        threshold = lowest_allowed([one for one in observed if one.group in half], budget)
        raised = defaultdict(list)
        for one in observed:
            if one.group not in half:
                raised[one.group].append(one.score < threshold)
        found.append(sum(sum(group) / len(group) for group in raised.values()) / len(raised))
    return found


def cell(found: Sequence[float], budget: FalseAlarmBudget) -> str:
    over = sum(share > budget.share for share in found) / len(found)
    return f"{sum(found) / len(found):>12.3f}{over:>12.3f}"


if __name__ == "__main__":
    main()
