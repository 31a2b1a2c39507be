"""Feedback on kept answers, as labels, and a sample of it that represents all answers."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from streamguard.core.model.result import GuardrailsResult
from streamguard.errors import ConfigError
from streamguard.evaluation.labelled import Judged, Labelled

# Of an answer as a whole: whether something in it is wrong. What a refusal should have been says
# nothing about what an answer claims.
_WRONG = {"up": False, "was_supported": False, "down": True}
# A kind of answers rarer than this may be missing among the marked ones: it could take less than a
# point of the budget.
RARE = 0.01


@dataclass(frozen=True, slots=True)
class Marked:
    """A kept answer and its feedback: label and sentence (None: the answer), oldest first.

    `question` is the key of its question, empty if that is not kept.
    """

    id: str
    result: GuardrailsResult
    marks: Sequence[tuple[str, int | None]]
    collection: str = ""
    question: str = ""

    @property
    def is_flagged(self) -> bool:
        """Whether people were warned of it."""
        return self.result.status != "PASS"

    def judged(self) -> Judged:
        """Return it with its labels; of several marks on one thing the last one counts.

        A sentence that is wrong makes the answer wrong.
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
    """Judged answers that stand for all: as many of them were warned of as of all answers.

    `marked`: answers that people said something about as a whole, from which they were taken.
    """

    judged: Sequence[Judged]
    marked: int

    @property
    def clean(self) -> Sequence[Judged]:
        """Those that people called right."""
        return [one for one in self.judged if one.row.hallucinated is False]

    @property
    def questions(self) -> int:
        """To how many questions people called an answer right."""
        return len({one.row.group for one in self.clean})


def representative(marked: Iterable[Marked], answers: Mapping[str, int]) -> MarkedSample:
    """Return a sample of the marked answers in the proportion in which answers are warned of.

    People say more of answers that were warned of: taken as they come, these would count more than
    they are, and every threshold would be too low. `answers` are counts of all answers by status.
    The ones to leave out are drawn by their ids. Raises `ConfigError` if a kind of answers
    that is not rare has no mark.
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
    """How many marked findings of a check people called wrong indeed, and right after all."""

    wrong: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """A check's false and right alarms on marked sentences and answers, now and after a change."""

    check: str
    before: Agreement = field(default_factory=Agreement)
    after: Agreement = field(default_factory=Agreement)


def changes(judged: Iterable[Judged], stays: Mapping[str, Mapping[str, float]]) -> list[Change]:
    """Return, by check, its warnings before and after a change, on sentences with feedback.

    `stays` names the checks that a setting decides: `below`, the support under which a sentence
    still gets its warning, or `from`, the doubt from which on. Further warnings of a new threshold
    are unknown here: it can only warn of less.
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
                support, doubt = sentence.support, sentence.doubt
                gone = "below" in rule and support is not None and support >= rule["below"]
                gone |= "from" in rule and doubt is not None and doubt < rule["from"]
                if not gone:
                    _count(change.after, bad)
    return sorted(found.values(), key=lambda it: (-it.before.right - it.before.wrong, it.check))


def _count(agreement: Agreement, bad: bool) -> None:
    if bad:
        agreement.wrong += 1
    else:
        agreement.right += 1
