"""The support score: the probability that the chunks support a sentence, and why."""

from streamguard.core.support.model import Supports, groundedness, soft_maximum

__all__ = ["Supports", "groundedness", "soft_maximum"]
