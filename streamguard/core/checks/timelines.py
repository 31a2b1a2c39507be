"""Dates that do not fit together: within a sentence, across the answer, with the passages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from streamguard.core.anchors import Anchor, lowered, read_anchors
from streamguard.core.normalise import fold
from streamguard.core.sentence import Answer, Scope, Sentence
from streamguard.core.timeline import (
    EVENT_WORDS,
    FIRST,
    FIRST_WORDS,
    LAST_WORDS,
    OPPOSITE,
    Dated,
    day_of,
    events_in,
    wrong_weekday,
)
from streamguard.core.types import Finding, Nearest
from streamguard.core.words import parts_in

FLAG = "temporal_inconsistency"
_DATE_KINDS = frozenset(["date", "year"])
_TO = re.compile(r"[ ]?(?:-|—|to|until|till|through)[ ]?")
_AND = re.compile(r"[ ]and[ ]")
_FROM = re.compile(r"(?<!\w)(?:from|between)[ ](?:about[ ]|around[ ])?$|\($")
# What may stand between a date and the event that is of the same thing: "1950, and he died in".
_SAME = re.compile(
    r"[),;.]{0,2}[ ]?(?:and[ ]|but[ ]|-[ ]?|—[ ]?|[ ]){0,2}(?:(?:he|she|they|it)[ ])?"
    r"(?:was[ ]|were[ ]|had[ ]|has[ ]|later[ ]|then[ ]|finally[ ]|eventually[ ]){0,2}"
)
_AGE = re.compile(r"(?<!\w)(?:aged|at[ ](?:the[ ])?age[ ](?:of[ ])?|at)[ ]?$")
_AGE_ENDS = re.compile(r"[ ]?(?:[,.;:)]|\Z|and(?!\w)|in(?!\w)|years)")
_LIFE = re.compile(r"\((1[0-9]{3}|20[0-9]{2})[ ]?-[ ]?(1[0-9]{3}|20[0-9]{2})\)")
_LASTED = re.compile(
    r"(?:(?<!\w)(?:last(?:s|ed|ing)|for|over|spann(?:ed|ing)|period[ ]of|total[ ]of|took)[ ]"
    r"(?:exactly[ ]|a[ ]total[ ]of[ ]|a[ ]period[ ]of[ ])?|,[ ])$"
)
# Evidence that holds so much of a sentence speaks of the same thing; guess.
_SAME_MATTER = 0.4
# Written like one thing, a year more or less may be how it is counted (both ends, or birthdays).
_SLACK_YEARS = 1


def temporal_inconsistency(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag dates of one sentence that cannot all be right.

    A weekday that its date does not have, an end before its start, a death before the birth, an
    age or a duration that differs from its dates by more than a year.

    RAGTruth QA train: never raised on 27,790 sentences.
    """
    if scope.policy.matching == "literal" or sentence.kind == "code":
        return
    text = sentence.folded.text
    yield from _lives(sentence, text)
    dates = [anchor for anchor in sentence.anchors if anchor.kind in _DATE_KINDS]
    if not dates:
        return
    low = lowered(text)
    for anchor in dates:
        found = wrong_weekday(low, anchor)
        if found is not None:
            start, end, right = found
            yield _finding(sentence, (start, end), anchor, f"{anchor.text} is a {right}.")
    yield from _reversed(sentence, low, dates)
    yield from _durations(sentence, low, dates)
    if EVENT_WORDS.search(low) is not None:
        events = list(events_in(low, sentence.anchors))
        yield from _events(sentence, low, events)
        yield from _with_sources(sentence, scope, events)


def _lives(sentence: Sentence, text: str) -> Iterator[Finding]:
    """Flag "(1955-1879)", whose years are no range."""
    for found in _LIFE.finditer(text) if "(" in text else ():
        if found[1] > found[2]:
            yield sentence.finding(
                FLAG,
                found.span(2),
                check="temporal_inconsistency",
                message=f"The end, {found[2]}, lies before the start, {found[1]}.",
                against=sentence.place(*found.span(1)),
            )


