"""The way through all four steps, and the exported model in use."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from streamguard import Context, check_text
from streamguard.core.sentence import Sentence
from streamguard.errors import ConfigError
from streamguard.verify.onnx import OnnxModel, onnx_verifier
from streamguard_reader.__main__ import main
from streamguard_reader.exporting import OnePair
from streamguard_reader.judging import _out_of_author
from streamguard_reader.layout import Cut
from streamguard_reader.pairs import Claim
from streamguard_reader.records import read_records, read_units
from streamguard_reader.scorer import (
    Reader,
    Reading,
    digest_of,
    reader,
    verdict_of,
    wrong_words,
)
from streamguard_reader.training import Material, batch_of, read_mean
from tests import made

SETTINGS = """
base = "tiny"
layers = 2
pieces = 64
batch_pieces = 2048
learning_rate = 3e-3
warmup_steps = 5
every = 10
steps = 40
watch = ["exercises:b"]
judge = ["exercises:c", "ragtruth:0"]
[sources]
exercises = 1.0
ragtruth = 1.0
"""
ANSWER = "The Basic plan costs $17 a month. You can cancel it within 14 days. Letters go to Porto."
CHUNKS = [
    "The Basic plan costs $10 a month. It may be cancelled within 14 days.",
    "Our office is in Vienna. Letters must be sent there.",
]


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """The four steps, as `make` runs them, in two runs of training."""
    where = tmp_path_factory.mktemp("house")
    made.write(where / "data")
    (where / "training.toml").write_text(SETTINGS)
    claims, run, model = (str(where / name) for name in ("claims", "run", "model"))
    assert main(["data", str(where / "data"), claims]) == 0
    for _ in range(2):
        train = ["train", str(where / "training.toml"), claims, run, "--bases", str(where)]
        assert main([*train, "--minutes", "0.02"]) == 0
    assert main(["export", run, model, "--bases", str(where)]) == 0
    return where


def test_the_judgement_has_a_line_for_every_set_and_score(house, capsys):
    assert main(["judge", str(house / "model"), str(house / "claims")]) == 0
    out = capsys.readouterr().out
    for judged in ("exercises, claims", "everyday, claims", "everyday, answers",
                   "ragtruth, claims", "ragtruth, answers"):  # fmt: skip
        assert f"| {judged} | fast |" in out
        assert f"| {judged} | both |" in out
    assert "| exercises, claims | reader | 12, 12 | " in out
    assert "ms of one core a claim" in out
    assert "| kind of error | wrong | fast | reader |" in out
    assert "| date | 4 | " in out


def test_another_readers_risks_are_judged_by_their_labels(house, tmp_path, capsys):
    records = read_records(house / "claims", ["exercises", "everyday", "ragtruth"])
    (tmp_path / "scores.json").write_text(
        json.dumps({one.id: 0.9 if one.is_wrong else 0.1 for one in records})
    )
    given = ["judge", str(house / "model"), str(house / "claims")]
    assert main([*given, "--scores", str(tmp_path / "scores.json")]) == 0
    out = capsys.readouterr().out
    assert "| exercises, claims | reader | 12, 12 | 1.000 [1.00, 1.00] |" in out
    assert "ms of one core" not in out
    assert all(out.split(f"| {kind} |")[1].split("\n")[0].endswith("1.00 |")
               for kind in ("date", "name", "number"))  # fmt: skip


def test_both_scores_are_weighed_by_what_other_authors_wrote(house):
    records = read_records(house / "claims", ["everyday"])
    truth = {one.id: 0.9 if one.is_wrong else 0.1 for one in records}
    told = _out_of_author(records, [], truth)
    assert set(told) == set("abc")
    assert all(weights[2] > 0.5 for weights in told.values())
    # A reader that is right of one author alone is believed where that one's claims were met.
    partly = {one.id: truth[one.id] if one.author == "a" else 0.5 for one in records}
    told = _out_of_author(records, [], partly)
    assert told["a"][2] == pytest.approx(0, abs=1e-6)
    assert told["b"][2] > 0.5
    alone = [one for one in records if one.author == "a"]
    assert _out_of_author(alone, records, truth)["a"][2] > 0.5
    assert _out_of_author(alone, [], truth)["a"] == (0.0, 1.0, 1.0)


def test_it_works_through_the_door_for_models_in_a_folder(house):
    folder = str(house / "model")
    model = OnnxModel(folder)
    assert model.understood.head == "nli"
    assert model.understood.claim_first
    result = check_text(ANSWER, context=Context(chunks=CHUNKS), verifiers=[onnx_verifier(folder)])
    assert [len(one.opinions) for one in result.sentences] == [1, 1, 1]
    assert not result.errors
    # Each passage is given alone: what the others are changes nothing.
    claim = "Letters go to Porto."
    alone = [model.read(claim, [one]).support for one in CHUNKS]
    assert model.read(claim, CHUNKS).support == max(alone)


def test_a_score_hangs_on_its_claim_alone(house):
    verifier = reader(house / "model")
    context = Context(query="What does Basic cost?", chunks=CHUNKS)
    all_at_once = check_text(ANSWER, context=context, verifiers=[verifier])
    fresh = reader(house / "model")
    fresh.batch = 1
    one_by_one = check_text(ANSWER, context=context, verifiers=[fresh])
    said = [one.opinions[0] for one in all_at_once.sentences]
    assert said == [one.opinions[0] for one in one_by_one.sentences]
    assert all(one.verifier == "reader" for one in said)
    # And not on the answer that goes on behind it.
    short = check_text(ANSWER[:33], context=context, verifiers=[reader(house / "model")])
    assert short.sentences[0].opinions[0] == said[0]


def test_training_and_use_see_the_same_pieces(house):
    """What the exported model says of a claim is what the checkpoint says of its record."""
    claims = house / "claims"
    records = read_records(claims, ["exercises"])[:6]
    units = read_units(claims, ["exercises"])
    model = Reader(house / "model")
    material = Material.of(records, units, model.scissors, model.room)
    checkpoint = _checkpoint(house)
    for at, one in enumerate(records):
        row = material.row([at], model.room)
        batch = batch_of(material, [[at]], [row])
        with torch.no_grad():
            logits, _ = checkpoint(batch.ids, batch.sides, batch.mask, batch.owned)
        theirs = torch.softmax(logits[0, 0], dim=-1)
        claim = Claim(one.text, one.question, one.before, one.nearest, one.fast)
        reading = model.read(claim, model.scissors.shelf(units[one.context]))
        assert reading.support == pytest.approx(float(theirs[0]), abs=0.05)  # 8 bits


def test_the_exported_form_reads_the_claims_own_pieces(house):
    """Before int8 rounds: to the last digits what training read, from the door's own inputs."""
    records = read_records(house / "claims", ["exercises"])[:4]
    units = read_units(house / "claims", ["exercises"])
    material = Material.of(records, units, Reader(house / "model").scissors, 64)
    checkpoint = _checkpoint(house)
    torch.nn.init.normal_(checkpoint.verdict.weight)  # so that what is pooled tells
    for at in range(len(records)):
        batch = batch_of(material, [[at]], [material.row([at], 64)])
        with torch.no_grad():
            theirs, pieces = checkpoint(batch.ids, batch.sides, batch.mask, batch.owned)
            ours, wrong = OnePair(checkpoint)(batch.ids, batch.mask, batch.sides)
        assert torch.allclose(ours, theirs[:, 0], atol=1e-5)
        assert torch.allclose(wrong, torch.sigmoid(pieces), atol=1e-5)


