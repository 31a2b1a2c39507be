"""Shapes that make a careless segmenter quadratic, and the slope of its cost on them."""

import math
import time
from collections.abc import Callable

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


def cost_s(make: Callable[[], object], text: str, size: int = 4) -> float:
    """Return the CPU seconds to feed `text` in pieces of `size` characters and close."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    started = time.process_time()
    segmenter = make()
    for piece in pieces:
        segmenter.feed(piece)
    segmenter.close()
    return time.process_time() - started


def slope(make: Callable[[], object], shape: str, short: int, long: int, repeats: int) -> float:
    """Return the exponent of cost over length between `short` and `long` characters.

    Best of `repeats` each; the short text is fed as often as it takes to match the long one's work,
    because a clock tick would otherwise drown it.
    """
    times = max(1, min(8, long // short))
    texts = [(shape * (length // len(shape) + 1))[:length] for length in (short, long)]
    low = min(sum(cost_s(make, texts[0]) for _ in range(times)) / times for _ in range(repeats))
    high = min(cost_s(make, texts[1]) for _ in range(repeats))
    return math.log(high / low) / math.log(long / short)
