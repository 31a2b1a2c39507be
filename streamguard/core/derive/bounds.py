"""Values that follow from a bound, or that are one.

A round figure may bound a finer one, "over 31,000" of 31,420; an age may be one of those that a
passage bounds, "a 12-year-old" of "children under 14".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from operator import ge, gt, le, lt
from typing import Final

from streamguard.core.derive.announced import Operation
from streamguard.core.derive.reckoning import SENTENCE, KnownValue, Reckoning
from streamguard.core.derive.solver import Derivation, seconds_of
from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor
from streamguard.values.value import ONE, digits_of, last_place, minus, shifted, times

_BOUND: Final = lazy_re(
    r"(?<!\w)(?:(?P<lower>over|above|more[ ]than)|under|below|less[ ]than|fewer[ ]than)[ ]$"
)
_REACH: Final = 12
_RECKONED: Final = frozenset(["number", "quantity"])
_SECONDS: Final = "s"  # the base unit of durations in time
_LEAST_OPERANDS: Final = 2
_LEAST_DIGITS: Final = 2  # of the round figure: "over 10" says too little of 14

# Somebody's age: "aged 12", "a 12-year-old", "at the age of 70".
_AGED: Final = lazy_re(r"(?<!\w)(?:aged|ages?(?:[ ]of)?)[ ]$")
_OLD: Final = lazy_re(r"[- ]olds?(?!\w)")
# Bounds of ages, before and behind the figure. "Until 14" may mean either.
_BOUND_OF_AGE: Final = lazy_re(
    r"(?<!\w)(?:(?P<under>under|below|younger[ ]than)|(?P<over>over|above|older[ ]than)"
    r"|(?P<least>from|at[ ]least|minimum[ ]age(?:[ ](?:of|is))?)"
    r"|(?P<most>up[ ]to|at[ ]most|maximum[ ]age(?:[ ](?:of|is))?))"
    r"(?:[ ](?:the[ ])?age[ds]?(?:[ ]of)?)?[ ]$"
)
_BOUND_BEHIND: Final = lazy_re(
    r"(?:s?[- ]years?)?(?:s?[- ]olds?)?(?:(?P<plus>\+)|,?[ ](?:and|or)[ ]"
    r"(?:(?P<least>over|above|older|up|upwards)|(?P<most>under|below|younger))(?!\w))"
)
_IS_WITHIN: Final[dict[str, Callable[[Decimal, Decimal], bool]]] = {
    "under": lt,
    "most": le,
    "least": ge,
    "plus": ge,
    "over": gt,
}
AGE_REACH: Final = 32  # characters before and behind an age in which its bound stands
_YEARS: Final = ("quantity", "month")


def is_age(anchor: Anchor, low: str, start: int, end: int) -> bool:
    """Return whether the value at [start, end) is somebody's age in years, and no bound of one."""
    if (anchor.kind, anchor.unit) != _YEARS or anchor.high is not None:
        return False
    before, behind = low[max(0, start - AGE_REACH) : start], low[end : end + AGE_REACH]
    if _OLD.match(behind) is None and _AGED.search(before) is None:
        return False
    return _BOUND_OF_AGE.search(before) is None and _BOUND_BEHIND.match(behind) is None


def holds_age(bound: Anchor, before: str, behind: str, age: Anchor) -> bool:
    """Return whether an age lies within the ages that a passage's value bounds.

    `before` and `behind`: the lower-cased text around that value. A bare figure is one of years.
    """
    is_bare = bound.kind == "number"
    size, goal = bound.value, age.number if is_bare else age.value
    if size is None or goal is None or (bound.unit is not None and bound.unit != age.unit):
        return False
    if not is_bare and bound.kind != age.kind:
        return False
    if bound.high is not None:
        return size <= goal <= bound.high
    found = _BOUND_OF_AGE.search(before) or _BOUND_BEHIND.match(behind)
    return found is not None and _IS_WITHIN[found.lastgroup or ""](goal, size)


def round_bound(
    target: Anchor,
    low: str,
    start: int,
    terms: Sequence[KnownValue],
    operations: frozenset[Operation],
) -> Derivation | None:
    """Return how the value at `start` rounds a finer value near it, None if it rounds none.

    `low` is the lower-cased sentence. Behind "over" it is the figure rounded down to its last
    place that is no zero, behind "under" the one rounded up. The finer value may be the result of
    one of the `operations`.
    """
    if target.number is None or target.high is not None:
        return None
    is_short = digits_of(target.number) < _LEAST_DIGITS
    if is_short and target.unit != _SECONDS:
        return None
    found = _BOUND.search(low, max(0, start - _REACH), start)
    if found is None:
        return None
    if target.unit == _SECONDS and (span := _bounded_span(target, found, terms)):
        return span
    if is_short:
        return None
    step, word = shifted(ONE, last_place(target.number)), found[0].strip()
    for number, term in enumerate(terms):
        one = term.anchor
        if not term.is_grounded or one.number is None or not _are_of_one_thing(target, one):
            continue
        apart = minus(one.number, target.number)
        if 0 < (apart if found["lower"] else -apart) < step:
            return Derivation(f"{word} {one.text}", (number,))
    exact = target._replace(approx=True, precision=times(step, target.scale))
    reckoned = Reckoning(terms, operations).of(exact) if target.kind in _RECKONED else None
    if reckoned is None or len(reckoned.sources) < _LEAST_OPERANDS:
        return None
    return replace(reckoned, words=f"{word} {reckoned.words}")


def _bounded_span(
    target: Anchor, found: re.Match[str], terms: Sequence[KnownValue]
) -> Derivation | None:
    """Return between which times of day a bounded duration lies: "under two minutes".

    The sentence states one of them.
    """
    clocks = [
        (number, seconds, one)
        for number, one in enumerate(terms)
        if one.is_grounded
        for seconds in seconds_of(one.anchor)
    ]
    assert target.value is not None  # durations have one
    assert target.number is not None
    size = float(target.value)
    step = float(times(shifted(ONE, last_place(target.number)), target.scale))
    for (number, first, one), (other_number, last, other) in combinations(clocks, 2):
        apart = abs(last - first)
        is_near = 0 < (apart - size if found["lower"] else size - apart) < step
        if is_near and SENTENCE in (one.place, other.place):
            words = f"{found[0].strip()} {one.anchor.text} to {other.anchor.text}"
            return Derivation(words, (number, other_number), is_span=True)
    return None


def _are_of_one_thing(target: Anchor, one: Anchor) -> bool:
    """Return whether two values are of a unit and scale; a bare figure has that of its column."""
    if target.period != one.period or target.label != one.label:
        return False
    if target.kind != one.kind:
        return one.kind == "number" and target.kind in ("amount", "quantity")
    return (target.unit, target.scale) == (one.unit, one.scale)
