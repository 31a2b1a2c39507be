"""What a made-up conflict is, and which sources are held back."""

import hashlib
import re
from dataclasses import dataclass

HELD_BACK_SHARE = 3  # every third source, by its digest, is held back

KINDS = (
    "value_owner",
    "unit_or_period",
    "negation",
    "direction_or_antonym",
    "entity_swap",
    "role_swap",
    "date_shift",
    "number_change",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence that contradicts its passages, and the same sentence without the conflict.

    `start` and `end` are half-open code point offsets of what was changed, in `answer`. `form`
    names the surface form; `made_from` is "written" or "data".
    """

    kind: str
    form: str
    made_from: str
    chunks: tuple[str, ...]
    clean: str
    answer: str
    start: int
    end: int


def make(
    kind: str, form: str, made_from: str, chunks: tuple[str, ...], clean: str, answer: str
) -> Case:
    """Return the case; the span runs from the first word that differs to the last."""
    start, end = changed(clean, answer)
    return Case(kind, form, made_from, chunks, clean, answer, start, end)


def is_held_back(source: str) -> bool:
    """Say whether the source text belongs to the held-back third."""
    return hashlib.sha256(source.encode()).digest()[0] % HELD_BACK_SHARE == 0


def changed(clean: str, answer: str) -> tuple[int, int]:
    """Return the span in `answer` that differs from `clean`, widened to whole words."""
    if clean == answer:
        raise ValueError(f"nothing was changed: {clean}")
    least = min(len(clean), len(answer))
    start = next((n for n in range(least) if clean[n] != answer[n]), least)
    tail = next((n for n in range(least - start) if clean[-1 - n] != answer[-1 - n]), least - start)
    end = len(answer) - tail
    words = [word.span() for word in re.finditer(r"\S+", answer)]
    # Where words were only taken out, the word behind the gap stands for them.
    touched = [(a, b) for a, b in words if b >= start and a < max(end, start + 1)] or words[-1:]
    return touched[0][0], touched[-1][1]


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
