"""Talk around an answer: that there is none, courtesies, referrals, lists of sources, openers.

Read on single sentences, folded, most patterns on lower case. The word lists are English, but for
formulas of courtesy. Every repetition is bounded, so the patterns are linear.
"""

from __future__ import annotations

import re

from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re
from streamguard.text.words import words_in


def _pattern(**forms: str) -> re.Pattern[str]:
    """Return the pattern of all `forms`, a group for each; a space stands for white space."""
    named = "|".join(f"(?P<{name}>{form})" for name, form in forms.items())
    return lazy_re(named.replace(" ", r"\s{1,8}"))


_TEXT = (
    r"(?:passages?|documents?|documentation|docs|context|texts?|excerpts?|search results?|sources?|"
    r"knowledge base|information)"
)
_THING = (
    r"(?:materials?|articles?|content|leaflets?|brochures?|handbooks?|manuals?|guides?|pages?|"
    r"websites?)"
)
# "The text messages" and "the source code" are no sources.
_ITSELF = r"\b(?! (?:messages?|menus?|code|files?|fields?|scanners?|readers?)\b)"
_PROVIDED = (
    r"(?:given|provided|retrieved|available|supplied|attached|uploaded|relevant|additional|further)"
)
_SUCH = (
    rf"(?:(?:the|these|this|those|any|all|our|your|my|{_PROVIDED}) (?:{_PROVIDED} )?"
    r"(?:[\w'-]{2,20} )?)"
)
_NUMBERED = r"(?:passages?|documents?|sources?|chunks?|excerpts?) \[?c?\d{1,4}\b\]?|passages\b"
# "your uploaded product documents", "given passages", "source 2"; a source that may be a thing as
# well, "the materials", does with fewer verbs.
_PLAIN_SOURCE = rf"\b(?:{_SUCH}{_TEXT}{_ITSELF}|{_NUMBERED})"
_SOURCE = rf"\b(?:{_SUCH}(?:{_TEXT}|{_THING}){_ITSELF}|{_NUMBERED})"

_GAP = r"[^.,;:!?\n]{0,40}?"  # between a clause's subject and its verb; guess, six words
_ADVERB = r"(?:(?:[a-z]{2,14}ly|also|even|yet) )?"
_NOT = r"(?: not|n'?t)"
_UNABLE = (
    rf"(?:cannot|(?:can|could|did|do){_NOT}|(?:will not|won't) be able to|"
    r"(?:(?:am|are|was|were) )?(?:unable|not able) to)"
)
# What texts alone do; things contain, include, provide, offer, hold and cover as well.
_SPEAKS = (
    r"(?:mention|specify|specifies|state|say|discuss|address|describe|indicate|answer|explain|tell|"
    r"refer to|clarify|detail|define|note)(?:s|es)?"
)
_STATES = rf"(?:{_SPEAKS}|(?:provide|contain|include|give|cover|offer|list|hold|appear to)s?)"
_ANY = (
    r"(?:(?:any|enough|sufficient|specific|direct|explicit|clear|detailed|further|additional|much|"
    r"more|the|such|relevant|exact|complete|other|an|a|this|that|or|and) ){0,4}"
)
_INFORMATION = r"(?:information|info|details?|mention|answers?)"
_EVIDENCE = (
    r"(?:evidence|data|references?|indication|guidance|instructions?|explanations?|descriptions?|"
    r"suggestions?|recommendations?|figures?|examples?)"
)
# What may follow "no information": not "is shared with third parties".
_ABOUT = (
    r"(?= ?(?:[.,;:!?)\"*\]\[]|$)| (?:about|on|regarding|concerning|of|in|within|from|for|that|"
    r"as to|related|available|provided|given|found|to|here|(?:is|are) (?:available|provided|given))"
    r"\b)"
)
# To answer a call is no matter of knowing, and to find no cheaper plan is no lack of an answer.
_LOOKS = (
    r"(?:answer(?! (?:the |a |any )?(?:phone|door|calls?)\b)|determine|"
    rf"find (?=any|this\b|that\b|it\b|the answer)|(?:provide|give|find) {_ANY}{_INFORMATION})"
)
_TRIES = rf"(?:{_LOOKS}|locate|confirm|tell|say)"
# The start of a clause without a subject of its own: "Unable to answer ...".
_START = r"(?:^[\s\"'*_>(#-]{0,12}|[:,] ?)"

