"""Suggested questions, made from the headings of the documents."""

from __future__ import annotations

from collections.abc import Sequence

from streamguard.core.model.policy import Policy
from streamguard.rag.gate import assess
from streamguard.rag.readers import MARKDOWN_ENDINGS
from streamguard.rag.stores import Store

_MOST_ASKED = 30  # documents: others may have no heading either; guess
_MAX_CHARS = 60  # of a heading that makes a question; guess


def starting_questions(
    store: Store, collections: Sequence[str], policy: Policy, count: int
) -> list[str]:
    """Return up to `count` questions that the gate answers, from headings of different documents.

    They are spread over the documents in order. `policy` must be in the store's metric; may block.
    """
    sources = [name for it in collections for name in store.sources(it)]
    step = max(1, len(sources) // count)
    found: list[str] = []
    # The documents between are asked only where those at the steps have no heading.
    for source in [*dict.fromkeys([*sources[::step], *sources])][:_MOST_ASKED]:
        question = _question_of(store, collections, policy, source)
        if question is not None and question not in found:
            found.append(question)
        if len(found) == count:
            break
    return found


def _question_of(
    store: Store, collections: Sequence[str], policy: Policy, source: str
) -> str | None:
    words = " ".join(source.rpartition(".")[0].replace("/", " ").split("-"))
    chunks = store.query(collections, words or source, 6)
    own = next((chunk.text for chunk in chunks if chunk.source == source), "")
    first, _, rest = own.partition("\n")
    heading = first.rpartition(" > ")[2].strip()
    # Only Markdown's passages begin with a line of headings; a sentence is none, nor "Fax: none".
    is_label = ": " in heading and not source.lower().endswith(tuple(MARKDOWN_ENDINGS))
    if not rest or is_label or not 0 < len(heading) <= _MAX_CHARS or heading[-1] in ".:!?|":
        return None
    question = f"What should I know about “{heading}”?"
    passed = assess(store.query(collections, question, 6), policy)
    return question if passed.is_answerable is not False else None
