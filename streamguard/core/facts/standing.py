"""How a value of the answer stands to the passages: the first row of this table that holds.

| standing | a value that | it is |
|---|---|---|
| held | a passage has, with its unit | left alone |
| asked | the question has, and its sentence does not give as an answer | left alone |
| reckoned | follows by a reckoning that its sentence announces | shown as evidence |
| otherwise | a passage has with another unit or period | a warning |
| casual | counts to two, or to ten in letters, or ranks in letters | left alone |
| near | stands where a passage has one of its kind, size, noun or words | a warning |
| plain | its sentence states ("costs €159", "by 30 April") or reckons wrongly | a warning |
| alone | has nothing near it, as what takes several steps to reckon | an information |

A near or plain value counts as alone if it follows from values of the answer that no passage has
either: "income of €110,400 against spending of €106,540 leaves €3,860" is one doubt and not three.
So is an amount that may be a bill: a count of the sentence times a price, or all that a unit holds.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import product, starmap
from typing import Final, Literal

from streamguard.core.derive.announced import is_step
from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor
from streamguard.values.addresses import ADDRESSES, are_near_addresses
from streamguard.values.identifiers import SIZE
from streamguard.values.relative import FOLD
from streamguard.values.value import ONE, ZERO, last_place, minus, plus, readings_of, shifted, times

Standing = Literal["held", "asked", "reckoned", "otherwise", "casual", "near", "plain", "alone"]
WARNED: Final[frozenset[Standing]] = frozenset(["otherwise", "near", "plain"])
# Values that follow from nothing; of those that are alone some may, though nothing announces it.
UNMET: Final = WARNED | {"asked", "casual"}

# Near in size: within this share of the value, or one of its last place. Of right computed values
# one in ten has such a neighbour of its kind in the passages by chance.
_NEAR_SHARE: Final = Decimal("0.12")
_NEAR_YEARS: Final = Decimal(10)
_OCTETS: Final = 4  # of an IPv4 address
_NEAR_MINUTES: Final = 60
# How much of what surrounds a value must surround a like one too, as a share in [0, 1] of the
# weight: in a sentence that announces no reckoning, and in one that does.
# `benchmarks/results/accuracy.md` has the curve.
_LEAST_NEAR: Final[dict[tuple[bool, bool], tuple[float, float]]] = {
    # amounts: near one of money, near a bare number
    (True, True): (0.0, 0.0),
    (True, False): (0.15, 0.25),
    # other values: near one of their unit, near a bare number (or, of one, near one with a unit)
    (False, True): (0.1, 0.15),
    (False, False): (0.1, 0.15),
}
# Of a near amount's likeness, beside that of the likest other amount: where a sentence speaks of
# another one, an amount of nearly its size is near by chance.
LEAST_BESIDE: Final = 0.45
# The same of values of any size, whose places nearly say the same, and of the same figure with
# another unit ("six yards", "six feet" apart from each other).
LEAST_INSTEAD: Final = 0.5
LEAST_APART: Final = 0.3  # the same of how far two values are apart: "€9 more"
# The same of a count whose noun stands beside the other one, in a sentence that announces a
# reckoning; in one that does not the noun is enough.
_LEAST_OF_NOUN: Final = 0.3
_LEAST_IN_LETTERS: Final = 0.3  # "three years": small counts have neighbours everywhere
_LEAST_OTHERWISE: Final = 0.1
# How much more of what the sentence says, as a share in [0, 1] of the weight, the unit of a like
# value has to hold than those of the value itself; the precision is in the same place.
LEAST_ELSEWHERE: Final = {"date": 0.3, "year": 0.3, "quantity": 0.4}
_LEAST_COUNTED: Final = 0.4  # the same of a count beside a share or a quantity
_CODES: Final = frozenset(["identifier", "version"])
_MOST_DIFFERING: Final = 2
_CODED: Final = frozenset(["code", "error", "port"])  # passages list these without their noun
_FEW: Final = 2  # a bare count of so many is seldom taken from a passage
_COUNTED: Final = frozenset(["amount", "percent", "quantity", "number"])
# Behind one of these a value is stated outright, unless "that" or "it" stands for a reckoning.
_VERBS: Final = (
    r"(?<!\w)(?:is|are|was|were|costs?|takes?|took|charges?|lasts?|weighs?|priced[ ]at"
    r"|(?<!'d[ ])(?<!would[ ])pays?)|(?<=\w)'s"
)
_ONLY: Final = (
    r"[ ](?:(?:only|just|still|now|exactly|the|an?|up[ ]to|at[ ](?:least|most))[ ]){0,3}$"
)
# Likewise; "up to" states a bound by itself.
_ONLY_ELSEWHERE: Final = (
    r"[ ](?:(?:nur|noch|höchstens|mindestens|maximal|seulement|encore|au[ ]moins|au[ ]plus|sólo"
    r"|solo|al[ ]menos|como[ ]máximo|soltanto|almeno|al[ ]massimo|slechts|der|die|das|den|les|los"
    r"|las|gli|il|bis[ ]zu|jusqu'à|hasta|fino[ ]a|até|tot)[ ]){0,3}$"
)
_UP_TO_ELSEWHERE: Final = r"(?<!\w)(?:bis[ ]zu|jusqu'à|hasta|fino[ ]a|até)[ ]$"
_FIELD: Final = r"^[ ]{0,9}[\w ]{1,40}:[ ]{2,9}$"  # of JSON, as `text/fields` has it read
# The same in six other languages; none of these stands before a figure in English.
_VERBS_ELSEWHERE: Final = (
    r"(?<!\w)(?:beträgt|betragen|kostet|kosten|dauert|dauern|gilt|gelten|sind|stehen"
    r"|ist|liegt[ ]bei|est(?:[ ]de)?|vaut|s'élève[ ]à|es(?:[ ]del?)?|è(?:[ ]del?|[ ]di)?"
    r"|é(?:[ ]d[eo])?"
    r"|coûte|coûtent|dure|durent|compte|comptait|dispose"
    r"|accepte|acceptent|renvoie|offre|offrent|couvre|couvrent|paie|paient|(?:il[ ])?faut|pèse"
    r"|contient|contiennent"
    r"|cuesta|cuestan|dura|duran|tiene|tienen|hay|corresponde[ ]a|costa|costano|durano|ha"
    r"|cubre|cubren|paga|pagan|pagano|incluye|admite|permite|pesa|pesan|pesano|mide"
    r"|copre|coprono|prevede|ammette|consente|misura|contiene|contengono"
    r"|wiegt|wiegen|zahlt|zahlen|bekommt|bekommen|erhält|enthält|fasst"
    r"|hanno|ci[ ]sono|kost|duurt|duren|bedraagt|zijn|custa|custam|duram|tem|têm|são|há)"
)
_STATES: Final = lazy_re(
    rf"(?:{_VERBS}|{_VERBS_ELSEWHERE}){_ONLY}|{_VERBS_ELSEWHERE}{_ONLY_ELSEWHERE}"
    rf"|{_UP_TO_ELSEWHERE}|{_FIELD}"
)
_FOLLOWS: Final = lazy_re(r"(?<!\w)(?:so|thus|therefore|hence|(?:that|which)[ ]means)(?!\w)")
_POINTS_BACK: Final = lazy_re(
    r"(?<!\w)(?:that|this|which|those|these|they)"
    r"(?:'s|(?:'d|'ll|[ ]would|[ ]will)?[ ](?:be|is|are|was|were|costs?|takes?))[ ]"
    r"(?:\w+[ ]){0,3}$"
)
_APART: Final = lazy_re(
    r"(?:[ ](?!and |or |of |to |no )[a-z%]{1,12}){0,2}[ ](?:more|less(?![ ][\d$€£])|fewer|longer"
    r"|shorter|higher|lower|cheaper|dearer|later|earlier|older|younger|apart|down"
    r"|up(?![ ](?:to|front))|below|above|under(?=[ ]the)|(?:over|under)(?=[ ]what)"
    r"|ahead|behind|left|short|slower|faster|heavier|lighter|further|extra"
    r"|mehr|weniger|teurer|billiger|günstiger|de plus|de moins|en plus|en moins|más|menos|in più"
    r"|in meno|meer|minder|duurder|goedkoper|a mais|a menos)(?!\w)"
)
_STATES_REACH: Final = 48
# In front of a value of the question's: it is given as an answer, and it is an echo, since it is
# denied, supposed, compared with, or the asker's own.
_ANSWERS: Final = lazy_re(
    rf"(?:{_VERBS}|(?<!\w)(?:within|in|after|until|includes?|has|have|holds?|offers?|allows?|gets?"
    rf"|gives?|opens?|closes?|ends?|starts?|begins?)){_ONLY}"
)
_ECHOES: Final = lazy_re(
    r"n't(?!\w)|(?<!\w)(?:not|no|nor|never|neither|without|rather|instead|than|if|unless|whether"
    r"|your|you'(?:ve|re|d)|my|over|under|above|below|beyond)(?!\w)"
)
_OUT_OF: Final = lazy_re(r"(?<!\w)(?:in|of(?:[ ]the)?|every)[ ]$")
_EVERY: Final = lazy_re(r"(?<!\w)(?:every|alle|toutes les|tous les|cada|ogni|elke)[ ]$")
_SIDE_BEFORE: Final = lazy_re(r"\d[ ]?[a-z]{0,2}(?:[ ]?[x×][ ]?|[ ]by[ ])$")
_SIDE_BEHIND: Final = lazy_re(r"(?:[ ]?[x×][ ]?|[ ]by[ ])\d(?![\d.,x× a-z]*=)")
_ROUNDED_SHARE: Final = Decimal(5)  # percentage points that "two thirds" may be off; guess
_BOUND: Final = lazy_re(
    r"(?<!\w)(?:over|above|under|below|(?:more|less|fewer)[ ]than|at[ ](?:least|most)|up[ ]to)[ ]$"
)
_WHOLE: Final = {"percent": Decimal(100), "number": ONE}
_DAY: Final = lazy_re(r"(?:\d{4}|-)-\d\d-\d\d")


def is_near(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two values are of a kind and of nearly one size, but not the same."""
    if anchor.kind in _CODES:
        if other.kind != anchor.kind:
            return False
        if anchor.unit in ADDRESSES and are_near_addresses(anchor, other):
            return True
        if SIZE in (anchor.unit, other.unit):
            return anchor.unit == other.unit and anchor.key != other.key
        if anchor.label is not None and anchor.label == other.label:
            return anchor.key.partition("(")[0] == other.key.partition("(")[0] or _differ_little(
                anchor.key, other.key
            )
        return _differ_little(anchor.key, other.key) or _are_hosts(anchor.key, other.key)
    if anchor.kind == "time":
        return other.kind == "time" and 0 < _minutes_apart(anchor.key, other.key) <= _NEAR_MINUTES
    if (anchor.label or anchor.named) and numbers_alike(anchor, other):
        return anchor.number != other.number
    if anchor.shifts or other.shifts:
        # Where the passage's figure has one reading, the answer's is near it by its first one.
        own = readings_of(anchor) if other.shifts else readings_of(anchor)[:1]
        return any(starmap(is_near, product(own, readings_of(other))))
    mine, theirs, end = anchor.number, other.number, other.high_number
    if mine is None or not theirs:  # what is free is no size
        return False
    if not _are_comparable(anchor, other):
        return False
    if anchor.kind == other.kind == "amount" and anchor.scale != other.scale:
        mine, theirs, end = anchor.value, other.value, other.high  # 22 cents are not near $20
        assert mine is not None  # amounts have one
        assert theirs is not None
    if anchor.kind == "year":
        reach = _NEAR_YEARS
    else:
        step = shifted(ONE, min(0, last_place(mine)))
        reach = max(step, times(mine.copy_abs(), _NEAR_SHARE))
    ends = theirs if end is None else end
    return any(0 < minus(mine, one).copy_abs() <= reach for one in (theirs, ends))


