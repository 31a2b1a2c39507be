"""The support score: what it ranks, why it says so, and that it needs no later sentence."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamguard.core.checks import PATTERN_CHECKS
from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.support import weights
from streamguard.core.support.features import FEATURES, Told, read_features
from streamguard.core.support.model import groundedness, reasons_for
from streamguard.core.validate import check_text

ORCHARD = (
    """Apple trees need full sun and well drained soil. Plant them in early spring, at least four
metres apart. Water them twice a week in the first summer.""",
    """Prune apple trees in late winter while they are dormant. Most varieties need a second tree
nearby for pollination. The fruit ripens from August to October.""",
)


def judged(answer, *chunks, query=None, **changes):
    context = Context(query=query, chunks=chunks or ORCHARD, **changes)
    return check_text(answer, context=context)


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


@given(st.text(alphabet="aA1İß .,!:\n#-*[C]$%pruneapple", max_size=120))
def test_any_text_has_a_probability(text):
    result = judged(text)
    assert result.errors == ()
    assert all(0 <= s.support <= 1 for s in result.sentences)


FIGURES = [
    ("Plant them in early spring.",
     {"keys": 3, "held": 1.0, "absent_at": 1.0, "copied": 5}),
    ("Plant them in early autumn.", {"absent_plain": 1}),
    ("Hello!", {"held": 0.0}),
    ("The and of it.", {"held": 1.0}),
    ("They pollinate well.", {"absent_words": 1}),
    ("Plant early peaches and plums.", {"absent_at": 0.5}),
    ("Plant 7 trees on 4 May.", {"anchors": 2, "absent_figures": 2}),
    ("Plant Cox and Boskoop.", {"absent_names": 2}),
    ("Overall, plant them early.", {"summing_up": True}),
    ("You should not.", {"negation": 1, "you": 1}),
    ("Fertilisation and mulching.", {"absent_long": 1}),
    ("Peaches rot.", {"copied": 0}),
    ("The passages do not mention ladders.", {"denies": 1}),
    ("Plant them (early) and:", {"colon": True, "brackets": 1}),
    ("- Plant them early.", {"is_item": True}),
]  # fmt: skip


def test_a_figure_counts_what_its_meaning_says():
    for answer, expected in FIGURES:
        (figures,) = figures_of(answer)
        assert {name: figures[name] for name in expected} == pytest.approx(expected), answer
    assert figures_of("Apple trees ripen in spring.")[0]["elsewhere"] > 0


def test_a_word_whose_case_folding_is_longer_counts_as_no_name():
    (figures,) = figures_of("i\u0307 i\u0307x Weiß \u0130zmir peaches.")
    assert figures["absent_names"] in (0, 1, 2)


def test_the_weights_are_of_the_figures_in_their_order():
    assert [name for name, *_ in weights.TERMS] == [one.name for one in FEATURES]
    pairs = zip(weights.TERMS, FEATURES, strict=True)
    assert all(log_weight == 0 or one.is_count for (*_, log_weight, _), one in pairs)
    groups = [one.group for one in FEATURES]
    assert [group for group, _ in itertools.groupby(groups)] == [*dict.fromkeys(groups)]


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
