"""Feedback on stored answers as labels, and a representative sample of it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from streamguard.core.model.result import GuardrailsResult
from streamguard.errors import ConfigError
from streamguard.evaluation.labels import Judged, Labelled

# Labels of an answer as a whole: whether something in it is wrong. `refusal_wrong` is none of them,
# since it is not about the claims of an answer.
_WRONG = {"up": False, "was_supported": False, "down": True}
# A kind of answers rarer than this may be missing among the marked ones: it could take less than a
# point of the budget.
RARE = 0.01


@dataclass(frozen=True, slots=True)
class Marked:
    """A stored answer and its feedback: (label, sentence), oldest first.

    The sentence is None for a mark on the answer. `question` is the key of its question, empty if
    not stored.
    """

    id: str
    result: GuardrailsResult
    marks: Sequence[tuple[str, int | None]]
    collection: str = ""
    question: str = ""

    @property
    def is_flagged(self) -> bool:
        """Whether it had a warning."""
        return self.result.status != "PASS"

    def judged(self) -> Judged:
        """Return it with its labels; the last mark on an answer or sentence counts.

        A wrong sentence makes the answer wrong.
        """
        answer: bool | None = None
        sentences: dict[int, bool] = {}
        for label, on in self.marks:
            wrong = _WRONG.get(label)
            if wrong is None:
                continue
            if on is None:
                answer = wrong
            elif on < len(self.result.sentences):
                sentences[on] = wrong
        if any(sentences.values()):
            answer = True
        group = self.question or self.id
        row = Labelled("", None, answer, sentences=sentences, group=group, result=self.result)
        return Judged(row, self.result)


@dataclass(frozen=True, slots=True)
class MarkedSample:
    """Judged answers that represent all: the same share has warnings.

    `marked`: the number of marked answers from which they were drawn.
    """

    judged: Sequence[Judged]
    marked: int

    @property
    def clean(self) -> Sequence[Judged]:
        """The answers that people called right."""
        return [one for one in self.judged if one.row.hallucinated is False]

    @property
    def questions(self) -> int:
        """The number of questions with an answer that people called right."""
        return len({one.row.group for one in self.clean})


def representative(marked: Iterable[Marked], answers: Mapping[str, int]) -> MarkedSample:
    """Return a sample of the marked answers with the same share of warnings as all answers.

    People mark answers with warnings more often; unsampled, these would weigh too much and every
    threshold would be too low. `answers` counts all answers by status. The answers to leave out are
    drawn by their ids. Raises `ConfigError` if a status that is not rare has no marks.
    """
    kinds: dict[bool, list[tuple[str, Judged]]] = {False: [], True: []}
    for one in marked:
        judged = one.judged()
        if judged.row.hallucinated is not None and one.result.status is not None:
            kinds[one.is_flagged].append((one.id, judged))
    checked = {status: count for status, count in answers.items() if status != "none"}
    total = sum(checked.values())
    passed = checked.get("PASS", 0)
    shares = {False: passed / max(1, total), True: (total - passed) / max(1, total)}
    most = float("inf")
    for is_flagged, share in shares.items():
        if share > RARE:
            if not kinds[is_flagged]:
                what = "with a warning" if is_flagged else "without a warning"
                raise ConfigError(
                    f"no answer {what} has been marked as right or wrong, and {share:.0%} of all"
                    " answers are such: marks of both kinds are needed"
                )
            most = min(most, len(kinds[is_flagged]) / share)
    taken: list[Judged] = []
    for is_flagged, found in kinds.items():
        drawn = sorted(
            found, key=lambda it: hashlib.sha256(it[0].encode(errors="surrogatepass")).digest()
        )
        number = len(drawn) if most == float("inf") else round(most * shares[is_flagged])
        taken += [judged for _, judged in drawn[:number]]
    return MarkedSample(taken, sum(map(len, kinds.values())))


@dataclass(slots=True)
class Agreement:
    """How many marked findings of a check people called wrong, and how many right."""

    wrong: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """A check's false and true alarms on marked sentences and answers, before and after."""

    check: str
    before: Agreement = field(default_factory=Agreement)
    after: Agreement = field(default_factory=Agreement)


def changes(judged: Iterable[Judged], stays: Mapping[str, Mapping[str, float]]) -> list[Change]:
    """Return, per check, its warnings before and after a change, on sentences with feedback.

    `stays` maps a check to the limit under which its warning stays: `below` (support) or `from`
    (doubt). Further warnings of a looser threshold are unknown here: it can only remove some.
    """
    found: dict[str, Change] = {}
    for one in judged:
        for number, sentence in enumerate(one.result.sentences):
            bad = one.is_bad(number)
            if bad is None:
                continue
            checks = Counter(
                one.result.findings[at].check
                for at in sentence.findings
                if one.result.findings[at].severity == "warning"
            )
            for check in checks:
                change = found.setdefault(check, Change(check))
                _count(change.before, bad)
                rule = stays.get(check, {})
                support, risk = sentence.support, sentence.doubt
                gone = "below" in rule and support is not None and support >= rule["below"]
                gone |= "from" in rule and risk is not None and risk < rule["from"]
                if not gone:
                    _count(change.after, bad)
    return sorted(found.values(), key=lambda it: (-it.before.right - it.before.wrong, it.check))


def _count(agreement: Agreement, bad: bool) -> None:
    if bad:
        agreement.wrong += 1
    else:
        agreement.right += 1
