"""The result of one answer, and the annotation that carries it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, PrivateAttr

from streamguard.core.model.types import (
    ConfidenceLevel,
    ContextOrigin,
    Ended,
    Finding,
    Model,
    Nearest,
    Opinion,
    Plain,
    UnreadKind,
    UnreadText,
    Value,
    VerifierReport,
    Word,
    rewritten,
)
from streamguard.errors import StreamStateError

SCHEMA_VERSION = "1.0"  # additive changes raise the second figure; nothing is ever removed

Status = Literal["PASS", "WARN", "REFUSE"]
ScoreVerdict = Literal["PASS", "WARN", "FAIL"]
LeftOut = Literal["sentences", "evidence", "findings", "result"]
# Offsets of the characters above U+FFFF: of the answer under None, of each passage by its label.
Astral = Mapping[str | None, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Reason(Plain):
    """The reason for the status: the rule that held, its figure and its threshold.

    `message` may quote the answer and its passages; then `plain` is the message without a word of
    theirs, else None.
    """

    code: str
    rule: str
    value: float | None
    threshold: float | None
    message: str
    plain: str | None = None

    def without_text(self) -> Reason:
        """Return a copy without any string taken from the answer or the passages."""
        return self if self.plain is None else replace(self, message=self.plain, plain=None)


@dataclass(frozen=True, slots=True)
class Banner(Plain):
    """A line for people above or below the answer."""

    flag: str
    colour: Literal["yellow", "orange"]
    text: str


@dataclass(frozen=True, slots=True)
class Scores(Plain):
    """Scores in [0, 1]; None if an input is missing or the answer is a whole refusal.

    `groundedness` is the probability that the answer holds nothing unsupported, calibrated for
    30 % hallucinated answers. It goes by words: of short answers (`Policy.is_short`) it says
    little. `doubt` is the probability that something in a short answer is wrong, calibrated for
    answers of which 40 % are; None if nothing was compared. Of claims that a judge read both go
    by its word and its confidence. `published` is the verdict of the published score rules;
    `verdict` is the same under `literal` and None elsewhere, where `status` is the one verdict.
    """

    groundedness: float | None = None
    doubt: float | None = None
    relevance: float | None = None
    completeness: float | None = None
    hallucination: float | None = None
    high_risk: bool = False
    drift: float | None = None
    similarity: float | None = None
    verdict: ScoreVerdict | None = None
    published: ScoreVerdict | None = None


@dataclass(frozen=True, slots=True)
class RefusalReport(Plain):
    """Whether the answer refuses, how much of it, and whether the evidence called for that."""

    detected: bool = False
    extent: Literal["whole", "partial", "none"] = "none"
    kind: Literal["expected", "over_refusal", "missing_refusal", "none"] = "none"
    phrases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RetrievalReport(Plain):
    """The gate's figures, as far as the caller gave them."""

    confidence_level: ConfidenceLevel | None
    is_answerable: bool | None
    raw_count: int
    filtered_count: int


