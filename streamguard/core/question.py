"""The question an answer is given to, read once for all its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streamguard.core.content import Content, content_of
from streamguard.core.facts.slots import Slot, read_slots
from streamguard.core.names import Name, untitled
from streamguard.text.lazy import lazy
from streamguard.text.normalise import fold
from streamguard.text.words import parts_in
from streamguard.values import Anchor, read_anchors


@dataclass(frozen=True)
class Question:
    """The question, read once: its folded text, content keys, values and names."""

    text: str

    @lazy
    def folded(self) -> str:
        """Folded text."""
        return fold(self.text).text

    @lazy
    def anchors(self) -> tuple[Anchor, ...]:
        """Values the question holds."""
        return read_anchors(self.folded)

    @lazy
    def content(self) -> Content:
        """Word tokens and content keys."""
        return content_of(self.folded, self.anchors)

    @lazy
    def keywords(self) -> tuple[str, ...]:
        """Distinct content keys, in order of appearance."""
        return tuple(dict.fromkeys(self.content.keys))

    @lazy
    def values(self) -> frozenset[str]:
        """Keys of the question's values, for telling an echo from a statement."""
        return frozenset(anchor.key for anchor in self.anchors)

    @lazy
    def slots(self) -> list[Slot]:
        """What it asks about, place by place."""
        return read_slots(self.folded, self.anchors)

    def holds_name(self, name: Name) -> bool:
        """Say whether the question speaks of `name`, case, hyphens and a title aside."""
        words = self._words
        return _phrase(name.tokens) in words or _phrase(untitled(name.tokens)) in words

    @lazy
    def _words(self) -> str:
        return _phrase(parts_in(self.folded.casefold()))


def _phrase(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} "
