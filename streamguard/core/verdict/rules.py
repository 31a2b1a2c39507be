"""The coverage status of an answer: the rules that hold, with their figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from streamguard.core.model.finding_texts import too_few_citations
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Reason, RefusalReport, Status
from streamguard.core.model.types import Effect, Word
from streamguard.core.verdict.claimed import WRONG, ClaimVerdict, Mark, is_supported
from streamguard.text.patterns import lazy_re
from streamguard.text.words import counted

# The status that a finding's own effect demands, and the statuses that are as grave.
_EFFECTS: tuple[tuple[Effect, Status, tuple[Status, ...]], ...] = (
    ("refuse", "REFUSE", ("REFUSE",)),
    ("warn", "WARN", ("WARN", "REFUSE")),
)
# The rules that make an answer REFUSE, and those that make it WARN; the others leave it PASS.
_REFUSING, _WARNING = frozenset("123"), frozenset("45")
# Rule 5: the mark of a claim, which is the reason's code too, and the words of the reason. The
# first two are the published ones.
_MARKED: tuple[tuple[Mark, str], ...] = (
    ("contradicted_claim", "The passages contradict {}."),
    ("unsupported_money", "In {} an amount of money is in no passage."),
    ("unsupported_detail", "In {} a value, name or citation does not fit the passages."),
    ("unsupported_claim", "As verifiers read the passages, they do not support {}."),
)
# The same of claims that a judge read, behind its name.
_JUDGED: dict[Mark, tuple[Word, str]] = {
    "contradicted_claim": ("contradicted", "reads a contradiction with the passages in {}"),
    "unsupported_claim": ("not_mentioned", "does not find {} in the passages"),
}
_MODEL = lazy_re(r"judge (.+?)(?: v\d+)?")
_NEEDLESS = "The answer declines, though a passage speaks of what was asked and has a value for it."


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that the rules use of one answer.

    `groundedness` in [0, 1] is that of the claims that no judge read, None if none is scored.
    `judges` name those whose words count in this answer, whether or not they came; `unheeded` who
    reads a contradiction and may not decide.
    """

    has_text: bool
    context_given: bool
    claims: tuple[ClaimVerdict, ...]
    citations: int
    citations_requested: bool
    complete: bool
    errors: int
    limited: bool
    groundedness: float | None = None
    chars: int = 0  # of the claims
    unknown_sources: int = 0  # of the caller's own list
    unread: str | None = None  # what passed and could not be read, in words
    uncertain: str | None = None  # why it cannot be told which passages are the application's
    judges: tuple[str, ...] = ()
    judged_chars: int = 0  # of the claims that a judge read
    judged_groundedness: float | None = None  # of all claims, where a judge read some
    unheeded: tuple[str, ...] = ()
    effects: Mapping[Effect, int] = field(default_factory=dict)  # findings that name one
    has_code: bool = False
    stopped: bool = False  # by the policy, which held it back
    is_needless: bool = False  # it declines what the passages answer
    # Sentences with text that was not read, by what seems to stand there.
    unread_values: Mapping[str, int] = field(default_factory=dict)
    unread_marks: Mapping[str, int] = field(default_factory=dict)
    declined: str = ""  # names the passage that answers what the answer declines
    weakest: str = ""  # names the claim that the passages support least
    unknown_source: str = ""  # the message on the first citation that names no passage
    own_check: str = ""  # the message of the first finding that names an effect

    def of(self, number: int) -> str:
        """Return "2 of 3 claims"."""
        total = len(self.claims)
        return f"{number} of {total} claims" if total > 1 else "the only claim"

    def marked(self, *marks: Mark) -> int:
        """Return how many claims have one of these marks."""
        found = 0
        for claim in self.claims:
            found += not claim.marks.isdisjoint(marks)
        return found

    def first_message(self, *names: str) -> str:
        """Return the message of the first claim that has one of these marks or checks, or ""."""
        for claim in self.claims:
            for name in names:
                if message := claim.messages.get(name):
                    return message
        return ""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages for which claims were not judged in full, in order of appearance."""
        return tuple(dict.fromkeys(one.language for one in self.claims if one.language))

    def judged(self, word: Word | None) -> list[ClaimVerdict]:
        """Return the claims with this verdict of the judge; for None, those without one."""
        return [claim for claim in self.claims if claim.judged == word]


def coverage_status(facts: Facts, policy: Policy) -> tuple[Status | None, tuple[Reason, ...]]:
    """Return the status and its reasons: the rule that held, then what raised a PASS to WARN.

    If something could not be read there is no PASS: the status is None, or that of the other text.
    A finding whose check names an effect comes first: no other rule can lower it.
    """
    status, reasons = _by_rules(facts, policy)
    for effect, least, ranks in _EFFECTS:
        if count := facts.effects.get(effect, 0):
            plain = f"The application's own checks say so: {counted(count, 'finding')}."
            own = _reason("own_check", "own", plain, count, 0, quoting=facts.own_check)
            return (status if status in ranks else least), (own, *reasons)
    return status, reasons


def _by_rules(facts: Facts, policy: Policy) -> tuple[Status | None, tuple[Reason, ...]]:
    status, reasons = _ruled(facts, policy)
    raised, reasons = tuple(_raised(facts)), (*reasons, *_of_judges(facts))
    text_reasons = tuple(_unread_text(facts))
    if facts.unread is not None:
        message = f"Not all of the answer could be read, so it was not judged: {facts.unread}."
        unread = _reason("unread", "a", message)
        if status in ("WARN", "REFUSE"):
            return status, (*reasons, unread, *raised)
        return None, (unread, *raised)
    if facts.languages and status is not None:
        found = sum(claim.language is not None for claim in facts.claims)
        message = (
            f"Of {facts.of(found)} only values, identifiers, citations and quotations were"
            f" compared: other checks take English ({', '.join(facts.languages)} here)."
        )
        other = _reason("language", "a", message, found, 0)
        if status in ("WARN", "REFUSE"):
            return status, (*reasons, other, *text_reasons, *raised)
        return None, (other, *text_reasons, *raised)
    if status == "PASS" and facts.unread_values and policy.matching != "literal":
        return None, (*text_reasons, *raised)
    if status == "PASS" and raised:
        return "WARN", (*raised, *reasons, *text_reasons)
    return status, (*reasons, *text_reasons, *raised)


def _unread_text(facts: Facts) -> Iterator[Reason]:
    """Yield the reason that the status rests on text that was not read, if it does."""
    if not (facts.unread_values or facts.unread_marks):
        return
    kinds = Counter(facts.unread_values) + Counter(facts.unread_marks)
    if kinds and facts.context_given:
        counts = ", ".join(
            f"{kind} in {counted(n, 'sentence')}" for kind, n in sorted(kinds.items())
        )
        message = f"Not all text was read ({counts}): see sentences[].unread_text."
        yield _reason("unread_text", "a", message, sum(kinds.values()), 0)


def _ruled(facts: Facts, policy: Policy) -> tuple[Status | None, tuple[Reason, ...]]:
    if not facts.has_text:
        return None, (_reason("nothing_to_check", "a", "The answer holds no text to check."),)
    if not facts.context_given and facts.uncertain is not None:
        return None, (_reason("context_uncertain", "b", facts.uncertain),)
    if not facts.context_given:
        message = "No passages were given, so the answer was not judged against any."
        return None, (_reason("no_context_given", "b", message),)
    if facts.is_needless:
        return "WARN", (_reason("over_refusal", "c", _NEEDLESS, quoting=facts.declined),)
    if not facts.claims and facts.has_code:
        message = "Beside its code, which is not read, the answer makes no claim to check."
        return None, (_reason("nothing_to_check", "a", message),)
    if not facts.claims:
        return "PASS", (_reason("no_claims", "c", "The answer makes no claim to check."),)
    if policy.matching == "literal":  # as published: the first that holds
        reasons = [next(_published(facts, policy))]
    else:
        reasons = _learned(facts, policy)
    held = {reason.rule for reason in reasons}
    status: Status = "PASS" if held.isdisjoint(_WARNING) else "WARN"
    return status if held.isdisjoint(_REFUSING) else "REFUSE", tuple(reasons)


def _learned(facts: Facts, policy: Policy) -> list[Reason]:
    """Return the rules that hold, the gravest first; what citations lack comes last.

    An answer with no finding against it and no supported claim gets a reason that says so.
    """
    reasons = [*_refused(facts, policy), *_marked(facts, _MARKED), *_warned(facts, policy)]
    if policy.warn_of_few_citations:
        reasons += [*_uncited(facts, policy)] or [*_sparse(facts, policy)]
    if reasons := reasons or [*_unfound(facts, policy)]:
        return reasons
    grounded = facts.judged_groundedness
    grounded = facts.groundedness if grounded is None else grounded
    return [_reason("supported", "6", _nothing_wrong(facts), grounded)]


def _nothing_wrong(facts: Facts) -> str:
    """Return why an answer passes: its judges, and scorers whose findings do not count."""
    read, unsure = len(facts.judged("supported")), len(facts.judged("not_mentioned"))
    who, found = in_words(facts.judges), []
    if read:
        found.append(f"{who} reads {facts.of(read)} as supported by the passages")
    if unsure:
        found.append(f"{who if not read else 'it'} is not sure of {facts.of(unsure)}")
    if found:
        sentence = ", and ".join(found)
        return f"{sentence}." if read == len(facts.claims) else f"{sentence}; nothing found counts."
    if facts.unheeded:
        names = ", ".join(facts.unheeded)
        return f"Nothing was found that counts; {names} may not decide, but reads a contradiction."
    return "Nothing was found in the answer that speaks against the passages."


def _refused(facts: Facts, policy: Policy) -> Iterator[Reason]:
    claims, total = facts.claims, len(facts.claims)
    if not any(claim.has_evidence for claim in claims):
        message = "No passage has a word in common with what the answer claims."
        if any(claim.cites for claim in claims):
            message = "The answer cites no passage that has a word in common with its claims."
        yield _reason("no_mapping", "2", message, 0, 1)
    if (wrong := facts.marked(*WRONG)) == total and not facts.languages:
        plain = "Every claim of the answer is unsupported or contradicted."
        quoting = _of_claims(facts, wrong, facts.first_message(*WRONG))
        yield _reason("all_wrong", "2", plain, wrong, total, quoting)
    grounded, least = facts.groundedness, policy.min_groundedness
    # Right computations look unsupported by their words, so derived claims do not count here. For
    # a claim that a judge read, its words do not count at all.
    worded = sum(
        "derived" not in claim.marks and claim.language is None for claim in facts.judged(None)
    )
    is_short = policy.is_short(worded, facts.chars - facts.judged_chars)
    if not is_short and grounded is not None and grounded < least:
        plain = (
            f"The chance that the passages support all of the answer is put at {_cut(grounded)};"
            f" it should be at least {least:g}."
        )
        quoting = facts.weakest and f"{plain} {facts.weakest}"
        yield _reason("low_groundedness", "3", plain, grounded, least, quoting)


def _marked(facts: Facts, marks: Sequence[tuple[Mark, str]]) -> Iterator[Reason]:
    for mark, message in marks:
        if found := facts.marked(mark):
            plain = _reason_text(facts, mark, message, found)
            quoting = _of_claims(facts, found, facts.first_message(mark))
            yield _reason(mark, "5", plain, found, 0, quoting)


def _reason_text(facts: Facts, mark: Mark, message: str, found: int) -> str:
    """Return a reason's text; a reason that only a judge read names the judge."""
    word, words = _JUDGED.get(mark, (None, ""))
    read = sum(mark in claim.marks for claim in facts.judged(word)) if word else 0
    if read < found:
        return message.format(facts.of(found))
    return f"{in_words(facts.judges)} {words.format(facts.of(found))}."


