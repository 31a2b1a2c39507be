"""Judges the sentences of one answer as they settle, and the whole of it at its close."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any
from weakref import finalize

from streamguard.core.checks import Checks
from streamguard.core.context import Context, Question
from streamguard.core.facts.comparing import Comparing
from streamguard.core.facts.model import Doubt, Edit, without_english
from streamguard.core.facts.said import MAX_COMPARED
from streamguard.core.fast.model import FastScorer
from streamguard.core.machine.ledger import (
    NO_SPAN,
    PROVISIONAL,
    Held,
    Ledger,
    Paragraph,
    Settled,
    Trying,
    check_name,
)
from streamguard.core.model.brought import NativeCitation
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import Finding, Score, UnreadText
from streamguard.core.packs.hiding import SENSITIVE
from streamguard.core.reading.english import Tongues
from streamguard.core.reading.roles import ASIDES, OPENING_ROLES, Kind, block_kind
from streamguard.core.sentence import Judgement, Scope, Sentence
from streamguard.core.verdict.claimed import (
    FAST,
    UNJUDGED,
    judged,
)
from streamguard.core.verdict.ruling import ruling_basis, ruling_on
from streamguard.core.verdict.scoring import Tally
from streamguard.text.normalise import scalar_text

# Further sentences are counted, not checked, and the result reports that. The record of one takes
# 2 kB (benchmarks/bench_memory.py), so one stream holds 20 MB at most. An answer of 700,000
# characters has as many sentences.
MAX_SENTENCES = 7_000

# Of very many short sentences ("- 1") the first number is checked, and one more for each further
# `_LEAST_MEAN` characters; guesses.
_FREE_SENTENCES, _LEAST_MEAN = 80, 15
LONG_CHARS = 250  # longer sentences pause between their parts; guess, twice the mean
_ELSEWHERE = "it cites pages or files that were not shown"
_MANY = f"more than {MAX_COMPARED} values, names or tags in one sentence"


class Judging:
    """Runs the checks over every settled sentence, and keeps their findings and the reports.

    Its context is known and, but for slices that the caller builds, so is its index. Errors of
    checks are listed in the result's `errors`.
    """

    live = False  # whether a caller reads `settled`

    def __init__(
        self,
        context: Context,
        policy: Policy,
        checks: Checks,
        choice: int,
        ledger: Ledger,
        citations: Sequence[NativeCitation] = (),
        before: Judging | None = None,
    ) -> None:
        self.context = context
        self.sentences: list[Sentence] = []
        # Sentences hold a scope, which holds them and the context's index. The list is emptied with
        # this object, so that the index is freed without the garbage collector.
        finalize(self, self.sentences.clear).atexit = False
        self.ledger = ledger
        self.policy = policy
        self.checks = checks
        self.choice = choice
        self.evidence = context.evidence if checks.need_evidence else None
        self.question = None if context.query is None else Question(scalar_text(context.query))
        self.first = 0  # sentences before this one were thoughts
        known = (context, self.evidence, policy, self.question or Question(""))
        self.scope = Scope(*known, self.sentences, citations)
        # How many ids the findings of each sentence have had. The ids of `before` are retracted
        # once their sentence is judged anew.
        self._ids: list[int] = []
        self._ids_before: Sequence[int] = before.assigned_ids() if before is not None else ()
        self.unread: str | None = None  # why sentences rest on something that is not shown
        self.checks_run = 0
        self.reports: list[SentenceReport] = []
        self._held_now: list[Finding] = []  # of the sentence that is being checked
        self._settled: list[Settled] = []  # since `settled` was asked for them
        self._taken_back: tuple[str, ...] = ()  # ids, until a sentence tells of them
        self._begin()

    def _begin(self) -> None:
        """Reset the state to that before the first sentence."""
        self.tally = Tally(self.evidence, self.question) if self.checks.verdicts else None
        self._scorer: FastScorer | None = None
        if self.checks.verdicts and self.evidence is not None and self.evidence.chunks:
            self._scorer = FastScorer(self.evidence)
        # Whether sentences are compared with the chunks, and the rules compare support scores.
        self.is_learned = self._scorer is not None and self.policy.matching != "literal"
        self._comparing: Comparing | None = None  # made once the question has been read
        self._tongues: Tongues | None = None  # made once there is a sentence
        self._in_code = False
        self._in_table = False  # the sentence before was a table's row
        self._lead_open = True  # no sentence that could lead the answer has settled yet
        self._rank = 0  # of the next sentence
        self.tags = 0  # citation tags seen
        self.refusals: dict[str, None] = {}  # phrases in order of appearance
        self._paragraph = Paragraph()

    def forget(self) -> None:
        """Take back all findings: the sentences so far were a thought.

        The sentences keep their numbers, as scorers may have been asked for them.
        """
        first, held = self.first, [each.id for each in self._paragraph.released()]
        reports = self.reports[first:]  # those before are forgotten already
        reported = [
            self._id(index, n)
            for index, report in enumerate(reports, first)
            for n in range(len(report.findings))
        ]
        self._taken_back += (*reported, *held)
        self.ledger.forget()
        self.first = len(self.sentences)
        self.reports[first:] = [
            SentenceReport(each.start, each.end, *UNJUDGED, ()) for each in reports
        ]
        self.sentences[first:] = [
            each.without_readings(each.judgement and Judgement()) for each in self.sentences[first:]
        ]
        self._begin()

    def is_full(self, start: int) -> bool:
        """Return whether a sentence that begins at `start` is one too many to be checked."""
        return len(self.sentences) >= min(MAX_SENTENCES, _FREE_SENTENCES + start // _LEAST_MEAN)

    def settling(self, start: int, end: int, text: str, gap: str) -> Iterator[None]:
        """Judge the sentence `text` at [start, end) of the answer, behind the white space `gap`.

        It yields after each part of a long question, sentence or comparison. Exhaust it before the
        next sentence.
        """
        ledger, span, index = self.ledger, (start, end), len(self.sentences)
        is_long = len(text) > LONG_CHARS
        if not index:
            with Trying(ledger, "question", NO_SPAN):
                yield from self.scope.question.reading()
        kind: Kind = "prose"
        confirmed: tuple[str, ...] = ()
        language = None
        try:
            kind = self._kind_of(text)
            if self._paragraph.ends_before(gap, kind):
                confirmed = self.confirm()
            language = self._language_of(text, kind)
        except Exception as exc:
            ledger.fail("roles", exc, span)
        first, leading, rank = len(ledger.findings), self._lead_open, self._rank
        sentence = Sentence(
            index, start, end, text, kind, leading, scope=self.scope, rank=rank, language=language
        )
        try:
            sentence = sentence.read()
            self._rank += sentence.role not in ASIDES
            if leading:
                self._lead_open = sentence.role in OPENING_ROLES
        except Exception as exc:
            ledger.fail("roles", exc, span)
        if is_long:
            yield
        edits: Sequence[Edit] = ()
        if self.is_learned:
            try:
                edits = yield from self._compared(sentence)
            except Exception as exc:
                ledger.fail("comparing", exc, span)
        if self._scorer is not None:
            sentence = sentence.judged(Judgement(edits))
        if is_long:
            yield
        if self.tally is not None:
            try:
                sentence = sentence.look_up()
            except Exception as exc:
                ledger.fail("evidence", exc, span)
        judgement = None
        if self._scorer is not None:
            judgement = self._score(sentence, edits, self._scorer)
        sentence = sentence.judged(judgement)
        rests_elsewhere = yield from self._run_checks(sentence, pauses=is_long)
        if rests_elsewhere:
            self.unread = _ELSEWHERE
            sentence = sentence.judged(sentence.judgement and Judgement(edits))
        self._report(sentence, first, confirmed, is_judged=not rests_elsewhere)
        self.sentences.append(sentence.without_readings(_kept(sentence.judgement)))

    def settled(self) -> list[Settled]:
        """Return the sentences settled since the last call, each in its state at that time."""
        settled, self._settled = self._settled, []
        return settled

    def confirm(self) -> tuple[str, ...]:
        """List the held findings, as nothing can take them back any more; return their ids."""
        held, ledger = self._paragraph.released(), self.ledger
        for each in held:
            first, report = len(ledger.findings), self.reports[each.index]
            with Trying(ledger, each.finding.check, (report.start, report.end)):
                ledger.keep(each.finding, report.end)
            numbers = range(first, len(ledger.findings))
            self.reports[each.index] = replace(report, findings=(*report.findings, *numbers))
        return tuple(each.id for each in held)

    def claims_from(self, first: int) -> list[Sentence]:
        """Return the claims among the sentences from number `first` on, read anew."""
        settled = zip(self.sentences[first:], self.reports[first:], strict=True)
        claims = [sentence for sentence, report in settled if report.is_claim]
        return [self.by_itself(sentence).look_up().judge() for sentence in claims]

    def findings_by(self, index: int, scores: Mapping[str, Score]) -> tuple[Finding, ...]:
        """Return the findings of a settled sentence as these scores leave them."""
        report, findings = self.reports[index], self.ledger.findings
        if index < self.first:  # it turned out to be a thought
            return ()
        known = ruling_basis(self.policy, self.context.evidence, findings)
        ruling = ruling_on(self.by_itself(self.sentences[index]), report, scores, known)
        own = (
            ruling.changed.get(number, findings[number])
            for number in report.findings
            if number not in ruling.dropped
        )
        return (*own, *ruling.raised)

    def by_itself(self, sentence: Sentence) -> Sentence:
        """Return the sentence without its readings, in a scope with the sentences before it."""
        before = _Beginning(self, sentence.index)
        return replace(sentence, scope=replace(self.scope, earlier=before))

    def _kind_of(self, text: str) -> Kind:
        kind, self._in_code = block_kind(text, self._in_code)
        first, self._in_table = not self._in_table, kind == "table_row"
        return "table_head" if first and kind == "table_row" else kind

    def _language_of(self, text: str, kind: Kind) -> str | None:
        """Return the language that keeps a sentence from being judged in full, None for none."""
        if kind == "code" or self.policy.matching == "literal":
            return None
        if self._tongues is None:
            declared, evidence = self.context.language, self.evidence
            of_passages = None if declared or evidence is None else evidence.language
            self._tongues = Tongues(declared, self.scope.question.text, of_passages)
        return self._tongues.other_than_english(text)

    def _compared(self, sentence: Sentence) -> Generator[None, None, Sequence[Edit]]:
        """Compare the sentence with the chunks, with pauses; code is not."""
        if self._comparing is None:
            assert self.evidence is not None  # so there is something to compare with
            question = self.scope.question
            self._comparing = Comparing(self.evidence.source, question.slots, question.asks)
        comparing, is_code = self._comparing, sentence.kind == "code"
        read = ("", ()) if is_code else (sentence.plain, sentence.anchors)
        edits = yield from comparing.comparing(*read)
        if comparing.has_more:
            self.ledger.limit(_MANY)
        if comparing.is_spent:
            self.ledger.limit("more to compare than an answer of its length may have")
        if sentence.language is not None:
            return tuple(without_english(edits))
        return edits

    def _score(self, sentence: Sentence, edits: Sequence[Edit], scorer: FastScorer) -> Judgement:
        """Return the sentence's judgement, with the probabilities of support and of an error."""
        support = doubt = None
        if sentence.language is None:
            words = None if self._comparing is None else self._comparing.said
            try:
                support, doubt = scorer.add(sentence, edits, words)
            except Exception as exc:
                self.ledger.fail("support", exc, sentence.span)
        return Judgement(edits, support, doubt if self._comparing is not None else None)

    def _report(
        self, sentence: Sentence, first: int, confirmed: tuple[str, ...], *, is_judged: bool
    ) -> None:
        """Report a sentence's findings; `first` is the number of its first one."""
        ledger, start, end = self.ledger, sentence.start, sentence.end
        judgement, tags = UNJUDGED, 0
        unread: tuple[UnreadText, ...] = ()
        part = "claims"
        try:
            if self.tally is not None and is_judged:
                judgement = judged(sentence)
                part = "scores"
                self.tally.add(sentence)
            part = "refusals"
            for refusal in sentence.refusals:
                self.refusals[refusal.phrase] = None
            part = "citations"
            tags = len(sentence.citations)
            if self.scope.told:
                tags += len(sentence.told_citations)
            part = "unread text"
            unread = sentence.unread_text
        except Exception as exc:
            ledger.fail(part, exc, (start, end))
        self.tags += tags
        support, own = sentence.support, tuple(range(first, len(ledger.findings)))
        reasons = support.reasons if support is not None else ()
        if ledger.hidden:
            reasons = ledger.hidden.reasons(reasons)
        doubt = None if sentence.doubt is None else round(sentence.doubted, 6)
        scored_by = (FAST,) if self.is_learned and support is not None else ()
        language = sentence.language if self.is_learned else None
        report = SentenceReport(
            start,
            end,
            *judgement,
            own,
            reasons,
            doubt=doubt,
            scored_by=scored_by,
            language=language,
            unread_text=unread,
        )
        self.reports.append(report)
        retracted, self._taken_back = self._taken_back, ()
        if tags:
            retracted += tuple(each.id for each in self._paragraph.released())
        findings, ids = (*ledger.findings[first:], *self._held_now), tuple[str, ...]()
        if findings:
            ids = tuple([self._id(sentence.index, n) for n in range(len(findings))])
        if sentence.index < len(self._ids_before):
            early = range(-self._ids_before[sentence.index], 0)
            retracted += tuple(self._id(sentence.index, n) for n in early)
        self._ids.append(len(findings))
        provisional = ids[len(own) :]
        if provisional:
            for id_, finding in zip(provisional, self._held_now, strict=True):
                self._paragraph.held.append(Held(sentence.index, id_, finding))
            self._held_now.clear()
        if self.live:
            self._settled.append(
                Settled(sentence.index, report, findings, ids, provisional, confirmed, retracted)
            )
        if len(sentence.text) > MAX_COMPARED and sentence.has_more:
            ledger.limit(_MANY)

    def _id(self, index: int, number: int) -> str:
        """Return the id of a sentence's finding; those of judgings before come first."""
        before = self._ids_before[index] if index < len(self._ids_before) else 0
        return f"{self.choice}.{index}.{before + number}"

    def assigned_ids(self) -> list[int]:
        """Return how many ids the findings of each sentence have had, in all judgings so far."""
        pairs = zip_longest(self._ids_before, self._ids, fillvalue=0)
        return [before + own for before, own in pairs]

    def _run_checks(self, sentence: Sentence, *, pauses: bool) -> Generator[None, None, bool]:
        """Run the checks over a sentence; return whether its findings are dropped as it cites.

        If a check raises an error, its findings up to then are kept.
        """
        ledger, scope, end = self.ledger, self.scope, sentence.end
        may_rest, rests_elsewhere = bool(scope.told) and sentence.may_rest_elsewhere, False
        self.checks_run += len(self.checks.rows)
        for check, needs, of_passages in self.checks.rows:
            found = len(ledger.findings)
            try:
                if needs and not getattr(sentence, needs):
                    continue
                for finding in check(sentence, scope):
                    flag = getattr(finding, "flag", None)
                    if flag in PROVISIONAL:
                        hidden = ledger.hidden
                        self._held_now.append(hidden.finding(finding) if hidden else finding)
                    else:  # what it points at must not depend on how much more had arrived
                        ledger.keep(finding, end)
                        if flag in SENSITIVE:
                            ledger.hidden.note(finding, sentence.text_at(finding))
            except Exception as exc:
                ledger.fail(check_name(check), exc, sentence.span)
            if may_rest and of_passages and len(ledger.findings) > found:
                del ledger.findings[found:]  # what the passages lack may be on the page it cites
                rests_elsewhere = True
            if pauses:
                yield
        return rests_elsewhere


def _kept(judgement: Judgement | None) -> Judgement | None:
    """Return the part to keep: later sentences may still be computed from absent values."""
    if judgement is None:
        return None
    absent = [edit for edit in judgement.edits if edit.absent and edit.group == "value"]
    edits = tuple([edit._replace(figures=()) for edit in absent]) if absent else ()
    doubt = None if judgement.doubt is None else Doubt((), judgement.doubt.risk)
    return Judgement(edits, judgement.support, doubt)


class _Beginning(Sequence[Sentence]):
    """The first sentences of an answer that still grows; nothing is copied."""

    def __init__(self, judging: Judging, length: int) -> None:
        self._judging, self._places = judging, range(length)  # which keeps its sentences

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self._judging.sentences[place] for place in self._places[at]]
        return self._judging.sentences[self._places[at]]
