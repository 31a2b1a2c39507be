"""The one driver of the checks: text is queued as it passes, examined later, closed once.

Every shell and every server has an `Examiner`: it reports when there is work, does it in turns
short enough for an event loop, never raises, and makes the annotation.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from time import perf_counter_ns

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context, LateContext
from streamguard.core.index.evidence import Evidence
from streamguard.core.machine.answer_text import MAX_TEXT_CHARS
from streamguard.core.machine.choices import ChoiceGuards, skipped, with_late_text
from streamguard.core.model.brought import Brought
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Ended, Finding, Score
from streamguard.core.sentence import Sentence
from streamguard.verify.verifier import Verifier
from streamguard.verify.verifier_runner import VerifierRunner

OnFinding = Callable[[Finding], object]
OnSentence = Callable[[SentenceAnnotation], object]
OnAnnotation = Callable[[Annotation], object]

# No turn of the event loop should take longer (F4 of the performance goals: 2 ms). A slice is one
# or two sentences: a sentence of full analysis takes 0.5 to 1 ms (benchmarks/bench_wrapper.py).
TURN_NS = 1_000_000
SLICE_CHARS = 128
# The guard is fed by blocks: the result does not depend on how a text is cut, and a frame that
# is only kept costs a tenth of one that is fed. What comes behind a block may wait for its
# sentences: blocks of 256 characters made it wait for four (benchmarks/bench_dialects.py).
BLOCK_CHARS = 64
# Waiting pieces are joined beyond this number: each string takes 50 bytes besides its text.
JOINED_CHARS = 4_096

_COMPLETE_ANSWER = "the whole answer"  # awaited like a tool's call until its passages have come

logger = logging.getLogger("streamguard")


class Examiner:
    """Examines the text of one response and closes with one annotation.

    `id` is hexadecimal. With `policy.validation_enabled` False nothing runs, and the annotation's
    state is skipped. Text is examined in blocks of `block_chars` characters. `on_finding` is called
    with every finding, `on_sentence` with every settled sentence, at once rather than at the end of
    a block. Their errors, and those of our own defects, are listed in the result, each kind once,
    and logged.

    `verifiers` score settled claims in parallel. Once all text is examined, `wait_for_scores` waits
    for their scores, at most `tail_wait_s` seconds; if one is still missing then, the annotation is
    pending, and `awaited` will give the final one. A `close` without `wait_for_scores` abandons
    open calls. `blocking`: the caller has no asyncio event loop that runs while it waits.
    """

    def __init__(
        self,
        id: str,
        context: Context | LateContext | None,
        policy: Policy,
        checks: Checks = DEFAULT_CHECKS,
        *,
        on_finding: OnFinding | None = None,
        on_sentence: OnSentence | None = None,
        block_chars: int = BLOCK_CHARS,
        verifiers: Sequence[Verifier] = (),
        blocking: bool = False,
    ) -> None:
        self.id = id
        self.annotation: Annotation | None = None
        self.late_pieces = 0  # texts that came after the annotation
        self.unread: str | None = None  # describes unreadable parts that passed
        self._context = context
        self._checks = checks
        self._verifiers, self._blocking = verifiers, blocking
        self._on_sentence = on_sentence
        self.judge_by(policy)
        self._waited = False  # `wait_for_scores` has waited, as long as it may
        self.awaited: Future[Annotation] = Future()  # the annotation once nothing is awaited
        self._on_finding = on_finding
        self._block_chars = block_chars if on_sentence is None and on_finding is None else 1
        self._gathered: dict[int, list[str]] = {}  # passed text that does not fill a block yet
        # The first block's length is drawn from the id: streams that began together are examined
        # one by one.
        self._gathered_chars = int(id[:2], 16) % BLOCK_CHARS
        # The text being examined, slice by slice.
        self._todo: deque[tuple[int, str | Brought]] = deque()
        self._todo_chars = 0
        self._at = 0  # where in its first text the next slice begins
        self._unfinished = False  # the last turn did not finish a sentence
        self._announced: set[tuple[int, Finding]] = set()
        self._failed: set[tuple[str, type[Exception]]] = set()
        self.amend: Callable[[Annotation], Annotation] = lambda annotation: annotation
        self._closing = False  # text from now on is too late
        self.kept_text: dict[int, list[str]] | None = None  # the examined text, if it is kept
        self._kept_chars = 0
        self._spent_ns = 0
        self._pieces = 0

    def judge_by(self, policy: Policy) -> None:
        """Replace the policy; no text has been examined or reported yet."""
        self.policy = policy
        checked, checks = policy.validation_enabled, self._checks
        live = self._on_sentence is not None
        self._guards = ChoiceGuards(self._context, policy, checks, live=live) if checked else None
        self._is_off = not checked
        self._indexes = checked and checks.need_evidence
        has_work = self._verifiers and checked and checks.verdicts
        self._runner = (
            VerifierRunner(self._verifiers, blocking=self._blocking) if has_work else None
        )
        judge = any(one.is_judge for one in self._verifiers)
        self.tail_wait_s = policy.tail_wait_s(judge=judge)

    def listen(self, on_sentence: OnSentence) -> None:
        """Call `on_sentence` from now on, as if it had been given at first."""
        self._on_sentence = on_sentence
        self._block_chars = 1
        if self._guards is not None:
            self._guards.listen()

    def add_sentence_listener(self, on_sentence: OnSentence) -> None:
        """Also call `on_sentence` for every sentence from now on."""
        first = self._on_sentence

        def both(sentence: SentenceAnnotation) -> None:
            if first is not None:
                first(sentence)
            on_sentence(sentence)

        self.listen(both)

    @property
    def known_context(self) -> Context | None:
        """The answer's context; None while it is still coming."""
        known = self._context
        return known.context if isinstance(known, LateContext) else known

    def keep_text(self) -> None:
        """Keep the text that is examined from now on: per choice, its pieces in order.

        All choices together keep as much as is examined of one.
        """
        self.kept_text = {}

    @property
    def off(self) -> bool:
        """Whether nothing is examined, by the policy."""
        return self._is_off

    def release(self) -> None:
        """Release guards and context: nothing is awaited and all is reported.

        A client's connection keeps its relay alive, and that would keep the index alive.
        """
        if self.awaited.done():
            self._guards, self._context, self._indexes = None, Context(), False

    @property
    def due(self) -> bool:
        """Whether there is something to examine before more text comes."""
        if self._closing or self._guards is None:
            return False
        if self._gathered_chars >= self._block_chars or self._todo or self._unfinished:
            return True
        return self._unready is not None

    @property
    def behind(self) -> bool:
        """Whether text is partly examined, or its evidence is not indexed yet."""
        return bool(self._todo) or (self._guards is not None and self._guards.behind)

    @property
    def full(self) -> bool:
        """Whether the queue has reached its limit: no more may be taken before a turn."""
        return self._gathered_chars + self._todo_chars > MAX_TEXT_CHARS

    def take(self, choice: int, texts: Sequence[str]) -> None:
        """Queue texts of one choice that passed, for later turns."""
        if self._closing:
            self.late_pieces += len(texts)
        elif texts and self._guards is not None:
            self._gathered.setdefault(choice, []).extend(texts)
            self._gathered_chars += len(texts[0]) if len(texts) == 1 else sum(map(len, texts))
            self._pieces += len(texts)
            if self._gathered_chars > JOINED_CHARS:
                self._join_gathered()

    def bring(self, choice: int, brought: Brought) -> None:
        """Queue a frame's passages and citations for one choice; they precede the frame's text."""
        if self._guards is not None and not self._closing:
            self._join_gathered()
            self._todo.append((choice, brought))

    def take_complete(
        self, texts: Mapping[int, str], brought: Sequence[tuple[int, Brought]]
    ) -> None:
        """Queue a complete answer: it is judged once, with all its passages and citations."""
        choices = {choice for choice, _ in brought}
        held = [(choice, Brought(awaits=_COMPLETE_ANSWER)) for choice in choices]
        for choice, one in (*held, *brought):
            self.bring(choice, one)
        for choice, text in texts.items():
            self.take(choice, (text,))
        for choice in choices:
            self.bring(choice, Brought(returns=_COMPLETE_ANSWER))

    def note_late(self) -> None:
        """Note possible text that cannot be read; it counts as coming after the annotation."""
        self.late_pieces += self._closing

    def turn(self) -> bool:
        """Examine queued text for a turn; return whether none is left."""
        if self._guards is None:
            return True
        began = perf_counter_ns()
        indexing = self._unready is not None
        self._index_slice()
        if self._gathered_chars >= self._block_chars:
            self._join_gathered()
        # A slice of the index alone may be a turn's share.
        due = not indexing or perf_counter_ns() - began < TURN_NS
        while due and not self._closing and self._work(self._guards):
            self._index_slice()
            due = perf_counter_ns() - began < TURN_NS
        self._announce_sentences()
        self._unfinished = self._guards.working
        self._spent_ns += perf_counter_ns() - began
        return not (self._todo or self._unfinished)

    def close_turn(self) -> bool:
        """Do one turn of the work of `close`; return whether little is left."""
        self._closing = True
        if self._guards is None or self.annotation is not None:
            return True
        began = perf_counter_ns()
        self._join_gathered()
        try:
            while self._todo or self._report_step(self._guards.close_step()):
                if self._todo:
                    self._feed_slice(self._guards)
                if perf_counter_ns() - began >= TURN_NS:
                    return False
        except Exception as exc:  # fail open: a defect of ours must not reach the stream
            self.fail("guard", exc)
        finally:
            self._announce_sentences()
            self._spent_ns += perf_counter_ns() - began
        return True

    def close(self, ended: Ended) -> Annotation:
        """Examine all that is left and make the annotation; only the first call counts."""
        if self.annotation is None:
            # Errors of listeners before the result is made are listed in it, however the last
            # sentences were cut into pieces.
            while not self.close_turn():
                pass
            self.annotation = self._concluded(ended)
            if self.annotation.state != "pending":
                self.awaited.set_result(self.annotation)
            elif self._runner is not None:
                self._runner.over.add_done_callback(lambda _: self._finalise())
        return self.annotation

    def cut_short(self) -> None:
        """Judge no more sentences; if some are left, the result has `limit_reached`."""
        if self._guards is not None:
            self._guards.cut_short()

    @property
    def has_verifiers(self) -> bool:
        """Whether verifiers score the claims."""
        return self._runner is not None

    def findings_by_scores(self, choice: int, index: int) -> tuple[Finding, ...] | None:
        """Return a settled sentence's findings, given its scores so far.

        None while it has no score.
        """
        if self._runner is None or self._guards is None:
            return None
        self._take_scores(self._guards, self._runner)
        return self._guards.findings_by_scores(choice, index)

    @property
    def awaits_scores(self) -> bool:
        """Whether `wait_for_scores` has verifiers to wait for."""
        return self._runner is not None and self.annotation is None

    async def wait_for_scores(self, waited_s: float = 0.0) -> None:
        """Wait for the verifiers' scores, up to the time limit; all text is examined.

        `waited_s`: seconds of the limit that are already over.
        """
        if self._runner is not None and self.annotation is None:
            self._offer_last(self._runner)
            await self._runner.wait(max(0.0, self.tail_wait_s - waited_s))
            self._waited = True

    def send_last_claims(self) -> None:
        """Send the verifiers the last claims without waiting; all text is examined."""
        if self._runner is not None and self.annotation is None:
            self._offer_last(self._runner)
            self._waited = True

    def block_for_scores(self, *, to_the_end: bool = False) -> None:
        """Like `wait_for_scores`, blocking this thread; `to_the_end`: without a time limit."""
        if self._runner is not None and self.annotation is None:
            self._offer_last(self._runner)
            self._runner.wait_here(None if to_the_end else self.tail_wait_s)
            self._waited = True

    def take_judge_scores(self) -> list[tuple[str, int, Sentence, Score]]:
        """Return the judges' scores since the last call, as (judge, choice, sentence, score)."""
        scores = self._runner.take_judge_scores() if self._runner is not None else []
        return [(score.scorer, claim.choice, claim.sentence, score) for claim, score in scores]

    def give_up(self) -> None:
        """Stop waiting for pending scores: `awaited` will soon be done."""
        if self._runner is not None:
            self._runner.leave()

    def final(self, ended: Ended) -> Annotation:
        """Return the annotation to keep: text that came after it makes it partial."""
        return self._kept(self.close(ended))

    def when_final(self, callback: OnAnnotation) -> None:
        """Call `callback` with the annotation to keep, now or once no score is pending."""
        self.awaited.add_done_callback(lambda final: callback(self._kept(final.result())))

    def _kept(self, annotation: Annotation) -> Annotation:
        if self.annotation is not None and self.annotation.state == "skipped":
            annotation = self.annotation
        return with_late_text(annotation, self.late_pieces) if self.late_pieces else annotation

    def skip(self, why: str, ended: Ended = "complete") -> None:
        """Record that the answer was not examined, and why, unless it was."""
        if self.annotation is None:
            self.report_unread(why)
            self.annotation = self.close(ended).model_copy(update={"state": "skipped"})

    def report(self, where: str, error: Exception) -> None:
        """List an error in the result next to those of checks, unless the result is final."""
        if self._guards is not None and self.annotation is None:
            self._guards.report_error(where, error)

    def report_limit(self, what: str) -> None:
        """Record in the result that a limit was reached, unless the result is final."""
        if self._guards is not None and self.annotation is None:
            self._guards.report_limit(what)

    def report_unread(self, what: str) -> None:
        """Record in the result that something passed unread, unless the result is final."""
        if self._guards is not None and self.annotation is None:
            self.unread = what
            self._guards.report_unread(what)

    def fail(self, where: str, error: Exception) -> None:
        """List and log a function's error, each kind once: it may recur with every piece."""
        if self._guards is None or (where, type(error)) in self._failed:
            return
        self._failed.add((where, type(error)))
        self.report(where, error)
        fields = {"event": "check_failed", "where": where, "id": self.id}
        logger.warning(
            "%s raised on stream %s", where, self.id, exc_info=error, extra={"fields": fields}
        )

    def spend(self, nanoseconds: int) -> None:
        """Add the time spent on reading the text to the cost of checking."""
        self._spent_ns += nanoseconds

    @property
    def _unready(self) -> Evidence | None:
        """The evidence that still has to be indexed; a late context adds some later."""
        if not self._indexes:
            return None
        if self._guards is not None and (brought := self._guards.unready) is not None:
            return brought
        evidence = self._context.evidence if self._context is not None else None
        return None if evidence is None or evidence.ready else evidence

    def _index_slice(self) -> None:
        try:
            if (evidence := self._unready) is not None:
                evidence.build_slice()
        except Exception as exc:  # fail open, and do not try it again
            self._indexes = False
            self.fail("guard", exc)

    def _join_gathered(self) -> None:
        """Move gathered text to the guards' queue; only the order within a choice matters."""
        for choice, pieces in self._gathered.items():
            text = pieces[0] if len(pieces) == 1 else "".join(pieces)
            self._todo_chars += len(text)
            self._todo.append((choice, text))
        self._gathered.clear()
        self._gathered_chars = 0

    def _work(self, guards: ChoiceGuards) -> bool:
        """Examine fed text, or feed the next slice; return whether there was any."""
        try:
            if self._report_step(guards.step()):
                return True
        except Exception as exc:  # fail open, as above
            self.fail("guard", exc)
        if not self._todo:
            return False
        self._feed_slice(guards)
        return True

    def _feed_slice(self, guards: ChoiceGuards) -> None:
        """Feed the first text, as much as fits a turn."""
        (choice, text), begin = self._todo[0], self._at
        if isinstance(text, Brought):
            self._todo.popleft()
            try:
                guards.bring(choice, text)
            except Exception as exc:  # fail open, as above
                self.fail("guard", exc)
            return
        self._at += SLICE_CHARS
        if self._at >= len(text):
            self._todo.popleft()
            self._at = 0
        self._todo_chars -= min(SLICE_CHARS, len(text) - begin)
        try:
            piece = text[begin : begin + SLICE_CHARS]
            if self.kept_text is not None and self._kept_chars < MAX_TEXT_CHARS:
                self._kept_chars += len(piece)
                self.kept_text.setdefault(choice, []).append(piece)
            guards.take(choice, piece)
        except Exception as exc:  # fail open, as above
            self.fail("guard", exc)

    def _report_step(self, found: Sequence[tuple[int, Finding]] | None) -> bool:
        """Report a step's findings and send its claims; return whether there may be more work."""
        for choice, finding in found or ():
            self._announce(choice, finding)
        if self._runner is not None and self._guards is not None:
            self._runner.offer(self._guards.claims())
        return found is not None

    def _concluded(self, ended: Ended) -> Annotation:
        guards, began = self._guards, perf_counter_ns()
        if guards is None:
            return skipped(self.id)
        try:
            annotation = self._closed(guards, ended)
        except Exception:  # fail open, as above: there is an annotation all the same
            fields = {"id": self.id}
            logger.exception("the verdict could not be made", extra={"fields": fields})
            return self.amend(skipped(self.id))
        self._announce_sentences()
        self._announce_rest(annotation)
        self._spent_ns += perf_counter_ns() - began
        annotation = self.amend(annotation)
        if annotation.stream is None:
            return annotation
        measured = {"check_us": round(self._spent_ns / 1_000, 1), "pieces": self._pieces}
        stream = annotation.stream.model_copy(update=measured)
        return annotation.model_copy(update={"stream": stream})

    def _closed(self, guards: ChoiceGuards, ended: Ended) -> Annotation:
        """Close the guards with the scores so far, and abandon pending calls without a waiter."""
        runner = self._runner
        if runner is None:
            return guards.close(self.id, ended)
        over = runner.over.done()
        if not over and not self._waited:
            runner.leave()
        self._take_scores(guards, runner)
        annotation = guards.close(self.id, ended)
        pending = {"state": "pending"} if self._waited and not over else {}
        return annotation.model_copy(update={"verifiers": runner.reports(), **pending})

    def _take_scores(self, guards: ChoiceGuards, runner: VerifierRunner) -> None:
        """Pass the scorers' new scores to the guards."""
        for claim, score in runner.take_scores():
            guards.score(claim, score)
        for choice, name, error in runner.notes():
            guards.note_scorer(choice, name, error)

    def _finalise(self) -> None:
        """Make the final annotation for a pending one; runs in the verifiers' thread."""
        guards, runner, pending = self._guards, self._runner, self.annotation
        if guards is None or runner is None or pending is None:
            return
        ended = "complete" if pending.result is None or pending.result.complete else "partial"
        final = pending.model_copy(update={"state": ended})
        try:
            judged = self._closed(guards, "complete")  # it ended as the pending one says
            fresh = {name: getattr(judged, name) for name in ("result", "choices", "verifiers")}
            final = final.model_copy(update=fresh)
            self._announce_rest(final)
        except Exception:  # fail open, as above
            logger.exception("the verdict could not be made", extra={"fields": {"id": self.id}})
        self.awaited.set_result(final)

    def _offer_last(self, runner: VerifierRunner) -> None:
        """Send the verifiers the last claims, and announce that they are the last."""
        if self._guards is not None:
            runner.offer(self._guards.claims())
        runner.finish()

    def _announce(self, choice: int, finding: Finding) -> None:
        if self._on_finding is None or (choice, finding) in self._announced:
            return  # a finding may come again when its sentence is judged anew
        self._announced.add((choice, finding))
        try:
            self._on_finding(finding)
        except Exception as exc:
            self.fail("on_finding", exc)

    def _announce_rest(self, annotation: Annotation) -> None:
        """Announce the findings of the close; errors of `on_finding` are only logged now."""
        if self._on_finding is None or annotation.result is None:
            return
        for result in annotation.choices or (annotation.result,):
            for finding in result.findings:
                if (result.choice, finding) not in self._announced:
                    self._announce(result.choice, finding)

    def _announce_sentences(self) -> None:
        if self._on_sentence is None or self._guards is None:
            return
        try:
            settled = self._guards.settled(self.id)
        except Exception as exc:  # fail open, as above
            self.fail("guard", exc)
            return
        for sentence in settled:
            try:
                self._on_sentence(sentence)
            except Exception as exc:
                self.fail("on_sentence", exc)
