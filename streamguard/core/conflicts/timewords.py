"""Months, weekdays and periods: values of a text that are no anchors by themselves."""

from __future__ import annotations

_MONTHS = """january february march april may june july august september october november
    december""".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
CALENDAR = {
    **{month: ("month", number) for number, month in enumerate(_MONTHS, 1)},
    **{day: ("weekday", number) for number, day in enumerate(_WEEKDAYS, 1)},
    **{f"{day}s": ("weekday", number) for number, day in enumerate(_WEEKDAYS, 1)},
}
PERIOD_OF = {
    word: number
    for number, words in enumerate(
        (
            "hour hourly",
            "day daily",
            "night nightly",
            "week weekly",
            "month monthly",
            "quarter quarterly",
            "year yearly annually",
        )
    )
    for word in words.split()
}
# Words of values that are no anchors; a period that is no adverb stands behind an `EACH`.
DAYS_AND_MONTHS = frozenset(CALENDAR)
PERIODS = frozenset(PERIOD_OF)
PERIODS_ALONE = frozenset(word for word in PERIOD_OF if word.endswith("ly"))
EACH = frozenset(["per", "each", "every"])
