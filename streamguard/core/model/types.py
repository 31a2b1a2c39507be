"""Values that the checks, the guard and the shells pass to one another."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_jsonable_python

from streamguard.errors import ConfigError
from streamguard.prompt.boundary_lines import Form

Severity = Literal["info", "warning"]
Effect = Literal["none", "warn", "refuse"]
ConfidenceLevel = Literal["high", "medium", "low", "insufficient"]
Ended = Literal[
    "complete",
    "upstream_error",
    "client_disconnect",
    "consumer_stopped",
    "cancelled",
    "limit",
    "blocked",
]

MAX_FINDINGS = 1_000  # of an answer; SPEC 10
# In the order in which a result lists them (the order of the rules they come from).
FLAGS = (
    "no_context_warning",
    "refusal_detected",
    "potential_hallucination",
    "unsupported_claim",
    "contradicted_claim",
    "citation_unknown",
    "citation_mismatch",
    "uncited_claim",
    "too_few_citations",
    "check_error",
    "limit_reached",
)
_FLAG_RANK = {flag: rank for rank, flag in enumerate(FLAGS)}


def in_flag_order(flags: set[str]) -> list[str]:
    """Return `flags` in the order of `FLAGS`; an application's own names follow, sorted."""
    return sorted(flags, key=lambda flag: (_FLAG_RANK.get(flag, len(FLAGS)), flag))


def functions(name: str, values: object) -> tuple[Any, ...]:
    """Return a sequence of functions as a tuple; raises `ConfigError` for other items."""
    if callable(values) or not isinstance(values, Iterable):
        seen = type(values).__name__
        raise ConfigError(f"{name} is one {seen}, expected a sequence of functions")
    found = tuple(values)
    for number, one in enumerate(found):
        if not callable(one):
            raise ConfigError(f"{name}[{number}] is a {type(one).__name__}, expected a function")
    return found


class Plain:
    """Base of the frozen values in a result."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values: what the result's JSON holds in this place.

        A metadata value that JSON does not know is written as its `str`.
        """
        values: dict[str, Any] = to_jsonable_python(self, fallback=str)
        return values

    def model_dump(self) -> dict[str, Any]:
        """Return the same as `to_dict`, under the name that pydantic's models have for it."""
        return self.to_dict()


Value = TypeVar("Value", bound=Plain)


def rewritten(value: Value, change: Callable[[Any], dict[str, Any]]) -> Value:
    """Return a copy with the fields that `change` gives of `value`, and of each value in it."""
    changes: dict[str, Any] = {}
    for name in value.__dataclass_fields__:  # type: ignore[attr-defined]
        part = getattr(value, name)
        if isinstance(part, Plain):
            changes[name] = rewritten(part, change)
        elif isinstance(part, tuple) and part and isinstance(part[0], Plain):
            changes[name] = tuple(rewritten(each, change) for each in part)
    return replace(value, **changes, **change(value))  # type: ignore[type-var]


_BUILDING = RLock()


