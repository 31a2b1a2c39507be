"""The weights of a judge's word, fitted on recorded ones; judged without the fold."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recorded_judge import RecordedJudge

from scores.answers import context_of
from streamguard.core.fast.model import soft_maximum
from streamguard.core.model.policy import Calibration, Policy
from streamguard.core.model.result import GuardrailsResult
from streamguard.core.model.types import Verdict
from streamguard.core.verdict.judges import is_believed
from streamguard.core.verdict.weighing import WEIGHTS, combined, figures
from streamguard.evaluation.logistic import fitted
from streamguard.finished import check_text
from streamguard.verify.judge import judge_by
from streamguard.verify.judge_prompt import VERSION

MODEL = "recorded"
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


def replayed(row: dict, recorded: dict, policy: Policy) -> tuple[GuardrailsResult, int]:
    """Return an answer's result with the recorded words, and of how many claims there is none."""
    replies = RecordedJudge(recorded, [chunk["text"] for chunk in row["chunks"]])
    reader = judge_by(replies.post, MODEL)
    context = context_of(row)
    result = check_text(row["answer"], context=context, policy=policy, verifiers=[reader])
    return result, len(replies.unknown)


def heard(answers: Sequence[dict], recorded: Sequence[dict]) -> list[Heard]:
    """Return the answers that were recorded, with what the judge says of them."""
    rows = {row["id"]: row for row in answers}
    known = [(rows[one["answer_id"]], one) for one in recorded if one["answer_id"] in rows]
    return [Heard(row, one, replayed(row, one, SILENT)[0]) for row, one in known]


def out_of_fold(answers: Sequence[Heard]) -> dict[int, Calibration]:
    """Return a calibration for each fold, fitted on the others; none where there is one alone."""
    folds = sorted({one.row["fold"] for one in answers})
    others = {fold: [one for one in answers if one.row["fold"] != fold] for fold in folds}
    return {fold: calibration(rest) for fold, rest in others.items() if rest}


def named(own: Calibration) -> Policy:
    """Return the policy by which the recorded judge is weighed so."""
    return Policy(verifiers={f"judge {MODEL} v{VERSION}": own})


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
