"""One table of common units: spelling -> dimension, base unit and exact factor.

A value in a written unit becomes `number * factor + offset` in its dimension's base unit, so that
1.5 h and 90 minutes are one value. Every factor is a finite decimal, so no conversion rounds;
that is why the base of temperature is the degree Fahrenheit (C * 1.8 + 32 is finite, its inverse
is not). Months and years are a dimension of their own: a month has no fixed number of days.

Sources of factors: the SI brochure for metric units, the international yard and pound agreement
of 1959 for imperial ones, US customary measures for gallon, pint, cup and ton.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Unit:
    """A written unit: its dimension, the dimension's base unit, and the way there."""

    dimension: str
    base: str
    factor: Decimal
    offset: Decimal


_ZERO = Decimal(0)

# dimension, base unit, then rows of (factor, symbols that keep their case, words in any case).
_Row = tuple[str, str, str]
_TABLE: tuple[tuple[str, str, tuple[_Row, ...]], ...] = (
    (
        "time",
        "s",
        (
            ("0.000000001", "ns", "nanosecond nanoseconds"),
            ("0.000001", "µs μs us", "microsecond microseconds"),
            ("0.001", "ms", "msec millisecond milliseconds millisekunden"),
            (
                "1",
                "s",
                "sec secs second seconds sekunde sekunden seconde secondes segundos secondi",
            ),
            ("60", "", "min mins minute minutes minuten minutos minuti"),
            ("3600", "h", "hr hrs hour hours std stunde stunden heure heures hora horas ore"),
            ("86400", "", "day days tag tage tagen jour jours día días dia dias giorni"),
            ("604800", "", "wk wks week weeks woche wochen semaine semaines semana semanas"),
            ("1209600", "", "fortnight fortnights"),
        ),
    ),
    (
        "months",
        "month",
        (
            ("1", "mo", "mos month months monat monate monaten mois mes meses mesi"),
            (
                "12",
                "",
                "yr yrs year years jahr jahre jahren an ans année années año años anni anos",
            ),
            ("120", "", "decade decades"),
            ("1200", "", "century centuries"),
        ),
    ),
    ("business days", "business day", (("1", "", "business_day business_days"),)),
    ("business days", "business day", (("1", "", "working_day working_days"),)),
    (
        "length",
        "m",
        (
            ("0.000000001", "nm", "nanometer nanometers nanometre nanometres"),
            ("0.000001", "µm μm", "micron microns micrometer micrometers micrometre micrometres"),
            ("0.001", "", "mm millimeter millimeters millimetre millimetres"),
            ("0.01", "", "cm centimeter centimeters centimetre centimetres"),
            ("1", "m", "meter meters metre metres mètres metros metri"),
            ("1000", "", "km kms kilometer kilometers kilometre kilometres kilomètres kilómetros"),
            ("0.0254", '"', "inch inches"),
            ("0.3048", "'", "ft foot feet"),
            ("0.9144", "", "yd yds yard yards"),
            ("1609.344", "mi", "mile miles"),
            ("1852", "nmi", "nautical_mile nautical_miles"),
            ("9460730472580800", "ly", "light_year light_years"),
        ),
    ),
    (
        "mass",
        "kg",
        (
            ("0.000000001", "µg μg", "mcg microgram micrograms"),
            ("0.000001", "", "mg mgs milligram milligrams"),
            ("0.001", "g", "gram grams gramme grammes gramm gramos"),
            ("1", "", "kg kgs kilo kilos kilogram kilograms kilogramm kilogrammes"),
            ("1000", "t", "tonne tonnes metric_ton metric_tons"),
            ("907.18474", "", "ton tons"),
            ("0.45359237", "", "lb lbs pound pounds"),
            ("0.028349523125", "", "oz ounce ounces"),
            ("6.35029318", "", "stone"),
            ("0.0002", "ct", "carat carats"),
        ),
    ),
    (
        "volume",
        "L",
        (
            ("0.000001", "µL μL µl", "microliter microliters microlitre microlitres"),
            ("0.001", "mL", "ml milliliter milliliters millilitre millilitres cc cm³ cm3"),
            ("0.01", "cL", "cl centiliter centilitre"),
            ("0.1", "dL", "dl deciliter deciliters decilitre"),
            ("1", "l L", "liter liters litre litres litro litros litri"),
            ("1000", "m³ m3", "cubic_meter cubic_meters cubic_metre cubic_metres"),
            ("28.316846592", "ft³ ft3", "cubic_foot cubic_feet cu_ft"),
            ("0.016387064", "in³", "cubic_inch cubic_inches"),
            ("0.00492892159375", "", "tsp tsps teaspoon teaspoons"),
            ("0.01478676478125", "", "tbsp tbsps tablespoon tablespoons"),
            ("0.0295735295625", "", "fl_oz fluid_ounce fluid_ounces"),
            ("0.2365882365", "", "cup cups"),
            ("0.473176473", "", "pint pints"),
            ("0.946352946", "", "qt quart quarts"),
            ("3.785411784", "", "gal gallon gallons"),
            ("158.987294928", "bbl", "barrel barrels"),
        ),
    ),
    (
        "area",
        "m²",
        (
            ("0.0001", "cm² cm2", "square_centimeter square_centimeters sq_cm"),
            ("1", "m² m2 qm", "square_meter square_meters square_metre square_metres sq_m sqm"),
            ("1000000", "km² km2", "square_kilometer square_kilometers square_kilometres sq_km"),
            ("0.00064516", "in²", "square_inch square_inches sq_in"),
            ("0.09290304", "ft² ft2", "square_foot square_feet sq_ft sqft"),
            ("0.83612736", "yd²", "square_yard square_yards sq_yd"),
            ("2589988.110336", "mi² mi2", "square_mile square_miles sq_mi"),
            ("4046.8564224", "", "acre acres"),
            ("10000", "ha", "hectare hectares hektar"),
        ),
    ),
    (
        "speed",
        "m/h",
        (
            ("3600", "m/s", "mps meters_per_second metres_per_second"),
            ("1000", "", "km/h kmh kph km/hr kilometers_per_hour kilometres_per_hour"),
            ("1609.344", "", "mph miles_per_hour mi/h"),
            ("1097.28", "ft/s", "fps feet_per_second"),
            ("1852", "kn kt", "knot knots"),
        ),
    ),
    (
        "data",
        "B",
        (
            ("0.125", "", "bit bits"),
            ("1", "B", "byte bytes"),
            ("1000", "kB KB", "kilobyte kilobytes"),
            ("1000000", "MB", "megabyte megabytes"),
            ("1000000000", "GB", "gigabyte gigabytes gig gigs"),
            ("1000000000000", "TB", "terabyte terabytes"),
            ("1000000000000000", "PB", "petabyte petabytes"),
            ("1024", "KiB", "kibibyte kibibytes"),
            ("1048576", "MiB", "mebibyte mebibytes"),
            ("1073741824", "GiB", "gibibyte gibibytes"),
            ("1099511627776", "TiB", "tebibyte tebibytes"),
        ),
    ),
    (
        "data rate",
        "bit/s",
        (
            ("1", "", "bps"),
            ("1000", "kb/s", "kbps kbit/s"),
            ("1000000", "Mb/s", "mbps mbit/s megabits_per_second"),
            ("1000000000", "Gb/s", "gbps gbit/s gigabits_per_second"),
            ("8000000", "MB/s MBps", ""),
            ("8000000000", "GB/s GBps", ""),
        ),
    ),
    (
        "energy",
        "J",
        (
            ("1", "J", "joule joules"),
            ("1000", "kJ", "kilojoule kilojoules"),
            ("1000000", "MJ", "megajoule megajoules"),
            ("3600", "Wh", "watt_hour watt_hours"),
            ("3600000", "kWh", "kilowatt_hour kilowatt_hours kwh"),
            ("3600000000", "MWh", "megawatt_hour megawatt_hours"),
            ("3600000000000", "GWh", "gigawatt_hour gigawatt_hours"),
            ("3600000000000000", "TWh", "terawatt_hour terawatt_hours"),
            # In prose a calorie is the dietary one.
            ("4184", "", "kcal calorie calories cal cals kilocalorie kilocalories"),
            ("1055.05585262", "", "btu btus"),
        ),
    ),
    (
        "power",
        "W",
        (
            ("0.001", "mW", "milliwatt milliwatts"),
            ("1", "W", "watt watts"),
            ("1000", "kW", "kilowatt kilowatts"),
            ("1000000", "MW", "megawatt megawatts"),
            ("1000000000", "GW", "gigawatt gigawatts"),
            ("745.69987158227022", "", "hp bhp horsepower"),
        ),
    ),
    (
        "temperature",
        "°F",
        (
            (
                "1",
                "F",
                "°f deg_f degree_f degrees_f degree_fahrenheit degrees_fahrenheit fahrenheit",
            ),
            ("1.8|32", "C", "°c deg_c degree_c degrees_c degree_celsius degrees_celsius celsius"),
            ("1.8|32", "", "degrees_centigrade grad_celsius centigrade"),
            ("1.8|-459.67", "K", "kelvin kelvins"),
        ),
    ),
    ("angle", "°", (("1", "°", "deg degree degrees grad"),)),
    (
        "frequency",
        "Hz",
        (
            ("1", "", "hz hertz"),
            ("1000", "", "khz kilohertz"),
            ("1000000", "", "mhz megahertz"),
            ("1000000000", "", "ghz gigahertz"),
        ),
    ),
    ("rotation", "rpm", (("1", "", "rpm revolutions_per_minute"),)),
    (
        "pressure",
        "Pa",
        (
            ("1", "Pa", "pascal pascals"),
            ("100", "hPa mbar", ""),
            ("1000", "kPa", "kilopascal kilopascals"),
            ("1000000", "MPa", "megapascal megapascals"),
            ("100000", "", "bar bars"),
            ("6894.757293168", "", "psi"),
            ("133.322387415", "mmHg", "mmhg"),
            ("101325", "atm", "atmospheres"),
        ),
    ),
    ("voltage", "V", (("0.001", "mV", ""), ("1", "V", "volt volts"), ("1000", "kV", "kilovolts"))),
    ("current", "A", (("0.001", "mA", ""), ("1", "", "amp amps ampere amperes"))),
    ("charge", "Ah", (("0.001", "mAh", ""), ("1", "Ah", ""))),
    ("resistance", "Ω", (("1", "Ω", "ohm ohms"), ("1000", "kΩ", ""))),
    ("sound", "dB", (("1", "dB", "db decibel decibels"),)),
    ("light", "lm", (("1", "", "lumen lumens"),)),
    ("image", "px", (("1", "", "px pixel pixels"), ("1000000", "MP", "megapixel megapixels"))),
    ("concentration", "ppm", (("1", "", "ppm"), ("0.001", "", "ppb"))),
    ("dose", "IU", (("1", "IU", "international_units"),)),
    ("points", "point", (("1", "", "point points punkte"),)),
)