def _reversed(sentence: Sentence, low: str, dates: list[Anchor]) -> Iterator[Finding]:
    """Flag "from 2010 to 2005" and "(1955-1879)"."""
    for one, other in pairwise(dates):
        first, second = day_of(one), day_of(other)
        if first is None or second is None or not second.before(first):
            continue
        opens = _FROM.search(low, max(0, one.start - 16), one.start)
        if opens and _joined(low, opens[0], one.end, other.start):
            message = f"The end, {other.text}, lies before the start, {one.text}."
            yield _finding(sentence, (other.start, other.end), one, message)


def _joined(low: str, opens: str, start: int, end: int) -> bool:
    joint = _AND if opens.startswith("between") else _TO
    return joint.fullmatch(low, start, end) is not None


def _events(sentence: Sentence, low: str, events: list[Dated]) -> Iterator[Finding]:
    """Flag "born in 1955 and died in 1879", and an age that does not fit the two."""
    for one, other in pairwise(events):
        # What closed first may have opened again.
        if other.event != OPPOSITE[one.event] or other.event == "start":
            continue
        if _SAME.fullmatch(low, one.anchor.end, other.word) is None:
            continue
        first, second = (one, other) if one.event in FIRST else (other, one)
        if second.day.sooner(first.day):
            yield _finding(sentence, _span(second), first.anchor, order_message(first, second))
        elif first.event == "birth":
            yield from _age(sentence, low, first, second)


def _age(sentence: Sentence, low: str, birth: Dated, death: Dated) -> Iterator[Finding]:
    """Flag "born in 1879 and died in 1955 at the age of 60"."""
    for anchor in sentence.anchors:
        if anchor.kind != "number" or anchor.number is None or anchor.high is not None:
            continue
        before = _AGE.search(low, max(0, anchor.start - 16), anchor.start)
        if before and _AGE_ENDS.match(low, anchor.end):
            years = death.day.year - birth.day.year
            if not years - _SLACK_YEARS <= anchor.number <= years:
                message = f"From {birth.anchor.text} to {death.anchor.text} are {years} years."
                yield _finding(sentence, (anchor.start, anchor.end), birth.anchor, message)


def _with_sources(sentence: Sentence, scope: Scope, events: list[Dated]) -> Iterator[Finding]:
    """Flag an end before the start that the sentence's best evidence gives, and the reverse."""
    evidence, best = scope.evidence, sentence.coverage
    if len(events) != 1 or evidence is None or best is None or best.share < _SAME_MATTER:
        return
    (mine,) = events
    if mine.event == "start":
        return  # it may have been opened again
    passage = fold(evidence.texts[best.chunk][best.start : best.end])
    theirs = [
        dated
        for dated in events_in(lowered(passage.text), read_anchors(passage.text))
        if dated.event == OPPOSITE[mine.event]
    ]
    if len(theirs) != 1:
        return
    first, second = (mine, theirs[0]) if mine.event in FIRST else (theirs[0], mine)
    if second.day.sooner(first.day):
        start, end = passage.span(theirs[0].anchor.start, theirs[0].anchor.end)
        begin, stop = best.start + start, best.start + end
        words = evidence.texts[best.chunk][begin:stop]
        yield sentence.finding(
            FLAG,
            _span(mine),
            check="temporal_inconsistency",
            message=order_message(first, second),
            nearest=Nearest(words, evidence.labels[best.chunk], begin, stop),
        )


def _durations(sentence: Sentence, low: str, dates: list[Anchor]) -> Iterator[Finding]:
    """Flag "from 2010 to 2015, a period of ten years": one span of years, one duration."""
    lengths = [a for a in sentence.anchors if a.kind == "quantity" and a.scale == 12]
    span = _span_of_years(low, dates)
    if span is None or len(lengths) != 1 or lengths[0].period or lengths[0].high is not None:
        return
    (length,) = lengths
    start, end, anchor = span
    if length.number is None or length.approx:
        return
    if not _LASTED.search(low, max(0, length.start - 32), length.start):
        return
    if abs(length.number - (end - start)) > _SLACK_YEARS:
        message = f"From {start} to {end} are {end - start} years."
        yield _finding(sentence, (length.start, length.end), anchor, message)


