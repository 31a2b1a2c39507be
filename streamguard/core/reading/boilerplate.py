"""Talk around an answer: courtesies, referrals to people, the speaker's name, lists of sources.

Read on single sentences, folded, in lower case where a docstring says so. The word lists are
English. Every repetition is bounded, so the patterns are linear.
"""

from __future__ import annotations

import re

from streamguard.core.reading.unanswered import holds_any
from streamguard.core.reading.verbs import has_verb
from streamguard.text.patterns import lazy_re
from streamguard.text.words import words_in

_WORDS = r"(?:[\w'&/-]{1,24} )"
_MORE = (
    r"(?:(?:any|some|more|further|additional|other|specific|accurate|direct|detailed|up-to-date|"
    r"personali[sz]ed|your|the|the most) ){0,3}"
)

_SUPPORT = (
    r"(?:to |with |out to |back to )?(?:me|us|support|help|customer (?:support|service|care)|"
    r"(?:the|our|your|a|an) (?:[\w'-]{2,20} ){0,3}(?:team|support|department|service|website|site|"
    r"page|manual|agent|representative|professional|expert|desk|documentation|provider|administrator))"
)
_OPENING = r"(?:(?:and|so|but|also|otherwise|additionally|lastly|finally|please),? )?"
_COURTESY = lazy_re(
    rf"{_OPENING}(?:(?:i )?(?:really |sincerely )?"
    r"hope (?:this|that|it|these|the above|you find|my answer)\b"
    r"|(?:let me know|feel free|do not hesitate|don't hesitate)\b"
    r"|(?:if|should) you (?:still |ever )?(?:have|need|require|want|would like|'d like) "
    r"(?:any |some )?(?:other |further |more |additional |specific )?"
    r"(?:questions?|help|assistance|information|details|concerns|clarification)"
    r"|(?:is there )?anything else (?:i|you)\b"
    r"|i(?:'m| am) (?:always )?here (?:to help|for you|if)"
    r"|(?:i am|i'm) an? (?:ai|language model|virtual|digital)\b"
    r"|disclaimer:)"
)
# Open at its end, so for sentences without a name alone; `_REFERRAL` reads to the end.
_CONTACT = lazy_re(
    rf"{_OPENING}(?:contact|reach|get in touch|talk|speak|consult|refer|check|see|visit|call|email"
    rf"|ask) {_SUPPORT}(?:[.!]?$| (?:for|if you) (?:any |more |further |additional |have |need |"
    r"still )|,? (?:directly|and they)\b)"
)

_BEFORE = (
    r"(?:(?:and|so|but|also|then|otherwise|additionally|lastly|finally|alternatively|"
    r"therefore|in that case|if needed),? ){0,2}"
)
_URGE = (
    r"(?:please |kindly |perhaps |maybe |(?:i|we)(?:'d| would)? (?:strongly |also )?(?:recommend|"
    r"suggest|advise|encourage)(?: that)?(?: you)?(?: to)? |you (?:may|might|could|can|should|will)"
    r" (?:also |always )?(?:(?:want|wish|need|like|have) to )?|(?:it(?:'s| is| would be| may be|"
    r" might be) )?(?:best|better|advisable|recommended|a good idea|helpful)(?: for you)? to "
    r"|(?:if you need|for) (?:any |more |further |additional ){1,2}(?:information|"
    r"details|help|assistance|guidance|support)[^.,;:!?\n]{0,40}, )"
)
_TURNS_TO = (
    r"(?:(?:contact|call|e?-?mail|ask|consult|reach)(?:ing)? |(?:reach|get|turn|speak|talk|check|"
    r"consult|connect|follow|inquire|write|refer)(?:t?ing)?(?: out| up| back| directly| in touch)?"
    r" (?:to|with) )"
)
_OFFICE_NOUN = (
    r"(?:teams?|support|departments?|service|customer care|agents?|representatives?|professionals?|"
    r"experts?|(?:help ?)?desk|helpline|hotline|provider|administrators?|hr|human resources|it|"
    r"managers?|supervisors?|office|reception|staff|advis[eo]rs?|contact person|human)"
)
_OFFICE = rf"(?:(?:me|us|(?:someone|a person) )|{_WORDS}{{0,5}}?{_OFFICE_NOUN}(?! \w{{1,24}}'s))"
_OFFICES = rf"{_OFFICE}(?: (?:or|and) {_OFFICE})?(?: directly)?"
_HELP = r"(?:assistance|help|support|guidance|clarification|advice)"
_MATTERS = rf"(?:{_HELP}|information|details?|questions?|answers?|inquiries|concerns)"
_TOPIC = r"(?: (?:about|on|with|regarding|concerning|related|or|and|in|from)\b[^.,;:!?\n]{0,80})?"
# A bare imperative may be a step: "Call the office." It has to say that help is what for.
_REFERRAL = lazy_re(
    rf"{_BEFORE}(?:{_URGE}{{1,3}}{_TURNS_TO}{_OFFICES}|{_URGE}{{0,3}}{_TURNS_TO}(?:"
    rf"{_OFFICES}(?: (?:for|with) {_MORE}{_MATTERS}{_TOPIC}"
    r"|,? (?:if|should) you (?:have|need|require|want|still)\b[^.,;:!?\n]{0,80}"
    r"| to (?:learn more|find out|inquire|get (?:more|further|additional|help|assistance))\b"
    r"[^.,;:!?\n]{0,80})"
    rf"|(?:(?!and ){_WORDS}){{1,6}}?for (?:{_MORE}{_HELP}|(?:any )?"
    rf"(?:more|further|additional) {_MATTERS}){_TOPIC}))[.!]?"
)
_TURNING = (
    "contact", "call", "mail", "ask", "consult", "reach", "get", "turn", "speak", "talk", "check",
    "connect", "follow", "inquir", "writ", "refer",
)  # fmt: skip
# The first words of courtesies, referrals and introductions, but for those in "-ing"; a test
# reads them from the patterns.
_TALK_WORDS = frozenset(
    """
    a additionally advisable also alternatively and anything as ask best better but call check
    connect consult contact disclaimer do don e email feel finally follow for get hello helpful
    hey hi hope i if in inquire is it kindly lastly let mail maybe my otherwise perhaps please
    reach really recommended refer see should sincerely so speak talk then therefore this turn
    visit we write you
    """.split()
) | {""}  # "-mail us"
_DIGIT = lazy_re(r"\d")
# Where a referral may begin behind a refusal: "I cannot say, but please contact HR."
_CLAUSE = lazy_re(r"[,;:.] |(?= but )| - | ?— ?")
_CLAUSES = 4  # a referral of its own holds a comma or two; guess