def _checkpoint(house):
    from streamguard_reader.bases import load_base
    from streamguard_reader.encoder import build

    training, mean = read_mean(house / "run")
    shape, _, _ = load_base(training.base, house)
    _, model = build(shape, {}, training.layers, 0.0)
    model.load_state_dict(mean)
    return model.eval()


def test_the_claims_that_the_fast_score_doubts_come_first(house):
    answer = "Letters go to the office. The Basic plan costs $99 a month. It may be cancelled."
    verifier = reader(house / "model", answer_ms=12.0)  # one claim
    result = check_text(answer, context=Context(chunks=CHUNKS), verifiers=[verifier])
    doubts = [one.doubt or 0.0 for one in result.sentences]
    read = [bool(one.opinions) for one in result.sentences]
    assert sum(read) == 1
    assert read[doubts.index(max(doubts))]


def test_the_words_that_it_doubts_are_where_its_finding_points():
    text = "The ﬁne is “$17” [C1]."  # a ligature: the folded text is longer
    sentence = Sentence(0, 40, 40 + len(text), text)
    start = sentence.prose.index("$17")
    reading = Reading(0.2, 0.3, 0.5, ((start, start + 3),))
    verdict = verdict_of(sentence, reading)
    assert text[slice(*verdict.doubted)] == "$17"
    assert verdict.message == "The reader doubts “$17”."
    believed = verdict_of(sentence, replace(reading, support=0.9))
    assert (believed.doubted, believed.message) == (None, None)


def test_wrong_pieces_become_words():
    cut = Cut([1, 2, 3, 4, 5], ((0, 2), (3, 6), (7, 9), (9, 11), (12, 15)))
    assert wrong_words(cut, [0.1, 0.6, 0.2, 0.7, 0.9]) == ((9, 15), (3, 6))
    assert wrong_words(cut, [0.1] * 5) == ()


def test_another_file_than_the_exported_one_is_refused(house, tmp_path):
    for file in (house / "model").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    pin = digest_of(tmp_path / "SHA256SUMS")
    assert Reader(tmp_path, sha256=pin).room == 64
    with pytest.raises(ConfigError, match="SHA256SUMS has the digest"):
        Reader(tmp_path, sha256="0" * 64)
    (tmp_path / "model.onnx").write_bytes(b"another")
    with pytest.raises(ConfigError, match=r"model.onnx is missing, or is not the file"):
        Reader(tmp_path)
    (tmp_path / "SHA256SUMS").unlink()
    with pytest.raises(ConfigError, match="has no SHA256SUMS"):
        Reader(tmp_path)


def test_the_card_says_what_the_model_is_made_of(house):
    card = (house / "model" / "MODEL_CARD.md").read_text()
    assert "| base | tiny, exact weights: none: random weights |" in card
    assert "exercises:b, exercises:c, ragtruth:0" in card
    assert "{" not in card


def test_a_wrong_step_is_said_in_a_line(house, tmp_path, capsys):
    assert main(["data", str(tmp_path), str(tmp_path), "--sources", "poems"]) == 2
    assert "source is 'poems', expected some of" in capsys.readouterr().err


def test_it_is_used_without_torch(house):
    """The scorer needs no training library, and one thread."""
    code = (
        "import sys; from streamguard_reader.scorer import reader; "
        f"one = reader({str(house / 'model')!r}); "
        "assert not {'torch', 'onnx'} & set(sys.modules); "
        "options = one.ask._session.get_session_options(); "
        "assert options.intra_op_num_threads == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent.parent)


def test_a_claim_without_passages_is_read(house):
    model = Reader(house / "model")
    reading = model.read(Claim("It is so.", "", "", (), 0.5), model.scissors.shelf([]))
    total = reading.support + reading.not_mentioned + reading.contradiction
    assert np.isclose(total, 1.0)