_ANYWHERE = _pattern(
    unable_to_answer=(
        rf"(?:{_START}|\bi(?:'m)? ){_UNABLE} {_ADVERB}{_TRIES}\b"
        rf"|\b(?:we(?:'re)? {_UNABLE}|it(?:'s| is) (?:unable|not able) to) {_ADVERB}{_LOOKS}\b"
    ),
    do_not_know=(
        rf"\bi (?:(?:do|did){_NOT} know|(?:have|had|found|find|see|saw) nothing (?:about|on|in))\b"
    ),
    no_source_mentions=(
        rf"\b(?:no|none of|neither of|nothing in) (?:[\w'-]{{2,20}} ){{0,2}}?"
        rf"(?:{_TEXT}{_GAP} {_STATES}|{_THING}{_GAP} {_SPEAKS})\b"
    ),
    no_information=(
        rf"\b(?:no|insufficient|not enough|(?:do|does|did){_NOT} {_ADVERB}(?:{_STATES}|have)) "
        rf"{_ANY}{_INFORMATION}{_ABOUT}"
    ),
    is_not_mentioned=rf"\b(?:is|are|was|were){_NOT} {_ADVERB}(?:mentioned|stated|specified)\b",
)
# These count only in a sentence that speaks of a source.
_ABOUT_SOURCE = _pattern(
    source_does_not_mention=(
        rf"{_PLAIN_SOURCE}{_GAP} (?:do|does|did){_NOT} {_ADVERB}{_STATES}\b"
        rf"|{_SOURCE}{_GAP} (?:(?:do|does|did){_NOT} {_ADVERB}{_SPEAKS}|says? nothing|"
        r"(?:is|are) silent)\b"
    ),
    cannot_be_determined=(
        r"\b(?:cannot|can't|could not|couldn't) be (?:answered|determined|concluded|confirmed)\b"
        rf"|\b(?:not |im)possible to {_ADVERB}{_TRIES}\b"
        r"|\b(?:difficult|hard) to (?:provide|give|answer)\b|\b(?:is|are) not clear\b"
    ),
    no_evidence_in_the_source=(
        rf"\b(?:no|insufficient|(?:do|does|did){_NOT} {_ADVERB}{_STATES}) {_ANY}{_EVIDENCE}{_ABOUT}"
    ),
    is_not_in_the_source=(
        rf"(?:\bnot|n't) {_ADVERB}(?:be )?(?:(?:provided|included|available|covered|addressed|"
        r"discussed|described|contained|found|present|given|listed|answered|explained) )?"
        rf"(?:anywhere )?(?:in|by|within|of|from) {_PLAIN_SOURCE}"
    ),
)
_SPEAKS_OF_SOURCE = _pattern(source=rf"{_SOURCE}|\bquestion\b")

# "If no information is available, ..." states a condition; "Unable to log in?" asks.
_CONDITION = lazy_re(
    r"[\s\"'*_>#-]{0,12}(?:and |or |but )?(?:if|when|whenever|unless|in case|once|where|should)\b"
)
_SPEAKER = lazy_re(r"\b(?:i|we)\b")
_CLAUSE_MARKS = ",;:(."
_CLAUSE_CHARS = 200  # how far back a clause's first word is looked for; guess, a long clause
# Every pattern holds one of these; most sentences hold none and go no further.
_NEGATIONS = (
    "not",
    "n't",
    "no ",
    "unable",
    "none",
    "neither",
    "nothing",
    "impossible",
    "insufficient",
    "difficult",
    "hard",
    "silent",
    "dont ",
    "didnt ",
    "doesnt ",
    "cant ",
    "couldnt ",
    "isnt ",
    "arent ",
    "wasnt ",
    "werent ",
)


