"""Parses a judge's answer into a verdict per sentence, in any server's form.

Thoughts, fences and words around the JSON are skipped; of an answer that was cut off the complete
entries count. A verdict is believed only if its quotations stand in a passage and concern the
sentence, so that a passage or answer that instructs the judge gains nothing by that alone. Answers
to the prompt's first version, with `passage` and `quote`, are accepted too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streamguard.core.model.types import Quotation, Verdict, Word
from streamguard.core.sentence import Scope, Sentence
from streamguard.errors import DecodeError
from streamguard.text.patterns import lazy_re
from streamguard.verify.injection import is_injection
from streamguard.verify.judge_passages import cited, parts_for
from streamguard.verify.quotations import Place, QuotedPassages

MAX_CONTENT = (
    262_144  # characters of an answer that are read; guess, far above the length asked for
)
MAX_STARTS = 64  # brackets that turn out to begin no JSON; guess
MAX_QUOTATIONS = 8  # of a verdict; guess, a sum of that many figures
UNSAID = 0.5  # the confidence of a judge that gives none that can be read

_THOUGHTS = ("think", "thinking", "thought", "reasoning")  # tags that models think in
_START = lazy_re(r"[{\[]")
_NUMBER = lazy_re(r"[0-9]{1,6}")
_PERCENT = lazy_re(r"\s*([0-9]{1,3}(?:[.,][0-9]+)?)\s?(%|percent)?\s*")
_DECODER = json.JSONDecoder(strict=False)

_WORDS: dict[str, Word | None] = {
    "supported": "supported",
    "support": "supported",
    "entailed": "supported",
    "entailment": "supported",
    "supports": "supported",
    "contradicted": "contradicted",
    "contradiction": "contradicted",
    "contradicts": "contradicted",
    "contradictory": "contradicted",
    "refuted": "contradicted",
    "not mentioned": "not_mentioned",
    "notmentioned": "not_mentioned",
    "not supported": "not_mentioned",
    "unsupported": "not_mentioned",
    "neutral": "not_mentioned",
    "partially supported": "not_mentioned",
    "not found": "not_mentioned",
    "miscited": None,
}
_SURE = {
    "certain": 0.99,
    "very high": 0.97,
    "high": 0.9,
    "medium": 0.7,
    "moderate": 0.7,
    "low": 0.5,
    "very low": 0.3,
}
Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """A judge's verdict on each sentence, and the errors in its answer."""

    verdicts: Sequence[Verdict]
    errors: Sequence[str] = ()


def verdicts_in(content: str, sentences: Sequence[Sentence], scope: Scope) -> Sequence[Verdict]:
    """Return a judge's verdict on each sentence; see `read_answer`."""
    return read_answer(content, sentences, scope).verdicts


def read_answer(
    content: str, sentences: Sequence[Sentence], scope: Scope, *, is_cut: bool = False
) -> JudgeAnswer:
    """Return a judge's verdict on each sentence, an empty one for a missing sentence.

    `is_cut`: the server reports that it reached its length limit. Raises `DecodeError` for an
    answer in another form.
    """
    by_sentence = _by_sentence(entries_in(content), len(sentences))
    evidence = scope.evidence
    texts, labels = (evidence.texts, evidence.labels) if evidence is not None else ((), ())
    parts, is_partial = parts_for(sentences, scope)
    shown = _Shown(
        QuotedPassages(texts, labels, [part[:3] for part in parts]),
        is_cut=is_partial,
        is_instructed=_is_instructed(sentences, scope, [part.text for part in parts]),
    )
    verdicts = [
        _verdict(by_sentence.get(number, []), sentence, shown, cited(sentence, scope))
        for number, sentence in enumerate(sentences)
    ]
    errors = []
    missing = sum(number not in by_sentence for number in range(len(sentences)))
    if missing and is_cut:
        errors.append(f"its answer was cut off: {missing} of {len(sentences)} have no verdict")
    doubted = {one.message for one in verdicts if one.word is None and one.message is not None}
    if doubted and not any(one.word for one in verdicts):
        errors.append(f"it is not believed: {min(doubted)}")
    return JudgeAnswer(verdicts, errors)


