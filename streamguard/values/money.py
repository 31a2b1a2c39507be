"""Parses currencies, percentages, "free" as a price, rates' periods, and frequencies.

"Three times as many" compares sizes and is no frequency.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from streamguard.text.patterns import lazy_re
from streamguard.values.value import ONE, any_of, listed, rows

_HUNDREDTH = Decimal("0.01")
_TENTH = Decimal("0.1")


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency as written: its ISO 4217 code, its shared sign, and its size in whole units.

    `code` is None for "cents", whose currency is unknown.
    """

    code: str | None
    family: str | None = None
    factor: Decimal = ONE


CODES = listed(
    "USD EUR GBP JPY CNY INR CHF CAD AUD NZD SEK NOK DKK ISK PLN CZK HUF RON TRY UAH KRW BRL MXN"
    " ZAR SGD HKD TWD THB MYR IDR PHP VND ILS AED SAR EGP NGN KES BTC PKR RUB COP ARS CLP PEN IRR"
    " BGN GHS MAD TND BDT LKR GEL KZT"
)
# Of countries that part decimals by a point and thousands by a comma.
POINT_DECIMALS = listed(
    "USD CAD AUD NZD GBP JPY CNY INR KRW MXN SGD HKD TWD THB MYR PHP ILS AED EGP NGN KES PKR"
)
# What a shared sign or an ambiguous word may stand for: currency codes, units, dimensions' bases.
FAMILIES: dict[str, frozenset[str]] = {
    "$": listed("USD CAD AUD NZD SGD HKD TWD MXN"),
    "£": listed("GBP EGP"),
    "¥": listed("JPY CNY"),
    "kr": listed("SEK NOK DKK ISK"),
    "peso": listed("MXN COP ARS CLP PHP"),
    "元": listed("CNY TWD HKD"),
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
        "BRL: r$; GBP: £ £gb; EUR: €; JPY: ¥; INR: ₹; KRW: ₩; TRY: ₺; UAH: ₴; ILS: ₪; PHP: ₱;"
        "RUB: ₽; VND: ₫; NGN: ₦; BDT: ৳; GEL: ₾; KZT: ₸; THB: ฿; TWD: nt$"
    ).items()
} | {"¢": _CENT}
SIGNS = "$€£¥₹₩₺₴₪₱¢₽₫₦৳₾₸฿"


def _currencies(table: str) -> dict[str, Currency]:
    """Return the currency of each word in a table; its family, if any, follows its code."""
    return {word: Currency(code[:3], code[4:] or None) for word, code in rows(table).items()}


# Words of scripts that put no space behind them, or whose letters join; a unit ends where one does.
_WIDE = _currencies(
    "JPY: 円 日元 日圆; CNY 元: 元 块 圆; CNY: 人民币 人民幣; USD: 美元 美金 달러;"
    "EUR: 欧元 歐元 유로; KRW: 원; TWD: 台币 新台幣; HKD: 港元 港币; GBP: 英镑;"
    "INR: रुपये रुपए रुपया रु; IRR: ریال; AED: درهم; SAR: ريال"
) | {"تومان": Currency("IRR", None, Decimal(10))}  # ten rials
WIDE_STARTS = frozenset(word[0] for word in _WIDE)
# The code of each word, and the family behind it.
_WORDS = _currencies(
    "USD $: dollar dollars bucks; USD: us_dollar us_dollars u.s._dollars; CAD: canadian_dollars"
    ";AUD: australian_dollars; EUR: euro euros; GBP: quid pounds_sterling british_pounds;"
    "JPY: yen; CNY: yuan renminbi; INR rupee: rupee rupees rs; CHF: franc francs swiss_francs;"
    "CHF: fr; SEK kr: kr; SEK: kronor krona; NOK kr: kroner krone; PLN: zł zloty; CZK: kč;"
    # In other languages; "libras", "livres", "Pfund" and "real" are other things as well.
    "USD $: dólares dólar dolares dollari dollaro; CHF: franken franchi francos;"
    "GBP: sterline; MXN peso: pesos peso; BRL: reais; INR rupee: rupien rupias roupies rupie;"
    "RUB: руб рублей рубля рубль; UAH: грн гривен; EUR: евро; PLN: złotych złote złoty"
) | {"penny": _CENT, "cent": _CENT, "cents": _CENT, "ct": _CENT, "pence": _PENCE, "p": _PENCE}
_CODE_WORDS = {code: Currency(code) for code in CODES}
# The letters with which a currency's spellings behind a number begin, in small letters.
CURRENCY_LETTERS = frozenset(
    letters[0].lower()
    for written in (*_SIGNS, *_WORDS, *CODES, "u.s.", "canadian", "australian", "british")
    if (letters := re.match(r"[^\W\d_]+", written))
)
# These stand before a number only: after one "fr", "rs" and "kr" would be cut from other words.
_ONLY_BEFORE = listed("fr rs")

