"""The script that fits the weights of edits: the same data give the same module, byte for byte."""

import gzip
import json

import numpy as np
import pytest

from scripts import train_edits
from streamguard.core.facts import weights
from streamguard.core.facts.model import FIGURES
from streamguard.core.support import doubt

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
    return [
        {
            "question": row["question"],
            "chunks": [chunk["text"] for chunk in row["chunks"]],
            "answer": row["answer"],
            "labels": [{"start": row["error_span"][0], "end": row["error_span"][1]}]
            if row["label"] == "error"
            else [],
            "context": row["context"],
            "fold": row["fold"],
        }
        for row in rows()[::2]
    ]


def write(path, data):
    text = "".join(json.dumps(row) + "\n" for row in data)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def run(monkeypatch, out, *arguments):
    words = ["train_edits.py", *map(str, arguments), "--out", str(out)]
    monkeypatch.setattr(train_edits.sys, "argv", words)
    train_edits.main()
    return out.read_bytes()


@pytest.fixture
def sets(tmp_path):
    return write(tmp_path / "set.jsonl", rows()), write(tmp_path / "other.jsonl.gz", labelled())


def test_the_same_data_give_the_same_module(sets, tmp_path, monkeypatch, capsys):
    data, other = sets
    first = run(monkeypatch, tmp_path / "one.py", data, "--ragtruth", other)
    assert run(monkeypatch, tmp_path / "two.py", data, "--ragtruth", other) == first
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


def test_the_copied_sentences_are_counted_apart(sets, tmp_path, monkeypatch, capsys):
    run(monkeypatch, tmp_path / "one.py", sets[0])
    assert "of the others" in capsys.readouterr().out


def test_a_missing_file_ends_with_a_clear_message(tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match=r"nowhere\.jsonl is missing: give labelled answers"):
        run(monkeypatch, tmp_path / "out.py", tmp_path / "nowhere.jsonl")
    assert not (tmp_path / "out.py").exists()


def test_one_answer_of_every_context_gives_the_copies():
    first = train_edits.first_of_each_context(rows())
    assert [row["context"] for row in first] == [f"context {n}" for n in range(18)]
    assert {row["label"] for row in first} == {"faithful"}


def test_the_passages_sentences_are_learned_from_as_they_stand_and_with_one_error():
    copies = list(train_edits.copies_of(rows()[0]))
    assert [(copy["label"], copy.get("error_kind")) for copy in copies[:3]] == [
        ("faithful", None),
        ("error", "wrong_number"),
        ("error", "negation"),
    ]
    for copy in copies:
        if copy["label"] == "error":
            ((start, end),) = train_edits.spans_of(copy)
            assert 0 <= start < end <= len(copy["answer"]) + 1


@pytest.mark.parametrize(
    ("sentence", "turned"),
    [
        ("They may not be sent to Berlin.", "They may be sent to Berlin."),
        ("They may be sent to Berlin.", "They may not be sent to Berlin."),
        ("They isn't sent.", None),
        ("Sent to Berlin.", None),
    ],
)
def test_a_negation_is_taken_out_or_put_in(sentence, turned):
    found = [row["answer"] for row in train_edits.turned(sentence, {})]
    assert found == ([turned] if turned else [])


def test_a_value_is_exchanged_only_for_one_that_the_sentence_does_not_hold():
    values = train_edits.read_anchors("$5 and $7, 9 kg")
    (row,) = train_edits.exchanged("It costs $5 today.", values, {})
    assert row["answer"] == "It costs $7 today."
    assert list(train_edits.exchanged("It costs $5, not $7.", values, {})) == []
    assert list(train_edits.exchanged("It is free.", values, {})) == []


def gathered_of(row):
    gathered = {name: [] for name in (*FIGURES, train_edits.SENTENCE)}
    assert train_edits.gather(row, 3, gathered) >= 0
    assert {one[-1] for found in gathered.values() for one in found} == {3}
    return gathered


def wrong_in(row):
    """Return the groups that have a wrong edit."""
    found = gathered_of(row).items()
    return {group for group, edits in found if any(one[1] for one in edits)} - {"sentence"}


