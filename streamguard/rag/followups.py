"""Follow-up questions: the search text of a question that depends on the one before.

"And for part-timers?" has nothing to search for. It is searched together with the question it
follows, by traceable rules and without a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from streamguard.rag.lexical import terms
from streamguard.rag.smalltalk import is_small_talk
from streamguard.text.normalise import fold
from streamguard.text.patterns import lazy_re

_MAX_CHARS = 120  # longer is a question of its own; guess
_MAX_TERMS = 3  # content words of a question whose pronoun points back; more name it; guess

# "And …", "What about …?": goes on from what was asked, unless it is a clause with its own verb.
_OPENS = lazy_re(
    r"(?:and|or|but|also|plus|what about|how about|what if|(?:the )?same for|und|oder|aber"
    r"|was ist mit|wie ist es mit|wie sieht es mit)\b"
)
# "For part-timers?", "In winter?": says where or when, not what.
_CIRCUMSTANCE = lazy_re(
    r"(?:for|in|with|without|at|on|during|from|after|before|under|over|by|per|if|when|while"
    r"|für|bei|mit|ohne|im|am|nach|vor|wenn)\b"
)
_VERB = lazy_re(
    r"\b(?:is|are|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|has|have"
    r"|had|tell|show|explain|describe|list|give|ist|sind|hat|haben|kann|können|muss|müssen)\b"
)
# "Is it possible to …?" points at nothing before it.
_POINTS_BACK = lazy_re(
    r"\b(?:it(?! (?:possible|necessary|required|allowed|permitted|mandatory|true)\b)|its"
    r"|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|ones?)\b"
)
# "More details, please": about the answer, not about anything in the documents.
_ABOUT_THE_ANSWER = lazy_re(
    r"\b(?:details?|examples?|elaborate|precise|precisely|exactly|specific|specifically|mean|sure"
    r"|really|certain)\b"
)
_SIGNS = lazy_re(r"[^\w\s'-]+|_")


def searched_for(question: str, history: Sequence[Mapping[str, str]] = ()) -> str:
    """Return the search text: the question, preceded by the one it depends on, if any.

    `history`: the earlier messages, oldest first; only those of the role user count, small talk
    does not. The question depends on the last self-contained one: those in between depend on it
    too, and joining all would dilute the search.
    """
    earlier = _questions(history)
    if not earlier or not is_follow_up(question):
        return question
    stands = (text for text in reversed(earlier) if not is_follow_up(text))
    return f"{next(stands, earlier[0])} {question}"


def is_follow_up(question: str) -> bool:
    """Return whether a question's own words do not suffice to search.

    It has no content word ("Why?", "Tell me more"); continues the last question without a verb of
    its own ("And for part-timers?", "What about the Gold account?", "In winter?"); or has a pronoun
    that refers back and few other words ("How long is it valid?").
    """
    if len(question) > _MAX_CHARS:
        return False
    plain = " ".join(_SIGNS.sub(" ", fold(question).text.casefold()).split())
    content = terms(_ABOUT_THE_ANSWER.sub(" ", plain)).total()
    opening = _OPENS.match(plain)
    rest = plain[opening.end() :] if opening else plain
    goes_on = opening is not None or _CIRCUMSTANCE.match(plain) is not None
    return (
        content == 0
        or (goes_on and not _VERB.search(rest))
        or (content <= _MAX_TERMS and _POINTS_BACK.search(rest) is not None)
    )


def _questions(history: Sequence[Mapping[str, str]]) -> list[str]:
    asked = (message.get("content", "") for message in history if message.get("role") == "user")
    return [text for text in asked if not is_small_talk(text)]
