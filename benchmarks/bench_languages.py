"""Other languages than English: which sentences are accused, and which planted values found.

    python benchmarks/bench_languages.py --data DIR [--every N]

DIR holds `exercises_dev.jsonl`. Every right sentence is judged behind the right ones before it, and
so is each with one number of its passages replaced by a near one (`planted.py`; commas and points
change places for German, French, Spanish and Italian). Every Nth English context is asked the same.
"""

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from planted import SEED, figures_in, near_numbers, numbers_of, written
from scores.exercises import share
from scores.sentences import Answered, Asked, ask

from streamguard import Context, check_text

_SWAPPED = str.maketrans(",.", ".,")
# What makes a number behind it or before it a day, a time or half of a longer number.
_NO_NUMBER = re.compile(
    r"[.,]?\s?(?:Uhr|h\b|heures|horas|ore\b|º|ª|°|er\b|[.,] [A-ZÄÖÜ]|\d{3}\b)"
    r"|[.,]? (?:de )?(?:jan|f[eéè]|m[aä]r|apr|av|abr|ma[iyg]|[jg]u[nil]|juil|a[uo][gûu]|sep|set"
    r"|o[kct]t|nov|d[eéi][czc]|ene|gen|lug)",
    re.IGNORECASE,
)
_SPACED = re.compile(r"\d[ \u00a0\u202f]$")


def swapped(text: str, language: str) -> str:
    """Return a text with its commas and points as in English, of the same length."""
    return text if language == "en" else text.translate(_SWAPPED)


def asked(row: dict) -> Iterator[tuple[str, Asked]]:
    """Yield "right" or "planted", and the sentence to be judged."""
    language, chunks = row["language"], tuple(chunk["text"] for chunk in row["chunks"])
    held = set().union(*(numbers_of(swapped(chunk, language)) for chunk in chunks))
    for number, question in enumerate(row["questions"]):
        answer = [one["right"] for one in question["sentences"]]
        told = swapped(" ".join([question["question"], *answer]), language)
        taken = held | numbers_of(told)
        for at, text in enumerate(answer):
            before = tuple(answer[:at])
            yield "right", Asked(question["question"], chunks, before, text)
            rng = random.Random(f"{SEED}:{row['id']}:{number}:{at}")
            english = swapped(text, language)
            known = [one for one in figures_in(english) if one.number in held]
            if language != "en":
                known = [one for one in known if is_number(text, one.start, one.end)]
            if not known:
                continue
            one = rng.choice(known)
            form = english[one.start : one.end]
            if numbers := near_numbers(form, taken):
                new = written(form, rng.choice(numbers)).translate(
                    _SWAPPED if language != "en" else {}
                )
                planted = text[: one.start] + new + text[one.end :]
                span = (one.start, one.start + len(new))
                yield "planted", Asked(question["question"], chunks, before, planted, span)


def is_number(text: str, start: int, end: int) -> bool:
    """Say whether the figure is a number by itself in the four languages."""
    return not (_NO_NUMBER.match(text, end) or _SPACED.search(text[:start]))


def statuses(row: dict) -> Iterator[str]:
    """Yield the status of each right answer; "language" where it is None for that reason."""
    context = [chunk["text"] for chunk in row["chunks"]]
    for question in row["questions"]:
        text = " ".join(one["right"] for one in question["sentences"])
        result = check_text(text, context=Context(question["question"], context))
        codes = [reason.code for reason in result.reasons]
        yield result.status or codes[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of exercises_dev.jsonl")
    parser.add_argument("--every", type=int, default=5, help="of the English contexts, every Nth")
    args = parser.parse_args()
    lines = (args.data / "exercises_dev.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    english = [row for row in rows if row["language"] == "en"][:: args.every]
    rows = [row for row in rows if row["language"] != "en"] + english
    said: dict[tuple[str, str], list[Answered]] = defaultdict(list)
    given = [(row["language"], *one) for row in rows for one in asked(row)]
    for (language, kind, _), answer in zip(given, ask([one[2] for one in given]), strict=True):
        said[language, kind].append(answer)
        if language != "en":
            said["not en", kind].append(answer)
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        verdicts[row["language"]].update(statuses(row))
    for language in ("en", "not en", *sorted(verdicts.keys() - {"en"})):
        print(f"{language}: right sentences with a warning", end=" ")
        print(share(one.warned for one in said[language, "right"]), end="; ")
        print("planted values warned of", end=" ")
        print(share(one.warned_at_value for one in said[language, "planted"]))
        if language in verdicts:
            print(f"  right answers: {dict(verdicts[language].most_common())}")


if __name__ == "__main__":
    main()
