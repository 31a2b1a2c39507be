"""Keeps an answer's text, findings and errors, each within its cap."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from streamguard.core.model.result import SentenceReport, TextReport
from streamguard.core.model.types import (
    MAX_FINDINGS,
    AnswerSpan,
    Finding,
    Nearest,
    about_answer,
    rewritten,
)
from streamguard.core.packs.hiding import SENSITIVE, Hidden
from streamguard.core.reading.roles import Kind
from streamguard.errors import StreamguardError
from streamguard.text.normalise import astral_offsets, scalar_text
from streamguard.text.patterns import lazy_re

PROVISIONAL = frozenset({"uncited_claim"})  # flags of findings that wait for the paragraph's end
MAX_HELD = 20  # findings that one citation may take back; guess, more is no paragraph
_BLANK_LINE = lazy_re(r"\n[^\S\n]{0,200}\n")

Span = tuple[int, int] | tuple[None, None]
NO_SPAN: Span = (None, None)


class Ledger:
    """Findings, errors and limits of one answer.

    Errors are listed once per place and exception type: a check may fail on every sentence.
    """

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._errors: dict[tuple[str, str], str] = {}
        self._reported: dict[tuple[str, str], str] = {}  # the caller's own, which go last
        self.limits: dict[str, None] = {}  # the caps that were exceeded
        self._finished = False
        self.hidden = Hidden()
        self.unread: str | None = None  # describes the unreadable parts of the answer

    @property
    def errors(self) -> tuple[str, ...]:
        """One line each: `where: Type (words)`."""
        return tuple(self._errors.values())

    def keep(self, finding: object, end: int) -> None:
        """Keep a finding of a check, while there is room.

        Raises `TypeError` for anything but a finding, and `ValueError` for a severity or span that
        is not allowed: a span lies within the `end` characters read so far, or is None.
        """
        found = _checked(finding, end)
        if self.hidden and found.flag not in SENSITIVE:
            found = self.hidden.finding(found)
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(_mended(found))
        else:
            self.limit(f"more than {MAX_FINDINGS} findings")

    def fail(self, where: str, error: BaseException, span: Span) -> None:
        """List an error of a check, and that it leaves a gap; once for each kind."""
        self._list(where, type(error).__name__, _words(error), span)

    def _list(self, where: str, kind: str, words: str, span: Span) -> None:
        if (where, kind) in self._errors:
            return
        line = f"{where}: {kind} ({words})" if words else f"{where}: {kind}"
        self._errors[where, kind] = scalar_text(line)
        message = f"The check {where} failed ({kind}); what it would have found is unknown."
        at, end = span
        self.findings.append(Finding("check_error", where, "warning", at, end, None, None, message))

    def report(self, where: str, error: BaseException) -> None:
        """Note an error of the caller's own; `finish` lists it.

        Its message is listed only if it is ours: an application's may name addresses and keys.
        """
        words = _words(error) if isinstance(error, StreamguardError) else ""
        self._reported.setdefault((where, type(error).__name__), words)

    def forget(self) -> None:
        """Drop the findings and errors of checks so far; the caller's errors stay."""
        self.findings.clear()
        self._errors.clear()

    def limit(self, what: str) -> None:
        """Note that a cap was reached."""
        self.limits[what] = None

    def finish(self) -> None:
        """List the caller's errors, and a finding for each cap that was reached; once."""
        if self._finished:
            return
        self._finished = True
        for (where, kind), words in sorted(self._reported.items()):
            self._list(where, kind, words, NO_SPAN)
        for what in self.limits:
            message = f"Limit reached: {what}; the rest was relayed unchecked."
            self.findings.append(about_answer("limit_reached", "limits", message))


@dataclass(slots=True)
class Trying:
    """Lists an error raised within a `with` as one of `where`, and goes on."""

    ledger: Ledger
    where: str
    span: Span

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, Exception):
            self.ledger.fail(self.where, error, self.span)
            return True
        return False


@dataclass(frozen=True, slots=True)
class Held:
    """A finding that waits, the index of its sentence, and the id live annotations give it."""

    index: int
    id: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class Settled:
    """A sentence as it was when it settled: the same under every cut.

    `findings` are its own, the held ones last, with an id for each; `provisional` are the ids of
    the latter. `confirmed` and `retracted` are ids of earlier sentences' findings.
    """

    index: int
    sentence: SentenceReport
    findings: tuple[Finding, ...]
    finding_ids: tuple[str, ...]
    provisional: tuple[str, ...]
    confirmed: tuple[str, ...]
    retracted: tuple[str, ...]


class Paragraph:
    """The findings of the open paragraph that a citation at its end may still take back."""

    def __init__(self) -> None:
        self.held: list[Held] = []
        self._kind: Kind = "prose"  # of its first sentence

    def ends_before(self, gap: str, kind: Kind) -> bool:
        """Return whether a sentence of `kind`, behind the white space `gap`, begins another.

        A blank line ends a paragraph, a heading, item or row begins one, and a line behind an
        item or row belongs to it no more. So does what follows `MAX_HELD` findings.
        """
        if kind == "prose":
            broken = "\n" in gap
            over = broken and (self._kind != "prose" or _BLANK_LINE.search(gap) is not None)
            if not over and len(self.held) < MAX_HELD:
                return False
        self._kind = kind
        return True

    def released(self) -> list[Held]:
        """Return the held findings, and hold them no more."""
        held, self.held = self.held, []
        return held


def check_name(check: Callable[..., Any]) -> str:
    """Return the name of the check in results: its function's, or its type's."""
    try:
        name = getattr(check, "__name__", None)
    except Exception:  # an application's object may answer with anything
        name = None
    return name if isinstance(name, str) else type(check).__name__


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an application's exception may not even have words
        return ""


