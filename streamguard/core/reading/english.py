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
# So many small words of English alone show it, and so many more for each word against it.
_PLAINLY, _AGAINST = 2, 4
_SAMPLE = 1_200  # characters of the passages from which their language is read
_LEAST_PART = 200  # of each passage


class Tongues:
    """Finds the language of an answer's sentences, one after the other.

    A sentence that is too short or mixed has the language of the last clear one, else that of the
    question, else that of the passages. `declared`, a tag of BCP 47, replaces all of these.
    """

    def __init__(self, declared: str | None, question: str, of_passages: str | None) -> None:
        self._declared = None if declared is None else declared.lower().partition("-")[0]
        self._question, self._of_passages = question, of_passages
        self._last: str | None = None

    def other_than_english(self, text: str) -> str | None:
        """Return the language that keeps the next sentence from being judged in full, or None.

        That is its own language or, for an English sentence, that of the passages.
        """
        if self._declared is not None:
            return None if self._declared == ENGLISH else self._declared
        of_passages = self._of_passages
        clear = clear_language(text) or self._last
        self._last = clear or clear_language(self._question) or of_passages
        language = self._last or ENGLISH
        if language != ENGLISH:
            return language
        return None if of_passages == ENGLISH else of_passages


def clear_language(text: str) -> str | None:
    """Return the language of a text, None if it is not clear; clear English is fast."""
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
    return clear_language(sample) or clear_language(
        " ".join(text[:MAX_READ] for text in texts[:20])
    )
