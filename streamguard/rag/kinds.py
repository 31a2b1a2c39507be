"""The kinds of thing that a question asks for, and how a text states one."""

from __future__ import annotations

import re

from streamguard.text.patterns import lazy_re

_NUMBER_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty"
    "|sixty|hundred|thousand|million|half|third|quarter|tenth|dozen"
)
_NUMBER = rf"\d|\b(?:{_NUMBER_WORDS}|once|twice|none|nobody|unlimited)\b"
_SPELL = r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|nights?|evenings?|mornings?)\b"
_CLOCK = r"\d{1,2}[:.]\d\d|\d\s?[ap]\.?m\b"
_MOMENT = (
    rf"{_CLOCK}|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b\d{{4}}\b"
    r"|\b(?:noon|midnight|midday|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|christmas|easter|before|after|until|once|daily|weekly|monthly|yearly|every|each|always"
    rf"|weekdays?|weekends?)\b|{_SPELL}"
)
# In front of a unit: a number or a range, and one word between: "two full hours", "5–7 m".
_OF = (
    rf"\b(?:\d[\d.,]{{0,12}}|an?|{_NUMBER_WORDS})(?:\s?(?:[-–]|to)\s?\d[\d.,]{{0,12}})?"
    r"[\s-]{0,2}(?:[a-z]{1,15} )?"
)
_LENGTH = (
    rf"{_OF}(?:(?:m|cm|mm|km|ft|feet|foot|inch|inches|(?:centi|milli|kilo)?met(?:re|er)s?|miles?"
    r"|yards?|stor(?:e?y|ies)|floors?)\b|['\"′″])"
)
_DURATION = (
    rf"{_OF}(?:{_SPELL}|(?:mins?|hrs?|h|fortnights?|weekends?|terms?|seasons?|semesters?)\b)"
    rf"|{_CLOCK}|{_SPELL}"
    r"|\b(?:until|overnight|midnight|noon|lifetime|permanent(?:ly)?|forever|always)\b"
)
SIGNED_SUM = r"[$€£¥]\s?\d|\d\s?(?:[$€£¥]|(?:cents?|p|pence|GBP|EUR|USD|CHF)\b)"
_SUM = rf"{SIGNED_SUM}|\d\s?(?:dollars?|pounds?|euros?)\b"
_BEGIN = r"^\W*(?:(?:and|but|so|ok|okay|hi|hello|please|by|from|since|until|on)\b\W*)*"


def _told(source: str) -> re.Pattern[str]:
    return lazy_re(source, re.IGNORECASE)


# What asks for a kind, and what states it; the first that fits. A sum is asked for by the words of
# money, "how much" by itself may mean leave. What somebody is paid is a sum for a time, or beside a
# word of wages: customers pay, too. Adjectives of one dimension ask for its units: any figure would
# answer "How loud is it?".
KINDS = (
    (
        _told(
            r"\b(?:how much|what(?! (?:day|date|time)s?\b))\b.{0,60}"
            r"\b(?:earns?|wages?|salar(?:y|ies)|paid\b(?! (?:back|for|by|in)\b))"
        ),
        _told(
            rf"(?:{_SUM}).{{0,40}}\b(?:an?|per|each|every)\s(?:hour|week|month|year|shift|day)\b"
            rf"|\b(?:salar|wage|earn|paid).{{0,60}}(?:{_SUM})|(?:{_SUM}).{{0,60}}\b(?:salar|wage)"
        ),
    ),
    (
        _told(
            r"\b(?:how much|what(?:'s| is| are| do| does| did| will)?|which)\b.{0,60}\b(?:costs?"
            r"|prices?|fees?|charges?|rent|rate)\b"
        ),
        _told(rf"{_SUM}|\bfree\b|\bcharge\b|\d\s?(?:%|percent\b)"),
    ),
    (
        _told(rf"{_BEGIN}(?:who(?:'s|se)?|whom)\b(?! (?:do|can|should|must|may|could|would)\b)"),
        lazy_re(r"\b(?:Mr|Mrs|Ms|Dr|Prof)\b|(?<=[\w,;:] )[A-Z][a-z]+|\b[A-Z][a-z]+ [A-Z][a-z]+"),
    ),
    (
        _told(
            rf"{_BEGIN}(?:when|(?:at |by )?what time|(?:at |on )?(?:what|which)"
            r" (?:date|day|night|evening|morning|afternoon|month|season)s?)\b"
        ),
        _told(_MOMENT),
    ),
    (_told(r"\bhow heavy\b"), _told(rf"{_OF}(?:kg|kilos?|g|lbs?|pounds?|tons?|tonnes?|stone)\b")),
    (_told(r"\bhow (?:loud|noisy)\b"), _told(rf"{_OF}(?:dB|decibels?)\b")),
    (_told(r"\bhow (?:hot|cold|warm)\b"), _told(rf"{_OF}(?:°|degrees?\b|[CF]\b)")),
    (
        _told(r"\bhow (?:fast|quickly)\b"),
        _told(rf"{_OF}(?:mph|km/h|kph|knots?|(?:miles|km) an hour)\b|{_DURATION}"),
    ),
    (
        _told(r"\bhow (?:tall|high|deep|wide|thick|far)\b(?! in advance)"),
        _told(_LENGTH),
    ),
    (_told(r"\bhow long\b"), _told(rf"{_DURATION}|{_LENGTH}")),
    (
        _told(r"\bhow (?:late|early|soon|often|frequently)\b"),
        _told(rf"{_NUMBER}|{_MOMENT}"),
    ),
    (
        _told(r"\bhow (?:much|many|old|young|big|large|small|low|far|strong|wet|expensive)\b"),
        _told(rf"{_NUMBER}|\bfree\b|\bno charge\b"),
    ),
)
