"""The machine that everything else exists for: pieces in, findings out, one result at the end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.closing import Closing, conclude
from streamguard.core.context import Context
from streamguard.core.derive.report import with_derivations
from streamguard.core.late import LateContext
from streamguard.core.ledger import NO_SPAN, Ledger, Span, check_name
from streamguard.core.policy import Policy
from streamguard.core.provisional import PROVISIONAL, Held, Paragraph, Settled
from streamguard.core.result import EvidenceSpan, GuardrailsResult, SentenceReport, StreamReport
from streamguard.core.roles import OPENING_ROLES, Kind, block_kind
from streamguard.core.scalars import ends_in_high_surrogate, scalar_text
from streamguard.core.scoring import Tally
from streamguard.core.segmenter import Segmenter
from streamguard.core.sentence import Answer, Question, Scope, Sentence
from streamguard.core.support import Supports
from streamguard.core.transcript import Transcript
from streamguard.core.types import Ended, Finding, Support
from streamguard.errors import ConfigError, StreamStateError

T = TypeVar("T")

# SPEC 10. Over a cap the stream goes on, and the result says `limit_reached`.
MAX_TEXT_CHARS = 2_000_000
MAX_SENTENCES = 50_000

Check = Callable[[Any, Scope], Iterable[Finding]]
# is_claim, coverage, support, evidence, cited chunks
Judgement = tuple[bool, float | None, float | None, EvidenceSpan | None, tuple[str, ...]]
_UNJUDGED: Judgement = (False, None, None, None, ())
# Sentences settled per piece while those that waited for the index are drained: the first ones read
# most of what their chunks have to be read for (benchmarks/bench_wrapper.py, longest turn).
_DRAINED = 1
# What a short answer without a claim is judged by all the same.
_PROMOTED = frozenset({"fragment", "heading"})
_PROMOTED_IN_LISTS = frozenset({"fragment"})  # a longer answer of bare list items
_SHORT_ANSWER = 2


class StreamGuard:
    """Checks one answer as it arrives: `feed` every piece, `close` once, read the result.

    However the text is cut, and whenever a late context comes, findings and result are the same.
    A check that raises is listed in the result's `errors` and never reaches the caller.
    """

    def __init__(
        self,
        context: Context | LateContext | None = None,
        policy: Policy | None = None,
        checks: Checks = DEFAULT_CHECKS,
        *,
        choice: int = 0,
    ) -> None:
        late = context if isinstance(context, LateContext) else None
        known = None if isinstance(context, LateContext) else context
        for name, given, kind in (
            ("context", known, Context),
            ("policy", policy, Policy),
            ("checks", checks, Checks),
        ):
            if given is not None and not isinstance(given, kind):
                raise ConfigError(f"{name} is a {type(given).__name__}, expected {kind.__name__}")
        self.policy = policy or Policy()
        self.checks = checks
        self.choice = choice
        self._sentences: list[Sentence] = []
        self._late = late  # until its context has come
        self._know(known or Context())
        self._segmenter = Segmenter()
        self._transcript = Transcript(MAX_TEXT_CHARS)
        self._high = ""  # a high surrogate whose other half the next piece may bring
        # Settled before a late context came, or before the index was complete.
        self._waiting: list[tuple[int, int]] = []
        self._catching_up = True  # until context and index are there and nothing waits
        self._in_code = False
        self._in_table = False  # the sentence before was a table's row
        self._lead_open = True  # no sentence that could lead the answer has settled yet
        self._pieces = 0
        self._sentence_chars = 0
        self._checks_run = 0
        self._tags = 0  # citation tags seen
        self._announced = 0  # sentences `settled` has handed out
        self._reports: list[SentenceReport] = []
        self._refusals: dict[str, None] = {}  # phrases in order of appearance
        self._ledger = Ledger()
        self._paragraph = Paragraph()
        self._held_now: list[Finding] = []  # of the sentence that is being checked
        # Of each sentence when it settled: its report, what of it is held, confirmed, retracted.
        self._history: list[
            tuple[SentenceReport, tuple[Held, ...], tuple[str, ...], tuple[str, ...]]
        ] = []
        self._finished = False  # the last piece has been fed
        self._result: GuardrailsResult | None = None

    @property
    def stats(self) -> StreamReport:
        """Pieces fed so far, and the characters handed to the busiest scanner."""
        scanned = max(self._segmenter.chars_scanned, self._sentence_chars)
        return StreamReport(pieces=self._pieces, chars_scanned=scanned)

    @property
    def behind(self) -> bool:
        """Whether there is more to do than what the next piece brings.

        Each piece builds a slice of an unfinished index, and then settles a few of the sentences
        that waited for it; `finish` does the rest. While a late context is awaited nothing can be.
        """
        if not self._catching_up or self._late is not None:
            return False
        return bool(self._waiting) or (self._evidence is not None and not self._evidence.ready)

    def feed(self, text: str) -> list[Finding]:
        """Take the next piece; return the findings of the sentences it settled.

        Raises `StreamStateError` after `close`, and `TypeError` for anything but a str.
        """
        if not isinstance(text, str):
            raise TypeError(f"feed() takes a str, not {type(text).__name__}")
        if self._finished:
            raise StreamStateError("feed() after close(): the result is final; use a new guard")
        self._pieces += 1
        if self._high or not text.isascii():
            text = self._scalars(text)
        spans = self._segmenter.feed(self._transcript.add(text))
        if self._catching_up:
            spans = self._caught_up(spans)
        return self._settle(spans) if spans else []

    def _caught_up(self, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Do a piece's share of what is behind; return the sentences that can be settled now."""
        if self._late is not None and not self._has_come(self._late):
            self._waiting.extend(spans)
            return []
        evidence = self._evidence
        if evidence is not None and not evidence.ready and not evidence.build_slice():
            self._waiting.extend(spans)
            return []
        if self._waiting:  # a few at a time: one turn of the loop must not settle them all
            self._waiting.extend(spans)
            spans = self._waiting[:_DRAINED]
            del self._waiting[:_DRAINED]
        self._catching_up = bool(self._waiting)
        return spans

    def finish(self) -> list[Finding]:
        """Settle what is left, as no piece will follow; return its findings.

        `close` calls it; a shell that announces findings calls it first. Idempotent.
        """
        if self._finished:
            return []
        spans = self._segmenter.feed(self._transcript.add(scalar_text(self._high)))
        self._finished = True
        if self._late is not None:
            self._has_come(self._late)
        if self._evidence is not None:
            self._evidence.build()
        before = len(self._ledger.findings)
        self._settle([*self._waiting, *spans, *self._segmenter.close()])
        self._confirm()
        return self._ledger.findings[before:]

    def close(self, ended: Ended = "complete") -> GuardrailsResult:
        """Settle what is left and return the result; further calls return the same one."""
        if self._result is None:
            self.finish()
            self._result = self._conclude(ended)
        return self._result

    def settled(self) -> list[Settled]:
        """Return the sentences settled since the last call, each as it was when it settled."""
        fresh = range(self._announced, len(self._history))
        self._announced = len(self._history)
        return [self._settled(n, *self._history[n]) for n in fresh]

    def report_error(self, where: str, error: Exception) -> None:
        """List an error of the caller's own (a callback, an adapter) in the result.

        A result that is final is not changed.
        """
        self._ledger.report(where, error)

    def report_limit(self, what: str) -> None:
        """Say in the result that a cap of the caller's was reached."""
        self._ledger.limit(what)

    def _know(self, context: Context) -> None:
        """Make what depends on the context; no sentence has settled yet."""
        self.context = context
        # Without a check nobody asks for evidence, and its index is not built.
        checks = self.checks
        asked = checks.verdicts or checks.per_sentence or checks.at_close
        self._evidence = context.evidence if asked else None
        query = context.query
        self._question = Question(scalar_text(query)) if query is not None else None
        self._supports: list[Support | None] = []  # by sentence; stays empty without chunks
        self._scope = Scope(
            context,
            self._evidence,
            self.policy,
            self._question or Question(""),
            self._sentences,
            self._supports,
        )
        self._tally = Tally(self._evidence) if checks.verdicts else None
        self._scorer: Supports | None = None
        if checks.verdicts and self._evidence is not None and self._evidence.chunks:
            self._scorer = Supports(self._evidence)

    def _has_come(self, late: LateContext) -> bool:
        if late.context is None:
            return False
        self._late = None
        self._know(late.context)
        return True

    def _settled(
        self,
        index: int,
        report: SentenceReport,
        held: tuple[Held, ...],
        confirmed: tuple[str, ...],
        retracted: tuple[str, ...],
    ) -> Settled:
        own = [self._ledger.findings[number] for number in report.findings]
        findings = (*own, *(each.finding for each in held))
        ids = tuple(self._finding_id(index, number) for number in range(len(findings)))
        return Settled(index, report, findings, ids, ids[len(own) :], confirmed, retracted)

    def _finding_id(self, index: int, number: int) -> str:
        return f"{self.choice}.{index}.{number}"

    def _scalars(self, text: str) -> str:
        """Join surrogates over the piece's border; keep back a high one that ends it."""
        text = self._high + text
        self._high = ""
        if ends_in_high_surrogate(text):
            text, self._high = text[:-1], text[-1]
        return scalar_text(text)

    def _settle(self, spans: list[tuple[int, int]]) -> list[Finding]:
        if not spans:
            return []
        before = len(self._ledger.findings)
        text, at = self._transcript.open_text()
        done = 0  # the first begins behind the last settled one
        for start, end in spans:
            if len(self._sentences) == MAX_SENTENCES:
                self.report_limit(f"more than {MAX_SENTENCES} sentences")
                break
            self._settle_one(start, end, text[start - at : end - at], text[done : start - at])
            done = end - at
        self._transcript.settle_to(spans[-1][1])
        return self._ledger.findings[before:]

    def _settle_one(self, start: int, end: int, text: str, gap: str) -> None:
        """Settle the sentence `text` behind the white space `gap`."""
        self._sentence_chars += end - start
        first = len(self._ledger.findings)
        index = len(self._sentences)
        leading = self._lead_open
        kind = self._try("roles", (start, end), self._kind_of, text) or "prose"
        before = range(first, len(self._ledger.findings))
        confirmed = self._confirm() if self._paragraph.ends_before(gap, kind) else ()
        first = len(self._ledger.findings)
        sentence = Sentence(index, start, end, text, kind, leading, scope=self._scope)
        if leading:
            self._try("roles", (start, end), self._note_lead, sentence)
        if self._scorer is not None:
            self._supports.append(self._try("support", (start, end), self._scorer.add, sentence))
        for check in self.checks.per_sentence:
            self._run(check, sentence, (start, end))
        judged = None
        if self._tally is not None:
            judged = self._try("claims", (start, end), _judged, sentence)
            self._try("scores", (start, end), self._tally.add, sentence)
        self._try("refusals", (start, end), self._note_refusals, sentence)
        tags = self._try("citations", (start, end), _tags_in, sentence) or 0
        self._tags += tags
        numbers = (*before, *range(first, len(self._ledger.findings)))
        reasons = _reasons(sentence) if self._scorer is not None else ()
        report = SentenceReport(start, end, *(judged or _UNJUDGED), numbers, reasons)
        self._reports.append(report)
        retracted = self._retract() if tags else ()
        held = self._hold(index, len(numbers)) if self._held_now else ()
        self._history.append((report, held, confirmed, retracted))
        # Kept for later checks without what was read from it: that is read again if asked for.
        self._sentences.append(Sentence(index, start, end, text, kind, leading, scope=self._scope))

    def _hold(self, index: int, number: int) -> tuple[Held, ...]:
        """Hold what the sentence's checks found that its paragraph may take back."""
        numbered = enumerate(self._held_now, number)
        held = tuple(Held(index, self._finding_id(index, n), found) for n, found in numbered)
        self._held_now.clear()
        self._paragraph.held.extend(held)
        return held

    def _confirm(self) -> tuple[str, ...]:
        """List what was held, as nothing can take it back any more; return its ids."""
        held = self._paragraph.released()
        for each in held:
            before, report = len(self._ledger.findings), self._reports[each.index]
            span = (report.start, report.end)
            self._try(each.finding.check, span, self._ledger.keep, each.finding, report.end)
            numbers = range(before, len(self._ledger.findings))
            self._reports[each.index] = replace(report, findings=(*report.findings, *numbers))
        return tuple(each.id for each in held)

    def _retract(self) -> tuple[str, ...]:
        """Drop what was held, as the sentence names a source; return its ids."""
        return tuple(each.id for each in self._paragraph.released())

    def _kind_of(self, text: str) -> Kind:
        kind, self._in_code = block_kind(text, self._in_code)
        first, self._in_table = not self._in_table, kind == "table_row"
        return "table_head" if first and kind == "table_row" else kind

    def _note_lead(self, sentence: Sentence) -> None:
        self._lead_open = sentence.role in OPENING_ROLES

    def _note_refusals(self, sentence: Sentence) -> None:
        for refusal in sentence.refusals:
            self._refusals[refusal.phrase] = None

    def _conclude(self, ended: Ended) -> GuardrailsResult:
        for failure in self._evidence.failures if self._evidence else ():
            self._ledger.fail("evidence", failure, NO_SPAN)
        claims = self._claims()
        phrases = tuple(self._refusals)
        answer = Answer(self._sentences, claims, self._transcript.whole(), phrases)
        if self._transcript.overflowed:
            self.report_limit(f"text over {MAX_TEXT_CHARS} characters")
        first = len(self._ledger.findings)
        for check in self.checks.at_close:
            self._run(check, answer, NO_SPAN)
        self._attach(first)
        self._ledger.finish()
        return conclude(
            Closing(
                context=self.context,
                policy=self.policy,
                question=self._question,
                choice=self.choice,
                ended=ended,
                answer=answer,
                reports=self._reports,
                findings=self._ledger.findings,
                errors=self._ledger.errors,
                limits=self._ledger.limits,
                tally=self._tally,
                scorer=self._scorer,
                transcript=self._transcript,
                checks_run=self._checks_run,
                tags=self._tags,
            )
        )

    def _claims(self) -> list[Sentence]:
        """Return the claims; an answer without one is judged by its fragments."""
        if self._tally is None:
            return []
        claims = [self._sentences[n] for n, report in enumerate(self._reports) if report.is_claim]
        if claims or (self._refusals and len(self._sentences) > _SHORT_ANSWER):
            return claims
        return [s for s in map(self._promoted, self._sentences[:]) if s is not None]

    def _promoted(self, sentence: Sentence) -> Sentence | None:
        """Return the sentence as a claim where it states something, and report it as one."""
        short = len(self._sentences) <= _SHORT_ANSWER
        promoted = _PROMOTED if short else _PROMOTED_IN_LISTS
        if self._try("roles", sentence.span, _role, sentence) not in promoted:
            return None
        claim = replace(sentence, promoted=True)
        judged = self._try("claims", sentence.span, _judged, claim)
        if judged is None:
            return None
        findings = self._reports[sentence.index].findings
        reasons = _reasons(sentence)
        report = SentenceReport(sentence.start, sentence.end, *judged, findings, reasons)
        self._reports[sentence.index] = report
        self._sentences[sentence.index] = claim
        return claim

    def _attach(self, first: int) -> None:
        """List the findings from number `first` on under the sentence they lie in."""
        starts = [report.start for report in self._reports]
        for number, finding in enumerate(self._ledger.findings[first:], first):
            if finding.start is None:
                continue
            place = bisect_right(starts, finding.start) - 1
            if place >= 0 and finding.start < self._reports[place].end:
                report = self._reports[place]
                self._reports[place] = replace(report, findings=(*report.findings, number))

    def _run(self, check: Check, subject: Any, span: Span) -> None:
        """Call a check; keep what it found up to the error, if it raises one."""
        self._checks_run += 1
        # What a check may point at must not depend on how much more had arrived.
        end = self._transcript.chars if span[1] is None else span[1]
        try:
            for finding in check(subject, self._scope):
                if span is not NO_SPAN and getattr(finding, "flag", None) in PROVISIONAL:
                    self._held_now.append(finding)
                else:
                    self._ledger.keep(finding, end)
        except Exception as exc:
            self._ledger.fail(check_name(check), exc, span)

    def _try(self, where: str, span: Span, function: Callable[..., T], *args: Any) -> T | None:
        try:
            return function(*args)
        except Exception as exc:
            self._ledger.fail(where, exc, span)
            return None


def _tags_in(sentence: Sentence) -> int:
    return len(sentence.citations)


def _role(sentence: Sentence) -> str:
    return sentence.role


def _judged(sentence: Sentence) -> Judgement:
    """Return what the result says of a sentence beside its span and findings."""
    support = sentence.support.probability if sentence.support else None
    if not sentence.is_claim:
        return False, None, support, None, _cited(sentence)
    best = sentence.coverage
    found = sentence.scope.evidence if sentence.scope else None
    if found is None:
        return True, None, None, None, ()
    evidence = EvidenceSpan(found.labels[best.chunk], best.start, best.end) if best else None
    if sentence.reckoned:
        evidence = with_derivations(evidence, sentence.reckoned, found)
    return True, best.share if best else 0.0, support, evidence, _cited(sentence)


def _reasons(sentence: Sentence) -> tuple[str, ...]:
    return sentence.support.reasons if sentence.support else ()


def _cited(sentence: Sentence) -> tuple[str, ...]:
    scope = sentence.scope
    if scope is None or scope.evidence is None:
        return ()
    return tuple(scope.evidence.labels[number] for number in sorted(sentence.cited))