class Model(BaseModel):
    """Base of what crosses the boundary."""

    # A schema is built for the first value, or ahead by `build_models`, and not by an import.
    model_config = ConfigDict(defer_build=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return self.model_dump(mode="json")

    @classmethod
    def model_rebuild(cls, **options: Any) -> bool | None:
        """Build the schema unless it is there; of several threads one does, the others wait.

        Else pydantic 2.12 may take a schema away that another thread has just built.
        """
        with _BUILDING:
            return super().model_rebuild(**options)

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Shorten the signature of a model whose schema is not built yet."""
        cls.__pydantic_on_complete__()

    @classmethod
    def __pydantic_on_complete__(cls) -> None:
        """Leave types and long defaults out of the signature: they fill a screen."""
        shown = []
        for name, setting in cls.model_fields.items():
            default = setting.default
            if setting.is_required():
                default = inspect.Parameter.empty
            elif setting.default_factory or len(repr(default)) > _LONG:
                default = _Default()
            shown.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default))
        setattr(cls, "__signature__", inspect.Signature(shown))  # noqa: B010 -- mypy knows none


def build_models() -> None:
    """Build the schema of every model loaded so far: a server's first answer need not."""
    waiting: list[type[Model]] = [Model]
    while waiting:
        model = waiting.pop()
        model.model_rebuild()
        waiting += model.__subclasses__()


_LONG = 60  # characters of a default's repr; guess, most of a line


class _Default:
    """Stands for one that is long or worked out."""

    def __repr__(self) -> str:
        return "..."


@dataclass(frozen=True, slots=True)
class RetrievedChunk(Plain):
    """One retrieved passage.

    `distance`: lower is nearer; `similarity`: higher is nearer; give at most one of them.
    Chunk number n of a context answers to the citation `[Cn]` and to its own `id`; where an
    earlier chunk has that id as well, results call it `id.n`.
    """

    text: str
    id: str | None = None
    source: str | None = None
    distance: float | None = None
    similarity: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


# The apparent kind of an unread place (`core/reading/unread_text`).
UnreadKind = Literal["digits", "figure", "magnitude", "unit", "currency", "citation", "table"]


@dataclass(frozen=True, slots=True)
class UnreadText(Plain):
    """A place that looks like a value, a citation or a table's head and was not read.

    Half-open code point span in the answer.
    """

    start: int
    end: int
    kind: UnreadKind


# Whose words they are: given as chunks by the application, read from its messages or from the
# user's, returned by a tool, or sent as documents beside the messages. The others came in the
# answer's own stream: what a tool of the provider's returned, what it had retrieved, and the words
# that its citations quote.
Where = Literal[
    "given",
    "system",
    "user",
    "tool",
    "document",
    "mcp",
    "file_search",
    "web_search",
    "web_fetch",
    "code",
    "retrieval",
    "citation",
]


@dataclass(frozen=True, slots=True)
class ContextOrigin:
    """One source of passages: whose words, how they were set off, and how many there are."""

    where: Where
    form: Form | None  # None where they came as chunks, results or documents
    passages: int


@dataclass(frozen=True, slots=True)
class Retrieval(Plain):
    """The decision of the retrieval gate, made before the model was asked.

    `chunks` are those that passed; `filtered_count` is their number, `raw_count` the number
    before the gate; `best` is the best distance or similarity that passed. `is_answerable` and
    `confidence_level` are None if the gate was switched off.
    """

    chunks: tuple[RetrievedChunk, ...] = ()
    is_answerable: bool | None = None
    confidence_level: ConfidenceLevel | None = None
    raw_count: int = 0
    filtered_count: int = 0
    best: float | None = None


@dataclass(frozen=True, slots=True)
class Support(Plain):
    """How likely the chunks support a sentence: a calibrated probability in [0, 1].

    `reasons` speak against the sentence, the strongest first, three at most; none from a support of
    0.85 on. Words of the answer stand in “ ”.
    """

    probability: float
    reasons: tuple[str, ...]


Word = Literal["supported", "contradicted", "not_mentioned"]


@dataclass(frozen=True, slots=True)
class Quotation(Plain):
    """Words of a passage that a judge rests its verdict on: their place, in code points."""

    value: str | None
    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Score(Plain):
    """One scorer's word on one claim; a field is None if the scorer gives none.

    `support` and `contradiction` are probabilities in [0, 1], `similarity` is the cosine in
    [-1, 1] to the nearest sentence of the chunks. `message` is for people. A judge also gives its
    `word` with its own `confidence` in [0, 1], and the `quotations` that stand in the passages;
    its calibration turns these into probabilities. `doubted` is the place of the words in the
    sentence's text that the scorer holds for wrong, half-open, in code points: a finding that
    follows from the score points at them, else at the whole sentence. `scorer` names who gives the
    score; a shell fills it in. `calibrated` says that `support` and `contradiction` are true to
    the documents at hand: such a score decides without a calibration in the policy.
    """

    support: float | None = None
    contradiction: float | None = None
    message: str | None = None
    similarity: float | None = None
    word: Word | None = None
    confidence: float | None = None
    quotations: tuple[Quotation, ...] = ()
    doubted: tuple[int, int] | None = None
    scorer: str = ""
    calibrated: bool = False


Verdict = Score  # its name in earlier versions


@dataclass(frozen=True, slots=True)
class Opinion(Plain):
    """A scorer's word on a sentence, as the result lists it; `verifier` names the scorer."""

    verifier: str
    support: float | None
    contradiction: float | None
    similarity: float | None
    message: str | None
    word: Word | None = None
    confidence: float | None = None
    quotations: tuple[Quotation, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifierReport(Plain):
    """The claims that one verifier was to read, counted by outcome; not part of the result.

    `claims` is the number of the answer's claims: `answered` of them have its word (`cached`, from
    an earlier answer), `unselected` it did not want, `over_budget` were left out to keep its
    `budget`, `unanswered` were asked for in vain, or are awaited still. `cost` is the verifier's
    own account, as `{"input_tokens": 812}`, with `ms`, the milliseconds spent waiting.
    """

    name: str
    claims: int
    answered: int
    cached: int
    unselected: int
    over_budget: int
    unanswered: int
    budget: str | None
    cost: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Nearest(Plain):
    """The nearest evidence: its words, the chunk's id, and its span in the chunk (code points)."""

    value: str | None
    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AnswerSpan(Plain):
    """Another place of the answer: its words and its span (code points)."""

    value: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Finding(Plain):
    """One occurrence of something people should look at.

    `start` and `end` are half-open code point offsets into the answer, None for the answer as a
    whole. `value` is the text seen there, `nearest` the nearest evidence for or against it,
    `against` the place of the answer itself that it disagrees with. `effect`: the least status that
    the finding gives the answer; None leaves that to the rules, which know the checks of this
    package alone, "none" keeps them from counting it.
    """

    flag: str
    check: str
    severity: Severity
    start: int | None
    end: int | None
    value: str | None
    nearest: Nearest | None
    message: str | None
    against: AnswerSpan | None = None
    effect: Effect | None = None


def about_answer(flag: str, check: str, message: str, value: str | None = None) -> Finding:
    """Return a warning about the answer as a whole."""
    return Finding(flag, check, "warning", None, None, value, None, message)
