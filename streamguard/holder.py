"""Decides how the items of one answer leave: which wait, which change, and where it stops.

Only streams whose policy holds text back have a `Holder`; `core/machine/holding` is its queue.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from streamguard.core.machine.holding import (
    MASK,
    Hold,
    Holding,
    Leaving,
    OnViolation,
    is_blocked,
)
from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.model.result import (
    Annotation,
    BlockedSpan,
    HoldReport,
    SentenceAnnotation,
    TextReport,
)
from streamguard.core.model.types import Finding, about_answer
from streamguard.core.packs.hiding import SENSITIVE
from streamguard.core.reading.markers import refusal_message
from streamguard.errors import DecodeError
from streamguard.text.normalise import astral_offsets, scalar_text
from streamguard.wire.endings import Ending
from streamguard.wire.rewriting import Texts, scrubbed, with_texts

T = TypeVar("T")
Replace = Callable[[Finding], Any]  # returns a str; other values are errors in the result
Words = Callable[[int, int], Sequence[Finding] | None]  # of a choice and a sentence's index
OnError = Callable[[str, Exception], object]
_SECRET_MASK = "[SECRET]"  # noqa: S105 -- stands in place of one
_LOOK_S = 0.05  # between two looks for a word that is due; guess, what nobody feels
_ACTIONS = {"stop": "stopped", "replace": "replaced", "mask": "masked"}
# They stand for all that was not found, where a part of the answer was not read, or all not judged.
_UNREAD = about_answer("check_error", "guard", "A part of the answer could not be read.")
_UNCHECKED = about_answer("check_error", "guard", "The answer could not be judged.")


def holding_policy(
    policy: Policy | str | None, hold: Hold | None, on_violation: OnViolation | None
) -> Policy:
    """Return the policy with `hold` and `on_violation` replaced, where given.

    Raises `ConfigError` for an invalid value or combination.
    """
    base = as_policy(policy)
    options = {"hold": hold, "on_violation": on_violation}
    changes = {name: value for name, value in options.items() if value is not None}
    return Policy.load({**base.model_dump(), **changes}) if changes else base


class ItemEditing(Protocol[T]):
    """Edits the items of one stream, and makes the items that end its answer."""

    def rewrite(self, item: T, texts: Mapping[int, str]) -> T:
        """Return a copy of the item with these texts; raises `DecodeError` if it has no place."""

    def scrub(self, item: T, removed: Sequence[tuple[str, str]]) -> T:
        """Return the item without the removed texts, copies of them included."""

    def see(self, item: T) -> None:
        """Note the shape of an item that has come."""

    def note(self, item: T) -> None:
        """Note an item that has left, for the ending."""

    def end(self, text: str, choice: int) -> list[T]:
        """Return the items that end a stopped answer, with `text` of `choice` before them."""


class ItemEditor(Generic[T]):
    """Edits a library stream's items: parsed JSON, SDK objects or strings, read by `texts_of`."""

    def __init__(self, texts_of: Texts, ending: Ending, made: Callable[[Any], T]) -> None:
        self._texts_of = texts_of
        self._ending = ending
        self._made = made

    def rewrite(self, item: T, texts: Mapping[int, str]) -> T:
        """Return a copy of the item with these texts."""
        return with_texts(item, texts, self._texts_of)

    def scrub(self, item: T, removed: Sequence[tuple[str, str]]) -> T:
        """Return the item without the removed texts."""
        return scrubbed(item, removed)

    def see(self, item: T) -> None:
        """Note the shape of an item that has come."""
        self._ending.see(item)

    def note(self, item: T) -> None:
        """Note an item that has left."""
        self._ending.note(item)

    def end(self, text: str, choice: int) -> list[T]:
        """Return the items that end the answer."""
        return [self._made(frame) for frame in self._ending.frames(text, choice)]


class _Left:
    """Size and digest of one choice's text that has left."""

    def __init__(self) -> None:
        self._digest = sha256()
        self._counts = [0, 0, 0]

    def add(self, text: str) -> None:
        text = scalar_text(text)
        encoded = text.encode()
        self._digest.update(encoded)
        added = (len(text), len(encoded), len(text) + len(astral_offsets(text)))
        self._counts = [count + more for count, more in zip(self._counts, added, strict=True)]

    def report(self) -> TextReport:
        return TextReport(self._digest.hexdigest(), *self._counts)


class _Settled(NamedTuple):
    """A checked sentence, and the time until which it waits for a judge's score."""

    sentence: SentenceAnnotation
    until: float | None  # None where it waits for nobody


