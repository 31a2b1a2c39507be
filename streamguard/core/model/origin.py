"""Where the passages of a context came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# Whose words they are: given as chunks by the application, read from its messages or from the
# user's, returned by a tool, or sent as documents beside the messages.
Where = Literal["given", "system", "user", "tool", "document"]
# How they were set off: between boundary lines, by tags, by numbered marks, between rules, behind
# a head or an announcing sentence; None where they came as chunks, results or documents.
Form = Literal["boundary", "tags", "marks", "rules", "head", "lead"]


@dataclass(frozen=True, slots=True)
class ContextOrigin:
    """One source of passages: whose words, how they were set off, and how many there are."""

    where: Where
    form: Form | None
    passages: int
