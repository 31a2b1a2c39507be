"""What a verifier adds: fitted with our support, judged out of fold, written into a policy."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from streamguard import Policy, StreamGuard
from streamguard.core.context import Context
from streamguard.core.model.types import Quotation, Score
from streamguard.errors import ConfigError
from streamguard.evaluation.labels import Judged, Labelled
from streamguard.evaluation.verifying import calibration_of, compared, compared_table
from streamguard.finished import check_text
from streamguard.settings import load_policy
from tests.kit import judges
from tests.kit.commands import _here, run  # noqa: F401 -- a fixture of every test
from tests.kit.judges import coin, right

CHUNK = "The archive keeps letters, maps and plans of the harbour for all who ask."


def answers(count=40):
    """Yield clean and bad answers that only `right` can tell apart: odd rooms are wrong."""
    for at in range(count):
        for room in (2 * at, 2 * at + 1):
            first = f"The archive, room {room}, keeps letters for all who ask."
            answer = f"{first} It also keeps plans of the harbour, shelf {at}."
            labels = [{"start": 0, "end": len(first)}] if room % 2 else []
            yield {"question": "What is kept?", "chunks": [CHUNK], "answer": answer,
                   "labels": labels, "source_id": str(at), "fold": at % 5}  # fmt: skip


def write(rows, name="answers.jsonl"):
    Path(name).write_text("\n".join(map(json.dumps, rows)) + "\n")
    return name


def judged(ask, rows, **more):
    found = []
    for row in rows:
        context = Context(chunks=row["chunks"])
        spans = tuple((one["start"], one["end"]) for one in row["labels"])
        labelled = Labelled(
            row["answer"], context, bool(spans), spans, group=row["source_id"], fold=row["fold"]
        )
        result = check_text(row["answer"], context=context, verifiers=[ask])
        found.append(Judged(labelled, result))
    return found


@pytest.mark.slow
def test_a_good_reader_helps_and_a_coin_does_not():
    rows = list(answers())
    good, bad = (compared(judged(ask, rows), ask.__name__)[-1] for ask in (right, coin))
    assert good.helps
    assert good.answers.value > 0.8
    assert good.answers_gain.interval[0] > 0.1
    assert not bad.helps
    assert bad.answers_gain.interval[0] <= 0
    table = compared_table(compared(judged(right, rows[:60]), "right", count=0))
    assert "right and ours, out of fold" in table
    assert "[" not in table.rsplit("\n", 1)[0]


def test_fitting_needs_labels_of_both_kinds_and_takes_the_only_claim_of_a_bad_answer_for_bad():
    rows = [row for row in answers(12) if not row["labels"]]
    with pytest.raises(ConfigError, match="a word on 24 clean and 0 bad labelled claims"):
        calibration_of(judged(right, rows), "right")
    rows = []
    for room in range(50):
        answer = f"The archive, room {room}, keeps letters for all who ask."
        result = check_text(answer, context=Context(chunks=[CHUNK]), verifiers=[right])
        labelled = Labelled(answer, Context(chunks=[CHUNK]), room % 2 == 1, group=str(room))
        rows.append(Judged(labelled, result))
    assert calibration_of(rows, "right").support > 0.1


@pytest.mark.slow
def test_eval_shows_what_a_verifier_adds_and_on_how_many_answers_it_failed(capsys):
    data, spec = write(answers()), ["--verifier", "python:tests.kit.judges:right"]
    status, out, _ = run(capsys, "eval", data, *spec, "--resamples", 5)
    assert status == 0
    assert "verifier right\nAUROC" in out
    assert "right alone" in out
    assert "with, by the policy" not in out  # it decides nothing yet
    spec.append("--json=-")
    status, out, _ = run(capsys, "eval", data, *spec, "--resamples", 5)
    names = "ours, calibrated out of fold|ours as it is|right alone|right and ours, out of fold"
    assert [row["name"] for row in json.loads(out)["verifiers"]["right"]] == names.split("|")
    spec = ["--verifier", "python:tests.kit.judges:stumbling", "--resamples", 5]
    status, out, _ = run(capsys, "eval", data, *spec)
    assert status == 0
    said = "It failed on 1 of 80 answers, which count without it: UpstreamError (the judge's"
    assert said in out


@pytest.mark.parametrize(("name", "answer"), [("dead", "5"), ("dying", "1[5-9]|2[0-5]")])
@pytest.mark.parametrize("command", [["eval"], ["calibrate", "--max-false-alarm", "0.2"]])
def test_a_verifier_that_is_gone_ends_the_run_with_what_it_said(capsys, name, answer, command):
    data = write(answers())
    spec = f"python:tests.kit.judges:{name}"
    judges.dead.calls, judges.dying.calls = 0, 20
    status, _, err = run(capsys, *command, data, "--verifier", spec)
    assert status == 1
    said = rf"verifier {name} has failed on 5 answers in a row, up to answer ({answer}): Upstream"
    assert re.search(said, err)
    assert "(the judge's server cannot be reached)\n" in err


@pytest.mark.slow
def test_calibrate_writes_a_policy_in_which_the_word_counts(capsys):
    data = write(answers())
    spec = [
        "--verifier",
        "python:tests.kit.judges:right",
        "--verifier",
        "python:tests.kit.judges:coin",
    ]
    status, out, err = run(
        capsys, "calibrate", data, "--max-false-alarm", 0.2, "--output", "policy.toml", *spec
    )
    assert status == 0, err
    assert "coin is left out: what it adds may be chance" in out
    written = tomllib.loads(Path("policy.toml").read_text())
    assert set(written["verifiers"]) == {"right"}
    policy = load_policy("policy.toml").policy
    assert policy.decides("right")
    assert not policy.decides("coin")
    (row,) = [row for row in answers(1) if row["labels"]]
    asked = {"context": Context(chunks=row["chunks"]), "policy": policy}
    before = check_text(row["answer"], **asked)
    after = check_text(row["answer"], **asked, verifiers=[right])
    assert after.sentences[0].support < before.sentences[0].support
    assert after.scores.groundedness < before.scores.groundedness
    status, out, _ = run(
        capsys, "eval", data, "--policy", "policy.toml", "--resamples", 20, *spec[:2]
    )
    assert "with, by the policy" in out
    status, out, _ = run(capsys, "policy", "--policy", "policy.toml")
    assert '"right": {"intercept"' in out


@pytest.mark.parametrize("given", [(), ("--set", 'deciding_verifiers=["judge coin v1", "x"]')])
def test_calibrate_replaces_a_judges_calibration_and_silences_one_that_may_be_chance(capsys, given):
    data = write(answers(25))
    spec = [f"--verifier=python:tests.kit.judges:{name}" for name in ("COIN_JUDGE", "RIGHT_JUDGE")]
    status, out, err = run(
        capsys, "calibrate", data, "--max-false-alarm", 0.2, "--output", "p.toml", *spec, *given
    )
    assert status == 0, err
    assert "judge coin v1 is left out: what it adds may be chance" in out
    policy = load_policy("p.toml").policy
    assert set(policy.verifiers) == {"judge right v1"}
    assert policy.verifiers["judge right v1"].contradicted < 0
    assert not policy.decides("judge coin v1", is_judge=True)
    assert policy.deciding_verifiers == (("x",) if given else ("judge right v1",))


@pytest.mark.parametrize(("spec", "message"), [
    ("judge", "verifier is 'judge', expected onnx:FOLDER"),
    ("nli:x", "verifier is 'nli:x', expected onnx:FOLDER"),
    ("judge:gpt", "judge is 'gpt', expected MODEL@URL"),
    ("python:tests", "python is 'tests', expected MODULE:NAME"),
    ("python:tests.nowhere:x", "python is 'tests.nowhere:x', which cannot be imported"),
])  # fmt: skip
def test_a_verifier_that_is_none_is_refused(capsys, spec, message):
    status, _, err = run(capsys, "eval", write(answers(1)), "--verifier", spec)
    assert status == 2
    assert message in err


def judged_by_word(row):
    """Return an answer as a judge reads it that is right, and cannot quote in every fifth room."""
    guard = StreamGuard(Context(chunks=[CHUNK]), Policy(deciding_verifiers=()))
    guard.feed(row["answer"])
    guard.close()
    for claim in guard.claims():
        room = re.search(r"room (\d+)", claim.text)
        number = int(room[1]) if room else 2
        quotation = Quotation(CHUNK, "C1", 0, len(CHUNK) if number % 5 else 0)
        word = "contradicted" if number % 2 else "supported"
        said = Score(word=word, confidence=0.9, quotations=(quotation,), scorer="judge x")
        guard.score(claim.id, said)
    spans = tuple((one["start"], one["end"]) for one in row["labels"])
    labelled = Labelled(
        row["answer"], guard.context, bool(spans), spans, group=row["source_id"], fold=row["fold"]
    )
    return Judged(labelled, guard.close())


def test_a_judges_word_is_fitted_by_its_kind_and_confidence():
    rows = [judged_by_word(row) for row in answers()]
    assert {sentence.judged for one in rows for sentence in one.result.sentences} == {None}
    calibration = calibration_of(rows, "judge x")
    assert calibration.supported > 0.1 > -0.1 > calibration.contradicted
    assert calibration.not_mentioned == calibration.support == 0.0
    alone = compared(rows, "judge x", count=0)[2]
    assert alone.claims.value > 0.8
