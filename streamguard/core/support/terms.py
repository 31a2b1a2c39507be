"""The shape of the model: the row of the generated weights, and what training shares with it."""

from typing import Final, NamedTuple

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
