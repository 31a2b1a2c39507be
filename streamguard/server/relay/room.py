"""Limits the memory of the contexts of all open answers in one process."""

from __future__ import annotations

from streamguard.core.context import Context

MAX_CONTEXT_BYTES = 268_435_456  # as much as results may take; a dozen contexts of 2 MB


# Bytes per character of a passage and its index (docs/performance.md: 14 times its text).
_A_CHARACTER = 15


class Room:
    """Tracks open contexts; one that serves several answers counts once.

    Their size is estimated at each addition (`Evidence.held_bytes`): an unbuilt index counts as one
    of prose.
    """

    def __init__(self, max_bytes: int = MAX_CONTEXT_BYTES) -> None:
        self.max_bytes = max_bytes
        self._open: dict[str, Context] = {}  # by the id of their answer
        self._brought: dict[str, int] = {}  # bytes of passages in an answer's own stream

    def __len__(self) -> int:
        return len(self._open)

    @property
    def held_bytes(self) -> int:
        """The bytes that open contexts hold now."""
        contexts = {id(one): one for one in [*self._open.values()]}
        return sum(map(self.held_by, contexts.values())) + sum([*self._brought.values()])

    def fits(self, context: Context) -> bool:
        """Return whether there is room for another context."""
        if context.evidence is None or any(one is context for one in [*self._open.values()]):
            return True
        return self.held_bytes + self.held_by(context) <= self.max_bytes

    def enter(self, id: str, context: Context) -> bool:
        """Open an answer's context if there is room; return whether it was. `leave` must follow."""
        fits = self.fits(context)
        if fits and context.evidence is not None:
            self._open[id] = context
        return fits

    def grow(self, id: str, chars: int) -> bool:
        """Reserve room for passages in an answer's own stream; return whether there was any.

        They are indexed together with the answer's own context.
        """
        more = _A_CHARACTER * chars
        if id not in self._brought and (own := self._open.get(id)) is not None:
            more += self.held_by(own)
        fits = self.held_bytes + more <= self.max_bytes
        if fits:
            self._brought[id] = self._brought.get(id, 0) + more
        return fits

    def leave(self, id: str) -> None:
        """Release the context of a finished answer, if it had one; thread-safe."""
        self._open.pop(id, None)
        self._brought.pop(id, None)

    @staticmethod
    def held_by(context: Context) -> int:
        """Return the bytes of a context and its index."""
        return 0 if context.evidence is None else context.evidence.held_bytes
