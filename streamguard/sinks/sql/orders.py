"""The settings that a writer gets from the process that starts it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Orders:
    """The writer's folder, its database, and how long results are kept.

    `keep_days` by age and `keep_results` by number, None for all.
    """

    url: str
    folder: str
    keep_days: float | None = None
    keep_results: int | None = None

    def to_json(self) -> str:
        """Return them on one line."""
        return json.dumps(asdict(self))
