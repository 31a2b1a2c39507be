"""Thresholds by a budget of false alarms: the arithmetic, the promise, the policy file."""

import json
import math
import random
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.cli import main
from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.evaluation.budget import Budget, Observed, lowest_allowed
from streamguard.evaluation.labelled import Judged, Labelled
from streamguard.evaluation.thresholds import THRESHOLDS, calibrate
from streamguard.settings import VARIABLES, load_policy


@pytest.fixture(autouse=True)
def _here(monkeypatch, tmp_path):
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


def alone(scores):
    """Return observations, each a group of its own."""
    return [Observed(score, str(at)) for at, score in enumerate(scores)]


# --- the arithmetic


@pytest.mark.parametrize(
    ("budget", "needed"),
    [
        (Budget(0.05), 19),  # 1 / 0.05 - 1
        (Budget(0.1), 9),
        (Budget(0.3), 3),
        (Budget(0.05, 0.95), 59),  # ln 0.05 / ln 0.95 = 58.4
        (Budget(0.1, 0.9), 22),  # ln 0.1 / ln 0.9 = 21.9
        (Budget(0.05).split(2), 39),
        (Budget(0.1, 0.9).split(2), 59),  # ln 0.05 / ln 0.95
        (Budget(0.06).split(3), 49),
    ],
)
def test_the_groups_needed_are_those_that_allow_the_lowest_score(budget, needed):
    assert budget.groups_needed == needed
    assert lowest_allowed(alone(range(needed)), budget) == 0
    with pytest.raises(ConfigError, match=f"{needed - 1} questions .* at least {needed} questions"):
        lowest_allowed(alone(range(needed - 1)), budget)


@pytest.mark.parametrize(
    ("count", "budget", "expected"),
    [
        # The order statistic floor(0.1 * (99 + 1)): nine of 99 scores, 0 to 8, lie below 9.
        (99, Budget(0.1), 9),
        (19, Budget(0.05), 0),
        (39, Budget(0.05), 1),
        # The tolerance tables' number: of 93 the second lowest bounds 5 % with 95 % confidence.
        (93, Budget(0.05, 0.95), 1),
        (92, Budget(0.05, 0.95), 0),
    ],
)
def test_the_threshold_is_an_order_statistic(count, budget, expected):
    assert lowest_allowed(alone(range(count)), budget) == expected


def test_answers_of_one_group_count_as_one():
    many = [Observed(0.1, "same") for _ in range(1000)] + alone(range(1, 19))
    assert lowest_allowed(many, Budget(0.1)) == 1  # one group of 19 lies below


def test_with_a_confidence_the_item_of_a_group_is_not_always_its_first():
    observed = [
        Observed(score, str(group)) for group in range(200) for score in (1.0 + group, -1.0 - group)
    ]
    # First ones alone would put the threshold among the positive scores.
    assert lowest_allowed(observed, Budget(0.1, 0.9)) < 0


def test_scores_that_are_equal_stay_together():
    assert lowest_allowed(alone([0.2] * 30 + [0.5] * 30), Budget(0.4)) == 0.2


def test_a_budget_for_everything_has_no_bound():
    assert lowest_allowed(alone([0.5, 0.5, 0.5]), Budget(1.0)) == math.inf


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30)), min_size=1, max_size=80),
    st.sampled_from([0.05, 0.1, 0.3, 0.5]),
)
def test_no_more_than_the_budget_lies_below_and_the_next_score_would_be_too_much(pairs, share):
    observed = [Observed(float(score), str(group)) for score, group in pairs]
    groups = {one.group for one in observed}
    if len(groups) < Budget(share).groups_needed:
        return
    found = lowest_allowed(observed, Budget(share))

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


def shares_of_new_answers(budget, *, trials=300, groups=60):
    """Calibrate on drawn groups of alike answers, and return what new ones are raised at."""
    rng, raised = random.Random(5), []
    for _ in range(trials):
        observed = []
        for group in range(groups):
            level = rng.random()
            observed += [
                Observed(level + 0.1 * rng.random(), str(group)) for _ in range(rng.choice((1, 6)))
            ]
        threshold = lowest_allowed(observed, budget)
        new = [rng.random() + 0.1 * rng.random() for _ in range(400)]
        raised.append(sum(score < threshold for score in new) / len(new))
    return raised


