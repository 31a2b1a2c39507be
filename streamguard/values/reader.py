"""Finds and parses every anchor of a text in one left-to-right pass.

A number is parsed with its context: sign, currency, unit, range, period, "about".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Context, Decimal
from itertools import islice

from streamguard.text.normalise import lower_in_place
from streamguard.text.patterns import lazy_re
from streamguard.values import dates, money, months, weekdays
from streamguard.values.addresses import (
    LINK,
    find_addresses,
    may_hold_address,
    read_address,
    read_port,
)
from streamguard.values.identifiers import (
    SIZES,
    article_of,
    label_of,
    noun_of,
    parts_of_law,
    read_band,
    read_glued,
    read_literal,
    read_size,
    skip_reference,
)
from streamguard.values.measures import WORDS, Measure, measure_at, read_unit, with_smaller_units
from streamguard.values.money import Currency
from streamguard.values.numerals import FRACTION_PLACE, STARTS, Numeral, read_numeral, scaled
from streamguard.values.quarters import read_quarter
from streamguard.values.relative import MULTIPLES, read_multiple, read_odds, read_score
from streamguard.values.value import (
    HALF,
    ONE,
    ZERO,
    Anchor,
    any_of,
    half_of_last,
    key_of,
    literal,
    plain,
    quotient,
    shifted,
    times,
)

# "First, ..." and "the second step" order the answer; they are no facts of the sources.
_DISCOURSE = frozenset(["first", "second"])
_STARTING = frozenset(
    word.encode()
    for words in (
        months.ANYWHERE,
        weekdays.STARTS,
        dates.ORDINALS,
        STARTS,
        dates.NAMED,
        money.ADVERBS,
        money.FREE_WORDS,
        MULTIPLES,
        SIZES,
    )
    for word in words
)


def _is_wide(word: str) -> bool:
    return not word.isascii()


# Words are looked up as runs of small letters of ASCII, and "février" is none.
_WIDE_WORD = lazy_re(
    rf"(?<!\w){any_of(weekdays.WIDE.union(filter(_is_wide, months.ANYWHERE)))}(?!\w)"
)
_FIGURE = lazy_re(r"[0-9]+")
_DIGITS = b"0123456789"
# All but small letters as spaces: words are cut off three times as fast as by a pattern.
_TO_WORDS = bytes(sign if sign in b"abcdefghijklmnopqrstuvwxyz" else 32 for sign in range(256))
_ORDINAL = lazy_re(r"([0-9]{1,6})(?:st|nd|rd|th|º|ª)(?!\w)", re.ASCII)

_FIGURES, _WORD = "figure", "word"


def _in_order(place: tuple[int, int, str]) -> tuple[int, int]:
    return place[0], -place[1]


_Read = tuple[tuple[Anchor, ...], int]


def read_anchors(text: str, most: int | None = None) -> tuple[Anchor, ...]:
    """Return the anchors of `text` in order, a bounded number.

    Spans do not overlap, but for the port of a link.

    `text` is folded (see `normalise`); offsets are into it. Linear in the length of the text: every
    parser looks a bounded distance back and ahead.
    """
    return tuple(islice(filter(None, anchors_in(text)), most))


def anchors_in(text: str) -> Iterator[Anchor | None]:
    """Yield the anchors of `text` like `read_anchors`, and None after a place without one.

    Each place is parsed on demand, so a long text may be read with pauses.
    """
    low = lower_in_place(text)
    position = 0
    for start, end, kind in _places(low):
        if start < position:  # read already: no anchor ends inside a figure
            continue
        if kind == _WORD:
            read, position = _at_word(text, low, start, end, position)
            yield from read or (None,)
            continue
        if kind != _FIGURES:
            yield read_address(text, low, start, end, kind)
            if kind == LINK and (port := read_port(text, low, start, end)):
                yield port
            position = end
            continue
        while start < end:
            read, start = _at_digit(text, low, start, position)
            yield from read or (None,)
            position = start


def _places(low: str) -> list[tuple[int, int, str]]:
    """Return the figures, words and addresses of `low` at which an anchor may begin.

    The third says which: `_FIGURES`, `_WORD`, or the unit of an address. Most texts have neither:
    one look-up per word in a table tells.
    """
    written = low.encode(errors="replace")
    words = _STARTING.intersection(written.translate(_TO_WORDS).split())
    places: list[tuple[int, int, str]] = []
    if len(written.translate(None, _DIGITS)) != len(written):
        places = [(*figure.span(), _FIGURES) for figure in _FIGURE.finditer(low)]
    for word in map(bytes.decode, words):
        start = low.find(word)
        while start >= 0:
            end = start + len(word)
            around = low[start - 1 : start], low[end : end + 1]
            if not any(sign.isalnum() or sign == "_" for sign in around):
                places.append((start, end, _WORD))
            start = low.find(word, end)
    if not low.isascii():
        places += [(*word.span(), _WORD) for word in _WIDE_WORD.finditer(low)]
    if may_hold_address(low) and (addresses := [*find_addresses(low)]):
        return sorted(places + addresses, key=_in_order)
    places.sort()
    return places


def _at_digit(text: str, low: str, start: int, floor: int) -> _Read:
    """Parse at the digit `start`; return the anchors and the offset to continue from."""
    skipped = skip_reference(text, low, start, floor)
    if skipped is not None:
        return (), skipped
    before = text[start - 1] if start > floor else " "
    if before in "- " and (band := read_band(text, low, start, floor)):
        return (band,), band.end + 1
    if before not in " (":  # most figures stand behind one of these
        if before == "$" and money.is_shell_parameter(text, start):
            return (), start + 1
        if before == "." and text[max(0, start - 2) : start - 1] in _BEFORE_POINT:  # ".05"
            anchor = read_figure(text, low, start - 1, floor)
            if anchor is not None and not _runs_on(text, anchor):
                return (anchor,), anchor.end
        # Scripts without small letters write figures into their words: "员工3万人".
        inside = before == "_" or before.lower() != before.upper()
        if before in "QqHh" and (quarter := read_quarter(text, low, start - 1)):
            return (quarter,), quarter.end
        # "CHF5.50" is no identifier.
        if inside and money.currency_before(text, start, floor) is None:
            return _one(*read_glued(text, start, floor))
    digits = _FIGURE.match(text, start)
    assert digits is not None
    end = digits.end()
    after = low[end : end + 1]
    date, time, other = _may_go_on(low, end, after)
    read = dates.read_digit_date(text, low, start, end - start, after) if date else ()
    if other and not read:
        read = _sides(text, low, start, floor)
    if not read:
        single = dates.read_time(text, low, start) if time else None
        if single is None and other and after in "-:":
            single = read_score(text, low, start)
        if single is None and low[start:end] == "1" and after == " ":
            single = _odds(text, low, start, floor)
        if single is None and after in _FOLDS:
            single = read_multiple(text, low, start, end)
        if single is None and (other or end - start > _LONGEST_NUMERAL or before in "+("):
            single = read_literal(text, start, floor)
        if single is None and after in _OF_QUARTERS:
            single = read_quarter(text, low, start)
        if single is None and after in _RANKED and (found := _ORDINAL.match(text, start)):
            single = _ranked(text, start, found.end(), int(found[1]))
        # A hyphen or slash may join the digits to a capital ("GPT-4", "HTTP/2").
        joined = start - floor > 1 and before in "-/" and text[start - 2].isalpha()
        joined = joined and _NAME_HEAD.search(text, max(floor, start - 24), start) is not None
        if single is None and not joined:
            single = read_figure(text, low, start, floor)
        read = (single,) if single else ()
    if not read or _runs_on(text, read[-1]):
        if quarter := read_quarter(text, low, start):
            return (quarter,), quarter.end
        return _one(*read_glued(text, start, floor))
    return read, read[-1].end


# What stands before the point of a figure without a whole number.
_BEFORE_POINT = frozenset(["", *" \n([-~|", *money.SIGNS])


# A cheap look at what follows the digits, so that most readers need not be tried: the character
# right after them, and the word or the sign after a space, with which they can go on.
_DATED = frozenset("-/.stnrqh'&eº年년月월")
_DATING = frozenset(
    {*months.ANYWHERE, *"of day to and or q h - & de di bis und oder au al et ou y e o a".split()}
)
_DATING_BEHIND_STOP = _DATING - {"may", "march"}  # "It has 3. May I go?"
_RANKED = frozenset("snrtº\u00aa")
_FOLDS = frozenset(" -f")
_OF_QUARTERS = _RANKED | {".", "e"}
_TIMED = frozenset(":.hapu-時时點点시")
_TIMING = frozenset("a p am pm o h in at to until till and or - uhr heures horas bis à às".split())
_LITERAL = frozenset("-./x×:(")
_LITERALLY = frozenset("0123456789x×(-.")
_LETTERS = lazy_re(r"[^\W\d_]{1,20}")
_LONGEST_NUMERAL = 15
_NAME_HEAD = lazy_re(r"[^\W\d_]{0,20}[A-Z][^\W\d_]{0,20}[-/]$")


def _may_go_on(low: str, end: int, after: str) -> tuple[bool, bool, bool]:
    """Return whether a date, time or literal may continue after the digits that end at `end`."""
    if after == ".":
        following = low[end + 1 : end + 2]
        if following == " ":  # a sentence ends, or "3. Mai" and "3. bis 5. Mai" go on
            word = _LETTERS.match(low, end + 2)
            return word is not None and word[0] in _DATING_BEHIND_STOP, False, False
        goes_on = following != ""
        return goes_on, goes_on, goes_on
    if after != " ":
        return after in _DATED, after in _TIMED, after in _LITERAL
    word = _LETTERS.match(low, end + 1)
    following = word[0] if word else low[end + 1 : end + 2]
    return following in _DATING, following in _TIMING, following in _LITERALLY


def _runs_on(text: str, anchor: Anchor) -> bool:
    following = text[anchor.end : anchor.end + 1]  # "12,000円" ends
    return following.isdigit() or (following.isalpha() and following.lower() != following.upper())


def _ranked(text: str, start: int, end: int, rank: int) -> Anchor:
    return literal("ordinal", text, start, end, str(rank), Decimal(rank))


def _at_word(text: str, low: str, start: int, end: int, floor: int) -> _Read:
    """Parse at the word [start, end); return the anchors and the offset to continue from."""
    word = low[start:end]
    if word in money.FREE_WORDS:
        price = money.free_at(low, start)
        if price is None:
            return (), floor  # "no. 7": the following value may look back at the word
        return (literal("amount", text, start, price, "0", ZERO),), price
    if word in months.ANYWHERE and (days := dates.read_word_date(text, low, start)):
        return days, days[-1].end
    if word in weekdays.STARTS or word in weekdays.WIDE:
        days = weekdays.read_weekday(text, low, start)
        if len(days) == 1 and _is_of_date(text, low, days[0]):
            return (), days[0].end
        return days, days[-1].end if days else end
    if word in SIZES:
        return _one(read_size(text, start, end), end)
    if word in MULTIPLES:
        return _one(read_multiple(text, low, start, end), end)
    if word in dates.NAMED:
        return _one(dates.time_anchor(text, start, end, dates.NAMED[word]), end)
    if word in money.ADVERBS:
        return _one(read_often(text, low, start, end, floor), end)
    found = dates.read_spoken_time(text, low, start) if word in dates.SPOKEN else None
    if found is None and word in STARTS and low[start - 1 : start] != "-":
        found = _odds(text, low, start, floor) or read_figure(text, low, start, floor)
    if found is None and word in dates.ORDINALS:
        found = read_quarter(text, low, start)
    if found is None and word in dates.ORDINALS and word not in _DISCOURSE:
        found = _ranked(text, start, end, dates.ORDINALS[word])._replace(word=True)
    return _one(found, end)


def _odds(text: str, low: str, start: int, floor: int) -> Anchor | None:
    """Parse "one in six" as a number, with the noun that it counts; six is the whole."""
    if (odds := read_odds(low, start)) is None:
        return None
    top, bottom, end = odds
    part = Numeral(start, end, quotient(top, bottom), FRACTION_PLACE)
    anchor = _anchor(text, low, start, part, None, Measure("number", end), floor)
    return anchor._replace(whole=bottom)


_TO_DATE = lazy_re(r"\.?,?[ ](?:the[ ]|den[ ]|dem[ ]|le[ ]|el[ ]|il[ ])?")


def _is_of_date(text: str, low: str, day: Anchor) -> bool:
    """Return whether a weekday is that of the date right behind it: it follows from the date."""
    found = _TO_DATE.match(low, day.end)
    start = day.end if found is None else found.end()
    digits = _FIGURE.match(low, start)
    if digits is not None:
        after = low[digits.end() : digits.end() + 1]
        read = dates.read_digit_date(text, low, start, digits.end() - start, after)
    else:
        word = _LETTERS.match(low, start)
        is_month = word is not None and word[0] in months.ANYWHERE
        read = dates.read_word_date(text, low, start) if is_month else ()
    return bool(read) and weekdays.falls_on(read[0].key, day.key)


def _one(anchor: Anchor | None, end: int) -> _Read:
    return ((anchor,), anchor.end) if anchor else ((), end)


# Words that say a figure is rounded. "Up to", "over" and "more than" bound it: a bound is exact.
_ABOUT = (
    "about,around,approximately,approx,approx.,roughly,nearly,almost,circa,ca.,some,close to,"
    "estimated,an average of,averaging,average,averages,typically,usually"
).split(",")
_HEDGE = lazy_re(rf"(?:(?<!\w){any_of(_ABOUT)}|[~≈])[ ]?(?:an?[ ]|the[ ])?$")
_HEDGE_SIGNS = frozenset("~≈")
# The words with which a hedge can end: a cheap look before the pattern.
_HEDGE_ENDS = {words.split()[-1] for words in (*_ABOUT, "a", "an", "the")} | _HEDGE_SIGNS
# The longest hedge with its article and its space ("approximately the ").
_HEDGE_REACH = 22
_APPROX_AFTER = lazy_re(r"[ ]or[ ]so(?!\w)")
_RANGE = lazy_re(r"[ ]?-[ ]?(?=[^\s-])|[ ](?:to|until|through|and|bis|à|hasta)[ ]")
_RANGE_STARTS = frozenset("-tuabàh")  # with which they go on behind a space
_SIZE = r"(\d{1,5}(?:\.\d{1,3})?)"
_TIMES = r"(?:[ ]?[x×][ ]?|-by-)"
_SIDES = lazy_re(rf"(?a){_SIZE}{_TIMES}{_SIZE}(?:{_TIMES}{_SIZE})?(?!\w|[.,]\d|[ ]?=|[\^⁰¹²³⁴-⁹⁻])")
_BY = lazy_re(r"(?<!\w)by[ ](?:about[ ]|around[ ]|another[ ]|a[ ])?[^\w\s]{0,2}$")
_BETWEEN = lazy_re(r"(?<!\w)between[ ](?:about[ ]|around[ ])?[$€£¥]?$")
_CURRENCY_AGAIN = lazy_re(r"(?:US|C|A)?[$€£¥₹][ ]?|(?:USD|EUR|GBP|CHF|Rs\.?)[ ]")
_TEMPERATURES = frozenset(["°F", "°"])
# "10 °C minus 3 °C" is a reckoning.
_MINUS = lazy_re(r"(?<![0-9°][ ])(?<!°[cf][ ])(?<!\w)minus[ ]$")
_MINUS_REACH = 8
_BELOW_ZERO = lazy_re(r"[ ](?:below|under|unter)[ ](?:zero|freezing|null)(?!\w)")
_BEFORE_MINUS = frozenset(" (=:,\n" + money.SIGNS)
# A count in letters up to this that counts nothing of the table is casual. RAGTruth QA train:
# 22 % of those that no passage holds overlap a labelled span, against 83 % of numbers in digits.
_LARGEST_CASUAL = 10
# The whole of a share: "half of the £48", "a third of 30 days".
_OF_FIGURE = lazy_re(r"(?:[ ]of)?[ ](?:the[ ]|your[ ]|that[ ])?[^\w\s]{0,2}(?=[0-9])")
_EXACTLY = Context(prec=20, traps=[])  # a third of £48 is £16
_NOUN_REACH = 40  # characters behind a count in which its noun ends; guess


def read_figure(text: str, low: str, start: int, floor: int) -> Anchor | None:
    """Parse the amount, percentage, quantity, year or number whose numeral begins at `start`.

    Looks back (not before `floor`) for a currency, a sign and a hedge, ahead for the unit, the
    upper end of a range and a period. None without a numeral, or for a number word that states no
    value ("one of them", "half-life").
    """
    # "$-5": the sign may stand between the currency and the figure.
    signed = start - floor > 1 and text[start - 1] == "-" and text[start - 2] in money.SIGNS
    currency, begin = money.currency_before(text, start - signed, floor) or (None, start)
    first = read_numeral(text, low, start, money=currency is not None)
    if first is None:
        return None
    if not first.word and currency is None and (year := dates.read_year(text, low, first)):
        return year
    if first.word and first.value < ONE and (share := _share(text, low, first)):
        return share
    measure = measure_at(text, low, first.end, currency, first.start)
    first, high, measure = _range(text, low, first, measure, currency, max(floor, begin - 20))
    if measure.kind == "number" and _is_age(low, begin, floor):
        measure = Measure("quantity", measure.end, *WORDS["year"])
    if high is None:
        if first.word and low[start : measure.end] == "one":
            return None  # a pronoun or an article
        first, measure = with_smaller_units(text, low, first, measure)
    if measure.unit in _TEMPERATURES:
        begin, end = _below_zero(low, begin, measure.end, floor)
        if (begin, end) != (first.start, measure.end):
            first = first._replace(value=first.value.copy_negate())
            measure = measure._replace(end=end)
    dash = begin - 1
    if dash >= floor and text[dash] == "-" and (dash == 0 or text[dash - 1] in _BEFORE_MINUS):
        begin = dash
        # Of money and shares the size counts: "-$1,200" is a loss of $1,200, as is "($1,200)".
        if measure.kind not in ("amount", "percent"):
            first = first._replace(value=first.value.copy_negate())
    return _anchor(text, low, begin, first, high, measure, floor)


_AGE = lazy_re(
    r"(?<!\w)(?:aged|ages|age)(?:[ ]of)?(?:[ ](?:over|under|above|below|from|between|up[ ]to))?[ ]$"
)
_AGE_REACH = 20
_AGE_ENDS = frozenset("dsefrwmno")  # letters with which these words end


def _is_age(low: str, start: int, floor: int) -> bool:
    """Return whether the number at `start` is an age in years: "aged 12", "the ages of 11"."""
    if low[start - 1 : start] != " " or low[start - 2 : start - 1] not in _AGE_ENDS:
        return False
    return _AGE.search(low, max(floor, start - _AGE_REACH), start) is not None


def _below_zero(low: str, begin: int, end: int, floor: int) -> tuple[int, int]:
    """Return the span of a temperature at [begin, end) with its "minus" or "below zero"."""
    if found := _MINUS.search(low, max(floor, begin - _MINUS_REACH), begin):
        return found.start(), end
    found = _BELOW_ZERO.match(low, end)
    return begin, end if found is None else found.end()


def _share(text: str, low: str, part: Numeral) -> Anchor | None:
    """Parse a fraction of a value ("half of £48"): £24 of £48; None if the value has no unit."""
    found = _OF_FIGURE.match(low, part.end)
    of = read_figure(text, low, found.end(), part.end) if found else None
    if of is None or of.kind not in ("amount", "quantity") or of.value is None or of.high:
        return None
    value = _EXACTLY.plus(times(of.value, part.value))
    number = quotient(value, of.scale)
    return of._replace(
        start=part.start,
        text=text[part.start : of.end],
        value=value,
        number=number,
        key=plain(value),
        whole=of.value,
        ambiguous=(),
        shifts=(),
    )


def read_often(text: str, low: str, start: int, end: int, floor: int) -> Anchor | None:
    """Parse the "once" or "twice" at [start, end); None if it is no frequency."""
    word = low[start:end]
    if money.period_after(low, end) is None and (word != "twice" or money.COMPARED.match(low, end)):
        return None
    count = Numeral(start, end, Decimal(money.ADVERBS[word]), ONE, word=True)
    return _anchor(text, low, start, count, None, Measure("quantity", end, "time"), floor)


def _sides(text: str, low: str, start: int, floor: int) -> tuple[Anchor, ...]:
    """Parse sizes ("60 x 40 x 20 cm", "9x13"), each a figure in the last one's unit of length."""
    found = _SIDES.match(text, start)
    if found is None or (start > floor and text[start - 1] in money.SIGNS):
        return ()
    read = read_unit(text, found.end())
    unit, last = read if read and read[0].base == "m" else (None, found.end())
    sides: list[Anchor] = []
    for side in filter(found.group, (1, 2, 3)):
        begin, end = found.span(side)
        figure = read_numeral(found[side], found[side], 0)
        assert figure is not None  # the pattern asks for digits
        end = last if end == found.end() else end
        measure = Measure("quantity", end, *unit) if unit else Measure("number", end)
        sides.append(_anchor(text, low, begin, figure, None, measure, floor))
        floor = end
    return tuple(sides)


