"""From a sentence's figures to its support and why, and from sentences' risks to the answer's.

Support is 1 - sigmoid(risk). Risk is linear in the figures of `features` and in the logarithms
of those that count something, with the weights that `scripts/train_support.py` writes into
`weights`. Groundedness is a sigmoid of the soft maximum of the sentences' risks.

Doubt weighs a sentence's likeliest edits together with some of the support's figures, and with how
much the sentence and the nearest unit of the passages hold of one another. `scripts/train_edits.py`
fits it on everyday answers, whose edits were judged by weights that had not seen them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, fsum, inf, log, log1p
from operator import sub
from typing import Final, NamedTuple

from streamguard.core.facts import weights as edit_weights
from streamguard.core.facts.model import FIGURES as GROUPS
from streamguard.core.facts.model import Doubt, Edit, Group, line_of, log_odds
from streamguard.core.facts.said import LATEST, Said
from streamguard.core.facts.slots import CONTENT
from streamguard.core.facts.standing import WARNED
from streamguard.core.index.evidence import Evidence
from streamguard.core.model.types import Support
from streamguard.core.sentence import Sentence
from streamguard.core.support import weights
from streamguard.core.support.features import FEATURES, Told, read_features
from streamguard.text.words import Memo

# The soft maximum of the claims' risks is ln(sum(exp(SHARPNESS * risk))) / SHARPNESS. Response
# AUROC out of fold on RAGTruth QA train at sharpness 1, 2, 3: 0.816, 0.821, 0.820; maximum 0.818.
SHARPNESS: Final = 2.0
# Risks beyond count as this: probabilities have six digits, and 0.000001 is the lowest.
MAX_RISK: Final = 13.8


class Term(NamedTuple):
    """What one figure adds to the risk: `weight` times it, `log_weight` times ln(1 + it).

    Figures above `largest`, the largest in training, count as that. `mean`: what the figure adds
    on the mean of the training sentences.
    """

    name: str
    largest: float
    weight: float
    log_weight: float
    mean: float


# A figure without weights, as while they are trained for it, adds nothing.
_TERMS: Final = {term[0]: Term._make(term) for term in weights.TERMS}
_NAMES: Final = [one.name for one in FEATURES]
_ROWS: Final = [_TERMS.get(name, Term(name, inf, 0.0, 0.0, 0.0)) for name in _NAMES]
_, _LARGEST, _WEIGHTS, _LOG_WEIGHTS, _MEANS = zip(*_ROWS, strict=True)
MAX_REASONS: Final = 3
# A reason moves the risk at least so far, and at least so large a part of the strongest one's
# way; guesses: a tenth of the span between a plain and a doubtful sentence, and a quarter.
_LEAST: Final = 0.3
_LEAST_PART: Final = 0.25

# The figures of a group stand side by side.
_GROUPS: Final = {
    group: slice(min(numbers), max(numbers) + 1)
    for group in dict.fromkeys(one.group for one in FEATURES)
    for numbers in [[at for at, one in enumerate(FEATURES) if one.group == group]]
}
_SAID: Final = Memo(str)  # a reason is kept once, however many sentences have it


class Supports:
    """Scores the sentences of one answer, in their order; holds what the earlier ones said.

    `figures`: those of the last one, in the order of `FEATURES`.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.figures: Sequence[float] = ()
        self._evidence = evidence
        self._told = Told()

    def add(self, sentence: Sentence) -> Support:
        """Return the support of the next sentence; every sentence must come once, in order."""
        figures = self.figures = read_features(sentence, self._evidence, self._told)
        terms = contributions(figures)
        risk = max(-MAX_RISK, min(MAX_RISK, weights.INTERCEPT + sum(terms)))
        if _is_reckoned(sentence):
            risk = min(risk, 0.0)
        departures = [*map(sub, terms, _MEANS)]
        # Nothing stands before the first sentence, and what is derived need not be in a passage.
        unsaid = ["answer"] * (not sentence.index) + ["figures"] * bool(sentence.reckonable)
        return Support(round(_sigmoid(-risk), 6), reasons_for(figures, departures, unsaid))


