"""Judges the sentences of one answer as they settle, and the whole of it at its close."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from streamguard.core.checks import AnswerCheck, Checks, SentenceCheck
from streamguard.core.context import Context
from streamguard.core.facts.comparing import Comparing
from streamguard.core.facts.model import Doubt, Edit, probability
from streamguard.core.facts.said import MAX_COMPARED
from streamguard.core.machine.beginning import Beginning
from streamguard.core.machine.ledger import NO_SPAN, Ledger, Span, check_name
from streamguard.core.machine.provisional import PROVISIONAL, Held, Paragraph, Settled
from streamguard.core.machine.transcript import Transcript
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import EvidenceSpan, GuardrailsResult, SentenceReport
from streamguard.core.model.types import Ended, Finding, Support
from streamguard.core.question import Question
from streamguard.core.reading.roles import OPENING_ROLES, Kind, block_kind
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.core.support import Supports, doubt_of
from streamguard.core.verdict.closing import Closing, claim_verdicts, conclude
from streamguard.core.verdict.derived import with_derivations
from streamguard.core.verdict.opinions import Words, heard
from streamguard.core.verdict.rules import ClaimVerdict
from streamguard.core.verdict.scoring import Tally
from streamguard.text.normalise import scalar_text

T = TypeVar("T")

MAX_SENTENCES = 50_000  # SPEC 10: those beyond it are not checked, and the result says so

# is_claim, coverage, support, evidence, cited chunks
Judgement = tuple[bool, float | None, float | None, EvidenceSpan | None, tuple[str, ...]]
_UNJUDGED: Judgement = (False, None, None, None, ())
# What a short answer without a claim is judged by all the same.
_PROMOTED = frozenset({"fragment", "heading"})
_PROMOTED_IN_LISTS = frozenset({"fragment"})  # a longer answer of bare list items
_SHORT_ANSWER = 2
# Every sentence costs as much as fifteen characters: of very many short ones ("- 1") so many are
# checked, and one more for so many characters; guesses.
_FREE_SENTENCES = 80
_LEAST_MEAN = 15
# Sentences of more characters pause between their parts; guess, twice the mean.
_LONG_CHARS = 250
_MANY = f"more than {MAX_COMPARED} values, names or tags in one sentence"
# Sentences that are only looked at, between two places where closing may pause; guess.
_LOOKED_AT = 64


class Judging:
    """Runs the checks over every settled sentence, and keeps what they found and the reports.

    Its context is known and, but for slices that the caller builds, so is its index. What a check
    raises is listed in the result's `errors`.
    """

    def __init__(
        self, context: Context, policy: Policy, checks: Checks, choice: int, ledger: Ledger
    ) -> None:
        self.context = context
        self.sentences: list[Sentence] = []
        self.ledger = ledger
        self._policy = policy
        self._checks = checks
        self._choice = choice
        self.evidence = context.evidence if checks.need_evidence else None
        query = context.query
        self._question = Question(scalar_text(query)) if query is not None else None
        self._supports: list[Support | None] = []  # by sentence; stays empty without chunks
        self._edits: list[Sequence[Edit]] = []  # likewise
        self._doubts: list[Doubt | None] = []  # likewise
        self._scope = Scope(
            context,
            self.evidence,
            policy,
            self._question or Question(""),
            self.sentences,
            self._supports,
            self._edits,
            self._doubts,
        )
        self._tally = Tally(self.evidence) if checks.verdicts else None
        self._scorer: Supports | None = None
        self._comparing: Comparing | None = None  # made once the question has been read
        if checks.verdicts and self.evidence is not None and self.evidence.chunks:
            self._scorer = Supports(self.evidence)
        self._in_code = False
        self._in_table = False  # the sentence before was a table's row
        self._lead_open = True  # no sentence that could lead the answer has settled yet
        self._checks_run = 0
        self._tags = 0  # citation tags seen
        self._announced = 0  # sentences `settled` has handed out
        self._reports: list[SentenceReport] = []
        self._refusals: dict[str, None] = {}  # phrases in order of appearance
        self._paragraph = Paragraph()
        self._held_now: list[Finding] = []  # of the sentence that is being checked
        # Of each sentence when it settled: its report, what of it is held, confirmed, retracted.
        self._history: list[
            tuple[SentenceReport, tuple[Held, ...], tuple[str, ...], tuple[str, ...]]
        ] = []
        self._verdicts: Sequence[ClaimVerdict] = ()
        self._answer: Answer | None = None  # once all of it is judged

    def is_full(self, start: int) -> bool:
        """Say whether a sentence that begins at `start` is one too many to be checked."""
        return len(self.sentences) >= min(MAX_SENTENCES, _FREE_SENTENCES + start // _LEAST_MEAN)

    def settling(self, start: int, end: int, text: str, gap: str) -> Iterator[None]:
        """Judge the sentence `text` at [start, end) of the answer, behind the white space `gap`.

        It pauses where that takes long: behind a part of a long question, sentence or comparison.
        Every sentence has to be gone through before the next one.
        """
        yield from self._trying("question", NO_SPAN, self._scope.question.reading())
        is_long = len(text) > _LONG_CHARS
        ledger, span = self.ledger, (start, end)
        first = len(ledger.findings)
        index = len(self.sentences)
        leading = self._lead_open
        kind = self._try("roles", span, self._kind_of, text) or "prose"
        before = range(first, len(ledger.findings))
        confirmed = self.confirm() if self._paragraph.ends_before(gap, kind) else ()
        first = len(ledger.findings)
        sentence = Sentence(index, start, end, text, kind, leading, scope=self._scope)
        if is_long:
            yield from self._trying("evidence", span, sentence.reading())
        if leading:
            self._try("roles", span, self._note_lead, sentence)
        support = None
        if is_long:
            yield
            yield from self._trying("evidence", span, sentence.looking_up())
        if self._is_learned:
            compared = yield from self._trying("comparing", span, self._compared(sentence))
            self._edits.append(compared or ())
        if is_long:
            yield
        if self._scorer is not None:
            support = self._try("support", span, self._scorer.add, sentence)
            self._supports.append(support)
            doubt = self._try("doubt", span, self._doubt_of, sentence) if support else None
            self._doubts.append(doubt)
        for check in self._checks.per_sentence:
            self._check(check, sentence)
            if is_long:
                yield
        judged = None
        if self._tally is not None:
            judged = self._try("claims", span, _judged, sentence)
            self._try("scores", span, self._tally.add, sentence)
        self._try("refusals", span, self._note_refusals, sentence)
        tags = self._try("citations", span, _tags_in, sentence) or 0
        self._tags += tags
        numbers = (*before, *range(first, len(ledger.findings)))
        reasons = support.reasons if support else ()
        judgement = judged or _UNJUDGED
        report = SentenceReport(
            start, end, *judgement, numbers, reasons, doubt=_probability(sentence.doubt)
        )
        self._reports.append(report)
        retracted = self._retract() if tags else ()
        held = self._hold(index, len(numbers)) if self._held_now else ()
        self._history.append((report, held, confirmed, retracted))
        if sentence.has_more:
            ledger.limit(_MANY)
        if self._edits and self._edits[-1]:
            self._edits[-1] = tuple(filter(_is_absent, self._edits[-1]))
        # Kept for later checks without what was read from it: that is read again if asked for.
        self.sentences.append(Sentence(index, start, end, text, kind, leading, scope=self._scope))

    def settled(self) -> list[Settled]:
        """Return the sentences settled since the last call, each as it was when it settled."""
        fresh = range(self._announced, len(self._history))
        self._announced = len(self._history)
        return [self._settled(n, *self._history[n]) for n in fresh]

    def confirm(self) -> tuple[str, ...]:
        """List what was held, as nothing can take it back any more; return its ids."""
        held = self._paragraph.released()
        for each in held:
            before, report = len(self.ledger.findings), self._reports[each.index]
            span = (report.start, report.end)
            self._try(each.finding.check, span, self.ledger.keep, each.finding, report.end)
            numbers = range(before, len(self.ledger.findings))
            self._reports[each.index] = replace(report, findings=(*report.findings, *numbers))
        return tuple(each.id for each in held)

    def closing(self, transcript: Transcript) -> Iterator[None]:
        """Judge the answer as a whole, once every sentence has settled; pause between steps."""
        yield from self._trying("question", NO_SPAN, self._scope.question.reading())
        for failure in self.evidence.failures if self.evidence else ():
            self.ledger.fail("evidence", failure, NO_SPAN)
        claims: list[Sentence] = []
        yield from self._claims(claims)
        phrases = tuple(self._refusals)
        answer = Answer(self.sentences, claims, transcript.whole(), phrases)
        first = len(self.ledger.findings)
        for check in self._checks.at_close:
            yield from self._run_at_close(check, answer, transcript.chars)
        yield from self._attach(first)
        if self.evidence is not None:
            self._verdicts = yield from claim_verdicts(
                self._reports, self.ledger.findings, is_learned=self._is_learned
            )
        self._answer = answer

    def claims_from(self, first: int) -> list[Sentence]:
        """Return the claims among the settled sentences from number `first` on.

        Each is read anew, by whoever it is given to, and its scope holds what came before it.
        """
        settled = zip(self.sentences[first:], self._reports[first:], strict=True)
        return [self._by_itself(sentence) for sentence, report in settled if report.is_claim]

    def promoted_claims(self) -> list[Sentence]:
        """Return the claims that only the close made such, likewise; empty before it."""
        claims = self._answer.claims if self._answer is not None else ()
        return [self._by_itself(claim) for claim in claims if claim.promoted]

    def conclude(
        self, transcript: Transcript, ended: Ended, words: Words | None = None
    ) -> GuardrailsResult:
        """Return the result, with the verifiers' `words`; `closing` has been gone through."""
        assert self._answer is not None
        self.ledger.finish()
        closing = Closing(
            context=self.context,
            policy=self._policy,
            question=self._question,
            choice=self._choice,
            ended=ended,
            answer=self._answer,
            reports=self._reports,
            claims=self._verdicts,
            findings=self.ledger.findings,
            errors=self.ledger.errors,
            limits=self.ledger.limits,
            unread=self.ledger.unread,
            tally=self._tally,
            is_learned=self._is_learned,
            risks=[doubt.risk for doubt in self._doubts if doubt is not None],
            transcript=transcript,
            checks_run=self._checks_run,
            tags=self._tags,
        )
        if words is not None:
            closing = heard(closing, words)
            if self.evidence is not None:
                closing = replace(closing, claims=self._ruled(closing))
        return conclude(closing)

    def _ruled(self, closing: Closing) -> Sequence[ClaimVerdict]:
        """Return what the rules ask of the claims as verifiers leave them."""
        verdicts = claim_verdicts(closing.reports, closing.findings, is_learned=self._is_learned)
        while True:
            try:
                next(verdicts)
            except StopIteration as done:
                found: Sequence[ClaimVerdict] = done.value
                return found

    def _by_itself(self, sentence: Sentence) -> Sentence:
        before = Beginning(self.sentences, sentence.index)
        return replace(sentence, scope=replace(self._scope, earlier=before))

    @property
    def _is_learned(self) -> bool:
        return self._scorer is not None and self._policy.matching != "literal"

    def _settled(
        self,
        index: int,
        report: SentenceReport,
        held: tuple[Held, ...],
        confirmed: tuple[str, ...],
        retracted: tuple[str, ...],
    ) -> Settled:
        own = [self.ledger.findings[number] for number in report.findings]
        findings = (*own, *(each.finding for each in held))
        ids = tuple(self._finding_id(index, number) for number in range(len(findings)))
        return Settled(index, report, findings, ids, ids[len(own) :], confirmed, retracted)

    def _finding_id(self, index: int, number: int) -> str:
        return f"{self._choice}.{index}.{number}"

    def _hold(self, index: int, number: int) -> tuple[Held, ...]:
        """Hold what the sentence's checks found that its paragraph may take back."""
        numbered = enumerate(self._held_now, number)
        held = tuple(Held(index, self._finding_id(index, n), found) for n, found in numbered)
        self._held_now.clear()
        self._paragraph.held.extend(held)
        return held

    def _retract(self) -> tuple[str, ...]:
        """Drop what was held, as the sentence names a source; return its ids."""
        return tuple(each.id for each in self._paragraph.released())

    def _kind_of(self, text: str) -> Kind:
        kind, self._in_code = block_kind(text, self._in_code)
        first, self._in_table = not self._in_table, kind == "table_row"
        return "table_head" if first and kind == "table_row" else kind

    def _compared(self, sentence: Sentence) -> Generator[None, None, Sequence[Edit]]:
        """Compare the sentence with the chunks, with pauses; code is not."""
        comparing = self._comparing
        if comparing is None:
            assert self.evidence is not None  # so there is something to compare with
            comparing = Comparing(self.evidence.source, self._scope.question.slots)
            self._comparing = comparing
        text, anchors = sentence.plain, sentence.anchors
        if sentence.kind == "code":
            text, anchors = "", ()
        is_row = sentence.kind in ("table_row", "table_head")
        edits = yield from comparing.comparing(text, anchors, is_row=is_row)
        if comparing.has_more:
            self.ledger.limit(_MANY)
        if comparing.is_spent:
            self.ledger.limit("more to compare than an answer of its length may have")
        return edits

    def _doubt_of(self, sentence: Sentence) -> Doubt | None:
        """Return the doubt of the sentence that was scored last; None where nothing is compared."""
        if self._comparing is None or self._scorer is None or not self._is_learned:
            return None
        return doubt_of(sentence, sentence.edits, self._comparing.said, self._scorer.figures)

    def _note_lead(self, sentence: Sentence) -> None:
        self._lead_open = sentence.role in OPENING_ROLES

    def _note_refusals(self, sentence: Sentence) -> None:
        for refusal in sentence.refusals:
            self._refusals[refusal.phrase] = None

    def _claims(self, claims: list[Sentence]) -> Iterator[None]:
        """Add the claims to `claims`; an answer without one is judged by its fragments."""
        if self._tally is None:
            return
        claims += [self.sentences[n] for n, report in enumerate(self._reports) if report.is_claim]
        if claims or (self._refusals and len(self.sentences) > _SHORT_ANSWER):
            return
        for sentence in self.sentences[:]:
            if len(sentence.text) > _LONG_CHARS:
                yield from self._trying("evidence", sentence.span, sentence.reading())
                yield
            promoted = self._promoted(sentence)
            if promoted is not None:
                claims.append(promoted)
            if promoted is not None or sentence.index % _LOOKED_AT == 0:
                yield

    def _promoted(self, sentence: Sentence) -> Sentence | None:
        """Return the sentence as a claim where it states something, and report it as one."""
        short = len(self.sentences) <= _SHORT_ANSWER
        promoted = _PROMOTED if short else _PROMOTED_IN_LISTS
        if self._try("roles", sentence.span, _role, sentence) not in promoted:
            return None
        claim = sentence.as_claim()
        judged = self._try("claims", sentence.span, _judged, claim)
        if judged is None:
            return None
        before = self._reports[sentence.index]
        reasons = sentence.support.reasons if sentence.support else ()
        report = SentenceReport(
            sentence.start, sentence.end, *judged, before.findings, reasons, doubt=before.doubt
        )
        self._reports[sentence.index] = report
        self.sentences[sentence.index] = claim
        return claim

    def _attach(self, first: int) -> Iterator[None]:
        """List the findings from number `first` on under the sentence they lie in."""
        starts = [report.start for report in self._reports]
        for number, finding in enumerate(self.ledger.findings[first:], first):
            if number % _LOOKED_AT == 0:
                yield
            if finding.start is None:
                continue
            place = bisect_right(starts, finding.start) - 1
            if place >= 0 and finding.start < self._reports[place].end:
                report = self._reports[place]
                self._reports[place] = replace(report, findings=(*report.findings, number))

    def _check(self, check: SentenceCheck, sentence: Sentence) -> None:
        """Call a check; if it raises an error what it found up to it is kept."""
        self._checks_run += 1
        try:
            for finding in check(sentence, self._scope):
                if getattr(finding, "flag", None) in PROVISIONAL:
                    self._held_now.append(finding)
                else:
                    # What it points at must not depend on how much more had arrived.
                    self.ledger.keep(finding, sentence.end)
        except Exception as exc:
            self.ledger.fail(check_name(check), exc, sentence.span)

    def _run_at_close(self, check: AnswerCheck, answer: Answer, end: int) -> Iterator[None]:
        """Call a check of the whole answer likewise; pause where it yields None."""
        self._checks_run += 1
        try:
            for finding in check(answer, self._scope):
                if finding is None:
                    yield
                else:
                    self.ledger.keep(finding, end)
        except Exception as exc:
            self.ledger.fail(check_name(check), exc, NO_SPAN)

    def _trying(
        self, where: str, span: Span, steps: Generator[None, None, T]
    ) -> Generator[None, None, T | None]:
        """Go through steps that may pause; return what comes of them, None after an error."""
        try:
            return (yield from steps)
        except Exception as exc:
            self.ledger.fail(where, exc, span)
            return None

    def _try(self, where: str, span: Span, function: Callable[..., T], *args: Any) -> T | None:
        try:
            return function(*args)
        except Exception as exc:
            self.ledger.fail(where, exc, span)
            return None


