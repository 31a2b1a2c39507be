"""Labelled rows become the claims that a verifier is given."""

import pytest

from streamguard.errors import ConfigError
from streamguard_reader.pairs import Unit, read_answer, within
from streamguard_reader.records import (
    CONTRADICTED,
    SUPPORTED,
    changed,
    claim_risk,
    read_answers,
    read_records,
    read_units,
    write_source,
)

CHUNKS = [
    "| Plan | Fee |\n|---|---|\n| Basic | $10 |\n| Pro | $30 |",
    "Refunds take 14 days. Letters go to Vienna.",
]


def test_each_right_sentence_and_each_wrong_version_is_a_claim(folder):
    records = read_records(folder, ["exercises"])
    assert len(records) == 3 * 4 * 6
    first = [one for one in records if one.twin == "a-0/0/0"]
    assert [(one.kind, one.label) for one in first] == [("", SUPPORTED), ("number", CONTRADICTED)]
    assert first[0].text == "The Basic plan costs $10 a month."
    start, end = first[1].spans[0]
    assert first[1].text[start:end] == "$17"
    assert first[0].spans == ()


def test_a_claim_is_read_behind_the_right_sentences_before_it(folder):
    last = [one for one in read_records(folder, ["exercises"]) if one.twin == "a-0/0/2"]
    for one in last:
        assert one.before.endswith("You can cancel it within 14 days.")
        assert one.nearest


def test_the_labels_of_an_answer_reach_the_claims_that_they_touch(folder):
    for source in ("everyday", "ragtruth"):
        records = read_records(folder, [source])
        wrong = [one for one in records if one.is_wrong]
        assert len(wrong) == 12
        assert all("28 days" in one.text or "days" in one.text for one in wrong)
        answers = {one.id: one for one in read_answers(folder, source)}
        assert {one.answer for one in wrong} == {one.id for one in answers.values() if one.is_wrong}
        assert all(0 <= one.fast <= 1 for one in answers.values())


def test_ragtruth_is_left_out_by_its_folds(folder):
    assert {one.author for one in read_records(folder, ["ragtruth"])} == {"0", "1", "2", "3"}


def test_what_was_read_is_not_read_again(data, folder, tmp_path):
    assert write_source("everyday", tmp_path / "nowhere", folder) == 72
    assert write_source("everyday", data, tmp_path / "few", most=8) < 72
    with pytest.raises(ConfigError, match=r"exercises_dev\.jsonl is missing"):
        write_source("exercises", tmp_path / "nowhere", tmp_path / "new")


def test_the_sets_that_are_held_out_are_those_of_the_repository(tmp_path):
    write_source("held_out", tmp_path, tmp_path, most=4)
    records = read_records(tmp_path, ["held_out"])
    assert {one.author for one in records} == set("jprs")
    assert len(read_answers(tmp_path, "held_out")) == 4


def test_the_units_of_a_context_are_kept_with_their_tables(folder):
    claims, units, result = read_answer("The Pro plan costs $30.", "What is the fee?", CHUNKS)
    assert result.status is not None
    rows = [number for number, one in enumerate(units) if "Pro" in one.text]
    assert units[rows[0]].head >= 0
    assert "Plan" in units[units[rows[0]].head].text
    assert claims[0].nearest[0] == rows[0]
    kept = read_units(folder, ["exercises"])
    assert kept["a-0"][0].text.startswith("The Basic plan costs")


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("It costs $10 a month.", "It costs $12 a month.", ["$12"]),
        ("You must give notice.", "You may give notice.", ["may"]),
        ("It is free.", "It is free for Pro members alone, every day.", None),
        ("It ends on 1 May, unless you object.", "It ends on 1 May.", None),
    ],
)  # fmt: skip
def test_the_words_that_a_version_changed(right, wrong, expected):
    spans = changed(right, wrong)
    assert (spans and [wrong[start:end] for start, end in spans]) == expected


def test_all_units_are_shown_where_they_fit_else_the_nearest_with_their_heads():
    sizes, heads = [5, 5, 5, 5, 5], [-1, -1, 1, 1, -1]
    assert within(sizes, heads, (3,), 25) == [0, 1, 2, 3, 4]
    assert within(sizes, heads, (3,), 10) == [1, 3]
    assert within(sizes, heads, (3,), 15) == [1, 3, 4]  # and a neighbour
    assert within(sizes, heads, (3, 0), 9) == [0]  # without its heads a row says nothing
    assert within(sizes, heads, (), 10) == []


def test_a_unit_is_in_the_words_of_its_passage():
    _, units, _ = read_answer("Refunds take 14 days.", None, CHUNKS)
    assert Unit(1, "Refunds take 14 days.") in units


def test_the_checks_risk_of_a_long_answers_claim_is_that_of_its_words():
    fact = (
        "The Basic plan costs $10 a month and includes 5 GB of data for every member of the team."
    )
    answer = " ".join([fact] * 12)
    claims, _, result = read_answer(answer, "What does it cost?", [fact])
    support = result.sentences[0].support
    assert claim_risk(claims[0], result) == pytest.approx(1 - support)
    claims, _, result = read_answer(fact, "What does it cost?", [fact])
    assert claim_risk(claims[0], result) == claims[0].fast