def _range(
    text: str, low: str, first: Numeral, measure: Measure, before: Currency | None, reach: int
) -> tuple[Numeral, Numeral | None, Measure]:
    """Parse the upper end after `first`, with the unit and magnitude that both ends share.

    Both ends are a range if they rise and have the same unit; a unit after the first only belongs
    to that one ("24 months – $99", "3 days – 10 users").
    """
    none, end = (first, None, measure), measure.end
    following = low[end + 1 : end + 2] if low[end : end + 1] == " " else low[end : end + 1]
    joined = _RANGE.match(low, end) if following in _RANGE_STARTS else None
    if joined is None:
        return none
    joint, start = joined[0].strip(), joined.end()
    if joint == "and" and not _BETWEEN.search(low, reach, first.start):
        return none
    # "rose by $5 to $20": the first value is how far it went.
    if joint == "to" and _BY.search(low, reach, first.start):
        return none
    again = _CURRENCY_AGAIN.match(text, start)
    last = read_numeral(text, low, again.end() if again else start, money=before is not None)
    # "5 - two of" is no range.
    if last is None or (last.word and joint == "-") or (again and before is None):
        return none
    shared = measure_at(text, low, last.end, before, last.start)
    common = shared if measure.kind == "number" else measure
    if (shared.unit, shared.factor) != (common.unit, common.factor):
        return none
    if last.exponent and not first.exponent:  # "5-10 million" has one magnitude
        lifted = scaled(first, last.exponent, first.end)
        first = lifted if lifted.value < last.value else first
    return (first, last, common._replace(end=shared.end)) if first.value < last.value else none


