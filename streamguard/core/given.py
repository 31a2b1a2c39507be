"""Values that an answer takes up without stating them of the sources.

What the asker brings ("for 5 users"), what the answer rejects or only supposes ("two months would
exceed the limit", "no, not $29"), and what it says the sources do not mention. A value that the
question asks about and the answer affirms ("Yes, it costs $29") is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from streamguard.core.anchors import Anchor, Match, agree, lowered
from streamguard.core.anchors.value import listed
from streamguard.core.conflicts.binding import rivals
from streamguard.core.unanswered import find_unanswered
from streamguard.core.words import stem

if TYPE_CHECKING:
    from streamguard.core.evidence import Evidence
    from streamguard.core.question import Question
    from streamguard.core.sentence import Sentence

# The asker's value is the sources' all the same where a chunk has another one of the same thing:
# the bounds of `other_value`.
_LEAST, _MARGIN = 0.5, 0.3
_REACH = 80  # characters of a clause that are looked at on either side of a value; guess
_BREAK = re.compile(
    r"[;:.?!,](?=\s|$)|\s(?:but|however|although|though|while|whereas|so|because|and)(?=\s)"
)
_PARTS = re.compile(r"[;:.?!,](?=\s|$)")  # of a question
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_DENIED = re.compile(
    r"(?<!\w)(?:not|never|neither|nor|rather than|instead of|without|cannot)(?!\w)|n't(?!\w)"
)
_DENIED_WORDS = 5  # between a denial and the value that it denies; guess
# "Not more than 3", "must not exceed 60 mg" and "not within 30 days" state a bound; "those who do
# not register pay $29" denies something else.
_BOUND = re.compile(
    r"(?<!\w)(?:more|less|fewer|exceed\w*|over|under|than|until|before|later|earlier|longer|shorter"
    r"|within|above|below|only|just|least|most|beyond|after|except)(?!\w)"
)
_ASIDE = re.compile(r"(?<!\w)(?:who|whom|that|which|if|unless|when|where)(?!\w)")
# "Two months would exceed the limit", "$29 is not the price", "400 is too many".
_REJECTED = re.compile(
    r"(?<!\w)(?:(?:is|are|was|were|would|will|does|do|can|could|may)(?:[ ]not|n't)|cannot|exceeds?"
    r"|(?:is|are|(?:would|will)[ ]be)[ ](?:too|above|beyond|over|outside|past|more than|less than"
    r"|longer than|below|under|wrong|incorrect)|would[ ](?:need|require|violate|break))(?!\w)"
)
_REJECTED_WITHIN = 24  # characters behind the value; guess
_SUPPOSED = re.compile(r"(?<!\w)(?:if|suppose|supposing|assuming)(?!\w)")
# With which a clause of the question begins that tells of the asker's case.
_TELLING = listed(
    "what how which where when who whose for with at from on in after given assuming suppose if as"
    " i i'm i've i'll we we're we've my our he he's she she's"
)
_OPENERS = listed("and so then but hi hello")
# "In a 40 cm shelf", "for my 9-year-old"; what stands behind "the" is the sources' own.
_OWN = re.compile(r"(?<!\w)(?:(?:in|into|on|for|to|through)[ ]an?|my|our)[ ](?:\w+[ ])?$")
# And so they stand in the answer, where nothing is said of them.
_FRAMED = re.compile(r"(?<!\w)(?:for|of|given|at|at age|aged)[ ](?:an?[ ])?$")
# "With 26 pupils, the hall is too small"; "it comes with 26 seats" says something of the sources.
_OPENED = re.compile(r"(?:^|[,;.:(!?])\W{0,3}(?:with|as|having|being)[ ](?:an?[ ]|your[ ])?$")
_YOU_ARE = re.compile(r"(?<!\w)(?:you're|you are|you weigh|you said|you mentioned)[ ](?:an?[ ])?$")
_FRAME = 16  # the longest of these: "you mentioned a "
_YOURS = re.compile(r"(?<!\w)your[ ](?:own[ ])?$")
# Whose the value is then: "your 900 kg boat", "your 13-year-old".
_THING = re.compile(r"[ -]([a-z]{2,24})(?!\w)")
# The asker's value is measured by one of the sources: "four years is well over the two years".
_MEASURED = re.compile(
    r"[ ](?:(?:is|are|lies?|falls?|comes?|stays?|would be)[ ]"
    r"(?:still[ ]|well[ ]|far[ ]|just[ ]|way[ ]|comfortably[ ]|easily[ ]|also[ ])?"
    r"(?:(?P<over>over|above|beyond|more than|longer than|greater than|higher than|older than"
    r"|heavier than|larger than)|(?P<under>under|below|within|inside|less than|shorter than"
    r"|lower than|lighter than|smaller than|younger than))|(?P<exceeds>exceeds?|clears?))(?!\w)"
)
_MEASURE_REACH = 40  # characters from there to what it is measured by; guess
_DEFINITE = re.compile(r"(?<!\w)(?:the|this|that|its|their|your)[ ](?:\w+[ ])?$")


def given_values(
    sentence: Sentence, evidence: Evidence, lacking: Sequence[tuple[Anchor, Match]]
) -> frozenset[int]:
    """Return where the values begin that the sentence does not state of the sources.

    `lacking` are those that no chunk holds and that follow from no other.
    """
    if not lacking:
        return frozenset()
    low = lowered(sentence.prose)
    found = {anchor.start for anchor in _unmentioned(low, lacking)}
    scope = sentence.scope
    assert scope is not None  # without a scope there is no evidence
    brought: set[int] = set()
    for anchor, _ in lacking:
        asked = [one for one in scope.question.anchors if agree(anchor, one) == "same"]
        if not asked or anchor.start in found:
            continue
        if _is_rejected(low, anchor):
            found.add(anchor.start)
        elif any(_is_brought(scope.question, one) for one in asked):
            if _is_framed(low, anchor, evidence) or _is_measured(sentence, anchor, lacking):
                found.add(anchor.start)
            elif not _is_shared(low, anchor, evidence):
                brought.add(anchor.start)
    if brought:
        found |= brought - set(_rivalled(sentence, evidence, brought))
    return frozenset(found)


def _unmentioned(low: str, lacking: Sequence[tuple[Anchor, Match]]) -> Iterator[Anchor]:
    """Yield the values in the clause that says that the sources do not mention something."""
    said = find_unanswered(low)
    if said is None:
        return
    start = _clause_start(low, said.start)
    ends = (found.start() for found in _BREAK.finditer(low, said.end))
    end = next(ends, len(low))
    yield from (anchor for anchor, _ in lacking if start <= anchor.start < end)


def _clause_start(low: str, at: int, breaks: re.Pattern[str] = _BREAK) -> int:
    """Return where the clause before `at` begins, at most `_REACH` characters back."""
    start = max(0, at - _REACH)
    for found in breaks.finditer(low, start, at):
        start = found.end()
    return start


def _is_rejected(low: str, anchor: Anchor) -> bool:
    """Say whether the clause denies the value, exceeds something by it, or only supposes it."""
    before = low[_clause_start(low, anchor.start) : anchor.start]
    if _SUPPOSED.search(before):
        return True
    for found in _DENIED.finditer(before):
        between = before[found.end() :]
        aside = _ASIDE.search(before, 0, found.start())
        if not (aside or _BOUND.search(between)) and len(_WORD.findall(between)) <= _DENIED_WORDS:
            return True
    after = low[anchor.end : anchor.end + _REJECTED_WITHIN + _REACH]
    end = _BREAK.search(after)
    rejected = _REJECTED.search(after, 0, end.start() if end else len(after))
    return rejected is not None and rejected.start() <= _REJECTED_WITHIN


def _is_framed(low: str, anchor: Anchor, evidence: Evidence) -> bool:
    """Say whether the sentence has the value as the asker's: "for 5 users", "your 9-year-old"."""
    before = low[max(0, anchor.start - _FRAME) : anchor.start]
    if _FRAMED.search(before) or _OPENED.search(before) or _YOU_ARE.search(before):
        return True
    if not _YOURS.search(before):
        return False
    thing = _THING.match(low, anchor.end)
    return thing is not None and not _is_shared(low, anchor, evidence)


