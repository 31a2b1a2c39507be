"""Names of code that an answer writes as such (`pool.readTimeout`) and no passage writes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from streamguard.core.model import finding_texts
from streamguard.core.model.types import Finding
from streamguard.core.sentence import Scope, Sentence
from streamguard.text.patterns import lazy_re

_SPAN: Final = lazy_re(r"(?<!`)`([^`\s]{3,64})`(?!`)")
# A name of several parts, which is no word: "read_timeout", "readTimeout", "a/b", "a-b".
_NAME: Final = lazy_re(
    r"(?a)[-.@/]{0,2}(?=\w*[._/:@-]\w|\w*[a-z][A-Z])([A-Za-z_][\w./:@-]{1,62}\w)(?:\(\))?"
)
_PLACEHOLDER: Final = lazy_re(r"(?i)example|(?<![a-z])(?:your|my|foo|bar|name|xx+)(?![a-z])|://")
# Of a path: "config.pool", but not "pool.yml".
_PARTS: Final = lazy_re(
    r"[/:]|\.(?!(?:ya?ml|json|toml|md|txt|py|[jt]sx?|go|rs|java|rb|sh|cfg|ini|conf|xml|html?|s?css|csv"
    r"|log|sql|env|lock)$)"
)
_MOST_NAMES: Final = 8  # of one sentence; guess


def code_names(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each name in inline code, and the bare name."""
    for found in _SPAN.finditer(text):
        name = _NAME.fullmatch(found[1])
        if name is not None and _PLACEHOLDER.search(found[1]) is None:
            yield *found.span(1), name[1]


def unsupported_code_name(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag names in inline code that neither the passages nor the question write.

    A path is known where its parts are. Of 329 sentences of exercises_dev with inline code 6 wrong
    ones have such a name, and no right one.
    """
    evidence, text = scope.evidence, sentence.folded.text
    if "`" not in text or evidence is None or sentence.kind == "code":
        return
    if scope.policy.matching == "literal" or not evidence.chunks:
        return
    question_text = scope.question.text.lower()
    for start, end, name in islice(code_names(text), _MOST_NAMES):
        parts = [part for part in _PARTS.split(name.lower()) if part]
        if not all(part in question_text or evidence.writes(part) for part in parts):
            written = text[start:end]
            message = finding_texts.name_absent(written, None, None)
            flag, check = "potential_hallucination", "unsupported_name"
            yield sentence.finding(flag, (start, end), check=check, message=message)