def groundedness(
    supports: Sequence[float], line: tuple[float, float] | None = None
) -> float | None:
    """Return the probability in [0, 1] that claims with these supports hold nothing unsupported.

    Calibrated for a prior of `weights.PRIOR` hallucinated answers, unless `line` is another
    intercept and slope. None without claims.
    """
    if not supports:
        return None
    intercept, slope = line or (weights.ANSWER_INTERCEPT, weights.ANSWER_SLOPE)
    return round(_sigmoid(-intercept - slope * soft_maximum(supports)), 6)


def soft_maximum(supports: Sequence[float]) -> float:
    """Return the soft maximum of the risks of one claim or more."""
    total = sum(exp(SHARPNESS * _risk_of(support)) for support in supports)
    return log(total) / SHARPNESS


def contributions(figures: Sequence[float]) -> list[float]:
    """Return what each figure adds to the risk, in the order of `FEATURES`."""
    return [  # most figures of most sentences are zero
        weight * (inside := min(figure, largest)) + log_weight * log1p(inside) if figure else 0.0
        for figure, largest, weight, log_weight in zip(
            figures, _LARGEST, _WEIGHTS, _LOG_WEIGHTS, strict=True
        )
    ]


def _is_reckoned(sentence: Sentence) -> bool:
    """Say whether all values are the chunks' or follow from them, and one follows.

    Such a one is not likelier wrong than right: too few in training for weights to learn it.
    """
    reckonable = sentence.reckonable
    return bool(reckonable) and all(
        one.relation == "same" or anchor.start in reckonable for anchor, one in sentence.matches
    )


def _risk_of(support: float) -> float:
    if 0.0 < support < 1.0:
        return log((1.0 - support) / support)
    return MAX_RISK if support <= 0.0 else -MAX_RISK


def _sigmoid(risk: float) -> float:
    return 1.0 / (1.0 + exp(-risk))


# With the figures put in by name.
_AGAINST: Final = {
    "words": "few of its words are in the retrieved passages",
    "window": "no single place in the passages says all of it",
    "copying": "few of its words follow one another as in a passage",
    "figures": "it states figures or dates; compare each of them with the passages",
    "names": "words with a capital letter in it are in no retrieved passage",
    "citation": "the passage it cites holds less of it than another one",
    "denial": "it says that the passages do not tell something; look whether they do",
    "form": "such sentences are often added without a source; look where a passage says so",
    "answer": "the sentences before it have little support either",
}
_FOR: Final = {
    "words": "most of its words are in the retrieved passages",
    "window": "one place in the passages holds nearly all it says",
    "copying": "up to {copied:.0f} of its words stand in a passage in this order",
    "figures": "its figures and dates, if any, are in the passages",
    "names": "it names nobody and nothing that is not in the passages",
    "denial": "it says what the passages do not tell",
    "form": "such sentences mostly come from the passages",
    "answer": "the sentences before it have support",
}