def test_new_answers_keep_the_budget_on_average_and_come_near_it():
    raised = shares_of_new_answers(Budget(0.1))
    assert 0.08 < sum(raised) / len(raised) < 0.105


def test_new_answers_keep_the_budget_with_the_confidence_asked_for():
    raised = shares_of_new_answers(Budget(0.1, 0.9))
    # 0.03: what 400 new answers show of a share differs from it by chance.
    assert sum(share > 0.13 for share in raised) / len(raised) < 0.1


# --- the settings

CHUNKS = ["Basic costs $49 per month.", "Refunds are paid within 14 days of the purchase."]


def judged(answer, *, bad, group):
    context = Context(query="What does Basic cost?", chunks=CHUNKS)
    return Judged(Labelled(answer, context, bad, group=group), check_text(answer, context=context))


SUPPORTED = "Basic costs $49 per month. Refunds are paid within 14 days of the purchase."
INVENTED = (
    "Dragons guard the northern chamber. Owls deliver every parcel at night."
    " Wizards mend broken kettles quickly. Giants carry the heavier boxes upstairs."
)


def some(clean=60, bad=20):
    return [judged(SUPPORTED, bad=False, group=str(at)) for at in range(clean)] + [
        judged(INVENTED, bad=True, group=f"bad{at}") for at in range(bad)
    ]


# All but that of long answers: there are none among these.
SET = [one.setting for one in THRESHOLDS if one.setting != "min_groundedness"]


def test_every_setting_is_one_of_the_policy_and_gets_a_value_in_range():
    found = calibrate(some(), Policy(), Budget(0.1))
    assert [one.threshold.setting for one in found] == SET
    policy = Policy.load({one.threshold.setting: one.value for one in found})
    assert all(one.false_alarms <= 0.1 for one in found)
    assert policy.min_support > 0.5


def test_what_a_rule_raises_is_what_the_status_says():
    long = f"{SUPPORTED} {SUPPORTED} {SUPPORTED}"
    mixed = [judged(long, bad=False, group=str(at)) for at in range(80)]
    mixed += [judged(INVENTED, bad=at < 20, group=f"odd{at}") for at in range(22)]
    policy = Policy(few_claims=3)
    found = {one.threshold.setting: one for one in calibrate(mixed, policy, Budget(0.1))}
    one = found["min_groundedness"]
    policy = Policy(few_claims=3, min_groundedness=one.value)
    for label, share in ((False, one.false_alarms), (True, one.recall)):
        rows = [row for row in mixed if row.row.hallucinated is label]
        refused = [
            any(reason.code == "low_groundedness" for reason in result.reasons)
            for row in rows
            for result in [check_text(row.row.answer, context=row.row.context, policy=policy)]
        ]
        assert sum(refused) / len(rows) == pytest.approx(share)
    assert one.recall == 1.0


def test_the_groundedness_of_a_short_answer_raises_nothing():
    rows = [judged(INVENTED, bad=False, group=str(at)) for at in range(60)]
    found = {one.threshold.setting: one for one in calibrate(rows, Policy(), Budget(0.1))}
    assert "min_groundedness" not in found  # nothing is known of longer ones


def with_support(one, supports):
    """Return the judged answer as if its sentences had been given these supports."""
    sentences = tuple(
        replace(sentence, support=support)
        for sentence, support in zip(one.result.sentences, supports, strict=True)
    )
    return Judged(one.row, one.result.model_copy(update={"sentences": sentences}))


def test_a_sentence_without_support_is_left_out():
    rows = [
        with_support(judged(SUPPORTED, bad=False, group=str(at)), (0.3 + at / 100, None))
        for at in range(60)
    ]
    found = {one.threshold.setting: one.value for one in calibrate(rows, Policy(), Budget(0.1))}
    assert found["min_support"] == pytest.approx(0.35)  # the sixth lowest of 60