@dataclass(frozen=True, slots=True)
class _Shown:
    """The passages that a judge was shown.

    `is_cut`: some were left out. `is_instructed`: a text instructs the judge.
    """

    passages: QuotedPassages
    is_cut: bool
    is_instructed: bool


def _is_instructed(sentences: Sequence[Sentence], scope: Scope, texts: Sequence[str]) -> bool:
    before = sentences[0].scope.earlier[-3:] if sentences else ()
    spoken = (scope.context.query or "", *(one.text for one in (*before, *sentences)))
    return any(map(is_injection, (*spoken, *texts)))


def entries_in(content: str) -> list[Entry]:
    """Return the entries of an answer; of one that was cut off, the complete ones.

    Raises `DecodeError` if there are none, except for an empty list.
    """
    found: list[Entry] = []
    for value in _values_in(_behind_thoughts(content[:MAX_CONTENT])):
        if isinstance(value, Mapping) and "verdict" in value:
            found.append(value)
        elif (entries := _listed(value)) or (entries is not None and not found):
            return entries
    if not found:
        raise DecodeError("the judge answered with no JSON of the form asked for")
    return found


def _behind_thoughts(text: str) -> str:
    """Return the text after the last thoughts; nothing if they do not end.

    Some servers omit the opening tag.
    """
    lowered = text.lower()
    ends = max((lowered.rfind(f"</{tag}>") for tag in _THOUGHTS), default=-1)
    if ends >= 0:
        return text[text.index(">", ends) + 1 :]
    begins = lowered.lstrip().startswith(tuple(f"<{tag}>" for tag in _THOUGHTS))
    return "" if begins else text


def _values_in(text: str) -> Iterator[Any]:
    """Yield the JSON objects and lists in a text, left to right; a broken one yields its parts.

    It stops after `MAX_STARTS` brackets that open none, so no text is parsed twice.
    """
    at = failed = 0
    while failed < MAX_STARTS and (start := _START.search(text, at)) is not None:
        try:
            value, at = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            failed += 1
            at = start.end()
        else:
            yield value


def _listed(value: Any) -> list[Entry] | None:
    """Return the entries of a complete answer, under any key; None if it has no list.

    `{"S1": {...}}` counts as a list too.
    """
    if isinstance(value, Mapping):
        if value and all(isinstance(one, Mapping) and "verdict" in one for one in value.values()):
            return [{"id": name, **one} for name, one in value.items()]
        lists = [one for one in value.values() if isinstance(one, list)]
        value = value.get("verdicts", lists[0] if len(lists) == 1 else None)
    if not isinstance(value, list):
        return None
    entries = [one for one in value if isinstance(one, Mapping) and "verdict" in one]
    return entries if entries or not value else None


def _by_sentence(entries: Sequence[Entry], count: int) -> dict[int, list[Entry]]:
    """Return the entries by sentence number, counted from 0.

    Unknown ids are replaced by the order, if there is one entry per sentence.
    """
    numbers = [_number(entry.get("id"), count) for entry in entries]
    if None in numbers and len(entries) == count:
        numbers = list(range(count))
    if entries and not any(number is not None for number in numbers):
        raise DecodeError(f"the judge named other sentences than S1 to S{count}")
    found: dict[int, list[Entry]] = {}
    for number, entry in zip(numbers, entries, strict=True):
        if number is not None:
            found.setdefault(number, []).append(entry)
    return found


def _number(id: object, count: int) -> int | None:
    number = id
    if isinstance(id, str):
        named = _NUMBER.findall(id)
        number = int(named[0]) if len(named) == 1 else None
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number - 1 if 1 <= number <= count else None