class Holder(Generic[T]):
    """Holds the items of one answer: `add` each, report settled sentences, send those that `leave`.

    `editor` edits items and ends the answer. `words` returns a sentence's findings given a judge's
    score, None until there is one; a claim waits `policy.hold_judge_s` for it. `replace_with`
    returns the replacement of a blocked text for its finding, by default the policy's text. Errors
    go to `on_error`: an item that cannot be changed does not leave.
    """

    def __init__(
        self,
        policy: Policy,
        editor: ItemEditing[T],
        on_error: OnError,
        *,
        replace_with: Replace | None = None,
        words: Words | None = None,
    ) -> None:
        self.editor = editor
        self._words = words if policy.hold_judge_s and policy.hold == "sentence" else None
        self._settled: dict[int, deque[_Settled]] = {}  # by choice, in order
        self._thought_left = False  # text that was told to be a thought behind it
        self._now = 0.0
        self.stopped = False
        self._policy = policy
        self._on_error = on_error
        self._replace_with = replace_with
        self._holding: Holding[T] = Holding(policy.hold, policy.max_hold_chars, policy.max_hold_s)
        self._written: dict[int, list[str]] = {}  # for masks: the texts by choice
        # Sentences before and after masking: copies of a text hold them whole.
        self._masked: dict[tuple[int, int, int], list[tuple[int, int, str]]] = {}
        self._removed: list[tuple[str, str]] = []
        self._is_stale = False  # something was masked since
        self._blocked: dict[BlockedSpan, None] = {}
        self._cut: tuple[int, Finding] | None = None  # the choice, and why
        self._left: dict[int, _Left] = {0: _Left()}

    @property
    def until(self) -> float | None:
        """The time of the next look if no item comes; None if nothing waits for a time.

        It is when text has waited as long as the policy allows, and often while a score is due.
        """
        until = self._holding.until()
        if until is not None and any(self._settled.values()):
            return min(until, self._now + _LOOK_S)
        return until

    @property
    def waits(self) -> bool:
        """Whether items are held."""
        return self._holding.waits

    def add(self, item: T, texts: Mapping[int, str], now: float) -> None:
        """Hold the next item with its text per choice; `now` in seconds of any clock."""
        self._now = max(self._now, now)
        self.editor.see(item)
        self._holding.add(item, texts, now)
        if self._policy.on_violation == "mask":
            for choice, text in texts.items():
                self._written.setdefault(choice, []).append(text)

    def settled(self, sentence: SentenceAnnotation) -> None:
        """Note a checked sentence."""
        waits = self._words is not None and sentence.sentence.is_claim
        until = self._now + self._policy.hold_judge_s if waits else None
        self._settled.setdefault(sentence.choice, deque()).append(_Settled(sentence, until))
        self._advance()

    def _advance(self) -> None:
        """Act on sentences that need not wait any more, choice by choice in order."""
        for waiting in self._settled.values():
            while waiting and (findings := self._findings(waiting[0])) is not None:
                sentence = waiting.popleft().sentence
                span = sentence.sentence.start, sentence.sentence.end
                for finding in findings if self._policy.hold == "sentence" else ():
                    self._act(sentence.choice, finding, span)
                self._holding.judged(sentence.choice, sentence.sentence.end)

    def _findings(self, waiting: _Settled) -> Sequence[Finding] | None:
        """Return a sentence's findings that count; None while it waits for a score."""
        sentence, until = waiting
        own = sentence.findings[: len(sentence.findings) - len(sentence.provisional)]
        if until is None or self._words is None:
            return own
        found = self._words(sentence.choice, sentence.index)
        return own if found is None and self._now >= until else found

    def leave(self, now: float) -> list[T]:
        """Return the items that leave now; after the last of them the answer may be stopped."""
        self._now = max(self._now, now)
        self._advance()
        if self.stopped:
            return []
        return self._end(*self._cut) if self._cut else self._sent(self._holding.leave(now))

    def finish(self, annotation: Annotation) -> list[T]:
        """Return the last items once the complete answer is judged."""
        if self.stopped:
            return []
        if annotation.state == "skipped":
            self._act(0, _UNCHECKED, (0, 0))
        results = annotation.choices or ([annotation.result] if annotation.result else [])
        found_late = any(not one.opened for result in results for one in result.thoughts)
        self._thought_left = found_late and self._policy.hold == "sentence"
        for result in results:
            starts = [one.start for one in result.sentences]
            for finding in result.findings:
                span = finding.start or 0, finding.end or 0
                if (at := bisect_right(starts, span[0]) - 1) >= 0:
                    span = result.sentences[at].start, max(result.sentences[at].end, span[1])
                self._act(result.choice, finding, span)
        if self._cut is not None:
            return self._end(*self._cut)
        self._holding.finish()
        return self._sent(self._holding.leave(0.0))

    def refuse(self) -> None:
        """Stop before an unreadable item, if the policy counts that as a violation."""
        self._act(0, _UNREAD, (0, 0))

    def stop_holding(self) -> None:
        """Stop holding, as too much is held; if that counts as a violation, stop the answer."""
        self.refuse()
        if self._cut is None:
            self._holding.let_go()

    def report(self) -> HoldReport:
        """Return how much of the text has left so far, and how."""
        acted = _ACTIONS.get(self._policy.on_violation, "none") if self._blocked else "none"
        left = tuple(one.report() for _, one in sorted(self._left.items()))
        mode = "answer" if self._policy.hold == "answer" else "sentence"
        blocked, early = tuple(self._blocked), self._holding.early
        return HoldReport(mode, acted, blocked, early, left, self._thought_left)  # type: ignore[arg-type]

    def _act(self, choice: int, finding: Finding, span: tuple[int, int]) -> None:
        """Mask or cut the text if the finding is blocked."""
        policy = self._policy
        failed = policy.hold_fails == "closed" and finding.flag in ("check_error", "limit_reached")
        if policy.on_violation == "annotate" or not (failed or is_blocked(finding, policy.block)):
            return
        blocked = BlockedSpan(choice, finding.flag, finding.check, finding.start, finding.end)
        at = 0 if policy.hold == "answer" or finding.start is None else span[0]
        if self._cut is not None and policy.hold == "sentence":
            # Behind the first cut nothing is told: how much more came is a matter of the pieces.
            self._holding.cut(choice, at)
            return
        if blocked in self._blocked:
            return
        self._blocked[blocked] = None
        if policy.on_violation == "mask" and not failed:
            self._mask(choice, finding, span)
            return
        if self._cut is None:
            self._cut = choice, finding
            self._holding.cut(choice, at)

    def _mask(self, choice: int, finding: Finding, span: tuple[int, int]) -> None:
        start, end = span if finding.start is None else (finding.start, finding.end or 0)
        placeholder = MASK
        if finding.flag in SENSITIVE:
            placeholder = _SECRET_MASK if finding.flag == "secret" else finding.value or MASK
        self._holding.mask(choice, start, end, placeholder)
        self._masked.setdefault((choice, *span), []).append((start, end, placeholder))
        self._is_stale = True

    def _masked_copies(self) -> list[tuple[str, str]]:
        """Return the masked sentences of all choices, original and masked."""
        if self._is_stale:  # once for all that a release masks: it reads the whole answer
            self._is_stale = False
            written = {one: scalar_text("".join(parts)) for one, parts in self._written.items()}
            self._removed = [
                (text[first:last], _masked(text, first, last, masks))
                for (its, first, last), masks in self._masked.items()
                if (text := written.get(its, ""))[first:last]
            ]
        return self._removed

    def _end(self, choice: int, finding: Finding) -> list[T]:
        """Return the held text that may still leave, and the items that end the answer."""
        self.stopped = True
        items = self._sent(self._holding.rest())
        text = self._replacement(finding) if self._policy.on_violation == "replace" else ""
        if text:
            self._left.setdefault(choice, _Left()).add(text)
        return [*items, *self.editor.end(text, choice)]

    def _replacement(self, finding: Finding) -> str:
        standard = self._policy.replacement_text or refusal_message()
        if self._replace_with is None:
            return standard
        try:
            text = self._replace_with(finding)
        except Exception as exc:
            self._on_error("replace_with", exc)
            return standard
        if isinstance(text, str):
            return text
        error = TypeError(f"replace_with gave a {type(text).__name__}, expected a str")
        self._on_error("replace_with", error)
        return standard

    def _sent(self, leaving: Sequence[Leaving[T]]) -> list[T]:
        """Return the items in their final form, and note their text."""
        sent: list[T] = []
        removed = self._masked_copies() if leaving else []
        for item, texts, changed in leaving:
            try:
                out = self.editor.rewrite(item, texts) if changed else item
                if removed:
                    out = self.editor.scrub(out, removed)
            except DecodeError as exc:
                self._on_error("hold", exc)
                continue
            for choice, text in texts.items():
                self._left.setdefault(choice, _Left()).add(text)
            self.editor.note(out)
            sent.append(out)
        return sent


def _masked(text: str, first: int, last: int, masks: Sequence[tuple[int, int, str]]) -> str:
    """Return the text at [first, last) with its masks; of overlapping ones the first counts."""
    parts, at = [], first
    for start, end, placeholder in sorted(masks):
        if start >= at:
            parts += [text[at:start], placeholder]
            at = end
    return "".join([*parts, text[at:last]])
