"""Calibration by what people said: a sample that stands for all, and too little refused."""

import random
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError
from streamguard.evaluation.budget import FalseAlarmBudget
from streamguard.evaluation.feedback_sample import (
    Agreement,
    Change,
    Marked,
    changes,
    representative,
)
from streamguard.evaluation.thresholds import calibrate
from streamguard.settings import load_policy
from streamguard.sinks.sql.records import About, FeedbackRecord, Record
from tests.kit.commands import _here, run  # noqa: F401 -- a fixture of every test
from tests.kit.kept_results import fill
from tests.kit.tables import differing

PASSAGE = "The desk is open on Monday. The shop sells bread. The bus leaves the station."
ANSWER = (
    "The desk is open on Monday. The shop sells bread. The bus leaves the station. The library"
    " lends tools. The museum shows coins. The garden needs water."
)
TEMPLATE = check_text(ANSWER, context=Context(query="What is open?", chunks=[PASSAGE]))
POLICY = Policy()


def made(rng, *, bad=False, shift=0.15):
    """Return a verdict whose scores are lower by `shift` than the thresholds were made for."""
    low = 0.35 if bad else 0.0
    draw = lambda: min(1.0, max(0.0, rng.betavariate(6, 2) - shift - low))  # noqa: E731
    sentences = tuple(replace(one, support=draw(), findings=()) for one in TEMPLATE.sentences)
    scores = replace(
        TEMPLATE.scores,
        groundedness=draw(),
        relevance=rng.betavariate(3, 6) * (1 - 3 * shift),
        completeness=draw(),
        hallucination=1.0 - draw(),
    )
    warned = min(one.support for one in sentences) < POLICY.min_support
    refused = scores.groundedness < POLICY.min_groundedness
    status = "REFUSE" if refused else "WARN" if warned else "PASS"
    update = {"sentences": sentences, "scores": scores, "status": status, "findings": ()}
    return TEMPLATE.model_copy(update=update)


# ------------------------------------------------------------------ marks as labels


def label(*marks):
    one = Marked("a", TEMPLATE, marks).judged()
    return one.row.hallucinated, dict(one.row.sentences)


def test_marks_are_labels():
    rows = [
        ([], (None, {})),
        ([("up", None)], (False, {})),
        ([("down", None)], (True, {})),
        ([("was_supported", None)], (False, {})),
        ([("up", None), ("down", None)], (True, {})),  # changed their mind
        ([("refusal_wrong", None)], (None, {})),
        ([("was_supported", 1)], (None, {1: False})),
        ([("up", None), ("down", 2)], (True, {2: True})),
        ([("down", 2), ("up", 2)], (None, {2: False})),
        ([("down", 99)], (None, {})),  # of no sentence that is there
    ]
    assert differing(rows, lambda marks: label(*marks)) == []


def test_a_kind_of_answers_that_nobody_marked_is_named_unless_it_is_rare():
    def marked(status, **more):
        one = TEMPLATE.model_copy(update={"status": status})
        return [Marked(str(n), one, [("up", None)], **more) for n in range(5)]

    counted = {"PASS": 5, "WARN": 4, "REFUSE": 1, "none": 90}
    for status, kind in (("PASS", "with"), ("WARN", "without")):
        said = f"no answer {kind} a warning has been marked as right or wrong, and 50% of all"
        with pytest.raises(ConfigError, match=said):
            representative(marked(status), counted)
    assert len(representative(marked("PASS"), {"PASS": 1_000, "WARN": 1}).judged) == 5
    assert representative([], {}).judged == []
    # Answers to one question are one observation.
    assert representative(marked("PASS", question="desk open"), {"PASS": 5}).questions == 1


def test_what_a_check_would_say_is_counted_by_what_people_said():
    context = Context(query="?", chunks=["The plan costs $10 a month. It has one seat."])
    result = check_text("The plan has one seat. It costs $15 a month.", context=context)
    at = 1
    checks = {
        result.findings[n].check
        for n in result.sentences[at].findings
        if result.findings[n].severity == "warning"
    }
    judged = [Marked("a", result, [("was_supported", at)]).judged()]
    before = Agreement(right=1)
    assert changes(judged, {}) == [Change(check, before, before) for check in sorted(checks)]
    assert checks
    rules = {check: {"from": 1.01, "below": 0.0} for check in checks}
    gone = [Change(check, before, Agreement()) for check in sorted(checks)]
    assert changes(judged, rules) == gone
    wrong = [Marked("a", result, [("down", at)]).judged()]
    assert changes(wrong, {})[0].before == Agreement(wrong=1)
    assert changes([Marked("a", result, []).judged()], {}) == []


