"""A cache of recent contexts: the index of their passages is built once for many answers."""

from __future__ import annotations

from collections import OrderedDict

from streamguard.core.context import Context
from streamguard.core.model.chunks import as_chunks

MAX_CHARS = 300_000  # of passages held at once: some 40 MB of indexes (benchmarks/bench_audit.py)

_CONTEXT_CHARS = 100  # further bytes of a context, measured: 9 KB

_Key = tuple[str | None, tuple[str, ...]]


class Contexts:
    """Returns a cached equal context, if there is one.

    At most `max_chars` characters of passages and questions are cached, with 100 added for each;
    the least recently used goes first; the latest stays whatever its size.
    """

    def __init__(self, max_chars: int = MAX_CHARS) -> None:
        self._max_chars = max_chars
        self._held: OrderedDict[_Key, tuple[Context, int]] = OrderedDict()
        self._chars = 0

    def known(self, context: Context) -> Context:
        """Return the cached context equal to this one, else cache and return this one."""
        key = context.query, tuple(chunk.text for chunk in as_chunks(context.chunks or ()))
        held, chars = self._held.pop(key, (None, 0))
        if held is None:
            chars = sum(map(len, key[1])) + len(context.query or "") + _CONTEXT_CHARS
            self._chars += chars
        if held is None or not _same(held, context):  # the same words with other ids, say
            held = context
        self._held[key] = held, chars
        while self._chars > self._max_chars and len(self._held) > 1:
            _, (_, gone) = self._held.popitem(last=False)
            self._chars -= gone
        return held


def _same(one: Context, other: Context) -> bool:
    return one == other and one.origins == other.origins