def find_unanswered(lowered: str) -> re.Match[str] | None:
    """Return the first place that says there is no answer; its `lastgroup` names the form."""
    if not holds_any(lowered, _NEGATIONS):
        return None
    if lowered.rstrip("\"')*_ ").endswith("?") and _SPEAKER.search(lowered) is None:
        return None
    stated: list[re.Match[str]] = []
    for pattern in (_ANYWHERE, _ABOUT_SOURCE)[: 1 + bool(_SPEAKS_OF_SOURCE.search(lowered))]:
        for found in pattern.finditer(lowered):
            before = lowered[max(0, found.start() - _CLAUSE_CHARS) : found.start()]
            clause = max(before.rfind(mark) for mark in _CLAUSE_MARKS) + 1
            if _CONDITION.match(before, clause) is None:
                stated.append(found)
    return min(stated, key=re.Match.start, default=None)


def holds_any(text: str, words: tuple[str, ...]) -> bool:
    """Return whether `text` holds one of `words`, a cheap gate in front of a pattern."""
    for word in words:  # noqa: SIM110 - a generator costs as much as the search; asked per sentence
        if word in text:
            return True
    return False


_BEFORE = (
    r"(?:(?:and|so|but|also|then|otherwise|additionally|lastly|finally|alternatively|"
    r"therefore),? ){0,2}"
)
_FOR_WHAT = (
    r"(?: (?:about|for) (?:that|this|(?:the|any|my) (?:confusion|inconvenience|delay|wait|trouble"
    r"|mistake|error|misunderstanding)))?"
)
_FEELING = (
    r"(?:(?:i(?:'m| am)|we(?:'re| are)|it(?:'s| is)) )?(?:so |very |really |also )?"
    r"(?:glad|happy|pleased|delighted|great|good|nice|lovely|wonderful) "
)
# The same in German, French, Spanish, Italian, Dutch and Portuguese. The reason for thanks, and the
# person greeted, may follow.
_ELSEWHERE = (
    r"[¡]?(?:(?:hallo|guten (?:tag|morgen|abend)|bonjour|bonsoir|salut|hola|buenos días"
    r"|buenas (?:tardes|noches)|ciao|buongiorno|buonasera|salve|hoi|goede(?:morgen|middag|navond)"
    r"|olá|bom dia|boa (?:tarde|noite))(?:,? [^\W\d_]{2,14}){0,2}"
    r"|(?:vielen dank|herzlichen dank|danke(?: schön| sehr)?|merci(?: beaucoup| bien)?"
    r"|(?:muchas |mil )?gracias|(?:molte |tante |mille )?grazie(?: mille)?|hartelijk dank|bedankt"
    r"|dank (?:je|u)(?: wel)?|(?:muito )?obrigad[oa])"
    r"(?: (?:für|pour|por|pel[oa]|per|voor) [^,.!?\n]{1,40})?"
    r"|(?:sehr )?gern(?:e)?(?: geschehen)?|bitte(?: schön| sehr)|kein problem|keine ursache"
    r"|(?:einen )?schönen (?:tag|abend)(?: noch)?|viel (?:spaß|erfolg|glück)|auf wiedersehen"
    r"|tschüss|willkommen|guten appetit|alles gute"
    r"|de rien|je vous en prie|avec plaisir|bonne (?:journée|soirée|chance|continuation)"
    r"|bon (?:appétit|courage|voyage|week-end)|au revoir|bienvenue|à bientôt|pas de problème"
    r"|de nada|con (?:mucho )?gusto|que tengas? (?:un )?buen día|buen provecho|buena suerte"
    r"|hasta (?:luego|pronto)|adiós|bienvenid[oa]s?|no hay de qué"
    r"|prego|di niente|non c'è di che|con piacere|buona (?:giornata|serata|fortuna)"
    r"|buon (?:appetito|viaggio|lavoro)|arrivederci|benvenut[oaie]|a presto"
    r"|graag gedaan|geen probleem|fijne (?:dag|avond)(?: nog)?|eet smakelijk"
    r"|veel (?:plezier|succes)|tot ziens|welkom"
    r"|por nada|não há de quê|tenha um (?:bom|ótimo) dia|bom (?:apetite|trabalho)"
    r"|boa (?:sorte|viagem)|até (?:logo|breve)|bem-vind[oa]s?|com prazer|tchau)"
)
_GREETINGS = lazy_re(
    r"(?:(?:hello|hi|hey|dear|good (?:morning|afternoon|evening|day)"
    r"|welcome(?: back)?(?: to (?:[\w'&-]{1,20} ?){1,6})?)(?:,? (?!you\b)[^\W\d_]{2,14}){0,2}"
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
    # Wishes, and replies to good news.
    r"|have (?:fun|an? (?:\w{1,12} )?(?:day|one|evening|night|weekend|time|trip|stay|journey|rest"
    r" of your (?:day|week|stay)))|happy (?:\w{2,14}ing|holidays|birthday|new year|easter|travels)"
    r"|enjoy(?: (?:it|yourself|(?:the rest of )?your (?:\w{1,12} )?(?:meal|day|evening|weekend|stay"
    r"|trip|visit|time|holidays?|vacation|journey|flight|coffee|food|dinner|lunch|breakfast)))?"
    r"|(?:good|best of) luck(?: (?:with|on|in|for) (?:it|that|this|your [^,.!?\n]{1,30}))?"
    r"|(?:safe|happy) (?:travels|trip|journey)|stay safe|take your time|all the best"
    r"|congrat(?:s|ulations)(?: on your [^,.!?\n]{1,30})?|well done"
    rf"|{_FEELING}(?:to (?:hear|see|know|meet)(?: (?:that|this|it|from you|you|back)){{0,2}}"
    r"(?:,? too)?|(?:(?:that|this|it) (?:helped|works|worked)|(?:i|we) could (?:help|be of help)))"
    r"|i(?:'m| am) (?:doing )?(?:very )?(?:well|fine|great|good)(?:,? thank(?:s| you))?"
    r"|(?:no worries|no trouble(?: at all)?|any ?time|don't mention it|sounds good"
    r"|(?:wonderful|awesome|perfect|great|excellent|lovely)(?= ?!))"
    r"|see you(?: (?:soon|later|around|then|next time))?|until next time"
    r"|come back (?:soon|any ?time)|(?:good)?bye|take care"
    rf"|(?:best|kind|warm) regards|cheers|sincerely|{_ELSEWHERE})[\s,.!;:-]{{0,6}}"
)
# How courtesies and introductions begin.
COURTESY = lazy_re(
    rf"{_BEFORE}(?:please )?(?:(?:i )?(?:really |sincerely )?"
    r"hope (?:this|that|it|these|the above|you find)\b"
    r"|(?:let me know|feel free|do not hesitate|don't hesitate)\b"
    r"|(?:if|should) you (?:have|need|require|want|would like) (?:\w{3,10} ){0,2}"
    r"(?:questions?|help|assistance|information|details|concerns|clarification)"
    r"|(?:is there )?anything else (?:i|you)\b|i(?:'m| am) (?:always |just )?here "
    r"(?:to help|(?:if|when(?:ever)?) you)|ask (?:me|us) (?:any|about)"
    r"|as an? (?:ai|language model|virtual|digital)\b|disclaimer:"
    r"|(?:(?:hello|hi|hey)[,!.]? )?(?:i am|i'm|this is|my name is) (?:(?!of )[\w'-]{1,20},? ){1,5}"
    r"(?:assistant|chatbot|bot|language model)\b)"
)
_REFERS_TO = (
    r"\b(?:contact|consult|ask|call|email|reach out to|check with|refer to|speak (?:to|with))"
    r"(?:ing)?\b"
)
# All of a sentence that sends the reader elsewhere, and urges: "Call the office." may be a step.
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
    """Return whether greetings, thanks and acknowledgements are all there is."""
    at = 0
    while match := _GREETINGS.match(lowered, at):
        at = match.end()
    return 0 < at == len(lowered)