_BEFORE = lazy_re(
    rf"(?:(?<![A-Za-z])(?:US|CA|C|AU|A|NZ|HK|S|R|USD)?\$(?:US)?|[{SIGNS}]"
    r"|(?<!\w)(?:[A-Z]{3}|Rs\.?|[Kk]r\.?|Fr\.?))[ ]?$"
)
_BEFORE_LAST = frozenset(SIGNS) | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZrs.")
# The longest thing before a number is "USD$ ": five characters and the one before them.
_REACH = 7
_AFTER = lazy_re(
    r"[ ]?(?:"
    rf"(?P<sign>(?:US|CA|AU|HK|NZ)\$|\$(?:US|CA|AU)(?!\w)|£GB(?!\w)|[{SIGNS}])(?!\d)"
    rf"|(?P<wide>{any_of(_WIDE)})"
    r"|(?P<pence>(?<=\d)(?<!\d\d\d)p(?!\w))"
    r"|(?P<code>[A-Z]{3})(?!\w)"
    r"|-?(?P<word>(?i:(?:us|u\.s\.|canadian|australian|british|swiss)[ ](?:dollars?|pounds|francs)"
    r"|pounds[ ]sterling|[^\W\d_]{2,9}))(?!\w))"
)


def currency_before(text: str, start: int, floor: int) -> tuple[Currency, int] | None:
    """Return the currency right before `start`, not before `floor`, and its start."""
    last = text[start - 1 : start] if start > floor else ""
    if last == " ":
        last = text[start - 2 : start - 1]
    if last not in _BEFORE_LAST:
        return None
    found = _BEFORE.search(text, max(floor, start - _REACH), start)
    if found is None:
        return None
    written, low = found[0].strip(), found[0].strip(" .").lower()
    currency = _SIGNS.get(low) or _CODE_WORDS.get(written) or _WORDS.get(low)
    return (currency, found.start()) if currency else None


def currency_after(text: str, start: int) -> tuple[Currency, int] | None:
    """Return the currency right after a number that ends at `start`, and its end."""
    found = _AFTER.match(text, start)
    if found is None:
        return None
    if found["sign"]:
        return _SIGNS[found["sign"].lower()], found.end()
    if found["wide"]:
        return _WIDE[found["wide"]], found.end()
    word = found["code"] or found["word"] or found["pence"]
    currency = _CODE_WORDS.get(word) or _WORDS.get(word.lower())
    return (currency, found.end()) if currency and word not in _ONLY_BEFORE else None


# "$1" in shell code is the first word that a command was given; in prose it is a price.
_PARAMETER = lazy_re(
    r"[0-9](?![\w%]|[.,][0-9]|[ ]?/[ ]?[a-z]|[ ](?:per|an?|each|million|billion|thousand)(?!\w))"
)
_COMMAND = lazy_re(
    r"(?:(?<![\w$/.-])(?:echo|printf|awk|sed|grep|chmod|chown|mkdir|mv|cp|rm)[ ]|[{]print "
    r"|\[ -[a-z] |(?<![\w`)\]])`(?![\s`]))[^`\n]{0,48}[$]$"
)
_COMMAND_REACH = 64


def is_shell_parameter(text: str, start: int) -> bool:
    """Return whether the digit at `start` after a "$" belongs to "$1" in a line of shell code."""
    if _PARAMETER.match(text, start) is None:
        return False
    return _COMMAND.search(text, max(0, start - _COMMAND_REACH), start) is not None


_PERCENT = lazy_re(
    r"[ ]?(?P<thousandth>‰)|[ -]?(?P<mille>per[ ]mill?e?|promille|pro[ ]mille)(?!\w)"
    r"|[ ]?(?P<sign>%)(?!\w)(?:[ -](?P<points>points?)(?!\w))?"
    r"|[ -]?(?P<word>(?:percentage|percent)[ -]points?|percent|per[ ]cent|pp|basis[ ]points?|bps"
    r"|prozentpunkten?|points?[ ]de[ ]pourcentage|puntos?[ ]porcentual(?:es)?"
    r"|punt[oi][ ]percentual[ei]|pontos?[ ]percentua(?:l|is)"
    r"|prozent|procent|percento|p(?:o|ou|e)r[ ]cent|por[ ]ci?ento|per[ ]cento|процент(?:ов|а)?"
    r"|प्रतिशत)"
    r"(?!\w)"
)


_POINTS = lazy_re(r"punk|punt|point|pont|^pp|^bps")


