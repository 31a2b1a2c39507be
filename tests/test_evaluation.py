"""Figures of the evaluation: against values worked out by hand and against plainer code."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.validate import check_text
from streamguard.evaluation.calibration import bins, calibration_error
from streamguard.evaluation.evaluate import evaluate
from streamguard.evaluation.labels import Judged, Labelled
from streamguard.evaluation.measures import SentenceMeasure, answer_measures, sentence_measures
from streamguard.evaluation.rendering import as_json, table
from streamguard.evaluation.sample import answer_items, character_items, sample_of, sentence_items
from streamguard.evaluation.scored_items import (
    Confusion,
    Scored,
    auroc,
    best_threshold,
    by_group,
    confusion,
    raised_out_of_fold,
    ranked,
    summed,
)


def scored(pairs, *, groups=None, folds=None):
    """Return items from (score, is bad) pairs."""
    items = Scored()
    for at, (score, is_bad) in enumerate(pairs):
        group = groups[at] if groups else at
        items.add(score, float(is_bad), float(not is_bad), group, folds[at] if folds else at % 2)
    return items


FOUR = [(0.9, True), (0.6, False), (0.4, True), (0.1, False)]


# --- ranking and decisions


SOME_PAIRS = st.lists(st.tuples(st.integers(0, 6).map(float), st.booleans()), max_size=30)


def naive_auroc(pairs):
    bad = [score for score, is_bad in pairs if is_bad]
    clean = [score for score, is_bad in pairs if not is_bad]
    if not bad or not clean:
        return None
    wins = sum((b > c) + (b == c) / 2 for b in bad for c in clean)
    return wins / (len(bad) * len(clean))


@given(SOME_PAIRS)
@example(FOUR)
@example([(0.5, True), (0.5, False)])
@example([(0.3, True)])
def test_auroc_equals_the_comparison_of_all_pairs(pairs):
    found, expected = auroc(ranked(scored(pairs))), naive_auroc(pairs)
    assert (found is None) == (expected is None)
    assert found is None or math.isclose(found, expected)


@given(SOME_PAIRS, st.lists(st.integers(0, 3), min_size=30, max_size=30))
def test_a_resample_equals_items_that_are_written_out(pairs, counts):
    repeated = [pair for at, pair in enumerate(pairs) for _ in range(counts[at])]
    found = auroc(ranked(scored(pairs)), counts)
    expected = auroc(ranked(scored(repeated)))
    assert (found is None) == (expected is None)
    assert found is None or math.isclose(found, expected)
    raised = [score >= 3 for score, _ in pairs]
    parts = by_group(scored(pairs), raised, 30)
    assert summed(parts, counts) == confusion(
        scored(repeated), [score >= 3 for score, _ in repeated]
    )


def test_precision_recall_f1_and_false_alarms_are_shares_of_weights():
    found = confusion(scored(FOUR), [True, True, False, False])
    assert found == Confusion(1.0, 1.0, 1.0, 1.0)
    assert (found.precision, found.recall, found.f1, found.false_alarms) == (0.5, 0.5, 0.5, 0.5)
    weighted = Confusion(hit=3.0, alarm=1.0, missed=2.0, quiet=9.0)
    assert (weighted.precision, weighted.recall, weighted.f1) == (0.75, 0.6, 2 / 3)
    assert weighted.false_alarms == 0.1
    none = Confusion(0.0, 0.0, 0.0, 0.0)  # a share of nothing does not exist
    assert (none.precision, none.recall, none.f1, none.false_alarms) == (None,) * 4


def test_a_threshold_is_chosen_on_the_other_folds():
    pairs = [(0.9, True), (0.8, False), (0.4, True), (0.3, False)]
    folds = [0, 0, 1, 1]
    # Fold 0 takes 0.4 of fold 1 and raises both; fold 1 takes 0.9 and raises none.
    assert raised_out_of_fold(scored(pairs, folds=folds)) == [True, True, False, False]
    assert raised_out_of_fold(scored(FOUR, folds=[1, 1, 1, 1])) == [False] * 4  # no others
    assert best_threshold(scored(FOUR)) == 0.4  # F1 0.8; 0.9 and 0.1 have 2/3


# --- calibration


def test_a_probability_that_is_too_high_is_off_by_as_much():
    found = bins(scored([(0.9, at % 2 == 0) for at in range(20)]))
    assert len(found) == 1  # one score stays in one bin
    assert calibration_error(found) == pytest.approx(0.4)
    assert calibration_error([]) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_bins_hold_every_item_once_and_rise(pairs):
    found = bins(scored(pairs))
    assert sum(one.weight for one in found) == len(pairs)
    assert [one.mean for one in found] == sorted(one.mean for one in found)
    assert len(found) <= 10


# --- answers, sentences, characters

CHUNKS = ["Basic costs $49 per month.", "Refunds are paid within 14 days."]
CLEAN = "Basic costs $49 per month. Refunds are paid within 14 days."
WRONG = "Basic costs $59 per month. Refunds are paid within 14 days."


def judged(answer, *, spans=(), group="a", hallucinated=None, **more):
    bad = bool(spans) if hallucinated is None else hallucinated
    context = Context(query="What does Basic cost?", chunks=CHUNKS)
    row = Labelled(answer, context, bad, spans, group=group, **more)
    return Judged(row, check_text(answer, context=context))


SIZE = len("$59 per month")
PRICE = (WRONG.index("$59"), WRONG.index("$59") + SIZE)
SAMPLE = [judged(CLEAN, group="a"), judged(WRONG, spans=(PRICE,), group="b")]


def figures(level, name):
    return next(row for row in level.rows if row.name == name)


def test_findings_that_overlap_count_their_characters_once_and_marks_need_no_label():
    doubled = SAMPLE[1].result.model_copy(update={"findings": SAMPLE[1].result.findings * 2})
    one = Judged(SAMPLE[1].row, doubled)
    measure = SentenceMeasure("potential_hallucination", lambda r, n: 1.0)
    items = character_items(sample_of([one]), measure)
    assert (sum(items.bad), sum(items.clean)) == (SIZE, len(WRONG) - SIZE)
    one = Judged(Labelled("", None, None, sentences={1: False}), SAMPLE[0].result)
    items = sentence_items(sample_of([one]), sentence_measures([one.result])[-1])
    assert (items.bad, items.clean) == ([0.0], [1.0])
    assert len(answer_items(sample_of([one]), answer_measures([one.result])[-1])) == 0


def test_a_prior_changes_precision_and_leaves_recall_and_ranking():
    quiet = judged("Nothing is like the moon over the sea at night.", spans=((0, 7),), group="d")
    alarm = judged(WRONG, spans=(), group="e")
    rows = [*SAMPLE, quiet, alarm]
    plain, weighted = (evaluate(rows, prior=prior, count=0)[0] for prior in (None, 0.2))
    one, other = (figures(level, "potential_hallucination") for level in (plain, weighted))
    assert one.figures["recall"] == other.figures["recall"]
    assert one.auroc.value == pytest.approx(other.auroc.value)
    assert one.figures["precision"].value == pytest.approx(1 / 2)
    assert other.figures["precision"].value == pytest.approx(1 / (1 + 4))


# --- table, JSON, plots


def test_json_and_table_name_every_figure_and_its_bounds():
    levels = evaluate(SAMPLE, count=10)
    first = as_json(levels)[0]
    row = next(row for row in first["rows"] if row["name"] == "1 - least coverage")
    assert set(row["auroc"]) == {"value", "low", "high"}
    assert set(row["figures"]) == {"precision", "recall", "f1", "false_alarms"}
    assert set(row["recall_at"]) == {"0.05", "0.1"}
    text = table(levels)
    assert "answers: 1 bad, 1 clean (50.0% bad)" in text
    assert "potential_hallucination     1.000 [1.00 1.00]" in text
    assert "95 % bootstrap intervals" in text
