"""The machine that everything else exists for: pieces in, findings out, one result at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from streamguard.core.checks import DEFAULT_CHECKS, Checks, check_name
from streamguard.core.closing import Closing, conclude
from streamguard.core.context import Context
from streamguard.core.policy import Policy
from streamguard.core.result import EvidenceSpan, GuardrailsResult, SentenceReport, StreamReport
from streamguard.core.roles import OPENING_ROLES, Kind, block_kind
from streamguard.core.scalars import ends_in_high_surrogate, scalar_text
from streamguard.core.scoring import Tally
from streamguard.core.segmenter import Segmenter
from streamguard.core.sentence import Answer, Question, Scope, Sentence
from streamguard.core.transcript import Transcript
from streamguard.core.types import Ended, Finding
from streamguard.errors import StreamStateError

T = TypeVar("T")

# SPEC 10. Over a cap the stream goes on, and the result says `limit_reached`.
MAX_TEXT_CHARS = 2_000_000
MAX_SENTENCES = 50_000
MAX_FINDINGS = 1_000

Span = tuple[int, int] | tuple[None, None]
Check = Callable[[Any, Scope], Iterable[Finding]]
# is_claim, coverage, support, evidence, cited chunks
Judgement = tuple[bool, float | None, float | None, EvidenceSpan | None, tuple[str, ...]]
_UNJUDGED: Judgement = (False, None, None, None, ())
_NO_SPAN = (None, None)

# What a short answer without a claim is judged by all the same.
_PROMOTED = frozenset({"fragment", "heading"})
_SHORT_ANSWER = 2


class StreamGuard:
    """Checks one answer as it arrives: `feed` every piece, `close` once, read the result.

    However the text is cut, findings and result are the same. A check that raises is listed in
    the result's `errors` and never reaches the caller.
    """

    def __init__(
        self,
        context: Context | None = None,
        policy: Policy | None = None,
        checks: Checks = DEFAULT_CHECKS,
        *,
        choice: int = 0,
    ) -> None:
        self.context = context or Context()
        self.policy = policy or Policy()
        self.checks = checks
        self.choice = choice
        self._evidence = self.context.evidence
        query = self.context.query
        self._question = Question(scalar_text(query)) if query is not None else None
        self._sentences: list[Sentence] = []
        self._scope = Scope(
            self.context,
            self._evidence,
            self.policy,
            self._question or Question(""),
            self._sentences,
        )
        self._segmenter = Segmenter()
        self._transcript = Transcript(MAX_TEXT_CHARS)
        self._tally = Tally(self._evidence) if checks.verdicts else None
        self._high = ""  # a high surrogate whose other half the next piece may bring
        self._waiting: list[tuple[int, int]] = []  # settled before the index was complete
        self._in_code = False
        self._lead_open = True  # no sentence that could lead the answer has settled yet
        self._pieces = 0
        self._sentence_chars = 0
        self._checks_run = 0
        self._announced = 0  # sentences `settled` has handed out
        self._reports: list[SentenceReport] = []
        self._findings: list[Finding] = []
        self._refusals: dict[str, None] = {}  # phrases in order of appearance
        self._errors: list[str] = []
        self._limits: dict[str, None] = {}
        self._result: GuardrailsResult | None = None

    @property
    def stats(self) -> StreamReport:
        """Pieces fed so far, and the characters handed to the busiest scanner."""
        scanned = max(self._segmenter.chars_scanned, self._sentence_chars)
        return StreamReport(pieces=self._pieces, chars_scanned=scanned)

    def feed(self, text: str) -> list[Finding]:
        """Take the next piece; return the findings of the sentences it settled.

        Raises `StreamStateError` after `close`.
        """
        if self._result is not None:
            raise StreamStateError("feed() after close(): the result is final; use a new guard")
        self._pieces += 1
        if self._high or not text.isascii():
            text = self._scalars(text)
        spans = self._segmenter.feed(self._transcript.add(text))
        evidence = self._evidence
        if evidence is not None and not evidence.ready and not evidence.build_slice():
            self._waiting.extend(spans)
            return []
        if self._waiting:
            spans = [*self._waiting, *spans]
            self._waiting.clear()
        return self._settle(spans) if spans else []

    def close(self, ended: Ended = "complete") -> GuardrailsResult:
        """Settle what is left and return the result; further calls return the same one."""
        if self._result is None:
            spans = self._segmenter.feed(self._transcript.add(scalar_text(self._high)))
            if self._evidence is not None:
                self._evidence.build()
            self._settle([*self._waiting, *spans, *self._segmenter.close()])
            self._result = self._conclude(ended)
        return self._result

    def settled(self) -> list[tuple[int, SentenceReport, tuple[Finding, ...]]]:
        """Return the sentences settled since the last call: index, report and findings."""
        fresh = range(self._announced, len(self._reports))
        self._announced = len(self._reports)
        return [(n, self._reports[n], self._findings_of(self._reports[n])) for n in fresh]

    def report_error(self, where: str, error: Exception) -> None:
        """List an error of the caller's own (a callback, an adapter) in the result.

        A result that is final is not changed.
        """
        self._failed(where, error, _NO_SPAN)

    def report_limit(self, what: str) -> None:
        """Say in the result that a cap of the caller's was reached."""
        self._limits[what] = None

    def _findings_of(self, report: SentenceReport) -> tuple[Finding, ...]:
        return tuple(self._findings[number] for number in report.findings)

    def _scalars(self, text: str) -> str:
        """Join surrogates over the piece's border; keep back a high one that ends it."""
        text = self._high + text
        self._high = ""
        if ends_in_high_surrogate(text):
            text, self._high = text[:-1], text[-1]
        return scalar_text(text)

    def _settle(self, spans: list[tuple[int, int]]) -> list[Finding]:
        before = len(self._findings)
        for start, end in spans:
            if len(self._sentences) == MAX_SENTENCES:
                self.report_limit(f"more than {MAX_SENTENCES} sentences")
                break
            self._settle_one(start, end, self._transcript.slice(start, end))
        if spans:
            self._transcript.settle_to(spans[-1][1])
        return self._findings[before:]

    def _settle_one(self, start: int, end: int, text: str) -> None:
        self._sentence_chars += len(text)
        first = len(self._findings)
        index = len(self._sentences)
        leading = self._lead_open
        kind = self._try("roles", (start, end), self._kind_of, text) or "prose"
        sentence = Sentence(index, start, end, text, kind, leading, scope=self._scope)
        if leading:
            self._try("roles", (start, end), self._note_lead, sentence)
        for check in self.checks.per_sentence:
            self._run(check, sentence, (start, end))
        judged = None
        if self._tally is not None:
            judged = self._try("claims", (start, end), _judged, sentence)
            self._try("scores", (start, end), self._tally.add, sentence)
        self._try("refusals", (start, end), self._note_refusals, sentence)
        numbers = tuple(range(first, len(self._findings)))
        self._reports.append(SentenceReport(start, end, *(judged or _UNJUDGED), numbers))
        # Kept for later checks without what was read from it: that is read again if asked for.
        self._sentences.append(Sentence(index, start, end, text, kind, leading, scope=self._scope))

    def _kind_of(self, text: str) -> Kind:
        kind, self._in_code = block_kind(text, self._in_code)
        return kind

    def _note_lead(self, sentence: Sentence) -> None:
        self._lead_open = sentence.role in OPENING_ROLES

    def _note_refusals(self, sentence: Sentence) -> None:
        for refusal in sentence.refusals:
            self._refusals[refusal.phrase] = None

    def _conclude(self, ended: Ended) -> GuardrailsResult:
        for failure in self._evidence.failures if self._evidence else ():
            self._failed("evidence", failure, _NO_SPAN)
        claims = self._claims()
        phrases = tuple(self._refusals)
        answer = Answer(self._sentences, claims, self._transcript.whole(), phrases)
        if self._transcript.overflowed:
            self.report_limit(f"text over {MAX_TEXT_CHARS} characters")
        first = len(self._findings)
        for check in self.checks.at_close:
            self._run(check, answer, _NO_SPAN)
        self._attach(range(first, len(self._findings)))
        for limit in self._limits:
            self._findings.append(_limit_finding(limit))
        return conclude(
            Closing(
                context=self.context,
                policy=self.policy,
                question=self._question,
                choice=self.choice,
                ended=ended,
                answer=answer,
                reports=self._reports,
                findings=self._findings,
                errors=self._errors,
                limits=tuple(self._limits),
                tally=self._tally,
                transcript=self._transcript,
                checks_run=self._checks_run,
            )
        )

    def _claims(self) -> list[Sentence]:
        """Return the claims; a short answer without one is promoted to its statements."""
        if self._tally is None:
            return []
        claims = [self._sentences[n] for n, report in enumerate(self._reports) if report.is_claim]
        if claims or len(self._sentences) > _SHORT_ANSWER:
            return claims
        return [s for s in map(self._promoted, self._sentences[:]) if s is not None]

    def _promoted(self, sentence: Sentence) -> Sentence | None:
        """Return the sentence as a claim where it states something, and report it as one."""
        if self._try("roles", sentence.span, _role, sentence) not in _PROMOTED:
            return None
        claim = replace(sentence, promoted=True)
        judged = self._try("claims", sentence.span, _judged, claim)
        if judged is None:
            return None
        findings = self._reports[sentence.index].findings
        report = SentenceReport(sentence.start, sentence.end, *judged, findings)
        self._reports[sentence.index] = report
        self._sentences[sentence.index] = claim
        return claim

    def _attach(self, numbers: Iterable[int]) -> None:
        """List findings made at the close under the sentence they lie in."""
        for number in numbers:
            start = self._findings[number].start
            if start is None:
                continue
            for place, report in enumerate(self._reports):
                if report.start <= start < report.end:
                    self._reports[place] = replace(report, findings=(*report.findings, number))

    def _run(self, check: Check, subject: Any, span: Span) -> None:
        """Call a check; keep what it found up to the error, if it raises one."""
        self._checks_run += 1
        try:
            for finding in check(subject, self._scope):
                self._keep(finding)
        except Exception as exc:
            self._failed(check_name(check), exc, span)

    def _try(self, where: str, span: Span, function: Callable[..., T], *args: Any) -> T | None:
        try:
            return function(*args)
        except Exception as exc:
            self._failed(where, exc, span)
            return None

    def _keep(self, finding: Finding) -> None:
        if not isinstance(finding, Finding):
            raise TypeError(f"yielded a {type(finding).__name__}, expected a Finding")
        if len(self._findings) < MAX_FINDINGS:
            self._findings.append(_scalar(finding))
        else:
            self.report_limit(f"more than {MAX_FINDINGS} findings")

    def _failed(self, where: str, error: Exception, span: Span) -> None:
        kind = type(error).__name__
        line = f"{where}: {kind} ({error})" if str(error) else f"{where}: {kind}"
        if line in self._errors:
            return
        self._errors.append(scalar_text(line))
        start, end = span
        message = f"The check {where} failed ({kind}); what it would have found is unknown."
        self._findings.append(
            Finding("check_error", where, "warning", start, end, None, None, message)
        )