def lists_source(text: str) -> bool:
    """Return whether a line, with its block mark, is part of a list of sources and no statement."""
    # Each form has a colon, a bracket, or a stop before an ending.
    if ":" not in text and "[" not in text and "." not in text[:-1]:
        return False
    return _SOURCE_LINE.fullmatch(text) is not None and not has_verb(text.lower())


def has_verb(lowered: str) -> bool:
    """Return whether a lower-case text holds a word that is surely a verb, or a pronoun."""
    # Most sentences have a verb between spaces; "isn't," and "it's:" need the second look.
    return not (_VERBS.isdisjoint(lowered.split()) and _VERBS.isdisjoint(words_in(lowered)))


# "Article 17" is one of a law.
_CITED = (
    r"(?:passages?|documents?|documentation|contexts?|sources?|texts?|excerpts?"
    r"|articles?\b(?! ?\d)|information|materials?)"
)
_THESE = (
    r"(?:(?:the|these|this|your|all|provided|given|above|available|retrieved|first|second|third) )"
    r"{0,4}"
)
_NUMBERS = r"\d{1,3}(?: ?(?:,|and|or|to|-) ?(?:(?:and|passages?) )?\d{1,3}){0,6}"
_STATE = (
    r"(?: also| further| only)? (?:mention|state|say|note|explain|suggest|describe|indicate|"
    r"provide|list|recommend|discuss|highlight|show|advise|add)(?:s|es)?\b"
)
# For lower-case text. A space stands for white space.
_TALK = lazy_re(
    (
        rf"\(?\b(?:in )?{_CITED} {_NUMBERS}(?: ?\))?(?:{_STATE})?"
        r"|\b(?:(?:based (?:solely |only )?(?:up)?on|according to|per|from|as \w{3,9}ed (?:in|by))"
        rf" {_THESE}{_CITED}\b(?: (?:provided|given|above|available))?(?: {_NUMBERS})?"
        rf"|(?:the|these|this) {_THESE}{_CITED}\b(?: (?:provided|given|above))?{_STATE}"
        r"|it(?:'s| is) (?:also )?(?:important|worth|useful|essential|helpful|recommended) "
        r"(?:to (?:note|remember|mention|keep in mind)|noting|mentioning)\b"
        r"|(?:please )?(?:note|keep in mind|remember|be aware) that\b"
        r"|in (?:conclusion|summary|short|general|addition|other words)\b"
        r"|(?:the )?answers? to (?:the|your|this) question\b)"
    )
    .replace(" ?", r"\s{0,2}")
    .replace(" ", r"\s{1,3}")
)
# An opener at a sentence's start, a list mark and a step's label number the answer, not the world.
_OPENER = lazy_re(
    r"""(?ix)[\s>*_\#"'-]{0,12}
    (?:(?:\d{1,3}|[a-z])[.)]\s{1,3})? [*_]{0,3}
    (?:step\s{1,2}\d{1,3}\s{0,2}[:.)-]{0,2}[*_]{0,3}
      |(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|next|then|finally|lastly|note|important|tip|also
         |overall|therefore|thus|hence|however|moreover|furthermore|additionally|in\ fact)
       \s{0,2}[*_]{0,3}[,:][*_]{0,3})?"""
)
# One of these is in everything the pattern matches: most sentences are not searched.
_GATES = (
    "passage",
    "document",
    "text",
    "source",
    "excerpt",
    "chunk",
    "article",
    "information",
    "material",
    "note",
    "noting",
    "mention",
    "remember",
    "mind",
    "aware",
    "answer",
    "conclusion",
    "summary",
    "short",
    "general",
    "addition",
    "words",
)


def without_talk(text: str, lowered: str | None = None) -> str:
    """Return folded `text` with such phrases and its opener blanked: same length and offsets.

    `lowered`: the text in small letters, for a caller who has it.
    """
    start = opener_end(text)
    lowered = lower_in_place(text) if lowered is None else lowered
    if start:
        text = " " * start + text[start:]
        lowered = " " * start + lowered[start:]
    if not holds_any(lowered, _GATES):
        return text
    for phrase in _TALK.finditer(lowered):
        at, end = phrase.span()
        text = text[:at] + " " * (end - at) + text[end:]
    return text


def opener_end(text: str) -> int:
    """Return where a sentence's own words begin: behind list mark, step label and opener."""
    opener = _OPENER.match(text)
    return opener.end() if opener and any(map(str.isalnum, opener.group())) else 0
