"""The unit of a number: percent, money, a unit of the table, or none.

A value in a unit becomes `number * factor + offset` in its dimension's base unit, so that 1.5 h and
90 minutes are one value. Every factor is a finite decimal, so no conversion rounds; that is why the
base of temperature is the degree Fahrenheit (C * 1.8 + 32 is finite, its inverse is not). Months
and years are a dimension of their own: a month has no fixed number of days.

Sources of factors: the SI brochure for metric units, the international yard and pound agreement of
1959 for imperial ones, US customary measures for gallon, pint, cup and ton.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from streamguard.text.patterns import lazy_re
from streamguard.values import money
from streamguard.values.numerals import Numeral, read_numeral
from streamguard.values.value import ONE, ZERO, Kind, listed, plus, rows, times


class WrittenUnit(NamedTuple):
    """A unit as written: its dimension's base unit, and the conversion."""

    base: str
    factor: Decimal
    offset: Decimal


# A line, or a part of it behind "//", is "base unit: rows", a row "factor+offset symbols that keep
# their case | words in any case". "*" is also the plural with "s", "~" both "er" and "re", "_" a
# space in the text.
_TABLE = """
s: 0.001 ms | msec millisecond*; 1 s | sec* second*; 60 | min* minute*; 3600 h | hr* hour*
; 86400 | day*; 604800 | wk* week*; 1209600 | fortnight*
month: 1 mo | mos month*; 12 | yr* year*; 120 | decade*; 1200 | century centuries
business day: 1 | business_day* working_day*
m: 0.000001 µm μm | micron* micromet~*; 0.001 | mm millimet~*; 0.01 | cm centimet~*
; 1 m | met~*; 1000 | km* kilomet~*; 0.0254 " | inch inches; 0.3048 ' | ft foot feet
; 0.9144 | yd* yard*; 1609.344 mi | mile*; 1852 nmi | nautical_mile*
kg: 0.000000001 µg μg | mcg microgram*; 0.000001 | mg* milligram*; 0.001 g | gram* gramme*
; 1 | kg* kilo* kilogram* kilogrammes; 1000 t | tonne* metric_ton*; 907.18474 | ton*
; 0.45359237 | lb* pound*; 0.028349523125 | oz ounce*; 6.35029318 | stone
L: 0.001 mL | ml millilit~* cc cm³ cm3; 0.1 dL | dl decilit~*; 0.01 cL | cl centilit~*
; 1 l L | lit~*; 1000 m³ m3 | cubic_met~*; 28.316846592 ft³ ft3 | cubic_foot cubic_feet
; 0.00492892159375 | tsp* teaspoon*; 0.01478676478125 | tbsp* tablespoon*; 0.2365882365 | cup*
; 0.0295735295625 | fl_oz fluid_ounce*; 0.473176473 | pint*; 0.946352946 | qt quart*
; 3.785411784 | gal gallon*; 158.987294928 bbl | barrel*
m²: 0.0001 cm² cm2 | square_centimet~*; 1 m² m2 | square_met~* sq_m sqm
; 1000000 km² km2 | square_kilomet~* sq_km; 0.00064516 in² | square_inch square_inches sq_in
; 0.09290304 ft² ft2 | square_foot square_feet sq_ft sqft; 0.83612736 yd² | square_yard* sq_yd
; 2589988.110336 mi² mi2 | square_mile* sq_mi; 4046.8564224 | acre*; 10000 ha | hectare*
m/h: 3600 m/s | met~s_per_second; 1000 | km/h kmh kph kilomet~s_per_hour
; 1609.344 | mph miles_per_hour; 1852 kn kt | knot*
B: 0.125 | bit*; 1 B | byte*; 1000 kB KB | kilobyte*; 1000000 MB | megabyte*
; 1000000000 GB | gigabyte* gig*; 1000000000000 TB | terabyte*; 1000000000000000 PB | petabyte*
; 1024 KiB Ki | kibibyte*; 1048576 MiB Mi | mebibyte*; 1073741824 GiB Gi | gibibyte*
; 1099511627776 TiB Ti | tebibyte*
bit/s: 1 | bps; 1000 kb/s | kbps kbit/s; 1000000 Mb/s | mbps mbit/s megabits_per_second
; 1000000000 Gb/s | gbps gbit/s gigabits_per_second; 8000000 MB/s MBps; 8000000000 GB/s GBps
J: 1 J | joule*; 1000 kJ | kilojoule*; 3600 Wh | watt_hour*; 3600000 | kwh kilowatt_hour*
; 3600000000 | mwh megawatt_hour*; 3600000000000 | gwh gigawatt_hour*
; 4184 | kcal calorie* cal* kilocalorie*; 1055.05585262 | btu*
W: 0.001 mW | milliwatt*; 1 W | watt*; 1000 kW | kilowatt*; 1000000 MW | megawatt*
; 1000000000 GW | gigawatt*; 745.69987158227022 | hp bhp horsepower
°F: 1 F | °f deg_f degrees_f degree_fahrenheit degrees_fahrenheit fahrenheit
; 1.8+32 C | °c deg_c degrees_c degree_celsius degrees_celsius celsius; 1.8+-459.67 K | kelvin
°: 1 ° | deg degree*
Hz: 1 | hz hertz; 1000 | khz kilohertz; 1000000 | mhz megahertz; 1000000000 | ghz // rpm: 1 | rpm
Pa: 1 Pa | pascal*; 1000 kPa | kilopascal*; 100000 | bar*; 6894.757293168 | psi
; 133.322387415 | mmhg
V: 0.001 mV; 1 V | volt*; 1000 kV | kilovolts // A: 0.001 mA; 1 | amp* ampere*
Ah: 0.001 mAh; 1 Ah // Ω: 1 Ω | ohm* // dB: 1 | db decibel*
px: 1 | px pixel*; 1000000 MP | megapixel* // ppm: 1 | ppm; 0.001 | ppb // point: 1 | point*
"""  # in prose a calorie is the dietary one, of 4184 J


