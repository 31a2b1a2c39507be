"""Whether the passages, the question or the application itself already show a match."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import cast

from streamguard.core.context import Context
from streamguard.core.model.types import RetrievedChunk
from streamguard.core.packs.found import Found

MAX_LOOKED_UP = 256  # different matches of one answer that are looked up; beyond they are findings
_SEPARATORS = str.maketrans("", "", " .-/()+\u00a0\u202f")


class Passages:
    """The text of one answer's passages and question, searched for what the answer repeats."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._known: dict[tuple[str, bool], bool] = {}

    @cached_property
    def _text(self) -> str:
        return "\n".join(shown_texts(self.context)).casefold()

    @cached_property
    def _digits(self) -> str:
        return self._text.translate(_SEPARATORS)

    def hold(self, match: str, found: Found) -> bool:
        """Say whether they hold the match, numbers whatever their separators are."""
        key = (match.translate(_SEPARATORS) if found.digits else match).casefold()
        wanted = (key, found.digits)
        if wanted not in self._known:
            if len(self._known) >= MAX_LOOKED_UP:
                return False
            text = self._digits if found.digits else self._text
            self._known[wanted] = key in text
        return self._known[wanted]


def shown_texts(context: Context) -> list[str]:
    """Return the texts that the user may see anyway: question, passages and their sources."""
    chunks = cast("Sequence[RetrievedChunk]", context.chunks or ())
    sources = [chunk.source for chunk in chunks if chunk.source]
    return [context.query or "", *(chunk.text for chunk in chunks), *sources]
