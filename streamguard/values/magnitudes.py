"""Words and signs after a figure that multiply it: "million", "Mrd.", "lakh", "万".

Sources: CLDR's compact number forms and newspaper usage. "Billion" is the English one, ten to the
ninth: German and Spanish write theirs "Billionen" and "billones".
"""

from __future__ import annotations

from typing import Final, NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values.value import any_of, listed, numbered


class Magnitude(NamedTuple):
    """A power of ten and its end; `shifts` are the differences to other readings."""

    exponent: int
    end: int
    shifts: tuple[int, ...] = ()


ENGLISH: Final = numbered(
    "2: hundred; 3: thousand k; 6: million millions mn m mm; 9: billion billions bn b;"
    "12: trillion trillions tn trn t"
)
_ELSEWHERE: Final = numbered(
    # German, Dutch, French, Spanish, Portuguese, Italian, Swedish and Danish, Polish
    "3: tausend tsd duizend mille mil mila tusen tusind tys;"
    "6: mio mill mln millionen miljoen millon millón millones milhão milhões milione milioni"
    " miljon miljoner millioner milion miliony milionów;"
    "9: mrd mld mlrd mds milliarde milliarden miljard milliard milliards bilhão bilhões miliardo"
    " miliardi miljarder milliarder miliard miliardy miliardów;"
    "12: billionen biljoen billón billones trilhão trilhões bilione bilioni; 18: trillionen;"
    # India
    "5: lakh lakhs lac lacs लाख; 7: crore crores cr करोड़ करोड;"
    # Russian, Arabic, Persian
    "3: тыс тысяч тысячи हज़ार हजार ألف آلاف هزار; 6: млн миллион миллионов миллиона مليون میلیون"
    " ملايين; 9: млрд миллиард миллиардов مليار میلیارد"
)
POWERS: Final = {**_ELSEWHERE, **ENGLISH}
_GLUED: Final = listed("k m b t mm")
_LONG: Final = any_of(POWERS.keys() - _GLUED)
# "5 millones de euros", "2 millions d'euros", "3 milioni di euro".
_OF_MONEY: Final = (
    r"(?:[ ](?:de[ ]|di[ ]|d')(?=euro|d[oó]lar|doll|franc|fr|peso|livre|libra|rea[il]|yen|rup))?"
)
_WORD: Final = lazy_re(
    rf"[ -]?(?P<word>{_LONG})(?!\w)(?:\.(?=[ ]?[€$£¥₽]|[ ][^\W\d_]))?{_OF_MONEY}|k(?!\w)"
)
# "5M users", "7B parameters"; lower-case "5m" is five metres, unless it is money.
_CAPITAL: Final = lazy_re(r"(?:MM|[MBT])(?!\w)")
_MONEY: Final = lazy_re(r"[ ]?(?:MM|mm|[KMBTkmbt])(?!\w)")
_BEFORE_SIGN: Final = lazy_re(r"[ ]?(?P<head>MM|M|Mds?|Mrd|[Kk])(?=[€$£])")
_BEFORE_SIGNS: Final = frozenset("€$£dmr")
_HEADS: Final = {"MM": 6, "M": 6, "Md": 9, "Mds": 9, "Mrd": 9, "K": 3, "k": 3}
# Of Chinese, Japanese and Korean: "3千万" multiplies; "千克", "千瓦" are a kilogram and a kilowatt.
_WIDE: Final = lazy_re(
    r"[ ]?(?:(?P<small>[十百千천백십])?(?P<large>[万萬만億亿억兆조])"
    r"|(?P<alone>[千천](?![克米瓦卡])))"
)
_SMALL: Final = numbered("1: 十 십; 2: 百 백; 3: 千 천")
_LARGE: Final = numbered("4: 万 萬 만; 8: 億 亿 억; 12: 兆 조")
# "5 mil" is five thousand in Spanish and Portuguese, five million in an English headline.
_TO_MILLIONS: Final = (3,)
# With which signs one may begin, a cheap look: behind most figures stands something else.
WIDE: Final = frozenset("十百千万萬億亿兆천만억조백십")
_FIRST_PAIRS: Final = frozenset(word[:2] for word in POWERS)
FIRST_LETTERS: Final = WIDE | {word[0] for word in POWERS}
GAPS: Final = (" ", "-")  # that may stand before one


def read_magnitude(text: str, low: str, end: int, *, money: bool = False) -> Magnitude | None:
    """Return the magnitude after a figure that ends at `end`, None without one.

    `low` is the lower-cased text. With `money` a lower-case "m", "b" or "t" counts too.
    """
    at = end + (low[end : end + 1] in GAPS)
    pair = low[at : at + 2]
    if pair[:1] in WIDE:
        return _in_signs(text, end)
    if pair not in _FIRST_PAIRS and (pair[:1] not in _GLUED or pair[1:].isalpha()):
        return None
    if found := _WORD.match(low, end):
        return _in_words(low, found["word"] or "k", found.end())
    if pair[1:] in _BEFORE_SIGNS and (found := _BEFORE_SIGN.match(text, end)):
        return Magnitude(_HEADS[found["head"]], found.end())
    found = (_MONEY if money else _CAPITAL).match(text, end)
    return Magnitude(ENGLISH[found[0].lstrip(" ").lower()], found.end()) if found else None


def _in_words(low: str, word: str, end: int) -> Magnitude:
    """Return the value of one word, or of two with the larger one second ("mil millones")."""
    exponent = POWERS[word]
    further = _WORD.match(low, end) if low[end : end + 1] == " " else None
    if further and further["word"] and POWERS[further["word"]] > exponent:
        return Magnitude(exponent + POWERS[further["word"]], further.end())
    return Magnitude(exponent, end, _TO_MILLIONS if word == "mil" else ())


def _in_signs(text: str, end: int) -> Magnitude | None:
    if (found := _WIDE.match(text, end)) is None:
        return None
    if found["alone"]:
        return Magnitude(_SMALL[found["alone"]], found.end())
    return Magnitude(_LARGE[found["large"]] + _SMALL.get(found["small"], 0), found.end())
