"""The training script: the same data give the same module, byte for byte."""

import json
import random

import pytest

from scripts import train_support

# Made from a few self-written words: a bad answer has a sentence that no passage holds.
THINGS = "kettle lantern saddle window basket ladder".split()
DOINGS = "costs weighs covers holds needs carries".split()
OTHERS = "in Lisbon|for seven years|because pilots like it|by hand|under licence|with glue".split(
    "|"
)


def rows(count=60):
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


def write(path, data):
    path.write_text("".join(json.dumps(row) + "\n" for row in data))
    return path


def run(monkeypatch, data, out):
    arguments = ["train_support.py", str(data), "--out", str(out)]
    monkeypatch.setattr(train_support.sys, "argv", arguments)
    train_support.main()
    return out.read_bytes()


@pytest.mark.slow
def test_the_same_data_give_the_same_module_whatever_the_day(tmp_path, monkeypatch, capsys):
    data, out = write(tmp_path / "data.jsonl", rows()), tmp_path / "weights.py"
    first = run(monkeypatch, data, out)
    dated = out.read_text().replace("Trained 2", "Trained 1", 1)
    out.write_text(dated)
    assert run(monkeypatch, data, out) == dated.encode()
    out.unlink()
    assert run(monkeypatch, data, out) == first
    shown = capsys.readouterr()
    assert "60 of 60 answers read" in shown.err
    assert "sentence AUROC" in shown.out
    assert not any(word in first.decode() for word in [*THINGS, "Lisbon", "pilots"])
    with pytest.raises(SystemExit, match="is missing: give labelled answers as JSON lines"):
        run(monkeypatch, tmp_path / "none.jsonl", out)