def _spelled(word: str) -> Iterator[str]:
    for ending in ("er", "re") if "~" in word else ("",):
        spelled = word.replace("~", ending).replace("_", " ")
        yield spelled.rstrip("*")
        if "*" in word:
            yield spelled.replace("*", "s")


SYMBOLS: dict[str, WrittenUnit] = {}
WORDS: dict[str, WrittenUnit] = {}
for _line in _TABLE.strip().replace("\n;", ";").replace(" // ", "\n").split("\n"):
    _base, _, _rows = _line.partition(": ")
    for _row in _rows.split(";"):
        _left, _, _words = _row.partition("|")
        _factor, *_symbols = _left.split()
        _scale, _, _offset = _factor.partition("+")
        _unit = WrittenUnit(_base, Decimal(_scale), Decimal(_offset or 0))
        SYMBOLS |= dict.fromkeys(_symbols, _unit)
        WORDS |= {_word: _unit for _written in _words.split() for _word in _spelled(_written)}
# The same in other languages. Left out are words that English has for something else ("an",
# "chili", "metro"); those of the second table count with a capital only.
_ELSEWHERE = rows(
    "second: sekunde sekunden seconde secondes segundo segundos secondo secondi seconden sekunder;"
    "minute: minuten minuut minuto minutos minuti minuter minutter;"
    "hour: stunde stunden heure heures hora horas ora ore uur uren timmar godzin godziny;"
    "day: tage tagen jour jours día días dia dias giorno giorni dag dagen dager dni;"
    "week: woche wochen semaine semaines semana semanas settimana settimane weken veckor tygodni;"
    "month: monat monate monaten mois mes meses mese mesi mês maand maanden månader måneder"
    " miesięcy miesiące;"
    "year: jahr jahre jahren ans année années año años anno anni ano anos jaar år;"
    "business_day: werktag werktage werktagen arbeitstag arbeitstage arbeitstagen jours_ouvrés"
    " días_hábiles días_laborables giorni_lavorativi giorni_feriali dias_úteis werkdagen;"
    "meter: metros mètre mètres metri; kilometer: kilómetro kilómetros kilomètre kilomètres"
    " chilometro chilometri quilómetros quilômetros; mile: meile meilen milles millas miglia;"
    "kg: kilogramm kilogramos kilogrammes chilogrammi quilos; gram: gramm gramos grammi gramas;"
    "cubic_meter: kubikmeter kubikmetern metros_cúbicos mètres_cubes metri_cubi kubieke_meter;"
    "square_meter: quadratmeter quadratmetern metros_cuadrados mètres_carrés metri_quadrati"
    " metros_quadrados vierkante_meter; liter: litro litros litri;"
    "tonne: tonnen toneladas tonnellate;"
    "degree: degrés grados gradi graus graden grader; byte: octet octets"
)
WORDS |= {word: WORDS[head.replace("_", " ")] for word, head in _ELSEWHERE.items()}
SYMBOLS |= {
    word: WORDS[head]
    for word, head in rows("day: Tag; hour: Std; degree: Grad; megabyte: Mo; gigabyte: Go").items()
}
# The letters with which the spellings begin, in small letters: behind most numbers stand others.
_UNIT_LETTERS = frozenset(
    letters[0].lower() for word in (*SYMBOLS, *WORDS) if (letters := re.match(r"[^\W\d_]+", word))
)
_FIRST_WORDS = frozenset(word.partition(" ")[0] for word in WORDS if " " in word)

