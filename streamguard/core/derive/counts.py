"""Counts of what is listed: "three plans" where the source lists Basic, Pro and Enterprise."""

from __future__ import annotations

import re
from collections.abc import Iterator

from streamguard.core.derive.lists import LEAST, MOST, listings
from streamguard.core.derive.operands import stems
from streamguard.core.derive.statement import Derivation, Statement

# What is counted follows the figure within so many words ("3 paid subscription plans"); guess.
_NOUN = re.compile(r"\s+((?:[^\W_]+(?:['-][^\W_]+)*\s*){1,3})")
# What is counted under such a name need not be called so in the source; the sentence and the list
# share this many other words then. Guesses.
_GENERIC = stems(
    "kinds types sorts ways things items options goods products steps stages phases parts points"
    " reasons categories factors elements components methods groups tips examples features benefits"
    " main different key various"
)
_KINDS = stems("kinds types sorts")
_SHARED = 2
# "The two plans", "between two of them": some of what is listed, or something else.
_PICKED = re.compile(
    r"(?:the|these|those|both|between|of|other|next|first|last|any|my|your|its|their|our)[ ]$"
)
_SHOWN = 60  # characters of a list that a derivation quotes


def counts(said: Statement) -> Iterator[Derivation]:
    """Yield the lengths of the lists that bear the name of what the answer counts."""
    anchor = said.anchor
    if not said.own.is_plain or anchor.period or not LEAST <= said.own.value <= MOST:
        return
    named = _counted(said)
    if not named:
        return
    for listing in listings(said.low):
        if listing.names & named and not listing.start <= anchor.start < listing.end:
            yield Derivation("the list in the sentence", (), listing.value)
    words, passage = stems(said.low), stems(said.passage)
    found_lists = said.listings()
    # Whatever the sources list, if they list one thing only: "six kinds", "three types".
    sure = _PICKED.search(said.before) is None
    only = len(found_lists) == 1 and bool(named & _KINDS)
    for block, listing in found_lists:
        shared = listing.lead & words
        same_lead = 2 * len(shared) > len(listing.lead)
        # What the passage calls by this name is not what it lists under another one.
        alone = len(found_lists) == 1 and bool(shared) and named.isdisjoint(passage)
        generic = bool(named & _GENERIC) and len(shared) >= _SHARED
        if only or alone or generic or listing.names & named:
            yield Derivation(
                f"{listing.count} listed: {_shown(listing.text)}",
                (),
                listing.value,
                place=(block, listing.start, listing.end),
                # The sentence says of its figure what the list's own lead says.
                certain=sure and (only or (len(shared) >= _SHARED and same_lead)),
            )


def _counted(said: Statement) -> frozenset[str]:
    """Return the stem of the noun that the value counts; of the words behind it where none is."""
    if said.anchor.noun is not None:
        return stems(said.anchor.noun)
    found = _NOUN.match(said.after)
    return stems(found[1]) if found else frozenset()


def _shown(text: str) -> str:
    words = " ".join(text.split()).lstrip(": ")
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN].rstrip()} …"
