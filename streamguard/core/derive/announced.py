"""Which reckonings a sentence announces, by the operation's own words.

Words that only sound like reckoning ("for", "than", "up") announce nothing: on sentences by authors
who knew no rule they stand as often beside a wrong value as beside a computed one. So does a plain
comparative; it counts here because a difference is looked for among few values alone.
"""

from __future__ import annotations

from typing import Final, Literal

from streamguard.text.patterns import lazy_re
from streamguard.values.value import any_of, listed

Operation = Literal["difference", "sum", "product", "share", "part", "span", "period"]

# Those whose result a sentence may state as its value, and that a question may ask for.
RESULTS: Final[frozenset[Operation]] = frozenset(["difference", "sum", "share", "part"])
ASKED_FOR: Final = RESULTS - {"part"}

_WORDS: Final[dict[Operation, frozenset[str]]] = {
    "difference": listed(
        "difference differ differs change changes changed more less fewer cheaper dearer save"
        " saves saved saving savings extra left remain remains remained remaining remainder"
        " rest minus lower higher longer shorter older younger earlier later ahead gap lead"
        " margin surplus deficit deduct deducted deducts subtract subtracted off reduce"
        " reduces reduced reduction increase increases increased decrease decreases decreased"
        " rise rises rose risen fall falls fell fallen drop drops dropped grow grows grew"
        " grown lose loses lost gain gains gained shrank shrink leaves leave exceed exceeds"
        " exceeded against instead"
    ),
    "sum": listed(
        "total totals totalling totaling altogether together sum sums combined overall plus"
        " add adds added adding both including inclusive include makes in_all all_in all_told"
        " comes_to come_to came_to amounts_to on_top makes_up"
    ),
    "product": listed("each apiece times multiplied multiply every per ×"),
    "share": listed(
        "percent per_cent percentage discount discounted rebate fraction surcharge commission"
    ),
    "part": listed(
        "half halves halve halved halving twice double doubles doubled doubling triple"
        " triples tripled thrice third thirds quarter quarters fifth tenth"
    ),
    "period": listed(
        "year years yearly annual annually month months monthly week weeks weekly day days daily"
    ),
    "span": listed(
        "later earlier apart after before between since until within last lasts lasted long"
        " older younger old age aged ago gap duration span spans spanned took takes"
    ),
}
_OPERATIONS: Final[dict[str, frozenset[Operation]]] = {
    word.replace("_", " "): frozenset(each for each, words in _WORDS.items() if word in words)
    for word in frozenset[str]().union(*_WORDS.values())
}
_FOUND = lazy_re(rf"(?<![\w-]){any_of(_OPERATIONS)}(?!\w)")
_BY = lazy_re(r"(?<!\w)by[ ](?:(?:about|around|some|roughly|nearly|almost|just|only)[ ])?$")
_BY_REACH = 16
_NONE: Final[frozenset[Operation]] = frozenset()


def announced(low: str) -> frozenset[Operation]:
    """Return the operations that lower-cased words announce; "%" announces a share."""
    found = _NONE.union(*[_OPERATIONS[one[0]] for one in _FOUND.finditer(low)])
    return found | {"share"} if "%" in low else found


def is_step(low: str, start: int) -> bool:
    """Say whether the value at `start` is how far something goes: "it rose by £9"."""
    return _BY.search(low, max(0, start - _BY_REACH), start) is not None
