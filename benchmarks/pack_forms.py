"""Fill a form with drawn letters: `<d9>` with nine digits."""

import string
from random import Random

_UPPER, _LOWER, _DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
_WORD = _UPPER + _LOWER + _DIGITS
_HEX = "0123456789abcdef"

# A form is literal text with places "<letter length>" in angle brackets; the letter names the
# alphabet: w word, s word with "-" and "_", b base64, h and H hexadecimal, d digits, U capitals,
# u capitals and digits, l small letters and digits, t base32, a bech32.
_ALPHABETS = {
    "w": _WORD,
    "u": _UPPER + _DIGITS,
    "h": _HEX,
    "H": _HEX.upper(),
    "d": _DIGITS,
    "l": _LOWER + _DIGITS,
    "U": _UPPER,
    "s": _WORD + "-_",
    "b": _WORD + "+/",
    "t": _UPPER + "234567",
    "a": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}


def _letters(random: Random, place: str) -> str:
    return "".join(random.choice(_ALPHABETS[place[0]]) for _ in range(int(place[1:])))


def fill(form: str, random: Random) -> str:
    """Return `form` with its places `<alphabet length>` filled with drawn letters."""
    first, *parts = form.split("<")
    filled = [first]
    for part in parts:
        place, _, rest = part.partition(">")
        filled.append(_letters(random, place) + rest)
    return "".join(filled)
