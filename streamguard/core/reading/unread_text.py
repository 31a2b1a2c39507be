"""Finds text in a sentence that looks like a value, a citation or a table and is not read.

| kind | an example |
|---|---|
| digits, figure, magnitude, unit, currency | values that no reader knows (`values.unread`) |
| citation | a mark of no known form, `[web:3]`, or one that names nothing known, `(Source: a.md)` |
| table | a row with values where a table's head should be: nothing names its columns |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from streamguard.core.model.types import UnreadKind
from streamguard.core.reading.markers import ReadMarks
from streamguard.core.reading.roles import Kind
from streamguard.text.patterns import lazy_re
from streamguard.values import Anchor
from streamguard.values.unread import NO_POWER, NO_VOWEL, find_unread

# No PASS rests on a sentence with a value that was not read. Unread marks and layout are only
# reported: the sentence's claim was compared.
VALUE_KINDS: frozenset[UnreadKind] = frozenset(
    ["digits", "figure", "magnitude", "unit", "currency"]
)
MARK_KINDS: frozenset[UnreadKind] = frozenset(["citation", "table"])
MOST = 50  # of one sentence; guess, no reader looks at more

# In place of each value, so that the rest can be searched at once.
_READ = "\0"
# Without one of these nothing is left unread, and most sentences hold none. Each begins with a
# known sign: the engine looks for that alone.
_OTHER = lazy_re(r"[0-9$\x80-\U0010ffff]")
_CODE = lazy_re(r"EUR|USD|GBP|CHF|INR")
_BEHIND = lazy_re(rf"{_READ}(?:[ -](?:{NO_POWER})|[ ](?:{NO_VOWEL}(?!\w)|[kmdcnu][A-Z]))")
_VALUES = frozenset(["amount", "percent", "quantity"])

Found = tuple[int, int, UnreadKind]


def find_unread_text(
    prose: str,
    kind: Kind,
    anchors: Sequence[Anchor],
    marks: ReadMarks,
    held: Callable[[str], bool],
) -> list[Found]:
    """Return the unread text of a sentence, in order: spans of its folded text, and kinds.

    `prose`: the folded text, its marks blanked; `anchors` are its values. `held`: whether the
    passages hold some small letters as they stand.
    """
    found: list[Found] = [
        (each.start, each.end, "citation") for each in marks.citations if not each.label
    ]
    if kind == "table_head" and any(anchor.kind in _VALUES for anchor in anchors):
        found.append((0, len(prose), "table"))
    rest = _without(prose, anchors)
    is_left = _OTHER.search(rest) or _CODE.search(rest) or (anchors and _BEHIND.search(rest))
    if is_left or any(one.kind == "identifier" for one in anchors):
        found += find_unread(prose, anchors, held)
    return sorted(found)[:MOST] if found else found


def _without(text: str, anchors: Sequence[Anchor]) -> str:
    """Return `text` with a sign in place of each of its values."""
    if not anchors:
        return text
    ends = [0, *[anchor.end for anchor in anchors]]
    starts = [*[anchor.start for anchor in anchors], len(text)]
    return _READ.join([text[end:start] for end, start in zip(ends, starts, strict=True)])
