"""`streamguard eval`: what it reads, what it refuses, what it writes."""

import asyncio
import gzip
import json
from pathlib import Path

import pytest

from streamguard.commands.labelled import read_labelled
from streamguard.core.context import Context
from streamguard.core.model.result import Annotation
from streamguard.core.validate import check_text
from streamguard.errors import ConfigError, DecodeError
from streamguard.server.results.feedback import FeedbackFile, FeedbackRequest
from tests.kit.commands import _here, run  # noqa: F401 -- a fixture of every test

CHUNKS = ["Basic costs $49 per month.", {"text": "Refunds take 14 days.", "id": "refunds"}]
TEXTS = [CHUNKS[0], CHUNKS[1]["text"]]
CLEAN = "Basic costs $49 per month. Refunds take 14 days."
WRONG = "Basic costs $59 per month. Refunds take 14 days."
CUT_SHORT = gzip.compress(b"\n" * 99, mtime=0)[:-9]
PRICE = {"start": 12, "end": 25, "label_type": "Evident Conflict"}


def row(answer=CLEAN, **more):
    return {"question": "What does Basic cost?", "chunks": CHUNKS, "answer": answer, **more}


def write(*rows, name="answers.jsonl"):
    Path(name).write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    return name


def sample(count=3):
    return [
        row(answer, labels=labels, model=model, source_id=f"{model}{at}")
        for model in ("one", "two")
        for at in range(count)
        for answer, labels in ((CLEAN, []), (WRONG, [PRICE]))
    ]


def test_a_table_of_answers_sentences_characters_and_models(capsys):
    status, out, err = run(capsys, "eval", write(*sample()), "--resamples", 10)
    assert status == 0
    assert out.startswith("answers.jsonl: 12 answers in 6 groups, 24 sentences; policy moderate")
    for heading in ("answers: 6 bad", "sentences: 6 bad", "characters: 78 bad", "model one: 3 bad"):
        assert heading in out
    assert "us CPU per sentence, index included" in out
    assert "checking: 12 of 12\n" in err
    assert "measuring: " in err


