"""The claims of one answer that were handed out, and the scores that came back."""

from __future__ import annotations

from streamguard.core.machine.answer_close import AnswerClose
from streamguard.core.machine.claim import Claim
from streamguard.core.machine.judging import Judging
from streamguard.core.model.types import Score
from streamguard.core.verdict.score_book import ScoreBook
from streamguard.errors import ConfigError


class ScoredClaims:
    """Hands out each claim of a choice once, and keeps its scores in a `book`.

    A claim's id names the choice, the sentence and the generation: by other passages all claims are
    handed out anew, and a score of the generation before is dropped.
    """

    def __init__(self, choice: int) -> None:
        self.book = ScoreBook()
        self._choice = choice
        self._settled = 0  # sentences that were looked at so far
        self._gave_promoted = False
        self._generation = 0
        self._indexes: dict[str, int] = {}  # of the claims' sentences, by the claims' ids

    def hand_out(self, judging: Judging, close: AnswerClose | None) -> list[Claim]:
        """Return the claims settled since the last call, and once those that the close made."""
        sentences = judging.claims_from(self._settled)
        self._settled = max(self._settled, len(judging.sentences))
        promoted = close.promoted_claims() if close is not None else []
        if promoted and not self._gave_promoted:
            self._gave_promoted = True
            again = {claim.index for claim in promoted}
            sentences = [claim for claim in sentences if claim.index not in again] + promoted
        claims = [Claim(self._id(one.index), self._choice, one) for one in sentences]
        self._indexes.update((claim.id, claim.sentence.index) for claim in claims)
        return claims

    def add(self, claim_id: str, score: Score) -> None:
        """Keep a score; raises as `StreamGuard.score` does."""
        index = self._indexes.get(claim_id)
        if index is None:
            raise ConfigError(f"claim_id is {claim_id!r}, expected the id of a claim")
        if claim_id == self._id(index):
            self.book.add(index, score)

    def begin_anew(self) -> None:
        """Hand out all claims again: they are judged by other passages."""
        self._settled, self._gave_promoted = 0, False
        self._generation += 1
        self.book.forget()

    def _id(self, index: int) -> str:
        return f"{self._choice}.{index}.{self._generation}"
