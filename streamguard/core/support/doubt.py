"""How likely something in a sentence is wrong, and in an answer of a few such sentences.

An edit speaks of one slot, support of how a sentence's words are told. Doubt weighs the likeliest
edits together with some of the support's figures, and with how much the sentence and the nearest
unit of the passages hold of one another. Both lines are fitted by `scripts/train_edits.py` on
everyday answers, whose edits were judged by weights that had not seen them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, fsum, inf, log, log1p
from typing import Final

from streamguard.core.facts import weights
from streamguard.core.facts.model import FIGURES as GROUPS
from streamguard.core.facts.model import Doubt, Edit, Group, line_of, log_odds
from streamguard.core.facts.said import Said
from streamguard.core.facts.slots import CONTENT
from streamguard.core.sentence import Sentence
from streamguard.core.support.features import FEATURES

# Figures of the support score that count here too.
_TAKEN: Final = (
    "elsewhere", "elsewhere_cited", "anchors", "absent_figures", "denies", "negation", "colon",
    "is_claim", "refused_before",
)  # fmt: skip
# `edit`: log-odds of the likeliest edit, and of each group's own; `likely`: edits that are no
# fainter than `FAINT`; `late`: sentences before; `money`: an amount that no passage holds and
# nothing explains; `conditions`: words that make one; `returned`: share of the nearest unit's
# weight that answer and question hold so far; `turned`: one of the two denies, the other does not.
_GROUPS: Final = tuple(GROUPS)
OF_EDITS: Final = ("edit", "likely", *_GROUPS)  # figures that the edits' log-odds tell
FIGURES: Final = (
    *OF_EDITS, "late", "money", "conditions", "returned", "turned", *_TAKEN
)  # fmt: skip
# `all`: logarithm of the sum of the sentences' log(1 + odds); logarithms of their number and of
# the claims'.
ANSWER_FIGURES: Final = ("all", "sentences", "claims")
LEAST_RISK: Final = -6.0  # log-odds where there is no edit
FAINT: Final = -1.5
# Log-odds from which an edit is plain: its sentence is as likely wrong, however it is told.
# Exchanges are read from forms; of negations, modals and quantifiers that likely there are too few
# in the everyday sets for the line to learn them, and most of these are wrong.
_PLAIN: Final[dict[Group, float]] = {
    "exchange": -6.0, "polarity": 0.85, "modal": 0.85, "quantifier": 0.85
}  # fmt: skip
_LATEST: Final = 12  # sentences before one that are counted
# What makes a statement conditional, or takes something out of it.
_CONDITIONS: Final = frozenset(
    """
    if unless until except excluding only provided when whenever where otherwise apart subject
    """.split()
)

_PLACES: Final = tuple([one.name for one in FEATURES].index(name) for name in _TAKEN)
_COUNTED: Final = tuple(FEATURES[place].is_count for place in _PLACES)
# A figure without weights, as while they are trained for it, adds nothing.
_TERMS: Final = {term[0]: term for term in weights.SENTENCE[1]}
_ROWS: Final = [_TERMS.get(name, (name, 0.0, 0.0, 0.0)) for name in FIGURES]
_SENTENCE: Final = line_of(weights.SENTENCE[0], _ROWS)
_ANSWER: Final = line_of(*weights.ANSWER)


def doubt_of(
    sentence: Sentence, edits: Sequence[Edit], said: Said | None, support: Sequence[float]
) -> Doubt:
    """Return the doubt of a sentence; `support` are its figures in the order of `FEATURES`."""
    late = log1p(min(sentence.rank, _LATEST))
    money = any(_is_made_up_money(edit) for edit in edits)
    conditions = sum(map(_CONDITIONS.__contains__, sentence.content.words))
    taken = (
        log1p(support[place]) if is_count else float(support[place])
        for place, is_count in zip(_PLACES, _COUNTED, strict=True)
    )
    figures = (
        *edit_figures((edit.group, edit.risk) for edit in edits),
        late, float(money), float(conditions), *_shared(said), *taken,
    )  # fmt: skip
    risk = log_odds(_SENTENCE, figures)
    plain = [edit.risk for edit in edits if edit.risk >= _PLAIN.get(edit.group, inf)]
    return Doubt(figures, max(risk, *plain) if plain else risk)


def edit_figures(edits: Iterable[tuple[Group, float]]) -> tuple[float, ...]:
    """Return the figures of `OF_EDITS` of edits with these log-odds."""
    largest = dict.fromkeys(_GROUPS, LEAST_RISK)
    likely = 0
    for group, risk in edits:
        largest[group] = max(risk, largest[group])
        likely += risk > FAINT
    return max(largest.values()), float(likely), *largest.values()


def answer_doubt(risks: Sequence[float], claims: int) -> float | None:
    """Return the log-odds that something in an answer is wrong; None without a sentence.

    `risks` are those of its sentences.
    """
    return log_odds(_ANSWER, answer_figures(risks, claims)) if risks else None


def answer_figures(risks: Sequence[float], claims: int) -> tuple[float, float, float]:
    """Return the figures of an answer of one sentence or more, in the order of `ANSWER_FIGURES`."""
    total = fsum(log1p(exp(min(risk, 30.0))) for risk in risks)
    return log(total), log1p(len(risks)), log1p(claims)


def _is_made_up_money(edit: Edit) -> bool:
    if edit.group != "value" or not edit.absent or edit.asked or edit.derivation is not None:
        return False
    anchor = edit.slot.anchor if edit.slot is not None else None
    return anchor is not None and anchor.kind == "amount"


def _shared(said: Said | None) -> tuple[float, float]:
    """Return `returned` and `turned`."""
    if said is None or not said.units:
        return 0.0, 0.0
    source, unit = said.source, said.units[0]
    places = range(unit.first, unit.end)
    kinds, weights_of = source.kinds, source.weights.__getitem__
    theirs = {source.keys[place] for place in places if kinds[place] in CONTENT}
    told = said.told.keys.union(slot.key for slot in said.question)
    whole = fsum(map(weights_of, theirs)) or 1.0
    denials = sum(slot.kind == "negator" for slot in said.slots)
    denials += sum(kinds[place] == "negator" for place in places)
    return fsum(map(weights_of, theirs & told)) / whole, float(denials % 2)
