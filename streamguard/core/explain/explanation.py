"""The document that explains one answer: what `streamguard explain --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import ConfigDict

from streamguard.core.model.result import SCHEMA_VERSION, GuardrailsResult
from streamguard.core.model.types import Model, Plain

# What became of a value: `core/facts/standing` and the rules of `values/agreement`, in one word.
Relation = Literal["same", "unit", "period", "none"]
HeldBy = Literal["passage", "question", "policy"]

# The rules that a reason names, as `Reason.rule` does, each with what comes of it.
RULES: Final = {
    "own": "a check of the application's own decides",
    "a": "not all of the answer was read or judged",
    "b": "there are no passages to judge by",
    "c": "the answer claims nothing, or declines",
    "1": "citations were asked for, and it has none",
    "2": "none of it is in the passages, or all of it is wrong",
    "3": "too much of it is unsupported",
    "4": "it has fewer citations than asked for",
    "5": "something in it does not fit the passages",
    "6": "nothing speaks against it",
    "raise": "it was not checked to its end, which is no PASS",
    "-": "changes no status",
}


@dataclass(frozen=True, slots=True)
class FoundPlace(Plain):
    """Words of a passage, and how a person finds them there.

    `start` and `end` are half-open code point offsets into the passage, `value` is the text there,
    `source` the passage's name. `heading` stands above it; `row` and `column` are the row's label
    and the column's head where it is in a table. `around`: the sentence, item or row it stands in.
    """

    chunk_id: str
    start: int
    end: int
    value: str | None
    source: str
    heading: str | None = None
    row: str | None = None
    column: str | None = None
    around: str | None = None


@dataclass(frozen=True, slots=True)
class ValueReading(Plain):
    """One way to read a value, in a canonical form: "29 EUR per month", "2024-05-03".

    `found`: the passages have the same, or the same number with another `unit` or `period`, or
    none. `counts`: the checks go by this reading.
    """

    said: str
    found: Relation
    counts: bool


@dataclass(frozen=True, slots=True)
class ValueLookup(Plain):
    """A value of the answer: its place there, its readings, and where passages have it.

    `standing` is its row in the table of `core/facts/standing` ("held", "reckoned", "near" …), None
    if nothing was compared. `places`: where passages have it, the first one in the sentence's
    nearest evidence if that has it; with `unit` or `period` where they have its number. `instead`:
    the like value that stands in its place. `reckoning` says how it follows from others ("$49 × 12
    = $588"), `operands` where those stand in the passages.
    """

    start: int
    end: int
    text: str
    kind: str
    readings: tuple[ValueReading, ...]
    found: Relation
    standing: str | None
    places: tuple[FoundPlace, ...]
    instead: FoundPlace | None
    reckoning: str | None
    operands: tuple[FoundPlace, ...]


@dataclass(frozen=True, slots=True)
class NameLookup(Plain):
    """A name of the answer. `held_by` is None if no source has it.

    `places` is empty if a passage has it in parts or by its initials alone.
    """

    start: int
    end: int
    text: str
    held_by: HeldBy | None
    places: tuple[FoundPlace, ...]


@dataclass(frozen=True, slots=True)
class CitationLookup(Plain):
    """A citation tag: its label, and the ids of the passages that answer to it."""

    start: int
    end: int
    text: str
    label: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExplainedSentence(Plain):
    """The values, names and citations of one sentence, and where they were looked up.

    `result.sentences[index]` has the verdicts of scorers and judges, and the numbers of its
    `findings`. `role` says why it is a claim or none ("claim", "refusal", "heading" …), `kind` is
    its Markdown kind. `nearest` is the passages' best evidence for its words; `share` in [0, 1] of
    their weight stands there.
    """

    index: int
    start: int
    end: int
    text: str
    role: str
    kind: str
    language: str | None
    values: tuple[ValueLookup, ...]
    names: tuple[NameLookup, ...]
    citations: tuple[CitationLookup, ...]
    nearest: FoundPlace | None
    share: float | None


@dataclass(frozen=True, slots=True)
class RuleStep(Plain):
    """A rule that held: its name in the result's reason, its subject, and its reason."""

    rule: str
    about: str
    code: str
    message: str
    value: float | None
    threshold: float | None


class Explanation(Model):
    """Why one answer got its status.

    `result` is what `check_text` returns, `sentences` go with `result.sentences` by their index,
    `rules` are those that held, the gravest first. `thresholds` are those of the policy that a
    sentence's support and doubt are compared with, or under literal matching its coverage. `checks`
    name what ran on every sentence and at the answer's end. Sentences that were not judged are not
    listed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    object: Literal["streamguard.explanation"] = "streamguard.explanation"
    schema_version: str = SCHEMA_VERSION
    answer: str
    question: str | None
    passages: tuple[str, ...] | None
    result: GuardrailsResult
    rules: tuple[RuleStep, ...]
    thresholds: Mapping[str, float]
    checks: tuple[str, ...]
    sentences: tuple[ExplainedSentence, ...]