_ASSISTANT = r"(?:assistant|chatbot|bot|ai|language model|llm)"
_OF_WHOM = (
    r"(?: (?:from|of|for|at|in|created|developed|made|trained|built|powered|designed|here|by|to|"
    r"and i|that|who)\b[^.,;:\n]{0,100})?(?:,? (?:and|so) (?:i|my)\b[^.,;:\n]{0,100})?"
)
_INTRODUCES = lazy_re(
    r"(?:(?:hello|hi|hey)(?: there)?[,!.]? )?(?:my name is [\w'-]{1,20}(?: [\w'-]{1,20})?"
    r"|(?:i am|i'm|this is) (?:(?:just|only|merely|simply|[\w'-]{1,20},) )?"
    rf"(?:an?|the|your|[\w-]{{1,20}}(?:'s| 's)) (?:(?!of )[\w'-]{{1,20}} ){{0,4}}?"
    rf"{_ASSISTANT}{_OF_WHOM})"
    r"[.!]?"
)
_AS_AN_AI = lazy_re(
    r"as an? (?:ai|artificial|large|language model|virtual|digital|chatbot)\b[^.,;:\n]{0,60},? "
    r"(?:i (?:(?:do|did|am|was|have|can|could|will|would)(?: not|n't)|cannot|only|lack|have no|am)"
    r"|i'm)\b[^,;:\n]{0,200}"
)
_ALSO_STATES = lazy_re(r", (?:so|but|which|although|though|while|and)\b|;")

_LINE_CHARS = 300  # a line of a source list; guess, a long address with its title
_MARK = r"(?:(?:[-*+•‣◦▪·]|\d{1,3}[.)])\s{1,4})"
_TAG = r"(?:\[\^?[\w.#-]{1,20}\](?!\():?)"
_TAGS = lazy_re(_TAG)
_LISTED = (
    r"(?:sources?|references|citations?|bibliography|works cited|further reading|footnotes|"
    r"source documents?)(?: used| cited| consulted)?"
)
_LISTED_INITIALS = "bcfrswBCFRSW"
_LEAD = lazy_re(
    rf"[\s>*_(]{{0,8}}(?P<mark>{_MARK})?[*_(]{{0,4}}(?P<tags>(?:{_TAG}\s{{0,3}}){{1,5}})?"
    rf"(?:[*_(\[]{{0,4}}(?P<word>{_LISTED})(?=[*_]{{0,3}}(?::|\s{{0,4}}$))[*_]{{0,3}}(?P<colon>:)?)?",
    re.IGNORECASE,
)
_LINK = r"!?\[[^\]\n]{1,150}\]\([^\s()]{1,200}\)"
_URL = r"(?:https?://|www\.)[^\s<>\"]{1,250}"
_FILE = (
    r"(?<![\w.~\\/-])[\w.~\\/-]{1,120}\.(?:mdx?|pdf|docx?|txt|html?|csv|xlsx?|pptx?|rst|rtf|odt)\b"
)
_POINTS = lazy_re(r"\.\w|://|\]\(")  # in every resource, and cheaper to look for
_RESOURCE = lazy_re(rf"{_LINK}|{_URL}|{_FILE}", re.IGNORECASE)
_LOCATOR = lazy_re(
    r"(?:\b(?:pages?|pp?\.?|sections?|sec\.|chapters?|lines?|paragraphs?|slides?|figures?|tables?)"
    r"|§)\s?#?\d{1,5}(?:[.,-]{1,2}\d{1,5}){0,4}(?![\w%])",
    re.IGNORECASE,
)
_TITLE = lazy_re(r"\"([^\"\n]{1,150})\"")
_JOINING = frozenset("and or see in from also the of for".split())
_YEAR = lazy_re(r"(?:19|20)\d\d")
_MONEY = lazy_re(r"[$€£¥%]")
_TITLE_WORDS = 12  # a document's title; guess
_LABEL_WORDS = 30  # all that follows "Sources:"; guess