def _warned(facts: Facts, policy: Policy) -> Iterator[Reason]:
    if unknown := facts.unknown_sources:
        message = f"Citations that name no retrieved passage: {unknown}."
        yield _reason("unknown_source", "5", message, unknown, 0, facts.unknown_source)
    doubtful, is_short = facts.marked("doubtful"), policy.is_short(len(facts.claims), facts.chars)
    if doubtful and (is_short or facts.marked("unlikely")):
        quoting = _of_claims(facts, doubtful, facts.first_message("unlikely", "doubtful"))
        plain = f"The passages may differ from {facts.of(doubtful)}."
        yield _reason("doubtful_claim", "5", plain, doubtful, 0, quoting)


def _unfound(facts: Facts, policy: Policy) -> Iterator[Reason]:
    if not any(is_supported(claim, policy) for claim in facts.claims) and not facts.languages:
        message = "No claim of the answer was found in the passages."
        unsure = len(facts.judged("not_mentioned"))
        if unsure == len(facts.claims):
            message = f"{in_words(facts.judges)} is not sure of {facts.of(unsure)}."
        yield _reason("unsupported", "5", message, 0, 1, facts.first_message("unsupported_claim"))


def _published(facts: Facts, policy: Policy) -> Iterator[Reason]:
    """Yield the published rules that hold, in their order: they go by the words' coverage."""
    yield from _uncited(facts, policy)
    claims, total = facts.claims, len(facts.claims)
    shares = [claim.share for claim in claims]
    held = "The cited passages hold a share of"
    best, least = max(shares), policy.min_similarity_for_any_mapping
    if best < least:
        message = f"{held} {_cut(best)} of the best claim; at least {least:g} is needed."
        yield _reason("no_mapping", "2", message, best, least)
    uncovered = sum(not is_supported(claim, policy) for claim in claims)
    bare = f"The passages do not support {facts.of(uncovered)}; at most"
    most, most_of_all = policy.max_uncovered_claims, policy.max_uncovered_ratio
    if uncovered > most:
        yield _reason("uncovered_claims", "3", f"{bare} {most} may be so.", uncovered, most)
    if total >= 2 and uncovered / total > most_of_all:
        message = f"{bare} {most_of_all:.0%} of them may be so."
        yield _reason("uncovered_ratio", "3", message, uncovered / total, most_of_all)
    yield from _sparse(facts, policy)
    yield from _marked(facts, _MARKED[:2])
    weakest, enough = min(shares), policy.warn_similarity
    message = f"{held} {_cut(weakest)} of the weakest claim; at least {enough:g} is needed."
    if weakest < enough:
        yield _reason("weak_claim", "5", message, weakest, enough)
    yield _reason("supported", "6", message, weakest)


