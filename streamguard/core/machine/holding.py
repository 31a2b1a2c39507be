"""Holds items back until their text has been checked, and says how they leave.

An item is anything that carries text of one or more choices: an SDK's object, a frame. It leaves
once all of its text lies in sentences that have been judged, in its old order; text that a policy
blocks does not leave as it was written. Times are the caller's, in seconds of any clock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, NamedTuple, TypeVar

from streamguard.core.model.types import Finding
from streamguard.core.verdict.confirmed import EXACT
from streamguard.text.normalise import ends_in_high_surrogate, scalar_text

T = TypeVar("T")
Hold = Literal["off", "sentence", "answer"]
OnViolation = Literal["annotate", "stop", "replace", "mask"]
MASK = "•••"


class Blocked(NamedTuple):
    """A finding that the policy blocks, with its choice; `start` is that of its sentence."""

    choice: int
    finding: Finding
    start: int
    end: int


class Leaving(NamedTuple, Generic[T]):
    """An item that leaves, with the text per choice that it leaves with, `changed` or not."""

    item: T
    texts: Mapping[int, str]
    changed: bool


def is_blocked(finding: Finding, block: Sequence[str]) -> bool:
    """Return whether `block` names the finding: its check, its flag, or what its check begins with.

    "pii" blocks "pii:iban", too. A finding of values, names or citations that is information alone
    (a judge's quotations may have made it so) is not blocked.
    """
    check = finding.check
    if check in EXACT and finding.severity != "warning":
        return False
    return any(name in (check, finding.flag) or check.startswith(f"{name}:") for name in block)


@dataclass(slots=True)
class _Held(Generic[T]):
    item: T
    texts: Mapping[int, str]
    spans: Mapping[int, tuple[int, int]]  # of its text in the answer, by choice, in code points
    since: float


@dataclass(slots=True)
class _Choice:
    """One choice's text: how much came, and how much of it is judged."""

    came: int = 0
    judged: int = 0
    high: str = ""  # half of a character that the next piece may bring
    masks: list[tuple[int, int, str]] = field(default_factory=list)  # in order, not overlapping
    left: int = 0  # code points of it that have left, as they were written


class Holding(Generic[T]):
    """The waiting items of one answer: `add` them, report `judged` text, ask which may `leave`.

    `most_chars` and `most_s` bound the wait of `mode` "sentence": an item over either leaves before
    it is judged, and `early` says so. `mode` "answer" lets nothing leave before `finish`.
    """

    def __init__(self, mode: Hold, most_chars: int, most_s: float) -> None:
        self.early = False
        self._mode = mode
        self._most_chars = most_chars
        self._most_s = most_s
        self._items: deque[_Held[T]] = deque()
        self._choices: dict[int, _Choice] = {}
        self._waiting_chars = 0
        self._over = False
        self._cuts: dict[int, int] = {}  # by choice, the offset from which nothing leaves

    @property
    def waits(self) -> bool:
        """Whether there are items that wait."""
        return bool(self._items)

    def until(self) -> float | None:
        """Return the time at which the first item has waited long enough, None if none waits."""
        if self._mode == "answer" or not self._items:
            return None
        return self._items[0].since + self._most_s

    def add(self, item: T, texts: Mapping[int, str], now: float) -> None:
        """Take the next item with its text per choice."""
        spans = {choice: self._grow(choice, text) for choice, text in texts.items()}
        self._waiting_chars += sum(end - start for start, end in spans.values())
        self._items.append(_Held(item, texts, spans, now))

    def judged(self, choice: int, end: int) -> None:
        """Record that the choice's text has been judged up to the code point `end`."""
        held = self._choice(choice)
        held.judged = max(held.judged, end)

    def finish(self) -> None:
        """Record that all text has been judged, the end of the answer included."""
        self._over = True

    def let_go(self) -> None:
        """Release everything from now on, judged or not."""
        self.early = self._over = True

    def mask(self, choice: int, start: int, end: int, placeholder: str) -> bool:
        """Let `placeholder` leave in place of the span; return False where it has left already."""
        held = self._choice(choice)
        masks, at, added = held.masks, max(start, held.left), False
        # Findings come by check, not by place: a later span may be masked already.
        index = bisect_right(masks, at, key=lambda mask: mask[1])
        while at < end:
            first, last = masks[index][:2] if index < len(masks) else (end, end)
            if at < first:
                masks.insert(index, (at, min(first, end), placeholder))
                index, added = index + 1, True
            at, index = last, index + 1
        return added

    def cut(self, choice: int, at: int) -> None:
        """Let nothing of the choice leave from the code point `at` on, nor any later item.

        Judged text of the other choices leaves, as far as it is not cut itself.
        """
        self._cuts[choice] = min(at, self._cuts.get(choice, at))

    def leave(self, now: float) -> list[Leaving[T]]:
        """Return the items that may leave, in their order."""
        leaving: list[Leaving[T]] = []
        while self._items and self._may_leave(self._items[0], now):
            held = self._items.popleft()
            self._waiting_chars -= sum(end - start for start, end in held.spans.values())
            leaving.append(self._left(held))
        return leaving

    def rest(self) -> list[Leaving[T]]:
        """Return the items that may still leave after `cut`: those in front of it, trimmed."""
        leaving: list[Leaving[T]] = []
        while self._items:
            held = self._items.popleft()
            spans = [
                (start, end, self._most(choice)) for choice, (start, end) in held.spans.items()
            ]
            if spans and all(start >= most for start, _, most in spans):
                break
            leaving.append(self._left(held))
            if any(end > most for _, end, most in spans):
                break
        self._items.clear()
        self._waiting_chars = 0
        return leaving

    def _most(self, choice: int) -> int:
        """Return up to which code point the choice's text may leave of an answer that is cut."""
        if self._mode == "answer":
            return 0
        return self._cuts.get(choice, self._choice(choice).judged)

    def _choice(self, choice: int) -> _Choice:
        return self._choices.setdefault(choice, _Choice())

    def _grow(self, choice: int, text: str) -> tuple[int, int]:
        """Return the span of the choice's next text; halves of one character count as one."""
        held = self._choice(choice)
        start = held.came
        if not text.isascii() or held.high:
            text = held.high + text
            start -= len(held.high)
            held.high = text[-1] if ends_in_high_surrogate(text) else ""
            text = scalar_text(text)
        held.came = start + len(text)
        return start, held.came

    def _may_leave(self, held: _Held[T], now: float) -> bool:
        if self._over:
            return True
        if self._mode == "answer":
            return False
        if all(end <= self._choice(choice).judged for choice, (_, end) in held.spans.items()):
            return True
        if self._waiting_chars > self._most_chars or now - held.since >= self._most_s:
            self.early = True
            return True
        return False

    def _left(self, held: _Held[T]) -> Leaving[T]:
        changed = {}
        for choice, (start, end) in held.spans.items():
            text_state = self._choice(choice)
            text = self._masked(text_state, scalar_text(held.texts[choice]), start, end)
            if self._cuts and end > (most := self._most(choice)):
                text = text[: max(0, most - start)]
            text_state.left = max(text_state.left, end)
            if text != scalar_text(held.texts[choice]):
                changed[choice] = text
        return Leaving(held.item, {**held.texts, **changed}, bool(changed))

    def _masked(self, text_state: _Choice, text: str, start: int, end: int) -> str:
        """Return the text at [start, end) masked; a placeholder leaves with the first part."""
        parts, at = [], start
        for first, last, placeholder in text_state.masks:
            if first >= end or last <= start:
                continue
            parts.append(text[at - start : max(at, first) - start])
            if first >= start:
                parts.append(placeholder)
            at = min(end, last)
        return "".join([*parts, text[at - start :]]) if parts else text