def reasons_for(
    figures: Sequence[float], departures: Sequence[float], unsaid: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return up to `MAX_REASONS` reasons, the strongest first.

    `departures` say how far each figure moves the risk from that of a mean sentence. Reasons
    against the sentence are given where its risk is above the mean, else those for it; none of the
    groups `unsaid`.
    """
    against = sum(departures) > 0
    worded = _AGAINST if against else _FOR
    moved = []
    for group, figures_of_group in _GROUPS.items():
        by = sum(departures[figures_of_group])
        if group in worded and group not in unsaid and (by if against else -by) >= _LEAST:
            moved.append((abs(by), group))
    moved.sort(reverse=True)
    strong = [group for by, group in moved if by >= _LEAST_PART * moved[0][0]]
    named = dict(zip(_NAMES, figures, strict=True))
    return tuple([_SAID[worded[group].format(**named)] for group in strong[:MAX_REASONS]])


# Figures of the support score that count here too.
_TAKEN: Final = (
    "elsewhere",
    "elsewhere_cited",
    "anchors",
    "absent_figures",
    "denies",
    "negation",
    "colon",
    "is_claim",
    "refused_before",
)
# `edit`: log-odds of the likeliest edit, and of each group's own; `likely`: edits that are no
# fainter than `FAINT`; `late`: sentences before; `money`: an amount that no passage holds and
# nothing explains; `conditions`: words that make one; `returned`: share of the nearest unit's
# weight that answer and question hold so far; `turned`: one of the two denies, the other does not.
OF_EDITS: Final = ("edit", "likely", *GROUPS)  # figures that the edits' log-odds tell
FIGURES: Final = (*OF_EDITS, "late", "money", "conditions", "returned", "turned", *_TAKEN)
# `all`: logarithm of the sum of the sentences' log(1 + odds); logarithms of their number and of
# the claims'.
ANSWER_FIGURES: Final = ("all", "sentences", "claims")
LEAST_RISK: Final = -6.0  # log-odds where there is no edit
FAINT: Final = -1.5
# Log-odds from which an edit is plain: its sentence is as likely wrong. Of marks that likely there
# are too few in the everyday sets for the line to learn them, and most of these are wrong.
_PLAIN: Final[dict[Group, float]] = {
    "exchange": -6.0,
    "polarity": 0.85,
    "modal": 0.85,
    "quantifier": 0.85,
}
# What makes a statement conditional, or takes something out of it.
_CONDITIONS: Final = frozenset(
    (
        "if unless until except excluding only provided when whenever where otherwise apart subject"
    ).split()
)

_PLACES: Final = tuple([one.name for one in FEATURES].index(name) for name in _TAKEN)
_COUNTED: Final = tuple(FEATURES[place].is_count for place in _PLACES)
_FITTED: Final = {term[0]: term for term in edit_weights.SENTENCE[1]}
_LINE: Final = [_FITTED.get(name, (name, 0.0, 0.0, 0.0)) for name in FIGURES]
_SENTENCE: Final = line_of(edit_weights.SENTENCE[0], _LINE)
_ANSWER: Final = line_of(*edit_weights.ANSWER)


def doubt_of(
    sentence: Sentence, edits: Sequence[Edit], said: Said | None, support: Sequence[float]
) -> Doubt:
    """Return the doubt of a sentence; `support` are its figures in the order of `FEATURES`."""
    late = log1p(min(sentence.rank, LATEST))
    money = any(_is_made_up_money(edit) for edit in edits)
    conditions = sum(map(_CONDITIONS.__contains__, sentence.content.words))
    taken = (
        log1p(support[place]) if is_count else float(support[place])
        for place, is_count in zip(_PLACES, _COUNTED, strict=True)
    )
    figures = (
        *edit_figures((edit.group, edit.risk) for edit in edits),
        late,
        float(money),
        float(conditions),
        *_shared(said),
        *taken,
    )
    risk = log_odds(_SENTENCE, figures)
    plain = [edit.risk for edit in edits if edit.risk >= _PLAIN.get(edit.group, inf)]
    return Doubt(figures, max(risk, *plain) if plain else risk)


def edit_figures(edits: Iterable[tuple[Group, float]]) -> tuple[float, ...]:
    """Return the figures of `OF_EDITS` of edits with these log-odds."""
    largest = dict.fromkeys(GROUPS, LEAST_RISK)
    likely = 0
    for group, risk in edits:
        largest[group] = max(risk, largest[group])
        likely += risk > FAINT
    return max(largest.values()), float(likely), *largest.values()


def answer_doubt(risks: Sequence[float], claims: int) -> float | None:
    """Return the log-odds that an answer is wrong, by its sentences' risks; None without any."""
    return log_odds(_ANSWER, answer_figures(risks, claims)) if risks else None


def answer_figures(risks: Sequence[float], claims: int) -> tuple[float, float, float]:
    """Return the figures of an answer of one sentence or more, in the order of `ANSWER_FIGURES`."""
    total = fsum(log1p(exp(min(risk, 30.0))) for risk in risks)
    return log(total), log1p(len(risks)), log1p(claims)


def _is_made_up_money(edit: Edit) -> bool:
    anchor = edit.slot.anchor if edit.slot is not None else None
    return edit.standing in WARNED and anchor is not None and anchor.kind == "amount"


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
