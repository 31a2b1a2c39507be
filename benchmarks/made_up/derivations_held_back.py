"""Derived values held back from whoever writes the solver; see the package's head.

`derivations()` gives 150 right and as many wrong ones, in other passages and other words.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from made_up import deriving
from made_up.derivations import another_word, as_word, percent
from made_up.deriving import Derivation, Rule

SEED = 7
COUNT = 150

ROOMS = ("the loft", "the annex", "the cabin", "the corner room")
CLUBS = ("Torvik FC", "Marbury City", "Stanmere Albion", "Castell Rovers")
SCHOLARS = ("Edith Varga", "Jonas Weil", "Petra Sund", "Colin Threlfall")
FEES = (18, 25, 32, 45, 60, 85)
SIZES = tuple(range(110, 990, 29))
YEARS = tuple(range(1803, 1995, 11))
DATES = tuple(date(2020, 2, 5) + timedelta(days=19 * n) for n in range(70))
LISTS = {
    3: "a kitchen, a library and a sauna",
    4: "Danish, Welsh, Basque and Finnish",
    5: "rowing, judo, fencing, archery and chess",
}
OTHERS = (
    "Guests are asked to leave wet coats by the door. The stove is lit in the evening.",
    "Minutes of the meetings hang in the corridor, where everyone can read them.",
    "A ferry crosses whenever there are enough passengers. Ring the bell to call it.",
    "Seeds are kept dry and dark. They are sown when the frost is over.",
)

RULES = (
    Rule(
        "period", "weeks_of_a_year", {"r": ROOMS, "p": FEES},
        ("Rent for {r} is €{p} per week.",),
        ("A whole year in {r} would be €{x}.", "{r} costs €{x} per year."),
        lambda s: s["p"] * 52,
    ),
    Rule(
        "period", "per_day", {"p": (70, 84, 105, 140, 210)},
        ("Hiring a boat costs €{p} a week.",),
        ("Hiring a boat is €{x} per day.", "That works out to €{x} a day."),
        lambda s: s["p"] / 7,
    ),
    Rule(
        "period", "quarterly", {"p": FEES, "c": CLUBS},
        ("{c} asks for €{p} every month.",),
        ("Each quarter, members of {c} pay €{x}.", "{c} receives €{x} per quarter."),
        lambda s: s["p"] * 3,
    ),
    Rule(
        "sum", "voters", {"c": CLUBS, "a b": SIZES},
        ("At {c}, {a} members voted for the plan and {b} voted against it.",),
        ("Altogether {x} votes were cast at {c}.", "A total of {x} members voted."),
        lambda s: s["a"] + s["b"],
    ),
    Rule(
        "sum", "weights", {"a b c": (14, 19, 23, 37, 41, 58)},
        ("The crates weigh {a} kg, {b} kg and {c} kg.",),
        ("Combined, the crates weigh {x} kg.", "Their total weight is {x} kg."),
        lambda s: s["a"] + s["b"] + s["c"],
    ),
    Rule(
        "difference", "goals", {"c": CLUBS, "a b": tuple(range(21, 99, 7))},
        ("{c} scored {a} goals at home and {b} goals away.",),
        ("The difference is {x} goals.", "Home and away are {x} goals apart at {c}."),
        lambda s: abs(s["a"] - s["b"]),
    ),
    Rule(
        "difference", "remaining", {"a": (500, 640, 720, 880), "b": tuple(range(110, 400, 23))},
        ("The hall seats {a} people. So far {b} seats have been sold.",),
        ("{x} seats are left.", "That leaves {x} seats."),
        lambda s: s["a"] - s["b"],
    ),
    Rule(
        "product", "nights", {"r": ROOMS, "p": FEES, "k": (3, 4, 6, 9)},
        ("{r} is let at €{p} a night. The course lasts {k} nights.",),
        ("For the course, {r} costs €{x}.", "{k} nights cost €{x}."),
        lambda s: s["p"] * s["k"],
    ),
    Rule(
        "percentage_of", "discount", {"p": (10, 20, 25, 50), "a": (40, 60, 80, 120, 160)},
        ("Tickets are €{a}. Students get {p}% off.",),
        ("Students pay €{x}.", "With the discount, a ticket is €{x}."),
        lambda s: s["a"] * (100 - s["p"]) / 100,
    ),
    Rule(
        "percentage_change", "fall", {"a": (250, 400, 600, 1200), "p": (10, 15, 25, 40, 60)},
        ("In spring {a} cases were counted, in autumn {b}.",),
        ("The number of cases fell by {x}.", "Cases dropped {x} between spring and autumn."),
        lambda s: s["p"], percent,
        also=lambda s: {"b": s["a"] * (100 - s["p"]) // 100},
    ),
    Rule(
        "share", "of_two", {"t": (80, 120, 200, 250), "q": (0.15, 0.2, 0.35, 0.45, 0.6)},
        ("There are {t} trees in the park, {a} of them lindens.",),
        ("Lindens make up {x} of the trees.", "{x} of the trees are lindens."),
        lambda s: 100 * s["q"], percent,
        also=lambda s: {"a": round(s["t"] * s["q"])},
    ),
    Rule(
        "ratio", "times", {"a": (12, 15, 22, 35), "k": (3, 4, 5, 6)},
        ("The old bell weighs {a} tons; the new one weighs {b} tons.",),
        ("The new bell is {x} times as heavy as the old one.",
         "The new bell weighs {x} times as much."),
        lambda s: s["k"], as_word, another_word,
        also=lambda s: {"b": s["a"] * s["k"]},
    ),
    Rule(
        "average", "of_two", {"a b": tuple(range(40, 200, 12))},
        ("{a} guests came on the first evening and {b} on the second.",),
        ("The average was {x} guests per evening.", "On average {x} guests came each evening."),
        lambda s: (s["a"] + s["b"]) / 2,
    ),
    Rule(
        "count", "named", {"k": (3, 4, 5)},
        ("The house offers {list}.", "Among the things on offer are {list}."),
        ("{x} things are on offer.", "The house offers {x} things."),
        lambda s: s["k"], as_word, another_word,
        also=lambda s: {"list": LISTS[s["k"]]},
    ),
    Rule(
        "rounding", "more_than", {"a": (4_120, 6_230, 8_140, 9_310), "c": CLUBS},
        ("{a} people watched {c} on the opening day.",),
        ("More than {x} people watched {c}.", "Over {x} people came."),
        lambda s: s["a"] // 1000 * 1000, wrong=lambda v, rng: v + rng.choice((2000, 4000, 7000)),
    ),
    Rule(
        "magnitude", "thousands", {"a": (3_400, 5_600, 12_800, 47_200)},
        ("The survey counted {a} birds.",),
        ("The survey counted {x} thousand birds.", "There were {x} thousand birds."),
        lambda s: s["a"] / 1000, lambda v: f"{v:.1f}",
        lambda v, rng: v + rng.choice((1.3, 2.6, 5.1)),
    ),
    Rule(
        "age", "in_a_year", {"p": SCHOLARS, "y": YEARS, "k": tuple(range(19, 61, 4))},
        ("{p} was born in {y} and became a professor in {z}.",),
        ("{p} became a professor at the age of {x}.",
         "At {x}, {p} became a professor."),
        lambda s: s["k"],
        also=lambda s: {"z": s["y"] + s["k"]},
    ),
    Rule(
        "duration", "reign", {"p": SCHOLARS, "y": YEARS, "k": tuple(range(5, 38, 4))},
        ("{p} led the academy from {y} to {z}.",),
        ("{p} led the academy for {x} years.", "The term of {p} lasted {x} years."),
        lambda s: s["k"],
        also=lambda s: {"z": s["y"] + s["k"]},
    ),
    Rule(
        "days_between", "from_to", {"d": DATES, "k": tuple(range(10, 70, 7))},
        ("The strike began on {d} and was over on {e}.",),
        ("The strike went on for {x} days.", "It lasted {x} days."),
        lambda s: s["k"],
        also=lambda s: {"e": s["d"] + timedelta(days=s["k"])},
    ),
    Rule(
        "end_date", "weeks_after", {"d": DATES, "k": (2, 3, 4, 6)},
        ("The course starts on {d} and runs for {k} weeks.",),
        ("The course ends on {x}.", "It is over on {x}."),
        lambda s: s["d"] + timedelta(weeks=s["k"]),
    ),
    Rule(
        "unit_conversion", "grams", {"k": (2, 3, 5, 8)},
        ("Each hive gave {k} kg of honey.",),
        ("Each hive gave {x} grams of honey.", "That is {x} g of honey per hive."),
        lambda s: s["k"] * 1000,
    ),
    Rule(
        "unit_conversion", "feet", {"k": tuple(range(14, 90, 9))},
        ("The mast is {k} meters high.",),
        ("The mast is about {x} feet high.", "It rises roughly {x} feet."),
        lambda s: round(s["k"] * 3.28084),
    ),
)  # fmt: skip


def derivations() -> Iterator[Derivation]:
    """Yield the derivations that are held back, right and wrong in turn."""
    return deriving.derivations(RULES, OTHERS, count=COUNT, seed=SEED)
