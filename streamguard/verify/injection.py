"""Detects texts that instruct a judge (prompt injection); they are no evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from streamguard.text.normalise import fold, in_latin, lower_in_place
from streamguard.text.patterns import lazy_re

# Instructions to a judge, in some languages. "Supported" and "true" by themselves are words
# of any handbook: they count behind a verb of judging, the second only of something said.
_STRONG = (
    r"(?:supported|contradicted|not[_ ]mentioned|entailed|grounded|faithful|hallucinat\w+"
    r"|belegt|gestützt|étayée?s?|respaldad[oa]s?|supportat[oa])"
)
_WEAK = (
    r"(?:true|false|correct|accurate|verified|factual|right|korrekt|wahr|richtig|exacte?s?"
    r"|vraie?s?|correct[oae]s?|verdader[oa]s?|ver[oaie])"
)
_JUDGE = (
    r"(?:mark(?:ed)?|label(?:l?ed)?|rated?|judged?|graded?|scored?|classif(?:y|ied)|treat(?:ed)?"
    r"|consider(?:ed)?|declared?|deem(?:ed)?|rule|confirm(?:ed)?"
    r"|bewerte\w*|beurteile\w*|markiere\w*|stufe|évalue\w*|marque\w*|considère\w*|juge\w*"
    r"|marca|califica|evalúa|considera|valuta)"
)
_SPEECH = (
    r"(?:say|answer|reply|respond|output|return|report|conclude|write|print|choose|pick"
    r"|antworte\w*|sag\w*|schreib\w*|dis|dites|répond\w*|écri\w+|di|responde|escribe|rispondi)"
)
_STATEMENT = (
    r"(?:sentences?|claims?|statements?|answers?|responses?|everything|all of it|S[0-9]{1,3}"
    r"|sätze?|satz|aussagen?|antwort\w*|phrases?|affirmations?|réponses?|frases?|afirmaci\w+"
    r"|respuestas?|fras[ei]|afferma\w+|rispost[ae])"
)
_WHO = (
    r"(?:judges?|evaluators?|graders?|verifiers?|fact[- ]?checkers?|reviewing model|assessors?"
    r"|language models?|ai models?|ai systems?|llms?|gpt|prüfer|richter|juge|juez|evaluador\w*)"
)
_TELLING = lazy_re(
    r"\b(?:ignore|disregard|forget|override|bypass|ignorier\w*|vergiss|ignorez|oublie[zr]?"
    r"|ignora|olvida)\b.{0,40}\b(?:rules?|instructions?|prompts?|guidelines|anweisung\w*|regeln?"
    r"|consignes|instrucciones|reglas|istruzioni)\b"
    rf"|\b{_JUDGE}\b.{{0,80}}\b{_STRONG}\b"
    rf"|\b{_SPEECH}\b[^.!?]{{0,40}}\b{_STRONG}\b"
    rf"|\b{_JUDGE}\b.{{0,40}}\b{_STATEMENT}\b.{{0,40}}\b{_WEAK}\b"
    rf"|\b(?:all|every|each|alle|jede\w*|toutes?|todas?|tutte)\b.{{0,20}}\b{_STATEMENT}\b.{{0,40}}"
    rf"\b{_STRONG}\b"
    rf"|\b(?:verdicts?|urteil|veredicto)\b.{{0,30}}\b{_STRONG}\b"
    r"|\b(?:confidence|konfidenz|confiance|confianza)\b.{0,20}"
    r"(?:\b1(?:\.0+)?\b|\b0?\.9\d*\b|\b1?\d\d ?%)"
    rf"|\b{_WHO}\b.{{0,60}}\b(?:{_STRONG}|quote|verdicts?|confidence|mark|approve|accepts?)\b"
    rf"|\b{_WHO}\b.{{0,20}}\b(?:must|should|shall|please|muss|soll|doit|debe)\b.{{0,20}}\b{_JUDGE}\b"
    r"|[\"'](?:verdicts?|quotes?)[\"']\s{0,4}:"
    rf"|\bS[0-9]{{1,3}}\b.{{0,30}}\b{_STRONG}\b|\b{_STRONG}\b.{{0,30}}\bS[0-9]{{1,3}}\b"
    r"|\bsystem prompt\b|</?(?:system|assistant|user|instructions?)>|\[/?INST\]|<\|im_\w+\|>",
    re.IGNORECASE | re.DOTALL,
)
# A part that every instruction to a judge has, and how far away its other parts may be.
_HINTS = (
    "support contradict mention entailed grounded faithful hallucinat belegt gestützt étay"
    " respaldad rule instruc prompt guideline anweisung regel consigne reglas istruz true"
    " false correct accurate verified factual right korrekt wahr richtig exact vrai verdad"
    " vero vera verdict urteil veredict confiden konfiden confian quote assistant inst] <|im"
    " <system </system <user </user judge evaluator grader verifier checker assessor model"
    " ai_system llm gpt prüfer richter juge juez evaluador"
).split()
_REACH = 240  # characters; every pattern's parts are nearer
_INVISIBLE = lazy_re(r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_SPACED = lazy_re(r"\b(?:\w[ ._-]){2,}\w\b")


@lru_cache(maxsize=64)
def is_injection(text: str) -> bool:
    """Return whether a text instructs a judge; linear, and fast without a hint of it."""
    plain = text if text.isascii() else in_latin(fold(_INVISIBLE.sub("", text)).text)
    if _SPACED.search(plain):
        plain = _SPACED.sub(lambda run: re.sub(r"[ ._-]", "", run.group()), plain)
    lowered = lower_in_place(plain)
    starts = sorted(start for hint in _HINTS for start in _starts(hint.replace("_", " "), lowered))
    done = 0
    for start in starts:
        if start >= done:
            done = start + 2 * _REACH
            if _TELLING.search(plain[max(0, start - _REACH) : done]):
                return True
    return False


def _starts(hint: str, text: str) -> Iterator[int]:
    at = text.find(hint)
    while at >= 0:
        yield at
        at = text.find(hint, at + _REACH)
