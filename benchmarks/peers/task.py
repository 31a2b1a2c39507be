"""What every wrapper is given: the same tokens, and the same three checks in plain Python.

The checks are a refusal phrase, a price that no passage holds and a capitalised name that no
passage holds. A peer runs them wherever it lets a user's own check run. No import from this
project: the module is also run where it is not installed.
"""

import re

CONTEXT = (
    "The Basic plan of Harbour Cloud costs $49 per month and includes one seat. "
    "The Pro plan costs $99 per month and includes five seats. Refunds are paid within 14 days. "
    "Jane Miller leads the billing team and approves every refund above $500."
)
_SENTENCES = (
    "The Basic plan costs $49 per month and includes one seat for the person who signs up. ",
    "Refunds are paid within 14 days, and Jane Miller approves every refund above $500. ",
    "You can change the plan at any time, and the difference is settled with the next bill. ",
    "The Pro plan includes five seats, which is enough for a small team that shares its files. ",
    "A day pass costs $15, as Marcus Bellweather wrote in the notes of the last release. ",
    "Please keep the number of the order at hand, because the team asks for it first. ",
)
_TOKEN = re.compile(r" ?[^\W_]{1,6}| ?\S|\s+")
REFUSALS = (
    "i cannot answer", "i can't answer", "i don't have enough information", "i do not know",
    "not mentioned in the", "no information", "unable to answer", "i'm sorry, but",
    "the documents do not", "is not provided", "cannot be determined", "i am not able to",
)  # fmt: skip
_PRICE = re.compile(r"\$\d+(?:,\d{3})*(?:\.\d{2})?")
_NAME = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b")
PRICES, NAMES = frozenset(_PRICE.findall(CONTEXT)), frozenset(_NAME.findall(CONTEXT))


def tokens(count: int) -> list[str]:
    """Return `count` tokens of four characters or so, the same ones each time."""
    found: list[str] = []
    while len(found) < count:
        for sentence in _SENTENCES:
            found += _TOKEN.findall(sentence)
    return found[:count]


def check(text: str) -> list[str]:
    """Return what the three checks find in a text."""
    low = text.lower()
    found = [phrase for phrase in REFUSALS if phrase in low]
    if "$" in text:
        found += [price for price in _PRICE.findall(text) if price not in PRICES]
    return found + [name for name in _NAME.findall(text) if name not in NAMES]