def _probability(doubt: Doubt | None) -> float | None:
    return None if doubt is None else round(probability(doubt.risk), 6)


def _is_absent(edit: Edit) -> bool:
    """Say whether an edit is a value that no chunk holds: what follows may still reckon it."""
    return edit.group == "value" and edit.absent


def _tags_in(sentence: Sentence) -> int:
    return len(sentence.citations)


def _role(sentence: Sentence) -> str:
    return sentence.role


def _judged(sentence: Sentence) -> Judgement:
    """Return what the result says of a sentence beside its span and findings."""
    support = sentence.support
    probability = support.probability if support else None
    if not sentence.is_claim:
        return False, None, probability, None, _cited(sentence)
    best = sentence.coverage
    found = sentence.scope.evidence if sentence.scope else None
    if found is None:
        return True, None, None, None, ()
    evidence = EvidenceSpan(found.labels[best.chunk], best.start, best.end) if best else None
    if sentence.derived:
        evidence = with_derivations(evidence, sentence.derived.values(), found)
    return True, best.share if best else 0.0, probability, evidence, _cited(sentence)


def _cited(sentence: Sentence) -> tuple[str, ...]:
    scope = sentence.scope
    if scope is None or scope.evidence is None or not sentence.cited:
        return ()
    return tuple(scope.evidence.labels[number] for number in sorted(sentence.cited))
