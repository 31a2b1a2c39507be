"""One guard per choice of a response, and the one annotation for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context, LateContext
from streamguard.core.index.evidence import Evidence
from streamguard.core.machine.claim import Claim
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.brought import Brought
from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.model.result import (
    Annotation,
    GuardrailsResult,
    Reason,
    SentenceAnnotation,
    StreamReport,
)
from streamguard.core.model.types import Ended, Finding, Score

MAX_CHOICES = 128  # SPEC 10


class ChoiceGuards:
    """A `StreamGuard` for every choice of a response, made when its first text arrives.

    Choice 0 always exists. Choices over `MAX_CHOICES` are relayed unchecked, and choice 0 says
    `limit_reached`. Without `live` nothing is kept for `settled` until `listen` is called.
    """

    def __init__(
        self,
        context: Context | LateContext | None = None,
        policy: Policy | str | None = None,
        checks: Checks = DEFAULT_CHECKS,
        *,
        live: bool = True,
    ) -> None:
        self._context = context or Context()
        self._live = live
        self._policy = as_policy(policy)
        self._checks = checks
        self._first = StreamGuard(self._context, self._policy, checks, live=live)
        self._guards = {0: self._first}
        self._brought: list[StreamGuard] = []  # whose stream brings more than text
        self._annotation: Annotation | None = None

    @property
    def stats(self) -> StreamReport:
        """Pieces and scanned characters of all choices together."""
        stats = [guard.stats for guard in self._guards.values()]
        pieces, scanned = zip(*((each.pieces, each.chars_scanned) for each in stats), strict=True)
        return StreamReport(pieces=sum(pieces), chars_scanned=sum(scanned))

    @property
    def behind(self) -> bool:
        """Whether some choice has more work than the next piece will do."""
        return any(guard.behind for guard in self._guards.values())

    @property
    def working(self) -> bool:
        """Whether `step` has something to do that waits for neither context nor index."""
        return any(guard.working for guard in self._guards.values())

    def take(self, choice: int, text: str) -> None:
        """Take text of one choice, whose sentences `step` settles."""
        if guard := self._guard_of(choice):
            guard.take(text)

    def bring(self, choice: int, brought: Brought) -> None:
        """Take the passages, citations and calls in one choice's stream."""
        if guard := self._guard_of(choice):
            guard.bring(brought)
            if not any(guard is other for other in self._brought):
                self._brought.append(guard)

    @property
    def unready(self) -> Evidence | None:
        """An index of passages that the stream itself brought and that is not built yet."""
        for guard in self._brought:
            if (evidence := guard.evidence) is not None and not evidence.ready:
                return evidence
        return None

    def step(self) -> list[tuple[int, Finding]] | None:
        """Work on the first choice that has text waiting; None if no choice can go on."""
        return _first_findings((choice, guard.step()) for choice, guard in self._guards.items())

    def feed(self, texts: Mapping[int, str]) -> list[tuple[int, Finding]]:
        """Take the text per choice of one frame; return findings with their choice."""
        found: list[tuple[int, Finding]] = []
        for choice, text in texts.items():
            if guard := self._guard_of(choice):
                found.extend((choice, finding) for finding in guard.feed(text))
        return found

    def settled(self, id: str) -> list[SentenceAnnotation]:
        """Return a live annotation for every sentence settled since the last call."""
        return [
            SentenceAnnotation(
                id=id, choice=choice, **{name: getattr(each, name) for name in each.__slots__}
            )
            for choice, guard in self._in_order
            for each in guard.settled()
        ]

    def listen(self) -> None:
        """Keep from now on what `settled` returns."""
        self._live = True
        for guard in self._guards.values():
            guard.listen()

    def claims(self) -> list[Claim]:
        """Return the claims settled since the last call, of every choice."""
        return [claim for _, guard in self._in_order for claim in guard.claims()]

    def score(self, claim: Claim, score: Score) -> None:
        """Accept a scorer's score of a claim; raises as `StreamGuard.score` does."""
        self._guards[claim.choice].score(claim.id, score)
        self._annotation = None

    def note_scorer(self, choice: int, name: str, error: str | None = None) -> None:
        """Record in a choice's result that a scorer was given claims, and its error, if any."""
        self._guards[choice].note_scorer(name, error)
        self._annotation = None

    def findings_by_scores(self, choice: int, index: int) -> tuple[Finding, ...] | None:
        """Return the findings of a choice's settled sentence as its scores leave them."""
        return self._guards[choice].findings_by_scores(index)

    def report_error(self, where: str, error: Exception) -> None:
        """List an error of the caller's own in the result of choice 0."""
        self._first.report_error(where, error)

    def report_limit(self, what: str) -> None:
        """Record in the result of choice 0 that a limit of the caller was reached."""
        self._first.report_limit(what)

    def report_unread(self, what: str) -> None:
        """Record in every choice's result that something passed that could not be read."""
        for guard in self._guards.values():
            guard.report_unread(what)

    def cut_short(self) -> None:
        """Judge no more sentences of any choice."""
        for guard in self._guards.values():
            guard.cut_short()

    def close_step(self) -> list[tuple[int, Finding]] | None:
        """Do a part of what `close` has to do, as `StreamGuard.close_step`, with the choice."""
        return _first_findings((choice, guard.close_step()) for choice, guard in self._in_order)

    def close(
        self, id: str, ended: Ended = "complete", check_us: float | None = None
    ) -> Annotation:
        """Close every guard and return the annotation.

        Further calls return the same one until another score comes.

        `id` names the response (128 random bits as hexadecimal digits, the shell's to choose),
        `check_us` is what checking cost in microseconds.
        """
        if self._annotation is None:
            results = [guard.close(ended) for _, guard in self._in_order]
            self._annotation = Annotation(
                id=id,
                state="complete" if ended == "complete" else "partial",
                result=self._first.close(),
                choices=tuple(results) if len(results) > 1 else (),
                stream=self.stats.model_copy(update={"check_us": check_us}),
            )
        return self._annotation

    def _guard_of(self, choice: int) -> StreamGuard | None:
        """Return a choice's guard, made when it is first asked for; None if it is too many."""
        if choice in self._guards:
            return self._guards[choice]
        if len(self._guards) == MAX_CHOICES:
            self._first.report_limit(f"more than {MAX_CHOICES} choices")
            return None
        known = (self._context, self._policy, self._checks)
        self._guards[choice] = StreamGuard(*known, choice=choice, live=self._live)
        return self._guards[choice]

    @property
    def _in_order(self) -> list[tuple[int, StreamGuard]]:
        return sorted(self._guards.items())


def _first_findings(
    found: Iterable[tuple[int, list[Finding] | None]],
) -> list[tuple[int, Finding]] | None:
    """Return the first findings that are not None, each with its choice."""
    for choice, findings in found:
        if findings is not None:
            return [(choice, finding) for finding in findings]
    return None


def with_late_text(annotation: Annotation, pieces: int) -> Annotation:
    """Return the annotation with `pieces` of text counted that came after it, unjudged."""
    message = "Text came behind the verdict and was not judged."
    late = Reason("late_text", "a", pieces, 0, message)

    def of(result: GuardrailsResult) -> GuardrailsResult:
        status = None if result.status == "PASS" else result.status
        return result.model_copy(update={"status": status, "reasons": (*result.reasons, late)})

    results = tuple(map(of, annotation.choices))
    first = annotation.result and (results[0] if results else of(annotation.result))
    return annotation.model_copy(update={"state": "partial", "result": first, "choices": results})


def skipped(id: str) -> Annotation:
    """Return the annotation of a stream that nobody checked."""
    return Annotation(id=id, state="skipped")
