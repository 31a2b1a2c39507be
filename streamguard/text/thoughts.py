"""Tell a model's thoughts from its answer while the text arrives, by the tags around them.

A tag counts where a model puts it: an opening one at a line's start or behind a sentence's end, and
a closing one there or right behind a word, neither of them in code. "Put it in <think> tags" is
talk about tags. An open thought ends with the first closing tag of its own kind, wherever it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from streamguard.text.patterns import lazy_re

_UNUSED = "think_never_used_51bce0c785ca2f68081bfa7d91973934"
# What opens and closes a thought, in small letters, and a model or product that writes it.
MARKS = (
    ("<think>", "</think>"),  # DeepSeek-R1, Qwen3, QwQ, Granite
    ("<thinking>", "</thinking>"),  # prompts for Claude
    ("<thought>", "</thought>"),  # Gemini and Gemma by their prompts
    ("<reasoning>", "</reasoning>"),  # prompts for any model
    ("<seed:think>", "</seed:think>"),  # Seed-OSS
    ("<longcat_think>", "</longcat_think>"),  # LongCat-Flash-Thinking
    ("◁think▷", "◁/think▷"),  # Kimi
    ("[think]", "[/think]"),  # Magistral
    ("<|begin_of_thought|>", "<|end_of_thought|>"),  # Sky-T1, OpenThinker
    ("<|start_thinking|>", "<|end_thinking|>"),  # Command A Reasoning
    ("<reason>", "</reason>"),  # prompts, models trained to reason by them
    ("<reflection>", "</reflection>"),  # Reflection
    ("<scratchpad>", "</scratchpad>"),  # prompts for Claude
    ("<inner_thoughts>", "</inner_thoughts>"),  # prompts for agents
    ("<antthinking>", "</antthinking>"),  # Claude's artifacts
    ("<m_think>", "</m_think>"),  # fine-tuned models
    (f"<{_UNUSED}>", f"</{_UNUSED}>"),  # Hunyuan
    ("<unused94>", "<unused95>"),  # MedGemma
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),  # gpt-oss, its raw text
    ('<details type="reasoning"', "</details>"),  # Open WebUI, where thoughts are shown
)
# Tags that end other things as well: they close no thought that none of theirs has opened.
ENDS_MORE = frozenset(["</details>"])
_KINDS = {
    tag: (kind, opens)
    for kind, tags in enumerate(MARKS)
    for tag, opens in zip(tags, (True, False), strict=True)
}
_FENCES_OF_JSON = ("```json", "~~~json")
_SIGNS = (*_KINDS, *_FENCES_OF_JSON)
_TAG = lazy_re("(?ia:" + "|".join(map(re.escape, _SIGNS)) + ")")
_LONGEST = max(map(len, _SIGNS))
_BEGUN_SIGNS = frozenset(sign[:end] for sign in _SIGNS for end in range(1, len(sign) + 1))
# Behind these a sentence has ended, or another tag.
_ENDS = frozenset(".!?:…。！？>▷]*_\"')”’")
_FENCES = ("```", "~~~")
TAG_SIGNS = "<[◁`~"  # with which tags and fences begin
_HEAD_CHARS = 24  # of a line: a fence and the marks before it
UNSEEN_PIECES = 64  # kept apart before they are looked at; guess


class Thought(NamedTuple):
    """A thought's half-open span in the answer, its tags included.

    `opened`: whether an opening tag stands at its start. One without began with the answer, or
    with the text behind the thought before, which is known only when its closing tag comes.
    """

    start: int
    end: int
    opened: bool


class ThoughtOpening(NamedTuple):
    """A thought begins at `start`: the sentence before it is over."""

    start: int


class Fence(NamedTuple):
    """A fence of JSON opens at `start` with `mark`; the text after it follows as text."""

    start: int
    mark: str


Part = str | ThoughtOpening | Thought | Fence


class Thoughts:
    """Part the text of an answer from its thoughts, in pieces of any size.

    `feed` and `close` return text of the answer in order, `ThoughtOpening` and `Thought` between.
    A possible beginning of a tag is kept back until the next characters decide.
    """

    def __init__(self) -> None:
        self._kept = ""  # the tail that may begin a tag
        self._at = 0  # offset of it in the whole text
        self._kind: int | None = None  # of the open thought
        self._start = 0  # of the open thought, or of the text behind the last one
        self._lines = _Lines()

    @property
    def is_idle(self) -> bool:
        """Whether no thought is open, and no tag may have begun."""
        return self._kind is None and not self._kept

    def passes(self, text: str) -> bool:
        """Take the piece and return True where all of it is the answer's, as most pieces are."""
        # Asked of every piece: five searches cost less than one for a set of signs.
        if "<" in text or "[" in text or "`" in text or "~" in text or "◁" in text:
            return False
        if self._kept or self._kind is not None:
            return False
        self._at += len(text)
        unseen = self._lines.unseen
        unseen.append(text)
        if len(unseen) > UNSEEN_PIECES:
            self._lines.look()
        return True

    def feed(self, text: str) -> list[Part]:
        """Return the parts that `text` tells."""
        text, parts, position = self._kept + text, list[Part](), 0
        for tag in _TAG.finditer(text):
            if tag[0] not in _KINDS and tag[0][0] in "`~":
                if self._kind is None:
                    self._emit(text[position : tag.start()], parts)
                    position = tag.start()
                    if self._lines.begins():
                        parts.append(Fence(self._at + position, tag[0]))
                        position = tag.end()
                        self._lines.add(tag[0])
                continue
            kind, opens = _KINDS[tag[0].lower()]
            if self._kind is not None and (opens or kind != self._kind):
                continue
            if self._kind is None and tag[0].lower() in ENDS_MORE:
                continue
            if self._kind is None:
                self._emit(text[position : tag.start()], parts)
                position = tag.start()
                if not self._lines.allows(opens=opens):
                    continue
            self._take(kind, self._at + tag.start(), self._at + tag.end(), opens, parts)
            position = tag.end()
        end = max(position, len(text) - _kept_back(text[position:]))
        if self._kind is None:
            self._emit(text[position:end], parts)
        self._kept = text[end:]
        self._at += end
        return parts

    def close(self) -> list[Part]:
        """Return the rest; an open thought ends with the text."""
        parts: list[Part] = []
        end = self._at + len(self._kept)
        if self._kind is not None:
            parts.append(Thought(self._start, end, opened=True))
        else:
            self._emit(self._kept, parts)
        self._kept, self._at, self._kind = "", end, None
        return parts

    def _emit(self, text: str, parts: list[Part]) -> None:
        if text:
            parts.append(text)
            self._lines.add(text)

    def _take(self, kind: int, start: int, end: int, opens: bool, parts: list[Part]) -> None:
        """Take a tag that counts."""
        if opens:
            self._kind, self._start = kind, start
            parts.append(ThoughtOpening(start))
            return
        parts.append(Thought(self._start, end, opened=self._kind is not None))
        self._kind, self._start = None, end
        self._lines = _Lines()