def _unit(dimension: str, base: str, factor: str) -> Unit:
    scale, _, offset = factor.partition("|")
    return Unit(dimension, base, Decimal(scale), Decimal(offset) if offset else _ZERO)


SYMBOLS: dict[str, Unit] = {
    symbol: _unit(dimension, base, factor)
    for dimension, base, rows in _TABLE
    for factor, symbols, _ in rows
    for symbol in symbols.split()
}
# Several words of one unit are joined by "_" here; in text a space, a hyphen or a dot and a space.
WORDS: dict[str, Unit] = {
    word: _unit(dimension, base, factor)
    for dimension, base, rows in _TABLE
    for factor, _, words in rows
    for word in words.split()
}
# The letters with which the spellings begin, in small letters: behind most numbers stand others.
UNIT_LETTERS = frozenset(
    letters[0].lower() for word in (*SYMBOLS, *WORDS) if (letters := re.match(r"[^\W\d_]+", word))
)
_FIRST_WORDS = frozenset(word.partition("_")[0] for word in WORDS if "_" in word)

# At most three words of 20 letters; "²", "³", "2" and "3" end a word, "/" joins two symbols.
_WORD = r"(?:[^\W\d_]{1,20}(?:[²³]|[23](?!\d|[.,]\d))?|°)"
_UNIT_TEXT = re.compile(
    rf"(?:[ ]|-)?(?:(?P<mark>°[ ]?[CFcf](?!\w)|°|['\"](?![^\W\d]))"
    rf"|(?P<first>{_WORD})(?P<rate>/[^\W\d_]{{1,4}}(?!\w))?(?!\w))"
)
_NEXT_WORD = re.compile(r"\.?[ -](\w{1,20})(?!\w)")


def read_unit(text: str, start: int) -> tuple[Unit, int] | None:
    """Return the unit written at `start` (a space or a hyphen may precede it) and its end.

    Longest spelling first: "square feet" before "square", "km/h" before "km". None where no unit
    stands there. A bare "in" is no unit: it is nearly always the preposition.
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
    if first.lower() in _FIRST_WORDS and (several := _several_words(text, first.lower(), end)):
        return several
    single = _look_up(first)
    if single is None or (len(first) == 1 and text[start] == "-"):  # the "10-K" form
        return None
    return single, end


def _several_words(text: str, words: str, end: int) -> tuple[Unit, int] | None:
    best: tuple[Unit, int] | None = None
    for _ in range(2):
        following = _NEXT_WORD.match(text, end)
        if following is None:
            break
        words, end = f"{words}_{following[1].lower()}", following.end()
        if words in WORDS:
            best = (WORDS[words], end)
    return best


def _look_up(word: str) -> Unit | None:
    return SYMBOLS.get(word) or WORDS.get(word.lower())


def is_unit(word: str) -> bool:
    """Say whether `word` is a unit's symbol or name ("cm3", "m²", "kWh")."""
    return _look_up(word) is not None
