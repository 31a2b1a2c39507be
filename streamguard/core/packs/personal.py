"""Personal data by its form: e-mail, telephone, IBAN, card, IP address, national numbers.

Names, addresses and dates of birth have no form that tells them from any others: they are not
looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address

from streamguard.core.packs import identifiers
from streamguard.core.packs.found import PackMatch, Search, is_of_a_thing, passes_luhn
from streamguard.errors import ConfigError
from streamguard.text.patterns import lazy_re

# Characters of an IBAN by country (SWIFT, IBAN registry, release 99).
IBAN_LENGTHS = {
    country: int(length)
    for length, countries in (
        row.split(":")
        for row in (
            "15:NO",
            "16:BE",
            "18:DK FI FO GL NL SD",
            "19:MK SI",
            "20:AT BA EE KZ LT LU MN XK",
            "21:CH HR LI LV",
            "22:BG BH CR DE GB GE IE ME RS VA",
            "23:AE GI IL IQ OM SO TL",
            "24:AD CZ ES MD PK RO SA SE SK TN VG",
            "25:LY PT ST",
            "26:IS TR",
            "27:BI DJ FR GR IT MC MR SM",
            "28:AL AZ BY CY DO GT HU LB NI PL SV",
            "29:BR EG PS QA UA",
            "30:JO KW MU",
            "31:MT SC",
            "32:LC",
            "33:RU",
        )
    )
    for country in countries.split()
}

_L = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"  # Latin letters: a name may have accents
_EMAIL = lazy_re(
    rf"(?<![{_L}0-9._%+\-/@])[{_L}0-9](?:[{_L}0-9._%+\-']{{0,62}}[{_L}0-9_+\-])?"
    rf"@(?:[{_L}0-9](?:[{_L}0-9\-]{{0,61}}[{_L}0-9])?\.){{1,8}}[A-Za-z]{{2,24}}(?![{_L}0-9\-@])"
    r"(?!:[~A-Za-z0-9._\-]{0,64}/)"  # "deploy@host.example:/srv" is a place of files
)
# RFC 2606 keeps these for examples, and "you@company.com" is one, too.
_STAND_IN = lazy_re(
    r"(?i)git@.{1,300}|[^@]{1,64}@(?:[^@]{1,255}\.)?example\.(?:com|net|org)"
    r"|(?:you|your[._\-]?(?:name|e?mail)|user(?:name)?|name|someone|first(?:name)?[._]last(?:name)?|e?mail)"
    r"@(?:your-?|my-?)?(?:domain|company|firm|organi[sz]ation|e?mail|host|provider|site|website|server)\.[a-z]{2,24}"
)
_IN_ADDRESS = lazy_re(r"://[^\s@]{0,64}:\Z")  # "postgres://joe:secret@db.example"
_IBAN = lazy_re(
    r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ \-]?[A-Z0-9]{4}){2,7}(?:[ \-]?[A-Z0-9]{1,3})?"
    r"(?![A-Za-z0-9])"
)
_PHONE = lazy_re(
    r"(?<![0-9A-Za-z.\-])(?<![0-9] )(?:\+|00)[1-9](?:[ .\-/]?\(?[0-9]\)?){6,18}(?![0-9A-Za-z])"
)
_CARD = lazy_re(
    r"(?<![0-9A-Za-z])(?<![0-9][.\-])[2-6][0-9]{3}(?:[ \-]?[0-9]){8,15}(?![0-9A-Za-z]|[.\-][0-9])"
)
_IP = lazy_re(
    r"(?<![0-9A-Za-z.:])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9A-Za-z]|:[0-9]{0,5}[A-Za-z:]|\.[0-9])"
    r"|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![0-9A-Za-z:]|\.[0-9]))"
)
# What everybody may ask for the addresses of names (Google, Cloudflare, Quad9, OpenDNS).
_RESOLVERS = frozenset(
    "8.8.8.8 8.8.4.4 1.1.1.1 1.0.0.1 9.9.9.9 149.112.112.112 208.67.222.222 208.67.220.220".split()
)
# Version numbers and paragraphs have the form of an address: "release 10.0.19.41".
_VERSION = lazy_re(
    r"(?i)(?:version|release|build|firmware|driver|update|kernel|linux|glibc|chrom(?:e|ium)|java|v|section|chapter|clause|article|rule|oid"
    r"|paragraph|figure|table|step|item|abschnitt|kapitel|absatz|chapitre|secci[oó]n|sezione|§)"
    r"\s{0,2}\Z"
)
# Lengths of cards by their first digits (ISO/IEC 7812: Visa, Mastercard, Amex, Discover, JCB …).
_CARDS = lazy_re(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})|5[1-5][0-9]{14}|2(?:2[2-9]|[3-6][0-9]|7[01])[0-9]{13}"
    r"|2720[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[689][0-9])[0-9]{11}|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}"
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12}|62[0-9]{14,17}"
)


def _emails(text: str) -> Iterator[PackMatch]:
    for match in _EMAIL.finditer(text) if "@" in text else ():
        before = text[max(0, match.start() - 80) : match.start()]
        if not (_STAND_IN.fullmatch(match[0]) or _IN_ADDRESS.search(before)):
            yield PackMatch(*match.span(), "email", "[EMAIL]")


def passes_iban(text: str) -> bool:
    """Check length and check digits of an IBAN without spaces (ISO 13616, ISO 7064 MOD 97-10)."""
    if IBAN_LENGTHS.get(text[:2]) != len(text):
        return False
    number = "".join(str(int(letter, 36)) for letter in text[4:] + text[:4])
    return int(number) % 97 == 1


def _ibans(text: str) -> Iterator[PackMatch]:
    for match in _IBAN.finditer(text):
        # A word in capitals may follow it: "DE89 … 00 BIC".
        written = match[0]
        while written:
            if passes_iban(re.sub(r"[ \-]", "", written)):
                end = match.start() + len(written)
                yield PackMatch(match.start(), end, "iban", f"[IBAN {written[:2]}]", digits=True)
                break
            written = written.rpartition(" ")[0]


def _cards(text: str) -> Iterator[PackMatch]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"[ \-]", "", match[0])
        if _CARDS.fullmatch(digits) and passes_luhn(digits) and len(set(digits)) > 1:
            yield PackMatch(*match.span(), "card", "[CARD]", digits=True)


def _addresses(text: str) -> Iterator[PackMatch]:
    """Yield public IP addresses: those of a home or an office network name nobody."""
    for match in _IP.finditer(text):
        try:
            address = ip_address(match[0])
        except ValueError:
            continue
        before = text[max(0, match.start() - 12) : match.start()]
        # "add::bad" in code is an address by its letters alone.
        is_code = ":" in match[0] and not any(map(str.isdigit, match[0]))
        is_told = not address.is_global or match[0] in _RESOLVERS
        if not (is_told or is_code or _VERSION.search(before)):
            yield PackMatch(*match.span(), "ip", "[IP]")


def _international(text: str) -> Iterator[PackMatch]:
    """Yield telephone numbers that begin with "+" or "00" (E.164: 8 to 15 digits)."""
    for match in _PHONE.finditer(text):
        digits = re.sub(r"[^0-9]", "", match[0]).removeprefix("00")
        if 8 <= len(digits) <= 15 and len(set(digits)) > 2:
            yield PackMatch(*match.span(), "phone", "[PHONE]", digits=True)


def _phones_of(region: str) -> Search:
    """Return a search for telephone numbers that reads those of `region` ("DE") without "+" too.

    Raises `ConfigError` if the package phonenumbers is missing, or knows no such region.
    """
    try:
        import phonenumbers
    except ImportError as exc:
        raise ConfigError(
            f"phone_region is {region!r}, which needs the package phonenumbers:"
            " pip install 'streamguard-llm[pii]'"
        ) from exc
    if region not in phonenumbers.SUPPORTED_REGIONS:
        raise ConfigError(f"phone_region is {region!r}, expected a country's two letters, as in DE")

    def phones(text: str) -> Iterator[PackMatch]:
        for match in phonenumbers.PhoneNumberMatcher(text, region):
            if not is_of_a_thing(text, match.start):
                yield PackMatch(match.start, match.end, "phone", "[PHONE]", digits=True)

    return phones


SEARCHES: dict[str, Search] = {
    "email": _emails,
    "iban": _ibans,
    "card": _cards,
    "ip": _addresses,
    "national_id": identifiers.numbers_in,
    "phone": _international,  # last: an account number holds what looks like one
}
KINDS = tuple(SEARCHES)


def searches(kinds: frozenset[str], phone_region: str | None) -> list[Search]:
    """Return the searches of these kinds, of all where none is named.

    Raises `ConfigError` for a `phone_region` that cannot be read.
    """
    found = dict(SEARCHES)
    if phone_region is not None:
        found["phone"] = _phones_of(phone_region)
    return [search for kind, search in found.items() if not kinds or kind in kinds]
