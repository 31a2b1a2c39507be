"""From a sentence's figures to its support and why, and from sentences' risks to the answer's.

Support is 1 - sigmoid(risk). Risk is linear in the figures of `features` and in the logarithms
of those that count something, with the weights that `scripts/train_support.py` writes into
`weights`. Groundedness is a sigmoid of the soft maximum of the sentences' risks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import log1p
from operator import sub
from typing import Final, NamedTuple

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
_TERMS: Final = {term.name: term for term in map(Term._make, weights.TERMS)}
_NAMES: Final = [one.name for one in FEATURES]
_ROWS: Final = [_TERMS.get(name, Term(name, math.inf, 0.0, 0.0, 0.0)) for name in _NAMES]
_LARGEST: Final = tuple(term.largest for term in _ROWS)
_WEIGHTS: Final = tuple(term.weight for term in _ROWS)
_LOG_WEIGHTS: Final = tuple(term.log_weight for term in _ROWS)
_MEANS: Final = tuple(term.mean for term in _ROWS)
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
        unsaid = [
            *(() if sentence.index else ("answer",)),
            *(("figures",) if sentence.derived else ()),
        ]
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
    total = sum(math.exp(SHARPNESS * _risk_of(support)) for support in supports)
    return math.log(total) / SHARPNESS


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

    Its words need not be the chunks' then ("five seats come to $60"): it is not likelier wrong
    than right. Too few sentences of the training data are such for weights to learn it.
    """
    if not sentence.derived:
        return False
    return all(match.relation == "same" for _, match in sentence.matches)


def _risk_of(support: float) -> float:
    if support <= 0.0 or support >= 1.0:
        return MAX_RISK if support <= 0.0 else -MAX_RISK
    return math.log((1.0 - support) / support)


def _sigmoid(risk: float) -> float:
    return 1.0 / (1.0 + math.exp(-risk))


# With the figures put in by name.
_AGAINST: Final = {
    "words": "the retrieved passages hold about {held:.0%} of what it says",
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
    "words": "the retrieved passages hold about {held:.0%} of what it says",
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