def percent_after(low: str, start: int) -> tuple[str, Decimal, int] | None:
    """Return the unit ("%" or "pp"), the factor to it and the end of a percentage at `start`.

    A basis point is 0.01 percentage points, one per mille 0.1 %.
    """
    if (found := _PERCENT.match(low, start)) is None:
        return None
    if found["thousandth"] or found["mille"]:
        return "%", _TENTH, found.end()
    word = found["word"] or ""
    is_points = found["points"] or _POINTS.search(word) is not None
    factor = _HUNDREDTH if word.startswith("b") else ONE
    return "pp" if is_points else "%", factor, found.end()


FREE_WORDS = listed("free waived no nothing")
# Behind these "free" is a price: "Children enter free", "admission free".
_BEFORE_FREE = listed(
    "for is are was were completely totally entirely always enter enters go goes ride rides travel"
    " travels stay stays eat eats ship ships admitted admission entry shipping delivery parking"
    " returns transport"
)
_BEFORE_REACH = 12
# "sugar-free", "free time", "free from", "feel free" are no price.
_FREE = lazy_re(
    r"(?:waived|(?:(?<=pay )|(?<=pays ))nothing"
    r"|(?<![\w-])free(?:[ ]of[ -]charge|(?=[ ]{0,20}\|)|(?=[ ](?:trial|plan|tier|version"
    r"|shipping|delivery|account|admission|entry|parking|wifi|sample|return|download)s?(?!\w)))"
    r"|no[ ](?:extra |additional )?(?:fees?|charges?|costs?)(?=[.,;:)!?\n|]|$"
    r"|[ ](?:for|to|is|are|if|when|at|in|on|and|or|as|from|until|applies)(?!\w)))(?![\w-])"
)
_FREE_ALONE = lazy_re(r"free(?![ ](?:of|from|to|in|as|and|time|range|will)(?!\w))(?![\w-])")


def free_at(low: str, start: int) -> int | None:
    """Return the end of "free", "waived" or "no fee" at `start` if it is a price, else None."""
    if found := _FREE.match(low, start):
        return found.end()
    before = low[max(0, start - _BEFORE_REACH) : start]
    told = before[-1:] == " " and re.split(r"\W", before)[-2] in _BEFORE_FREE
    return found.end() if told and (found := _FREE_ALONE.match(low, start)) else None


_TIMES = rows(
    "second: second sec s sekunde seconde segundo secondo; minute: minute min minuto minuut;"
    "hour: hour hr h stunde std heure hora ora uur; day: day tag jour día dia giorno dag;"
    "night: night nacht nuit noche notte noite; week: week wk woche semaine semana settimana;"
    "month: month mo monat mois mes mese mês maand; quarter: quarter quartal trimestre;"
    "year: year yr annum jahr an année año anno ano jaar"
)
_ADVERBS = rows(
    "hour: hourly; day: daily; night: nightly; week: weekly; month: monthly;"
    "quarter: quarterly; year: yearly annually;"
    "month: monatlich mensuel mensuels mensuales mensual mensili mensile mensais mensal;"
    "year: annuels annuel anuales anual annui annuali"
)
_THINGS = rows(
    "user: seat member nutzer benutzer utilisateur usuario utente; item: piece stück pièce pieza;"
    "person: head guest adult personne persona pessoa kopf; km: km kilometer kilometre;"
    "kg: kg kilogram kilo; lb: pound lb; L: liter litre l; dL: dl; mL: ml; kWh: kwh; GB: gb;"
    "ft²: square_foot sq_ft; m²: square_metre square_meter m² m2; MWh: mwh; Wh: wh; t: tonne;"
    "m³: cubic_metre cubic_meter m³ m3; MB: mb; TB: tb; m: metre meter; g: gram gramme;"
    "ft: foot ft; yard: yd"
) | {
    word: word
    for word in listed(
        "user person child student unit item page bottle box mile gallon share ticket license"
        " licence request call transaction token word image acre serving cup trip room hectare"
    )
}
_PLURALS = {"people": "person", "children": "child"}
PERIODS = frozenset(_TIMES.values())
# How often one period is in another. Months have several numbers of weeks and days.
TIMES_IN = {
    ("day", "week"): 7,
    ("week", "year"): 52,
    ("month", "year"): 12,
    ("quarter", "year"): 4,
}

