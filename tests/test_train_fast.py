"""The script that fits the fast scorer: the same data give the same files, byte for byte."""

import gzip
import json

import pytest

from scripts import train_fast
from streamguard.core.fast.figures import FIGURES

THINGS = "kettle lantern saddle window basket ladder".split()


def everyday():
    """Return self-written answers: of two, one has the price of the other thing, or a denial."""
    made = []
    for number, thing in enumerate(THINGS):
        other, price = THINGS[(number + 1) % len(THINGS)], 11 + 7 * number
        chunks = [
            {"text": f"Every {thing} costs ${price} and must be ordered from Lisbon by Friday."},
            {"text": f"All {other} parts cost ${price + 3}. They may not be sent to Berlin."},
        ]
        right = f"Every {thing} costs ${price} and must be ordered from Lisbon."
        given = {"question": f"What does the {thing} cost?", "chunks": chunks, "fold": number % 5}
        given |= {"context": f"context {number}", "id": f"{number}"}
        made.append({**given, "answer": right, "label": "faithful"})
        for old, new in ((f"${price}", f"${price + 3}"), ("costs", "never costs")):
            answer = right.replace(old, new)
            span = [answer.index(new), answer.index(new) + len(new)]
            made.append({**given, "answer": answer, "label": "error", "error_span": span})
    return made


def labelled():
    """Return the same answers with labelled spans."""
    rows = []
    for row in everyday():
        spans = [row["error_span"]] if row["label"] == "error" else []
        rows.append({**row, "labels": [{"start": start, "end": end} for start, end in spans]})
    return rows


def exercises():
    """Return the same answers as right sentences and wrong versions of them."""
    rows, made = everyday(), []
    for at in range(0, len(rows), 3):
        right, *wrong = rows[at : at + 3]
        sentence = {
            "right": right["answer"],
            "wrong": [{"kind": "number", "text": one["answer"]} for one in wrong],
        }
        question = {"question": right["question"], "sentences": [sentence, sentence]}
        given = {"id": right["id"], "author": "a", "language": "en", "fold": right["fold"]}
        made.append({**given, "chunks": right["chunks"], "questions": [question]})
    return [*made, {**made[0], "language": "de"}]


def write(path, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.fixture
def data(tmp_path, monkeypatch):
    write(tmp_path / "everyday_dev.jsonl", everyday())
    write(tmp_path / "ragtruth_dev.jsonl.gz", labelled())
    write(tmp_path / "exercises_dev.jsonl", exercises())
    monkeypatch.setattr(train_fast, "EVERYDAY", tmp_path / "none")
    return tmp_path


def run(monkeypatch, data, name):
    out, folds = data / f"{name}.py", data / f"{name}.json"
    words = ["train_fast", str(data), "--out", str(out), "--folds", str(folds)]
    monkeypatch.setattr(train_fast.sys, "argv", words)
    train_fast.main()
    return out.read_text(), folds.read_text()


@pytest.mark.slow
def test_the_same_data_give_the_same_weights(data, monkeypatch, capsys):
    first = run(monkeypatch, data, "one")
    assert run(monkeypatch, data, "two") == first
    printed = capsys.readouterr().out
    assert "AUROC out of fold" in printed
    assert "exercises: sentence 1.000, answer 1.000; " in printed
    names = {}
    exec(first[0], names)
    assert [row[0] for row in names["TERMS"]] == [one.name for one in FIGURES]
    assert len(json.loads(first[1])) == train_fast.FOLDS
    assert not any(word in first[0] for word in [*THINGS, "Lisbon", "Berlin"])


def test_the_parts_of_the_data_are_read_with_their_labels(data, monkeypatch):
    tasks = train_fast.tasks_in(data)
    parts = {part: [task for task in tasks if task.part == part] for part in train_fast.PARTS}
    assert {part: len(some) for part, some in parts.items()} == {
        "exercises": 6 * 6, "ragtruth": 18, "everyday": 18, "copies": 30,
    }  # fmt: skip
    assert all(task.answer[task.start :] for task in tasks)
    wrong = parts["exercises"][0]
    (rows,) = train_fast.figures_of([wrong])
    assert [row[2] for row in rows] == [True]
    assert len(rows[0][0]) == len(FIGURES)


def test_missing_data_are_told(tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match=r"everyday_dev\.jsonl is missing: give a folder"):
        run(monkeypatch, tmp_path, "out")
