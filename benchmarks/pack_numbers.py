"""Draw made-up numbers of persons, with right and wrong check sums: none was ever issued."""

from collections.abc import Callable
from random import Random

from pack_forms import fill

_DIGITS = "0123456789"


def _digits(random: Random, length: int, first: str = _DIGITS) -> str:
    return random.choice(first) + "".join(random.choice(_DIGITS) for _ in range(length - 1))


def _born(random: Random) -> str:
    """Return a day in the last century as six digits, year first."""
    day = random.randrange(40, 99), random.randrange(1, 13), random.randrange(1, 29)
    return "".join(f"{part:02d}" for part in day)


def luhn(body: str) -> str:
    """Return `body` with its Luhn digit."""
    total = 0
    for place, digit in enumerate(reversed(body)):
        number = int(digit) * (2 if place % 2 == 0 else 1)
        total += number - 9 if number > 9 else number
    return body + str(-total % 10)


def _card(head: str, length: int) -> Callable[[Random], str]:
    return lambda random: luhn(head + _digits(random, length - 1 - len(head)))


def _other_last(number: str) -> str:
    return number[:-1] + str((int(number[-1]) + 1 + len(number) % 7) % 10)


def _spaced(number: str, *sizes: int) -> str:
    parts, at = [], 0
    for size in sizes:
        parts.append(number[at : at + size])
        at += size
    return " ".join(part for part in [*parts, number[at:]] if part)


def iban(country: str, account: str) -> str:
    """Return the IBAN of a national `account` number."""
    turned = "".join(str(int(letter, 36)) for letter in f"{account}{country}00")
    return f"{country}{98 - int(turned) % 97:02d}{account}"


_ACCOUNTS = {
    "DE": "<d18>",
    "GB": "NWBK<d14>",
    "FR": "<d23>",
    "NL": "INGB<d10>",
    "ES": "<d20>",
    "IT": "X<d22>",
    "CH": "<d17>",
    "AT": "<d16>",
    "BE": "<d12>",
    "PL": "<d24>",
    "PT": "<d21>",
    "SE": "<d20>",
    "NO": "<d11>",
    "DK": "<d14>",
    "FI": "<d14>",
    "IE": "AIBK<d14>",
    "CZ": "<d20>",
    "LU": "<d16>",
    "SA": "<d20>",
    "AE": "<d19>",
    "BR": "<d23>C1",
    "TR": "<d22>",
    "MT": "MALT<d23>",
    "LT": "<d16>",
}


def _iban(country: str, spaced: bool = False, wrong: bool = False) -> Callable[[Random], str]:
    def drawn(random: Random) -> str:
        number = iban(country, fill(_ACCOUNTS[country], random))
        if wrong:
            number = _other_last(number)
        return _spaced(number, *[4] * (len(number) // 4)) if spaced else number

    return drawn


def _german_tax(random: Random) -> str:
    while True:
        body = _digits(random, 10, "123456789")
        counts = [body.count(digit) for digit in set(body)]
        if counts.count(2) == 1 and max(counts) == 2:
            break
    product = 10
    for digit in body:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return body + str((11 - product) % 10)


def _french_nir(random: Random) -> str:
    place, number = random.randrange(1_001, 94_990), random.randrange(1, 999)
    body = f"{random.choice('12')}{_born(random)[:4]}{place:05d}{number:03d}"
    return body + f"{97 - int(body) % 97:02d}"


def _dni(random: Random) -> str:
    number = _digits(random, 8, "1234567")
    return number + "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]


def _nie(random: Random) -> str:
    number = _digits(random, 7)
    return "X" + number + "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23]


def _wrong_dni(random: Random) -> str:
    number = _digits(random, 8, "1234567")
    return number + "TRWAGMYFPDXBNJZSQVHLCKE"[(int(number) + 5) % 23]


def _weighted_until(
    length: int, weights: tuple[int, ...], modulus: int, first: str = _DIGITS
) -> Callable[[Random], str]:
    """Return a drawer of numbers whose weighted sum is a multiple of `modulus`."""

    def drawn(random: Random) -> str:
        while True:
            number = _digits(random, length, first)
            if (
                sum(int(digit) * weight for digit, weight in zip(number, weights, strict=True))
                % modulus
                == 0
            ):
                return number

    return drawn


def _pesel(random: Random) -> str:
    body = f"{_born(random)}{_digits(random, 4)}"
    total = sum(
        int(digit) * weight
        for digit, weight in zip(body, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3), strict=True)
    )
    return body + str(-total % 10)


def _swedish(random: Random) -> str:
    body = f"{_born(random)}{_digits(random, 3)}"
    number = luhn(body)
    return f"{number[:6]}-{number[6:]}"


def _ahv(random: Random) -> str:
    body = "756" + _digits(random, 9)
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body))
    number = body + str(-total % 10)
    return f"{number[:3]}.{number[3:7]}.{number[7:11]}.{number[11:]}"


def ean(body: str) -> str:
    """Return the twelve digits of `body` with the check digit of an EAN-13."""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body))
    return body + str(-total % 10)


def _isbn(random: Random) -> str:
    number = ean("978" + _digits(random, 9))
    return f"{number[:3]}-{number[3]}-{number[4:7]}-{number[7:12]}-{number[12]}"


def _belgian(random: Random) -> str:
    body = f"{_born(random)}{random.randrange(1, 998):03d}"
    check = 97 - int(body) % 97
    return f"{body[:2]}.{body[2:4]}.{body[4:6]}-{body[6:]}.{check:02d}"