def _span_of_years(low: str, dates: list[Anchor]) -> tuple[int, int, Anchor] | None:
    """Return the years of the only span in a sentence, and where it stands."""
    if len(dates) == 1 and dates[0].high is not None and dates[0].value is not None:
        return int(dates[0].value), int(dates[0].high), dates[0]
    if len(dates) != 2:
        return None
    one, other = dates
    first, second = day_of(one), day_of(other)
    if first is None or second is None or not first.year < second.year:
        return None
    opens = _FROM.search(low, max(0, one.start - 16), one.start)
    if not opens or not first.year or not _joined(low, opens[0], one.end, other.start):
        return None
    return first.year, second.year, one


_PRONOUN = re.compile(r"[\s*_>#-]*(?:he|she|it|they|his|her|its|their)(?!\w)")
# So many sentences may stand between "Marie Holt" and the last "she"; guess.
_MAX_BACK = 4


def temporal_inconsistencies(answer: Answer, scope: Scope) -> Iterator[Finding | None]:
    """Flag an end that one sentence puts before the start that another one tells of the same.

    The same is who a sentence begins with by name, and who "he", "she", "it" and "they" at the
    start of the next ones are. RAGTruth QA train: see `temporal_inconsistency`.
    """
    if scope.policy.matching == "literal":
        return
    words = parts_in(answer.text.lower())
    if LAST_WORDS.isdisjoint(words) or FIRST_WORDS.isdisjoint(words):
        return
    told: dict[tuple[str, str], tuple[Sentence, Dated]] = {}  # by whom, what -> where, when
    for sentence in answer.sentences:
        yield None
        low = lowered(sentence.folded.text)
        if sentence.kind == "code" or EVENT_WORDS.search(low) is None:
            continue
        name = _subject(answer, sentence, low)
        for dated in events_in(low, sentence.anchors) if name else ():
            earlier = told.get((name, OPPOSITE[dated.event]))
            if earlier is not None and earlier[0] is not sentence:
                yield from _against(earlier, sentence, dated)
            told.setdefault((name, dated.event), (sentence, dated))


def _subject(answer: Answer, sentence: Sentence, low: str) -> str:
    """Return the name of whom a sentence speaks of, "" where it says none."""
    back = sentence.index
    while _PRONOUN.match(low):
        back -= 1
        if back < 0 or back < sentence.index - _MAX_BACK:
            return ""
        low = lowered(answer.sentences[back].folded.text)
    return _leading_name(answer.sentences[back], low)


def _leading_name(sentence: Sentence, low: str) -> str:
    """Return the name a sentence begins with, "the factory" for a thing; "" where it has none."""
    for name in sentence.names:
        if name.start <= _NAME_AT:
            return " ".join(name.tokens)
    found = _THING.match(low)
    return found[1] if found else ""


_NAME_AT = 8  # a title or a list mark may stand before it
_THING = re.compile(
    r"[\s*_>#-]*the[ ]((?:[^\W\d_]+[ ]){1,2}?)(?:was|were|is|opened|closed|began|ended)(?!\w)"
)


def _against(
    earlier: tuple[Sentence, Dated], sentence: Sentence, dated: Dated
) -> Iterator[Finding]:
    if dated.event == "start":
        return  # what closed first may have opened again
    there, other = earlier
    first, second = (dated, other) if dated.event in FIRST else (other, dated)
    if second.day.sooner(first.day):
        yield sentence.finding(
            FLAG,
            _span(dated),
            check="temporal_inconsistencies",
            message=order_message(first, second),
            against=there.place(other.anchor.start, other.anchor.end),
        )


def order_message(first: Dated, second: Dated) -> str:
    """Say in words what is the wrong way round."""
    names = {"birth": "birth", "death": "death", "start": "start", "end": "end"}
    return (
        f"The {names[second.event]}, {second.anchor.text}, lies before the {names[first.event]},"
        f" {first.anchor.text}."
    )


def _span(dated: Dated) -> tuple[int, int]:
    return dated.anchor.start, dated.anchor.end


def _finding(sentence: Sentence, span: tuple[int, int], other: Anchor, message: str) -> Finding:
    against = sentence.place(other.start, other.end)
    return sentence.finding(
        FLAG, span, check="temporal_inconsistency", message=message, against=against
    )