def _scalar(finding: Finding) -> Finding:
    """Return the finding with every string fit for UTF-8; an application's check may not care."""
    nearest = finding.nearest
    texts = (finding.flag, finding.check, finding.value, finding.message)
    quoted = (nearest.value, nearest.chunk_id) if nearest else ()
    if all(text is None or text.isascii() for text in (*texts, *quoted)):
        return finding
    flag, check, value, message = (text and scalar_text(text) for text in texts)
    if nearest is not None:
        words, chunk_id = (text and scalar_text(text) for text in quoted)
        nearest = replace(nearest, value=words, chunk_id=chunk_id or "")
    return replace(
        finding, flag=flag or "", check=check or "", value=value, message=message, nearest=nearest
    )


def _role(sentence: Sentence) -> str:
    return sentence.role


def _judged(sentence: Sentence) -> Judgement:
    """Return what the result says of a sentence beside its span and findings."""
    if not sentence.is_claim:
        return False, None, None, None, _cited(sentence)
    best = sentence.coverage
    found = sentence.scope.evidence if sentence.scope else None
    if found is None:
        return True, None, None, None, ()
    evidence = EvidenceSpan(found.labels[best.chunk], best.start, best.end) if best else None
    return True, best.share if best else 0.0, None, evidence, _cited(sentence)


def _cited(sentence: Sentence) -> tuple[str, ...]:
    scope = sentence.scope
    if scope is None or scope.evidence is None:
        return ()
    return tuple(scope.evidence.labels[number] for number in sorted(sentence.cited))


def _limit_finding(what: str) -> Finding:
    message = f"Limit reached: {what}; the rest was relayed unchecked."
    return Finding("limit_reached", "limits", "warning", None, None, None, None, message)
