"""Derived values for developing: sentences that follow from their passages by arithmetic.

`derivations()` gives 150 right and as many wrong ones; another 150 of each are held back.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from made_up import deriving
from made_up.deriving import Derivation, Rule

SEED = 6
COUNT = 150

NAMES = ("Basic", "Plus", "Team", "Studio", "Family")
TOWNS = ("Alderwick", "Kesmark", "Velluno", "Tarrant", "Osterfeld")
PEOPLE = ("Clara Whitfield", "Tomas Brandt", "Ines Okafor", "Maya Lindqvist")
PRICES = (9, 14, 19, 24, 29, 39, 49, 59, 79)
AMOUNTS = tuple(range(120, 980, 37))
COUNTS = tuple(range(13, 95, 4))
YEARS = tuple(range(1871, 1990, 7))
DATES = tuple(date(2019, 1, 3) + timedelta(days=17 * n) for n in range(80))
WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine"}
LISTS = {
    3: "apples, pears and plums",
    4: "oak, ash, elm and beech",
    5: "copper, tin, zinc, lead and iron",
    6: "harp, flute, horn, lute, drum and viol",
}
OTHERS = (
    "The garden behind the house is open to everyone. Benches stand under the trees.",
    "Write to the office when you move. Letters are answered in the order in which they arrive.",
    "The path leads through a forest and ends at a lake. Wear shoes that can get wet.",
    "Bread is baked in the village every morning. The mill stands by the brook.",
)


def as_word(value: float) -> str:
    return WORDS[int(value)]


def another_word(value: float, rng) -> int:
    return rng.choice([n for n in WORDS if abs(n - value) > 1])


def percent(value: float) -> str:
    return f"{round(value)}%"


RULES = (
    Rule(
        "period", "per_year", {"n": NAMES, "p": PRICES},
        ("The {n} plan costs ${p} a month.", "{n}: ${p} per month, cancel at any time."),
        ("The {n} plan costs ${x} per year.", "Over a year, {n} costs ${x}.",
         "{n} comes to ${x} annually."),
        lambda s: s["p"] * 12,
    ),
    Rule(
        "period", "per_month", {"n": NAMES, "p": (120, 180, 240, 300, 420, 600)},
        ("A year of {n} is ${p}.", "{n} is billed once a year at ${p}."),
        ("{n} works out at ${x} per month.", "That is ${x} a month for {n}."),
        lambda s: s["p"] / 12,
    ),
    Rule(
        "sum", "two_parts", {"t": TOWNS, "a b": AMOUNTS},
        ("The school in {t} has {a} girls and {b} boys.",
         "In {t} {a} girls and {b} boys go to school."),
        ("The school in {t} has {x} pupils in total.", "Together that makes {x} children.",
         "In all, {x} girls and boys go to school in {t}."),
        lambda s: s["a"] + s["b"],
    ),
    Rule(
        "sum", "three_prices", {"a b c": PRICES},
        ("The ticket is ${a}, the guide ${b} and lunch ${c}.",
         "You pay ${a} for the ticket, ${b} for the guide, and ${c} for lunch."),
        ("Ticket, guide and lunch cost ${x} altogether.", "The total comes to ${x}."),
        lambda s: s["a"] + s["b"] + s["c"],
    ),
    Rule(
        "difference", "prices", {"a b": PRICES},
        ("The Basic plan is ${a} a month and the Team plan is ${b} a month.",),
        ("The difference between the two plans is ${x} a month.",
         "The plans are ${x} a month apart."),
        lambda s: abs(s["a"] - s["b"]),
    ),
    Rule(
        "difference", "heights", {"a b": AMOUNTS},
        ("The north tower is {a} feet tall. The south tower is {b} feet tall.",),
        ("One tower is {x} feet taller than the other.", "They differ by {x} feet."),
        lambda s: abs(s["a"] - s["b"]),
    ),
    Rule(
        "product", "boxes", {"a": (6, 8, 12, 16, 24), "b": COUNTS},
        ("Each box holds {a} jars, and {b} boxes were sent.",
         "They sent {b} boxes with {a} jars in each."),
        ("In total {x} jars were sent.", "That makes {x} jars."),
        lambda s: s["a"] * s["b"],
    ),
    Rule(
        "percentage_of", "members", {"p": (10, 20, 25, 40, 75), "a": (400, 600, 800, 1200, 2400)},
        ("Of the {a} members, {p}% live abroad.", "{p} percent of the {a} members live abroad."),
        ("{x} members live abroad.", "That is {x} members who live abroad."),
        lambda s: s["a"] * s["p"] // 100,
    ),
    Rule(
        "percentage_change", "sales", {"a": (200, 400, 500, 800), "p": (5, 15, 20, 30, 45)},
        ("Sales were {a} carts last year and {b} carts this year.",
         "After {a} carts last year the firm sold {b} carts this year."),
        ("Sales rose by {x}.", "That is an increase of {x} over last year."),
        lambda s: s["p"], percent,
        also=lambda s: {"b": s["a"] * (100 + s["p"]) // 100},
    ),
    Rule(
        "share", "of_total", {"a": (12, 18, 27, 36, 45), "t": (60, 90, 120, 150)},
        ("Of {t} applicants {a} were accepted.", "{a} of the {t} applicants were accepted."),
        ("{x} of the applicants were accepted.", "The acceptance rate is {x}."),
        lambda s: 100 * s["a"] / s["t"], percent,
    ),
    Rule(
        "average", "of_three", {"a b c": tuple(range(30, 300, 15))},
        ("The three wells are {a}, {b} and {c} meters deep.",),
        ("On average the wells are {x} meters deep.", "The average depth is {x} meters."),
        lambda s: (s["a"] + s["b"] + s["c"]) / 3,
    ),
    Rule(
        "ratio", "per_person", {"a": (4, 5, 6, 8), "k": (17, 23, 31, 44)},
        ("The prize of ${b} was shared equally by {a} winners.",),
        ("Each winner got ${x}.", "That is ${x} per winner."),
        lambda s: s["k"],
        also=lambda s: {"b": s["a"] * s["k"]},
    ),
    Rule(
        "count", "listed", {"k": (3, 4, 5, 6)},
        ("The shop sells {list}.", "On offer: {list}."),
        ("The shop sells {x} kinds of goods.", "There are {x} kinds on offer."),
        lambda s: s["k"], as_word, another_word,
        also=lambda s: {"list": LISTS[s["k"]]},
    ),
    Rule(
        "rounding", "about", {"a": (487, 513, 789, 1188, 2917), "t": TOWNS},
        ("The library of {t} owns {a} maps.",),
        ("The library of {t} owns about {x} maps.", "There are roughly {x} maps in {t}."),
        lambda s: round(s["a"], -2),
    ),
    Rule(
        "magnitude", "millions", {"a": (1_940_000, 3_050_000, 5_210_000, 7_880_000)},
        ("The project cost ${a}.", "A sum of ${a} was spent on the project."),
        ("The project cost ${x} million.", "Some ${x} million was spent."),
        lambda s: round(s["a"] / 1e6, 1), lambda v: f"{v:.1f}",
        lambda v, rng: v + rng.choice((0.7, 1.3, 2.2)),
    ),
    Rule(
        "age", "at_death", {"p": PEOPLE, "y": YEARS, "k": tuple(range(41, 93, 3))},
        ("{p} was born on 3 March {y} and died on 9 October {z}.",),
        ("{p} died at the age of {x}.", "{p} lived to be {x} years old."),
        lambda s: s["k"],
        also=lambda s: {"z": s["y"] + s["k"]},
    ),
    Rule(
        "duration", "years", {"t": TOWNS, "y": YEARS, "k": tuple(range(6, 40, 3))},
        ("The mine at {t} was opened in {y} and closed in {z}.",),
        ("The mine was in use for {x} years.", "It stayed open for {x} years."),
        lambda s: s["k"],
        also=lambda s: {"z": s["y"] + s["k"]},
    ),
    Rule(
        "days_between", "two_dates", {"d": DATES, "k": tuple(range(9, 60, 4))},
        ("The exhibition opened on {d} and ended on {e}.",),
        ("The exhibition ended {x} days after it opened.",
         "There are {x} days between opening and end."),
        lambda s: s["k"],
        also=lambda s: {"e": s["d"] + timedelta(days=s["k"])},
    ),
    Rule(
        "end_date", "days_after", {"d": DATES, "k": (14, 20, 30, 45)},
        ("Orders can be returned within {k} days. This one was placed on {d}.",),
        ("It can be returned until {x}.", "The last day to return it is {x}."),
        lambda s: s["d"] + timedelta(days=s["k"]),
    ),
    Rule(
        "unit_conversion", "hours", {"k": (3, 4, 5, 7)},
        ("The crossing takes {k} hours in calm weather.",),
        ("The crossing takes {x} minutes.", "It lasts {x} minutes in calm weather."),
        lambda s: s["k"] * 60,
    ),
    Rule(
        "unit_conversion", "kilometers", {"k": tuple(range(12, 90, 7))},
        ("The trail is {k} kilometers long.",),
        ("The trail is about {x} miles long.", "Its length is roughly {x} miles."),
        lambda s: round(s["k"] * 0.621371),
    ),
)  # fmt: skip


def derivations() -> Iterator[Derivation]:
    """Yield the derivations for developing, right and wrong in turn."""
    return deriving.derivations(RULES, OTHERS, count=COUNT, seed=SEED)
