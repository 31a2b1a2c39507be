"""How likely the chunks support a sentence, how likely something in it is wrong, and why."""

from streamguard.core.support.model import (
    Supports,
    answer_doubt,
    doubt_of,
    groundedness,
    soft_maximum,
)  # fmt: skip

__all__ = ["Supports", "answer_doubt", "doubt_of", "groundedness", "soft_maximum"]
