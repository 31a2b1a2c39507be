"""The scripts that fit weights: the same data give the same module, byte for byte."""

import gzip
import json
import random

import numpy as np
import pytest

from scripts import train_edits, train_support
from streamguard.core.facts import weights
from streamguard.core.facts.model import FIGURES
from streamguard.core.support import model as doubt

THINGS = "kettle lantern saddle window basket ladder".split()


def rows():
    """Return self-written answers: of two, one has the price of the other thing, or a denial."""
    made = []
    for number, thing in enumerate(THINGS * 3):
        other = THINGS[(number + 1) % len(THINGS)]
        price = 11 + 7 * number
        chunks = [
            {"text": f"Every {thing} costs ${price} and must be ordered from Lisbon by Friday."},
            {"text": f"All {other} parts cost ${price + 3}. They may not be sent to Berlin."},
            {"text": f"Prices:\n- {thing} – ${price}\n- {other} – ${price + 3}"},
        ]
        right = f"Every {thing} costs ${price} and must be ordered from Lisbon."
        given = {"question": f"What does the {thing} cost?", "chunks": chunks, "fold": number % 5}
        given["context"] = f"context {number}"
        made.append({**given, "answer": right, "label": "faithful"})
        for kind, old, new in (
            ("wrong_number", f"${price}", f"${price + 3}"),
            ("negation", "costs", "never costs"),
            ("modality", "must", "may"),
            ("over_generalisation", "Every", "Some"),
            ("wrong_name", "Lisbon", "Berlin"),
            ("invented_detail", "Lisbon", "Lisbon with glue"),
        ):
            answer = right.replace(old, new)
            start = answer.index(new)
            span = [start, start + len(new)]
            made.append(
                {**given, "answer": answer, "label": "error", "error_kind": kind,
                 "error_span": span}
            )  # fmt: skip
        below = f"The {thing} is cheaper than ${price + 3}."
        made.append({**given, "answer": below, "label": "faithful"})
    return made


def labelled():
    """Return answers with labelled spans, as the support score is trained with."""
    made = []
    for row in rows()[::2]:
        spans = [row["error_span"]] if row["label"] == "error" else []
        labels = [{"start": start, "end": end} for start, end in spans]
        chunks = [chunk["text"] for chunk in row["chunks"]]
        made.append({**row, "chunks": chunks, "labels": labels})
    return made


def write(path, data):
    text = "".join(json.dumps(row) + "\n" for row in data)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def run(monkeypatch, script, out, *arguments):
    words = [script.__name__, *map(str, arguments), "--out", str(out)]
    monkeypatch.setattr(script.sys, "argv", words)
    script.main()
    return out.read_bytes()


@pytest.fixture
def sets(tmp_path):
    return write(tmp_path / "set.jsonl", rows()), write(tmp_path / "other.jsonl.gz", labelled())


@pytest.mark.slow
def test_the_same_data_give_the_same_module(sets, tmp_path, monkeypatch, capsys):
    data, other = sets
    first = run(monkeypatch, train_edits, tmp_path / "one.py", data, "--ragtruth", other)
    assert run(monkeypatch, train_edits, tmp_path / "two.py", data, "--ragtruth", other) == first
    shown = capsys.readouterr()
    assert "* value: " in shown.out
    assert "of the others" in shown.out
    assert "answers read" in shown.err
    names = {}
    exec(first, names)
    assert {group: tuple(row[0] for row in line[1]) for group, line in names["LINES"].items()} == (
        FIGURES
    )
    assert not any(word in first.decode() for word in [*THINGS, "Lisbon", "Berlin"])
    with pytest.raises(SystemExit, match=r"nowhere\.jsonl is missing: give labelled answers"):
        run(monkeypatch, train_edits, tmp_path / "out.py", tmp_path / "nowhere.jsonl")


def test_the_figures_of_the_edits_are_those_that_the_guard_reads():
    gathered = train_edits.Gathered(rows(), lambda done, total: None)
    every = np.ones(len(gathered.ids), bool)
    lines = {group: (line[0], list(line[1])) for group, line in weights.LINES.items()}
    columns = np.zeros_like(gathered.rows["sentence"].columns)
    gathered.judge(lines, every, columns)
    read = gathered.rows["sentence"].columns
    count = len(doubt.OF_EDITS)
    assert np.allclose(columns[:, :count], read[:, :count])


# --- the support score

# Made from a few self-written words: a bad answer has a sentence that no passage holds.
DOINGS = "costs weighs covers holds needs carries".split()
OTHERS = "in Lisbon|for seven years|because pilots like it|by hand|under licence|with glue".split(
    "|"
)


def spoken(count=60):
    chance = random.Random(5)
    made = []
    for number in range(count):
        thing = chance.choice(THINGS)
        told = [f"The {thing} {doing} {chance.randint(2, 90)} units." for doing in DOINGS[:4]]
        invented = f"The {chance.choice(THINGS)} was repaired {chance.choice(OTHERS)}."
        bad = number % 2 == 0
        said = [*chance.sample(told, 2), *([invented] if bad else [])]
        answer = " ".join(said)
        labels = [{"start": answer.index(invented), "end": len(answer)}] if bad else []
        row = {"question": f"What about the {thing}?", "chunks": [" ".join(told)], "answer": answer}
        more = {"fold": number // 2 % 3, "model": ("one", "two")[number // 2 % 2]}
        made.append({**row, "labels": labels, **more})
    return made


@pytest.mark.slow
def test_the_same_data_give_the_same_module_whatever_the_day(tmp_path, monkeypatch, capsys):
    data, out = write(tmp_path / "data.jsonl", spoken()), tmp_path / "weights.py"
    first = run(monkeypatch, train_support, out, data)
    dated = out.read_text().replace("Trained 2", "Trained 1", 1)
    out.write_text(dated)
    assert run(monkeypatch, train_support, out, data) == dated.encode()
    out.unlink()
    assert run(monkeypatch, train_support, out, data) == first
    shown = capsys.readouterr()
    assert "60 of 60 answers read" in shown.err
    assert "sentence AUROC" in shown.out
    assert not any(word in first.decode() for word in [*THINGS, "Lisbon", "pilots"])
    with pytest.raises(SystemExit, match="is missing: give labelled answers as JSON lines"):
        run(monkeypatch, train_support, out, tmp_path / "none.jsonl")
