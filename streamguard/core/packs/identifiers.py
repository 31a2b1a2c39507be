"""National numbers of persons: by form, by check digits, and by the words that stand before.

A check digit lets one random number in ten or so pass. A form of bare digits therefore counts only
where its name stands within `BEFORE` characters before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from streamguard.core.packs.found import PackMatch, is_of_a_thing, passes_luhn, weighted
from streamguard.text.patterns import lazy_re

BEFORE = 60  # characters in which a number's name must end; guess, half a sentence

_NO_SSN = frozenset(["123456789", "078051120"])  # of forms and advertisements
_NINO_NO = frozenset(["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"])
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_VERHOEFF_D = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)
_VERHOEFF_P = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)
# Of each letter and digit in an odd place of a codice fiscale.
_CF_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# The values of the odd places' letters, in their order: of digits, then of A to Z.
_CF_DIGITS = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
_CF_ALPHABET = (*_CF_DIGITS, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_CF_ODD = dict(zip(_CF_LETTERS, (*_CF_DIGITS, *_CF_ALPHABET), strict=True))


def is_us_ssn(digits: str) -> bool:
    """Check the areas, groups and serials that are never issued (SSA, 2011)."""
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    is_issued = area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"
    return is_issued and digits not in _NO_SSN


def is_uk_nino(text: str) -> bool:
    """Check the letters that a National Insurance number may begin with (HMRC, NIM39110)."""
    first, second = text[0], text[1]
    return first not in "DFIQUV" and second not in "DFIOQUV" and text[:2] not in _NINO_NO


def is_german_tax_id(digits: str) -> bool:
    """Check the digit of ISO 7064, MOD 11,10, and that one digit occurs two or three times."""
    most = max(digits[:10].count(digit) for digit in digits[:10])
    if digits[0] == "0" or most not in (2, 3):
        return False
    product = 10
    for digit in digits[:10]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(digits[10])


def is_french_nir(text: str) -> bool:
    """Check the key of 97 minus the rest; 2A and 2B of Corsica count as 19 and 18."""
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(text[13:])


def is_spanish_dni(text: str) -> bool:
    """Check the letter of a DNI or NIE: the number modulo 23."""
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI[int(number) % 23] == text[-1]


def is_italian_code(text: str) -> bool:
    """Check the letter of a codice fiscale (decree of 23 December 1976)."""
    total = 0
    for place, letter in enumerate(text[:15]):
        even = int(letter) if letter.isdigit() else ord(letter) - ord("A")
        total += _CF_ODD[letter] if place % 2 == 0 else even
    return chr(ord("A") + total % 26) == text[15]


def is_dutch_bsn(digits: str) -> bool:
    """Check the eleven test of a burgerservicenummer."""
    return int(digits) > 0 and (weighted(digits[:8], "98765432") - int(digits[8])) % 11 == 0


def is_polish_pesel(digits: str) -> bool:
    """Check the last digit and the month of a PESEL."""
    month = int(digits[2:4]) % 20
    total = weighted(digits[:10], "1379137913")
    return 1 <= month <= 12 and (10 - total % 10) % 10 == int(digits[10])


def is_swedish_number(digits: str) -> bool:
    """Check the last digit of a personnummer by Luhn, and its date."""
    short = digits[-10:]
    day = int(short[4:6]) % 60  # a coordination number adds 60
    return 1 <= int(short[2:4]) <= 12 and 1 <= day <= 31 and passes_luhn(short)


def is_swiss_ahv(digits: str) -> bool:
    """Check the last digit by EAN-13."""
    return (10 - weighted(digits[:12], "131313131313") % 10) % 10 == int(digits[12])


def is_belgian_number(digits: str) -> bool:
    """Check the last two digits: 97 minus the rest, with a 2 before it for births since 2000."""
    number, key = digits[:9], int(digits[9:])
    return key in (97 - int(number) % 97, 97 - int("2" + number) % 97)


def is_portuguese_nif(digits: str) -> bool:
    """Check the last digit modulo 11."""
    rest = weighted(digits[:8], "98765432") % 11
    return digits[0] in "1235689" and (0 if rest < 2 else 11 - rest) == int(digits[8])


def is_brazilian_cpf(digits: str) -> bool:
    """Check both last digits modulo 11; eleven equal digits are none."""
    if len(set(digits)) == 1:
        return False
    for length in (9, 10):
        total = sum(int(digits[at]) * (length + 1 - at) for at in range(length))
        if total * 10 % 11 % 10 != int(digits[length]):
            return False
    return True


def is_aadhaar(digits: str) -> bool:
    """Check the last digit by Verhoeff's scheme."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        check = int(_VERHOEFF_D[check][int(_VERHOEFF_P[place % 8][int(digit)])])
    return digits[0] not in "01" and check == 0


