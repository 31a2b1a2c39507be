"""Edits that turn a supported sentence of real answers or passages into a conflict."""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from made_up.cases import Case, is_held_back, make

_MIN_WORDS, _MAX_WORDS = 6, 40
# The share of a clean answer sentence's longer words that its passages hold; below it the sentence
# says something of its own, and its twin would be no clean one. Guess.
_MIN_HELD = 0.75
_SENTENCE = re.compile(r"[A-Z][^.!?\n]*(?:[.](?=\S)[^.!?\n]*)*[.](?=\s|$)")
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b(?: [A-Z][a-z]{2,}\b)*")
DIGITS = r"\d{1,3}(?:,\d{3})*(?:\.\d+)?"
_NUMBER = re.compile(rf"(?<![\w.,-])(?<![Pp]assage )(?<![Ss]tep ){DIGITS}(?![\w-]|[.,]\d)")

Change = Callable[[re.Match[str], random.Random], str]


@dataclass(frozen=True, slots=True)
class Edit:
    """One surface form: where it can be made, and what then stands there."""

    kind: str
    form: str
    pattern: re.Pattern[str]
    change: Change


def swaps(kind: str, pairs: Iterable[str]) -> list[Edit]:
    """Return an edit each way for each "one/other" pair of words or phrases."""
    found = []
    for pair in pairs:
        one, other = pair.split("/")
        found += [_word(kind, one, other), _word(kind, other, one)]
    return found


def rewrites(kind: str, rules: Mapping[str, str]) -> list[Edit]:
    """Return an edit for each pattern and the text that replaces it (`\\1` refers to a group)."""
    return [
        Edit(kind, f"{pattern} > {text}", re.compile(rf"\b{pattern}"), _expand(text))
        for pattern, text in rules.items()
    ]


def _word(kind: str, one: str, other: str) -> Edit:
    def change(match: re.Match[str], _rng: random.Random) -> str:
        return other.capitalize() if match[0][0].isupper() else other

    pattern = re.compile(rf"\b{re.escape(one)}\b(?!['-])", re.IGNORECASE)
    return Edit(kind, f"{one} > {other}", pattern, change)


def _expand(text: str) -> Change:
    return lambda match, _rng: match.expand(text)


def another_number(match: re.Match[str], rng: random.Random) -> str:
    """Return the number times 1.2 to 3, or by as much less, in the same notation."""
    value = float(match[0].replace(",", ""))
    decimals = len(match[0].partition(".")[2])
    factor = rng.choice((0.4, 0.5, 0.7, 1.3, 1.5, 2.0, 3.0))
    changed = round(value * factor, decimals)
    changed = changed if changed != value else value + 1
    return f"{changed:,.{decimals}f}" if "," in match[0] else f"{changed:.{decimals}f}"


def another_year(match: re.Match[str], rng: random.Random) -> str:
    return str(int(match[0]) + rng.choice((-30, -11, -4, -2, 2, 3, 7, 12)))


def another_of(names: Sequence[str]) -> Change:
    def change(match: re.Match[str], rng: random.Random) -> str:
        return rng.choice([name for name in names if name.lower() != match[0].lower()])

    return change


@dataclass(frozen=True, slots=True)
class Supported:
    """A sentence that its passages support, as far as labels and words tell."""

    text: str
    chunks: tuple[str, ...]
    group: str


def supported(rows: Iterable[Mapping], *, held_back: bool) -> Iterator[Supported]:
    """Yield sentences of answers that are labelled clean, and of passages, of one part.

    The passages of a question are wholly in one part or the other.
    """
    for row in rows:
        chunks = tuple(c if isinstance(c, str) else c["text"] for c in row["chunks"])
        if row["hallucinated"] or is_held_back("".join(chunks)) != held_back:
            continue
        known = frozenset(_longer(" ".join(chunks)))
        for match in _SENTENCE.finditer(row["answer"]):
            words = _longer(match[0])
            held = sum(word in known for word in words)
            if _fits(match[0]) and words and held >= _MIN_HELD * len(words):
                yield Supported(match[0], chunks, "answers")


def _longer(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text) if len(word) > 3]


def _fits(sentence: str) -> bool:
    return _MIN_WORDS <= len(sentence.split()) <= _MAX_WORDS


def from_edits(
    sentences: Sequence[Supported], edits: Sequence[Edit], *, per_form: int, seed: int
) -> Iterator[Case]:
    """Yield up to `per_form` cases for each edit, each of another sentence."""
    for edit in edits:
        rng = random.Random(f"{seed} {edit.form}")
        order = rng.sample(range(len(sentences)), len(sentences))
        made, seen = 0, set()
        for number in order:
            sentence = sentences[number]
            match = edit.pattern.search(sentence.text)
            if match is None or sentence.text in seen:
                continue
            text = (
                sentence.text[: match.start()]
                + edit.change(match, rng)
                + sentence.text[match.end() :]
            )
            if text == sentence.text:
                continue
            seen.add(sentence.text)
            yield make(edit.kind, edit.form, "data", sentence.chunks, sentence.text, text)
            made += 1
            if made == per_form:
                break


def exchanged(
    sentences: Sequence[Supported], pattern: re.Pattern[str], kind: str, *, count: int, seed: int
) -> Iterator[Case]:
    """Yield up to `count` cases where two matches of one sentence change places."""
    rng = random.Random(f"{seed} {kind} exchanged")
    made, seen = 0, set()
    for number in rng.sample(range(len(sentences)), len(sentences)):
        sentence = sentences[number]
        found = list(pattern.finditer(sentence.text))
        if len(found) != 2 or found[0][0] == found[1][0] or sentence.text in seen:
            continue
        one, two = found
        between = sentence.text[one.end() : two.start()]
        # A range or a list says the same either way round.
        if len(between.split()) < 3 or re.fullmatch(r"[\s,]*(?:and|or|to|-)?[\s,]*", between):
            continue
        seen.add(sentence.text)
        text = sentence.text
        text = text[: one.start()] + two[0] + between + one[0] + text[two.end() :]
        yield make(kind, "exchanged in one sentence", "data", sentence.chunks, sentence.text, text)
        made += 1
        if made == count:
            return


def from_passages(
    sentences: Sequence[Supported], pattern: re.Pattern[str], kind: str, *, count: int, seed: int
) -> Iterator[Case]:
    """Yield up to `count` cases whose one match gives way to another one of the passages."""
    rng = random.Random(f"{seed} {kind} from the passages")
    made, seen = 0, set()
    for number in rng.sample(range(len(sentences)), len(sentences)):
        sentence = sentences[number]
        match = pattern.search(sentence.text)
        if match is None or sentence.text in seen or match[0] not in " ".join(sentence.chunks):
            continue
        words = set(_WORD.findall(sentence.text))
        others = {
            found[0]
            for chunk in sentence.chunks
            for found in pattern.finditer(chunk)
            if not set(_WORD.findall(found[0])) & words
        }
        if not others:
            continue
        seen.add(sentence.text)
        other = rng.choice(sorted(others))
        text = sentence.text[: match.start()] + other + sentence.text[match.end() :]
        yield make(kind, "another of the passages", "data", sentence.chunks, sentence.text, text)
        made += 1
        if made == count:
            return


NAME, NUMBER = _NAME, _NUMBER
