"""Passages and citations that come in the answer's own stream, and the context that they make."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from streamguard.core.context import Context
from streamguard.core.model.brought import Brought, CitedSpan, NativeCitation
from streamguard.core.model.types import ContextOrigin, RetrievedChunk, Where

# Of one answer: as many as a given context may hold (docs/wire.md). Further citations, blocks and
# calls are only counted; guess, ten times those of a long report.
MAX_PASSAGES, MAX_PASSAGE_CHARS = 10_000, 2_000_000
MAX_CITATIONS = MAX_BLOCKS = MAX_CALLS = 1_000
_MIN_QUOTED = 12  # characters of a quotation that identify its passage; guess
_MARKS = ("(", "[", "【", "\ue200")  # how marks and links begin that stand behind their words
_MARK_CHARS = 16  # blanks and brackets in front of one; guess


class Bringing:
    """The passages, citations and calls in one answer's stream so far.

    `is_news`: there is more than in the last `context`. `over` names the limit that was exceeded.
    """

    def __init__(self) -> None:
        self.is_news = False
        self.has_passages = False  # among the news
        self.over: str | None = None
        self._open = False  # a citation may reach further than the text did
        self._read_chars = 0
        self._passages: list[RetrievedChunk] = []
        self._known: set[tuple[str | None, str]] = set()
        self._chars = 0
        self._kinds = Counter[Where]()
        self._cited: list[CitedSpan] = []
        self._seen: set[CitedSpan] = set()
        self.context = Context()
        self.citations: Sequence[NativeCitation] = ()
        self._blocks: dict[str, int] = {}
        self._awaited: set[str] = set()
        self._returned: set[str] = set()

    @property
    def awaits(self) -> bool:
        """Whether the result of a call is to come."""
        return bool(self._awaited)

    def is_stale(self, chars: int) -> bool:
        """Return whether the context or its citations change with this length of the text."""
        return self.is_news or (self._open and chars > self._read_chars)

    def open(self, brought: Brought, chars: int) -> None:
        """Note where blocks begin: `chars` code points of the answer have come."""
        for block, further in brought.opens:
            if len(self._blocks) < MAX_BLOCKS:
                self._blocks.setdefault(block, chars + further)

    def add(self, brought: Brought) -> None:
        """Take the passages, citations and calls of a frame."""
        awaits = brought.awaits
        if awaits is not None and awaits not in self._returned and len(self._awaited) < MAX_CALLS:
            self._awaited.add(awaits)
        if brought.returns is not None:
            self._awaited.discard(brought.returns)
            if len(self._returned) < MAX_CALLS:
                self._returned.add(brought.returns)
        if brought.over:
            self.over = "passages or citations of one frame"
        for passage in brought.passages:
            self._add_passage(passage, brought.where)
        for cited in brought.citations:
            self._add_citation(cited)

    def _add_passage(self, passage: RetrievedChunk, where: Where) -> None:
        key = (passage.id, passage.text)
        if key in self._known:
            return
        chars = self._chars + len(passage.text)
        if len(self._passages) == MAX_PASSAGES or chars > MAX_PASSAGE_CHARS:
            self.over = "passages in the answer's own stream"
            return
        self._known.add(key)
        self._chars = chars
        self._kinds[where] += 1
        self._passages.append(passage)
        self.is_news = self.has_passages = True

    def _add_citation(self, cited: CitedSpan) -> None:
        if cited in self._seen:
            return
        if len(self._cited) == MAX_CITATIONS:
            self.over = "citations beside the text"
            return
        self._seen.add(cited)
        self._cited.append(cited)
        self.is_news = True

    def renewing(self, base: Context, text: str) -> Iterator[None]:
        """Set `context` to `base` with everything that was brought, with pauses.

        `text` is the answer so far. Words that a citation quotes become a passage, unless a passage
        holds them.
        """
        self.is_news = self.has_passages = self._open = False
        self._read_chars = len(text)
        own_chunks: Sequence[RetrievedChunk] = base.evidence.chunks if base.evidence else ()
        chunks, kinds = [*own_chunks, *self._passages], Counter(self._kinds)
        begins = sorted(self._blocks.values())
        citations: list[NativeCitation] = []
        for number, cited in enumerate(self._cited, 1):
            names, words = cited.names, cited.quoted.strip()
            if words:
                name = _name_of_holder(words, chunks)
                if name is None:
                    name = f"citation:{number}"
                    chunks.append(RetrievedChunk(words, id=name, source=cited.source))
                    kinds["citation"] += 1
                names = (name, *names)
            start, end = self._place(cited, text, begins)
            self._open = self._open or not start < end < len(text)
            if start < end:
                citations.append(NativeCitation(start, end, names))
            yield
        self.citations = sorted(citations)
        if len(chunks) == len(own_chunks):
            self.context = base
        elif tuple(chunks) != self.context.chunks:  # else its index is built already
            unread = (ContextOrigin("given", None, len(own_chunks)),) if own_chunks else ()
            own = base.origins or unread
            more = tuple(ContextOrigin(kind, None, count) for kind, count in kinds.items())
            self.context = replace(base, chunks=chunks, origins=(*own, *more), uncertain=None)

    def _place(self, cited: CitedSpan, text: str, begins: Sequence[int]) -> tuple[int, int]:
        """Return the span of the answer that the citation covers; empty if it cannot be found."""
        begin = self._blocks.get(cited.block, 0)
        if cited.start is None:
            after = bisect_right(begins, begin)
            start, end = begin, begins[after] if after < len(begins) else len(text)
        else:
            start = begin + cited.start
            end = start if cited.end is None else begin + cited.end
        if cited.said and text[start:end] != cited.said:
            # Offsets may count bytes, which are at least as many as code points.
            found = text.rfind(cited.said, 0, start + len(cited.said))
            start = found if found >= 0 else text.find(cited.said)
            if start < 0:
                return 0, 0
            end = start + len(cited.said)
        if start > len(text):
            return 0, 0
        end = min(end, len(text))
        # A citation's point stands behind its words, and so does a mark or a link.
        if start == end or text.startswith(_MARKS, start):
            start = (
                len(text[max(0, start - _MARK_CHARS) : start].rstrip(" (["))
                - 1
                + max(0, start - _MARK_CHARS)
            )
        return max(0, start), end


def _name_of_holder(words: str, chunks: Sequence[RetrievedChunk]) -> str | None:
    """Return the name of the passage that holds the words, None without one."""
    if len(words) < _MIN_QUOTED:
        return None
    for number, chunk in enumerate(chunks, 1):
        if words in chunk.text:
            return chunk.id or f"C{number}"
    return None
