"""Sentences that say, anywhere in an answer, that its sources do not tell something.

"Alcohol isn't mentioned.", "The leaflet says nothing about grapefruit.", "It is not stated
whether pets are allowed.": nothing a source could support. The whole sentence has to be of such a
form, so that what else it states stays a claim: "The fee is not stated, but it is small."

Read on lower-case folded text. Every repetition is bounded, so the patterns are linear.
"""

from __future__ import annotations

import re

from streamguard.core.reading.unanswered import holds_any
from streamguard.text.patterns import lazy_re

_OPENER = (
    r"[\s\"'*_>(#-]{0,12}(?:(?:but|and|also|yet|still|however|unfortunately|(?:please )?note"
    r"(?: that)?|nevertheless|in addition|additionally|moreover|furthermore|similarly|"
    r"likewise),? ){0,2}"
    r"(?:(?:as for|as to|regarding|concerning|apart from|beyond) [^.,;:!?\n]{1,80}, )?"
)
_ENDS = " .!)\"'*_"
_END = r"[\s.!)\"'*_]{0,60}"  # citation tags are blanked; guess, two of them
_TOPIC = r"(?P<topic>[^;:!?\n]{1,200})"
_SUBJECT = r"(?P<subject>[^.,;:!?\n]{1,120})"
_ADVERB = r"(?:(?:[a-z]{2,14}ly|also|even|yet|currently|further|anywhere) )?"
_NOT = r"(?: not|n't)"

# Texts that hold nothing but words, beside those of `core.source_nouns`; rules are texts as well,
# but a policy that does not cover floods says so about floods.
_TEXT_NOUN = (
    r"(?:leaflets?|brochures?|booklets?|pamphlets?|handbooks?|manuals?|guides?|guidebooks?|"
    r"pages?|webpages?|web pages?|websites?|web sites?|faqs?|"
    r"documents?|documentation|docs|passages?|excerpts?|sources?|texts?|context|sections?|overview|readme|wiki)"
)
_RULE_NOUN = (
    r"(?:polic(?:y|ies)|regulations?|rules?|guidelines?|contract|lease|terms(?: and conditions)?|"
    r"instructions?|recipe|notice|timetable|schedule|catalogu?e|listing|label|package insert)"
)
_THE = r"(?:the|this|that|these|those|your|our|any|either)"
_WORDS = r"(?:[a-z'-]{2,20} ){0,3}?"
# "the text messages", "the page numbers", "the guide dog" are no texts.
_THING = r"(?! (?:messages?|numbers?|dogs?|books?|covers?|code|files?|fields?|rails?|menus?)\b)"
_TEXT = rf"{_THE} {_WORDS}{_TEXT_NOUN}{_THING}(?: (?:itself|provided|given|above|here))?"
_RULES = rf"{_THE} {_WORDS}{_RULE_NOUN}{_THING}(?: itself)?"

_SAYS = (
    r"(?:mention|say(?! to\b)|state|specify|discuss|explain|indicate|describe|clarify|address|"
    r"tell(?: us| you)?|touch on|go into|refer to|speak of|talk about)"
)
_LISTS = r"(?:cover|list|answer|deal with)"
_MENTIONS = (
    r"(?:mentions?|says?|states?|specif(?:y|ies)|discuss(?:es)?|explains?|describes?|covers?)"
)
_SAID = r"(?:mentioned|stated|specified)"
_TOLD = (
    r"(?:mentioned|stated|specified|covered|discussed|addressed|described|explained|answered|"
    r"indicated|detailed|defined|spelled out|dealt with|referred to|touched on|given|listed)"
)
_ANY = (
    r"(?:(?:any|specific|further|explicit|direct|clear|detailed|more|other|additional|exact|such|"
    r"particular|precise) ){0,2}"
)
_ABOUT = r"(?:about|on|of|regarding|concerning|as to|whether|how|what|when|where|who|why)"
# "no word for snow" is about words.
_DETAILS_ON = (
    rf"(?:(?:mention|details?|information|info|specifics|particulars) {_ABOUT}"
    r"|word (?:on|about|of))"
)
_ASKED = r"(?:whether|if|how|what|when|where|which|who|whom|why|exactly|precisely)"
_GIVEN = (
    r"(?:given|provided|available|included|mentioned|stated|found|offered|listed|supplied|present|"
    r"contained|made)"
)
_IN = rf"(?:(?:in|by|on|within|anywhere in) {_TEXT})"
_WHERE = rf"(?: (?:here|anywhere|at all|either|explicitly|{_IN}))?"


