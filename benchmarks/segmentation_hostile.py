"""Shapes that make a careless segmenter quadratic, and the slope of its cost on them."""

import math
import time
from collections.abc import Callable
from typing import Any

# Each is repeated to the wanted length.
SHAPES = {
    "no boundary": "some words without any end ",
    "one endless word": "a",
    "capitals": "A",
    "capital words": "Word ",
    "digits": "7",
    "dots": ".",
    "spaced dots": ". ",
    "twice spaced dots": ".  ",
    "dots after words": "word... ",
    "ellipses": "…",
    "exclamation marks": "!",
    "interrobangs": "?!",
    "spaces": " ",
    "tabs": "\t",
    "no-break spaces": "\u00a0",
    "newlines": "\n",
    "carriage returns and newlines": "\r\n",
    "line separators": "\u2028",
    "double quotes": '"',
    "quotes after a full stop": '."',
    "curly quotes": "“”",
    "apostrophes": "'",
    "opening brackets": "[",
    "closing brackets": "]",
    "full stop and open bracket": ". [",
    "full stop and endless bracket": ". [a ",
    "citations": ". [1]",
    "citations without end": ". [1] [2",
    "parentheses": "(",
    "sources without end": ". (Source: x ",
    "closing parentheses": ".)",
    "lenticular brackets": ".【",
    "list numbers": "1. ",
    "growing list in a line": "1) 2) ",
    "bullets": "• ",
    "dashes at line starts": "- \n",
    "headings": "# \n",
    "table cells": "| a. B ",
    "backticks": "`",
    "open code spans": "a ` b. ",
    "fences": "```\n",
    "tildes": "~",
    "asterisks": "*",
    "full stop and asterisks": ".*",
    "underscores": "_",
    "tags": ".<b>",
    "open tags": ".<",
    "initials": "A. ",
    "abbreviations": "e.g. ",
    "dotted abbreviation": "U.S.",
    "titles": "Dr. ",
    "urls": "http://a.b/c?d=e.f ",
    "endless url": "a.b/",
    "wide full stops": "。",
    "wide quotations": "。」と",
    "emoji": "😀",
    "emoji after full stops": ". 😀",
    "joined emoji": "👩\u200d",
    "combining marks": "e\u0301",
    "lone surrogates": "\ud83d",
    "zero-width spaces": ".\u200b",
    "superscripts": ".¹",
}


def cost_s(make: Callable[[], Any], text: str, size: int = 4) -> float:
    """Return the CPU seconds to feed `text` in pieces of `size` characters and close."""
    started = time.process_time()
    segmenter = make()
    # Cut on the way: a ready list of pieces would measure the cache that it does not fit into.
    for at in range(0, len(text), size):
        segmenter.feed(text[at : at + size])
    segmenter.close()
    return time.process_time() - started


def slope(make: Callable[[], Any], shape: str, short: int, long: int, repeats: int) -> float:
    """Return the exponent of cost over length between `short` and `long` characters.

    Best of `repeats`, taken in turns, for other work on the machine slows both lengths alike; the
    short text is fed as often as it takes to match the long one, or a clock tick would drown it.
    """
    texts = [(shape * (length // len(shape) + 1))[:length] for length in (short, long)]
    times = max(1, long // short)
    low = high = math.inf
    for _ in range(repeats):
        low = min(low, sum(cost_s(make, texts[0]) for _ in range(times)) / times)
        high = min(high, cost_s(make, texts[1]))
    return math.log(high / low) / math.log(long / short)
