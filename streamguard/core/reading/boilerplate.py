"""Talk around an answer, which states nothing: courtesies, referrals to people, lists of sources.

Read on single sentences, folded, in lower case where a docstring says so. The word lists are
English. Every repetition is bounded, so the patterns are linear.
"""

from __future__ import annotations

import re

from streamguard.text.patterns import lazy_re
from streamguard.text.words import words_in

_BEFORE = (
    r"(?:(?:and|so|but|also|then|otherwise|additionally|lastly|finally|alternatively|"
    r"therefore),? ){0,2}"
)
_COURTESY = lazy_re(
    rf"{_BEFORE}(?:please )?(?:(?:i )?(?:really |sincerely )?"
    r"hope (?:this|that|it|these|the above|you find|my answer)\b"
    r"|(?:let me know|feel free|do not hesitate|don't hesitate)\b"
    r"|(?:if|should) you (?:still |ever )?(?:have|need|require|want|would like|'d like) "
    r"(?:any |some )?(?:other |further |more |additional |specific )?"
    r"(?:questions?|help|assistance|information|details|concerns|clarification)"
    r"|(?:is there )?anything else (?:i|you)\b"
    r"|i(?:'m| am) (?:always )?here (?:to help|for you|if)"
    r"|as an? (?:ai|language model|virtual|digital)\b|disclaimer:"
    r"|(?:(?:hello|hi|hey)(?: there)?[,!.]? )?(?:i am|i'm|this is|my name is) "
    r"(?:(?!of )[\w'-]{1,20},? ){1,5}(?:assistant|chatbot|bot|language model)\b)"
)
# "The passages do not say how long, so adjust the time": the second half is advice of its own.
ALSO_STATES = lazy_re(r", (?:so|but|which|although|though|while|and)\b|;")

_HELP = (
    r"(?:(?:any|some|more|further|additional|other|specific|detailed|your) ){0,2}"
    r"(?:assistance|help|support|guidance|clarification|advice|information|details?|questions?)"
)
_REFERRAL = lazy_re(
    rf"{_BEFORE}(?P<help>(?:if you need|for) {_HELP}[^.,;:!?\n]{{0,40}}, )?{_BEFORE}"
    r"(?P<urge>please |kindly |(?:i|we)(?:'d| would)? (?:recommend|suggest|advise)(?: that)?"
    r"(?: you)? |you (?:may|might|could|can|should) (?:also )?(?:(?:want|wish|need) to )?"
    r"|it(?:'s| is) (?:best|better|advisable|recommended) to )?"
    r"(?:(?:contact|call|ask|consult|reach|email)(?:ing)?|(?:reach|get|turn|speak|talk|check|refer)"
    r"(?:t?ing)?(?: out| up| back| directly| in touch)? (?:to|with)) "
    r"(?P<office>(?:[\w'&/-]{1,24} ){0,6}?[\w'&/-]{1,24})"
    rf"(?P<purpose> (?:for|with) {_HELP}\b[^.,;:!?\n]{{0,80}}"
    r"|,? (?:if|should) you (?:have|need|want)\b[^.,;:!?\n]{0,80})?[.!]?"
)
_OFFICES = frozenset(
    """me us team teams support department departments service agent agents representative
    representatives professional professionals expert experts desk helpline hotline provider
    administrator hr manager managers supervisor office reception staff advisor adviser
    human""".split()
)
_DIGIT = lazy_re(r"\d")
# Where a referral may begin behind a refusal: "I cannot say, but please contact HR."
_CLAUSE = lazy_re(r"[,;:.] |(?= but )| - | ?— ?")
_CLAUSES = 4  # a referral of its own holds a comma or two; guess

