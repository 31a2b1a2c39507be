"""The scores of one answer's claims so far, independent of their order."""

from __future__ import annotations

from collections.abc import Mapping

from streamguard.core.model.types import Score
from streamguard.errors import ConfigError, StreamStateError

_NO_SCORES: Mapping[str, Score] = {}


class ScoreBook:
    """Keeps scores by sentence and scorer; the rules read it once, at the close.

    `scorers`: the names of the scorers that were given some claim of the answer. `errors`: pairs of
    a scorer's name and a message, one for each kind of error; messages hold no secret.
    """

    def __init__(self) -> None:
        self.scorers: set[str] = set()
        self.errors: set[tuple[str, str]] = set()
        self._scores: dict[int, dict[str, Score]] = {}

    def __bool__(self) -> bool:
        """Return whether a scorer was given a claim, or a score or an error came."""
        return bool(self.scorers or self.errors or self._scores)

    def of(self, index: int) -> Mapping[str, Score]:
        """Return the scores of the sentence with that index, by scorer."""
        return self._scores.get(index, _NO_SCORES)

    @property
    def judges(self) -> set[str]:
        """The names of the scorers that gave a word, as judges do."""
        return {
            name
            for scores in self._scores.values()
            for name, one in scores.items()
            if one.word is not None
        }

    def add(self, index: int, score: Score) -> None:
        """Keep a score of the sentence with that index.

        A scorer scores a claim once: `StreamStateError` for another score, which would make the
        result depend on the order. `ConfigError` for a score without a scorer's name.
        """
        if not score.scorer:
            raise ConfigError("scorer is '', expected the name of who gives the score")
        scores = self._scores.setdefault(index, {})
        if scores.setdefault(score.scorer, score) != score:
            raise StreamStateError(f"{score.scorer!r} has scored sentence {index} already")

    def forget(self) -> None:
        """Forget the scores: the claims are handed out anew."""
        self._scores.clear()
