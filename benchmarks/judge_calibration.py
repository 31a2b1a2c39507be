"""Fit the calibration that is shipped for judges (`JUDGE` of core/verdict/weighing).

    python benchmarks/judge_calibration.py DATA

DATA is a folder with `everyday_dev.jsonl` and `judge_dev.jsonl`. Prints the weights that all of the
recorded answers give, and how answers are judged by weights that were fitted without their fold:
what is found, what is flagged, and the AUROC of `scores.doubt`.
"""

import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from recorded_judge import RecordedJudge
from scores.answers import context_of

from streamguard.core.model.policy import Calibration, Policy
from streamguard.core.model.result import GuardrailsResult
from streamguard.core.model.types import Verdict
from streamguard.core.support.model import soft_maximum
from streamguard.core.verdict.judges import is_believed
from streamguard.core.verdict.weighing import JUDGE, WEIGHTS, combined, figures
from streamguard.evaluation.logistic import fitted
from streamguard.evaluation.scored import Scored, auroc, ranked
from streamguard.finished import check_text
from streamguard.verify.judge import judge_by

# Of `not_mentioned` there are too few for a weight of its own; what our scores say of the sentence
# was fitted on these answers, too.
FITTED = ("warned", "supported", "contradicted", "confidence")
PRIOR = 0.3  # of wrong answers, as for `scores.groundedness`; of those here it is half
SILENT = Policy(deciding_verifiers=())


@dataclass(frozen=True)
class Heard:
    """An answer, what the recorded judge says of it, and the result without its say."""

    row: dict
    recorded: dict
    result: GuardrailsResult

    def words(self) -> Iterator[tuple[tuple[float, ...], Verdict, int]]:
        """Yield of each judged claim all figures, the verdict and its sentence's number."""
        for number, report in enumerate(self.result.sentences):
            for one in report.opinions:
                fields = {"word": one.word, "confidence": one.confidence}
                verdict = Verdict(**fields, quotations=one.quotations)
                if is_believed(verdict):
                    yield figures(report, self.result.findings, verdict), verdict, number

    def is_right(self, number: int) -> bool:
        """Say whether the sentence of that number holds no part of the error."""
        span, report = self.row["error_span"], self.result.sentences[number]
        return not span or not (report.start < max(span[1], span[0] + 1) and span[0] < report.end)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = Path(sys.argv[1])
    rows = {row["id"]: row for row in _lines(data / "everyday_dev.jsonl")}
    known = [(rows[one["answer_id"]], one) for one in _lines(data / "judge_dev.jsonl")]
    heard = [Heard(row, one, hear(row, one, SILENT)) for row, one in known]
    fit = calibration(heard)
    print("fitted on all:", {name: getattr(fit, name) for name in Calibration.model_fields})
    folds = sorted({one.row["fold"] for one in heard})
    by_fold = {
        fold: calibration([one for one in heard if one.row["fold"] != fold]) for fold in folds
    }
    report("out of fold", heard, [by_fold[one.row["fold"]] for one in heard])
    report("as shipped", heard, [JUDGE] * len(heard))


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def hear(row: dict, recorded: dict, policy: Policy) -> GuardrailsResult:
    """Return an answer's result with the recorded judge's words."""
    replies = RecordedJudge(recorded, [chunk["text"] for chunk in row["chunks"]])
    reader = judge_by(replies.post, "recorded")
    return check_text(row["answer"], context=context_of(row), policy=policy, verifiers=[reader])


def calibration(heard: Sequence[Heard]) -> Calibration:
    """Return the weights that make what is right in these answers likeliest."""
    places = [WEIGHTS.index(name) for name in FITTED]
    said = [(all_, one.is_right(number)) for one in heard for all_, _, number in one.words()]
    weights = fitted([[all_[at] for at in places] for all_, _ in said], [ok for _, ok in said])
    named = dict(zip(("intercept", *FITTED), (round(one, 2) for one in weights), strict=True))
    half = Calibration(**dict.fromkeys(Calibration.model_fields, 0.0) | named)
    soft, wrong = [], []
    for one in heard:
        if supports := [
            combined(one.result.sentences[number], one.result.findings, [(verdict, half)])
            for _, verdict, number in one.words()
        ]:
            soft.append([soft_maximum(supports)])
            wrong.append(one.row["label"] == "error")
    intercept, slope = fitted(soft, wrong)
    shift = math.log(PRIOR / (1 - PRIOR)) - math.log(sum(wrong) / (len(wrong) - sum(wrong)))
    line = {"answer_intercept": round(intercept + shift, 2), "answer_slope": round(slope, 2)}
    return half.model_copy(update=line)


def report(name: str, heard: Sequence[Heard], calibrations: Sequence[Calibration]) -> None:
    """Print what answers come to by their calibrations."""
    items, found, flagged = Scored(), [], []
    for number, (one, calibration) in enumerate(zip(heard, calibrations, strict=True)):
        result = hear(one.row, one.recorded, Policy(verifiers={_name(one): calibration}))
        is_wrong = one.row["label"] == "error"
        items.add(result.scores.doubt or 0.0, float(is_wrong), float(not is_wrong), number, 0)
        (found if is_wrong else flagged).append(result.status != "PASS")
    area = auroc(ranked(items))
    print(
        f"{name}: found {sum(found)} of {len(found)}, flagged {sum(flagged)} of {len(flagged)},"
        f" answer AUROC {area:.3f}"
    )


def _name(one: Heard) -> str:
    names = {opinion.verifier for report in one.result.sentences for opinion in report.opinions}
    return names.pop() if names else "none"


if __name__ == "__main__":
    main()
