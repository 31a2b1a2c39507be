"""Figures of the recorded judge of judge_dev: what its word changes in everyday answers."""

import importlib.util
from collections.abc import Sequence

import numpy as np
from recorded_judge import RecordedJudge

from scores import everyday
from scores.answers import Judged, context_of, judge
from scores.exercises import share
from scores.folds import FOLDS, without_fold
from scores.numbers import Drawn
from streamguard.core.model.policy import Policy
from streamguard.finished import check_text
from streamguard.verify.judge import judge_by

Rows = list[tuple[str, str]]
# Whether the code that is measured weighs a judge's word.
WEIGHS = importlib.util.find_spec("streamguard.core.verdict.weighing") is not None


def measure(answers: Sequence[dict], recorded: Sequence[dict]) -> Rows:
    """Return the rows about the answers that were recorded."""
    by_id = {row["id"]: row for row in answers}
    known = [one for one in recorded if one["answer_id"] in by_id]
    fast: list[Judged] = []
    heard: list[Judged] = []
    unknown = 0
    policies = _policies(answers, known) if WEIGHS else {}
    for fold in range(FOLDS):
        with without_fold(fold):
            for one in [one for one in known if by_id[one["answer_id"]]["fold"] == fold]:
                row = by_id[one["answer_id"]]
                result, missed = hear(row, one, policies.get(fold))
                fast.append(judge(row))
                heard.append(result)
                unknown += missed
    return figures(fast, heard, unknown)


def _policies(answers: Sequence[dict], known: Sequence[dict]) -> dict[int, Policy]:
    """Return for each fold a policy whose weights of the judge's word were fitted without it."""
    from scores import judge_weights

    heard = judge_weights.heard(answers, known)
    by_fold = judge_weights.out_of_fold(heard)
    return {fold: judge_weights.named(own) for fold, own in by_fold.items()}


def hear(row: dict, recorded: dict, policy: Policy | None = None) -> tuple[Judged, int]:
    """Return an answer's result with the judge's word, and of how many claims it has none."""
    replies = RecordedJudge(recorded, [chunk["text"] for chunk in row["chunks"]])
    reader = judge_by(replies.post, "recorded")
    context = context_of(row)
    result = check_text(row["answer"], context=context, policy=policy, verifiers=[reader])
    return Judged(row, result), len(replies.unknown)


def figures(fast: Sequence[Judged], heard: Sequence[Judged], unknown: int) -> Rows:
    """Return the rows of the same answers without and with the judge."""
    wrong = np.array([one.is_wrong for one in heard])
    cleared = [
        not after.raised
        for before, after in zip(fast, heard, strict=True)
        if before.raised and not before.is_wrong
    ]
    word = [_own_word(one) for one in heard]
    drawn = Drawn.of([one.row["context"] for one in heard])
    return [
        *((f"fast verdict: {name}", told) for name, told in everyday.figures(fast)),
        *((f"with the judge: {name}", told) for name, told in everyday.figures(heard)),
        ("the judge's own word: answer AUROC", drawn.auroc(word, wrong)),
        ("right answers flagged by the fast verdict: PASS with the judge", share(cleared)),
        ("sentences that were asked about and not recorded", str(unknown)),
    ]


def _own_word(one: Judged) -> float:
    """Return 1 - the least support that the judge gives a sentence, 0.5 where it gives none."""
    given = [
        opinion.support
        for sentence in one.result.sentences
        for opinion in sentence.opinions
        if opinion.support is not None
    ]
    return 1 - min(given, default=0.5)