def _uncited(facts: Facts, policy: Policy) -> Iterator[Reason]:
    if facts.citations_requested and policy.refuse_on_no_citations and not facts.citations:
        yield _reason("no_citations", "1", "The answer names no source.", 0, 1)


def _sparse(facts: Facts, policy: Policy) -> Iterator[Reason]:
    least, total = policy.min_citation_density, len(facts.claims)
    density = facts.citations / max(1, total)
    if facts.citations_requested and density < least:
        message = too_few_citations(facts.citations, total, least)
        yield _reason("citation_density", "4", message, density, least)


def _cut(value: float) -> str:
    """Return two decimals of a value in [0, 1], never those of a threshold above it."""
    return f"{value:.9f}"[:4]


def _raised(facts: Facts) -> Iterator[Reason]:
    if facts.stopped:
        yield _reason("stopped", "raise", "The policy stopped the answer before its end.")
    elif not facts.complete:
        yield _reason("incomplete", "raise", "The answer broke off before its end.")
    if facts.errors:
        message = f"{counted(facts.errors, 'check')} did not finish."
        yield _reason("check_error", "raise", message, facts.errors, 0)
    if facts.limited:
        message = "A limit was reached, and the rest of the answer was not checked."
        yield _reason("limit_reached", "raise", message)


