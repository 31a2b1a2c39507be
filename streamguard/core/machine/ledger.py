"""What an answer's checks found, and what went wrong with them: kept in order, within its caps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

from streamguard.core.model.types import AnswerSpan, Finding, Nearest, Severity
from streamguard.errors import StreamguardError
from streamguard.text.normalise import scalar_text

MAX_FINDINGS = 1_000  # SPEC 10
_SEVERITIES = get_args(Severity)

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
        self._limits: dict[str, None] = {}
        self._finished = False
        self.unread: str | None = None  # what of the answer nobody could read

    @property
    def errors(self) -> tuple[str, ...]:
        """One line each: `where: Type (words)`."""
        return tuple(self._errors.values())

    @property
    def limits(self) -> tuple[str, ...]:
        """What was more than a cap allows."""
        return tuple(self._limits)

    def keep(self, finding: object, end: int) -> None:
        """Keep what a check yielded, while there is room.

        Raises `TypeError` for what is no finding, and `ValueError` for one whose severity or span
        is not allowed: a span lies within the `end` characters read so far, or is None.
        """
        found = _checked(finding, end)
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(_scalar(found))
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
        start, end = span
        message = f"The check {where} failed ({kind}); what it would have found is unknown."
        self.findings.append(
            Finding("check_error", where, "warning", start, end, None, None, message)
        )

    def report(self, where: str, error: BaseException) -> None:
        """Note an error of the caller's own; `finish` lists it.

        Words go with it where they are ours: clients read the result, and what an application's
        own code raises may name its addresses and keys. The shell logs those.
        """
        words = _words(error) if isinstance(error, StreamguardError) else ""
        self._reported.setdefault((where, type(error).__name__), words)

    def limit(self, what: str) -> None:
        """Note that a cap was reached."""
        self._limits[what] = None

    def finish(self) -> None:
        """List the caller's errors, and a finding for each cap that was reached; once."""
        if self._finished:
            return
        self._finished = True
        for (where, kind), words in sorted(self._reported.items()):
            self._list(where, kind, words, NO_SPAN)
        for what in self._limits:
            message = f"Limit reached: {what}; the rest was relayed unchecked."
            self.findings.append(
                Finding("limit_reached", "limits", "warning", None, None, None, None, message)
            )


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
    if not all(text is None or isinstance(text, str) for text in (finding.value, finding.message)):
        raise TypeError("a Finding's value and message must be str or None")
    if finding.severity not in _SEVERITIES:
        allowed = " or ".join(_SEVERITIES)
        raise ValueError(f"severity is {finding.severity!r}, expected {allowed}")
    if (finding.start, finding.end) != NO_SPAN and not _spans(finding.start, finding.end, end):
        raise ValueError(f"span is {finding.start!r} to {finding.end!r}, expected 0 to {end}")
    if finding.nearest is not None and not _is_nearest(finding.nearest):
        raise ValueError(f"nearest is {finding.nearest!r}, expected a Nearest with its span")
    if finding.against is not None and not _is_against(finding.against, end):
        raise ValueError(f"against is {finding.against!r}, expected an AnswerSpan, 0 to {end}")
    return finding


def _spans(start: object, end: object, limit: float) -> bool:
    return isinstance(start, int) and isinstance(end, int) and 0 <= start <= end <= limit


def _is_nearest(nearest: object) -> bool:
    return (
        isinstance(nearest, Nearest)
        and isinstance(nearest.chunk_id, str)
        and (nearest.value is None or isinstance(nearest.value, str))
        and _spans(nearest.start, nearest.end, float("inf"))
    )


def _is_against(against: object, end: int) -> bool:
    return (
        isinstance(against, AnswerSpan)
        and (against.value is None or isinstance(against.value, str))
        and _spans(against.start, against.end, end)
    )


def _scalar(finding: Finding) -> Finding:
    """Return the finding with every string fit for UTF-8; an application's check may not care."""
    nearest, against = finding.nearest, finding.against
    texts = (finding.flag, finding.check, finding.value, finding.message)
    quoted: tuple[str | None, ...] = (nearest.value, nearest.chunk_id) if nearest else ()
    if against is not None:
        quoted = (*quoted, against.value)
    if all(text is None or text.isascii() for text in (*texts, *quoted)):
        return finding
    if nearest is not None:
        words = None if nearest.value is None else scalar_text(nearest.value)
        nearest = replace(nearest, value=words, chunk_id=scalar_text(nearest.chunk_id))
    if against is not None and against.value is not None:
        against = replace(against, value=scalar_text(against.value))
    return replace(
        finding,
        against=against,
        flag=scalar_text(finding.flag),
        check=scalar_text(finding.check),
        value=None if finding.value is None else scalar_text(finding.value),
        message=None if finding.message is None else scalar_text(finding.message),
        nearest=nearest,
    )
