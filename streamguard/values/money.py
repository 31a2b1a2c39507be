"""Currencies and percentages: the words and signs around a number, and "free" as a price."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from streamguard.text.patterns import lazy_re
from streamguard.values.value import ONE, listed, rows

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


CODES = listed(
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
_CENT, _PENCE = Currency(None, "cent", _HUNDREDTH), Currency("GBP", None, _HUNDREDTH)
_SIGNS = {
    sign: Currency(code, sign if sign in FAMILIES else None)
    for sign, code in rows(
        "USD: $ us$ usd$ $us; CAD: $ca ca$ c$; AUD: $au a$ au$; NZD: nz$; SGD: s$; HKD: hk$;"
        "TWD: nt$; MXN: mx$; BRL: r$; GBP: £ £gb; EUR: €; JPY: ¥; INR: ₹; KRW: ₩; RUB: ₽; TRY: ₺;"
        "UAH: ₴; ILS: ₪; VND: ₫; THB: ฿; NGN: ₦; PHP: ₱; BTC: ₿"
    ).items()
} | {"¢": _CENT}
SIGNS = "$€£¥₹₩₽₺₴₪₫฿₦₱₿¢"
# The code of each word, and the family behind it.
_WORDS = {
    word: Currency(code[:3], code[4:] or None)
    for word, code in rows(
        "USD $: dollar dollars bucks; USD: us_dollar us_dollars u.s._dollars; CAD: canadian_dollars"
        ";AUD: australian_dollars; EUR: euro euros; GBP: quid pounds_sterling british_pounds;"
        "JPY: yen; CNY: yuan renminbi; KRW: won; INR rupee: rupee rupees rs;"
        "CHF: franc francs swiss_francs fr sfr franken; SEK kr: kr; SEK: kronor krona;"
        "NOK kr: kroner krone; PLN: zł zloty; CZK: kč; HUF: forint; RON: lei; RUB: rubles roubles;"
        "TRY: lira; MXN $: pesos; BRL: reais; ILS: shekels; THB: baht; ZAR: rand; AED: dirhams;"
        "BTC: bitcoin bitcoins"
    ).items()
} | {"penny": _CENT, "cent": _CENT, "cents": _CENT, "ct": _CENT, "pence": _PENCE, "p": _PENCE}
_CODE_WORDS = {code: Currency("CNY" if code == "RMB" else code) for code in CODES}
# The letters with which a currency's spellings behind a number begin, in small letters.
CURRENCY_LETTERS = frozenset(
    letters[0].lower()
    for written in (*_SIGNS, *_WORDS, *CODES, "u.s.", "canadian", "australian", "british")
    if (letters := re.match(r"[^\W\d_]+", written))
)
# These stand before a number only: after one "fr", "rs" and "kr" would be cut from other words.
_ONLY_BEFORE = listed("fr rs")

# The words of currencies in small letters, the last where it is the telling one of several.
MONEY_WORDS = frozenset(re.split(r"\W", word.removesuffix(" pounds"))[-1] for word in _WORDS) - {
    "p"
}

_BEFORE = lazy_re(
    rf"(?:(?<![A-Za-z])(?:US|CA|C|AU|A|NZ|HK|NT|S|R|MX|USD)?\$(?:US)?|[{SIGNS}]"
    r"|(?<!\w)(?:[A-Z]{3}|Rs\.?|[Kk]r\.?|S?Fr\.?))[ ]?$"
)
_BEFORE_LAST = frozenset(SIGNS) | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZrs.")
# The longest thing before a number is "USD$ ": five characters and the one before them.
_REACH = 7
_AFTER = lazy_re(
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
    word = found["code"] or found["word"] or found["pence"]
    currency = _CODE_WORDS.get(word) or _WORDS.get(word.lower())
    return (currency, found.end()) if currency and word not in _ONLY_BEFORE else None


# "$1" in shell code is the first word that a command was given; in prose it is a price.
_PARAMETER = lazy_re(
    r"[0-9](?![\w%]|[.,][0-9]|[ ]?/[ ]?[a-z]|[ ](?:per|an?|each|million|billion|thousand)(?!\w))"
)
_COMMAND = lazy_re(
    r"(?<![\w$/.-])(?:echo|printf|awk|sed|grep|chmod|chown|mkdir|mv|cp|rm)[ ][^\n]{0,48}[$]$"
    r"|[{]print (?:[$][0-9],? ?){0,9}[$]$|\[ -[a-z] \"?[$]$"
    r"|(?<![\w`)\]])`(?![\s`])[^`\n]{0,48}[$]$"
)
_COMMAND_REACH = 64
_CODE_ENDS = lazy_re(r"[^`\n]{0,48}`")


def is_shell_parameter(text: str, start: int) -> bool:
    """Say whether the digit at `start` behind a "$" is one of "$1" in a line of shell code."""
    if _PARAMETER.match(text, start) is None:
        return False
    found = _COMMAND.search(text, max(0, start - _COMMAND_REACH), start)
    if found is None:
        return False
    return found[0][0] != "`" or _CODE_ENDS.match(text, start) is not None


_PERCENT = lazy_re(
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


FREE_WORDS = listed("free waived no nothing")
# Behind these "free" is a price: "Children enter free", "admission free".
_BEFORE_FREE = listed(
    "for is are was were completely totally absolutely entirely always enter enters entered go goes"
    " ride rides travel travels stay stays eat eats ship ships admitted admission entry entrance"
    " shipping delivery parking returns transport"
)
_BEFORE_REACH = 12
_GET_IN = lazy_re(r"\bgets? in $")
# "free" as a price. "sugar-free", "free time", "free from", "feel free" are none.
_FREE = lazy_re(
    r"(?:waived(?!\w)|(?<![\w-])free(?=[ ]{0,20}\|)"
    r"|no[ ](?:extra |additional |further )?(?:fees?|charges?|costs?)"
    r"(?=[.,;:)!?\n|]|$|[ ](?:for|to|is|are|if|when|at|in|on|and|or|was|were|with|as|from|until"
    r"|appl(?:y|ies)|will|charged|involved)(?!\w))"
    r"|(?:(?<=pay )|(?<=pays )|(?<=cost )|(?<=costs ))nothing(?![ ](?:but|like|less|more)(?!\w))"
    r"(?!\w)"
    r"|free[ ]of[ -](?:charge|cost)"
    r"|free(?=[ ](?:trial|plan|tier|version|shipping|delivery"
    r"|account|admission|entry|parking|wifi|wi-fi|sample|return|consultation|download)s?(?!\w)))"
    r"(?![\w-])"
)
_FREE_ALONE = lazy_re(r"free(?![ ](?:of|from|to|in|as|and|time|range|fall|will)(?!\w))(?![\w-])")


def free_at(low: str, start: int) -> int | None:
    """Return the end of "free", "waived" or "no fee" at `start` where it is a price, else None."""
    found = _FREE.match(low, start)
    if found is None and (found := _FREE_ALONE.match(low, start)):
        before = low[max(0, start - _BEFORE_REACH) : start]
        told = before[-1:] == " " and re.split(r"\W", before)[-2] in _BEFORE_FREE
        found = found if told or _GET_IN.search(before) else None
    return found.end() if found else None
