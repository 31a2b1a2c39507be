"""How long one turn of an event loop is at most, and what a character costs, on hostile texts.

    python benchmarks/bench_turns.py [--shape WORD] [--context WORD] [--answer 6000] [--asked 15000]
        [--held 6000] [--repeats 2] [--all]

Every shape of `text_growth` and those below is an answer, examined as the shells do it, in each
context: none, two plain passages, passages of the same shape, a question of the same shape, both.
One line for each that breaks a bound, and one for the worst of each context: the longest turn in
milliseconds (the least of the repeats, the turn's whole CPU time, the collector's included), the
mean cost of a character of answer, question and passages in microseconds. `--all` prints all.
Asked for: 5 ms and 20 us.
"""

import argparse
import gc
import platform
from collections.abc import Iterator
from time import process_time_ns

import text_growth

from streamguard.core.context import Context
from streamguard.core.index.blocks import REMEMBERED
from streamguard.core.model.policy import Policy
from streamguard.examiner import Examiner

# Shapes that made a turn long, beside those that made a reader slow; each holds its own kinds of
# values and names, so that a passage of the same shape holds all of an answer's.
SHAPES = {
    **text_growth.SHAPES,
    "prices and slashes": "$1 / $1 / ",
    "listed prices": "$1, $2, $3, $5, $8, $13, $21, $34, $55, $89, ",
    "counting": "".join(f"{n}, " for n in range(1, 2_000)),
    "counted things": "".join(f"{n} apples and {n + 7} pears, " for n in range(1, 400)),
    "counting dates": "".join(f"{n % 28 + 1} May {1900 + n}, " for n in range(400)),
    "counting times": "".join(f"{n % 24}:{n % 60:02} h, " for n in range(400)),
    "counting amounts": "".join(f"${n}.{n % 100:02} per month, " for n in range(400)),
    "counting ranges": "".join(f"{n}-{n + 3} km, " for n in range(400)),
    "rounded": "".join(f"about {n}.5 million, " for n in range(400)),
    "versions": "".join(f"v{n}.{n + 1}.2, " for n in range(400)),
    "many names": "".join(f"Anna{n} Lopez{n}, Ibm{n}X, " for n in range(300)).replace("0", "o"),
    "letters for names": "".join(f"A{chr(97 + n % 26)}{chr(97 + n // 26)} " for n in range(676)),
    "acronyms": "".join(f"{chr(65 + n % 26)}{chr(65 + n // 26)}X, " for n in range(676)),
    "many words": "".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26)} " for n in range(676)),
    "negations": "no, not and never, ",
    "clauses": "it is not, it may be, ",
    "cells": "| 1 | 2 | 3 ",
    "row": "|1" * 200 + "|\n",
    "word cells": "| ab | cd | ef ",
    "short sentences": "It is $1. ",
    "short lines": "- $1\n",
    "quotation": 'He said "it is $1" and ',
    "denials": "I cannot say that the document does not mention it and ",
    "talk": "according to the passages, it is important to note that ",
    "tags of two": "[C1, C2] ",
    "tag ranges": "[C1-C9] ",
    "cited values": "$1 [C1], $2 [C2], ",
    "verbs": "it costs it includes it holds it ",
    "joined marks": "a\u0301\u0302\u0303",
    "wide forms": "ｗｉｄｅ ",
    "half-width marks": "ﾊﾞ",
    "ligatures": "ﬁﬂ ",
}
ASKED_MS, ASKED_US = 5.0, 20.0
PIECE_CHARS = 64


def contexts(
    shape: str, asked: int, held: int
) -> Iterator[tuple[str, str | None, list[str] | None]]:
    """Yield what is asked and held beside an answer of a shape, by name."""
    same = [text_growth.sized(shape, held // 3)] * 3
    question = text_growth.sized(shape, asked)
    plain = list(text_growth.CHUNKS)
    yield "no context", None, None
    yield "plain", "What does Basic cost?", plain
    yield "same passages", "What does Basic cost?", same
    yield "same question", question, plain
    yield "same question and passages", question, same


def turns(answer: str, query: str | None, chunks: list[str] | None) -> list[float]:
    """Return the CPU milliseconds of every turn that examining takes, in order."""
    spent: list[float] = []

    def timed(function, *args):
        began = process_time_ns()
        found = function(*args)
        spent.append((process_time_ns() - began) / 1e6)
        return found

    REMEMBERED.clear()  # each context is the first one with its passages
    context = timed(lambda: Context(query=query, chunks=chunks, citations_requested=True))
    examiner = timed(Examiner, "0" * 32, context, Policy())
    for at in range(0, len(answer), PIECE_CHARS):
        examiner.take(0, [answer[at : at + PIECE_CHARS]])
        if examiner.due:
            timed(examiner.turn)
    while examiner.due:
        timed(examiner.turn)
    while not timed(examiner.close_turn):
        pass
    timed(examiner.close, "complete")
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--shape", default="", help="take the shapes with this word in their name")
    parser.add_argument("--context", default="", help="take the contexts with this word in theirs")
    parser.add_argument("--answer", type=int, default=6_000, help="characters of the answer")
    parser.add_argument("--asked", type=int, default=15_000, help="of a question of its shape")
    parser.add_argument("--held", type=int, default=6_000, help="of passages of its shape")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--all", action="store_true", help="print every line")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}, {len(SHAPES)} shapes")
    gc.freeze()  # what was imported: a collection of all of it takes tens of milliseconds
    worst: dict[str, tuple[float, str, float, str]] = {}
    count = broken = 0
    for label, shape in SHAPES.items():
        if options.shape not in label:
            continue
        answer = text_growth.sized(shape, options.answer)
        for name, query, chunks in contexts(shape, options.asked, options.held):
            if options.context not in name:
                continue
            runs = []
            for _ in range(options.repeats):
                gc.collect()
                runs.append(turns(answer, query, chunks))
            longest = min(map(max, runs))
            chars = len(answer) + len(query or "") + sum(map(len, chunks or ()))
            per_char = min(map(sum, runs)) * 1_000 / chars
            breaks = longest > ASKED_MS or per_char > ASKED_US
            count, broken = count + 1, broken + breaks
            if breaks or options.all:
                where = max(range(len(runs[-1])), key=runs[-1].__getitem__)
                said = f"{longest:9.2f} ms {per_char:8.2f} us/char"
                print(f"{label:<32}{name:<28}{said}  turn {where} of {len(runs[-1])}", flush=True)
            ms, at_ms, us, at_us = worst.get(name, (0.0, "", 0.0, ""))
            if longest > ms:
                ms, at_ms = longest, label
            if per_char > us:
                us, at_us = per_char, label
            worst[name] = ms, at_ms, us, at_us
    for name, (ms, at_ms, us, at_us) in worst.items():
        print(f"worst {name:<28}{ms:9.2f} ms {at_ms:<28}{us:8.2f} us/char {at_us}")
    print(f"{broken} of {count} over {ASKED_MS:g} ms or {ASKED_US:g} us per character")


if __name__ == "__main__":
    main()