def _anchor(
    text: str,
    low: str,
    begin: int,
    first: Numeral,
    high: Numeral | None,
    measure: Measure,
    floor: int,
) -> Anchor:
    value = measure.convert(first.value)
    top = measure.convert(high.value) if high else None
    precision = HALF if first.place is ONE else times(first.place, HALF)
    if measure.factor is not ONE:
        precision = times(precision, measure.factor)
    bare, end = measure.kind == "number", measure.end
    period, each, once = None, None, None
    rate = None if measure.kind == "percent" else money.period_after(low, end)
    if rate and (not bare or rate[0] in money.PERIODS):  # "5 a head" is a rate of nothing named
        period, end, each = rate
    elif measure.kind == "amount":
        once = money.paid_once(low, begin, end)
        end = once or end
    approx = _is_hedged(low, begin, end, floor)
    if approx:
        precision = max(precision, times(half_of_last(first.value), measure.factor))
    label, named = None, None
    if bare and not first.word:
        label, named = label_of(text, low, begin, end, floor)
        parts, end = parts_of_law(label, low, end)
        if parts and top is None:
            return article_of(text, begin, end, label, plain(value), parts)
    noun = noun_of(low, end) if bare and label is None else None
    at = low.find(noun, end, end + _NOUN_REACH) if noun and period is None else -1
    if noun and at >= 0:  # "5 requests per hour"
        rate = money.period_after(low, at + len(noun))
        period = rate[0] if rate and rate[0] in money.PERIODS else None
    shifts: tuple[int, ...] = ()
    others: tuple[str, ...] = ()
    if first.shifts:
        shifts = _plausible(first, high, measure, noun)
        others = tuple(key_of(shifted(value, by), top and shifted(top, by)) for by in shifts)
    return Anchor(
        measure.kind,
        begin,
        end,
        text[begin:end],
        value,
        top,
        measure.unit,
        period,
        plain(value) if top is None else key_of(value, top),
        precision,
        approx,
        others,
        number=first.value,
        high_number=high.value if high else None,
        scale=measure.factor,
        rounded=first.rounded,
        family=measure.family,
        word=first.word,
        casual=first.word and bare and first.value <= _LARGEST_CASUAL,
        noun=noun,
        each=each,
        once=once is not None,
        exponent=first.exponent,
        label=label,
        shifts=shifts,
        named=named,
    )


def _plausible(
    first: Numeral, high: Numeral | None, measure: Measure, noun: str | None
) -> tuple[int, ...]:
    """Return the other plausible readings of a figure in its context, as powers of ten.

    Both ends of a range are read alike. Counts are whole, and currencies written with a decimal
    point have no decimal comma: "1,200 people", "$1,200".
    """
    if measure.offset or (high is not None and high.shifts != first.shifts):
        return ()
    is_english = noun is not None or measure.unit in money.POINT_DECIMALS
    return tuple(by for by in first.shifts if by > 0 or not is_english)


def _is_hedged(low: str, begin: int, end: int, floor: int) -> bool:
    if low.startswith(" or", end) and _APPROX_AFTER.match(low, end):
        return True
    hedge = low[max(floor, begin - _HEDGE_REACH) : begin]
    if hedge[-1:] in _HEDGE_SIGNS:
        return True
    could_be = hedge[hedge.rfind(" ", 0, -1) + 1 : -1] in _HEDGE_ENDS
    return could_be and _HEDGE.search(hedge) is not None
