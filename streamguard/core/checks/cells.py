"""Claims beside the cells of the chunks' tables."""

from __future__ import annotations

from collections.abc import Iterator

from streamguard.core.checks.contrary import evidence_for, quoted
from streamguard.core.conflicts.tabled import said_otherwise
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Finding


def other_cell(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag words or a yes that a table's cell has otherwise, for the claim's row and column.

    "The mayor of Elsund is Ida Holm" beside another row's mayor, "Both plans include backups"
    beside a "no" (`conflicts/tabled`). Values in cells are `other_owner`'s.

    RAGTruth QA train: no finding, these texts have no tables. Self-written: `tests/cell_cases.py`.
    """
    evidence = evidence_for(sentence, scope)
    found = said_otherwise(sentence, scope, evidence) if evidence else None
    if evidence is None or found is None:
        return
    spans, cell = sentence.reading.spans, found.cell
    span = spans[found.first][0], spans[found.last][1]
    place = evidence.place_in(cell.sentence, cell.start, cell.end)
    words = quoted(evidence.place_in(cell.sentence))
    yield sentence.finding(
        "contradicted_claim",
        span,
        check="other_cell",
        nearest=place,
        message=f"Check this: “{sentence.folded.text[slice(*span)]}”, but {place.chunk_id} has "
        f"“{place.value}” in this cell: {words}",
    )
