"""One answer for storage: its annotation and further facts, also encoded as bytes."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation
from streamguard.core.packs.masking import masked
from streamguard.text.normalise import fold, scalar_text
from streamguard.text.patterns import lazy_re
from streamguard.text.words import STOP_WORDS, singular, words_in

MAX_KEYWORDS = 8  # of a question; guess
MAX_QUESTION_CHARS = 2_000
_SHORTEST, _LONGEST = 3, 40  # letters of a keyword
# Thai to Burmese, Khmer, Kana and Han: scripts that are written without blanks between words.
_UNSPACED = lazy_re(
    "[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
# Words of a question about asking, not about its subject.
_ASKING = frozenset(
    "tell explain describe show give know find please want need help say list mean get use".split()
)
_MOST_POLICIES = 64  # whose hashes are kept; guess, above what one server serves


@dataclass(frozen=True, slots=True)
class About:
    """Facts about an answer that its annotation lacks.

    `created_ms`: milliseconds since 1970 in UTC. `keywords` of the question are always stored, the
    `question` itself and `sentences` (choice, position, words) only where text is stored. Delays
    are in milliseconds, None if not measured.
    """

    created_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    model: str = ""
    collection: str = ""
    policy_hash: str = ""
    keywords: Sequence[str] = ()
    question: str | None = None
    sentences: Sequence[tuple[int, int, str]] = ()
    request_ms: float | None = None
    longest_ms: float | None = None
    tail_ms: float | None = None
    duration_ms: float | None = None

    def without_text(self) -> About:
        """Return a copy without question and sentences."""
        return replace(self, question=None, sentences=())


class Examined(Protocol):
    """An examined answer: its context, if known, its policy, and its text, if kept."""

    policy: Policy

    @property
    def kept_text(self) -> Mapping[int, Sequence[str]] | None:
        """The pieces of its text, per choice; None if not kept."""

    @property
    def known_context(self) -> Context | None:
        """The context, None while it is still coming."""


def about_answer(annotation: Annotation, examined: Examined, **known: Any) -> About:
    """Return the facts about an examined answer, with the further fields in `known`."""
    query = None if examined.known_context is None else examined.known_context.query
    return About(
        policy_hash=policy_hash(examined.policy),
        keywords=keywords_of(query),
        question=query,
        sentences=(
            []
            if examined.kept_text is None
            else sentences_of(annotation, examined.kept_text, examined.policy)
        ),
        **known,
    )


def sentences_of(
    annotation: Annotation, pieces: Mapping[int, Sequence[str]], policy: Policy
) -> list[tuple[int, int, str]]:
    """Return choice, position and words of every sentence, from the pieces of each choice.

    Text that the `policy`'s packs call sensitive is replaced by a placeholder, as in the
    annotation.
    """
    found: list[tuple[int, int, str]] = []
    for result in annotation.choices or filter(None, [annotation.result]):
        # Two halves of a character may have come in two pieces: offsets count it as one.
        text = scalar_text("".join(pieces.get(result.choice, ())))
        spans = [(sentence.start, sentence.end) for sentence in result.sentences]
        words = masked(_parts(text, spans), result, policy)[1::2]
        found += ((result.choice, position, each) for position, each in enumerate(words))
    return found


def _parts(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the text in parts: alternately the text before a span, and the span's own."""
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], text[start:end]]
        at = end
    return [*parts, text[at:]]


@dataclass(frozen=True, slots=True)
class FeedbackRecord:
    """Feedback on an answer, or on its sentence at a position, with an `id` of its own."""

    result_id: str
    label: str
    sentence: int | None = None
    comment: str | None = None
    created_ms: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    id: str = field(default_factory=lambda: secrets.token_hex(16))


@dataclass(frozen=True, slots=True)
class Record:
    """One answer for writing; `body` is the annotation's JSON, compressed by zlib."""

    about: About
    body: bytes

    def annotation(self) -> dict[str, Any]:
        """Return the annotation as JSON values."""
        read: dict[str, Any] = json.loads(zlib.decompress(self.body))
        return read


_hashes: dict[int, tuple[Policy, str]] = {}


def policy_hash(policy: Policy) -> str:
    """Return 12 hexadecimal digits that identify a policy's settings."""
    known = _hashes.get(id(policy))
    if known is None:
        if len(_hashes) >= _MOST_POLICIES:
            _hashes.clear()
        digest = hashlib.sha256(policy.model_dump_json().encode()).hexdigest()
        # The policy is held, so that its id stays its own.
        known = _hashes[id(policy)] = policy, digest[:12]
    return known[1]


def keywords_of(question: str | None) -> tuple[str, ...]:
    """Return at most `MAX_KEYWORDS` words on the subject of a question, in order.

    They are case-folded, singular, without repeats, and of letters only: words with digits may
    identify a person or case. Stop words, words of asking, and scripts without spaces are left out.
    """
    found: dict[str, None] = {}
    for word in words_in(fold((question or "")[:MAX_QUESTION_CHARS]).text.casefold()):
        plain = word.removesuffix("'s")
        if not _SHORTEST <= len(plain) <= _LONGEST or not plain.isalpha():
            continue
        if _UNSPACED.search(plain) is not None:
            continue
        if plain not in STOP_WORDS and plain not in _ASKING:
            found[singular(plain)] = None
        if len(found) == MAX_KEYWORDS:
            break
    return tuple(found)
