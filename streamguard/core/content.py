"""What a sentence is about: its word tokens and its content keys, numbers by value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from streamguard.core.anchors import Anchor
from streamguard.core.words import STOP_WORDS, stem

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Content:
    """`words`: case-folded word tokens; `keys`: content keys with the place of their word.

    A key is a stem, or `#` and a value for what stands in an anchor; the place counts words.
    """

    words: tuple[str, ...]
    keys: tuple[tuple[str, int], ...]


def content_of(text: str, anchors: Sequence[Anchor], base: int = 0) -> Content:
    """Return words and keys of folded `text`; its `anchors` count from `base` before it."""
    if not anchors:
        words = _WORD.findall(text.casefold())
        return Content(tuple(words), tuple(_word_keys(enumerate(words))))
    words, plain, marks = [], [], _Marks(anchors, base)
    keys: list[tuple[str, int]] = []
    for match in _WORD.finditer(text):
        word = match.group().casefold()
        anchor = marks.at(match.start(), match.end())
        if anchor is None:
            plain.append((len(words), word))
        elif not marks.seen(anchor):
            keys.extend((key, len(words)) for key in value_keys(anchor))
        words.append(word)
    keys.extend(_word_keys(plain))
    return Content(tuple(words), tuple(sorted(keys, key=lambda key: key[1])))


def value_keys(anchor: Anchor) -> list[str]:
    """Return the keys of an anchor's value: a date's parts, or the figure without its unit.

    The parts let a full date share its year and month with a vaguer one.
    """
    if anchor.kind == "date":
        return [f"#{part}" for part in anchor.key.replace("--", "").split("-") if part]
    if anchor.value is None:
        return [f"#{anchor.key}"]
    values = [anchor.value] if anchor.high is None else [anchor.value, anchor.high]
    return [f"#{format(value.normalize(), 'f')}" for value in values]


class _Marks:
    """The anchors of a text, asked from left to right."""

    def __init__(self, anchors: Sequence[Anchor], base: int) -> None:
        self._anchors, self._base, self._next = anchors, base, 0
        self._last: Anchor | None = None

    def at(self, start: int, end: int) -> Anchor | None:
        while (
            self._next < len(self._anchors) and self._anchors[self._next].end - self._base <= start
        ):
            self._next += 1
        if self._next == len(self._anchors):
            return None
        anchor = self._anchors[self._next]
        return anchor if anchor.start - self._base < end else None

    def seen(self, anchor: Anchor) -> bool:
        """Say whether the anchor was asked for before; remember it."""
        before, self._last = self._last, anchor
        return before is anchor


def _word_keys(words: Iterable[tuple[int, str]]) -> list[tuple[str, int]]:
    return [(stem(word), place) for place, word in words if word not in STOP_WORDS]