def _spaced(form: str) -> re.Pattern[str]:
    return lazy_re(form.replace(" ", r"\s{1,8}"))


def _whole(*forms: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_spaced(f"{_OPENER}{form}{_END}") for form in forms)


# Of texts alone: such a sentence, first in an answer, is its refusal.
_BY_TEXTS = _whole(
    rf"{_TEXT} (?:do|does|did){_NOT} {_ADVERB}{_SAYS}(?: {_TOPIC})?",
    rf"{_TEXT} (?:do|does|did){_NOT} {_ADVERB}(?:{_LISTS}|(?:give|provide|contain|include|offer"
    rf"|have) {_ANY}{_DETAILS_ON}) {_TOPIC}",
    rf"{_TEXT} leaves? open {_ASKED} {_TOPIC}",
    rf"(?:none|nothing|neither|no part) (?:of|in) {_TEXT} {_MENTIONS} {_TOPIC}",
    rf"(?:it is|it's) (?:unclear|not clear|unknown) from {_TEXT} {_ASKED} {_TOPIC}",
    rf"{_SUBJECT} (?:is|are|remains?) (?:unclear|not clear) from {_TEXT}",
    rf"{_TEXT} (?:says?|states?|mentions?|tells? us|contains?|has|have) nothing {_ABOUT} {_TOPIC}",
    rf"{_TEXT} (?:is|are|remains?) silent (?:on|about|as to|regarding) {_TOPIC}",
    rf"{_TEXT} (?:gives?|provides?|offers?|contains?|has|have|makes?|goes into) no {_ANY}"
    rf"{_DETAILS_ON} {_TOPIC}",
    rf"{_SUBJECT} (?:is|are){_NOT} {_ADVERB}(?:{_TOLD}|provided|found) {_ADVERB}{_IN}",
)
_BY_RULES = _whole(
    rf"{_RULES} (?:do|does|did){_NOT} {_ADVERB}{_SAYS}(?: {_TOPIC})?",
    rf"{_RULES} (?:says?|states?|mentions?|tells? us) nothing {_ABOUT} {_TOPIC}",
    rf"{_RULES} (?:makes?|gives?|contains?) no {_ANY}{_DETAILS_ON} {_TOPIC}",
    rf"{_RULES} leaves? open {_ASKED} {_TOPIC}",
    rf"{_RULES} (?:is|are|remains?) silent (?:on|about|as to|regarding) {_TOPIC}",
    rf"{_SUBJECT} (?:is|are){_NOT} {_ADVERB}(?:{_SAID}|discussed|described|explained)"
    rf" {_ADVERB}(?:in|by|within|anywhere in) {_RULES}",
)
# Nobody is named who could have told.
_BARE = _whole(
    rf"{_SUBJECT} (?:is|are){_NOT} {_ADVERB}{_SAID}{_WHERE}",
    rf"{_SUBJECT} (?:is|are){_NOT} {_ADVERB}{_TOLD} here",
    rf"{_SUBJECT} (?:is|are|remains?|stays?|goes|go) (?:left )?(?:unmentioned|unstated|unspecified|"
    rf"unaddressed){_WHERE}",
    rf"(?:it|this|that)(?: is not|'s not| isn't) {_ADVERB}(?:{_SAID}|said|indicated|explained|"
    rf"described|made clear|spelled out){_WHERE} {_ASKED} {_TOPIC}",
    rf"(?P<topic>{_ASKED} [^.;:!?\n]{{1,120}}) (?:(?:is|are){_NOT} {_ADVERB}(?:{_TOLD}|said|"
    rf"made clear)|(?:is|are) left open){_WHERE}",
    rf"nothing (?:is|was) (?:said|mentioned|stated|written){_WHERE} {_ABOUT} {_TOPIC}",
    rf"nothing {_ABOUT} {_SUBJECT} (?:is|was) (?:said|written|{_GIVEN}){_WHERE}",
    rf"(?:it|they) (?:do|does|did){_NOT} {_ADVERB}(?:mention|specify) {_TOPIC}",
    rf"(?:it|they) (?:do|does|did){_NOT} {_ADVERB}(?:say|state|explain|describe|indicate|clarify)"
    rf"(?: (?P<topic>{_ASKED} [^.;:!?\n]{{1,120}}))?",
    rf"(?:(?:further|more|other|specific|exact|precise|additional) )?"
    rf"(?:details|information|specifics)(?: {_ABOUT} {_SUBJECT})? (?:is|are){_NOT} {_GIVEN}"
    rf"{_WHERE}",
    rf"(?:there (?:is|are)|there's) (?:no|not any) {_ANY}{_DETAILS_ON} {_TOPIC}",
    rf"there(?: is|'s) nothing (?:said |stated |mentioned |written )?(?:about|regarding|concerning)"
    rf" {_TOPIC}",
    rf"no {_ANY}{_DETAILS_ON} {_SUBJECT} (?:is|are) {_GIVEN}{_WHERE}",
    rf"no {_ANY}(?:mention|details?|information|info) (?:is|are) {_GIVEN} {_ABOUT} {_TOPIC}",
)
_NEGATIONS = ("not ", "n't ", "no ", "nothing ", "none ", "neither ", " silent ", " un", " open")
_TELLINGS = (
    "mention", "stat", "specif", "cover", "discuss", "address", "descri", "expla", "answer",
    "indicat", "detail", "defin", "spelled", "dealt", "refer", "touch", "given", "listed", "say",
    "said", "tell", "silent", "info", "word", "particulars", "written", "clear", "clarif", "name",
    "go into", "speak", "talk", "nothing", "open", "provided", "found", "list", "deal",
)  # fmt: skip
# "Parking is free and the fee is not stated" says more than its last words.
_FINITE = lazy_re(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would|must|should|may|might|"
    r"isn't|aren't|doesn't|don't|can't|won't|cannot)\b"
)
_ASKING = _spaced(rf"{_ASKED}\b")
# "..., so please check with the office": whom to ask is no statement.
_REFERS_ON = _spaced(
    r",? (?:so|and|but) (?:please |you (?:should|could|can|may|might|need to|will need to) "
    r"(?:want to )?|(?:it is|it's) (?:best|better) to |i(?:'d| would) (?:suggest|recommend) "
    r"(?:that you )?)?"
    r"(?:check|ask|confirm|verify|contact|consult)(?:ing)?\b[^.,;:!?\d\n]{0,80}[\s.!)\"'*_]{0,60}$"
)
_GOES_ON = _spaced(
    r"(?:,? )(?:but|so|yet|although|though|while|whereas|because)\b|, (?:and|which|or)\b"
)