@dataclass(frozen=True, slots=True)
class EvidenceSpan(Plain):
    """The best evidence of a sentence: half-open code point span in a chunk.

    `derivation` says in words how values were computed that no chunk holds as they stand, and
    `operands` where in the chunks the values it starts from are.
    """

    chunk_id: str
    start: int
    end: int
    derivation: str | None = None
    operands: tuple[Nearest, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceReport(Plain):
    """One settled sentence: its half-open code point span, its scores and its findings.

    `support` is the probability in [0, 1] that the chunks support it, `reasons` speak against a
    sentence whose support is below 0.85; those that quote words of the answer have them in “ ”.
    None and empty without chunks. No reasons are left where another scorer has turned the support.
    `findings` are positions in `GuardrailsResult.findings`, `opinions` the verifiers' verdicts on
    it, by their names. If the policy holds a verifier's calibration, `support` combines both.
    `doubt` is the probability in [0, 1] that something in it is wrong, 1 less the support that the
    core gives; None if nothing was compared. `scored_by` names whose scores `support` rests on,
    ("fast", "judge gpt-4o v2"); empty if nobody scored it. `judged` is the word of the judge that
    counts, None where no judge's does. `language` is the one for which the sentence is not judged
    in full, its own or its passages' ("de"); None for English. `unread_text`: spans that look like
    a value or a citation and were not read.
    """

    start: int
    end: int
    is_claim: bool
    coverage: float | None
    support: float | None
    evidence: EvidenceSpan | None
    cited_chunks: tuple[str, ...]
    findings: tuple[int, ...]
    reasons: tuple[str, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    doubt: float | None = None
    scored_by: tuple[str, ...] = ()
    judged: Word | None = None
    language: str | None = None
    unread_text: tuple[UnreadText, ...] = ()


@dataclass(frozen=True, slots=True)
class ThoughtSpan(Plain):
    """A model's thought in tags, `<think>…</think>`: no text of the answer, and not judged.

    Half-open code point span, tags included. Without an opening tag (`opened` is False) it began
    with the answer, or behind the thought before; its sentences were read as the answer's until
    its closing tag came. They are listed still, without findings, and are no claims.
    """

    start: int
    end: int
    opened: bool


@dataclass(frozen=True, slots=True)
class TextReport(Plain):
    """Size and digest of the answer; lone surrogates count as U+FFFD in bytes and digest."""

    sha256: str
    code_points: int
    utf8_bytes: int
    utf16_units: int


@dataclass(frozen=True, slots=True)
class Work(Plain):
    """The work done: characters read, sentences settled, checks called."""

    chars_in: int
    sentences: int
    checks: int


class GuardrailsResult(Model):
    """The full verdict on one answer (one choice of a response).

    `status` is the verdict. `scores.published` comes from another published rule table and is never
    merged with it. Spans are half-open code
    point offsets. `context_source` says where the passages were found. `unread_text` counts by kind
    the places that look like values or citations and were not read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: str = SCHEMA_VERSION
    policy: str
    choice: int = 0
    status: Status | None
    reasons: tuple[Reason, ...]
    flags: tuple[str, ...]
    findings: tuple[Finding, ...]
    uncovered_claims: tuple[str | None, ...]
    citation_density: Annotated[float, Field(ge=0)]
    supported_claims: int
    total_claims: int
    scores: Scores
    refusal: RefusalReport
    retrieval: RetrievalReport | None
    context_source: tuple[ContextOrigin, ...] = ()
    banners: tuple[Banner, ...]
    sentences: tuple[SentenceReport, ...]
    thoughts: tuple[ThoughtSpan, ...] = ()
    unread_text: Mapping[UnreadKind, int] = Field(default_factory=dict)
    replacement: str | None
    complete: bool
    ended: Ended
    errors: tuple[str, ...]
    text: TextReport
    text_stored: bool = True
    work: Work

    _astral: Astral | None = PrivateAttr(default=None)
    _in_utf16: bool = PrivateAttr(default=False)

    def __eq__(self, other: object) -> bool:
        """Compare what the JSON holds: a result that was read back equals the original."""
        return isinstance(other, GuardrailsResult) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((self.text.sha256, self.choice))

    def keep_astral(self, places: Mapping[str | None, Sequence[int]]) -> None:
        """Remember where characters above U+FFFF are, for `in_utf16`; the guard's to call."""
        self._astral = places

    def in_utf16(self) -> Self:
        """Return the same result with every span in UTF-16 units, as browsers count.

        Raises `StreamStateError` on a result that was read back from JSON, unless it holds no
        span that could differ: only the result as the guard made it knows where characters above
        U+FFFF are in answer and chunks.
        """
        astral, is_wide = self._astral, self.text.utf16_units != self.text.code_points
        quotes = any(f.nearest for f in self.findings)
        quotes = quotes or any(s.evidence or s.opinions for s in self.sentences)
        if astral is None and (is_wide or quotes):
            raise StreamStateError(
                "in_utf16() of a result read back from JSON: the places of characters above U+FFFF"
                " are not in the JSON; call it on the guard's own result, before serialising"
            )
        if astral is None or self._in_utf16:
            return self
        shifted = self.model_copy(
            update={
                "findings": tuple(_in_utf16(each, astral) for each in self.findings),
                "sentences": tuple(_in_utf16(each, astral) for each in self.sentences),
                "thoughts": tuple(_in_utf16(each, astral) for each in self.thoughts),
            }
        )
        shifted._in_utf16 = True  # noqa: SLF001 -- one of our own
        return shifted

    def without_text(self) -> Self:
        """Return a copy without any string taken from the answer or the passages.

        Spans, flags, chunk ids, figures and banners stay; `text_stored` is False.
        """
        return self.model_copy(
            update={
                "reasons": tuple(one.without_text() for one in self.reasons),
                "findings": tuple(map(without_text, self.findings)),
                "uncovered_claims": (None,) * len(self.uncovered_claims),
                "sentences": tuple(map(without_text, self.sentences)),
                # "where: Type (words)": the words may quote the answer.
                "errors": tuple(error.split(" (", 1)[0] for error in self.errors),
                "text_stored": False,
            }
        )


@dataclass(frozen=True, slots=True)
class BlockedSpan(Plain):
    """A finding whose held text was changed or stopped: its check and its span."""

    choice: int
    flag: str
    check: str
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class HoldReport(Plain):
    """How the text left if the policy holds it back; the spans refer to the text as written.

    `action`: the policy's action, "none" if nothing was blocked. `early`: text left before it was
    checked, since it had waited as long as the policy allows. `left`: size and digest of the text
    that left, by choice in their order; `result.text` has those of the model's text.
    `thought_left`: text left as the answer's before a closing tag showed that it was a thought.
    """

    mode: Literal["sentence", "answer"]
    action: Literal["none", "stopped", "replaced", "masked"]
    blocked: tuple[BlockedSpan, ...]
    early: bool
    left: tuple[TextReport, ...]
    thought_left: bool = False


class StreamReport(Model):
    """The stream's pieces and the cost of checking; not part of the result.

    `chars_scanned`: characters handed to the busiest single scanner. `check_us`: microseconds spent
    checking, None if not measured.
    """

    model_config = ConfigDict(frozen=True)

    pieces: int
    chars_scanned: int
    check_us: float | None = None


class _Sent(Model):
    """An item that follows the text or rides in it, also under the wire key."""

    model_config = ConfigDict(frozen=True)

    def to_json(self) -> str:
        """Return one line of ASCII JSON without `<`: safe in any frame, and in a page's script."""
        return ascii_line(self.model_dump_json(ensure_ascii=True))


class Annotation(_Sent):
    """The one item that follows the last piece, and the value of the wire key.

    `state` tells how the stream ended; the verdict is `result.status`. `result` is that of choice
    0; where a response has several choices, `choices` holds every one's result. `verifiers` counts
    the claims that verifiers were to read; while some of them are awaited the state is `pending`.
    `truncated` names the parts left out of a copy that rides in a stream: the reports of sentences
    without findings, the words of evidence with the list of uncovered claims, all reports and the
    last of the findings, or the result; the copy kept beside the stream is complete.
    """

    object: Literal["streamguard.result"] = "streamguard.result"
    schema_version: str = SCHEMA_VERSION
    id: str
    state: Literal["complete", "partial", "pending", "skipped"]
    result: GuardrailsResult | None = None
    choices: tuple[GuardrailsResult, ...] = ()
    stream: StreamReport | None = None
    verifiers: tuple[VerifierReport, ...] = ()
    hold: HoldReport | None = None
    truncated: tuple[LeftOut, ...] = ()

    def without_text(self) -> Self:
        """Return a copy whose results hold no text of answer or passages."""
        return self.model_copy(
            update={
                "result": self.result.without_text() if self.result else None,
                "choices": tuple(result.without_text() for result in self.choices),
            }
        )


class SentenceAnnotation(_Sent):
    """A settled sentence, sent while the stream still runs (`live=True`).

    `finding_ids` name the `findings` in their order. Those that are `provisional` may be among
    the `retracted` of a later sentence, or its `confirmed`; what neither says, the result says.
    Behind a thought without an opening tag `retracted` has the ids of all that was found in it.
    """

    object: Literal["streamguard.sentence"] = "streamguard.sentence"
    schema_version: str = SCHEMA_VERSION
    id: str
    choice: int
    index: int
    sentence: SentenceReport
    findings: tuple[Finding, ...]
    finding_ids: tuple[str, ...] = ()
    provisional: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    retracted: tuple[str, ...] = ()

    def in_utf16(self, astral: Mapping[str | None, Sequence[int]]) -> Self:
        """Return a copy with its spans in UTF-16 units.

        `astral`: offsets of the characters above U+FFFF in the answer so far, under None, and in
        each passage, by its label.
        """
        return self.model_copy(
            update={
                "findings": tuple(_in_utf16(each, astral) for each in self.findings),
                "sentence": _in_utf16(self.sentence, astral),
            }
        )

    def without_text(self) -> Self:
        """Return a copy without any string taken from the answer or the passages."""
        return self.model_copy(
            update={
                "findings": tuple(map(without_text, self.findings)),
                "sentence": without_text(self.sentence),
            }
        )


def ascii_line(written: str) -> str:
    """Return JSON in ASCII, or a part of it, without `<`."""
    return written.replace("<", "\\u003c")


def without_text(value: Value) -> Value:
    """Return a copy of a finding or report without any string taken from answer or passages."""
    texts = ("value", "message", "derivation")

    def bare(part: Any) -> dict[str, Any]:
        changed: dict[str, Any] = {name: None for name in texts if hasattr(part, name)}
        if isinstance(part, SentenceReport):  # of its reasons those that quote words stand in “ ”
            changed["reasons"] = tuple(one for one in part.reasons if "“" not in one)
        return changed

    return rewritten(value, bare)


def _in_utf16(value: Value, astral: Astral) -> Value:
    """Return a copy of a finding or report with every span in it in UTF-16 units."""

    def moved(part: Any) -> dict[str, int]:
        # A place in a passage names its chunk; every other one is in the answer.
        wide = astral.get(getattr(part, "chunk_id", None), ())
        span = {name: getattr(part, name, None) for name in ("start", "end")}
        return {name: at + bisect_left(wide, at) for name, at in span.items() if at is not None}

    return rewritten(value, moved)
