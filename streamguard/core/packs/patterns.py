"""The application's own patterns, each with a limit of time for a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import regex

from streamguard.core.packs.found import PackMatch
from streamguard.errors import ConfigError

# Of one pattern in one sentence: it has 2,000 characters at most, and an honest pattern takes
# microseconds. Guess: four turns of the event loop.
LIMIT_S = 0.01


class OwnPattern:
    """One named pattern; its search raises `TimeoutError` once, and finds nothing from then on."""

    def __init__(self, name: str, source: str) -> None:
        try:
            self._pattern: Any = regex.compile(source)
        except regex.error as exc:
            raise ConfigError(
                f"patterns.{name} is {source!r}, no regular expression: {exc}"
            ) from exc
        if self._pattern.search("") is not None:
            raise ConfigError(f"patterns.{name} is {source!r}, which matches the empty text")
        self._name = name
        self._is_slow = False

    def __call__(self, text: str) -> Iterator[PackMatch]:
        """Yield the matches in `text`; group 1 where the pattern has one."""
        if self._is_slow:
            return
        group = min(1, self._pattern.groups)
        try:
            # All at once: the time of the matches' reader between them does not count.
            spans = [each.span(group) for each in self._pattern.finditer(text, timeout=LIMIT_S)]
        except TimeoutError as exc:
            self._is_slow = True
            message = (
                f"the pattern {self._name} took more than {LIMIT_S * 1000:g} ms; it is off now"
            )
            raise TimeoutError(message) from exc
        for start, end in spans:
            if end > start:
                yield PackMatch(start, end, self._name, f"[{self._name.upper()}]")
