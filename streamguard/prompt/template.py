"""An application's prompt template: its fixed words, and the places between them.

A user writes the text of every place but the context's, and may write the fixed words too. So one
rule decides which are the application's: whatever the user writes, the context that is read is part
of the context that the application filled in, never more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from streamguard.errors import ConfigError
from streamguard.text.patterns import each_in_turns, lazy_re

MAX_TEMPLATE_CHARS = 50_000  # the longest prompt of a framework has some 6,000; guess

_PLACE = lazy_re(r"\{\{ ?([A-Za-z_]\w{0,40}) ?\}\}|\{([A-Za-z_]\w{0,40})\}")
_WORD = lazy_re(r"\S+")
_NEEDED = ("context", "question")


@dataclass(frozen=True, slots=True)
class Filled:
    """The texts in a template's places: the original context, and the question.

    `rules` are the template's own words.
    """

    context: str
    question: str
    rules: str


@dataclass(frozen=True, slots=True)
class Template:
    """A template's fixed words, and the places between them (one less than the words).

    Spaces and line breaks count as one, so blank lines and indentation do not matter; a line break
    before a place's end does.
    """

    fixed: tuple[str, ...]
    places: tuple[str, ...]

    def read(self, text: str) -> Filled | str:
        """Return the texts in the template's places, or the reason why they cannot be found.

        If only the context precedes the user's places, it ends at the first occurrence of the fixed
        words after it; if only the context follows them, it begins after the last. Between two user
        places there must be a single match.
        """
        evened = even(text)
        first, last = self.fixed[0], self.fixed[-1]
        begin, end = len(first), len(evened) - len(last)
        if begin > end or not (evened.startswith(first) and evened.endswith(last)):
            return "it does not begin and end with the words of the template"
        place = self.places.index("context")
        found = self._context(evened, place, begin, end)
        if isinstance(found, str):
            return found
        start, stop = found
        before = self._between(evened, 0, place, begin, start)
        behind = self._between(evened, place + 1, len(self.places), stop, end)
        if before is None or behind is None:
            return "words of the template are missing in it"
        parts = dict(zip(self.places, (*before, "", *behind), strict=True))
        own = " ".join(words.strip() for words in self.fixed)
        return Filled(_as_written(text, evened, start, stop), parts["question"].strip(), own)

    def _context(self, text: str, place: int, begin: int, end: int) -> tuple[int, int] | str:
        """Return the span in `text` of the context's place, or why it cannot be found."""
        before, behind = self.fixed[place], self.fixed[place + 1]
        is_first, is_last = place == 0, place == len(self.places) - 1
        start = begin
        if not is_first:
            at = text.rfind(before, begin, end)
            if at < 0:
                return f"{before.strip()!r} is missing in it"
            if not is_last and text.find(before, begin, end) != at:
                return f"{before.strip()!r} stands in it more than once"
            start = at + len(before)
        if is_last:
            return start, end
        stop = text.find(behind, start, end)
        return (start, stop) if stop >= 0 else f"{behind.strip()!r} is missing in it"

    def _between(self, text: str, first: int, last: int, begin: int, end: int) -> list[str] | None:
        """Return the texts in the places `first` to `last`; None if fixed words are missing."""
        texts = []
        if first:  # the words behind the context
            begin += len(self.fixed[first]) if first < len(self.fixed) - 1 else 0
        for place in range(first, last):
            following = self.fixed[place + 1]
            is_end = place + 1 == last
            stop = end - (len(following) if is_end and last < len(self.places) else 0)
            if not is_end:
                stop = text.find(following, begin, end)
            if stop < begin:
                return None
            texts.append(text[begin:stop])
            begin = stop + len(following)
        return texts


@lru_cache(maxsize=32)
def template_of(text: str) -> Template:
    """Parse a template: text with the places `{context}` and `{question}`.

    Other names in braces match anything. Raises `ConfigError` for a template whose context could
    not be found again.
    """
    if not isinstance(text, str):
        raise ConfigError(f"{_TEMPLATE} is a {type(text).__name__}, expected a string with {_BOTH}")
    if len(text) > MAX_TEMPLATE_CHARS:
        raise ConfigError(
            f"{_TEMPLATE} has {len(text)} characters, expected at most {MAX_TEMPLATE_CHARS}"
        )
    evened = even(text)
    found = list(_PLACE.finditer(evened))
    places = tuple(one[1] or one[2] for one in found)
    _check_places(places)
    ends = [0, *(one.end() for one in found)]
    starts = [*(one.start() for one in found), len(evened)]
    fixed = [evened[end:start] for end, start in zip(ends, starts, strict=True)]
    # Blanks beside a place are the place's: an empty one has none.
    fixed = [words.rstrip().lstrip(" ") if words.strip() else "" for words in fixed]
    fixed[0] = fixed[0].lstrip()
    at = places.index("context")
    for side in (at, at + 1):
        if not fixed[side] and 0 < side < len(places):
            raise ConfigError(
                f"{_TEMPLATE} has no word between {{{places[side - 1]}}} and {{{places[side]}}}:"
                " nothing tells where one ends"
            )
    return Template(tuple(fixed), places)


_TEMPLATE = "context_template"
_BOTH = " and ".join(f"{{{name}}}" for name in _NEEDED)


def _check_places(places: tuple[str, ...]) -> None:
    for name in _NEEDED:
        if name not in places:
            others = ", ".join(f"{{{each}}}" for each in places) or "no names in braces"
            raise ConfigError(f"{_TEMPLATE} has no {{{name}}}, expected {_BOTH}; it has {others}")
    if (count := places.count("context")) > 1:
        raise ConfigError(f"{_TEMPLATE} has {{context}} {count} times, expected it once")


def even(text: str) -> str:
    """Return the words of `text` separated by a space, or by a line break if there is one."""
    lines = (" ".join(line.split()) for line in each_in_turns(text.split("\n")))
    return "\n".join(filter(None, lines))


def _as_written(text: str, evened: str, start: int, end: int) -> str:
    """Return the part of `text` that corresponds to [start, end) of `evened`."""
    while start < end and evened[start].isspace():
        start += 1
    while start < end and evened[end - 1].isspace():
        end -= 1
    if start == end:
        return ""
    return text[_written_at(text, evened, start) : _written_at(text, evened, end - 1) + 1]


def _written_at(text: str, evened: str, at: int) -> int:
    """Return the offset in `text` of the character at offset `at` of `evened`."""
    begin = max(evened.rfind(" ", 0, at), evened.rfind("\n", 0, at)) + 1
    number = evened.count(" ", 0, begin) + evened.count("\n", 0, begin)
    word: re.Match[str] = next(islice(each_in_turns(_WORD.finditer(text)), number, None))
    return word.start() + at - begin