def _of_judges(facts: Facts) -> Iterator[Reason]:
    """Yield where judges are overruled, and what they left unread; neither changes the status."""
    if not facts.judges or not facts.claims:
        return
    who, firm = in_words(facts.judges), (*WRONG, "unsupported_detail")
    denied = sum(not claim.marks.isdisjoint(firm) for claim in facts.judged("supported"))
    if denied:
        message = (
            f"{who} reads {facts.of(denied)} as supported, but its quotations do not answer what"
            " the checks found; their findings stand."
        )
        yield _reason("judge_disagrees", "-", message, denied, 0)
    if unheard := len(facts.judged(None)):
        message = f"{who} gave no word that counts on {facts.of(unheard)}; the fast verdict does."
        yield _reason("judge_unheard", "-", message, unheard, 0)


def in_words(judges: Iterable[str]) -> str:
    """Return "The judge (gpt-4o)", or "The judges (gpt-4o, llama)"."""
    models = sorted(set(map(model_of, judges)))
    return f"The judge{'s' * (len(models) > 1)} ({', '.join(models)})"


def model_of(judge: str) -> str:
    """Return the model in a judge's name, for people: "gpt-4o" of "judge gpt-4o v2"."""
    named = _MODEL.fullmatch(judge)
    return named[1] if named else judge


def _of_claims(facts: Facts, found: int, message: str) -> str:
    """Return the number of some claims and the message of the first; "" without any."""
    if not message or len(facts.claims) == 1:
        return message
    return f"{facts.of(found)}{', the first' if found > 1 else ''}: {message}"


def _reason(
    code: str,
    rule: str,
    plain: str,
    value: float | None = None,
    threshold: float | None = None,
    quoting: str = "",
) -> Reason:
    """Return a reason with the message `quoting`, or `plain` if that is empty."""
    rounded = round(value, 6) if isinstance(value, float) else value
    if not quoting:
        return Reason(code, rule, rounded, threshold, plain)
    return Reason(code, rule, rounded, threshold, quoting, plain)


def refusal_report(
    phrases: tuple[str, ...], *, claims: int, sufficient: bool | None
) -> RefusalReport:
    """Return extent and kind of an answer's refusal, given its number of claims.

    `sufficient`: whether the evidence could have answered the question; None for unknown.
    """
    extent: Literal["whole", "partial", "none"] = "partial" if claims else "whole"
    extent = extent if phrases else "none"
    kind: Literal["expected", "over_refusal", "missing_refusal", "none"] = "none"
    if sufficient is not None and extent == "whole":
        kind = "over_refusal" if sufficient else "expected"
    elif sufficient is False and claims:
        kind = "missing_refusal"
    return RefusalReport(bool(phrases), extent, kind, phrases)