@pytest.mark.parametrize(
    ("number", "groups"),
    [
        (0, set()),  # a right answer
        (1, {"value", "exchange"}),
        (2, {"polarity"}),
        (3, {"modal"}),
        (4, {"quantifier"}),
        (5, {"name"}),
    ],
)
def test_an_edit_is_wrong_where_the_errors_words_touch_it(number, groups):
    assert wrong_in(rows()[number]) == groups


def test_errors_that_no_slot_shows_count_for_their_sentences_alone():
    found = gathered_of(rows()[6])
    assert [one[1:3] for one in found.pop("sentence")] == [(True, 1.0)]
    assert {one[2] for edits in found.values() for one in edits} == {0.0}


def test_labelled_and_copied_answers_weigh_less():
    found = gathered_of(labelled()[0])
    assert {one[2] for one in found.pop("sentence")} == {0.0}
    assert {one[2] for edits in found.values() for one in edits} == {0.05, train_edits.MARK_WEIGHT}
    (copy, *_) = train_edits.copies_of(rows()[0])
    found = gathered_of(copy)
    assert {one[2] for one in found.pop("sentence")} == {0.0}
    assert {one[2] for edits in found.values() for one in edits} == {train_edits.COPIED_WEIGHT}


def table(wrong, risks):
    wrong, number = np.array(wrong), np.arange(len(wrong))
    columns = np.array(risks, float)[:, None]
    return train_edits.Rows(columns, wrong, np.ones(len(wrong)), number, number)


def test_auroc_counts_ties_by_half():
    risks, wrong = np.array([0.0, 1.0, 1.0, 2.0]), np.array([False, True, False, True])
    assert train_edits.auroc(risks, wrong) == pytest.approx(3.5 / 4)


def test_the_fit_ranks_what_it_was_shown():
    rows = table([False, False, True, True] * 5, [0.0, 1.0, 2.0, 3.0] * 5)
    intercept, weights = train_edits.fit(rows, np.ones(20, bool))
    assert weights[0] > 0
    assert intercept < 0


def test_a_column_that_never_changes_weighs_nothing():
    rows = table([False, True] * 5, [1.0] * 10)
    _, weights = train_edits.fit(rows, np.ones(10, bool))
    assert weights[0] == 0.0


@pytest.fixture(scope="module")
def gathered():
    return train_edits.Gathered(rows(), lambda done, total: None)


def test_a_sentence_is_judged_by_edits_whose_weights_have_not_seen_it(gathered):
    every = np.ones(len(gathered.ids), bool)
    judged, inside = gathered._sentences(every)
    assert inside.all()
    alone = judged.columns.copy()
    first = gathered.folds == 0
    gathered.judge(gathered._edit_lines(~first), first, alone)
    assert np.array_equal(alone, judged.columns)
    gathered.judge(gathered._edit_lines(first), first, alone)
    assert not np.array_equal(alone, judged.columns)


def test_the_figures_of_the_edits_are_those_that_the_guard_reads(gathered):
    every = np.ones(len(gathered.ids), bool)
    lines = {group: (line[0], list(line[1])) for group, line in weights.LINES.items()}
    columns = np.zeros_like(gathered.rows["sentence"].columns)
    gathered.judge(lines, every, columns)
    read = gathered.rows["sentence"].columns
    count = len(doubt.OF_EDITS)
    assert np.allclose(columns[:, :count], read[:, :count])


def test_an_answers_figures_are_those_of_its_sentences(gathered):
    sentences = gathered.rows["sentence"]
    risks = np.linspace(-3, 3, len(sentences.wrong))
    answers, known = gathered.answers(risks, np.ones(len(risks), bool))
    assert known.all()
    for number in (0, 7, len(known) - 1):
        own = risks[sentences.answer == number].tolist()
        claims = int(gathered.claims[number])
        assert tuple(answers.columns[number]) == doubt.answer_figures(own, claims)


def test_what_is_told_out_of_fold_names_sentences_and_answers(gathered):
    told = gathered.out_of_fold()
    assert list(told)[-2:] == ["sentence", "answer"]
    assert all("wrong, AUROC" in told[name] for name in ("sentence", "answer"))
