import pytest

from streamguard.values.measures import SYMBOLS, WORDS, is_unit, read_unit
from streamguard.values.value import plain
from tests.kit.tables import differing


def in_base(written: str) -> tuple[str, str]:
    """Return the base unit and the value in it of "1.5 h"."""
    number, _, unit = written.partition(" ")
    read = read_unit(f"{written}.", len(number))
    assert read is not None
    assert read[1] == len(number) + 1 + len(unit)
    measure = read[0]
    return measure.base, plain(type(measure.factor)(number) * measure.factor + measure.offset)


@pytest.mark.parametrize(
    "alike",
    """1.5 h=90 minutes, 1 fortnight=14 days, 1 decade=120 months, 1 mile=5280 feet=1760 yards
    1 yard=36 inches, 1 km=1000 m, 1 lb=16 oz, 1 stone=14 pounds, 1 tonne=1000 kg, 1 ton=2000 lb
    1 gallon=4 quarts=8 pints=16 cups, 1 cup=16 tablespoons, 1 tablespoon=3 teaspoons, 1 L=1000 mL
    1 hectare=10000 m², 1 acre=43560 square feet, 1 square mile=640 acres, 36 km/h=10 m/s
    1 GiB=1024 MiB, 1 Gi=1 GiB, 1 Gi=1024 Mi, 2 TiB=2048 GiB, 1 Ki=1024 bytes
    1 mph=1.609344 km/h, 1 GB=1000 MB, 8 Mb/s=1 MB/s, 1 MWh=1000 kWh, 1 bar=100 kPa
    0 °C=32 °F, 100 degrees Celsius=212 degrees Fahrenheit, 0 kelvin=-459.67 °F, 37 C=98.6 F
    1 GHz=1000 MHz, 1000 mAh=1 Ah""".replace("\n", ",").split(","),
)
def test_two_ways_to_write_one_quantity_have_one_value(alike):
    assert len({in_base(written) for written in alike.strip().split("=")}) == 1


def test_every_spelling_of_the_table_is_read_whole_and_no_other_word():
    texts = {f"5 {w.replace('_', ' ')}, then": u for w, u in {**WORDS, **SYMBOLS}.items()}
    rows = [(text, (unit, text.index(","))) for text, unit in texts.items()]
    assert differing(rows, lambda text: read_unit(text, 1)) == []
    others = "| users| in 2019| squares| square dance|5|. km|'s|kms2x|-K|  km".split("|")
    assert [text for text in others if read_unit(text, 0) is not None] == []


def test_the_longest_spelling_wins_and_symbols_keep_their_case():
    rows = [
        (" sq. ft of", " sq. ft"), ("-square-foot room", "-square-foot"), (" km/h on", " km/h"),
        (" km/x on", " km"), (" meters per second", " meters per second"),
        (" degrees C today", " degrees C"), (" degrees today", " degrees"), ("° C today", "° C"),
        ("°", "°"), ("'10", "'"), ("KM away", "KM"),
    ]  # fmt: skip
    assert differing(rows, lambda text: text[: read_unit(text, 0)[1]]) == []
    assert SYMBOLS["mW"].factor != SYMBOLS["MW"].factor
    assert [is_unit(word) for word in ("cm3", "KWH", "cm9")] == [True, True, False]