def _is_shared(low: str, anchor: Anchor, evidence: Evidence) -> bool:
    """Say whether the asker's thing is one of the sources' too: "your 30-day trial"."""
    thing = _THING.match(low, anchor.end)
    if thing is None or thing[1] == "old":
        return False
    yours = _YOURS.search(low, max(0, anchor.start - _FRAME), anchor.start)
    return yours is not None and bool(evidence.sentences_with(stem(thing[1])))


def _is_measured(
    sentence: Sentence, anchor: Anchor, lacking: Sequence[tuple[Anchor, Match]]
) -> bool:
    """Say whether the value is rightly said to be over or under one that the chunks hold."""
    way = _MEASURED.match(lowered(sentence.prose), anchor.end)
    if way is None or anchor.value is None:
        return False
    missing = {one.start for one, _ in lacking}
    for other in sentence.anchors:
        if way.end() <= other.start <= way.end() + _MEASURE_REACH and other.start not in missing:
            alike = (other.kind, other.unit) == (anchor.kind, anchor.unit)
            if alike and other.value is not None:
                return anchor.value <= other.value if way["under"] else anchor.value > other.value
    return False


def _is_brought(question: Question, asked: Anchor) -> bool:
    """Say whether the question tells the value of the asker's case: "What do 5 users cost?"."""
    low = lowered(question.folded)
    before = low[_clause_start(low, asked.start, _PARTS) : asked.start]
    if _DEFINITE.search(before):
        return False
    if _OWN.search(before):
        return True
    words = [word for word in _WORD.findall(before) if word not in _OPENERS]
    return bool(words) and words[0] in _TELLING


def _rivalled(sentence: Sentence, evidence: Evidence, starts: Collection[int]) -> Iterator[int]:
    """Yield the starts of the values of which a chunk has another one of the same thing."""
    near = [one for n in sentence.closest.sentences for one in evidence.anchors_in(n)]
    for anchor in sentence.anchors:
        if anchor.start in starts and any(_counts_another(anchor, one) for one in near):
            yield anchor.start
    wanted = [
        value
        for value in sentence.reading.values
        if value.anchor is not None and value.anchor.start in starts
    ]
    for rival in rivals(sentence, evidence, wanted, least=_LEAST, margin=_MARGIN):
        assert rival.value.anchor is not None  # so they were chosen
        yield rival.value.anchor.start


def _counts_another(anchor: Anchor, other: Anchor) -> bool:
    """Say whether both count the same things, so many and another number of them."""
    if anchor.noun is None or other.noun is None or anchor.value == other.value:
        return False
    return stem(anchor.noun) == stem(other.noun)
