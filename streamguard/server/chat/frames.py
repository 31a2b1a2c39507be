"""The frames of a chat's stream to its page, with spans in the browser's units."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Literal

from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Retrieval, RetrievedChunk, Verdict
from streamguard.core.sentence import Sentence
from streamguard.rag.gate import Declined
from streamguard.text.normalise import astral_offsets, ends_in_high_surrogate, scalar_text

DONE = b"data: [DONE]\n\n"


def frame(type: str, **fields: Any) -> bytes:
    """Return one event: a JSON object on one line of ASCII."""
    return (
        b"data: " + json.dumps({"type": type, **fields}, separators=(",", ":")).encode() + b"\n\n"
    )


def retrieval_frame(
    retrieval: Retrieval, searched_for: str | None = None, declined: Declined | None = None
) -> bytes:
    """Return the gate's decision and the passages that passed, by their labels.

    `searched_for`: the search text, if it is not the question's own. `declined`: why the gate
    declined, if it did, with the nearest passage.
    """
    found = {**gate_fields(retrieval), "passages": passages(retrieval.chunks)}
    return frame("retrieval", **found, searched_for=searched_for, declined=_declined(declined))


def _declined(declined: Declined | None) -> dict[str, Any] | None:
    """Return why the gate declined, with the nearest passage, if any."""
    if declined is None:
        return None
    chunk = declined.nearest
    nearest = {"source": chunk.source, "text": chunk.text} if chunk else None
    return {"setting": declined.setting, "message": declined.message, "nearest": nearest}


def gate_fields(retrieval: Retrieval) -> dict[str, Any]:
    """Return the gate's figures under their API names."""
    return {
        "is_answerable": retrieval.is_answerable,
        "confidence_level": retrieval.confidence_level,
        "raw_count": retrieval.raw_count,
        "filtered_count": retrieval.filtered_count,
    }


def passages(chunks: Sequence[RetrievedChunk]) -> list[dict[str, Any]]:
    """Return the passages with the labels that answers cite."""
    return [
        {
            "id": chunk.id or f"C{number}",
            "label": f"C{number}",
            "source": chunk.source,
            "text": chunk.text,
            "distance": chunk.distance,
            "similarity": chunk.similarity,
        }
        for number, chunk in enumerate(chunks, 1)
    ]


def result_frame(annotation: Annotation, on_refuse: Literal["annotate", "replace"]) -> bytes:
    """Return the verdict with spans in UTF-16 units, and the policy's display hint."""
    result = annotation.result.in_utf16() if annotation.result else None
    choices = tuple(choice.in_utf16() for choice in annotation.choices)
    shifted = annotation.model_copy(update={"result": result, "choices": choices})
    return frame("result", annotation=shifted.model_dump(), on_refuse=on_refuse)


class UTF16Spans:
    """Converts the spans of settled sentences to UTF-16 units while the answer arrives."""

    def __init__(self, chunks: Sequence[RetrievedChunk]) -> None:
        self._chars = 0
        self._half = ""  # a high surrogate whose other half is in the next piece
        self._answer: list[int] = []
        self._passages: dict[str | None, list[int]] = {
            chunk.id or f"C{number}": astral_offsets(scalar_text(chunk.text))
            for number, chunk in enumerate(chunks, 1)
        }

    def add(self, piece: str) -> None:
        """Add the next piece of the answer."""
        text = self._half + piece
        self._half = text[-1:] if ends_in_high_surrogate(text) else ""
        text = scalar_text(text[: len(text) - len(self._half)])
        self._answer += [self._chars + at for at in astral_offsets(text)]
        self._chars += len(text)

    def judged_frame(self, judge: str, sentence: Sentence, verdict: Verdict) -> bytes:
        """Return a judge's verdict on a settled sentence; its text must have been added."""
        start, end = (at + bisect_left(self._answer, at) for at in sentence.span)
        quotations = []
        for one in verdict.quotations:
            wide = self._passages.get(one.chunk_id, [])
            places = {"start": one.start, "end": one.end}
            moved = {name: at + bisect_left(wide, at) for name, at in places.items()}
            quotations.append({**one.to_dict(), **moved})
        return frame(
            "judged",
            verifier=judge,
            start=start,
            end=end,
            word=verdict.word,
            confidence=verdict.confidence,
            message=verdict.message,
            quotations=quotations,
        )

    def sentence_frame(self, annotation: SentenceAnnotation) -> bytes:
        """Return a settled sentence; its text must have been added."""
        shifted = annotation.in_utf16({**self._passages, None: self._answer})
        return frame("sentence", annotation=shifted.model_dump())
