"""Many anchors in little memory: some 5 bytes each instead of 700."""

from __future__ import annotations

import marshal
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values.value import Anchor, plain, times

# The first ones are kept unpacked: they are those of most prompts, and asked for most often.
KEPT = 400  # 0.3 MB; guess
_NO_FIGURE = lazy_re(r"[^\d.]+")
_MOST_LENGTH: Final = 255  # of an anchor whose text is not written out
_MOST_START: Final = 65_535  # likewise
_WRITTEN: Final = "_"
_NOTHING: Final = (None, None, None)  # beside an anchor


class _Derivation(NamedTuple):
    """How an anchor's fields follow from its text, a letter each; `_WRITTEN` if none do.

    `number`: "f" for its figures. `value`: "n" is the number, "s" that times the scale. `key`: "t"
    is the text, "n" and "v" are number and value as written. "" stands for None.
    """

    number: str
    value: str
    key: str


_ALL_WRITTEN: Final = _Derivation(_WRITTEN, _WRITTEN, _WRITTEN)


class PackedAnchors:
    """A growing list of anchors, grouped by the blocks of text they are in.

    Values shared by most of them are stored once. Facts visible in the text are parsed again on
    demand; `text_of` returns it by the block's number. All other facts are stored.
    """

    def __init__(self, text_of: Callable[[int], str] | None = None) -> None:
        self._text_of = text_of
        self._kept: list[Anchor] = []
        self._newest: dict[int, tuple[int, Anchor]] = {}  # of the last block, by identity
        self._blocks, self._firsts = array("I"), array("I")  # and of each its first anchor
        self._samples: list[tuple[Anchor, _Derivation]] = []  # one of each shape
        self._number_of: dict[tuple[Any, ...], int] = {}  # of a shape
        self._shape_of = array("H")
        self._starts, self._lengths = array("H"), bytearray()
        # Of those of which something is written: their numbers, and where that ends.
        self._with_more, self._ends = array("I"), array("I")
        self._bytes = bytearray()

    def __len__(self) -> int:
        return len(self._kept) + len(self._shape_of)

    @property
    def held_bytes(self) -> int:
        """The bytes it holds, by measured sizes."""
        packed = 5 * len(self._shape_of) + 8 * len(self._ends) + len(self._bytes)
        objects = 700 * len(self._kept) + 1_000 * len(self._samples) + 90 * len(self._newest)
        return objects + packed * 17 // 16 + 8 * len(self._blocks)

    def extend(self, block: int, anchors: Sequence[Anchor]) -> int:
        """Add anchors of the last block or a new one; return the first one's number."""
        first = len(self)
        if not self._blocks or self._blocks[-1] != block:
            self._blocks.append(block)
            self._firsts.append(first)
            self._newest = {}
        text = "" if self._text_of is None else self._text_of(block)
        for number, anchor in enumerate(anchors, first):
            self._newest[id(anchor)] = number, anchor
            self._add(anchor, text)
        return first

    def number_of(self, anchor: Anchor) -> int:
        """Return the number of an anchor of the last block; a new one is added."""
        known = self._newest.get(id(anchor))
        return self.extend(self._blocks[-1], (anchor,)) if known is None else known[0]

    def finish(self) -> None:
        """Release the last block: no more anchors follow."""
        self._newest = {}

    def block_of(self, number: int) -> int:
        """Return the block of an anchor."""
        return self._blocks[bisect_right(self._firsts, number) - 1]

    def around(self, number: int, chars: int) -> tuple[str, str]:
        """Return so many characters of the block before and behind an anchor."""
        assert self._text_of is not None  # those of passages have it
        anchor, text = self[number], self._text_of(self.block_of(number))
        return text[max(0, anchor.start - chars) : anchor.start], text[anchor.end :][:chars]

    def _add(self, anchor: Anchor, text: str) -> None:
        if len(self._kept) < KEPT:
            self._kept.append(anchor)
            return
        start, end, said = anchor[1:4]
        is_there = end <= _MOST_START and len(said) <= _MOST_LENGTH and text[start:end] == said
        told = _derived(anchor) if is_there else _ALL_WRITTEN
        # `Decimal(1)` and `Decimal("1.0")` are equal, and not written alike.
        scale, whole, precision = str(anchor.scale), str(anchor.whole), str(anchor.precision)
        kind_unit_period = anchor[0], anchor[6:8], anchor.approx
        rest = anchor[15:19], anchor[20:23], anchor.shifts
        shape = (told, kind_unit_period, *rest, scale, whole, precision)
        known = self._number_of.get(shape)
        if known is None:
            known = self._number_of[shape] = len(self._samples)
            self._samples.append((anchor, told))
        if told is _ALL_WRITTEN or _counted(anchor) != _NOTHING:
            self._write(anchor, told)
        self._shape_of.append(known)
        self._starts.append(min(start, _MOST_START))
        self._lengths.append(min(end - start, _MOST_LENGTH))

    def _write(self, anchor: Anchor, told: _Derivation) -> None:
        counted = _counted(anchor)
        written = (*counted, *_written(anchor)) if told is _ALL_WRITTEN else counted
        self._bytes += marshal.dumps(written)
        self._with_more.append(len(self))
        self._ends.append(len(self._bytes))

    def _more(self, number: int) -> Any:
        at = bisect_left(self._with_more, number)
        if at == len(self._with_more) or self._with_more[at] != number:
            return _NOTHING
        begin = self._ends[at - 1] if at else 0
        return marshal.loads(self._bytes[begin : self._ends[at]])  # noqa: S302 (our own bytes)

    def __getitem__(self, number: int) -> Anchor:
        if number < len(self._kept):
            return self._kept[number]
        at = number - len(self._kept)
        like, told = self._samples[self._shape_of[at]]
        noun, label, named, *written = self._more(number)
        if written:
            return _read(like._replace(noun=noun, label=label, named=named), *written)
        assert self._text_of is not None  # or all is written
        start = self._starts[at]
        end = start + self._lengths[at]
        text = self._text_of(self.block_of(number))[start:end]
        number_, value, key = _follow(told, text, like.scale)
        return Anchor(
            like.kind,
            start,
            end,
            text,
            value,
            None,
            like.unit,
            like.period,
            key,
            like.precision,
            like.approx,
            (),
            number_,
            None,
            *like[14:19],
            noun,
            *like[20:23],
            label,
            like.whole,
            like.shifts,
            named,
        )