def test_doubts_are_told_and_warned_of_within_their_budgets():
    doubts = [0.5 + 0.4 * number / 100 for number in range(100)]

    def judged(number, claims):
        one = TEMPLATE.sentences[0]
        first = replace(one, doubt=doubts[number], is_claim=True, end=one.start + POLICY.few_chars)
        sentences = (first, replace(one, doubt=0.1))
        update = {"sentences": sentences, "total_claims": claims, "status": "PASS"}
        return Marked(str(number), TEMPLATE.model_copy(update=update), [("up", None)]).judged()

    def new(claims):
        answers = [judged(number, claims) for number in range(100)]
        found = calibrate(answers, POLICY, FalseAlarmBudget(0.1))
        return {one.threshold.setting: one.value for one in found}

    short, long = new(2), new(POLICY.few_claims + 1)
    assert abs(short["doubt_from"] - sorted(doubts)[-10]) < 0.01
    assert abs(short["wrong_from"] - sorted(doubts)[-20]) < 0.01  # of 200 sentences
    assert "doubt_from" not in long  # of longer answers nothing is known of it
    assert long["wrong_from"] == short["wrong_from"]


# ------------------------------------------------------------------ the command


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path}/results.db"


def kept(url, sizes, seed=3):
    """Write answers of collections and what people say of them."""
    rng, records, marks = random.Random(seed), [], []
    for collection, size in sizes.items():
        for _ in range(size):
            bad = rng.random() < 0.2
            name = f"{len(records):032x}"
            annotation = Annotation(id=name, state="complete", result=made(rng, bad=bad))
            body = zlib.compress(annotation.to_json().encode())
            records.append(Record(About(collection=collection, keywords=(name,)), body))
            marks.append(FeedbackRecord(name, "down" if bad else "up"))
    skipped = Annotation(id="f" * 32, state="skipped")
    records.append(Record(About(), zlib.compress(skipped.to_json().encode())))
    fill(url, records, [*marks, FeedbackRecord(skipped.id, "up"), FeedbackRecord("e" * 32, "up")])


def test_a_policy_is_proposed_with_its_change_and_the_data_behind_it(capsys, database):
    kept(database, {"handbook": 150})
    flags = ["--from-results", database, "--max-false-alarm", 0.1, "--output", "policy.toml"]
    status, out, err = run(capsys, "calibrate", *flags)
    assert (status, err) == (0, "")
    policy = load_policy("policy.toml").policy
    assert policy.min_support < POLICY.min_support
    text = Path("policy.toml").read_text()
    assert "# 150 marked answers, of which 150 stand for all answers:" in text
    assert "to 1" in text  # so many questions
    assert database not in text
    row = next(line for line in out.splitlines() if line.startswith("min_support"))
    _, now, new, clean_now, clean_new, *_ = row.split()
    assert float(now) == POLICY.min_support
    assert float(new) == policy.min_support
    assert float(clean_now) > 0.1 >= float(clean_new)


def test_each_collection_with_enough_gets_a_file_of_its_own(capsys, database):
    kept(database, {"hand/book": 120, "hand book": 120, "few": 10})
    flags = ["--from-results", database, "--max-false-alarm", 0.1, "--output", "policy.toml"]
    status, out, _ = run(capsys, "calibrate", *flags, "--per-collection")
    assert status == 0
    own = list(Path().glob("policy.hand_book-*.toml"))
    assert len(own) == 2  # no two collections share one
    assert all(load_policy(str(file)).policy.min_support < POLICY.min_support for file in own)
    assert not Path("policy.few.toml").exists()
    assert "collection few: of 10 answers that people marked" in out
    status, _, err = run(capsys, "calibrate", *flags, "--collection", "few")
    assert status == 2
    assert "are too few for a false alarm rate of 0.05: at least 19 questions are needed" in err


def test_what_cannot_be_done_is_told(capsys, database):
    kept(database, {})
    of_results = f"--from-results {database}"
    for flags, message in (
        (f"{of_results} --per-collection", "name the first by --output"),
        (f"{of_results} x.jsonl", "either LABELLED or --from-results"),
        ("", "either LABELLED or --from-results"),
        ("x.jsonl --collection a", "--collection is for --from-results"),
        ("x.jsonl --per-collection", "--per-collection is for --from-results"),
        (f"{of_results} --verifier x:y", "--verifier is for LABELLED"),
        ("--from-results mysql://r", "is no database of ours"),
        ("--from-results sqlite:///nowhere.db", "'nowhere.db', which is not there"),
        (of_results, "nobody has marked an answer: clean answers to 0 questions are too few"),
        (f"{of_results} --collection x", "is 'x', the results have none that has a name"),
        (f"{of_results} --output .", "--output is '.', expected a file in a folder that is"),
    ):
        status, out, err = run(capsys, "calibrate", "--max-false-alarm", 0.05, *flags.split())
        assert (status, out) == (2, "")
        assert message in err
