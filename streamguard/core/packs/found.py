"""A match of a pack, and the arithmetic that several kinds share."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from streamguard.text.patterns import lazy_re


class PackMatch(NamedTuple):
    """A match in a text: its half-open span there, its kind, and how it may be shown.

    `shown` never holds the match itself. `digits` matches are compared without their separators.
    """

    start: int
    end: int
    kind: str
    shown: str
    digits: bool = False


# A number behind one of these names a thing, whatever its form: "order 536-90-4399".
_THING = lazy_re(
    r"(?i)(?:(?<![a-z])(?:order|batch|part|lot|invoice|article|item|serial|model|ticket|case|tracking"
    r"|shipment|parcel|patent|flight|zip|version|sku|reference|ref|product|catalogue|catalog|contract"
    r"|policy|bestellung|auftrag|rechnung|lieferung|vertrag|sendung|charge|commande|facture|colis"
    r"|pedido|factura|ordine|fattura|spedizione|encomenda|fatura|bestelling|factuur|zamówienie"
    r"|faktura)|(?:bestell|auftrags|rechnungs|artikel|serien|vertrags|sendungs|kunden|aktenzeichen"
    r"|vorgangs|teile)(?:nummer|nr))"
    r"(?:[\s_\-]{1,2}(?:number|no|nr|id|code|n[°º]|n[uú]m(?:ero|éro)?|numer))?(?:\s(?:is|was|ist|lautet|est|es|è|é))?[\s.:#=\"'`*(|]{0,6}\Z"
)
_BEFORE = 40  # characters of such a name and what stands behind it

Search = Callable[[str], Iterator[PackMatch]]


def is_of_a_thing(text: str, start: int) -> bool:
    """Return whether a name such as "order no." stands in front of the number at `start`."""
    return _THING.search(text[max(0, start - _BEFORE) : start]) is not None


def entropy(text: str) -> float:
    """Return the Shannon entropy of the characters in bits per character; 0.0 for no text."""
    total = len(text)
    counts = Counter(text).values()
    return sum(count / total * math.log2(total / count) for count in counts)


def passes_luhn(digits: str) -> bool:
    """Check the last digit by ISO/IEC 7812-1, annex B; `digits` holds only 0 to 9."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def weighted(digits: str, weights: str) -> int:
    """Return the sum of each digit times the weight in its place; both hold only 0 to 9."""
    return sum(int(digit) * int(weight) for digit, weight in zip(digits, weights, strict=True))


class FoundSpans:
    """Spans of one text that do not overlap, kept in their order."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def take(self, start: int, end: int) -> bool:
        """Keep the span and return True, or return False where it overlaps one that is kept."""
        at = bisect_left(self._ends, start + 1)
        if at < len(self._starts) and self._starts[at] < end:
            return False
        self._starts.insert(at, start)
        self._ends.insert(at, end)
        return True
