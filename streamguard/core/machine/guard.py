"""The machine that everything else exists for: pieces in, findings out, one result at the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context, LateContext
from streamguard.core.index.evidence import Evidence
from streamguard.core.machine.answer_close import AnswerClose
from streamguard.core.machine.answer_text import AnswerText
from streamguard.core.machine.bringing import Bringing
from streamguard.core.machine.claim import Claim
from streamguard.core.machine.judging import MAX_SENTENCES, Judging
from streamguard.core.machine.ledger import Ledger, Settled
from streamguard.core.machine.scored_claims import ScoredClaims
from streamguard.core.model.brought import Brought
from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.model.result import GuardrailsResult, StreamReport
from streamguard.core.model.types import Ended, Finding, Score
from streamguard.errors import ConfigError, StreamStateError
from streamguard.text.thoughts import Thought

# Steps of unfinished sentences that one piece works off, and waiting sentences that it settles.
# Guess: a millisecond or two (benchmarks/bench_turns.py).
_MOST_PAUSES = 4
# How often an answer is judged anew while it streams, as passages come in its stream; later ones
# count once more, at its close. Guess: few answers call a tool as often.
_MOST_RENEWALS = 8
_OVER = object()


class StreamGuard:
    """Checks one answer as it arrives: `feed` every piece, `close` once, read the result.

    It does no I/O in either direction: `claims` hands out the claims to score, `score` takes their
    scores, and the rules run at the close with the scores so far.

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
        for name, argument, kind in (("context", known, Context), ("checks", checks, Checks)):
            if not isinstance(argument, kind) and not (argument is None and kind is Context):
                seen = type(argument).__name__
                raise ConfigError(f"{name} is a {seen}, expected {kind.__name__}")
        self.policy = as_policy(policy)
        if self.policy.running_packs:
            from streamguard.core.packs.checks import pack_checks  # of no use to most

            # First: their matches are hidden in the findings of the others.
            checks = replace(checks, per_sentence=(*pack_checks(self.policy), *checks.per_sentence))
        self.checks = checks
        self.choice = choice
        self._live = live
        self._late = late  # until its context has come
        self._ledger = Ledger()
        self._know(known or Context())
        self._text = AnswerText()
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
        self._answer_close: AnswerClose | None = None  # once every sentence has settled
        self._is_closed = False
        self._claims = ScoredClaims(choice)

    @property
    def context(self) -> Context:
        """The answer's context; empty until a late one has come."""
        return self._judging.context

    @property
    def stats(self) -> StreamReport:
        """Pieces fed so far, and the characters handed to the busiest scanner."""
        scanned = max(self._text.chars_scanned, self._sentence_chars)
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
        was_behind = bool(self._waiting) or self._settling is not None
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
        if places := self._text.feed(text):
            self._waiting.extend(places)

    def bring(self, brought: Brought) -> None:
        """Take passages, citations and calls of the answer's stream, in front of the next piece.

        Passages and citations count for all of the answer: earlier sentences are judged anew. No
        sentence settles while the result of a call is awaited. Raises as `take` does.
        """
        if self._finished:
            raise StreamStateError("bring() after close(): the result is final; use a new guard")
        if self._bringing is None:
            self._bringing = Bringing()
        self._bringing.open(brought, self._text.chars)
        self._waiting.append(brought)
        self._to_bring += 1

    @property
    def evidence(self) -> Evidence | None:
        """The index of passages that the stream itself brought, None without any."""
        return self._judging.evidence if self._renewals else None

    def _may_settle(self) -> bool:
        """Return whether the first waiting item can be handled now."""
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
        """Whether new passages or citations call for judging anew before the next sentence."""
        if (bringing := self._bringing) is None or isinstance(self._waiting[0], Brought):
            return False
        early = bringing.has_passages and self._renewals < _MOST_RENEWALS
        return bringing.is_news and (early or not self._places)

    def step(self) -> list[Finding] | None:
        """Judge the next sentence, or a millisecond or two of a long one.

        Returns the findings; None if nothing is left, or all waits for context or index.
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
        """Do a part of the work of `close`, about a sentence; no piece may follow.

        Returns the findings of the settled sentences; None once only the result is left to make.
        """
        return next(self._steps, None)

    def close(self, ended: Ended = "complete") -> GuardrailsResult:
        """Settle the rest and return the result by the scores so far.

        Further calls return the same result until another score comes; `ended` counts once.
        """
        if self._result is None:
            if not self._is_closed:
                while self.close_step() is not None:
                    pass
                self._ended, self._is_closed = ended, True
            assert self._answer_close is not None  # the steps have made it
            self._result = self._answer_close.conclude(self._ended, self._claims.book)
        return self._result

    def claims(self) -> list[Claim]:
        """Return the claims settled since the last call, for scoring.

        Claims that only the close promotes come once the whole answer is judged. If the stream
        itself brings passages, all claims come again under new ids.
        """
        return self._claims.hand_out(self._judging, self._answer_close)

    def score(self, claim_id: str, score: Score) -> None:
        """Accept a scorer's score of a claim; the order of the scores does not matter.

        A score is dropped if `claims` has returned its claim again under a new id. Raises
        `ConfigError` for an id that `claims` never returned and for a score without a scorer,
        `StreamStateError` for a scorer's second score of a claim.
        """
        self._claims.add(claim_id, score)
        self._result = None

    def note_scorer(self, name: str, error: str | None = None) -> None:
        """Record in the result that a scorer was given claims, and its error, if any.

        `error` is listed, so it must hold no secret.
        """
        self._claims.book.scorers.add(name)
        if error is not None:
            self._claims.book.errors.add((name, error))
        self._result = None

    def findings_by_scores(self, index: int) -> tuple[Finding, ...] | None:
        """Return the findings of settled sentence `index` as its scores leave them.

        None while nobody has scored it.
        """
        scores = self._claims.book.of(index)
        return self._judging.findings_by(index, scores) if scores else None

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
        """Record in the result that a limit of the caller was reached."""
        self._ledger.limit(what)

    def report_unread(self, what: str) -> None:
        """Record in the result that something passed that may hold text and could not be read."""
        self._ledger.unread = what

    def cut_short(self) -> None:
        """Judge no more sentences; if some are left, the result has `limit_reached`."""
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
        yield from self._bringing.renewing(self._base, self._text.transcript.whole())
        context, citations = self._bringing.context, self._bringing.citations
        self._ledger.forget()
        if context is not self._judging.context:  # else scorers have seen it
            self._claims.begin_anew()
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
        """Return whether context and index are there."""
        if self._late is None or self._has_come(self._late):
            evidence = self._judging.evidence
            self._indexing = evidence is not None and not evidence.ready
        return not self._indexing

    def _settle(self, place: tuple[int, int] | Thought | Brought) -> Iterator[None]:
        """Judge the sentence at [start, end), with pauses if it is long.

        Take back the findings of a thought that was taken for the answer's text.
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
        gap, text = self._text.settle(start, end)
        if self._cut_short:
            self.report_limit("the time of a server that was told to stop")
        elif self._judging.is_full(start):
            self._beyond += 1
        else:
            self._places.append(place)
            self._sentence_chars += (end - start) * is_new
            yield from self._judging.settling(start, end, text, gap)

    def _closing(self) -> Iterator[list[Finding]]:
        """Close the answer, with pauses; yield the findings of the settled sentences."""
        self._finished = True
        self._waiting += self._text.close()
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
        if self._text.over is not None:
            self.report_limit(self._text.over)
        self._answer_close = AnswerClose(self._judging, self._text)
        for _ in self._answer_close.steps():
            yield []

    def _settling_rest(self) -> Iterator[list[Finding]]:
        """Judge the rest, and all of it once more if the stream brought passages since."""
        while True:
            while (found := self.step()) is not None:
                yield found
            evidence = self._judging.evidence
            if self._waiting and evidence is not None:
                evidence.build_slice()
            elif self._bringing is not None and self._bringing.is_stale(self._text.chars):
                self._settling = self._renew()
            else:
                return
            yield []