# At most three words of 20 letters; "²", "³", "2" and "3" end a word, "/" joins two symbols.
_WORD = r"(?:[^\W\d_]{1,20}(?:[²³]|[23](?!\d|[.,]\d))?|°)"
_UNIT_TEXT = lazy_re(
    rf"(?:[ ]|-)?(?:(?P<mark>°[ ]?[CFcf](?!\w)|°|['\"](?![^\W\d]))"
    rf"|(?P<first>{_WORD})(?P<rate>/[^\W\d_]{{1,4}}(?!\w))?(?!\w))"
)
_NEXT_WORD = lazy_re(r"\.?[ -](\w{1,20})(?!\w)")


def read_unit(text: str, start: int) -> tuple[WrittenUnit, int] | None:
    """Return the unit at `start` (after an optional space or hyphen) and its end.

    The longest spelling wins: "square feet" before "square", "km/h" before "km". None without a
    unit. A bare "in" is no unit: it is nearly always the preposition.
    """
    found = _UNIT_TEXT.match(text, start)
    if found is None:
        return None
    if found["mark"]:
        mark = found["mark"].replace(" ", "")
        return SYMBOLS.get(mark) or WORDS[mark.lower()], found.end()
    first, end = found["first"], found.end("first")
    if found["rate"] and (unit := _look_up(first + found["rate"])):
        return unit, found.end()
    best, words = (_look_up(first), end), first.lower()
    following = _NEXT_WORD.match(text, end) if words in _FIRST_WORDS else None
    for _ in range(2):
        if following is None:
            break
        words = f"{words} {following[1].lower()}"
        if words in WORDS:
            best = WORDS[words], following.end()
        following = _NEXT_WORD.match(text, following.end())
    unit, end = best
    if unit is None or (len(first) == 1 and text[start] == "-"):  # the "10-K" form
        return None
    return unit, end


def _look_up(word: str) -> WrittenUnit | None:
    return SYMBOLS.get(word) or WORDS.get(word.lower())


def is_unit(word: str) -> bool:
    """Return whether `word` is a unit's symbol or name ("cm3", "m²", "kWh")."""
    return _look_up(word) is not None


class Measure(NamedTuple):
    """A number's kind, canonical unit and conversion, and the end of its text."""

    kind: Kind
    end: int
    unit: str | None = None
    factor: Decimal = ONE
    offset: Decimal = ZERO
    family: str | None = None

    def convert(self, number: Decimal) -> Decimal:
        """Return the written number in the canonical unit."""
        if self.factor is ONE:
            return number
        return plus(times(number, self.factor), self.offset)


