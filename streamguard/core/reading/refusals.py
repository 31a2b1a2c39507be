"""Refusals: the policy's phrases anywhere, negated information in an answer's first sentence.

Texts are folded (`core.normalise.fold`) unless a docstring says otherwise; spans are half-open
code points into the folded text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from streamguard.core.model.policy import Policy, as_policy
from streamguard.core.reading.roles import OPENING_ROLES, block_kind, role_of
from streamguard.core.reading.unanswered import find_unanswered, holds_any
from streamguard.text.normalise import fold, lower_in_place
from streamguard.text.patterns import lazy_re
from streamguard.text.segmenter import Segmenter

# A word starts here: neither inside a word ("Hawaii cannot") nor behind the apostrophe or hyphen
# that joins it to one ("Hawai'i cannot", "Type-I cannot"). Folding keeps em dashes apart.
_WORD_START = r"(?<![^\W_])(?<![^\W_]['-])"

# Markdown's signs, but inside a word ("snake_case").
_MARKED = lazy_re(r"[*`]|(?<![^\W_])_|_(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal: its span, and the policy's phrase or the name of the leading pattern."""

    start: int
    end: int
    phrase: str
    leading: bool


class _Phrases(NamedTuple):
    as_given: tuple[str, ...]  # the longest first, each a group of `regex`
    gates: tuple[str, ...]  # one word of every phrase, looked for first, as it is cheaper
    regex: re.Pattern[str]


def find_refusals(text: str, phrases: tuple[str, ...]) -> list[Refusal]:
    """Return every occurrence of a phrase in folded `text`, case-insensitive, left to right.

    A phrase begins at a word's start; a run of white space equals one space, marks of Markdown are
    white space, and an apostrophe may be missing. Where phrases overlap, the one that begins first
    counts, and of those that begin together the longest.
    """
    listed = _listed(phrases)
    lowered = unmarked(lower_in_place(text))
    if not holds_any(lowered.replace("'", ""), listed.gates):
        return []
    return [
        Refusal(*match.span(), listed.as_given[(match.lastindex or 0) - 1], leading=False)
        for match in listed.regex.finditer(lowered)
    ]


def unmarked(text: str) -> str:
    """Return folded `text` without marks of Markdown: same length, same offsets."""
    return _MARKED.sub(" ", text) if "*" in text or "_" in text or "`" in text else text


def leading_refusal(text: str) -> Refusal | None:
    """Return the negated-information refusal in `text`, a folded sentence, or None.

    Meant for the first sentence of an answer that is not a greeting: further on, what the
    documents lack is a remark beside an answer.
    """
    found = find_unanswered(unmarked(lower_in_place(text)))
    if found is None:
        return None
    assert found.lastgroup is not None  # every form is a group
    refusal = Refusal(*found.span(), found.lastgroup.replace("_", " "), leading=True)
    return refusal if refuses(text, (refusal,)) else None


def refuses(text: str, refusals: Sequence[Refusal]) -> bool:
    """Say whether one of the `refusals` found in folded `text` is its speaker's own.

    Those in quotation marks behind other words are not: 'The FAQ says: "I can't log in" means ...'.
    """
    quotes = any(map(str.isalnum, text.partition('"')[0]))
    return any(not (quotes and text.count('"', 0, one.start) % 2) for one in refusals)


def is_refusal(text: str, policy: Policy | str | None = None) -> bool:
    """Say whether `text`, a whole answer as the model wrote it, refuses at least in part.

    True for any phrase of the policy, and for a leading refusal in the first sentence behind
    greetings, headings and transitions. Under literal matching: any phrase as a substring, in
    small letters both, nothing else.
    """
    policy = as_policy(policy)
    if policy.matching == "literal":
        lowered = text.lower()
        return any(phrase.lower() in lowered for phrase in policy.refusal_phrases)
    if find_refusals(fold(text).text, policy.refusal_phrases):
        return True
    first = _first_statement(text) if policy.leading_refusals else None
    return first is not None and leading_refusal(first) is not None


def _first_statement(text: str) -> str | None:
    """Return the first sentence, folded, that is no mere opening; None where all are."""
    segmenter, in_code = Segmenter(), False
    for start, end in [*segmenter.feed(text), *segmenter.close()]:
        sentence = fold(text[start:end]).text
        kind, in_code = block_kind(sentence, in_code)
        if role_of(sentence, kind, refusing=False, has_value=False) not in OPENING_ROLES:
            return sentence
    return None


@lru_cache(maxsize=64)
def _listed(phrases: tuple[str, ...]) -> _Phrases:
    written = {phrase: lower_in_place(fold(phrase).text).split() for phrase in phrases}
    words = {phrase: written[phrase] for phrase in sorted(written, key=len, reverse=True)}
    gates = (max(of_it, key=len).replace("'", "") for of_it in words.values() if of_it)
    forms = ((r"\s+".join(map(re.escape, of_it))).replace("'", "'?") for of_it in words.values())
    regex = lazy_re(f"{_WORD_START}(?:{'|'.join(f'({form})' for form in forms if form)})")
    return _Phrases(tuple(filter(words.get, words)), tuple(dict.fromkeys(gates)), regex)
