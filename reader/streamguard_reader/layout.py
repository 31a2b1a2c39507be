"""A claim beside its passages as a row of pieces: the same for training and in use.

    [CLS] claim [SEP] question [SEP] before [SEP] unit unit [SEP] unit [SEP]

With several claims of one answer each stands where the one stands, and the sentences before are
left out. Units of different passages are separated.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from streamguard_reader.pairs import Unit, within

MOST = 512  # pieces in all, which the bases have places for
CLAIM_PIECES, QUESTION_PIECES, BEFORE_PIECES = 110, 48, 48  # guesses: 99 % of exercises_dev is less

Ids = list[int]


@dataclass(frozen=True, slots=True)
class Cut:
    """A claim in pieces, with the place of each in its text."""

    ids: Ids
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The units of a context in pieces."""

    ids: tuple[Ids, ...]
    chunks: tuple[int, ...]
    heads: tuple[int, ...]

    @property
    def sizes(self) -> list[int]:
        """What each unit takes, with what separates it from the next."""
        return [len(ids) + 1 for ids in self.ids]


@dataclass(frozen=True, slots=True)
class Row:
    """Pieces of claims beside passages; `starts` and `sizes` are those of each claim.

    `owners` numbers the claim of each piece from 1, 0 for the others; `sides` is 0 for claims.
    """

    ids: np.ndarray
    sides: np.ndarray
    owners: np.ndarray
    starts: tuple[int, ...]
    sizes: tuple[int, ...]


class Scissors:
    """A tokenizer with the pieces that begin, separate and fill up."""

    def __init__(self, pieces: Tokenizer, special: Sequence[str]) -> None:
        # As its file says it, without what that says of padding and length.
        said = json.loads(pieces.to_str())
        said.update(padding=None, truncation=None, post_processor=None)
        self.pieces = Tokenizer.from_str(json.dumps(said))
        self.begin, self.end, self.fill, self.hidden = (
            self.pieces.token_to_id(piece) for piece in special
        )

    def claim(self, text: str) -> Cut:
        """Cut a claim; of a very long one the first pieces are kept."""
        cut = self.pieces.encode(text, add_special_tokens=False)
        return Cut(cut.ids[:CLAIM_PIECES], tuple(cut.offsets[:CLAIM_PIECES]))

    def text(self, text: str, most: int, *, last: bool = False) -> Ids:
        """Cut a text into at most so many pieces, the first ones or the last ones."""
        ids: Ids = self.pieces.encode(text, add_special_tokens=False).ids
        return ids[-most:] if last else ids[:most]

    def shelf(self, units: Sequence[Unit]) -> Shelf:
        """Cut the units of a context."""
        cut = self.pieces.encode_batch([one.text for one in units], add_special_tokens=False)
        return Shelf(
            tuple(one.ids for one in cut),
            tuple(one.chunk for one in units),
            tuple(one.head for one in units),
        )


def lay_out(
    scissors: Scissors,
    claims: Sequence[Cut],
    question: Ids,
    before: Ids,
    shelf: Shelf,
    nearest: Sequence[int],
    room: int,
) -> Row:
    """Return claims, question, what came before, and units in at most `room` pieces."""
    ids, owners, starts = [scissors.begin], [0], []
    for number, claim in enumerate(claims, 1):
        starts.append(len(ids))
        ids += [*claim.ids, scissors.end]
        owners += [number] * (len(claim.ids) + 1)
    own = len(ids)
    for some in (question, before):
        if some:
            ids += [*some, scissors.end]
    chunk = None
    for unit in within(shelf.sizes, shelf.heads, nearest, min(room, MOST - len(ids) - 1)):
        if chunk not in (None, shelf.chunks[unit]):
            ids.append(scissors.end)
        chunk = shelf.chunks[unit]
        ids += shelf.ids[unit]
    ids = [*ids[: MOST - 1], scissors.end]
    sides = np.ones(len(ids), np.int64)
    sides[:own] = 0
    owned = np.zeros(len(ids), np.int64)
    owned[: len(owners)] = owners[: len(ids)]
    return Row(
        np.array(ids), sides, owned, tuple(starts), tuple(len(claim.ids) for claim in claims)
    )