def _nif(random: Random) -> str:
    body = _digits(random, 8, "12")
    check = 11 - sum(int(digit) * (9 - place) for place, digit in enumerate(body)) % 11
    return body + str(0 if check > 9 else check)


def _cpf(random: Random) -> str:
    number = _digits(random, 9)
    for length in (10, 11):
        total = sum(int(digit) * (length - place) for place, digit in enumerate(number))
        number += str(0 if total % 11 < 2 else 11 - total % 11)
    return f"{number[:3]}.{number[3:6]}.{number[6:9]}-{number[9:]}"


_DIHEDRAL = (
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
_TURNS = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)


def _aadhaar(random: Random) -> str:
    body = _digits(random, 11, "23456789")
    for last in _DIGITS:
        state = 0
        for place, digit in enumerate(reversed(body + last)):
            state = int(_DIHEDRAL[state][int(_TURNS[place % 8][int(digit)])])
        if state == 0:
            return _spaced(body + last, 4, 4, 4)
    raise AssertionError("every body has a check digit")


def _sin(random: Random) -> str:
    return _spaced(luhn(_digits(random, 8, "1234567")), 3, 3, 3)


def _ssn(random: Random) -> str:
    return f"{random.randrange(100, 665)}-{random.randrange(10, 99)}-{random.randrange(1000, 9999)}"


def _nino(random: Random) -> str:
    first, second, last = (random.choice(letters) for letters in ("ABCEHJ", "ABCEHJ", "ABCD"))
    return f"{first}{second}{_digits(random, 6)}{last}"


_CF_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (
            1,
            0,
            5,
            7,
            9,
            13,
            15,
            17,
            19,
            21,
            1,
            0,
            5,
            7,
            9,
            13,
            15,
            17,
            19,
            21,
            2,
            4,
            18,
            20,
            11,
            3,
            6,
            8,
            12,
            14,
            16,
            10,
            22,
            25,
            24,
            23,
        ),
        strict=True,
    )
)


def _codice(random: Random) -> str:
    consonants = "BCDFGLMNPRSTV"
    body = (
        "".join(random.choice(consonants) for _ in range(6))
        + f"{random.randrange(40, 99)}{random.choice('ABCDEHLMPRST')}{random.randrange(1, 29):02d}"
        + f"{random.choice('ABCDEFGHL')}{_digits(random, 3)}"
    )
    total = sum(
        _CF_ODD[letter] if place % 2 == 0 else int(letter, 36) - (0 if letter.isdigit() else 10)
        for place, letter in enumerate(body)
    )
    return body + chr(65 + total % 26)


PERSONAL: dict[str, Callable[[Random], str]] = {
    "visa": _card("4", 16),
    "mastercard": _card("53", 16),
    "amex": _card("37", 15),
    "discover": _card("6011", 16),
    "diners": _card("36", 14),
    "jcb": _card("3530", 16),
    "visa_spaced": lambda random: _spaced(_card("4", 16)(random), 4, 4, 4, 4),
    "mastercard_dashed": lambda random: _spaced(_card("55", 16)(random), 4, 4, 4, 4).replace(
        " ", "-"
    ),
    "amex_spaced": lambda random: _spaced(_card("34", 15)(random), 4, 6, 5),
    "wrong_card": lambda random: _other_last(_card("4", 16)(random)),
    "wrong_card_spaced": lambda random: _spaced(_other_last(_card("5", 16)(random)), 4, 4, 4, 4),
    "sixteen": lambda random: _other_last(luhn("7" + _digits(random, 14))),
    "german_tax": _german_tax,
    "wrong_german_tax": lambda random: _other_last(_german_tax(random)),
    "french_nir": _french_nir,
    "french_nir_spaced": lambda random: _spaced(_french_nir(random), 1, 2, 2, 2, 3, 3, 2),
    "wrong_french_nir": lambda random: _other_last(_french_nir(random)),
    "dni": _dni,
    "nie": _nie,
    "wrong_dni": _wrong_dni,
    "bsn": _weighted_until(9, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11, "123456789"),
    "wrong_bsn": lambda random: _other_last(
        _weighted_until(9, (9, 8, 7, 6, 5, 4, 3, 2, -1), 11, "123456789")(random)
    ),
    "pesel": _pesel,
    "wrong_pesel": lambda random: _other_last(_pesel(random)),
    "swedish": _swedish,
    "ahv": _ahv,
    "wrong_ahv": lambda random: _other_last(_ahv(random)),
    "belgian": _belgian,
    "nif": _nif,
    "cpf": _cpf,
    "wrong_cpf": lambda random: _other_last(_cpf(random)),
    "aadhaar": _aadhaar,
    "wrong_aadhaar": lambda random: _other_last(_aadhaar(random)),
    "sin": _sin,
    "ssn": _ssn,
    "nino": _nino,
    "codice": _codice,
    "isbn": _isbn,
    "ean": lambda random: ean("40" + _digits(random, 10)),
    "order": lambda random: _digits(random, 10, "123456789"),
    "eleven": lambda random: _digits(random, 11, "123456789"),
    **{f"iban_{country.lower()}": _iban(country) for country in _ACCOUNTS},
    **{f"iban_{country.lower()}_spaced": _iban(country, spaced=True) for country in _ACCOUNTS},
    **{
        f"iban_{country.lower()}_wrong": _iban(country, spaced=True, wrong=True)
        for country in _ACCOUNTS
    },
}