def without_thoughts(text: str, thoughts: Sequence[Thought]) -> str:
    """Return `text` with its thoughts blanked: same length, same offsets."""
    if not thoughts:
        return text
    parts, at = [], 0
    for thought in thoughts:
        start, end = (min(place, len(text)) for place in thought[:2])
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, text[at:]])


def _kept_back(text: str) -> int:
    """Return how many characters at the end of `text` may begin a tag."""
    tail = text[1 - _LONGEST :].lower()
    for start, sign in enumerate(tail):  # a tag may hold the sign of another one
        is_first = sign not in "`~" or tail[start - 1 : start] != sign
        if sign in TAG_SIGNS and is_first and tail[start:] in _BEGUN_SIGNS:
            return len(tail) - start
    return 0


class _Lines:
    """The text before a place in the answer: code, the line so far, the last sign."""

    def __init__(self) -> None:
        self.unseen: list[str] = []
        self._fenced = False
        # Of the line so far: its beginning, its last sign but white space, its backticks.
        self._head = self._last = ""
        self._ticks = 0
        self._spaced = False  # white space stands behind that sign

    def add(self, text: str) -> None:
        """Take text of the answer."""
        self.unseen.append(text)

    def allows(self, *, opens: bool) -> bool:
        """Return whether a tag may stand here."""
        self.look()
        if self._fenced or self._ticks % 2:
            return False
        is_word = not opens and not self._spaced and self._last.isalnum()
        return not self._last or self._last in _ENDS or is_word

    def begins(self) -> bool:
        """Return whether a line begins here, and no code is open."""
        self.look()
        return not (self._fenced or self._head)

    def look(self) -> None:
        """Read the new part of the text."""
        *lines, rest = "".join(self.unseen).split("\n")
        self.unseen.clear()
        for line in lines:
            self._read(line)
            self._fenced ^= self._head.startswith(_FENCES)
            self._new_line()
        self._read(rest)

    def _read(self, text: str) -> None:
        if len(self._head) < _HEAD_CHARS:
            self._head = (self._head + text[:_HEAD_CHARS]).lstrip("> \t")
        self._ticks += text.count("`")
        if words := text.rstrip():
            self._last = words[-1]
        self._spaced = len(words) < len(text) or (self._spaced and not text)

    def _new_line(self) -> None:
        self._head = self._last = ""
        self._ticks, self._spaced = 0, False
