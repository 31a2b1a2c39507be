"""Currencies and percentages: the words and signs around a number, and "free" as a price."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from streamguard.core.anchors.value import ONE, listed

_HUNDREDTH = Decimal("0.01")
_TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class Currency:
    """A written currency: its ISO 4217 code, the sign it shares, and whole units per written unit.

    `code` is None for "cents": the text does not say of what.
    """

    code: str | None
    family: str | None = None
    factor: Decimal = ONE


_CODES = listed(
    "USD EUR GBP JPY CNY RMB INR CHF CAD AUD NZD SEK NOK DKK ISK PLN CZK HUF RON BGN TRY RUB UAH"
    " KRW BRL MXN ARS CLP COP ZAR SGD HKD TWD THB MYR IDR PHP VND ILS AED SAR EGP NGN KES BTC ETH"
    " PKR"
)
# What a shared sign or an ambiguous word may stand for: currency codes, units, dimensions' bases.
FAMILIES: dict[str, frozenset[str]] = {
    "$": listed("USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP"),
    "£": listed("GBP EGP"),
    "¥": listed("JPY CNY"),
    "kr": listed("SEK NOK DKK ISK"),
    "rupee": listed("INR PKR"),
    "cent": listed("USD EUR CAD AUD NZD SGD HKD ZAR"),
    "pound": listed("GBP EGP kg"),  # money or mass
    "point": listed("pp point"),  # percentage points or points of a score
    "degree": listed("° °F"),  # of an angle or of either temperature scale
}
_SIGN_TABLE = (
    "$ USD us$ USD usd$ USD $us USD $ca CAD $au AUD £gb GBP"
    " ca$ CAD c$ CAD a$ AUD au$ AUD nz$ NZD s$ SGD hk$ HKD nt$ TWD"
    " mx$ MXN r$ BRL € EUR £ GBP ¥ JPY ₹ INR ₩ KRW ₽ RUB ₺ TRY ₴ UAH ₪ ILS ₫ VND ฿ THB ₦ NGN ₱ PHP"
    " ₿ BTC"
)
_SIGNS = {
    sign: Currency(code, sign if sign in FAMILIES else None)
    for sign, code in zip(*[iter(_SIGN_TABLE.split())] * 2, strict=True)
} | {"¢": Currency(None, "cent", _HUNDREDTH)}
SIGNS = "$€£¥₹₩₽₺₴₪₫฿₦₱₿¢"
_WORDS = {
    "dollar": Currency("USD", "$"), "dollars": Currency("USD", "$"), "bucks": Currency("USD", "$"),
    "us dollar": Currency("USD"), "us dollars": Currency("USD"), "u.s. dollars": Currency("USD"),
    "canadian dollars": Currency("CAD"), "australian dollars": Currency("AUD"),
    "euro": Currency("EUR"), "euros": Currency("EUR"), "quid": Currency("GBP"),
    "pounds sterling": Currency("GBP"), "british pounds": Currency("GBP"),
    "penny": Currency(None, "cent", _HUNDREDTH), "pence": Currency("GBP", None, _HUNDREDTH),
    "cent": Currency(None, "cent", _HUNDREDTH), "cents": Currency(None, "cent", _HUNDREDTH),
    "yen": Currency("JPY"), "yuan": Currency("CNY"), "renminbi": Currency("CNY"),
    "won": Currency("KRW"), "rupee": Currency("INR", "rupee"), "rupees": Currency("INR", "rupee"),
    "rs": Currency("INR", "rupee"), "franc": Currency("CHF"), "francs": Currency("CHF"),
    "swiss francs": Currency("CHF"), "fr": Currency("CHF"), "sfr": Currency("CHF"),
    "franken": Currency("CHF"), "kr": Currency("SEK", "kr"), "kronor": Currency("SEK"),
    "krona": Currency("SEK"), "kroner": Currency("NOK", "kr"), "krone": Currency("NOK", "kr"),
    "zł": Currency("PLN"), "zloty": Currency("PLN"), "kč": Currency("CZK"),
    "forint": Currency("HUF"), "lei": Currency("RON"), "rubles": Currency("RUB"),
    "roubles": Currency("RUB"), "lira": Currency("TRY"), "pesos": Currency("MXN", "$"),
    "reais": Currency("BRL"), "shekels": Currency("ILS"), "baht": Currency("THB"),
    "rand": Currency("ZAR"), "dirhams": Currency("AED"), "bitcoin": Currency("BTC"),
    "bitcoins": Currency("BTC"),
}  # fmt: skip
_CODE_WORDS = {code: Currency("CNY" if code == "RMB" else code) for code in _CODES}
# The letters with which a currency's spellings behind a number begin, in small letters.
CURRENCY_LETTERS = frozenset(
    letters[0].lower()
    for written in (*_SIGNS, *_WORDS, *_CODES, "u.s.", "canadian", "australian", "british", "p")
    if (letters := re.match(r"[^\W\d_]+", written))
)
# The words of which an amount has one, unless it has a sign: every word of a currency, and "free".
MONEY_WORDS = frozenset(
    re.findall(
        r"[a-z]+",
        " ".join(
            (*_SIGNS, *_WORDS, *_CODES, "p free waived nothing fee fees charge charges cost costs")
        ).lower(),
    )
)
# These stand before a number only: after one "fr", "rs" and "kr" would be cut from other words.
_ONLY_BEFORE = listed("fr rs")

_BEFORE = re.compile(
    rf"(?:(?<![A-Za-z])(?:US|CA|C|AU|A|NZ|HK|NT|S|R|MX|USD)?\$(?:US)?|[{SIGNS}]"
    r"|(?<!\w)(?:[A-Z]{3}|Rs\.?|[Kk]r\.?|S?Fr\.?))[ ]?$"
)
_BEFORE_LAST = frozenset(SIGNS) | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZrs.")
# The longest thing before a number is "USD$ ": five characters and the one before them.
_REACH = 7
_AFTER = re.compile(
    r"(?:\.-|,-)?[ ]?(?:"
    rf"(?P<sign>(?:US|CA|AU|HK|NZ)\$|\$(?:US|CA|AU)(?!\w)|£GB(?!\w)|[{SIGNS}])"
    r"|(?P<pence>(?<=\d)(?<!\d\d\d)p(?!\w))"
    r"|(?P<code>[A-Z]{3})(?!\w)"
    r"|-?(?P<word>(?i:(?:us|u\.s\.|canadian|australian|british|swiss)[ ](?:dollars?|pounds|francs)"
    r"|pounds[ ]sterling|[^\W\d_]{2,9}))(?!\w))"
)


def currency_before(text: str, start: int, floor: int) -> tuple[Currency, int] | None:
    """Return the currency right before `start` and where it begins, not before `floor`."""
    last = text[start - 1 : start] if start > floor else ""
    if last == " ":
        last = text[start - 2 : start - 1]
    if not last or last not in _BEFORE_LAST:
        return None
    found = _BEFORE.search(text, max(floor, start - _REACH), start)
    if found is None:
        return None
    written = found[0].strip()
    currency = (
        _SIGNS.get(written.lower())
        or _CODE_WORDS.get(written)
        or _WORDS.get(written.rstrip(".").lower())
    )
    return (currency, found.start()) if currency else None


def currency_after(text: str, start: int) -> tuple[Currency, int] | None:
    """Return the currency right after a number that ends at `start`, and its end."""
    found = _AFTER.match(text, start)
    if found is None:
        return None
    if found["sign"]:
        return _SIGNS[found["sign"].lower()], found.end()
    if found["pence"]:
        return Currency("GBP", None, _HUNDREDTH), found.end()
    word = found["code"] or found["word"]
    currency = _CODE_WORDS.get(word) or _WORDS.get(word.lower())
    return (currency, found.end()) if currency and word not in _ONLY_BEFORE else None


_PERCENT = re.compile(
    r"[ ]?(?P<sign>%|‰)(?!\w)(?:[ -](?P<points>points?)(?!\w))?"
    r"|[ -]?(?P<word>percentage[ -]points?|percent[ -]points?|pct|percent|per[ ]cent|prozentpunkte?"
    r"|prozent|pour[ ]cent|por[ ]ciento|por[ ]cento|per[ ]cento|pp|ppts?|basis[ ]points?|bps)"
    r"(?!\w)"
)
_POINTS = listed("pp ppt ppts prozentpunkt prozentpunkte")


def percent_after(low: str, start: int) -> tuple[str, Decimal, int] | None:
    """Return the unit ("%" or "pp"), the factor to it and the end of a percentage at `start`.

    A per mille is 0.1 %, a basis point 0.01 percentage points.
    """
    found = _PERCENT.match(low, start)
    if found is None:
        return None
    if found["sign"]:
        unit = "pp" if found["points"] else "%"
        return unit, _TENTH if found["sign"] == "‰" else ONE, found.end()
    word = found["word"]
    if word.startswith("b"):
        return "pp", _HUNDREDTH, found.end()
    return "pp" if "point" in word or word in _POINTS else "%", ONE, found.end()


# Behind these "free" is a price: "Children enter free", "admission free".
_BEFORE_FREE = "".join(
    rf"|(?<=\b{word} )"
    for word in sorted(
        listed(
            "enter enters entered go goes ride rides travel travels stay stays eat eats ship ships"
            " admitted admission entry entrance shipping delivery parking returns transport"
        )
        | {"get in", "gets in"}
    )
)
FREE_WORDS = listed("free waived no nothing")
# "free" as a price. "sugar-free", "free time", "free from", "feel free" are none.
_FREE = re.compile(
    r"(?:waived(?!\w)|(?<![\w-])free(?=[ ]{0,20}\|)"
    r"|no[ ](?:extra |additional |further )?(?:fees?|charges?|costs?)"
    r"(?=[.,;:)!?\n|]|$|[ ](?:for|to|is|are|if|when|at|in|on|and|or|was|were|with|as|from|until"
    r"|appl(?:y|ies)|will|charged|involved)(?!\w))"
    r"|(?:(?<=pay )|(?<=pays )|(?<=cost )|(?<=costs ))nothing(?![ ](?:but|like|less|more)(?!\w))"
    r"(?!\w)"
    r"|free[ ]of[ -](?:charge|cost)"
    r"|free(?=[ ](?:trial|plan|tier|version|shipping|delivery"
    r"|account|admission|entry|parking|wifi|wi-fi|sample|return|consultation|download)s?(?!\w))"
    r"|(?:(?<=\bfor )|(?<=\bis )|(?<=\bare )|(?<=\bwas )|(?<=\bwere )|(?<=completely )"
    rf"|(?<=totally )|(?<=absolutely )|(?<=entirely )|(?<=always ){_BEFORE_FREE})"
    r"free(?![ ](?:of|from|to|in|as|and|time|range|fall|will)(?!\w)))(?![\w-])"
)


def free_at(low: str, start: int) -> int | None:
    """Return the end of "free", "waived" or "no fee" at `start` where it is a price, else None."""
    found = _FREE.match(low, start)
    return found.end() if found else None
