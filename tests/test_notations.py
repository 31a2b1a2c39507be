"""Values in the notations of the world: held where a passage has one of their readings."""

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from streamguard.core.context import Context
from streamguard.core.facts.standing import is_near
from streamguard.core.machine.guard import StreamGuard
from streamguard.text.normalise import fold
from streamguard.values import AnchorIndex, agree, read_anchors
from streamguard.values.value import readings_of
from tests.cases.notations import KINDS as NOTATION_KINDS
from tests.cases.values import VALUE_KINDS
from tests.kit.answers import result_of
from tests.kit.tables import differing

KINDS = {**NOTATION_KINDS, **VALUE_KINDS}


def warned(result):
    return [finding.value for finding in result.findings if finding.severity == "warning"]


def whole(answer, context):
    guard = StreamGuard(context)
    guard.feed(answer)
    return guard.close()


def unlike(judge):
    """Return the cases of which the right answer is accused or the wrong one is not."""
    found = []
    for kind, rows in KINDS.items():
        for passage, right, wrong in rows:
            context = Context(chunks=(passage,))
            accused, spared = warned(judge(right, context)), not warned(judge(wrong, context))
            if accused or spared:
                found.append((kind, right, accused) if accused else (kind, wrong))
    return found


def test_of_every_kind_right_answers_are_left_alone_and_near_by_wrong_ones_accused():
    assert unlike(whole) == []
    assert all(len(rows) >= 10 for rows in KINDS.values())


@pytest.mark.slow
def test_of_every_kind_the_same_under_every_split():
    assert unlike(result_of) == []


@pytest.mark.parametrize("kind", KINDS)
def test_answers_full_of_one_kind_are_read_alike_under_every_split(kind):
    passages, _, wrong = zip(*KINDS[kind], strict=True)
    result_of("\n".join(wrong[::2]), Context(chunks=passages))


def only(text):
    (anchor,) = read_anchors(fold(text).text)
    return anchor


# Each way to write a number: the sign between thousands, and the one before decimals.
NOTATIONS = [(",", "."), (".", ","), (" ", ","), (" ", "."), ("\u202f", ","), ("'", "."),
             ("'", ","), ("", "."), ("", ","), ("٬", "٫")]  # fmt: skip
DIGITS = ["0123456789", "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "०१२३४५६७८९", "０１２３４５６７８９"]


def written(number, notation, digits="0123456789"):
    thousands, point = notation
    text = f"{number:,f}".replace(",", "t").replace(".", point).replace("t", thousands)
    return text.translate(str.maketrans("0123456789", digits))


numbers = st.decimals(min_value=1, max_value=9_999_999, places=2)
notations = st.sampled_from(NOTATIONS)


@settings(max_examples=40)
@given(numbers, notations, notations, st.sampled_from(DIGITS), st.sampled_from(DIGITS))
def test_a_number_is_itself_in_every_other_notation(number, one, other, digits, further):
    first, second = only(written(number, one, digits)), only(written(number, other, further))
    assert first.value == second.value == number
    assert agree(first, second) == agree(second, first) == "same"


@settings(max_examples=40)
@given(st.integers(1, 999), st.integers(1, 999), st.sampled_from(",."), st.sampled_from("m€%"))
def test_a_figure_with_two_readings_is_held_where_one_of_them_is(whole_part, rest, sign, unit):
    anchor = only(f"{whole_part}{sign}{rest:03d} {unit}")
    large, small = Decimal(f"{whole_part}{rest:03d}"), Decimal(f"{whole_part}.{rest:03d}")
    assert {one.number for one in readings_of(anchor)} == {large, small}
    for number in (large, small):
        source = only(f"{number} {unit}")
        assert agree(anchor, source) == agree(source, anchor) == "same"
        index = AnchorIndex()
        index.add(0, [source])
        assert index.find(anchor).stands


@settings(max_examples=40)
@given(st.integers(1, 999), st.integers(1, 999), st.integers(1, 999), st.sampled_from(",."))
def test_a_near_number_in_no_reading_is_not_held(whole_part, rest, off, sign):
    assume(off != rest)
    anchor = only(f"{whole_part}{sign}{off:03d} m")
    source = only(f"{whole_part}{sign}{rest:03d} m")
    assert agree(anchor, source) == "no"


MAGNITUDES = [(3, "Tsd."), (3, "тыс."), (5, "lakh"), (6, "Mio."), (6, "millones"), (6, "milhões"),
              (6, "milioni"), (7, "crore"), (9, "Mrd."), (9, "milliards"), (9, "miljard"),
              (4, "万"), (4, "만"), (8, "億"), (8, "亿"), (12, "兆")]  # fmt: skip


@settings(max_examples=40)
@given(st.integers(1, 999), st.sampled_from(MAGNITUDES))
def test_a_magnitude_of_any_language_multiplies(number, magnitude):
    exponent, word = magnitude
    assert only(f"{number} {word} €").value == number * 10**exponent
    assert only(f"{number} {word}").value == number * 10**exponent


MONTHS = [
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
]
FORMS = ["{day}. {month} {year}", "{day} {month} {year}", "{day} de {month} de {year}"]


@settings(max_examples=40)
@given(
    st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31)),
    st.integers(0, len(MONTHS) - 1),
    st.sampled_from(FORMS),
    st.booleans(),
)
def test_a_day_is_read_in_six_languages(day, language, form, has_year):
    month = MONTHS[language].split()[day.month - 1]
    text = "am " + form.format(day=day.day, month=month, year=day.year)
    if not has_year:
        text = text[: text.index(month) + len(month)]
    assert only(text).key == (day.isoformat() if has_year else f"--{day:%m-%d}")