def test_an_answer_without_claims_raises_no_rule():
    rows = [judged("Hello!", bad=False, group=str(at)) for at in range(60)]
    for one in calibrate(rows, Policy(), Budget(0.1)):
        assert one.false_alarms == 0.0
        assert one.recall is None


# --- the command


def write(clean=60, bad=20, name="labelled.jsonl"):
    rows = [(SUPPORTED, False)] * clean + [(INVENTED, True)] * bad
    Path(name).write_text(
        "".join(
            json.dumps(
                {
                    "question": f"What does Basic cost? ({at})",
                    "chunks": CHUNKS,
                    "answer": answer,
                    "hallucinated": is_bad,
                }
            )
            + "\n"
            for at, (answer, is_bad) in enumerate(rows)
        )
    )
    return name


def run(capsys, *argv):
    status = main([str(argument) for argument in argv])
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_the_policy_file_is_read_back_with_every_threshold(capsys):
    argv = ("calibrate", write(), "--max-false-alarm", 0.1, "--output", "policy.toml")
    status, out, _ = run(capsys, *argv, "--policy", "lenient", "--set", 'allowed_names=["Ann Lee"]')
    assert status == 0
    assert "written: policy.toml" in out
    assert re.search(r"after, clean +0.000 +0.000 +0.000", out)
    assert re.search(r"after, bad +1.000 +1.000", out)
    loaded = load_policy("policy.toml")
    written = tomllib.loads(Path("policy.toml").read_text())
    assert written["preset"] == "lenient"
    for setting in SET:
        assert getattr(loaded.policy, setting) == written[setting]
        assert loaded.origins[setting] == "policy.toml"
    assert loaded.policy.max_uncovered_claims == 3
    assert loaded.policy.allowed_names == ("Ann Lee",)


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


def test_settings_of_a_policy_file_are_kept(capsys):
    Path("own.toml").write_text('preset = "strict"\ncollection_thresholds = {docs = 0.5}\n')
    _, out, _ = run(capsys, "calibrate", write(), "--max-false-alarm", 0.1, "--policy", "own.toml")
    Path("new.toml").write_text(out)
    loaded = load_policy("new.toml").policy
    assert loaded.collection_thresholds == {"docs": 0.5}
    assert loaded.max_uncovered_claims == 1
    assert loaded.refuse_on_no_citations is True


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--max-false-alarm", "5"), "--max-false-alarm is 5, expected more than 0 and less than"),
        (("--max-false-alarm", "0.1", "--confidence", "1"), "--confidence is 1, expected more"),
        (
            ("--max-false-alarm", "0.01"),
            "rate of 0.005: at least 199 questions are needed (a part of 0.01 for each of 2 rules)",
        ),
        (
            ("--max-false-alarm", "0.05", "--confidence", "0.95"),
            "0.025 with confidence 0.975: at least 146 questions are needed",
        ),
        (("--max-false-alarm", "0.01"), "60 clean answers to 60 questions are too"),
        (("--max-false-alarm", "0.1", "--policy", "literal"), "matching is 'literal'"),
        (("--max-false-alarm", "0.1", "--set", "validation_enabled=false"), "is false: nothing"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_numbers(capsys, flags, message):
    status, out, err = run(capsys, "calibrate", write(), *flags)
    assert status == 2
    assert out == ""
    assert message in err


def test_a_file_that_cannot_be_written_is_found_before_the_work(capsys):
    flags = ("--max-false-alarm", "0.1", "--output", "none/p.toml")
    status, _, err = run(capsys, "calibrate", "not-read.jsonl", *flags)
    assert status == 2
    assert "--output is 'none/p.toml', expected a file in a folder that is there" in err


def test_verdicts_of_feedback_are_not_checked_again(capsys):
    result = check_text(SUPPORTED, context=Context(query="Basic?", chunks=CHUNKS))
    with Path("feedback.jsonl").open("w") as lines:
        for at in range(40):
            annotation = {"id": str(at), "result": result.model_dump(mode="json")}
            lines.write(json.dumps({"id": str(at), "label": "up", "annotation": annotation}) + "\n")
    _, _, err = run(capsys, "calibrate", "feedback.jsonl", "--max-false-alarm", 0.1)
    assert "before, clean" in err
    assert "after" not in err