def _verdict(
    entries: Sequence[Entry], sentence: Sentence, shown: _Shown, cites: Sequence[int]
) -> Verdict:
    """Return the verdict in one sentence's entries; an empty one if they are not believed."""
    if not entries:
        return Verdict()
    words = {_word_in(entry) for entry in entries}
    if len(words) > 1:
        return Verdict(message="The judge gives two verdicts.")
    named, sure = words.pop(), min(_confidence(entry.get("confidence")) for entry in entries)
    if named not in _WORDS:
        return Verdict(message="The judge gives a verdict that is none.")
    word = _WORDS[named]
    if word == "not_mentioned":
        if shown.is_cut:
            return Verdict(message="Passages that the judge was not shown may say it.")
        message = "The passages do not say this."
        return Verdict(1 - sure, None, message, word=word, confidence=sure)
    quotes = [quote for entry in entries for quote in _quotes(entry)]
    places = _standing(quotes[:MAX_QUOTATIONS], shown.passages)
    if not places:
        why = "words that no passage holds" if quotes else "nothing"
        return Verdict(message=f"The judge quotes {why}.")
    places = [place for place in places if not shown.passages.is_injection(place)]
    if not places or (word == "supported" and shown.is_instructed):
        return Verdict(message="A text tells the judge what to say.")
    if not shown.passages.speak_of(places, sentence):
        return Verdict(message="The judge quotes words about something else.")
    return _believed(word, sure, places, shown.passages, cites)


def _believed(
    word: Word | None,
    sure: float,
    places: Sequence[Place],
    shown: QuotedPassages,
    cites: Sequence[int],
) -> Verdict:
    quotations = tuple(shown.quotation(place) for place in places)
    words = _for_people(places, quotations)
    if word is None:  # miscited
        if not cites or any(place.passage in cites for place in places):
            return Verdict(message="The judge quotes what it says is not cited.")
        message = f"The passage it cites does not say this. {words}"
        return Verdict(1 - sure, None, message, None, "not_mentioned", sure, quotations)
    more, less = sure, (1 - sure) / 2
    support, contradiction = (more, less) if word == "supported" else (less, more)
    return Verdict(support, contradiction, words, None, word, sure, quotations)


def _word_in(entry: Entry) -> str:
    verdict = entry.get("verdict")
    return " ".join(str(verdict).casefold().replace("_", " ").replace("-", " ").split())


def _confidence(value: object) -> float:
    """Return a confidence in [0, 1], read from a number, percentage or word; else `UNSAID`."""
    if isinstance(value, str):
        word = value.strip().casefold()
        number = _PERCENT.fullmatch(word)
        if number is None:
            return _SURE.get(word, UNSAID)
        value = float(number[1].replace(",", "."))
        if number[2]:
            value /= 100
    if not isinstance(value, int | float) or isinstance(value, bool):
        return UNSAID
    if 10 <= value <= 100:
        value /= 100
    return float(value) if 0 <= value <= 1 else UNSAID


def _quotes(entry: Entry) -> Iterator[tuple[str, int | None]]:
    """Yield an entry's quotations, each with the passage number it names, if any."""
    for name in ("quotes", "quote", "quotations", "quotation", "evidence"):
        quotes = entry.get(name)
        for quote in quotes if isinstance(quotes, list) else [quotes]:
            passage = entry.get("passage")
            if isinstance(quote, Mapping):
                passage = quote.get("passage", passage)
                quote = quote.get("quote", quote.get("text"))
            if isinstance(quote, str) and quote.strip():
                yield quote, _number(passage, 10**6)


def _standing(quotes: Sequence[tuple[str, int | None]], shown: QuotedPassages) -> list[Place]:
    """Return the places of the quotations that stand in a passage, each place once."""
    places = [place for quote, first in quotes for place in shown.find(quote, first)]
    return list(dict.fromkeys(places))[:MAX_QUOTATIONS]


def _for_people(places: Sequence[Place], quotations: Sequence[Quotation]) -> str:
    quoted: dict[int, list[str]] = {}
    for place, quotation in zip(places, quotations, strict=True):
        quoted.setdefault(place.passage, []).append(
            f"“{' '.join((quotation.value or '').split())}”"
        )
    each = [f"passage {number + 1} says: {', '.join(words)}" for number, words in quoted.items()]
    text = "; ".join(each)
    return text[0].upper() + text[1:]