def may_be_talk(first: str) -> bool:
    """Say whether `opens_talk` and `is_talk` can hold for a sentence with this first word."""
    return first in _TALK_WORDS or first.endswith("ing")


def opens_talk(lowered: str) -> bool:
    """Say whether a lower-case sentence begins as talk around the answer does.

    How it ends is not looked at: meant for sentences without a value.
    """
    return _COURTESY.match(lowered) is not None or _CONTACT.match(lowered) is not None


def is_talk(lowered: str) -> bool:
    """Say whether a lower-case sentence is, to its end, a courtesy, referral or introduction.

    Names in it change nothing: "Please contact Acme Support for assistance."
    """
    if _COURTESY.match(lowered) and _ALSO_STATES.search(lowered) is None:
        return True
    return is_referral(lowered) or introduces_speaker(lowered)


def is_referral(lowered: str) -> bool:
    """Say whether a lower-case sentence does no more than send the reader to somebody else.

    An address or a number in it is a statement.
    """
    if not holds_any(lowered, _TURNING) or _DIGIT.search(lowered):
        return False
    return _REFERRAL.fullmatch(lowered) is not None


def ends_in_referral(text: str, lowered: str) -> bool:
    """Say whether a sentence ends in a referral, and holds no capital before it.

    `lowered` is `text` in lower case. The first word and "I" may have their capital.
    """
    clauses = [match.end() for match in _CLAUSE.finditer(lowered)][-_CLAUSES:]
    return any(
        is_referral(lowered[at:].lstrip()) and not _names_something(text[:at]) for at in clauses
    )


def introduces_speaker(lowered: str) -> bool:
    """Say whether a lower-case sentence says who speaks: "I'm an AI assistant."."""
    if _INTRODUCES.fullmatch(lowered):
        return True
    return _AS_AN_AI.fullmatch(lowered) is not None and _ALSO_STATES.search(lowered) is None


def lists_source(text: str) -> bool:
    """Say whether a line is part of a list of sources: a tag, a file, an address, a title.

    `text` with its block mark. Its figures are pages and years; an amount makes a statement.
    """
    first = text[:1]
    if len(text) > _LINE_CHARS or (first.isalpha() and first not in _LISTED_INITIALS):
        return False
    lead = _LEAD.match(text)
    if lead is None or lead.lastgroup is None or _MONEY.search(text):
        return False
    rest = text[lead.end() :]
    if lead["word"]:
        return _is_label(rest) if lead["colon"] else not rest.strip()
    return _is_reference(rest, tagged=lead["tags"] is not None)


def _names_something(text: str) -> bool:
    words = words_in(text)[1:]
    return any(word[0].isupper() and word.split("'")[0] != "I" for word in words)


def _is_label(rest: str) -> bool:
    rest = _RESOURCE.sub(" ", rest.lower())
    return 0 < len(words_in(rest)) <= _LABEL_WORDS and not has_verb(rest)


def _is_reference(rest: str, *, tagged: bool) -> bool:
    """Say whether what follows tag or bullet is a resource, perhaps with a title and a page."""
    if not tagged and _POINTS.search(rest) is None:
        return False
    bare, resources = _RESOURCE.subn(" ", rest)
    bare, places = _LOCATOR.subn(" ", _TAGS.sub(" ", bare))
    titles = _TITLE.findall(bare)
    left = [word for word in words_in(_TITLE.sub(" ", bare)) if word not in _JOINING]
    if not left:
        return resources > 0 or (tagged and any(map(_is_title, titles)))
    if not resources and not (tagged and places):
        return False
    if not tagged and not all(word[0].isupper() for word in left):
        return False
    plain = all(word.isalpha() or _YEAR.fullmatch(word) for word in left)
    return plain and len(left) <= _TITLE_WORDS and not has_verb(" ".join(left).lower())


def _is_title(words: str) -> bool:
    return not words.endswith((".", "!", "?")) and not has_verb(words.lower())