def _counted(anchor: Anchor) -> tuple[str | None, ...]:
    """Return the words next to an anchor: its noun, label and name."""
    return anchor.noun, anchor.label, anchor.named


def _figures(text: str) -> str:
    """Return the digits and points of "$1,200.50"."""
    return text if text.isdecimal() else _NO_FIGURE.sub("", text)


def _derived(anchor: Anchor) -> _Derivation:
    """Return how an anchor's fields follow from its text and shape."""
    text, value, key, number = anchor.text, anchor.value, anchor.key, anchor.number
    if anchor.high is not None or anchor.high_number is not None or anchor.ambiguous:
        return _ALL_WRITTEN
    if number is None or value is None:
        alone = number is None and value is None and key == text
        return _Derivation("", "", "t") if alone else _ALL_WRITTEN
    counted = str(number)
    if counted != _figures(text):
        return _ALL_WRITTEN
    said = counted if value is number else str(value)
    ways = {str(times(number, anchor.scale)): "s", counted: "n"}
    keys = {plain(value): "v", plain(number): "n", text: "t"}
    way, told = ways.get(said, _WRITTEN), keys.get(key, _WRITTEN)
    return _ALL_WRITTEN if _WRITTEN in (way, told) else _Derivation("f", way, told)


def _follow(
    told: _Derivation, text: str, scale: Decimal
) -> tuple[Decimal | None, Decimal | None, str]:
    """Return number, value and key, derived from a text."""
    if not told.number:
        return None, None, text
    number = Decimal(_figures(text))
    value = number if told.value == "n" else times(number, scale)
    if told.key == "t":
        return number, value, text
    return number, value, plain(number if told.key == "n" else value)


def _written(anchor: Anchor) -> Iterable[Any]:
    """Return the facts that set an anchor apart from others of its shape, but nearby words."""
    decimals = (anchor.value, anchor.high, anchor.number, anchor.high_number)
    said = [None if one is None else str(one) for one in decimals]
    return anchor.start, anchor.end, anchor.text, anchor.key, anchor.ambiguous, *said


def _read(
    like: Anchor,
    start: int,
    end: int,
    text: str,
    key: str,
    ambiguous: tuple[str, ...],
    *said: str | None,
) -> Anchor:
    value, high, number, high_number = (None if one is None else Decimal(one) for one in said)
    return like._replace(
        start=start,
        end=end,
        text=text,
        value=value,
        high=high,
        key=key,
        ambiguous=ambiguous,
        number=number,
        high_number=high_number,
    )
