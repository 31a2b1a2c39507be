"""Sentences in another language than the question's."""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.context import Question
from streamguard.core.model.types import Finding
from streamguard.core.sentence import Scope, Sentence
from streamguard.text.languages import MAX_READ, language_of
from streamguard.text.patterns import lazy_re

_LEAST_WORDS = 5  # of a sentence whose language counts; guess
_LEAST_LETTERS = 8  # of one in a script that may have no blanks: as much as five words say; guess
# Quotations and code may be in any language: the rest of the sentence counts.
_QUOTED = lazy_re(
    r"\"[^\"\n]{1,500}\"|“[^”\n]{1,500}”|«[^»\n]{1,500}»|「[^」\n]{1,500}」|`[^`\n]{1,500}`"
)
_ADDRESS = lazy_re(r"(?i)(?:https?://|www\.)\S{1,2000}")
# A question about another language, or for a translation, is answered in both.
_OF_LANGUAGES = lazy_re(
    r"(?i)\b(?:translat|übersetz|tradui|traduc|traduz|tradur|vertaal|przetłumacz)"
    r"|\b(?:english|german|french|spanish|italian|dutch|portuguese|japanese|chinese|korean|russian"
    r"|greek|arabic|hebrew|hindi|thai|polish|swedish|danish|norwegian|czech|turkish|latin"
    r"|(?:engl|französ|span|ital(?:ien)|russ|japan|chines|poln|schwed|dän|griech|türk|tschech)isch\w{0,2}"
    r"|deutsch\w{0,2}|anglais|allemand|français|espagnol|italien|inglés|alemán|francés|español"
    r"|inglese|tedesco|francese|spagnolo|engels|duits|frans|spaans|inglês|alemão|espanhol)\b"
    r"|английск|немецк|французск|перевед|英語|ドイツ語|フランス語|訳して|翻译|英文|德语"
)
NAMED = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
    "sv": "Swedish",
    "da": "Danish or Norwegian",
    "pl": "Polish",
    "cs": "Czech",
    "ro": "Romanian",
    "hu": "Hungarian",
    "fi": "Finnish",
    "tr": "Turkish",
    "ja": "Japanese",
    "zh": "Chinese",
    "ko": "Korean",
    "ru": "Cyrillic letters",
    "el": "Greek",
    "ar": "Arabic letters",
    "he": "Hebrew",
    "hi": "Devanagari letters",
    "th": "Thai",
}


class OtherLanguage:
    """A check for one answer: flags sentences in another language than its question's.

    Code, quotations, addresses and short sentences are passed over, and so is every sentence
    where the question is about a language or asks for a translation. There is no finding where
    the language of the question or of the sentence cannot be told.
    """

    __name__ = "language"

    def __init__(self) -> None:
        self._question: Question | None = None
        self._asked: str | None = None

    def __call__(self, sentence: Sentence, scope: Scope) -> Iterator[Finding]:
        """Yield a finding for a sentence in another language."""
        if sentence.kind == "code":
            return
        own = _ADDRESS.sub(" ", _QUOTED.sub(" ", sentence.folded.text))
        if not _is_long(own) or (asked := self._language_of(scope.question)) is None:
            return
        found = language_of(own, asked)
        if found is not None and found != asked:
            message = f"The question is in {NAMED[asked]}, this sentence in {NAMED[found]}."
            yield sentence.finding("other_language", check="language", message=message)

    def _language_of(self, question: Question) -> str | None:
        """Return the language to answer in, None if any will do; it is read once an answer."""
        if self._question is not question:
            text = question.text[:MAX_READ]
            self._question = question
            self._asked = None if _OF_LANGUAGES.search(text) else language_of(text)
        return self._asked


def _is_long(text: str) -> bool:
    """Return whether the text has enough words, or in another script than Latin enough letters."""
    if len(text.split()) >= _LEAST_WORDS:
        return True
    return sum(each > "\u0370" and each.isalpha() for each in text) >= _LEAST_LETTERS
