"""Talk around an answer, which states nothing: courtesies, referrals to people, lists of sources.

Read on single sentences, folded, the patterns on lower case. The word lists are English. Every
repetition is bounded, so the patterns are linear.
"""

from __future__ import annotations

from streamguard.text.patterns import lazy_re
from streamguard.text.words import words_in

_BEFORE = (
    r"(?:(?:and|so|but|also|then|otherwise|additionally|lastly|finally|alternatively|"
    r"therefore),? ){0,2}"
)
_FOR_WHAT = (
    r"(?: (?:about|for) (?:that|this|(?:the|any|my) (?:confusion|inconvenience|delay|wait|trouble"
    r"|mistake|error|misunderstanding)))?"
)
_GREETINGS = lazy_re(
    r"(?:(?:hello|hi|hey|dear|good (?:morning|afternoon|evening|day)"
    r"|welcome(?: back)?(?: to (?:[\w'&-]{1,20} ?){1,6})?)(?:,? [^\W\d_]{2,14}){0,2}"
    r"|(?:thank you|thanks)(?: (?:so|very) much| a lot)?(?: for [^,.!?\n]{1,40})?"
    r"|sure(?: thing)?|of course|certainly|gladly|okay|ok|alright|got it|understood"
    rf"|(?:i(?:'m| am) )?(?:so |very |really )?sorry{_FOR_WHAT}"
    rf"|(?:my (?:sincere )?apologies|i (?:sincerely )?apologi[sz]e){_FOR_WHAT}"
    r"|you(?:'re| are) (?:absolutely |quite )?right|here you (?:go|are)"
    r"|(?:one|just a) moment(?:,? please)?"
    r"|you(?:'re| are) (?:very |most )?welcome|my pleasure|no problem"
    r"|(?:(?:that's |what )?an? )?(?:great|good|excellent) question"
    r"|(?:(?:i am|i'm|i'd be|i'll be) )?(?:very |more than )?(?:happy|glad) to (?:help|assist"
    r"|explain|answer)[^,.!?\n]{0,60}"
    r"|have an? \w{1,12} (?:day|evening|weekend)"
    r"|(?:good)?bye|take care|(?:best|kind) regards|cheers|sincerely)[\s,.!;:-]{0,6}"
)
# How courtesies and introductions begin.
COURTESY = lazy_re(
    rf"{_BEFORE}(?:please )?(?:(?:i )?(?:really |sincerely )?"
    r"hope (?:this|that|it|these|the above|you find)\b"
    r"|(?:let me know|feel free|do not hesitate|don't hesitate)\b"
    r"|(?:if|should) you (?:have|need|require|want|would like) (?:\w{3,10} ){0,2}"
    r"(?:questions?|help|assistance|information|details|concerns|clarification)"
    r"|(?:is there )?anything else (?:i|you)\b|i(?:'m| am) (?:always )?here to help"
    r"|as an? (?:ai|language model|virtual|digital)\b|disclaimer:"
    r"|(?:(?:hello|hi|hey)[,!.]? )?(?:i am|i'm|this is|my name is) (?:(?!of )[\w'-]{1,20},? ){1,5}"
    r"(?:assistant|chatbot|bot|language model)\b)"
)
_REFERS_TO = (
    r"\b(?:contact|consult|ask|call|email|reach out to|check with|refer to|speak (?:to|with))"
    r"(?:ing)?\b"
)
# All of a sentence that sends the reader to somebody else. It has to urge: a bare imperative may be
# a step ("Call the office.").
REFERRAL = lazy_re(
    rf"{_BEFORE}(?:for [^.,;:!?\n]{{1,60}}, )?{_BEFORE}"
    r"(?:please |(?:i|we)(?:'d| would)? (?:recommend|suggest|advise) "
    r"|you (?:may|might|could) (?:also )?(?:(?:want|wish|need) to )?"
    r"|it(?:'s| is) (?:best|better|advisable|recommended) to )"
    rf"{_REFERS_TO}(?: [\w'&/-]{{1,24}}){{1,16}}[.!]?"
)
REFERS = lazy_re(_REFERS_TO)  # beside what else the sentence says
# "The passages do not say how long, so adjust the time": the second half is advice of its own.
ALSO_STATES = lazy_re(r", (?:so|but|which|although|though|while|and)\b|;")

_RESOURCE = (
    r"(?:!?\[[^\]\n]{1,150}\]\([^\s()]{1,200}\)|(?:https?://|www\.)[^\s<>\"]{1,250}"
    r"|[\w.~\\/-]{1,120}\.(?:mdx?|pdf|docx?|txt|html?|csv|xlsx?|pptx?)\b)"
)
# "Sources: [C1], [C2]", "- Employee Handbook.pdf (page 3)": a label, or a file or an address behind
# a tag or words with capitals. A lone file name may be an answer.
_SOURCE_LINE = lazy_re(
    r"(?![^\s:]{1,120}$)[\s>]{0,8}(?:(?:[-*+•]|\d{1,3}[.)])\s{1,4})?"
    r"(?:[*_(]{0,4}(?:[Ss]ources?|[Rr]eferences?|[Cc]itations?)[*_]{0,3}:[^\n$€£¥%]{0,300}"
    r"|(?:\[[^\]\n]{1,20}\]:? (?:[\w'-]{1,30},? ){0,12}|(?:[A-Z0-9][\w'-]{0,30},? ){0,12})"
    rf"{_RESOURCE}(?:,? \(?p(?:ages?|p)?\.? ?\d{{1,5}}\)?)?[.)]?)"
)

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


def is_greeting(lowered: str) -> bool:
    """Say whether greetings, thanks and acknowledgements are all there is."""
    at = 0
    while match := _GREETINGS.match(lowered, at):
        at = match.end()
    return 0 < at == len(lowered)


def lists_source(text: str) -> bool:
    """Say whether a line is part of a list of sources: a label, a file, an address, a title.

    `text` with its block mark; a verb or an amount makes a statement of it.
    """
    return _SOURCE_LINE.fullmatch(text) is not None and not has_verb(text.lower())


def has_verb(lowered: str) -> bool:
    """Say whether a lower-case text holds a word that is surely a verb, or a pronoun."""
    # Most sentences have a verb between spaces; "isn't," and "it's:" need the second look.
    if not _VERBS.isdisjoint(lowered.split()):
        return True
    return not _VERBS.isdisjoint(words_in(lowered))
