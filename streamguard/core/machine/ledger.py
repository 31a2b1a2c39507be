"""What an answer's checks found, and what went wrong with them: kept in order, within its caps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from streamguard.core.model.result import SentenceReport
from streamguard.core.model.types import (
    AnswerSpan,
    Finding,
    Nearest,
    Severity,
    about_answer,
    rewritten,
)
from streamguard.core.reading.roles import Kind
from streamguard.errors import StreamguardError
from streamguard.text.normalise import scalar_text
from streamguard.text.patterns import lazy_re

MAX_FINDINGS = 1_000  # SPEC 10
_SEVERITIES = get_args(Severity)
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
        # Of the caller's own functions: when they come depends on the cut, so they go last.
        self._reported: dict[tuple[str, str], str] = {}
        self.limits: dict[str, None] = {}  # what was more than a cap allows
        self._finished = False
        self.unread: str | None = None  # what of the answer nobody could read

    @property
    def errors(self) -> tuple[str, ...]:
        """One line each: `where: Type (words)`."""
        return tuple(self._errors.values())

    def keep(self, finding: object, end: int) -> None:
        """Keep what a check yielded, while there is room.

        Raises `TypeError` for what is no finding, and `ValueError` for one whose severity or span
        is not allowed: a span lies within the `end` characters read so far, or is None.
        """
        found = _checked(finding, end)
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(_mended(found))
        else:
            self.limit(f"more than {MAX_FINDINGS} findings")

    def trying(self, where: str, span: Span) -> _Trying:
        """Return what lists an error raised within a `with` as one of `where`, and goes on."""
        return _Trying(self, where, span)

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

        Words go with it where they are ours: clients read the result, and what an application's
        own code raises may name its addresses and keys. The shell logs those.
        """
        words = _words(error) if isinstance(error, StreamguardError) else ""
        self._reported.setdefault((where, type(error).__name__), words)

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


class _Trying:
    __slots__ = ("_ledger", "_span", "_where")

    def __init__(self, ledger: Ledger, where: str, span: Span) -> None:
        self._ledger, self._where, self._span = ledger, where, span

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, Exception):
            return False
        self._ledger.fail(self._where, error, self._span)
        return True


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
    """The findings of the open paragraph that the rest of it may still take back.

    A citation often stands once, at a paragraph's end, and covers what comes before it. So that a
    claim lacks one is known only when its paragraph is over.
    """

    def __init__(self) -> None:
        self.held: list[Held] = []
        self._kind: Kind = "prose"  # of its first sentence

    def ends_before(self, gap: str, kind: Kind) -> bool:
        """Say whether a sentence of `kind`, behind the white space `gap`, begins another.

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
        """Return what was held, and hold it no more."""
        held, self.held = self.held, []
        return held


def check_name(check: Callable[..., Any]) -> str:
    """Return what results call the check: its function's name, or its type's."""
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
    if finding.severity not in _SEVERITIES:
        raise ValueError(f"severity is {finding.severity!r}, expected info or warning")
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
