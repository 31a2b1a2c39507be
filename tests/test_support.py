"""The support score: what it ranks, why it says so, and that it needs no later sentence."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.checks import PATTERN_CHECKS
from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.policy import Policy
from streamguard.core.support import Supports, groundedness, weights
from streamguard.core.support.features import FEATURES, Told, read_features
from streamguard.core.support.model import reasons_for
from streamguard.core.validate import check_text
from tests.answers import CLEAN, plans, result_of

ORCHARD = (
    """Apple trees need full sun and well drained soil. Plant them in early spring, at least four
metres apart. Water them twice a week in the first summer.""",
    """Prune apple trees in late winter while they are dormant. Most varieties need a second tree
nearby for pollination. The fruit ripens from August to October.""",
)
# Faithful and invented sentences on one subject, self-written.
PAIRS = [
    ("Plant apple trees in early spring.", "Apple trees were first grown by monks in Bohemia."),
    ("Water the trees twice a week in the first summer.", "Spray them with copper every Friday."),
    (
        "Pruning is done in late winter, while the trees are dormant.",
        "Pruning keeps pests away and makes the harvest considerably sweeter.",
    ),
    ("The fruit ripens from August to October.", "The fruit ripens within 45 days of bloom."),
    (
        "Most varieties need another tree nearby for pollination.",
        "Most varieties need another tree nearby, which also prevents honey fungus and canker.",
    ),
    ("Four metres should lie between the trees.", "Dwarf rootstocks halve the distance needed."),
]


def judged(answer, *chunks, query=None, **changes):
    context = Context(query=query, chunks=chunks or ORCHARD, **changes)
    return check_text(answer, context=context)


def support_of(answer, *chunks, **changes):
    (sentence,) = judged(answer, *chunks, **changes).sentences
    return sentence.support


def figures_of(answer, *chunks, query=None):
    """Return the figures of each sentence, by name."""
    context = Context(query=query, chunks=chunks or ORCHARD)
    guard, told = StreamGuard(context), Told()
    found = []

    def collect(sentence, scope):
        values = read_features(sentence, scope.evidence, told)
        found.append(dict(zip([one.name for one in FEATURES], values, strict=True)))
        return ()

    guard = StreamGuard(context, checks=replace(PATTERN_CHECKS, per_sentence=(collect,)))
    guard.feed(answer)
    guard.close()
    return found


@pytest.mark.parametrize(("faithful", "invented"), PAIRS)
def test_an_invented_sentence_has_less_support_and_leaves_the_answer_less_grounded(
    faithful, invented
):
    assert support_of(faithful) > support_of(invented)
    alone = judged(faithful).scores.groundedness
    assert judged(f"{faithful} {invented}").scores.groundedness < alone


def test_a_passage_that_is_cited_wrongly_costs_support():
    right = support_of("The fruit ripens from August to October [C2].")
    wrong = support_of("The fruit ripens from August to October [C1].")
    assert right > 0.9
    assert wrong < right


REASONS = [
    ("The fruit ripens within 45 days of 3 May 2019.",
     "figures or dates in it are in no retrieved passage"),
    ("It was bred by Torsten Lindqvist in Uppsala.", "with a capital letter"),
    ("Beekeepers hire hives to nearby orchards.", "of what it says is in no retrieved"),
    ("Prune apple trees in late winter while they are dormant.",
     "hold about 100% of what it says"),
]  # fmt: skip


def test_the_reasons_name_what_speaks_for_or_against_the_sentence():
    for sentence, reason in REASONS:
        (report,) = judged(sentence).sentences
        assert 1 <= len(report.reasons) <= 3
        assert any(reason in one for one in report.reasons), report.reasons


def test_the_finding_gives_probability_and_reasons():
    result = judged("Spray them with copper sulphate every Friday to prevent apple scab.")
    (finding,) = [f for f in result.findings if f.check == "unsupported_claim"]
    (sentence,) = result.sentences
    assert finding.message == (
        f"The passages support this with a probability of {sentence.support:.0%}:"
        f" {'; '.join(sentence.reasons)}."
    )


def test_nothing_is_scored_without_chunks_or_verdicts():
    for result in (
        check_text(CLEAN, context=Context()),
        check_text(CLEAN, context=Context(chunks=())),
        check_text(CLEAN, context=plans(), checks=PATTERN_CHECKS),
    ):
        assert result.scores.groundedness is None
        assert [(s.support, s.reasons) for s in result.sentences] == [(None, ())]


def test_literal_matching_flags_by_coverage_and_shows_the_support():
    # Half of it is held: too little for so high a support, enough for coverage.
    answer = (
        "The Basic plan costs $49 per month and includes a helicopter, two yachts and a butler."
    )
    context = plans(citations=["C1"])
    by_support = check_text(answer, context=context, policy=Policy(min_support=0.95))
    by_coverage = check_text(answer, context=context, policy=Policy.preset("literal"))
    assert by_support.sentences[0].support == by_coverage.sentences[0].support
    assert "unsupported_claim" in by_support.flags
    assert "unsupported_claim" not in by_coverage.flags


def test_a_score_that_cannot_be_made_is_an_error_and_not_held_against_the_claim(monkeypatch):
    def fail(*_):
        raise ValueError("broken")

    monkeypatch.setattr(Supports, "add", fail)
    result = check_text(CLEAN, context=plans())
    assert result.errors == ("support: ValueError (broken)",)
    assert (result.status, result.supported_claims, result.scores.groundedness) == ("WARN", 1, None)
    assert "unsupported_claim" not in result.flags


def test_no_split_and_no_later_sentence_changes_support_or_reasons():
    answer = " ".join(one for pair in PAIRS[:3] for one in pair)
    whole = result_of(answer, Context(chunks=ORCHARD))
    for count in range(1, len(whole.sentences)):
        first = judged(answer[: whole.sentences[count].start]).sentences
        assert [(one.support, one.reasons) for one in first] == [
            (one.support, one.reasons) for one in whole.sentences[:count]
        ]


@given(st.text(alphabet="aA1İß .,!:\n#-*[C]$%pruneapple", max_size=120))
def test_any_text_has_a_probability(text):
    result = judged(text)
    assert result.errors == ()
    assert all(0 <= s.support <= 1 for s in result.sentences)


FIGURES = [
    ("Plant them in early spring.",
     {"keys": 3, "held": 1.0, "absent_at": 1.0, "copied": 5, "side_by_side": 1.0}),
    ("Plant them in early autumn.", {"absent_plain": 1}),
    ("Hello!", {"held": 0.0}),
    ("The and of it.", {"held": 1.0}),
    ("They pollinate well.", {"absent_words": 1}),
    ("Fertilisation and mulching.", {"absent_long": 1}),
    ("Mulching helps.", {"absent_ing": 1}),
    ("Plant them by hand.", {"absent_means": 1}),
    ("Plant seeds because frost causes rot.", {"absent_effect": 1}),
    ("Plant early peaches and plums.", {"absent_at": 0.5}),
    ("Peaches.", {"side_by_side": 1.0}),
    ("Peaches rot.", {"side_by_side": 0.0}),
    ("Plant 7 trees on 4 May.", {"anchors": 2, "absent_figures": 2}),
    ("Plant Cox and Boskoop.", {"absent_names": 2}),
    ("Overall, plant them early.", {"summing_up": True}),
    ("You should consult an expert.", {"advice": 3, "negation": 0}),
    ("You should not.", {"negation": 1}),
    ("The passages do not mention ladders.", {"denies": 1, "denied_held": 0.0}),
    ("The passages do not mention apple trees.", {"denies": 1, "denied_held": 0.5}),
    ("Plant them (early) and:", {"colon": True, "brackets": 1}),
    ("- Plant them early.", {"is_item": True}),
]  # fmt: skip


def test_a_figure_counts_what_its_meaning_says():
    for answer, expected in FIGURES:
        (figures,) = figures_of(answer)
        assert {name: figures[name] for name in expected} == pytest.approx(expected), answer
    assert figures_of("Apple trees ripen in spring.")[0]["elsewhere"] > 0


def test_figures_of_the_answer_so_far_come_from_earlier_sentences():
    first, second, third = figures_of(
        "I cannot answer that. Peaches need copper. Peaches need wool and copper."
    )
    assert (first["weakest_before"], first["said_before"]) == (0.0, 0.0)
    assert second["refused_before"]
    assert third["weakest_before"] > 0.5
    assert third["weak_before"] == 1
    assert third["absent_again"] == 2
    assert third["said_before"] == pytest.approx(3 / 4)


def test_a_word_whose_case_folding_is_longer_counts_as_no_name():
    (figures,) = figures_of("i\u0307 i\u0307x Weiß \u0130zmir peaches.")
    assert figures["absent_names"] in (0, 1, 2)


def test_the_weights_are_of_the_figures_in_their_order():
    assert [term.name for term in weights.TERMS] == [one.name for one in FEATURES]
    assert all(term.log_weight == 0 or one.is_count
               for term, one in zip(weights.TERMS, FEATURES, strict=True))  # fmt: skip
    groups = [one.group for one in FEATURES]
    assert [group for group, _ in itertools.groupby(groups)] == [*dict.fromkeys(groups)]


def test_a_reckoned_claim_is_not_refused_for_its_wording():
    context = Context(
        query="What would a week come to?",
        chunks=["Mooring in the outer basin costs €14 for each night."],
    )
    said = "Anyone mooring a boat here, planning to remain with us a whole week, owes {}."
    right, wrong = (check_text(said.format(sum_), context=context) for sum_ in ("€98", "€99"))
    assert (right.status, right.sentences[0].support) == ("PASS", 0.5)
    assert wrong.status == "REFUSE"


def test_groundedness_falls_with_every_claim_and_with_every_support():
    assert 1 > groundedness([0.99]) > groundedness([0.99, 0.99]) > groundedness([0.99, 0.5]) > 0
    assert groundedness(()) is judged("Hello!").scores.groundedness is None
    assert 1 > groundedness([1.0]) > groundedness([0.999]) > groundedness([0.0]) > 0


def test_every_group_has_words_for_a_figure_of_its_own():
    assert reasons_for([0.0] * len(FEATURES), [0.0] * len(FEATURES)) == ()
    for group, against in itertools.product({one.group for one in FEATURES}, [True, False]):
        moves = [(1.0 if against else -1.0) * (one.group == group) for one in FEATURES]
        for figures in ([0.0] * len(FEATURES), [1.0] * len(FEATURES)):
            reasons = reasons_for(figures, moves)
            assert len(reasons) == (0 if group == "citation" and not against else 1)
            assert all(reason and not reason.endswith(".") for reason in reasons)
