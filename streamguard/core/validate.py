"""The same checks for a finished answer, and single questions one may ask of a text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import mul
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator, ConfigDict

from streamguard.core.checks import DEFAULT_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.chunks import ChunkLike, as_chunks
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import GuardrailsResult
from streamguard.core.model.types import Model, RetrievedChunk
from streamguard.core.sentence import Sentence
from streamguard.errors import ConfigError

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]

_DATE_KINDS = frozenset({"date", "year", "time"})


def _as_given(chunks: Any) -> Any:
    return None if chunks is None else as_chunks(chunks)


class GuardrailsInput(Model):
    """A finished answer and what stood behind it, in one model.

    `retrieved_chunks` are what `Context` takes as chunks. Raises pydantic's `ValidationError` for
    anything that is wrong.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    answer_text: str
    retrieved_chunks: Annotated[tuple[RetrievedChunk, ...] | None, BeforeValidator(_as_given)] = (
        None
    )
    prompt_context_string: str | None = None
    citations: tuple[str, ...] | None = None
    query: str | None = None


class Markers(NamedTuple):
    """Dates, numbers and names in a text that no chunk holds, in their original form."""

    dates: tuple[str, ...]
    numbers: tuple[str, ...]
    names: tuple[str, ...]


def check_text(
    answer: str,
    *,
    context: Context | None = None,
    policy: Policy | str | None = None,
    checks: Checks = DEFAULT_CHECKS,
) -> GuardrailsResult:
    """Return the result of a finished answer, equal to that of streaming it in any pieces.

    `policy`: a `Policy` or a preset's name, None is `moderate`; `checks`: those of `DEFAULT_CHECKS`
    unless others are given. Raises `ConfigError` for another policy.
    """
    guard = StreamGuard(context, policy, checks)
    guard.feed(answer)
    return guard.close()


def validate(input: GuardrailsInput, *, policy: Policy | str | None = None) -> GuardrailsResult:
    """Return the result of a finished answer given as one model.

    Citations count as requested when `citations` is given.
    """
    context = Context(
        query=input.query,
        chunks=input.retrieved_chunks,
        prompt_context=input.prompt_context_string,
        citations=input.citations,
        citations_requested=input.citations is not None,
    )
    return check_text(input.answer_text, context=context, policy=policy)


def hallucination_markers(text: str, chunks: Sequence[ChunkLike]) -> Markers:
    """Return the dates, numbers and names of `text` that none of `chunks` supports."""
    dates: list[str] = []
    numbers: list[str] = []
    names: list[str] = []
    for sentence in map(Sentence.look_up, _sentences(text, Context(chunks=chunks))):
        for anchor, match in sentence.matches:
            if not match.stands:
                (dates if anchor.kind in _DATE_KINDS else numbers).append(anchor.text)
        names.extend(name.text for name, _ in sentence.unknown_names)
    return Markers(tuple(dates), tuple(numbers), tuple(names))


def semantic_similarity(text: str, chunks: Sequence[ChunkLike], embed: Embed) -> float | None:
    """Return the mean over claims of the best cosine to a chunk sentence, in [-1, 1].

    `embed` turns n texts into n vectors of one length; it is called twice. None when `text`
    claims nothing or `chunks` hold no sentence. Raises `ConfigError` when `embed` returns
    another number of vectors than it was given texts, vectors of several lengths, or a figure
    that is not finite.
    """
    context = Context(chunks=chunks)
    context.prepare()
    claims = [s.folded.text for s in _sentences(text, context) if s.is_claim]
    passages = context.evidence.sentence_texts() if context.evidence else []
    if not claims or not passages:
        return None
    sources = [_unit(vector) for vector in _embedded(embed, passages)]
    vectors = [_unit(vector) for vector in _embedded(embed, claims)]
    lengths = sorted({len(vector) for vector in (*sources, *vectors)})
    if len(lengths) > 1:
        raise ConfigError(f"embed returned vectors of {lengths} figures, expected one length")
    best = [max(math.fsum(map(mul, vector, source)) for source in sources) for vector in vectors]
    return max(-1.0, min(1.0, sum(best) / len(best)))


def _sentences(text: str, context: Context) -> Sequence[Sentence]:
    """Return the settled sentences of a text, as they are read."""
    kept: list[Sentence] = []

    def keep(sentence: Sentence, _scope: object) -> tuple[()]:
        kept.append(sentence)
        return ()

    check_text(text, context=context, checks=Checks(per_sentence=(keep,), verdicts=False))
    return kept


def _embedded(embed: Embed, texts: Sequence[str]) -> Sequence[Sequence[float]]:
    vectors = embed(texts)
    if len(vectors) != len(texts):
        raise ConfigError(f"embed returned {len(vectors)} vectors for {len(texts)} texts")
    return vectors


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(x * x for x in vector)) or 1.0
    if not math.isfinite(length):
        wrong = next((x for x in vector if not math.isfinite(x)), length)
        raise ConfigError(f"embed returned a vector with {wrong}, expected finite figures")
    return [x / length for x in vector]