def _checked(finding: object, end: int) -> Finding:
    if not isinstance(finding, Finding):
        raise TypeError(f"yielded a {type(finding).__name__}, expected a Finding")
    if not all(isinstance(text, str) for text in (finding.flag, finding.check)):
        raise TypeError("a Finding's flag and check must be str")
    if not all(isinstance(text, str | None) for text in (finding.value, finding.message)):
        raise TypeError("a Finding's value and message must be str or None")
    if finding.severity not in ("info", "warning"):
        raise ValueError(f"severity is {finding.severity!r}, expected info or warning")
    if finding.effect not in (None, "none", "warn", "refuse"):
        raise ValueError(f"effect is {finding.effect!r}, expected none, warn, refuse or None")
    if (finding.start, finding.end) != NO_SPAN and not _spans(finding.start, finding.end, end):
        raise ValueError(f"span is {finding.start!r} to {finding.end!r}, expected 0 to {end}")
    nearest, against = finding.nearest, finding.against
    is_named = nearest is None or isinstance(getattr(nearest, "chunk_id", None), str)
    if not (is_named and _is_place(nearest, Nearest, float("inf"))):
        raise ValueError(f"nearest is {nearest!r}, expected a Nearest with its span")
    if not _is_place(against, AnswerSpan, end):
        raise ValueError(f"against is {against!r}, expected an AnswerSpan, 0 to {end}")
    return finding


def _spans(start: object, end: object, limit: float) -> bool:
    return isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= limit


def _is_place(place: object, kind: type[Nearest | AnswerSpan], limit: float) -> bool:
    return place is None or (
        isinstance(place, kind)
        and isinstance(place.value, str | None)
        and _spans(place.start, place.end, limit)
    )


def _mended(finding: Finding) -> Finding:
    """Return a finding with every string fit for UTF-8: an application's check may not care."""

    def scalars(part: Any) -> dict[str, str]:
        texts = [(name, getattr(part, name)) for name in part.__dataclass_fields__]
        return {name: scalar_text(text) for name, text in texts if isinstance(text, str)}

    return rewritten(finding, scalars)


_LEAST_CUT = 1_000  # characters of settled text that are kept open, and measured at once; guess


class Transcript:
    """Keeps up to `max_chars` characters of the answer; later ones are only counted.

    Pieces wait unjoined until a sentence is taken out, so that a piece costs one append.
    """

    def __init__(self, max_chars: int) -> None:
        self._room = max_chars
        self._arrived: list[str] = []  # pieces since the last look at the open text
        self._open = ""  # text from `_open_at` on, which is not behind the last settled sentence
        self._open_at = 0
        self._settled = 0  # the end of the last settled sentence
        self._done: list[str] = []
        self._again_at = 0  # the end of the sentence that was taken out again last
        self._measured = 0  # how far digest and sizes have come
        self._digest = hashlib.sha256()
        self._utf8_bytes = 0
        self.chars = 0
        self.overflowed = False
        self._surrogates = 0  # UTF-16 units more than code points
        self.astral: list[int] = []  # offsets of characters above U+FFFF in the kept text

    def add(self, text: str) -> str:
        """Take the next piece of scalar text; return as much of it as is kept."""
        before = self.chars
        self.chars = chars = before + len(text)
        if chars <= self._room:
            self._arrived.append(text)
            return text
        room = self._room - before
        kept, beyond = text[: max(0, room)], text[max(0, room) :]
        self._arrived.append(kept)
        self.overflowed = True
        self._measure_to(self._open_at + len(self._joined()))
        self._measure(beyond)
        return kept

    def settle(self, start: int, end: int) -> tuple[str, str]:
        """Store the text before `end`; return the text before `start`, and from `start` on.

        Stored sentences may be taken out again, from the first one on.
        """
        if end <= self._settled:
            return self._again(start, end)
        text, at = self._joined(), self._open_at
        parts = text[self._settled - at : start - at], text[start - at : end - at]
        self._done += parts
        self._settled = end
        # Not for every sentence: of many that would be quadratic.
        if end - at > max(_LEAST_CUT, len(text) // 2):
            self._measure_to(end)
            self._open, self._open_at = text[end - at :], end
        return parts

    def _again(self, start: int, end: int) -> tuple[str, str]:
        self._done[:] = ["".join(self._done)]
        before = 0 if start < self._again_at else self._again_at
        self._again_at = end
        return self._done[0][before:start], self._done[0][start:end]

    def whole(self) -> str:
        """Return everything that was kept."""
        return "".join((*self._done, self._joined()[self._settled - self._open_at :]))

    def report(self) -> TextReport:
        """Return sizes and digest of the whole text, the part that was not kept included."""
        self._measure_to(self._open_at + len(self._joined()))
        return TextReport(
            self._digest.hexdigest(), self.chars, self._utf8_bytes, self.chars + self._surrogates
        )

    def _joined(self) -> str:
        if self._arrived:
            self._open = "".join((self._open, *self._arrived))
            self._arrived.clear()
        return self._open

    def _measure_to(self, end: int) -> None:
        if end > self._measured:
            joined = self._joined()
            self._measure(joined[self._measured - self._open_at : end - self._open_at])

    def _measure(self, text: str) -> None:
        data = text.encode()
        self._digest.update(data)
        self._utf8_bytes += len(data)
        if len(data) != len(text):
            at, room = self._measured, self._room
            places = [at + offset for offset in astral_offsets(text)]
            self._surrogates += len(places)
            self.astral.extend(place for place in places if place < room)
        self._measured += len(text)
