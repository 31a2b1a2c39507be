"""Currencies, percentages and periods: the words and signs around a number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_ONE = Decimal(1)
_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Currency:
    """A written currency: its ISO 4217 code, the sign it shares, and whole units per written unit.

    `code` is None for "cents": the text does not say of what.
    """

    code: str | None
    family: str | None = None
    factor: Decimal = _ONE


_CODES = frozenset(
    "USD EUR GBP JPY CNY INR CHF CAD AUD NZD SEK NOK DKK ISK PLN CZK HUF RON BGN TRY RUB UAH KRW"
    " BRL MXN ARS CLP COP ZAR SGD HKD TWD THB MYR IDR PHP VND ILS AED SAR EGP NGN KES RMB BTC ETH"
    " PKR USDT".split()
)
# Signs that several currencies share; the first code is the usual reading.
FAMILIES: dict[str, frozenset[str]] = {
    "$": frozenset("USD CAD AUD NZD SGD HKD TWD MXN ARS CLP COP".split()),
    "£": frozenset(["GBP", "EGP"]),
    "¥": frozenset(["JPY", "CNY"]),
    "kr": frozenset("SEK NOK DKK ISK".split()),
    "rupee": frozenset(["INR", "PKR"]),
    "franc": frozenset(["CHF"]),
    "cent": frozenset("USD EUR CAD AUD NZD SGD HKD ZAR".split()),
    # "50 pounds" may be money or mass.
    "pound": frozenset(["GBP", "EGP", "kg"]),
    # "5 points" may be percentage points.
    "point": frozenset(["pp", "point"]),
    # "350 degrees" may be of either scale.
    "degree": frozenset(["°", "°F"]),
}

_SIGNS = {
    "$": Currency("USD", "$"), "us$": Currency("USD"), "ca$": Currency("CAD"), "c$": Currency("CAD"),
    "a$": Currency("AUD"), "au$": Currency("AUD"), "nz$": Currency("NZD"), "s$": Currency("SGD"),
    "hk$": Currency("HKD"), "nt$": Currency("TWD"), "mx$": Currency("MXN"), "r$": Currency("BRL"),
    "usd$": Currency("USD"), "$us": Currency("USD"),
    "€": Currency("EUR"), "£": Currency("GBP", "£"), "¥": Currency("JPY", "¥"), "₹": Currency("INR"),
    "₩": Currency("KRW"), "₽": Currency("RUB"), "₺": Currency("TRY"), "₴": Currency("UAH"),
    "₪": Currency("ILS"), "₫": Currency("VND"), "฿": Currency("THB"), "₦": Currency("NGN"),
    "₱": Currency("PHP"), "₿": Currency("BTC"), "¢": Currency(None, "cent", _HUNDREDTH),
}  # fmt: skip
SIGNS = "$€£¥₹₩₽₺₴₪₫฿₦₱₿¢"
_WORDS = {
    "dollar": Currency("USD", "$"), "dollars": Currency("USD", "$"), "bucks": Currency("USD", "$"),
    "us dollars": Currency("USD"), "u.s. dollars": Currency("USD"), "us dollar": Currency("USD"),
    "canadian dollars": Currency("CAD"), "australian dollars": Currency("AUD"),
    "euro": Currency("EUR"), "euros": Currency("EUR"),
    "pounds sterling": Currency("GBP"), "british pounds": Currency("GBP"), "quid": Currency("GBP"),
    "pence": Currency("GBP", None, _HUNDREDTH),
    "cent": Currency(None, "cent", _HUNDREDTH), "cents": Currency(None, "cent", _HUNDREDTH),
    "yen": Currency("JPY"), "yuan": Currency("CNY"), "renminbi": Currency("CNY"),
    "won": Currency("KRW"), "rupee": Currency("INR", "rupee"), "rupees": Currency("INR", "rupee"),
    "rs": Currency("INR", "rupee"), "franc": Currency("CHF", "franc"),
    "francs": Currency("CHF", "franc"), "swiss francs": Currency("CHF"), "fr": Currency("CHF"),
    "sfr": Currency("CHF"), "franken": Currency("CHF"), "kr": Currency("SEK", "kr"),
    "kronor": Currency("SEK"), "kroner": Currency("NOK", "kr"), "krona": Currency("SEK"),
    "krone": Currency("NOK", "kr"), "zł": Currency("PLN"), "zloty": Currency("PLN"),
    "kč": Currency("CZK"), "ft": Currency("HUF"), "forint": Currency("HUF"), "lei": Currency("RON"),
    "rubles": Currency("RUB"), "roubles": Currency("RUB"), "lira": Currency("TRY"),
    "pesos": Currency("MXN", "$"), "reais": Currency("BRL"), "shekels": Currency("ILS"),
    "baht": Currency("THB"), "rand": Currency("ZAR"), "dirhams": Currency("AED"),
    "bitcoin": Currency("BTC"), "bitcoins": Currency("BTC"),
}  # fmt: skip
_CODE_WORDS = {code: Currency("CNY" if code == "RMB" else code) for code in _CODES}

_BEFORE = re.compile(
    rf"(?:(?<![A-Za-z])(?:US|CA|C|AU|A|NZ|HK|NT|S|R|MX|USD)?\$(?:US)?|[{SIGNS}]"
    r"|(?<!\w)(?:[A-Z]{3}|Rs\.?|kr\.?|Kr\.?|Fr\.?|SFr\.?|Rp))[ ]?$"
)
# The longest thing before a number is "USDT ": six characters and the one before them.
_REACH = 8
_AFTER = re.compile(
    rf"(?P<dash>\.-|,-)?[ ]?(?:(?P<sign>[{SIGNS}]|US\$)|(?P<pence>(?<=\d)p(?!\w))"
    r"|(?P<code>[A-Z]{3,4})(?!\w)"
    r"|-?(?P<word>(?i:(?:us|u\.s\.|canadian|australian|british|swiss)[ ](?:dollars?|pounds|francs)"
    r"|pounds sterling|[^\W\d_]{2,9}))(?!\w))"
)
_CENTS_AFTER_DOLLARS = re.compile(r"[ ](?:and[ ])?(\d{1,2})[ ]cents?(?!\w)", re.ASCII)
# Words that are units far more often than money; money only when attached to nothing else.
_NOT_AFTER = frozenset(["ft", "fr", "rs"])


def currency_before(text: str, start: int, floor: int) -> tuple[Currency, int] | None:
    """Return the currency that ends right before `start` and where it begins, not before `floor`."""
    if start == floor:
        return None
    begin = max(floor, start - _REACH)
    found = _BEFORE.search(text, begin, start)
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
    """Return the currency written right after a number that ends at `start`, and its end."""
    found = _AFTER.match(text, start)
    if found is None:
        return None
    if found["sign"]:
        return _SIGNS[found["sign"].lower()], found.end()
    if found["pence"]:
        return Currency("GBP", None, _HUNDREDTH), found.end()
    if found["code"] and found["code"] in _CODE_WORDS:
        return _CODE_WORDS[found["code"]], found.end()
    word = (found["word"] or found["code"]).lower()
    currency = _WORDS.get(word)
    return (currency, found.end()) if currency and word not in _NOT_AFTER else None


_PERCENT = re.compile(
    r"[ ]?(?P<sign>%|‰)(?![\w])(?:[ -](?P<points>points?)(?!\w))?"
    r"|[ -]?(?P<word>percentage[ -]points?|percent[ -]points?|pct|percent|per[ ]cent|prozentpunkte?"
    r"|prozent|pour[ ]cent|por[ ]ciento|por[ ]cento|per[ ]cento|pp|ppts?|basis[ ]points?|bps)(?!\w)"
)
_POINTS = frozenset(["pp", "ppt", "ppts", "prozentpunkt", "prozentpunkte"])


def percent_after(low: str, start: int) -> tuple[str, Decimal, int] | None:
    """Return the unit ("%" or "pp"), the factor to it and the end, for a percentage at `start`.

    A per mille is 0.1 %, a basis point 0.01 percentage points.
    """
    found = _PERCENT.match(low, start)
    if found is None:
        return None
    if found["sign"]:
        unit = "pp" if found["points"] else "%"
        return unit, Decimal("0.1") if found["sign"] == "‰" else _ONE, found.end()
    word = found["word"]
    if word.startswith("basis") or word == "bps":
        return "pp", _HUNDREDTH, found.end()
    return "pp" if "point" in word or word in _POINTS else "%", _ONE, found.end()


_PERIODS = {
    "second": "second", "sec": "second", "s": "second", "minute": "minute", "min": "minute",
    "hour": "hour", "hr": "hour", "h": "hour", "stunde": "hour", "heure": "hour", "hora": "hour",
    "day": "day", "tag": "day", "jour": "day", "día": "day", "dia": "day", "night": "night",
    "nacht": "night", "nuit": "night", "noche": "night", "week": "week", "wk": "week",
    "woche": "week", "semaine": "week", "semana": "week", "month": "month", "mo": "month",
    "mth": "month", "monat": "month", "mois": "month", "mes": "month", "quarter": "quarter",
    "year": "year", "yr": "year", "annum": "year", "jahr": "year", "an": "year", "año": "year",
    "ano": "year", "decade": "decade",
    "hourly": "hour", "daily": "day", "nightly": "night", "weekly": "week", "monthly": "month",
    "monatlich": "month", "quarterly": "quarter", "yearly": "year", "annually": "year",
    "jährlich": "year", "p.a.": "year", "pcm": "month",
}  # fmt: skip
_PER_THINGS = {
    "user": "user", "seat": "user", "member": "user", "person": "person", "head": "person",
    "guest": "person", "adult": "person", "child": "child", "student": "student", "unit": "unit",
    "item": "item", "piece": "item", "page": "page", "bottle": "bottle", "box": "box",
    "mile": "mile", "km": "km", "kilometer": "km", "kilometre": "km", "kg": "kg",
    "kilogram": "kg", "pound": "lb", "lb": "lb", "ounce": "oz", "oz": "oz", "gallon": "gallon",
    "liter": "L", "litre": "L", "l": "L", "dl": "dL", "ml": "mL", "share": "share",
    "ticket": "ticket", "license": "license", "licence": "license", "kwh": "kWh", "gb": "GB",
    "token": "token", "request": "request", "call": "call", "transaction": "transaction",
    "acre": "acre", "serving": "serving", "cup": "cup", "trip": "trip", "room": "room",
    "square foot": "ft²", "sq ft": "ft²", "sqft": "ft²",
}  # fmt: skip
_NAMES = "|".join(
    re.escape(word) for word in sorted({**_PERIODS, **_PER_THINGS}, key=len, reverse=True)
)
_PER = rf"(?:[ ]?/[ ]?|[ -](?:per|a|an|each|every|pro|par|por|je|im|al|al)[ -])(?P<{{}}>{_NAMES})(?!\w)"
_PERIOD = re.compile(
    _PER.format("one")
    + "(?:,?"
    + _PER.format("two")
    + ")?"
    + r"|[ ](?P<adverb>hourly|daily|nightly|weekly|monthly|monatlich|quarterly|yearly|annually"
    r"|jährlich|p\.a\.|pcm)(?!\w)"
)


def period_after(low: str, start: int) -> tuple[str, int] | None:
    """Return the period of a rate ("/mo", "a year", "monthly", "per user per month") and its end.

    Of two, the one that is a time counts.
    """
    found = _PERIOD.match(low, start)
    if found is None:
        return None
    if found["adverb"]:
        return _PERIODS[found["adverb"]], found.end()
    for word in (found["one"], found["two"]):
        if word in _PERIODS:
            return _PERIODS[word], found.end()
    return _PER_THINGS[found["one"]], found.end()


# "free" as a price. "sugar-free", "free time", "free from", "feel free" are none.
_FREE = re.compile(
    r"(?:free[ ]of[ -](?:charge|cost)|free(?=[ ](?:trial|plan|tier|version|shipping|delivery|account"
    r"|admission|entry|parking|wifi|wi-fi|sample|returns?|consultation|download)s?(?!\w))"
    r"|(?:(?<=for )|(?<=is )|(?<=are )|(?<=was )|(?<=were )|(?<=completely )|(?<=totally )"
    r"|(?<=absolutely )|(?<=entirely )|(?<=always ))free(?![ ](?:of|from|to|in|as|and|time|range)(?!\w)))"
    r"(?![\w-])"
)


def free_at(low: str, start: int) -> int | None:
    """Return the end of "free" at `start` where it is a price, else None."""
    found = _FREE.match(low, start)
    return found.end() if found else None
