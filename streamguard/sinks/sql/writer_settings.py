"""A writer's settings, passed by the process that starts it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class WriterSettings:
    """A writer's folder, its database, and how long results are kept.

    `keep_days` and `keep_results` limit age and number, None for no limit.
    """

    url: str
    folder: str
    keep_days: float | None = None
    keep_results: int | None = None

    def to_json(self) -> str:
        """Return the settings as JSON on one line."""
        return json.dumps(asdict(self))
