"""A labelled answer, with and without its verdict."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from streamguard.core.context import Context
from streamguard.core.model.result import GuardrailsResult

FOLDS = 5  # for thresholds that are judged on answers they were not chosen on


@dataclass(frozen=True, slots=True)
class Labelled:
    """One answer and its labels.

    `hallucinated`: whether the answer as a whole is bad, None if unknown. `spans`: half-open code
    point offsets of its bad parts, None if unmarked. `sentences`: whether single sentences are bad,
    by their number in the result. `group`: answers in one group (to one question) are not
    independent. `result`: the stored verdict, if any.
    """

    answer: str
    context: Context | None
    hallucinated: bool | None
    spans: tuple[tuple[int, int], ...] | None = None
    sentences: Mapping[int, bool] = field(default_factory=dict)
    group: str = ""
    fold: int | None = None
    task: str | None = None
    model: str | None = None
    result: GuardrailsResult | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled answer and the verdict on it."""

    row: Labelled
    result: GuardrailsResult

    @property
    def fold(self) -> int:
        """The row's own fold, else one of five by a digest of its group."""
        if self.row.fold is not None:
            return self.row.fold
        return hashlib.sha256(self.row.group.encode(errors="surrogatepass")).digest()[0] % FOLDS

    def is_bad(self, number: int) -> bool | None:
        """Return whether a sentence of the result is bad: marked so, or overlapped by a bad span.

        None if it is unlabelled.
        """
        if number in self.row.sentences:
            return self.row.sentences[number]
        sentence = self.result.sentences[number]
        if self.row.spans is not None:
            return any(a < sentence.end and b > sentence.start for a, b in self.row.spans)
        # A clean answer has no bad sentence; a bad one's bad sentence is unknown.
        return False if self.row.hallucinated is False else None