_NAMES = any_of({**_TIMES, **_THINGS})
_PER = r"(?:[ ]?/[ ]?|[ -](?:per|a|an|each|every|pro|par|por|al|alla|je)[ -]|[ ]all')"
_PERIOD = lazy_re(
    rf"{_PER}(?P<one>{_NAMES})(?!\w)(?:,?{_PER}(?P<two>{_NAMES})(?!\w))?"
    rf"|[ -](?P<adverb>{any_of(_ADVERBS)})(?!\w)"
)
_RATE_STARTS = frozenset(" -/")
# With which letter or sign a period goes on behind a space or a hyphen: most words do with none.
_GOES_ON = frozenset("/paej" + "".join(word[0] for word in _ADVERBS))


def period_after(low: str, start: int) -> tuple[str, int, str | None] | None:
    """Return the period of a rate at `start`, its end, and the thing it is per.

    With two ("per user per month") the time is the period and the thing comes third; a thing alone
    ("per gallon") is a period too. None without a rate. `low` is the lower-cased text.
    """
    first = low[start : start + 1]
    if first not in _RATE_STARTS or (first != "/" and low[start + 1 : start + 2] not in _GOES_ON):
        return None
    found = _PERIOD.match(low, start)
    if found is None:
        return None
    if found["adverb"]:
        return _ADVERBS[found["adverb"]], found.end(), None
    words = found["one"], found["two"]
    spans = [_TIMES[word] for word in words if word in _TIMES]
    things = [_THINGS[word] for word in words if word in _THINGS]
    one, *others = (*spans[:1], *things)
    return one, found.end(), others[0] if spans and others else None


def period_of(noun: str) -> str | None:
    """Return the period or thing of a rate that a lower-cased noun counts: "night" of "nights"."""
    for one in (noun, noun.removesuffix("s"), noun.removesuffix("es"), _PLURALS.get(noun)):
        found = (_TIMES.get(one) or _THINGS.get(one)) if one is not None else None
        if found is not None:
            return found
    return None


def period_in(low: str) -> str | None:
    """Return the period that a table's head gives to the values below it; None without one.

    "Price per month", "Fee/year" and "Monthly fee" have one; things ("per person") are no periods.
    """
    found = _PERIOD.search(f" {low.strip()}")
    if found is None:
        return None
    words = found["adverb"], found["one"], found["two"]
    times = [_ADVERBS.get(word) or _TIMES.get(word) for word in words if word]
    return next(filter(None, times), None)


_ONE_TIME = r"(?:one[ -]time|one[ -]off|lump[ -]sum)"
_ONCE_AFTER = lazy_re(
    rf"(?P<said>[ -](?:{_ONE_TIME}(?!\w)"
    r"|(?:only[ ]|just[ ])?once(?=$|[.,;:)!?\n|]|[ ](?:and|or)[ ])))"
    rf"|(?:,[ ]?|[ ]\(?)(?:as[ ]|in[ ])?(?:an?[ ])?(?:single[ ])?{_ONE_TIME}(?!\w)"
)
_ONCE_BEFORE = lazy_re(
    rf"(?<!\w){_ONE_TIME}(?:[ ][a-z-]{{3,12}}){{0,2}}(?:[ ](?:of|is|at|for|costs))?"
    r":?(?:[ ](?:just|only|about))?[ ]$"
)
_ONCE_STARTS = frozenset(" -,")
_ONCE_REACH = 56


def paid_once(low: str, start: int, end: int) -> int | None:
    """Return the end of a one-time amount at [start, end), None for any other.

    The end of "$29 one-time" and "$29 once." includes these words; "a one-time fee of $29" does
    not.
    """
    if low[end : end + 1] in _ONCE_STARTS and (found := _ONCE_AFTER.match(low, end)):
        return found.end("said") if found["said"] else end
    before = low[max(0, start - _ONCE_REACH) : start]
    told = ("one" in before or "lump" in before) and _ONCE_BEFORE.search(before)
    return end if told else None


ADVERBS = {"once": 1, "twice": 2}
_AS_OFTEN = lazy_re(r"[ -]times?(?!\w)|[ ]?[x×](?!\w)")
# Behind "3 times" and "twice": the two things compared, or the multiplied one.
COMPARED = lazy_re(
    r"[ ](?:as|the|that|those|what|over|than|its|their|his|her|your|our|my|normal|more|less|fewer"
    r"|larger|bigger|greater|higher|lower|smaller|longer|shorter|faster|slower|cheaper|better|worse"
    r"|[^a-z ]{0,2}\d)(?!\w)"
)


def times_after(low: str, end: int) -> int | None:
    """Return the end of "times" after the number that ends at `end`, None if it counts none.

    "x" and "time" need a following period ("2x per month", "1 time a day").
    """
    if (found := _AS_OFTEN.match(low, end)) is None:
        return None
    counts = found[0] in (" times", "-times") or period_after(low, found.end()) is not None
    return found.end() if counts and not COMPARED.match(low, found.end()) else None
