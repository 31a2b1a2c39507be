"""Forms that show that words state something: "It is waterproof." against "Basic"."""

from __future__ import annotations

from streamguard.text.words import words_in

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


def has_verb(lowered: str) -> bool:
    """Say whether a lower-case text holds a word that is surely a verb, or a pronoun."""
    # Most sentences have a verb between spaces; "isn't," and "it's:" need the second look.
    if not _VERBS.isdisjoint(lowered.split()):
        return True
    return not _VERBS.isdisjoint(words_in(lowered))
