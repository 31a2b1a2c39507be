"""The shape of the model: the row of the generated weights, and what training shares with it."""

from typing import Final, NamedTuple

# The soft maximum of the risks is ln(sum(exp(SHARPNESS * risk))) / SHARPNESS. RAGTruth QA train,
# response AUROC out of fold at sharpness 1, 2 and 3: 0.816, 0.821 and 0.820; plain maximum 0.818.
SHARPNESS: Final = 2.0
# Risks beyond count as this: a probability of 1e-9 is no figure to be told from one of 1e-10.
MAX_RISK: Final = 20.0


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
