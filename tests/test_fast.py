"""The fast scorer: its figures, its reasons, and that no later sentence changes a score."""

from dataclasses import replace
from math import log1p

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.checks import DEFAULT_CHECKS
from streamguard.core.context import Context
from streamguard.core.fast import model, weights
from streamguard.core.fast.figures import FIGURES
from streamguard.core.fast.model import groundedness
from streamguard.core.fast.reasons import WELL_SUPPORTED, reasons_for
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.validate import check_text
from tests.kit.answers import plans, result_of

ORCHARD = (
    """Apple trees need full sun and well drained soil. Plant them in early spring, at least four
metres apart. Water them twice a week in the first summer. They must not stand in water.""",
    """Prune apple trees in late winter while they are dormant. Most varieties need a second tree
nearby for pollination. The fruit ripens from August to October. Cox was bred in 1830.""",
)
NAMES = [one.name for one in FIGURES]


def judged(answer, *chunks, query=None, **changes):
    context = Context(query=query, chunks=chunks or ORCHARD, **changes)
    return check_text(answer, context=context)


def figures_of(answer, *chunks, query=None):
    """Return the figures of each sentence, by name."""
    context = Context(query=query, chunks=chunks or ORCHARD)
    found = []

    def collect(sentence, scope):
        found.append(dict(zip(NAMES, sentence.doubt.figures, strict=True)))
        return ()

    guard = StreamGuard(context, checks=replace(DEFAULT_CHECKS, per_sentence=(collect,)))
    guard.feed(answer)
    assert guard.close().errors == ()
    return found


@given(st.text(alphabet="aA1İß .,!:\n#-*[C]$%pruneapple", max_size=120))
def test_any_text_has_a_probability(text):
    result = judged(text)
    assert result.errors == ()
    assert all(0 <= s.support <= 1 for s in result.sentences)


ONE, TWO = 0.6931, 1.0986  # ln(1 + n)
NEARLY = pytest.approx(1.0, abs=0.5)
COUNTED = [
    (
        "Plant them in early spring.",
        {"pairs": 1.0, "absent": 0.0, "words": 1.7918, "matched": 1.3863, "is_claim": 1},
    ),
    ("Plant them in early autumn.", {"absent": ONE}),
    ("Peaches and plums rot.", {"absent": 1.3863, "pairs": 0.4, "matched": 0}),
    ("You should ensure that they are recommended.", {"absent": 0.0}),
    ("Plant 7 trees on 4 May.", {"absent_values": TWO}),
    ("Cox was bred in 1831.", {"absent_values": ONE, "underived": NEARLY}),
    ("Plant a Cox and a Boskoop.", {"absent_names": ONE}),
    ("Overall, plant them early.", {"summing_up": 1}),
    ("You should not.", {"negation": ONE}),
    ("They must stand in water.", {"undenied": NEARLY, "denied": 0}),
    ("Apple trees do not need full sun.", {"denied": NEARLY, "negated": NEARLY}),
    ("All varieties need a second tree.", {"all_new": NEARLY}),
    ("Plant them early and:", {"colon": 1}),
]


@pytest.mark.parametrize(("answer", "expected"), COUNTED)
def test_a_figure_counts_what_its_meaning_says(answer, expected):
    (figures,) = figures_of(answer)
    assert {name: figures[name] for name in expected} == pytest.approx(expected, abs=1e-3)


def test_the_answer_so_far_and_the_question_count():
    _, second = figures_of("Peaches rot. Plant them in early spring.")
    assert second["weakest_before"] > 0.5
    assert figures_of("Plant 7 trees.", query="May I plant 7 trees?")[0]["asked_values"] > 0
    assert figures_of("I cannot help. Plant them.")[1]["refused_before"] == 1
    cited = figures_of("Prune apple trees in late winter [C1].")[0]
    assert cited["cited_less"] > 0


RISKIER = [
    ("Apple trees need full sun.", "Apple trees need full shade."),
    ("Apple trees need full sun.", "Apple trees do not need full sun."),
    ("They must not stand in water.", "They must stand in water."),
    ("Most varieties need a second tree.", "All varieties need a second tree."),
    ("Cox was bred in 1830.", "Cox was bred in 1803."),
    ("The fruit ripens from August to October.", "The fruit ripens from June to October."),
    ("Prune apple trees in late winter [C2].", "Prune apple trees in late winter [C1]."),
    ("Plant them in early spring.", "Plant them in Lisbon in early spring."),
]


@pytest.mark.parametrize(("right", "wrong"), RISKIER)
def test_a_wrong_version_is_riskier_than_the_right_sentence(right, wrong):
    one, other = (judged(answer).sentences[0].doubt for answer in (right, wrong))
    assert one < other