def test_compressed_lines_with_a_prior_and_a_policy_as_json(capsys):
    with gzip.open("answers.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(row) + "\n" for row in sample())
    argv = "answers.jsonl.gz --prior 0.3 --policy strict --json - --resamples 5 --seed 3"
    _, out, _ = run(capsys, "eval", *argv.split())
    found = json.loads(out)
    settings = {"prior": 0.3, "policy": "strict", "resamples": 5, "seed": 3}
    assert settings.items() <= found.items()
    rows = {row["name"]: row for row in found["levels"][0]["rows"]}
    assert rows["potential_hallucination"]["figures"]["f1"] == {"value": 1, "low": 1, "high": 1}


def test_json_and_plots_go_to_files_beside_the_table(capsys):
    argv = f"{write(*sample())} --resamples 0 --json out.json --plots a/b"
    status, out, _ = run(capsys, "eval", *argv.split())
    assert status == 0
    assert "answers: 6 bad" in out
    assert json.loads(Path("out.json").read_text())["answers"] == 12
    assert {"roc-answers.svg", "pr-sentences.svg"} <= {path.name for path in Path("a/b").iterdir()}


@pytest.mark.parametrize(("item", "message"), [
    ([1], r"line 2 is \[1\], expected an object"),
    (row(hallucinated="yes"), 'hallucinated is "yes", expected true or false, or labels'),
    (row(), "hallucinated is missing, expected true or false, or labels"),
    (row(hallucinated=False, labels=[PRICE]), "hallucinated is false, but labels holds 1"),
    (row(labels="none"), 'labels is "none", expected a list'),
    (row(labels=[{"start": 3}]), r'label 1 is {"start": 3}, expected start and end with 0 <='),
    (row(labels=[{"start": 3, "end": 99}]), "0 <= start < end <= 48"),
    ({"answer": "x", "labels": []}, "chunks is missing, expected a list"),
    (row(labels=[], fold="a"), 'fold is "a", expected a whole number'),
    ({"answer": "x", "chunks": [5], "labels": []}, "chunk 1 is 5, expected a string or an"),
    ({"annotation": 5}, "annotation.result is missing, expected a result"),
    ({"annotation": {"result": {}}}, "annotation.result.policy: Field required"),
])  # fmt: skip
def test_a_wrong_line_is_named_with_what_was_seen_and_what_is_allowed(item, message):
    name = write(row(labels=[]), item)
    with pytest.raises(DecodeError, match=message) as raised:
        read_labelled(name)
    assert str(raised.value).startswith("answers.jsonl, line 2")


@pytest.mark.parametrize(("data", "name", "message"), [
    (b"{\n", "a.jsonl", "a.jsonl, line 1 is not JSON"),
    (b"\n{}\xff\n", "a.jsonl", "a.jsonl, line 2 is not UTF-8: byte 3"),
    (b"plain\n", "a.jsonl.gz", "a.jsonl.gz is no whole gzip file"),
    (CUT_SHORT, "a.jsonl.gz", "a.jsonl.gz is no whole gzip file"),
    (b"\n", "a.jsonl", "a.jsonl holds no labelled answers"),
])  # fmt: skip
def test_a_file_that_is_none_is_named(data, name, message):
    Path(name).write_bytes(data)
    with pytest.raises((ConfigError, DecodeError), match=message):
        read_labelled(name)


def test_a_wrong_flag_is_named(capsys):
    Path("a.txt").touch()
    write(*sample())
    for name, status, flags, message in (
        ("answers.jsonl", 2, ("--prior", "30"), "--prior is 30, expected more than 0 and less th"),
        ("answers.jsonl", 2, ("--resamples", "-1"), "--resamples is -1, expected a whole number"),
        ("answers.jsonl", 2, ("--policy", "mild"), "policy is 'mild'"),
        ("answers.jsonl", 2, ("--set", "validation_enabled=false"), "of moderate is false"),
        ("missing.jsonl", 1, (), "streamguard: missing.jsonl: No such file or directory\n"),
        # Found before the work.
        ("not-read", 2, ("--json", "none/x.json"), "'none/x.json', expected a file in a folder"),
        ("not-read", 2, ("--json", "."), "--json is '.', expected a file in a folder"),
        ("not-read", 2, ("--plots", "a.txt"), "'a.txt', which cannot be made: File exists"),
    ):
        got, _, err = run(capsys, "eval", name, *flags)
        assert got == status
        assert message in err


def test_a_file_without_labels_of_both_sorts_says_how_many_there_are(capsys):
    status, _, err = run(capsys, "eval", write(row(labels=[])))
    assert status == 2
    assert "0 bad and 1 clean answers; measures need some of both" in err


@pytest.fixture
def feedback():
    """Return what writes the chat page's marks to feedback.jsonl, by the answer's number."""
    kept = FeedbackFile("feedback.jsonl")

    def give(number, label, sentence=None):
        name = f"{int(number):032x}"
        answer = (CLEAN, WRONG, CLEAN, WRONG)[int(number)]
        result = check_text(answer, context=Context(query="Basic?", chunks=TEXTS))
        annotation = Annotation(id=name, state="complete", result=result).to_json().encode()
        given = FeedbackRequest(id=name, label=label, sentence=sentence)
        asyncio.run(kept.keep(given, annotation))

    return give


def test_feedback_of_the_chat_page_is_measured_by_the_verdict_that_was_shown(capsys, feedback):
    feedback("0", "up")
    feedback("1", "down")
    feedback("2", "down")
    feedback("2", "up")  # changed their mind: the last mark counts
    feedback("1", "was_supported", 1)
    feedback("3", "refusal_wrong")  # says nothing about the answer's claims
    unchecked = Annotation(id="f" * 32, state="skipped").to_json().encode()
    given = FeedbackRequest(id="f" * 32, label="down")
    asyncio.run(FeedbackFile("feedback.jsonl").keep(given, unchecked))
    found = [(one.hallucinated, dict(one.sentences)) for one in read_labelled("feedback.jsonl")]
    assert found == [(False, {}), (True, {1: False}), (False, {})]
    status, out, _ = run(capsys, "eval", "feedback.jsonl", "--resamples", 0)
    assert status == 0
    assert "answers: 1 bad, 2 clean" in out
    assert "characters" not in out
    lines = Path("feedback.jsonl").read_text().replace('"sentence":1', '"sentence":7')
    Path("feedback.jsonl").write_text(lines)
    with pytest.raises(DecodeError, match="sentence is 7, the answer has 2 sentences"):
        read_labelled("feedback.jsonl")
