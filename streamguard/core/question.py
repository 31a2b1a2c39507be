"""The question an answer is given to, read once for all its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streamguard.core.anchors import Anchor, read_anchors
from streamguard.core.content import Content, content_of
from streamguard.core.derive import Operand, read_operands
from streamguard.core.lazy import lazy
from streamguard.core.names import Name, untitled
from streamguard.core.normalise import fold
from streamguard.core.words import parts_in

_MAX_ASKED = 8  # values of the question that a derivation may use; guess


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
    def operands(self) -> tuple[Operand, ...]:
        """The first values it brings to a derivation ("for 5 people")."""
        return read_operands(self.folded, self.anchors[:_MAX_ASKED], None)

    def holds_name(self, name: Name) -> bool:
        """Say whether the question speaks of `name`, case, hyphens and a title aside."""
        words = self._words
        return _phrase(name.tokens) in words or _phrase(untitled(name.tokens)) in words

    @lazy
    def _words(self) -> str:
        return _phrase(parts_in(self.folded.casefold()))


def _phrase(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} "
