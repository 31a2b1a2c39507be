"""The machine that everything else exists for: pieces in, findings out, one result at the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context, LateContext
from streamguard.core.index.evidence import Evidence
from streamguard.core.machine.bringing import Bringing
from streamguard.core.machine.judging import MAX_SENTENCES, Judging
from streamguard.core.machine.ledger import Ledger, Settled, Transcript
from streamguard.core.model.brought import Brought
from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.model.result import GuardrailsResult, StreamReport
from streamguard.core.model.types import Ended, Finding, Verdict
from streamguard.core.sentence import Sentence
from streamguard.core.verdict.opinions import Words
from streamguard.errors import ConfigError, StreamStateError
from streamguard.text.fields import Fields
from streamguard.text.normalise import ends_in_high_surrogate, scalar_text
from streamguard.text.segmenter import Segmenter
from streamguard.text.thoughts import Fence, Part, Thought, ThoughtOpening, Thoughts

# SPEC 10. Over a cap the stream goes on, and the result says `limit_reached`.
MAX_TEXT_CHARS = 2_000_000
MAX_THOUGHTS = 1_000  # told one by one, those beyond as one with what stands between; guess

_DEFAULT_POLICY = Policy()
# Pauses inside sentences that one piece goes through, and sentences that it settles of those that
# waited for the index. Guess: a millisecond or two (benchmarks/bench_turns.py).
_MOST_PAUSES = 4
# Times that an answer is judged anew while it streams, for passages that its own stream brought;
# for what comes later once more, at its close. Guess: few answers call a tool as often.
_MOST_RENEWALS = 8
_OVER = object()


class StreamGuard:
    """Checks one answer as it arrives: `feed` every piece, `close` once, read the result.

    However the text is cut, and whenever a late context comes, findings and result are the same.
    A check that raises is listed in the result's `errors` and never reaches the caller.
    Without `live` nothing is kept for `settled` until `listen` is called.
    """

    def __init__(
        self,
        context: Context | LateContext | None = None,
        policy: Policy | str | None = None,
        checks: Checks = DEFAULT_CHECKS,
        *,
        choice: int = 0,
        live: bool = True,
    ) -> None:
        late = context if isinstance(context, LateContext) else None
        known = None if isinstance(context, LateContext) else context
        for name, given, kind in (("context", known, Context), ("checks", checks, Checks)):
            if not isinstance(given, kind) and not (given is None and kind is Context):
                raise ConfigError(f"{name} is a {type(given).__name__}, expected {kind.__name__}")
        self.policy = _DEFAULT_POLICY if policy is None else as_policy(policy)
        if self.policy.running_packs:
            from streamguard.core.packs.checks import pack_checks  # of no use to most

            # First: what they find is hidden in what the others say.
            checks = replace(checks, per_sentence=(*pack_checks(self.policy), *checks.per_sentence))
        self.checks = checks
        self.choice = choice
        self._live = live
        self._late = late  # until its context has come
        self._ledger = Ledger()
        self._know(known or Context())
        self._segmenter = Segmenter()
        self._transcript = Transcript(MAX_TEXT_CHARS)
        self._high = ""  # a high surrogate whose other half the next piece may bring
        self._parting = Thoughts()
        self._fields = Fields()
        self._thoughts: list[Thought] = []
        # Sentences that are not settled yet, and thoughts whose text was taken for the answer's.
        self._waiting = deque[tuple[int, int] | Thought | Brought]()
        self._bringing: Bringing | None = None  # once the stream brings anything
        self._to_bring = 0  # how much of `_waiting` that is: a long answer is not searched for it
        self._places: list[tuple[int, int] | Thought] = []  # settled; to be judged anew then
        self._renewals = 0
        self._replayed = 0  # of `_waiting`, those that are judged anew
        self._settling: Iterator[None] | None = None  # of the sentence that is being judged
        self._indexing = True  # until context and index are there
        self._pieces = 0
        self._sentence_chars = 0
        self._cut_short = False
        self._beyond = 0  # sentences beyond the caps
        self._finished = False  # the last piece has been fed
        self._steps = self._closing()
        self._result: GuardrailsResult | None = None
        self._ended: Ended = "complete"
        self._claims_told = 0  # sentences of which `claims` has been asked
        self._promoted_told = False

    @property
    def context(self) -> Context:
        """What the answer is judged by; empty until a late one has come."""
        return self._judging.context

    @property
    def stats(self) -> StreamReport:
        """Pieces fed so far, and the characters handed to the busiest scanner."""
        scanned = max(self._segmenter.chars_scanned, self._sentence_chars)
        return StreamReport(pieces=self._pieces, chars_scanned=scanned)

    @property
    def working(self) -> bool:
        """Whether `step` has something to do that waits for neither context nor index."""
        return self._settling is not None or self._may_settle()

    @property
    def behind(self) -> bool:
        """Whether there is more to do than what the next piece brings.

        Each piece builds a slice of an unfinished index, and then settles a few of the sentences
        that waited for it; `close` does the rest. While a late context is awaited nothing can be.
        """
        if self._late is not None or (self._suspended and not self._may_settle()):
            return False
        evidence = self._judging.evidence
        return self._has_work or (evidence is not None and not evidence.ready)

    def feed(self, text: str) -> list[Finding]:
        """Take the next piece; return the findings of the sentences it settled.

        A sentence that takes long is gone on with in the next pieces, or in `step`. Raises
        `StreamStateError` after `close`, and `TypeError` for anything but a str.
        """
        was_behind = self._has_work
        self.take(text)
        if self._indexing and not self._is_indexed() and self._late is None:
            assert self._judging.evidence is not None  # so there is an index to build a slice of
            self._judging.evidence.build_slice()
        found: list[Finding] = []
        pauses = 0
        work = self._waiting or self._settling  # asked once: most pieces end no sentence
        while work and pauses < _MOST_PAUSES and (some := self.step()) is not None:
            found += some
            # A few at a time: one turn of the loop must not settle all that waited.
            pauses += was_behind or self._settling is not None
        return found

    def take(self, text: str) -> None:
        """Take the next piece, whose sentences `step` settles; raises as `feed` does."""
        if not isinstance(text, str):
            raise TypeError(f"feed() takes a str, not {type(text).__name__}")
        if self._finished:
            raise StreamStateError("feed() after close(): the result is final; use a new guard")
        self._pieces += 1
        if self._high or not text.isascii():
            text = self._scalars(text)
        text = self._transcript.add(text)
        if self._fields.reads or not self._parting.passes(text):
            self._part(self._parting.feed(text))
        elif spans := self._segmenter.feed(text):
            self._waiting.extend(spans)

    def bring(self, brought: Brought) -> None:
        """Take what the answer's own stream brings beside its text, in front of the next piece.

        Passages and citations count for all of the answer: what was judged before is judged anew.
        While the result of a call is to come no sentence settles. Raises as `take` does.
        """
        if self._finished:
            raise StreamStateError("bring() after close(): the result is final; use a new guard")
        if self._bringing is None:
            self._bringing = Bringing()
        self._bringing.open(brought, self._transcript.chars)
        self._waiting.append(brought)
        self._to_bring += 1

    @property
    def evidence(self) -> Evidence | None:
        """The index of passages that the stream itself brought, None without any."""
        return self._judging.evidence if self._renewals else None

    def _may_settle(self) -> bool:
        """Say whether the first of what waits can be dealt with now."""
        if not self._waiting:
            return False
        if self._bringing is not None and self._late is None:
            if self._suspended:
                if not self._to_bring:
                    return False
                later = next(each for each in self._waiting if isinstance(each, Brought))
                self._waiting.remove(later)
                self._waiting.appendleft(later)
            if isinstance(self._waiting[0], Brought) or self._renews:
                return True
        return not self._indexing or self._is_indexed()

    @property
    def _suspended(self) -> bool:
        """Whether the result of a call is to come: it may be what the text behind rests on."""
        return self._bringing is not None and self._bringing.awaits and not self._finished

    @property
    def _renews(self) -> bool:
        """Whether to begin anew with what was brought before the next sentence is judged."""
        if (bringing := self._bringing) is None or isinstance(self._waiting[0], Brought):
            return False
        early = bringing.has_passages and self._renewals < _MOST_RENEWALS
        return bringing.is_news and (early or not self._places)

    def step(self) -> list[Finding] | None:
        """Do a part of what was taken: a sentence, of one that takes long a millisecond or two.

        Returns the findings, and None where nothing is left or all waits for context or index.
        """
        if self._settling is None:
            if not self._may_settle():
                return None
            renews = self._renews
            self._settling = self._renew() if renews else self._settle(self._waiting.popleft())
        before = len(self._ledger.findings)
        if next(self._settling, _OVER) is _OVER:
            self._settling = None
        return self._ledger.findings[before:]

    def close_step(self) -> list[Finding] | None:
        """Do a part of what `close` has to do, about a sentence's work; no piece may follow.

        Returns the findings of what it settled, and None once the result is all that is left.
        """
        return next(self._steps, None)

    def close(self, ended: Ended = "complete") -> GuardrailsResult:
        """Settle what is left and return the result; further calls return the same one."""
        if self._result is None:
            while self.close_step() is not None:
                pass
            self._ended = ended
            self._result = self._judging.conclude(self._transcript, ended)
        return self._result

    def claims(self) -> list[Sentence]:
        """Return the claims settled since the last call, for verifiers to read.

        Those that only the close made claims come once all of it is judged.
        """
        claims = self._judging.claims_from(self._claims_told)
        self._claims_told = max(self._claims_told, len(self._judging.sentences))
        if not self._promoted_told and (promoted := self._judging.promoted_claims()):
            self._promoted_told = True
            again = {claim.index for claim in promoted}
            claims = [claim for claim in claims if claim.index not in again] + promoted
        return claims

    def findings_with(self, index: int, verdicts: Mapping[str, Verdict]) -> tuple[Finding, ...]:
        """Return the findings of settled sentence `index` as these verdicts leave them.

        The guard itself keeps its own; `heard` makes the result of all verdicts.
        """
        return self._judging.findings_with(index, verdicts, self._transcript)

    def heard(self, words: Words) -> GuardrailsResult:
        """Return the closed guard's result with the verifiers' `words`; `close` keeps its own."""
        self.close()
        return self._judging.conclude(self._transcript, self._ended, words)

    def settled(self) -> list[Settled]:
        """Return the sentences settled since the last call, each as it was when it settled."""
        return self._judging.settled()

    def listen(self) -> None:
        """Keep from now on what `settled` returns."""
        self._live = self._judging.live = True

    def report_error(self, where: str, error: Exception) -> None:
        """List an error of the caller's own (a callback, say), unless the result is final."""
        self._ledger.report(where, error)

    def report_limit(self, what: str) -> None:
        """Say in the result that a cap of the caller's was reached."""
        self._ledger.limit(what)

    def report_unread(self, what: str) -> None:
        """Say in the result that something passed that may hold text and could not be read."""
        self._ledger.unread = what

    def cut_short(self) -> None:
        """Judge no more sentences; where some are left, the result says that a cap was reached."""
        self._cut_short = True

    def _know(self, context: Context) -> None:
        """Begin to judge by this context; no sentence has settled yet."""
        self._base = context
        self._judging = Judging(context, self.policy, self.checks, self.choice, self._ledger)
        self._judging.live = self._live

    def _has_come(self, late: LateContext) -> bool:
        if late.context is not None:
            self._late = None
            self._know(late.context)
        return self._late is None

    def _renew(self) -> Iterator[None]:
        """Begin to judge anew, by all that the stream has brought."""
        assert self._bringing is not None  # so there is something new
        yield from self._bringing.renewing(self._base, self._transcript.whole())
        context, citations = self._bringing.context, self._bringing.citations
        self._ledger.forget()
        if context is not self._judging.context:  # else verifiers have seen it
            self._claims_told, self._promoted_told = 0, False
        known = (context, self.policy, self.checks, self.choice, self._ledger)
        self._judging = Judging(*known, citations, self._judging)
        self._judging.live = self._live
        self._renewals += 1
        self._replayed += len(self._places)
        self._waiting.extendleft(reversed(self._places))
        self._places.clear()
        self._indexing = True

    @property
    def _has_work(self) -> bool:
        return bool(self._waiting) or self._settling is not None

    def _is_indexed(self) -> bool:
        """Say whether context and index are there."""
        if self._late is None or self._has_come(self._late):
            evidence = self._judging.evidence
            self._indexing = evidence is not None and not evidence.ready
        return not self._indexing

    def _scalars(self, text: str) -> str:
        """Join surrogates over the piece's border; keep back a high one that ends it."""
        text = self._high + text
        self._high = ""
        if ends_in_high_surrogate(text):
            text, self._high = text[:-1], text[-1]
        return scalar_text(text)

    def _part(self, parts: list[Part]) -> None:
        """Take text and thoughts; a thought ends the sentence before it."""
        for part in parts:
            if isinstance(part, str):
                read = self._fields.feed(part) if self._fields.reads else part
                self._waiting += self._segmenter.feed(read)
            elif isinstance(part, Fence):
                self._waiting += self._segmenter.feed(self._fields.flush())
                self._fields.begin(*part)
            else:
                self._take_thought(part)

    def _take_thought(self, part: ThoughtOpening | Thought) -> None:
        if rest := self._fields.flush():
            self._waiting += self._segmenter.feed(rest)
        self._waiting += self._segmenter.close()
        if isinstance(part, ThoughtOpening):
            return
        if len(self._thoughts) == MAX_THOUGHTS:
            start, _, opened = self._thoughts.pop()
            self._thoughts.append(Thought(start, part.end, opened))
        else:
            self._thoughts.append(part)
        if not part.opened:
            self._waiting.append(part)
            self._fields.begin(part.end)
        elif self._fields.reads:
            self._fields.flush(part.end)
        self._segmenter = Segmenter(part.end)

    def _settle(self, place: tuple[int, int] | Thought | Brought) -> Iterator[None]:
        """Judge the sentence at [start, end), with pauses where that takes long.

        Of a thought that was taken for the answer's text, take back what was found.
        """
        if isinstance(place, Brought):
            assert self._bringing is not None  # which `bring` has made
            self._to_bring -= 1
            self._bringing.add(place)
            return
        is_new = not self._replayed
        self._replayed -= not is_new
        if isinstance(place, Thought):
            self._beyond *= not is_new
            self._places.append(place)
            self._judging.forget()
            return
        start, end = place
        gap, text = self._transcript.settle(start, end)
        if self._fields.edits:
            text, gap = self._fields.read(text, start), self._fields.read(gap, start - len(gap))
        if self._cut_short:
            self.report_limit("the time of a server that was told to stop")
        elif self._judging.is_full(start):
            self._beyond += 1
        else:
            self._places.append(place)
            self._sentence_chars += (end - start) * is_new
            yield from self._judging.settling(start, end, text, gap)

    def _closing(self) -> Iterator[list[Finding]]:
        """Do what closing takes, with pauses; yield the findings of what was settled."""
        self._finished = True
        last = self._transcript.add(scalar_text(self._high))
        self._part([*self._parting.feed(last), *self._parting.close()])
        self._waiting += self._segmenter.feed(self._fields.flush())
        self._waiting += self._segmenter.close()
        if self._late is not None:
            self._has_come(self._late)
        evidence = self._judging.evidence
        while evidence is not None and not (evidence.ready or evidence.build_slice()):
            yield []
        self._late, self._indexing = None, False  # a context that comes now is too late
        yield from self._settling_rest()
        before = len(self._ledger.findings)
        self._judging.confirm()
        yield self._ledger.findings[before:]
        if self._beyond:
            many = f"more than {MAX_SENTENCES} sentences, or very many short ones"
            self.report_limit(f"{many} ({self._beyond} of them)")
        if self._bringing is not None and self._bringing.over is not None:
            self.report_limit(self._bringing.over)
        if self._transcript.overflowed:
            self.report_limit(f"text over {MAX_TEXT_CHARS} characters")
        for _ in self._judging.closing(self._transcript, self._thoughts, self._fields.read):
            yield []

    def _settling_rest(self) -> Iterator[list[Finding]]:
        """Judge what is left, and once more all of it if the stream brought something since."""
        while True:
            while (found := self.step()) is not None:
                yield found
            evidence = self._judging.evidence
            if self._waiting and evidence is not None:
                evidence.build_slice()
            elif self._bringing is not None and self._bringing.is_stale(self._transcript.chars):
                self._settling = self._renew()
            else:
                return
            yield []
