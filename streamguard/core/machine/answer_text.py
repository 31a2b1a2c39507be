"""The text of an answer: cut into sentences and thoughts as it comes, and kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from streamguard.core.machine.ledger import Transcript
from streamguard.text.fields import Fields
from streamguard.text.normalise import ends_in_high_surrogate, scalar_text
from streamguard.text.patterns import lazy_re
from streamguard.text.segmenter import EVENT_SIGNS, Segmenter
from streamguard.text.thoughts import TAG_SIGNS, Fence, Part, Thought, ThoughtOpening, Thoughts

# SPEC 10. Over a cap the stream goes on, and the result says `limit_reached`.
MAX_TEXT_CHARS = 2_000_000
MAX_THOUGHTS = 1_000  # told one by one, those beyond as one with what stands between; guess

# Where a sentence stands, or a thought whose text was taken for the answer's.
Place = tuple[int, int] | Thought
# Without one of these a piece ends no sentence and begins no tag: it waits for the next that does.
_TELLING = lazy_re(f"[{re.escape(EVENT_SIGNS + TAG_SIGNS)}\ud800-\udfff]")


class AnswerText:
    """Collects pieces and returns the places of the sentences and thoughts that end in them."""

    def __init__(self) -> None:
        self._transcript = Transcript(MAX_TEXT_CHARS)
        self.thoughts: list[Thought] = []
        self._segmenter = Segmenter()
        self._quiet: list[str] = []  # pieces that nobody has looked at
        self._quiet_chars = 0  # so many more characters may wait among them
        self._high = ""  # a high surrogate whose other half the next piece may bring
        self._parting = Thoughts()
        self._fields = Fields()
        self._reads = True  # whether they read JSON, or may begin to

    @property
    def chars_scanned(self) -> int:
        """Characters handed to the segmenter."""
        return self._segmenter.chars_scanned

    @property
    def chars(self) -> int:
        """Characters that came so far."""
        return self.transcript.chars

    @property
    def transcript(self) -> Transcript:
        """All of the text that came so far, as it came."""
        if self._quiet:
            self._take("")
        return self._transcript

    @property
    def over(self) -> str | None:
        """The exceeded cap in words; None if the text is within it."""
        return f"text over {MAX_TEXT_CHARS} characters" if self.transcript.overflowed else None

    def feed(self, text: str) -> Sequence[Place]:
        """Take the next piece."""
        if 0 < len(text) <= self._quiet_chars and _TELLING.search(text) is None:
            self._quiet_chars -= len(text)
            self._quiet.append(text)
            return ()
        return self._take(text)

    def _take(self, text: str) -> Sequence[Place]:
        """Look at the next piece and those that waited."""
        if self._high or not text.isascii():
            text = self._scalars(text)
        if self._quiet:
            text = "".join((*self._quiet, text))
            self._quiet.clear()
        transcript, parting = self._transcript, self._parting
        text = transcript.add(text)
        if not self._reads and parting.passes(text):
            places: Sequence[Place] = self._segmenter.feed(text)
            is_plain = not self._high
        else:
            places = self._part(parting.feed(text))
            self._reads = self._fields.reads
            is_plain = parting.is_idle and not (self._high or self._reads)
        self._quiet_chars = 0
        if is_plain:
            room = MAX_TEXT_CHARS - transcript.chars
            self._quiet_chars = min(self._segmenter.quiet_chars, room)
        return places

    def close(self) -> list[Place]:
        """Return the remaining places; no piece may follow."""
        last = self.transcript.add(scalar_text(self._high))
        found = self._part([*self._parting.feed(last), *self._parting.close()])
        found += self._segmenter.feed(self._fields.flush())
        found += self._segmenter.close()
        return found

    def settle(self, start: int, end: int) -> tuple[str, str]:
        """Return the white space before a sentence, and the sentence in its readable form."""
        gap, text = self.transcript.settle(start, end)
        if self._fields.edits:
            text, gap = self._fields.read(text, start), self._fields.read(gap, start - len(gap))
        return gap, text

    def whole(self) -> str:
        """Return all of the text in its readable form."""
        return self._fields.read(self.transcript.whole(), 0)

    def _scalars(self, text: str) -> str:
        """Join surrogates over the piece's border; keep back a high one that ends it."""
        text = self._high + text
        self._high = ""
        if ends_in_high_surrogate(text):
            text, self._high = text[:-1], text[-1]
        return scalar_text(text)

    def _part(self, parts: list[Part]) -> list[Place]:
        """Take text and thoughts; a thought ends the sentence before it."""
        found: list[Place] = []
        for part in parts:
            if isinstance(part, str):
                read = self._fields.feed(part) if self._fields.reads else part
                found += self._segmenter.feed(read)
            elif isinstance(part, Fence):
                found += self._segmenter.feed(self._fields.flush())
                self._fields.begin(*part)
            else:
                found += self._take_thought(part)
        return found

    def _take_thought(self, part: ThoughtOpening | Thought) -> list[Place]:
        found: list[Place] = []
        if rest := self._fields.flush():
            found += self._segmenter.feed(rest)
        found += self._segmenter.close()
        if isinstance(part, ThoughtOpening):
            return found
        if len(self.thoughts) == MAX_THOUGHTS:
            start, _, opened = self.thoughts.pop()
            self.thoughts.append(Thought(start, part.end, opened))
        else:
            self.thoughts.append(part)
        if not part.opened:
            found.append(part)
            self._fields.begin(part.end)
        elif self._fields.reads:
            self._fields.flush(part.end)
        self._segmenter = Segmenter(part.end)
        return found
