"""Thresholds by a budget of false alarms: the arithmetic, the promise, the policy file."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.evaluation.budget import FalseAlarmBudget, Observed, lowest_allowed
from streamguard.evaluation.thresholds import THRESHOLDS
from streamguard.settings import load_policy
from tests.kit.commands import _here, run  # noqa: F401 -- a fixture of every test


def alone(scores):
    """Return observations, each a group of its own."""
    return [Observed(score, str(at)) for at, score in enumerate(scores)]


# --- the arithmetic


def test_the_groups_needed_are_those_that_allow_the_lowest_score():
    for budget, needed in (
        (FalseAlarmBudget(0.05), 19),  # 1 / 0.05 - 1
        (FalseAlarmBudget(0.3), 3),
        (FalseAlarmBudget(0.05, 0.95), 59),  # ln 0.05 / ln 0.95 = 58.4
        (FalseAlarmBudget(0.05).split(2), 39),
        (FalseAlarmBudget(0.1, 0.9).split(2), 59),  # ln 0.05 / ln 0.95
    ):
        assert budget.groups_needed == needed
        assert lowest_allowed(alone(range(needed)), budget) == 0
        with pytest.raises(ConfigError, match=f"{needed - 1} questions .* at least {needed} quest"):
            lowest_allowed(alone(range(needed - 1)), budget)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30)), min_size=1, max_size=80),
    st.sampled_from([0.05, 0.1, 0.3, 0.5]),
)
def test_no_more_than_the_budget_lies_below_and_the_next_score_would_be_too_much(pairs, share):
    observed = [Observed(float(score), str(group)) for score, group in pairs]
    groups = {one.group for one in observed}
    if len(groups) < FalseAlarmBudget(share).groups_needed:
        return
    found = lowest_allowed(observed, FalseAlarmBudget(share))

    def below(threshold):
        shares = []
        for group in groups:
            scores = [one.score for one in observed if one.group == group]
            shares.append(sum(score < threshold for score in scores) / len(scores))
        return (sum(shares) + 1) / (len(groups) + 1)

    assert below(found) <= share + 1e-9
    higher = [one.score for one in observed if one.score > found]
    if higher:
        assert below(min(higher)) > share - 1e-9


# --- the settings

CHUNKS = ["Basic costs $49 per month.", "Refunds are paid within 14 days of the purchase."]


SUPPORTED = "Basic costs $49 per month. Refunds are paid within 14 days of the purchase."
INVENTED = (
    "Dragons guard the northern chamber. Owls deliver every parcel at night."
    " Wizards mend broken kettles quickly. Giants carry the heavier boxes upstairs."
)


# All but that of long answers: there are none among these.
SET = [one.setting for one in THRESHOLDS if one.setting != "min_groundedness"]


# --- the command


def write(clean=60, bad=20, name="labelled.jsonl"):
    rows = [(SUPPORTED, False)] * clean + [(INVENTED, True)] * bad
    with Path(name).open("w") as lines:
        for at, (answer, is_bad) in enumerate(rows):
            row = {"question": f"What does Basic cost? ({at})", "chunks": CHUNKS}
            lines.write(json.dumps({**row, "answer": answer, "hallucinated": is_bad}) + "\n")
    return name


def test_the_policy_file_is_read_back_with_every_threshold(capsys):
    argv = ("calibrate", write(), "--max-false-alarm", 0.1, "--output", "policy.toml")
    Path("own.toml").write_text('preset = "lenient"\ncollection_thresholds = {docs = 0.5}\n')
    status, out, _ = run(
        capsys, *argv, "--policy", "own.toml", "--set", 'allowed_names=["Ann Lee"]'
    )
    assert status == 0
    assert "written: policy.toml" in out
    assert re.search(r"after, clean +0.000 +0.0\d\d +0.000", out)
    assert re.search(r"after, bad +1.000 +1.000", out)
    loaded = load_policy("policy.toml")
    written = tomllib.loads(Path("policy.toml").read_text())
    assert written["preset"] == "lenient"
    for setting in SET:
        assert getattr(loaded.policy, setting) == written[setting]
        assert loaded.origins[setting] == "policy.toml"
    assert loaded.policy.max_uncovered_claims == 3
    assert loaded.policy.allowed_names == ("Ann Lee",)
    assert loaded.policy.collection_thresholds == {"docs": 0.5}


def test_without_a_file_the_policy_goes_to_standard_output_alone(capsys):
    status, out, err = run(
        capsys, "calibrate", write(), "--max-false-alarm", 0.2, "--confidence", 0.9
    )
    assert status == 0
    assert out.startswith("# streamguard calibrate labelled.jsonl --max-false-alarm 0.2 --conf")
    assert "60 clean answers to 60 questions, 80 answers in all." in out
    assert "with confidence 0.9" in out
    assert set(tomllib.loads(out)) == {"preset", *SET}
    assert "before, clean" in err


def test_what_cannot_be_done_is_refused_with_the_numbers(capsys):
    few = "60 clean answers to 60 questions are too few for a false alarm rate of 0.005"
    needed = "at least 199 questions are needed (a part of 0.01 for each of 2 rules)"
    sure = "0.025 with confidence 0.975: at least 146 questions are needed"
    for flags, messages in (
        ("5", ["--max-false-alarm is 5, expected more than 0 and less than"]),
        ("0.1 --confidence 1", ["--confidence is 1, expected more"]),
        ("0.01", [few, needed]),
        ("0.05 --confidence 0.95", [sure]),
        ("0.1 --policy literal", ["matching is 'literal'"]),
        ("0.1 --set validation_enabled=false", ["is false: there is nothing to check"]),
        ("0.1 --output none/p.toml", ["'none/p.toml', expected a file in a folder that is there"]),
    ):
        status, out, err = run(capsys, "calibrate", write(), "--max-false-alarm", *flags.split())
        assert (status, out) == (2, "")
        for message in messages:
            assert message in err


def test_verdicts_of_feedback_are_not_checked_again(capsys):
    result = check_text(SUPPORTED, context=Context(query="Basic?", chunks=CHUNKS))
    with Path("feedback.jsonl").open("w") as lines:
        for at in range(40):
            annotation = {"id": str(at), "result": result.model_dump(mode="json")}
            lines.write(json.dumps({"id": str(at), "label": "up", "annotation": annotation}) + "\n")
    _, _, err = run(capsys, "calibrate", "feedback.jsonl", "--max-false-alarm", 0.1)
    assert "before, clean" in err
    assert "after" not in err