# Whatever else a sentence is: each of these speaks against it, and the second list for it.
AGAINST = (
    "absent cited_less other_unit value_lead underived absent_names name_lead exchanged denied "
    "undenied all_new negated must_lead all_lead weakest_before"
).split()
FOR = ["matched", "pairs"]


@pytest.mark.parametrize("name", [*AGAINST, *FOR])
@pytest.mark.parametrize("before", [1, 3])
def test_a_weight_has_the_sign_of_its_meaning_in_a_sentence_of_twelve_words(name, before):
    weight = model.LINE.weight(NAMES.index(name), log1p(before), log1p(12))
    assert (weight > 0) == (name in AGAINST)


def test_the_weights_are_of_the_figures_in_their_order():
    assert [name for name, *_ in weights.TERMS] == NAMES


def test_a_score_depends_on_its_claim_and_the_answer_before_it_alone():
    answer = "Apple trees need shade. Plant them in early spring. Cox was bred in 1845."
    whole = judged(answer).sentences
    for number, sentence in enumerate(whole):
        so_far = judged(answer[: sentence.end]).sentences[number]
        assert (so_far.support, so_far.doubt, so_far.reasons) == (
            sentence.support, sentence.doubt, sentence.reasons,
        )  # fmt: skip
        assert so_far.scored_by == ("fast",)
    result_of(answer, Context(chunks=ORCHARD))  # in every way


def test_support_and_doubt_are_one_probability():
    for sentence in judged("Apple trees need shade. Plant them in early spring.").sentences:
        assert sentence.support + sentence.doubt == pytest.approx(1.0, abs=2e-6)


def test_groundedness_falls_with_every_claim_and_with_every_support():
    assert 1 > groundedness([0.99]) > groundedness([0.99, 0.99]) > groundedness([0.99, 0.5]) > 0
    assert groundedness(()) is judged("Hello!").scores.groundedness is None
    assert 1 > groundedness([1.0]) > groundedness([0.999]) > groundedness([0.0]) > 0


def test_a_value_of_another_row_is_nearly_certainly_wrong():
    rows = "| Plan | Price |\n|---|---|\n| Basic | $49 |\n| Pro | $99 |"
    result = judged("The price of Basic is $99.", rows)
    assert result.sentences[0].doubt >= 1 / (1 + 2.7183**-model.CERTAIN) - 1e-3


# --- reasons


def test_reasons_name_the_words_they_are_about():
    reasons = judged("Peaches and plums need glue.").sentences[0].reasons
    assert "“peaches”, “plums”, “glue” stands in no passage" in reasons
    result = check_text("The Basic plan costs $59 per month.", context=plans())
    assert any("“$59 per month”" in reason for reason in result.sentences[0].reasons)
    assert "“" not in str(result.without_text().sentences)


def test_every_group_has_words_for_a_figure_of_its_own():
    def collect(sentence, scope):
        assert reasons_for(sentence, (), [0.0] * len(FIGURES)) == ()
        for group in {one.group for one in FIGURES}:
            moves = [1.0 * (one.group == group) for one in FIGURES]
            reasons = reasons_for(sentence, (), moves)
            # All of it stands in one place, and nothing stands before the first sentence.
            is_true = group != "words" and (group != "answer" or sentence.index)
            assert len(reasons) == bool(is_true)
            assert all(reason and not reason.endswith(".") for reason in reasons)
        return ()

    checks = replace(DEFAULT_CHECKS, per_sentence=(collect,))
    result = check_text("Plant them. Water them.", context=Context(chunks=ORCHARD), checks=checks)
    assert result.errors == ()


def test_words_of_several_places_are_told_unless_one_place_says_all():
    moves = [1.0 * (one.group == "words") for one in FIGURES]
    found = []

    def collect(sentence, scope):
        found.append(reasons_for(sentence, (), moves))
        return ()

    checks = replace(DEFAULT_CHECKS, per_sentence=(collect,))
    answer = "Cox was bred in 1830. Cox trees need soil."
    check_text(answer, context=Context(chunks=ORCHARD), checks=checks)
    assert found == [(), ("no single place in the passages says all of it",)]


def test_a_well_supported_sentence_has_no_reasons_against_it():
    copied, invented = judged("Plant them in early spring. Peaches and plums need glue.").sentences
    assert copied.support >= WELL_SUPPORTED > invented.support
    assert copied.reasons == ()
    assert invented.reasons


NUMBERED = [
    ("See Article 17.", "See Art. 17."),
    ("Damages follow from Section 280 BGB.", "Damages follow from § 280 BGB."),
]


@pytest.mark.parametrize(("answer", "passage"), NUMBERED)
def test_words_around_a_number_that_the_passages_hold_are_no_absent_name(answer, passage):
    assert [one for one in judged(answer, passage).findings if one.severity == "warning"] == []
    wrong = answer.replace("17", "71").replace("280", "326")
    assert [one for one in judged(wrong, passage).findings if one.severity == "warning"]
