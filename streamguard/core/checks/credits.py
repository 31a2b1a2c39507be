"""Who is credited: a passage named in words, and whether it holds what it is named for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from streamguard.core.credits import Credit
from streamguard.core.evidence import Coverage, Evidence
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Finding

# Shares of a sentence's content: another passage holds at least so much of it, and the named one
# at most so large a part of that. RAGTruth QA train, labelled precision and conflict spans found:
# 0.4 and 0.7: 0.45, 54 of 402; 0.4 and 0.6: 0.47, 50; 0.6 and 0.5: 0.49, 35.
_LEAST_HELD = 0.4
_MOST_NAMED = 0.6
# Below it every passage holds "1." or "Yes" alike; guess.
_LEAST_KEYS = 3
_OWN_PASSAGES = ("passage", "passages", "excerpt", "excerpts")


def credited_passage(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag a passage credited in words ("Passage 2 says") where another one holds the claim.

    Several passages for one claim: any that holds it is enough. Words that only describe a
    passage, or lead elsewhere ("similar to passage 1"), are left alone. A passage that was never
    retrieved ("Passage 7" of 3) is a `citation_unknown`.

    RAGTruth QA train: 115 mismatches, 43 % of them in labelled sentences, 42 of 402 labelled
    conflicts, 1.4 % of the clean answers; of 60 unlabelled ones read by eye, 50 do credit the
    wrong passage. 15 unknown passages, 12 of them in labelled sentences. Both are citations, whose
    checks are always on.
    """
    evidence = scope.evidence
    if evidence is None or sentence.kind == "code" or scope.policy.matching == "literal":
        return
    named = sentence.credits
    # Sources that number passages of their own are meant by the same words.
    if not named or any(noun in evidence.tokens.chunks_with for noun in _OWN_PASSAGES):
        return
    yield from _unknown(sentence, named, len(evidence.chunks))
    best = _other_passage(sentence, evidence, named)
    if best is not None:
        yield sentence.finding(
            "citation_mismatch",
            (named[0].start, named[0].end),
            check="credited_passage",
            nearest=evidence.quoted(best),
            message=f"Check this: passage {best.chunk + 1} holds it, the one named does not.",
        )


def _unknown(sentence: Sentence, said: Sequence[Credit], count: int) -> Iterator[Finding]:
    for credit in said:
        for number in credit.numbers:
            if credit.certain and not 1 <= number <= count:
                yield sentence.finding(
                    "citation_unknown",
                    (credit.start, credit.end),
                    check="credited_passage",
                    message=f"There is no passage {number}; {count} were retrieved.",
                )


def _other_passage(
    sentence: Sentence, evidence: Evidence, said: Sequence[Credit]
) -> Coverage | None:
    """Return the best evidence where it lies outside the named passages and these lack it."""
    if any(credit.about for credit in said):
        return None
    count = len(evidence.chunks)
    named = {number - 1 for credit in said for number in credit.numbers if 1 <= number <= count}
    named |= sentence.cited
    if not named or len(sentence.keys) < _LEAST_KEYS:
        return None
    best = evidence.coverage(sentence.keys)
    if best is None or best.share < _LEAST_HELD or best.chunk in named:
        return None
    held = evidence.coverage(sentence.keys, named)
    return None if held and held.share > _MOST_NAMED * best.share else best
