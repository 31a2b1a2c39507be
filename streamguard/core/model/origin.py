"""Where the passages of a context came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from streamguard.prompt.boundaries import Form

# Whose words they are: given as chunks by the application, read from its messages or from the
# user's, returned by a tool, or sent as documents beside the messages.
Where = Literal["given", "system", "user", "tool", "document"]


@dataclass(frozen=True, slots=True)
class ContextOrigin:
    """One source of passages: whose words, how they were set off, and how many there are."""

    where: Where
    form: Form | None  # None where they came as chunks, results or documents
    passages: int
