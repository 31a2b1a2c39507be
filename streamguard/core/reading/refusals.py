"""Refusals: the policy's phrases anywhere, negated information in an answer's first sentence.

Texts are folded (`core.normalise.fold`) unless a docstring says otherwise; spans are half-open
code points into the folded text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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

# 'The FAQ says: "I can't log in" means ...': words of somebody else. Reach: guess.
# A single quotation mark behind a letter and before one is an apostrophe.
_QUOTED = lazy_re(
    r"\"[^\"\n]{1,300}\"|(?<![\w'])'(?=\w)(?:[^'\"\n]|(?<=\w)'(?=\w)){1,300}'(?![\w'])"
)
_WORD = lazy_re(r"[^\W_]+")
# Markdown's signs, but inside a word ("snake_case"), and a backtick for an apostrophe ("can`t").
_MARKED = lazy_re(r"[*`]|(?<![^\W_])_|_(?![^\W_])")
_TICKED = lazy_re(r"(?<=[a-z])`(?=[a-z]{1,2}(?!\w))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal: its span, and the policy's phrase or the name of the leading pattern."""

    start: int
    end: int
    phrase: str
    leading: bool


class _Phrases(NamedTuple):
    gates: tuple[str, ...]  # one word of every phrase, looked for first, as it is cheaper
    as_given: dict[str, str]  # by their folded form without apostrophes
    regex: re.Pattern[str]


def find_refusals(text: str, phrases: tuple[str, ...]) -> list[Refusal]:
    """Return every occurrence of a phrase in folded `text`, case-insensitive, left to right.

    A phrase begins at a word's start; a run of white space equals one space, marks of Markdown are
    white space, and an apostrophe may be missing or a backtick. Where phrases overlap, the one that
    begins first counts, and of those that begin together the longest.
    """
    listed = _listed(phrases)
    lowered = unmarked(lower_in_place(text))
    if not holds_any(lowered.replace("'", ""), listed.gates):
        return []
    return [
        Refusal(match.start(), match.end(), listed.as_given[_flat(match.group())], leading=False)
        for match in listed.regex.finditer(lowered)
    ]


def unmarked(text: str) -> str:
    """Return folded `text` without marks of Markdown: same length, same offsets."""
    if "`" in text:
        text = _TICKED.sub("'", text)
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

    Words in quotation marks beside others are not. They are refusals to `find_refusals`, which
    goes by the phrase.
    """
    if not refusals:
        return False
    quoted = _quoted(text)
    return any(
        not any(start <= refusal.start < end for start, end in quoted) for refusal in refusals
    )


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


def _quoted(text: str) -> list[tuple[int, int]]:
    """Return the spans in quotation marks; none where the quotation is all that is said."""
    spans = [match.span() for match in _QUOTED.finditer(text)]
    said_of_it = _WORD.findall(_QUOTED.sub(" ", text)) if spans else []
    return spans if len(said_of_it) > 1 else []


def _first_statement(text: str) -> str | None:
    """Return the first sentence, folded, that is no mere opening; None where all are."""
    in_code = False
    for start, end in _sentences(text):
        sentence = fold(text[start:end]).text
        kind, in_code = block_kind(sentence, in_code)
        role = role_of(sentence, kind, refusing=False, has_value=False)
        if role not in OPENING_ROLES:
            return sentence
    return None


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    segmenter = Segmenter()
    yield from segmenter.feed(text)
    yield from segmenter.close()


@lru_cache(maxsize=64)
def _listed(phrases: tuple[str, ...]) -> _Phrases:
    written = {phrase: lower_in_place(fold(phrase).text) for phrase in phrases}
    as_given = {flat: phrase for phrase in phrases if (flat := _flat(written[phrase]))}
    longest_first = sorted(as_given, key=len, reverse=True)
    gates = tuple(dict.fromkeys(max(flat.split(" "), key=len) for flat in longest_first))
    forms = (
        r"\s+".join(map(re.escape, written[as_given[flat]].split())).replace("'", "'?")
        for flat in longest_first
    )
    return _Phrases(gates, as_given, lazy_re(f"{_WORD_START}(?:{'|'.join(forms)})"))


def _flat(text: str) -> str:
    return " ".join(text.replace("'", "").split())