def numbers_alike(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two numbers number the same: "Article 17" and "Article 21", "iOS 16" and "17".

    Such a number has no size: any other one of the same noun may stand in its place.
    """
    if anchor.label is not None:
        return anchor.label == other.label
    return anchor.named is not None and anchor.named == other.named


def _minutes_apart(one: str, other: str) -> int:
    """Return how far apart two times of a day are, which their keys write as "17:00"."""
    hours = (key.split(":") for key in (one, other))
    mine, theirs = (60 * int(hour) + int(minute) for hour, minute, *_ in hours)
    return abs(mine - theirs)


def _differ_little(one: str, other: str) -> bool:
    """Say whether two codes of some length differ in one or two characters of the same place."""
    if len(one) != len(other) or len(one) < _MOST_DIFFERING:
        return False
    if len(one) == _MOST_DIFFERING:  # "A3", "A4"
        return one != other and one[0] == other[0] and one[0].isalpha()
    return 0 < sum(a != b for a, b in zip(one, other, strict=True)) <= _MOST_DIFFERING


def _are_hosts(one: str, other: str) -> bool:
    """Say whether two are IPv4 addresses of one network: "192.168.1.1", "192.168.1.11"."""
    mine, theirs = one.split("."), other.split(".")
    if len(mine) != _OCTETS or len(theirs) != _OCTETS or mine == theirs:
        return False
    return mine[:-1] == theirs[:-1] and all(part.isdecimal() for part in (*mine, *theirs))


def _are_comparable(anchor: Anchor, other: Anchor) -> bool:
    kinds = {anchor.kind, other.kind}
    if anchor.label != other.label:
        labels = {anchor.label, other.label}
        if not (None in labels and labels & _CODED) or anchor.noun or other.noun:
            return False
    if len(kinds) == 1:
        return anchor.kind != "quantity" or anchor.unit == other.unit
    return "number" in kinds and kinds <= _COUNTED


def is_rival(anchor: Anchor, other: Anchor, likeness: float, *, announces: bool) -> bool:
    """Say whether the answer's value seems to stand for another one that a passage has.

    `likeness`: the share of what surrounds it that surrounds the other.
    """
    if is_near(anchor, other):
        if anchor.kind in _CODES:
            is_short = len(anchor.key) <= _MOST_DIFFERING or anchor.unit == SIZE
            return likeness >= LEAST_INSTEAD or not is_short
        least = _LEAST_NEAR[anchor.kind == "amount", anchor.kind == other.kind]
        is_reckoned = announces or anchor.approx  # what is rounded is often reckoned
        least_like = max(least[is_reckoned], _LEAST_IN_LETTERS * anchor.word)
        return likeness >= least_like
    return not (announces or anchor.approx) and is_in_place(anchor, other, likeness)


def is_in_place(anchor: Anchor, other: Anchor, likeness: float) -> bool:
    """Say whether a value of any size stands where a passage has another one of its kind.

    Nearly all that surrounds it surrounds the other too.
    """
    if likeness < LEAST_INSTEAD or anchor.kind != other.kind or anchor.kind not in _COUNTED:
        return anchor.kind == other.kind == "date" and _are_as_exact(anchor, other, likeness)
    return _are_comparable(anchor, other) and not _fill_whole(anchor, other)


def _are_as_exact(anchor: Anchor, other: Anchor, likeness: float) -> bool:
    """Say whether two dates in like places are both days, or both months: "2026-05", "--05-03"."""
    is_like = anchor.unit == other.unit and anchor.key.count("-") == other.key.count("-")
    return is_like and likeness >= LEAST_INSTEAD


def _fill_whole(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two shares are all there is: 15 % and 85 %, a quarter and three quarters."""
    if anchor.kind not in _WHOLE or anchor.number is None or other.number is None:
        return False
    return plus(anchor.number, other.number) == _WHOLE[anchor.kind]


def counts_alike(anchor: Anchor, other: Anchor, likeness: float, *, announces: bool) -> bool:
    """Return whether two bare numbers of a sentence's noun count the same: "5 seats", "seats: 4".

    The other one stands beside the noun. A number out of another ("3 in 10 children") counts
    nothing by itself, which the caller has to see.
    """
    if anchor.kind != "number" or other.kind != "number" or other.label or other.named:
        return False
    if anchor.word or anchor.approx or other.noun not in (None, anchor.noun):
        return False
    if announces and likeness < _LEAST_OF_NOUN:
        return False
    assert anchor.number is not None  # numbers have one
    assert other.number is not None
    return anchor.number.copy_abs() != other.number.copy_abs()


def is_out_of(low: str, start: int) -> bool:
    """Say whether the value at `start` is all there are: "3 in 10 children", "2 of the 40"."""
    return _OUT_OF.search(low, max(0, start - _STATES_REACH), start) is not None


def is_bound(low: str, start: int) -> bool:
    """Say whether the value at `start` bounds another: "more than half"."""
    return _BOUND.search(low, max(0, start - _STATES_REACH), start) is not None


def is_side(low: str, start: int, end: int) -> bool:
    """Say whether the value at [start, end) is one side of a size: "10 x 15 cm", "20 by 45 m"."""
    if _SIDE_BEFORE.search(low, max(0, start - _STATES_REACH), start):
        return True
    return _SIDE_BEHIND.match(low, end) is not None


def is_of_calendar(anchor: Anchor) -> bool:
    """Say whether a value is a weekday or a part of a year, from which nothing is reckoned."""
    return anchor.kind == "date" and anchor.unit is not None


def is_interval(low: str, start: int) -> bool:
    """Say whether the duration at `start` is how often something is done: "every 6 hours"."""
    return _EVERY.search(low, max(0, start - _STATES_REACH), start) is not None


def is_otherwise(anchor: Anchor, other: Anchor, likeness: float) -> bool:
    """Say whether another value has the same figure with another unit, in a like place."""
    units = anchor.kind, anchor.unit, other.kind, other.unit
    if anchor.number != other.number or units[:2] == units[2:]:
        return False
    if "number" in units:  # a bare figure may be one of any unit, "35 people" is none of 35 %
        is_counted = (anchor.noun or other.noun) and not {"amount", "time"}.intersection(units)
        return bool(is_counted) and not anchor.word and likeness >= _LEAST_COUNTED
    least = _LEAST_IN_LETTERS if anchor.word else _LEAST_OTHERWISE
    return {anchor.kind, other.kind} <= _COUNTED and likeness >= least


def is_casual(anchor: Anchor) -> bool:
    """Say whether a count or rank sums up a text: "two ways", "a third choice", "1 adult"."""
    if anchor.kind == "ordinal":
        return not anchor.text[:1].isdigit()
    if anchor.kind != "number" or anchor.label or anchor.value is None:
        return False
    is_few = 0 < anchor.value <= _FEW and is_whole(anchor)  # "0.75" counts nothing
    return anchor.casual or is_few


def are_ranks(anchor: Anchor, other: Anchor) -> bool:
    """Say whether two values are both ranks, multiples, or parts of a whole ("a third", "30 %")."""
    if is_part(anchor):
        return _are_parts(anchor, other) and not _fill_whole(anchor, other)
    if FOLD in (anchor.unit, other.unit):
        return anchor.unit == other.unit
    return anchor.kind == other.kind == "ordinal"


def _are_parts(anchor: Anchor, other: Anchor) -> bool:
    """Say whether the other is a part as well, or a percentage that nobody rounds to this one."""
    if other.kind != "percent":
        return is_part(other)
    assert anchor.number is not None  # parts have one
    off = minus(times(anchor.number, _WHOLE["percent"]), other.number or ZERO).copy_abs()
    return off >= _ROUNDED_SHARE


def is_part(anchor: Anchor) -> bool:
    """Say whether a number is a part of a whole in letters, "two thirds", "one in six"."""
    is_below_one = anchor.number is not None and 0 < anchor.number < 1
    return anchor.kind == "number" and is_below_one and "." not in anchor.text


def is_whole(anchor: Anchor) -> bool:
    """Say whether a figure has no decimals."""
    return anchor.number is not None and last_place(anchor.number) >= 0


_HEAD: Final = lazy_re(r"(?:^|\n)[ *_#>-]{0,8}[^\W\d_]{1,12}[ ]$")
_HEADS: Final = lazy_re(r"(?:\*\*|__)?(?:[:.)]|[ ][-—][ ]|[ ]{0,9}(?:\n|$))")
_HEAD_REACH: Final = 24


def heads_part(low: str, start: int, end: int) -> bool:
    """Say whether a labelled number at [start, end) heads a part of the answer: "Option 2: ..."."""
    if _HEADS.match(low, end) is None:
        return False
    return _HEAD.search(low, max(0, start - _HEAD_REACH), start) is not None


def is_believed(anchor: Anchor, standing: Standing, low: str, start: int) -> bool:
    """Say whether a sentence gives a value of the question's as its answer.

    `standing`: that of the value if the question did not have it. A denied, supposed or compared
    value, or one about the asker, is an echo, and so is one that no verb states, money aside.
    """
    before = low[max(0, start - _STATES_REACH) : start]
    if standing not in WARNED or _ECHOES.search(before):
        return False
    return anchor.kind == "amount" or _ANSWERS.search(before) is not None


def is_distance(low: str, start: int, end: int) -> bool:
    """Say whether a value is how far apart two others are: "by 22 votes", "46 down on 2022".

    Such a one stands in no other's place, however near it is in size.
    """
    return is_step(low, start) or _APART.match(low, end) is not None


def is_plain(anchor: Anchor, low: str, start: int, *, announces: bool, is_lone: bool) -> bool:
    """Say whether a sentence states its value at `start` outright; `low` is its lower-cased text.

    It does so behind a verb that states ("costs", "is") unless it announces a reckoning; without
    one a day, a time and an amount stand for themselves where there is nothing that they could be
    reckoned from (`is_lone`).
    """
    if anchor.kind in ("date", "time"):
        return is_lone and (anchor.kind == "time" or _DAY.fullmatch(anchor.key) is not None)
    if announces or anchor.kind not in _COUNTED or _FOLLOWS.search(low):
        return False
    before = low[max(0, start - _STATES_REACH) : start]
    if _POINTS_BACK.search(before):
        return False
    return (anchor.kind == "amount" and is_lone) or _STATES.search(before) is not None