def is_canadian_sin(digits: str) -> bool:
    """Check the last digit by Luhn; a SIN begins with neither 0 nor 8."""
    return digits[0] not in "08" and passes_luhn(digits)


class Number(NamedTuple):
    """One kind of number: its form, its test without separators, and the words that name it.

    `names` may stand anywhere before it, or nowhere, where the form tells enough.
    """

    name: str
    form: re.Pattern[str]
    test: Callable[[str], bool]
    names: re.Pattern[str] | None = None


def _form(pattern: str) -> re.Pattern[str]:
    return lazy_re(rf"(?<![0-9A-Za-z])(?<![0-9][.,\-])(?:{pattern})(?![0-9A-Za-z]|[.,\-][0-9])")


def _named(words: str) -> re.Pattern[str]:
    return lazy_re(rf"(?i)(?<![a-z])(?:{words})(?![a-z])")


NUMBERS: tuple[Number, ...] = (
    Number("us_ssn", _form(r"[0-9]{3}-[0-9]{2}-[0-9]{4}"), is_us_ssn),
    Number(
        "us_ssn",
        _form(r"[0-9]{3} ?[0-9]{2} ?[0-9]{4}"),
        is_us_ssn,
        _named(r"ssn|social security(?: number)?"),
    ),
    Number("uk_nino", _form(r"[A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"), is_uk_nino),
    Number(
        "german_tax_id",
        _form(r"[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{3}"),
        is_german_tax_id,
        _named(
            r"steuer(?:liche)?[- ]?id(?:entifikationsnummer|nr)?|identifikationsnummer|idnr"
            r"|tax id(?:entification)?(?: number)?|tin"
        ),
    ),
    Number(
        "french_nir",
        _form(r"[12] ?[0-9]{2} ?[0-9]{2} ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}"),
        is_french_nir,
    ),
    Number("spanish_dni", _form(r"(?:[0-9]{8}|[XYZ]-?[0-9]{7})-?[A-Z]"), is_spanish_dni),
    Number(
        "italian_code",
        _form(r"[A-Z]{6}[0-9]{2}[ABCDEHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]"),
        is_italian_code,
    ),
    Number("dutch_bsn", _form(r"[0-9]{9}"), is_dutch_bsn, _named(r"bsn|burgerservicenummer")),
    Number("polish_pesel", _form(r"[0-9]{11}"), is_polish_pesel, _named(r"pesel")),
    Number(
        "swedish_number",
        _form(r"(?:[0-9]{2})?[0-9]{6}[-+][0-9]{4}"),
        is_swedish_number,
    ),
    Number("swiss_ahv", _form(r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}"), is_swiss_ahv),
    Number(
        "belgian_number",
        _form(r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}\.[0-9]{2}"),
        is_belgian_number,
    ),
    Number(
        "portuguese_nif",
        _form(r"[0-9]{3} ?[0-9]{3} ?[0-9]{3}"),
        is_portuguese_nif,
        _named(r"nif|contribuinte"),
    ),
    Number("brazilian_cpf", _form(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}"), is_brazilian_cpf),
    Number("brazilian_cpf", _form(r"[0-9]{11}"), is_brazilian_cpf, _named(r"cpf")),
    Number(
        "aadhaar",
        _form(r"[0-9]{4}[ \-]?[0-9]{4}[ \-]?[0-9]{4}"),
        is_aadhaar,
        _named(r"aadhaar|uidai|uid"),
    ),
    Number(
        "canadian_sin",
        _form(r"[0-9]{3}[ \-]?[0-9]{3}[ \-]?[0-9]{3}"),
        is_canadian_sin,
        _named(r"sin|social insurance(?: number)?|nas"),
    ),
)


def _is_named(number: Number, text: str, start: int) -> bool:
    if number.names is None:
        return not is_of_a_thing(text, start)
    return number.names.search(text[max(0, start - BEFORE) : start]) is not None


def numbers_in(text: str) -> Iterator[PackMatch]:
    """Yield the national numbers of `text`."""
    for number in NUMBERS:
        for match in number.form.finditer(text):
            start, end = match.span()
            if not _is_named(number, text, start):
                continue
            bare = re.sub(r"[ .+\-]", "", match[0])
            if number.test(bare):
                yield PackMatch(start, end, "national_id", f"[{number.name.upper()}]", digits=True)
