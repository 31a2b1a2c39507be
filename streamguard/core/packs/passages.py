"""Whether the passages, the question or the application itself already show a match."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import contains
from typing import cast

from streamguard.core.context import Context
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.packs.found import PackMatch

MAX_LOOKED_UP = 256  # different matches of one answer that are looked up; beyond they are findings
_IN_NAMES = frozenset("._%+-")  # what the name before "@" may have beside letters and digits
_SEPARATORS = str.maketrans("", "", " .-/()+\u00a0\u202f")


class ShownPassages:
    """The text of one answer's passages and question, searched for what the answer repeats."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._known: dict[tuple[str, str], bool] = {}

    @cached_property
    def _text(self) -> str:
        return "\n".join(shown_texts(self.context)).casefold()

    @cached_property
    def _digits(self) -> str:
        return self._text.translate(_SEPARATORS)

    def hold(self, match: str, found: PackMatch) -> bool:
        """Return whether they hold the match, numbers whatever their separators are."""
        key = (match.translate(_SEPARATORS) if found.digits else match).casefold()
        wanted = (key, found.kind)
        if wanted not in self._known:
            if len(self._known) >= MAX_LOOKED_UP:
                return False
            text = self._digits if found.digits else self._text
            is_held = _holds_whole if found.kind == "email" else contains
            self._known[wanted] = is_held(text, key)
        return self._known[wanted]


def _holds_whole(text: str, key: str) -> bool:
    """Return whether the text holds the address as a whole, not as a part of another one.

    "lee@a.example" does not stand in "ann.lee@a.example", nor in "lee@a.example.org".
    """
    at = text.find(key)
    while at >= 0:
        end = at + len(key)
        if not (_is_of_name(text[at - 1 : at]) or _goes_on(text[end : end + 2])):
            return True
        at = text.find(key, at + 1)
    return False


def _is_of_name(letter: str) -> bool:
    return letter.isalnum() or letter in _IN_NAMES


def _goes_on(following: str) -> bool:
    first, second = following[:1], following[1:]
    return second.isalnum() if first == "." else first.isalnum() or first == "-"


def shown_texts(context: Context) -> list[str]:
    """Return the texts that the user may see anyway: question, passages and their sources."""
    chunks = cast("Sequence[RetrievedChunk]", context.chunks or ())
    sources = [chunk.source for chunk in chunks if chunk.source]
    return [context.query or "", *(chunk.text for chunk in chunks), *sources]
