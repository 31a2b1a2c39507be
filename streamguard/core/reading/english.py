"""Which sentences are judged in full: English ones over English passages.

Of every sentence values, identifiers, citations and quotations are compared. Names by their
capitals, refusals by phrases, a sentence's role, the share of its words in the passages, and the
learned scores hold for English alone (`docs/accuracy.md`).
"""

from __future__ import annotations

from collections.abc import Sequence

from streamguard.text.languages import MAX_READ, SMALL_WORDS, language_of

ENGLISH = "en"
_OTHERS = frozenset[str]().union(*(SMALL_WORDS[one] for one in SMALL_WORDS if one != ENGLISH))
_ENGLISH_ALONE = SMALL_WORDS[ENGLISH] - _OTHERS
# Single letters are names, units and what apostrophes leave.
_OTHERS_ALONE = frozenset(word for word in _OTHERS - SMALL_WORDS[ENGLISH] if len(word) > 1)
# Small words of English alone that tell it: so many, and so many more for each word against it.
_PLAINLY, _AGAINST = 2, 4
_SAMPLE = 1_200  # characters of the passages that tell their language
_LEAST_PART = 200  # of each passage


class Tongues:
    """Tells of an answer's sentences, one after the other, in which language they are compared.

    A sentence that is too short or mixed has that of the last one that was clear, else that of the
    question, else that of the passages. `declared` is the application's word for all of it, a tag
    of BCP 47; then nothing is read.
    """

    def __init__(self, declared: str | None, question: str, of_passages: str | None) -> None:
        self._declared = None if declared is None else declared.lower().partition("-")[0]
        self._question, self._of_passages = question, of_passages
        self._last: str | None = None

    def other_than_english(self, text: str) -> str | None:
        """Return the language that keeps the next sentence from being judged in full, or None.

        That is the sentence's own, and of an English sentence that of its passages.
        """
        if self._declared is not None:
            return None if self._declared == ENGLISH else self._declared
        of_passages = self._of_passages
        self._last = told(text) or self._last or told(self._question) or of_passages
        language = self._last or ENGLISH
        if language != ENGLISH:
            return language
        return None if of_passages == ENGLISH else of_passages


def told(text: str) -> str | None:
    """Return the language of a text, None if it is not clear; English is told at a glance."""
    words = set(text[:MAX_READ].lower().split())
    if len(words & _ENGLISH_ALONE) >= _PLAINLY + _AGAINST * len(words & _OTHERS_ALONE):
        return ENGLISH
    return language_of(text)


def language_of_passages(texts: Sequence[str]) -> str | None:
    """Return the language of most of the passages' words, None if it is not clear."""
    if not texts:
        return None
    part = max(_LEAST_PART, _SAMPLE // len(texts))
    sample = " ".join(text[:part] for text in texts[: _SAMPLE // _LEAST_PART])
    return told(sample) or told(" ".join(text[:MAX_READ] for text in texts[:20]))
