"""Judges an answer as a whole, once all its sentences have settled, and makes its result."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Iterator
from dataclasses import replace

from streamguard.core.checks import AnswerCheck
from streamguard.core.fast.model import cited_anew
from streamguard.core.index.evidence import Evidence
from streamguard.core.machine.answer_text import AnswerText
from streamguard.core.machine.footnotes import Notes, cite_by_notes, read_notes, without_doubts
from streamguard.core.machine.judging import LONG_CHARS, Judging
from streamguard.core.machine.ledger import NO_SPAN, Trying, check_name
from streamguard.core.model.result import GuardrailsResult, SentenceReport
from streamguard.core.model.types import Ended
from streamguard.core.sentence import Answer, Judgement, Sentence
from streamguard.core.verdict.claimed import ClaimVerdict, claim_verdicts, judged
from streamguard.core.verdict.closing import Closing, conclude
from streamguard.core.verdict.score_book import ScoreBook
from streamguard.core.verdict.scored import ScoredAnswer
from streamguard.text.thoughts import without_thoughts

_SHORT_ANSWER = 2  # sentences; without a claim its fragments and headings are judged
_LOOKED_AT = 64  # sentences between two places where closing may pause; guess


class AnswerClose:
    """Closes one answer: checks the answer as a whole, then applies the rules.

    Exhaust `steps`, score `promoted_claims`, then call `conclude` with the scores.
    """

    def __init__(self, judging: Judging, text: AnswerText) -> None:
        self._judging, self._text = judging, text
        self._ledger, self._evidence = judging.ledger, judging.evidence
        self._sentences, self._reports = judging.sentences, judging.reports
        self._first = judging.first  # sentences before this one were thoughts
        self._verdicts: list[ClaimVerdict] = []
        self._answer: Answer | None = None  # once all of it is judged

    def steps(self) -> Iterator[None]:
        """Judge the answer as a whole; pause between steps."""
        judging, ledger = self._judging, self._ledger
        with Trying(ledger, "question", NO_SPAN):
            yield from judging.scope.question.reading()
        for failure in self._evidence.failures if self._evidence else ():
            ledger.fail("evidence", failure, NO_SPAN)
        yield from self._noted()
        claims = yield from self._claims()
        text = without_thoughts(self._text.whole(), self._text.thoughts)
        answer = Answer(self._sentences, claims, text, tuple(judging.refusals), judging.tags)
        first = len(ledger.findings)
        for check in judging.checks.at_close:
            yield from self._run_at_close(check, answer, self._text.chars)
        yield from self._attach(first)
        if self._evidence is not None:
            for some in claim_verdicts(self._reports, ledger.findings, judging.is_learned):
                self._verdicts += some
                yield
        if judging.tally is not None:
            with Trying(ledger, "scores", NO_SPAN):
                yield from judging.tally.looking_up()
        self._answer = answer

    def promoted_claims(self) -> list[Sentence]:
        """Return the claims that only the close promoted to claims; empty before it."""
        claims = self._answer.claims if self._answer is not None else ()
        promoted = [self._judging.by_itself(claim) for claim in claims if claim.promoted]
        return [claim.look_up().judge() for claim in promoted]

    def conclude(self, ended: Ended, book: ScoreBook) -> GuardrailsResult:
        """Return the result by the scores in `book`; `steps` must be exhausted."""
        assert self._answer is not None
        judging, ledger = self._judging, self._ledger
        ledger.finish()
        fast = ScoredAnswer(self._reports, ledger.findings, self._verdicts, ledger.errors)
        closing = Closing(
            context=judging.context,
            policy=judging.policy,
            question=judging.question,
            choice=judging.choice,
            ended=ended,
            answer=self._answer,
            fast=fast,
            is_learned=judging.is_learned,
            limits=ledger.limits,
            unread=ledger.unread or judging.unread,
            tally=judging.tally,
            text=self._text.transcript.report(),
            astral=self._text.transcript.astral,
            checks_run=judging.checks_run,
            tags=judging.tags,
            thoughts=self._text.thoughts,
            first=self._first,
        )
        result = conclude(closing, book)
        return ledger.hidden.result(result) if ledger.hidden else result

    def _claims(self) -> Generator[None, None, list[Sentence]]:
        """Return the claims; an answer without one is judged by its fragments."""
        if self._judging.tally is None:
            return []
        claims = [self._sentences[n] for n, report in enumerate(self._reports) if report.is_claim]
        short = len(self._sentences) - self._first <= _SHORT_ANSWER
        if claims or (self._judging.refusals and not short):
            return claims
        roles = {"fragment", "heading"} if short else {"fragment"}
        for index, sentence in enumerate(self._sentences[self._first :], self._first):
            if len(sentence.text) > LONG_CHARS:
                yield
            with Trying(self._ledger, "claims", sentence.span):
                read = sentence.read()
                if read.role in roles and read.look_up().content.words:
                    self._promote(sentence)
                    claims.append(self._sentences[index])
                    yield
            if index % _LOOKED_AT == 0:
                yield
        return claims

    def _noted(self) -> Iterator[None]:
        """Apply the answer's own list of sources to its citation numbers."""
        evidence, sentences = self._evidence, self._sentences[self._first :]
        lists = [sentence for sentence in sentences if sentence.text[:1] == "["]
        if not lists or evidence is None or self._judging.context.citations is not None:
            return
        with Trying(self._ledger, "citations", NO_SPAN):
            notes, of_notes = read_notes(lists, evidence)
            for sentence in sentences if notes else ():
                if "[" in sentence.text:
                    is_note = sentence.index in of_notes
                    self._cite(self._judging.by_itself(sentence), notes, evidence, is_note=is_note)
                    yield

    def _cite(self, sentence: Sentence, notes: Notes, evidence: Evidence, *, is_note: bool) -> None:
        """Give a sentence the chunks that its numbers mean by the answer's own list.

        `is_note`: it is an entry of that list, so no claim.
        """
        report = self._reports[sentence.index]
        own = [self._ledger.findings[number] for number in report.findings]
        cited = cite_by_notes(notes, sentence, own, evidence)
        if cited is None:
            return
        chunks, findings = cited
        doubted = self._score_anew(sentence, chunks, evidence)
        if is_note or doubted < self._judging.policy.doubt_from:
            findings = without_doubts(findings)
        if is_note:
            self._reports[sentence.index] = replace(
                self._reports[sentence.index], is_claim=False, coverage=None, evidence=None
            )
        for number, finding in zip(report.findings, findings, strict=True):
            self._ledger.findings[number] = finding

    def _score_anew(self, sentence: Sentence, chunks: frozenset[int], evidence: Evidence) -> float:
        """Score and report a sentence whose tags turned out to mean the passages `chunks`.

        Return the probability that something in it is wrong.
        """
        was, judgement = sentence.look_up(), sentence.judgement
        now = was.citing(chunks)
        if judgement is not None and judgement.support is not None and judgement.doubt is not None:
            scores = cited_anew(judgement.support, judgement.doubt, was, now, evidence)
            judgement = Judgement(judgement.edits, *scores)
        index, now = sentence.index, now.judged(judgement)
        self._sentences[index] = self._sentences[index].without_readings(judgement)
        _, coverage, support, span, names = judged(now)
        self._reports[index] = replace(
            self._reports[index],
            coverage=coverage,
            support=support,
            evidence=span,
            cited_chunks=names,
            reasons=now.support.reasons if now.support is not None else (),
            doubt=None if now.doubt is None else round(now.doubted, 6),
        )
        return now.doubted

    def _promote(self, sentence: Sentence) -> None:
        """Make the sentence a claim, and report it as one."""
        claim, (start, end) = sentence.as_claim(), sentence.span
        report = self._reports[sentence.index]
        kept = (report.findings, report.reasons)
        self._reports[sentence.index] = SentenceReport(
            start,
            end,
            *judged(claim.look_up().judge()),
            *kept,
            doubt=report.doubt,
            scored_by=report.scored_by,
            language=report.language,
            unread_text=report.unread_text,
        )
        self._sentences[sentence.index] = claim

    def _attach(self, first: int) -> Iterator[None]:
        """List the findings from number `first` on under the sentence they lie in."""
        starts = [report.start for report in self._reports]
        for number, finding in enumerate(self._ledger.findings[first:], first):
            if number % _LOOKED_AT == 0:
                yield
            if finding.start is None:
                continue
            place = bisect_right(starts, finding.start) - 1
            if place >= 0 and finding.start < self._reports[place].end:
                report = self._reports[place]
                self._reports[place] = replace(report, findings=(*report.findings, number))

    def _run_at_close(self, check: AnswerCheck, answer: Answer, end: int) -> Iterator[None]:
        """Call a check of the whole answer likewise; pause where it yields None."""
        self._judging.checks_run += 1
        try:
            for finding in check(answer, self._judging.scope):
                if finding is None:
                    yield
                else:
                    self._ledger.keep(finding, end)
        except Exception as exc:
            self._ledger.fail(check_name(check), exc, NO_SPAN)