# Behind quantities of these a smaller one may follow ("1 hour 30 minutes", "5 ft 10 in").
_COMPOUND = listed("s month m kg")
_JOIN = lazy_re(r",?[ ](?:and[ ])?|")
# "6 h 18" is told so without the minutes' name.
_MINUTES = lazy_re(r"(?<=[0-9 ]h)[ ]?([0-5][0-9])(?!\w|[.,:]\d|[ ]?min|[ ]of )")
# A bare "in" is an inch only after feet.
_INCHES = lazy_re(r"[ ]?in(?:\.|(?!\w))")
_INCH = WORDS["inch"]
_PERCENT_STARTS = frozenset("%‰pbпप")
# A cheap look at the next word: behind most numbers stands no unit of the table.
_FOLLOWING = lazy_re(r"[ -]?([^\W\d_]{1,21})")
_OFTEN, _QUOTES = frozenset("tx×"), frozenset("'\"")
_COUNTABLE = money.CURRENCY_LETTERS | _UNIT_LETTERS


def measure_at(
    text: str, low: str, end: int, before: money.Currency | None, start: int | None = None
) -> Measure:
    """Parse the unit of a number that ends at `end`; a currency before it takes precedence.

    A frequency is only recognised with its `start`.
    """
    if before is not None:
        found = money.currency_after(text, end)
        if found and found[0].code and (before.family or found[0].code == before.code):
            return _money(*found)  # "$50 CAD"
        return _money(before, end)
    following = low[end : end + 1]
    if not following or following in ",.;:)!?\n":
        return Measure("number", end)
    if following in (" ", "-"):
        following = low[end + 1 : end + 2]
    if following in _PERCENT_STARTS and (percent := money.percent_after(low, end)):
        sign, factor, end = percent
        return Measure("percent", end, sign, factor, family="point" if sign == "pp" else None)
    if start is not None:
        if following in _QUOTES and text[start - 1 : start] == following:
            return Measure("number", end)  # no inches
        if following in _OFTEN and (often := money.times_after(low, end)):
            return Measure("quantity", often, "time")
    word = _FOLLOWING.match(low, end)
    if word is not None and word[1] not in _COUNTABLE and following not in money.WIDE_STARTS:
        return Measure("number", end)
    if currency := money.currency_after(text, end):
        return _money(*currency)
    if (read := read_unit(text, end)) is None:
        return Measure("number", end)
    unit, end = read
    family = {"°": "degree", "point": "point"}.get(unit.base)
    if low.endswith(("pound", "pounds"), 0, end):
        family = "pound"
    return Measure("quantity", end, unit.base, unit.factor, unit.offset, family)


def _money(currency: money.Currency, end: int) -> Measure:
    return Measure("amount", end, currency.code, currency.factor, family=currency.family)


def with_smaller_units(
    text: str, low: str, first: Numeral, measure: Measure
) -> tuple[Numeral, Measure]:
    """Add smaller units of the same dimension: "1 hour 30 minutes", "5 ft 10 in", "6 lb 4 oz".

    The sum is in the base unit, so that no fraction of a larger unit is rounded.
    """
    if measure.unit not in _COMPOUND:
        return first, measure
    total, place, smallest = times(first.value, measure.factor), first.place, measure.factor
    end = measure.end
    for _ in range(2):
        part = _smaller(text, low, end, measure.unit)
        if part is None or times(part[0].value, part[1]) >= smallest:
            break
        numeral, smallest, end = part
        total, place = plus(total, times(numeral.value, smallest)), times(numeral.place, smallest)
    if end == measure.end:
        return first, measure
    whole = Numeral(first.start, end, total, place, False, first.word)
    return whole, measure._replace(factor=ONE, end=end)


def _smaller(text: str, low: str, end: int, base: str) -> tuple[Numeral, Decimal, int] | None:
    if base == "s" and (minutes := _MINUTES.match(low, end)):
        return (
            Numeral(*minutes.span(1), Decimal(minutes[1]), ONE),
            WORDS["minute"].factor,
            minutes.end(),
        )
    if base == "m" and low.startswith(",", end):  # "32 km, 280 m of climbing"
        return None
    join = _JOIN.match(low, end)
    start = join.end() if join else end
    is_digit = "0" <= low[start : start + 1] <= "9"
    if not is_digit or (numeral := read_numeral(text, low, start)) is None:
        return None
    if base == "m" and (inches := _INCHES.match(low, numeral.end)):
        return numeral, _INCH.factor, inches.end()
    read = read_unit(text, numeral.end)
    if read is None or read[0].base != base:
        return None
    return numeral, read[0].factor, read[1]
