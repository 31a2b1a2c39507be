"""Keeps sensitive matches out of everything that is said about an answer."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from dataclasses import replace
from operator import itemgetter

from streamguard.core.model.result import GuardrailsResult
from streamguard.core.model.types import Finding, Plain, Value, rewritten
from streamguard.text.patterns import lazy_re

SENSITIVE = frozenset(["secret", "personal_data"])  # flags
MAX_SPANS = 10_000  # of one answer, which other findings may be a part of; guess
MAX_HIDDEN = 200  # different matches of one answer that are looked for in texts; guess
ALL_HIDDEN = "[HIDDEN]"  # beyond them every text of more than a few characters is hidden
_FEW = 3
_QUOTED = lazy_re(r"“([^”]+)”")
_OURS = frozenset(["flag", "check", "severity", "effect", "kind"])  # words of ours, no texts


class Hidden:
    """The sensitive matches of one answer, and the placeholders that stand for them."""

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}
        self._spans: list[tuple[int, int, str]] = []  # in their order
        self._is_full = False

    def __bool__(self) -> bool:
        """Whether there is anything to hide."""
        return bool(self._shown)

    def note(self, finding: Finding, text: str) -> None:
        """Remember the match of a sensitive finding; `text` is the answer's, at its span."""
        if finding.start is None or finding.end is None or not text:
            return
        shown = finding.value or ALL_HIDDEN
        if len(self._shown) < MAX_HIDDEN and len(self._spans) < MAX_SPANS:
            self._shown[text] = shown
            insort(self._spans, (finding.start, finding.end, shown))
        else:
            self._is_full = True

    def text(self, text: str) -> str:
        """Return `text` with a placeholder for each sensitive match in it."""
        if self._is_full and len(text) > _FEW:
            return ALL_HIDDEN
        for match, shown in self._shown.items():
            if match in text:
                text = text.replace(match, shown)
        return text

    def finding(self, finding: Finding) -> Finding:
        """Return another check's finding without the match, also where it is about a part of it."""
        if finding.start is not None and finding.value is not None:
            behind = bisect_right(self._spans, finding.start, key=itemgetter(0))
            # Two packs may have found something in one place, one in the other.
            for _, end, shown in self._spans[max(0, behind - 2) : behind]:
                if finding.start < end:
                    message = finding.message and finding.message.replace(finding.value, shown)
                    finding = replace(finding, value=shown, message=message)
                    break
        return self._without(finding)

    def reasons(self, reasons: tuple[str, ...]) -> tuple[str, ...]:
        """Return reasons that quote no word of a match: such a word is “[HIDDEN]” in them."""
        return tuple([_QUOTED.sub(self._quoted, reason) for reason in reasons])

    def _quoted(self, quoted: re.Match[str]) -> str:
        word = quoted[1].casefold()
        hidden = self._is_full or any(word in match.casefold() for match in self._shown)
        return f"“{ALL_HIDDEN}”" if hidden else quoted[0]

    def result(self, result: GuardrailsResult) -> GuardrailsResult:
        """Return the result with a placeholder for each sensitive match in any of its texts."""
        return result.model_copy(
            update={
                "findings": tuple(
                    one if one.flag in SENSITIVE else self._without(one) for one in result.findings
                ),
                "sentences": tuple(map(self._without, result.sentences)),
                "uncovered_claims": tuple(
                    claim and self.text(claim) for claim in result.uncovered_claims
                ),
            }
        )

    def _without(self, value: Value) -> Value:
        return rewritten(value, self._texts)

    def _texts(self, part: Plain) -> dict[str, str]:
        names = part.__dataclass_fields__.keys() - _OURS  # type: ignore[attr-defined]
        named = {name: getattr(part, name) for name in names}
        texts = {name: text for name, text in named.items() if isinstance(text, str)}
        return {name: hidden for name, text in texts.items() if (hidden := self.text(text)) != text}
