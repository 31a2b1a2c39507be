"""How likely the chunks support a sentence, how likely something in it is wrong, and why."""

from streamguard.core.support.doubt import answer_doubt, doubt_of
from streamguard.core.support.model import Supports, groundedness, soft_maximum

__all__ = ["Supports", "answer_doubt", "doubt_of", "groundedness", "soft_maximum"]
