import math
from collections import Counter

import pytest

from streamguard.core.context import Context, Question
from streamguard.core.facts.source import Source
from streamguard.core.index.content import content_of
from streamguard.core.model.policy import PRESETS, Policy
from streamguard.core.verdict.scoring import (
    Tally,
    assertions,
    completeness,
    relevance,
    score_verdict,
)
from tests.kit.answers import CLEAN, QUESTION, result_of

POLICY = Policy()


def pairs(text):
    return [tuple(pair) for pair in assertions(content_of(text, ()))]


def test_relevance_is_the_mean_of_cosine_and_jaccard():
    question, answer = Counter("ab"), Counter("bbc")
    idf = {df: math.log(4 / (1 + df)) + 1 for df in range(4)}  # N = question, answer, one chunk
    q = {"a": idf[1], "b": idf[3]}
    r = {"b": 2 * idf[3], "c": idf[1]}
    cosine = q["b"] * r["b"] / math.hypot(*q.values()) / math.hypot(*r.values())
    got = relevance(question, answer, {"b": 1}, 1)
    assert got == pytest.approx((cosine + 1 / 3) / 2)
    assert relevance(question, question, {}, 0) == pytest.approx(1.0)
    assert relevance(question, {}, {}, 0) == relevance({}, question, {}, 0) == 0.0


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        ((None, None, None), None),
        ((0.5, 0.9, 0.51), "FAIL"),
        ((0.5, 0.9, 0.5), "PASS"),
        ((0.09, 0.9, 0.0), "FAIL"),
        ((0.1, 0.59, 0.0), "WARN"),
        ((0.1, 0.6, 0.0), "PASS"),
        ((None, None, 0.2), "PASS"),
        ((0.05, 0.1, 0.9), "FAIL"),
    ],
)
def test_the_first_score_rule_that_holds_gives_the_verdict(scores, verdict):
    assert score_verdict(*scores, POLICY) == verdict


def test_hallucination_counts_anchors_and_assertive_claims():
    # $49 is held and $59 is not; "plan costs $49" is held and "plan costs $59" is not
    scores = result_of("The Basic plan costs $49. The Pro plan costs $59.").scores
    assert scores.hallucination == 0.5
    assert scores.drift == 0.0
    assert not scores.high_risk
    scores = result_of("It weighs 17 kg, since 1987, at 4:30 pm.").scores
    assert (scores.hallucination, scores.high_risk, scores.published) == (1.0, True, "FAIL")


def test_the_other_published_verdict_is_in_the_foreground_under_literal_alone():
    for name in PRESETS:
        scores = result_of(CLEAN, policy=Policy.preset(name)).scores
        assert scores.published == "PASS"
        assert scores.verdict == ("PASS" if name == "literal" else None)


def test_drift_is_the_penalty_of_foreign_word_pairs():
    scores = result_of("Penguins inhabit remote southern oceans happily together.").scores
    assert (scores.drift, scores.hallucination) == (0.2, 0.2)
    assert result_of("Penguins inhabit oceans.").scores.drift == 0.0
    assert result_of(CLEAN).scores.drift == 0.0


def test_completeness_is_the_share_of_the_questions_own_words_also_inside_a_value():
    assert completeness(("plan", "cost"), {"plan"}) == 0.5
    assert completeness((), set()) == 1.0
    context = Context(query="What information does the document provide?", chunks=["Refunds."])
    scores = result_of("The document provides information on refunds.", context).scores
    assert scores.completeness == 1.0
    context = Context(query="How many days a week may I work from home?", chunks=["Home office."])
    scores = result_of("You may work from home up to 3 days a week.", context).scores
    assert scores.completeness == 1.0


def test_scores_without_their_input_are_none():
    for query in (None, "", "?!"):
        no_question = result_of(CLEAN, Context(query=query, chunks=["x"])).scores
        assert (no_question.relevance, no_question.completeness) == (None, None)
    no_chunks = result_of(CLEAN, Context(query=QUESTION)).scores
    assert (no_chunks.hallucination, no_chunks.drift) == (None, None)
    assert no_chunks.completeness == 1.0
    both = result_of(CLEAN).scores
    assert both.relevance > 0.2
    assert (both.completeness, both.published) == (1.0, "PASS")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Acme released Rocket in spring", [("acme", "rocket")]),
        ("The plan includes towels and costs money", [("plan", "towel"), ("includ", "money")]),
        ("Acme may release Rocket", []),
        ("Acme never sold Rocket", []),
        ("Released Rocket", []),
        ("Acme released", []),
        ("Acme " + "and so on " * 4 + "released Rocket", []),
        ("a b c " * 4, []),
    ],
)
def test_assertions_are_subject_and_object_of_a_fact_stating_verb(text, found):
    assert pairs(text)[:1] == found[:1]
    assert len(pairs(text)) >= len(found)
    assert len(pairs(" ".join(f"subject{n} costs object{n}" for n in range(9)))) == 3


def test_a_figure_that_a_question_repeats_is_looked_up_once(monkeypatch):
    asked = []
    look_up = Source.chunks_with_figure
    monkeypatch.setattr(
        Source,
        "chunks_with_figure",
        lambda self, word: [asked.append(word), look_up(self, word)][1],
    )
    context = Context(query="1 / 2 / 1 / " * 50, chunks=["1 / 2 / 1", "2 or 3"])
    context.prepare()
    assert len([*Tally(context.evidence, Question(context.query)).looking_up()]) == 2
    assert sorted(asked) == ["1", "2"]


def test_very_many_words_of_a_question_are_looked_up_with_pauses():
    context = Context(query=" ".join(f"word{n}" for n in range(120)), chunks=["word3 and word7"])
    context.prepare()
    question = Question(context.query)
    assert len([*Tally(context.evidence, question).looking_up()]) == 3 + 3
    assert [*Tally(None, question).looking_up()] == []
