"""Recorded words of a capable model on pairs of answers: what they make of right and wrong ones.

The pairs were chosen: the checks alone flag most of the right answers and miss most of the wrong.
"""

import json
from pathlib import Path

import pytest
from recorded_judge import RecordedJudge

from streamguard import Context, check_text
from streamguard.verify.judge import judge_by

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/judged_pairs.jsonl").read_text().splitlines()
]
# "The bill of 1 November", from "the first of the following month" and a question about October.
UNQUOTED = "a-03b"


def result_of(pair, answer, *, is_judged):
    context = Context(query=pair["question"], chunks=pair["chunks"])
    replies = RecordedJudge(answer, [chunk["text"] for chunk in pair["chunks"]])
    verifiers = [judge_by(replies.post, "recorded")] if is_judged else []
    result = check_text(answer["answer"], context=context, verifiers=verifiers)
    assert not replies.unknown
    return result


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["name"] for pair in PAIRS])
def test_a_judge_finds_the_wrong_answer_of_a_pair_and_lets_the_right_one_pass(pair):
    right, wrong = (result_of(pair, each, is_judged=True) for each in pair["answers"])
    assert wrong.status in ("WARN", "REFUSE")
    assert right.scores.doubt < wrong.scores.doubt
    if pair["name"] != UNQUOTED:
        assert right.status == "PASS"
        assert all(finding.severity == "info" for finding in right.findings)
        read = sum(sentence.judged == "supported" for sentence in right.sentences)
        assert right.supported_claims == read


def test_the_checks_alone_flag_right_answers_and_miss_wrong_ones():
    fast = [
        (answer["is_wrong"], result_of(pair, answer, is_judged=False).status != "PASS")
        for pair in PAIRS
        for answer in pair["answers"]
    ]
    assert sum(raised for is_wrong, raised in fast if not is_wrong) >= 3
    assert sum(not raised for is_wrong, raised in fast if is_wrong) >= 3
