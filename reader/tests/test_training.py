"""A training: that it goes on where it ended, leaves authors out, and that every option works."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from streamguard.errors import ConfigError
from streamguard_reader.bases import BASES
from streamguard_reader.order import batches, groups_of, hardness, usable
from streamguard_reader.records import read_records
from streamguard_reader.settings import Training, read_training, training_of
from streamguard_reader.training import BEST, LAST, Course, train

CONFIGS = Path(__file__).parent.parent / "configs"
TINY = Training(
    base="tiny", layers=2, pieces=64, batch_pieces=4_096, every=4, steps=12, warmup_steps=2,
    learning_rate=1e-3, word_dropout=0.1, sources={"exercises": 2.0, "ragtruth": 0.5},
    watch=("exercises:b",), judge=("exercises:c", "ragtruth:0"),
)  # fmt: skip


def weights(run, name=LAST):
    return torch.load(run / name, weights_only=True)


def test_two_short_runs_are_one_long_one(folder, tmp_path):
    train(TINY, folder, tmp_path / "long", tmp_path, steps=9)
    for _ in range(3):
        train(TINY, folder, tmp_path / "short", tmp_path, steps=3)
    one, other = weights(tmp_path / "long"), weights(tmp_path / "short")
    for state in (one["state"], other["state"]):
        state.pop("seconds")
        state["curve"] = [[line[0], *line[2:]] for line in state["curve"]]
    assert one["state"] == other["state"]
    assert one["state"]["number"] > 0  # more than one pass over the data
    assert torch.equal(one["random"], other["random"])
    for part in ("model", "mean"):
        for name, tensor in one[part].items():
            assert torch.equal(tensor, other[part][name]), name
    moments = [run["optimiser"]["state"][0]["exp_avg"] for run in (one, other)]
    assert torch.equal(*moments)


def test_a_run_cannot_go_on_with_other_settings(folder, tmp_path):
    train(TINY, folder, tmp_path / "run", tmp_path, steps=1)
    with pytest.raises(ConfigError, match=r"begun with another \['dropout'\]"):
        train(replace(TINY, dropout=0.2), folder, tmp_path / "run", tmp_path, steps=1)
    assert train(replace(TINY, steps=2), folder, tmp_path / "run", tmp_path).step == 2


@pytest.mark.parametrize(
    "options",
    [
        {"pack": "answer"},
        {"order": "hard_first"},
        {"layers": 1},
        {"dropout": 0.4, "word_dropout": 0.3},
        {"frozen_words": True},
        {"rank_weight": 0.0, "span_weight": 0.0},
        {"share": 0.5},
    ],
    ids=str,
)
def test_every_option_trains_and_changes_what_comes_out(folder, tmp_path, options):
    plain = train(TINY, folder, tmp_path / "plain", tmp_path, steps=4)
    other = train(replace(TINY, **options), folder, tmp_path / "other", tmp_path, steps=4)
    assert plain.step == other.step == 4
    one, two = weights(tmp_path / "plain")["model"], weights(tmp_path / "other")["model"]
    if one.keys() == two.keys():
        assert any(not torch.equal(one[name], two[name]) for name in one)
    else:
        assert options == {"layers": 1}


def test_frozen_words_stay_as_they_were(folder, tmp_path):
    frozen = replace(TINY, frozen_words=True)
    before = Course(frozen, folder, tmp_path / "run", tmp_path).model.words.weight.clone()
    train(frozen, folder, tmp_path / "run", tmp_path, steps=3)
    after = weights(tmp_path / "run")["model"]
    assert torch.equal(before, after["words.weight"])
    assert not torch.equal(after["verdict.weight"], torch.zeros_like(after["verdict.weight"]))


def test_a_student_learns_from_a_teacher_of_its_base_alone(folder, tmp_path):
    train(TINY, folder, tmp_path / "teacher", tmp_path, steps=4)
    taught = replace(TINY, layers=1, teacher=str(tmp_path / "teacher"), teacher_share=1.0)
    alone = replace(TINY, layers=1)
    for name, training in (("taught", taught), ("alone", alone)):
        train(training, folder, tmp_path / name, tmp_path, steps=3)
    one, two = weights(tmp_path / "taught")["model"], weights(tmp_path / "alone")["model"]
    assert not torch.equal(one["verdict.weight"], two["verdict.weight"])
    with pytest.raises(ConfigError, match="the teacher's base is 'tiny', expected 'minilm-l6'"):
        Course(replace(taught, base="minilm-l6"), folder, tmp_path / "x", tmp_path)


def test_nothing_is_learned_of_an_author_who_is_left_out(folder):
    records = read_records(folder, sorted(TINY.sources))
    used = {f"{records[at].source}:{records[at].author}" for at in usable(records, TINY)}
    assert used == {"exercises:a", "ragtruth:1", "ragtruth:2", "ragtruth:3"}


def test_smaller_shares_are_parts_of_larger_ones(folder):
    records = read_records(folder, sorted(TINY.sources))
    few, more = (set(usable(records, replace(TINY, share=share))) for share in (0.3, 0.7))
    assert few < more < set(usable(records, TINY))


def test_a_pass_holds_every_claim_and_versions_come_together(folder):
    training = replace(TINY, sources={"exercises": 1.0})
    records = read_records(folder, ["exercises"])
    chosen = usable(records, training)
    sizes = [(20, 40)] * len(records)
    listed = batches(records, sizes, chosen, training, 0)
    assert sorted(at for batch in listed for example in batch for at in example) == chosen
    for batch in listed:
        twins = [records[example[0]].twin for example in batch]
        assert all(twins.count(twin) == 2 for twin in twins)
    assert listed == batches(records, sizes, chosen, training, 0)
    assert listed != batches(records, sizes, chosen, training, 1)


def test_an_answer_in_one_pass_has_one_version_of_each_sentence(folder):
    training = replace(TINY, pack="answer", sources={"exercises": 1.0})
    records = read_records(folder, ["exercises"])
    drawn = set()
    for number in range(6):
        for group in groups_of(records, usable(records, training), training, number):
            places = [records[at].place for at in group[0]]
            assert places == sorted(set(places))
            drawn.update(at for at in group[0] if records[at].is_wrong)
    assert len(drawn) > 3  # other versions in other passes


def test_hard_pairs_come_first_in_the_first_pass_alone(folder):
    training = replace(TINY, order="hard_first", sources={"exercises": 1.0})
    records = read_records(folder, ["exercises"])
    chosen = usable(records, training)
    first, later = (
        [hardness(records, group) for group in groups_of(records, chosen, training, number)]
        for number in (0, 1)
    )
    assert first == sorted(later, reverse=True)
    assert later != first


def test_training_ends_when_the_watched_authors_get_no_better(folder, tmp_path):
    stuck = replace(TINY, learning_rate=1e-9, every=1, patience=2, steps=50)
    state = train(stuck, folder, tmp_path / "run", tmp_path)
    assert state.step == 3
    assert len(state.curve) == 3
    assert (tmp_path / "run" / BEST).exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"dropout": 1.0}, "dropout is 1.0, expected a number from 0.0 to 0.9"),
        ({"pack": "page"}, "pack is 'page', expected one of"),
        ({"layer": 6}, r"unknown settings \['layer'\]"),
        ({"watch": ["a"], "judge": ["a"]}, "an author is in watch and in judge"),
        ({"sources": {}}, "sources is empty"),
    ],
)
def test_settings_that_are_none_are_named(given, message):
    with pytest.raises(ConfigError, match=message):
        training_of(given)


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*.toml")), ids=lambda file: file.name)
def test_the_settings_that_are_shipped_name_a_base_and_authors_left_out(file):
    read = read_training(file)
    assert read.base in BASES
    assert {"exercises:d", "exercises:r3"} <= set(read.judge)
    assert read.watch


def test_the_settings_of_a_file_are_read(tmp_path):
    file = tmp_path / "training.toml"
    file.write_text('base = "tiny"\nwatch = ["exercises:c"]\n[sources]\nexercises = 2.0\n')
    read = read_training(file)
    assert (read.base, read.watch, read.sources) == ("tiny", ("exercises:c",), {"exercises": 2.0})