def untold_topic(lowered: str) -> str | None:
    """Return what the sources do not tell of, by a whole lower-case sentence; None for others.

    Empty where a sentence names nothing ("That is not stated here.").
    """
    return _topic(lowered, (*_BY_TEXTS, *_BY_RULES, *_BARE))


def texts_do_not_tell(lowered: str) -> bool:
    """Say whether a whole lower-case sentence says that a text does not tell something.

    Of a policy, a contract or a recipe this may be the very thing that was asked for.
    """
    return _topic(lowered, _BY_TEXTS) is not None


def _topic(lowered: str, forms: tuple[re.Pattern[str], ...]) -> str | None:
    if not holds_any(lowered, _NEGATIONS) or not holds_any(lowered, _TELLINGS):
        return None
    tail = _REFERS_ON.search(lowered)
    if tail is not None:
        lowered = lowered[: tail.start()]
    if _GOES_ON.search(lowered) is not None:
        return None
    for form in forms:
        found = form.fullmatch(lowered)
        if found is not None:
            named = found.groupdict()
            subject = named.get("subject") or ""
            topic = (subject or named.get("topic") or "").rstrip(_ENDS)
            return topic if _is_one_clause(subject) else None
    return None


def _is_one_clause(subject: str) -> bool:
    """Say whether the subject has no verb of its own but in an indirect question."""
    return _ASKING.match(subject) is not None or _FINITE.search(subject) is None