_LINE_CHARS = 300  # a line of a source list; guess, a long address with its title
_TAG = r"\[\^?[\w.#-]{1,20}\](?!\():?"
# How such a line begins: its mark, a label ("**Sources:**"), tags ("[1] [2]:").
_LEAD = lazy_re(
    r"[\s>]{0,8}(?:(?:[-*+•‣◦▪·]|\d{1,3}[.)])\s{1,4})?"
    r"(?:[*_(\[]{0,4}(?P<label>(?:sources?|references?|citations?|bibliography|works cited|"
    r"further reading|source documents?)(?: used| cited| consulted)?[*_]{0,3}:[*_]{0,3}))?"
    rf"(?P<tags>(?:\s{{0,3}}{_TAG}){{1,5}})?",
    re.IGNORECASE,
)
_LABEL_INITIALS = "bcfrswBCFRSW"
_RESOURCE = lazy_re(
    r"!?\[[^\]\n]{1,150}\]\([^\s()]{1,200}\)|(?:https?://|www\.)[^\s<>\"]{1,250}"
    r"|(?<![\w.~\\/-])[\w.~\\/-]{1,120}\.(?:mdx?|pdf|docx?|txt|html?|csv|xlsx?|pptx?|rst|rtf|odt)\b",
    re.IGNORECASE,
)
_PLACE = lazy_re(
    r"(?:\b(?:pages?|pp?\.?|sections?|sec\.|chapters?|lines?|paragraphs?|tables?)|§)\s?#?\d{1,5}"
    rf"(?:[.,-]{{1,2}}\d{{1,5}}){{0,4}}(?![\w%])|{_TAG}",
    re.IGNORECASE,
)
_YEAR = lazy_re(r"(?:19|20)\d\d")
_JOINING = frozenset("and or see in also the of for".split())
_MONEY = lazy_re(r"[$€£¥%]")
_TITLE_WORDS = 12  # a document's title; guess

# Forms that are verbs wherever they stand, and pronouns, which want one.
_VERB_FORMS = """
    is are was were be been has have had does did isn't aren't wasn't weren't doesn't don't didn't
    can can't cannot could couldn't will won't would wouldn't shall should shouldn't may might must
    includes include costs cost offers offer supports support provides provide contains contain
    requires require uses allows allow comes came makes made takes took gives gave gets got goes
    went starts started ends ended opens opened closes closed runs ran works worked lasts lasted
    needs becomes became remains means says said shows showed
    it he she they we you i that's it's he's she's they're we're you're i'm there's
"""
_VERBS = frozenset(_VERB_FORMS.split())


def is_courtesy(lowered: str, *, has_name: bool) -> bool:
    """Say whether a lower-case sentence begins as courtesies and introductions do.

    Where it holds a name, another statement behind its beginning makes it none.
    """
    if _COURTESY.match(lowered) is None:
        return False
    return not has_name or ALSO_STATES.search(lowered) is None


def is_referral(lowered: str) -> bool:
    """Say whether a lower-case sentence does no more than send the reader to somebody else.

    An address or a number in it is a statement, and a bare imperative may be a step ("Call the
    office."): it has to urge, or to say that help is what for.
    """
    found = _REFERRAL.fullmatch(lowered)
    if found is None or _DIGIT.search(lowered):
        return False
    if found["help"] or found["purpose"]:
        return True
    office = found["office"].removesuffix(" directly").rsplit(" ", 1)[-1]
    return found["urge"] is not None and office in _OFFICES


def ends_in_referral(text: str, lowered: str) -> bool:
    """Say whether a sentence ends in a referral, and holds no capital before it.

    `lowered` is `text` in lower case. The first word and "I" may have their capital.
    """
    clauses = [match.end() for match in _CLAUSE.finditer(lowered)][-_CLAUSES:]
    return any(
        is_referral(lowered[at:].lstrip()) and not _names_something(text[:at]) for at in clauses
    )


def lists_source(text: str) -> bool:
    """Say whether a line is part of a list of sources: a tag, a file, an address, a title.

    `text` with its block mark. Its figures are pages and years; an amount makes a statement.
    """
    first = text[:1]
    if len(text) > _LINE_CHARS or (first.isalpha() and first not in _LABEL_INITIALS):
        return False
    lead = _LEAD.match(text)
    assert lead is not None  # all of it may be missing
    rest = text[lead.end() :]
    if lead.lastgroup is None and "." not in rest[:-1]:  # as in every address
        return False
    rest, resources = _RESOURCE.subn(" ", rest)
    rest, places = _PLACE.subn(" ", rest)
    if not (lead["label"] or resources or (lead["tags"] and places)) or _MONEY.search(rest):
        return False
    left = [word for word in words_in(rest) if word not in _JOINING]
    if len(left) > _TITLE_WORDS or has_verb(" ".join(left).lower()):
        return False
    free = lead["label"] or lead["tags"]  # in what wording it names a source
    return all(
        _YEAR.fullmatch(word) or (word.isalpha() and (free or word[0].isupper())) for word in left
    )


def has_verb(lowered: str) -> bool:
    """Say whether a lower-case text holds a word that is surely a verb, or a pronoun."""
    # Most sentences have a verb between spaces; "isn't," and "it's:" need the second look.
    if not _VERBS.isdisjoint(lowered.split()):
        return True
    return not _VERBS.isdisjoint(words_in(lowered))


def _names_something(text: str) -> bool:
    words = words_in(text)[1:]
    return any(word[0].isupper() and word.split("'")[0] != "I" for word in words)
