"""Fit the calibration that is shipped for judges (`JUDGE` of core/verdict/weighing).

    python benchmarks/judge_calibration.py DATA

DATA is a folder with `everyday_dev.jsonl` and `judge_dev.jsonl`. Prints the weights that all of the
recorded answers give, and how answers are judged by weights that were fitted without their fold:
what is found, what is flagged, and the AUROC of `scores.doubt`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from scores.answers import read
from scores.judge_weights import Heard, calibration, heard, named, out_of_fold, replayed

from streamguard.core.model.policy import Calibration
from streamguard.core.verdict.weighing import JUDGE
from streamguard.evaluation.scored_items import Scored, auroc, ranked


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = Path(sys.argv[1])
    answers = heard(read(data / "everyday_dev.jsonl"), read(data / "judge_dev.jsonl"))
    fit = calibration(answers)
    print("fitted on all:", {name: getattr(fit, name) for name in Calibration.model_fields})
    by_fold = out_of_fold(answers)
    report("out of fold", answers, [by_fold[one.row["fold"]] for one in answers])
    report("as shipped", answers, [JUDGE] * len(answers))


def report(name: str, answers: Sequence[Heard], calibrations: Sequence[Calibration]) -> None:
    """Print what answers come to by their calibrations."""
    items, found, flagged = Scored(), [], []
    for number, (one, own) in enumerate(zip(answers, calibrations, strict=True)):
        result, _ = replayed(one.row, one.recorded, named(own))
        is_wrong = one.row["label"] == "error"
        items.add(result.scores.doubt or 0.0, float(is_wrong), float(not is_wrong), number, 0)
        (found if is_wrong else flagged).append(result.status != "PASS")
    area = auroc(ranked(items))
    print(
        f"{name}: found {sum(found)} of {len(found)}, flagged {sum(flagged)} of {len(flagged)},"
        f" answer AUROC {area:.3f}"
    )


if __name__ == "__main__":
    main()