OWN_NUMBERS = [
    # the passages number no options
    ("The hall has a stage and a bar.", "Option 2: the hall has a bar.", []),
    ("The hall has a stage and a bar.", "With option 2 the hall has a bar.", []),
    # they do, and the answer heads a part of its own
    ("Option 1 is the hall, option 2 the barn.", "**Option 3:** ask for both, hall and barn.", []),
    ("Option 1 is the hall, option 2 the barn.", "The barn is option 3.", ["3"]),
    ("Option 1: the hall.\nOption 2: the barn.", "Option 2 is the barn.", []),
    ("Port 8443 is open.", "The gateway listens on port 8443.", []),
    ("The gateway listens at 8443.", "The gateway listens on port 8444.", ["8444"]),
]


def test_an_answer_may_number_its_own_options():
    for passage, answer, accused in OWN_NUMBERS:
        assert warned(whole(answer, Context(chunks=(passage,)))) == accused, answer


PARTS = [
    ("The rate is 67.6 %.", "The rate is about two thirds.", []),
    ("The rate is 31 %.", "The rate is about two thirds.", ["two thirds"]),
    ("The rate is 82 %.", "The rate is more than half.", []),
    ("The rate is 30 %.", "The rate is a third.", []),
    ("A quarter of the seats are sold.", "Three quarters of the seats are left.", []),
    (
        "All three sides of a bag may add up to 115 cm.",
        "A bag of 56 x 36 x 23 cm adds up to 115 cm.",
        [],
    ),
    ("The account locks after three attempts.", "It locks after the third attempt.", []),
]


def test_parts_in_words_are_rounded_or_bounds():
    for passage, answer, accused in PARTS:
        assert warned(whole(answer, Context(chunks=(passage,)))) == accused, answer


ANY_DAY = [
    ("The canteen serves fish every day.", "The canteen serves fish on Sundays.", []),
    ("The canteen serves fish daily.", "On Fridays the canteen serves fish.", []),
    ("It runs on weekdays and Sundays.", "It runs on Tuesdays and Sundays.", []),
    ("It runs on Sundays, a day late.", "It runs on Tuesdays, a day late.", ["Tuesdays"]),
    ("A day of rest is Sunday.", "A day of rest is Monday.", ["Monday"]),
    ("The vote is on 3 May 2026.", "The vote is on a Sunday.", []),
    ("The vote is in May.", "The vote is in May, on a Sunday.", []),
    ("The third vote is at 9.", "The third vote is on a Sunday.", []),
    ("The vote is on Friday.", "The vote is on Monday.", ["Monday"]),
]


def test_a_passage_may_speak_of_every_day():
    for passage, answer, accused in ANY_DAY:
        assert warned(whole(answer, Context(chunks=(passage,)))) == accused, answer


NEAR = [
    ("€6,084", "€6.50", False),  # near by a reading that the passage's figure does not have
    ("2,225 mm", "2.125 mm", True), ("2.225 mm", "2,125 mm", True), ("1,69 €", "1,789 €", True),
    ("Article 41", "Article 33", True), ("Article 41", "Section 33", False),
    ("iOS 18", "iOS 15", True), ("iOS 18", "Android 15", False), ("port 8444", "8443", True),
]  # fmt: skip


def test_a_value_is_near_one_by_the_readings_of_both():
    def near(mine, theirs):
        return is_near(only(f"Use {mine}"), only(f"Use {theirs}"))

    assert differing(NEAR, near) == []
