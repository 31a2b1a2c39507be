"""The strongest reasons behind a support score, in words and without any text of the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from streamguard.core.support.features import FEATURES
from streamguard.text.words import Memo

MAX_REASONS: Final = 3
# A reason moves the risk at least so far, and at least so large a part of the strongest one's
# way; guesses: a tenth of the span between a plain and a doubtful sentence, and a quarter.
_LEAST: Final = 0.3
_LEAST_PART: Final = 0.25

_AT: Final = {one.name: number for number, one in enumerate(FEATURES)}
# The figures of a group stand side by side.
_GROUPS: Final = {
    group: slice(min(numbers), max(numbers) + 1)
    for group in dict.fromkeys(one.group for one in FEATURES)
    for numbers in [[at for at, one in enumerate(FEATURES) if one.group == group]]
}
Figures = Sequence[float]
_SAID: Final = Memo(str)  # a reason is kept once, however many sentences have it


def reasons_for(figures: Figures, departures: Sequence[float]) -> tuple[str, ...]:
    """Return up to `MAX_REASONS` reasons, the strongest first.

    `departures` say how far each figure moves the risk from that of a mean sentence. Reasons
    against the sentence are given where its risk is above the mean, else those for it.
    """
    against = sum(departures) > 0
    worded = _AGAINST if against else _FOR
    moved = []
    for group, figures_of_group in _GROUPS.items():
        by = sum(departures[figures_of_group])
        if group in worded and (by if against else -by) >= _LEAST:
            moved.append((abs(by), group))
    moved.sort(reverse=True)
    strong = [group for by, group in moved if by >= _LEAST_PART * moved[0][0]]
    return tuple([_SAID[worded[group](figures)] for group in strong[:MAX_REASONS]])


def _figure(figures: Figures, name: str) -> float:
    return figures[_AT[name]]


def _count(figures: Figures, name: str) -> int:
    return round(_figure(figures, name))


def _missing(figures: Figures) -> str:
    share = 1.0 - _figure(figures, "held")
    if share <= 0.0:
        return "it puts words of the passages together anew; look whether one of them says this"
    return f"about {share:.0%} of what it says is in no retrieved passage"


def _present(figures: Figures) -> str:
    held = _figure(figures, "held")
    if not _count(figures, "keys"):
        return "it says nothing by itself that a passage could hold"
    return f"the retrieved passages hold about {held:.0%} of what it says"


def _apart(figures: Figures) -> str:
    gap = _count(figures, "gap")
    if not gap:
        return "its words stand all over the passages; look which place says this"
    words = "a word is" if gap == 1 else f"{gap} words in a row are"
    return f"no single place says all of it; {words} missing there"


def _together(_: Figures) -> str:
    return "one place in the passages holds nearly all it says"


def _loose(figures: Figures) -> str:
    share = _figure(figures, "side_by_side")
    return f"few of its words follow one another as in a passage ({share:.0%})"


def _copied(figures: Figures) -> str:
    return f"up to {_count(figures, 'copied')} of its words stand in a passage in this order"


def _odd_figures(figures: Figures) -> str:
    absent = max(_count(figures, "absent_figures"), _count(figures, "absent_values"))
    if absent:
        said = "a figure or date in it is" if absent == 1 else "figures or dates in it are"
        return f"{said} in no retrieved passage"
    return "it states figures; compare each of them with the passages"


def _no_odd_figures(figures: Figures) -> str:
    if _count(figures, "anchors"):
        return "its figures and dates are in the passages"
    return "it states no figure"


def _names(figures: Figures) -> str:
    count = _count(figures, "absent_names")
    words = "word with a capital letter is" if count == 1 else "words with a capital letter are"
    return f"{count} {words} in no retrieved passage"


def _no_names(_: Figures) -> str:
    return "it names nobody and nothing that is not in the passages"


def _wrong_citation(_: Figures) -> str:
    return "the passage it cites holds less of it than another one"


def _false_denial(figures: Figures) -> str:
    held = _figure(figures, "denied_held")
    return f"it says that the passages do not tell, yet they hold {held:.0%} of its words"


def _denial(_: Figures) -> str:
    return "it says what the passages do not tell"


def _often_added(figures: Figures) -> str:
    if _count(figures, "summing_up"):
        return "it draws a conclusion; look whether a passage does so too"
    if _count(figures, "effect"):
        return "it gives a cause or a purpose; look whether a passage does so too"
    if _count(figures, "advice"):
        return "it gives advice; look whether a passage does so too"
    return "such sentences are often added without a source; look where a passage says so"


def _seldom_added(_: Figures) -> str:
    return "such sentences mostly come from the passages"


def _doubtful_company(_: Figures) -> str:
    return "the sentences before it have little support either"


def _good_company(_: Figures) -> str:
    return "the sentences before it have support"


_AGAINST: Final[dict[str, Callable[[Figures], str]]] = {
    "words": _missing,
    "window": _apart,
    "copying": _loose,
    "figures": _odd_figures,
    "names": _names,
    "citation": _wrong_citation,
    "denial": _false_denial,
    "form": _often_added,
    "answer": _doubtful_company,
}
_FOR: Final[dict[str, Callable[[Figures], str]]] = {
    "words": _present,
    "window": _together,
    "copying": _copied,
    "figures": _no_odd_figures,
    "names": _no_names,
    "denial": _denial,
    "form": _seldom_added,
    "answer": _good_company,
}
