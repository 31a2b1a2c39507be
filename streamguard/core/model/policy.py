"""Every threshold, phrase and switch, each with its range and its source."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeVar

from pydantic import (
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from streamguard.core.model.chunks import wrong_type
from streamguard.core.model.types import Model
from streamguard.errors import ConfigError

Metric = Literal["squared_l2", "cosine", "inner_product", "similarity"]
GateName = Literal["strict", "moderate", "lenient"]
Levels = tuple[float, float, float]

REFUSAL_PHRASES = tuple(
    "i cannot; i can't; i don't have information; i don't have enough information; i do not have;"
    " i'm not sure; i am not sure; i'm unable to; i am unable to; outside my knowledge;"
    " beyond my scope; not able to help; cannot assist with; no information available;"
    " unfortunately, i don't; i apologize, but i; i'm sorry, but i don't;"
    " i cannot answer this based on the provided documents;"
    " i cannot answer this question based on the provided documents".split("; ")
)
PUBLISHED_NAMES = ("Clearpath", "Clearpath Assistant")  # of `literal` alone

# High, medium and low confidence, and the thresholds of the strict, moderate and lenient gate. SPEC
# section 6: squared L2 on unit vectors is twice the cosine distance.
LEVELS: dict[Metric, Levels] = {
    "squared_l2": (0.5, 0.8, 1.2),
    "cosine": (0.25, 0.4, 0.6),
    "inner_product": (0.25, 0.4, 0.6),
    "similarity": (0.75, 0.6, 0.35),
}
MAX_THRESHOLD: dict[Metric, float] = dict.fromkeys(LEVELS, 1.0) | {"squared_l2": 2.0}
GATES: tuple[GateName, ...] = ("strict", "moderate", "lenient")
_SIMILARITY_THRESHOLD = 0.35  # of every gate; keeps 98.0 % of own passages, 2.7 % of others'

# How long an annotation waits for verifiers, and for a judge, in seconds. Guess: a model's answer
# about ten claims takes some seconds (docs/verifiers.md).
TAIL_WAIT_S, TAIL_WAIT_OF_JUDGE_S = 2.0, 10.0

T = TypeVar("T")


def _set(default: T, description: str) -> T:
    """Return a setting: its default, and what it decides."""
    setting: T = Field(default, description=description)
    return setting


# Strict: `true` and "0.5" are no figures.
Share = Annotated[float, Field(ge=0.0, le=1.0, strict=True)]
Count = Annotated[int, Field(ge=0, strict=True)]
Distance = Annotated[float, Field(ge=0.0, le=2.0, strict=True)]
Weight = Annotated[float, Field(ge=-100.0, le=100.0, strict=True)]  # of log-odds that lie within 4


class Calibration(Model):
    """How a verifier's word and ours make one support; `streamguard calibrate` writes it.

    The log-odds of a sentence's support are `intercept` and the weighted log-odds of our support
    and doubt, of the verifier's `support` and `contradiction`, and `warned` where a check of ours
    warns. For a judge its word's own weight is added, and `confidence` times the log-odds of its
    confidence: for `supported`, against it else. The answer's groundedness is the same of the soft
    maximum of its claims' risks, with `answer_intercept` and `answer_slope`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    intercept: Weight
    ours: Weight
    doubt: Weight
    warned: Weight
    support: Weight
    contradiction: Weight
    answer_intercept: Weight
    answer_slope: Weight
    supported: Weight = 0.0
    contradicted: Weight = 0.0
    not_mentioned: Weight = 0.0
    confidence: Weight = 0.0


_STRICTER = ("off", "sentence", "answer")
_OF_HOLDING = (
    "hold",
    "block",
    "on_violation",
    "replacement_text",
    "max_hold_chars",
    "max_hold_s",
    "hold_fails",
    "hold_judge_s",
    "packs",
    "patterns",
    "pack_allow",
    "phone_region",
)
# By the check or the flag that `block` may name.
_PACK_OF = {
    "secret": "secrets",
    "pii": "pii",
    "personal_data": "pii",
    "regex": "regex",
    "pattern": "regex",
    "link": "links",
    "unknown_link": "links",
    "language": "language",
    "other_language": "language",
}


def _gate_threshold(values: dict[str, Any]) -> float:
    """Return the gate's distance; under `similarity`, where none is compared, its squared L2."""
    levels: Levels = values["confidence_levels"] or LEVELS[values["metric"]]
    if values["metric"] == "similarity":
        levels = LEVELS["squared_l2"]
    return levels[GATES.index(values["gate"])]


def _gate_similarity(values: dict[str, Any]) -> float:
    levels: Levels | None = values["confidence_levels"]
    if values["metric"] != "similarity" or levels is None:
        return _SIMILARITY_THRESHOLD
    return levels[GATES.index(values["gate"])]


class Policy(Model):
    """One frozen set of thresholds; `Policy.preset(name)` gives the published ones.

    `streamguard policy` lists every setting with its value and effect. Shares, similarities and
    scores lie in [0, 1]; distances in [0, 2]; counts are at least 0. An invalid value raises
    `ConfigError` through `Policy.load`, and pydantic's `ValidationError` through the constructor.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str = _set("moderate", "what results and logs call this policy")
    matching: Literal["values", "literal"] = _set(
        "values", "compare values and folded text, or the published patterns as strings"
    )

    # Coverage status: of a claim's support, literally of its coverage (docs/accuracy.md).
    min_similarity_for_mapping: Share = _set(0.85, "literal: a claim counts as supported above")
    min_similarity_for_any_mapping: Share = _set(0.50, "literal: REFUSE, the best claim below it")
    warn_similarity: Share = _set(0.75, "literal: WARN, a claim below it; else for refusal.kind")
    min_support: Share = _set(0.5, "a claim counts as supported; unsupported_claim below")
    max_uncovered_claims: Count = _set(2, "literal: REFUSE above")
    max_uncovered_ratio: Share = _set(1.0, "literal: REFUSE above, of two or more claims; 1.0: off")
    # 0.51: 8.6 % of RAGTruth's clean answers, out of fold (docs/accuracy.md).
    min_groundedness: Share = _set(0.51, "REFUSE below it, of a long answer; 0 is off")
    wrong_from: Share = _set(0.7, "a sentence is warned of that is wrong with this probability")
    doubt_from: Share = _set(0.48, "a sentence is told, and a short answer WARNs, from this on")
    value_doubt_from: Share = _set(
        0.0, "a value that no passage holds warns in a sentence doubted from this on"
    )
    few_claims: Count = _set(4, "up to so many claims an answer is short; see min_groundedness")
    few_chars: Count = _set(350, "an answer is short too whose claims have fewer characters")
    min_citation_density: Annotated[float, Field(ge=0.0, le=100.0, strict=True)] = _set(
        0.3, "too_few_citations below, of a claim where citations were requested; proposal"
    )
    warn_of_few_citations: bool = _set(False, "too_few_citations is a WARN, not information alone")
    refuse_on_no_citations: bool = _set(False, "REFUSE an uncited answer that was to cite")

    # The other published verdict, `scores.published`.
    max_hallucination: Share = _set(0.5, "scores.published: FAIL above")
    high_risk_hallucination: Share = _set(0.6, "label high_risk above")
    min_relevance: Share = _set(0.1, "scores.published: FAIL below")
    min_completeness: Share = _set(0.6, "scores.published: WARN below")
    min_bigram_overlap: Share = _set(0.2, "drift below this bigram share")
    drift_penalty: Share = _set(0.2, "hallucination score of drift")

    # Findings.
    refusal_phrases: tuple[Annotated[str, Field(min_length=1)], ...] = _set(
        REFUSAL_PHRASES, "refusal when a sentence holds one, from a word's start"
    )
    fold_look_alikes: bool = _set(False, "refusals in Cyrillic or Greek that looks Latin count")
    leading_refusals: bool = _set(True, "negated-information patterns in the first sentence refuse")
    allowed_names: tuple[str, ...] = _set((), "names that need no evidence, such as your product's")
    min_question_keywords: Share = _set(0.6, "evidence suffices that holds this share of keywords")

    # Packs of further checks.
    packs: tuple[Annotated[str, Field(min_length=1)], ...] = _set(
        (), "packs that run: secrets, pii, regex, links, language; kinds as in pii:iban"
    )
    patterns: dict[str, Annotated[str, Field(min_length=1)]] = _set(
        {}, "the pack regex: names and regular expressions of your own"
    )
    pack_allow: tuple[str, ...] = _set(
        (), "values that packs pass over, such as support@example.org or @example.org"
    )
    phone_region: str | None = _set(
        None, "pii: the country whose telephone numbers need no +, as in DE (extra pii)"
    )

    # Holding back.
    hold: Literal["off", "sentence", "answer"] = _set(
        "off", "text waits until its sentence, or all of the answer, has been checked"
    )
    block: tuple[Annotated[str, Field(min_length=1)], ...] = _set(
        (), "checks and flags that on_violation acts on, as in unsupported_price, secret, pii:iban"
    )
    on_violation: Literal["annotate", "stop", "replace", "mask"] = _set(
        "annotate", "what becomes of held text that is blocked"
    )
    replacement_text: Annotated[str, Field(min_length=1)] | None = _set(
        None, "what replace puts in its place; null: the standard refusal"
    )
    max_hold_chars: Annotated[int, Field(ge=1, strict=True)] = _set(
        4_000, "hold=sentence: text goes on unchecked when more than this waits; guess"
    )
    max_hold_s: Annotated[float, Field(gt=0.0, le=600.0, strict=True)] = _set(
        10.0, "hold=sentence: text goes on unchecked when it has waited so long; guess"
    )
    hold_judge_s: Annotated[float, Field(ge=0.0, le=60.0, strict=True)] = _set(
        0.0, "seconds a held claim waits for the word of a judge, where one reads; 0: not at all"
    )
    hold_fails: Literal["open", "closed"] = _set(
        "open", "a check that fails lets held text go on, or counts as a violation"
    )

    # Verifiers.
    verifiers: dict[str, Calibration] = _set({}, "calibrations by name; streamguard calibrate")
    deciding_verifiers: tuple[str, ...] | None = _set(
        None, "verifiers that may change the status; null: judges, and the calibrated ones"
    )
    not_mentioned_from: Share = _set(
        0.8, "unsupported_claim of a judge that does not find it warns from this confidence on"
    )
    contradicted_from: Share = _set(0.9, "contradicted_claim above, by a deciding verifier; guess")
    max_tail_wait_s: Annotated[float, Field(ge=0.0, le=600.0, strict=True)] | None = _set(
        None, "seconds the annotation waits for verifiers; null: 2, with a judge 10; guess"
    )

    # Before the model.
    strict_mode: bool = _set(True, "False switches the retrieval gate off")
    metric: Metric = _set("squared_l2", "what the retriever's figures mean")
    gate: GateName = _set("moderate", "whose published thresholds hold where none is given")
    confidence_levels: Levels | None = _set(
        None, "bounds of high, medium, low in the metric; null: the published ones"
    )
    confidence_threshold: Distance = Field(
        default_factory=_gate_threshold,
        description="largest distance that passes; keeps 72.7 % of own passages at 0.8",
    )
    similarity_threshold: Share = Field(
        default_factory=_gate_similarity, description="smallest similarity that passes the gate"
    )
    collection_thresholds: dict[str, Distance] = _set({}, "thresholds of collections, by name")
    min_documents: Annotated[int, Field(ge=1, strict=True)] = _set(1, "chunks that must pass")

    # Presentation and operation.
    on_refuse: Literal["annotate", "replace"] = _set("annotate", "a hint to the page")
    validation_enabled: bool = _set(True, "False: streams pass, and nothing runs")

    @field_validator("confidence_levels")
    @classmethod
    def _levels_fit_the_metric(cls, levels: Levels | None, info: ValidationInfo) -> Levels | None:
        if levels is None:
            return None
        metric: Metric = info.data.get("metric", "squared_l2")
        falling = metric == "similarity"
        ordered = sorted(levels, reverse=falling) == list(levels)
        if not ordered or not 0.0 <= min(levels) <= max(levels) <= MAX_THRESHOLD[metric]:
            order = "falling" if falling else "rising"
            allowed = f"0.0 to {MAX_THRESHOLD[metric]} (metric {metric})"
            raise ValueError(f"expected high, medium, low in {order} order, {allowed}")
        return levels

    @field_validator("confidence_threshold", "collection_thresholds")
    @classmethod
    def _thresholds_fit_the_metric(cls, value: Any, info: ValidationInfo) -> Any:
        metric: Metric = info.data.get("metric", "squared_l2")
        if metric == "similarity" and info.field_name == "confidence_threshold":
            return value  # no distance is compared, and the field's range is all
        thresholds = value.values() if isinstance(value, dict) else [value]
        if any(threshold > MAX_THRESHOLD[metric] for threshold in thresholds):
            raise ValueError(f"expected 0.0 to {MAX_THRESHOLD[metric]} (metric {metric})")
        return value

    @model_validator(mode="after")
    def _block_has_a_hold(self) -> Self:
        if self.on_violation != "annotate" and self.hold == "off":
            raise ValueError(
                f"on_violation is {self.on_violation!r}, which needs hold = sentence or answer"
            )
        if self.on_violation != "annotate" and not self.block:
            raise ValueError(f"on_violation is {self.on_violation!r}, but block names nothing")
        return self

    @classmethod
    def preset(cls, name: str, /, **overrides: Any) -> Self:
        """Return a published set: strict, moderate, lenient, calibrated or literal.

        Raises `ConfigError` for another preset or for a wrong override, of which
        `name` may be one.
        """
        if name not in PRESETS:
            raise ConfigError(f"policy is {name!r}, expected one of {', '.join(PRESETS)}")
        return cls.load({"name": name, **PRESETS[name], **overrides})

    def tail_wait_s(self, *, judge: bool) -> float:
        """Return how many seconds the annotation waits for verifiers, a judge among them or not."""
        if self.max_tail_wait_s is not None:
            return self.max_tail_wait_s
        return TAIL_WAIT_OF_JUDGE_S if judge else TAIL_WAIT_S

    def holding_as(self, other: Policy) -> Policy:
        """Return this policy, with the other's way of holding back where that is the stricter."""
        if _STRICTER.index(self.hold) >= _STRICTER.index(other.hold):
            return self
        return self.model_copy(update={name: getattr(other, name) for name in _OF_HOLDING})

    @property
    def running_packs(self) -> tuple[str, ...]:
        """The packs that run: those named, and those whose checks `block` names."""
        named = {pack.partition(":")[0] for pack in self.packs}
        implied = (_PACK_OF.get(name.partition(":")[0]) for name in self.block)
        further = [pack for pack in dict.fromkeys(implied) if pack is not None]
        return (*self.packs, *(pack for pack in further if pack not in named))

    def decides(self, verifier: str, *, is_judge: bool = False) -> bool:
        """Return whether the word of the verifier of that name may change the status."""
        named = self.deciding_verifiers
        return verifier in named if named is not None else is_judge or verifier in self.verifiers

    def is_short(self, claims: int, chars: int) -> bool:
        """Return whether an answer of so many claims, of so many characters in all, is short.

        The words of a long one return whether the passages support it; those of a short one do not.
        """
        return claims <= self.few_claims or chars < self.few_chars

    @classmethod
    def load(cls, values: dict[str, Any]) -> Self:
        """Return the policy with these values; `ConfigError` names each wrong one and its range."""
        try:
            return cls.model_validate(values)
        except ValidationError as exc:
            # A default that is worked out from a wrong setting says nothing new.
            wrong = [e for e in exc.errors() if e["type"] != "default_factory_not_called"]
            raise ConfigError("; ".join(_explain(error) for error in wrong)) from exc


# `strict`, `moderate` and `lenient` are three points of one curve: how much doubt makes a WARN.
# Chosen for at most .12, .06 and .02 of right everyday answers not PASS: `MEASURED` has what came.
PRESETS: dict[str, dict[str, Any]] = {
    "strict": {
        "max_uncovered_claims": 1,
        "min_groundedness": 0.65,
        "doubt_from": 0.38,
        "min_citation_density": 0.5,
        "warn_of_few_citations": True,
        "refuse_on_no_citations": True,
        "gate": "strict",
    },
    "moderate": {},
    "lenient": {
        "max_uncovered_claims": 3,
        "min_groundedness": 0.4,
        "doubt_from": 0.9,
        "wrong_from": 0.9,
        "value_doubt_from": 0.55,
        "min_citation_density": 0.0,
        "gate": "lenient",
    },
    # RAGTruth QA: relevance 0.1 fails 11.8 % of real answers, 0.04 fails 2.3 %; completeness 0.6
    # warns on 9.9 %, 0.34 on 4.3 %, and still catches 98.6 % of shuffled pairs.
    "calibrated": {"min_relevance": 0.04, "min_completeness": 0.34},
    # The published coverage thresholds, from before there was a support score.
    "literal": {
        "matching": "literal",
        "min_similarity_for_mapping": 0.40,
        "min_similarity_for_any_mapping": 0.20,
        "warn_similarity": 0.40,
        "min_groundedness": 0.0,
        "warn_of_few_citations": True,
        "leading_refusals": False,
        "allowed_names": PUBLISHED_NAMES,
        "min_documents": 2,
    },
}


class Measured(NamedTuple):
    """Shares of everyday answers: of right ones not PASS, of wrong ones WARN or REFUSE."""

    flagged: float
    found: float


# Of each point of the curve: on answers that the thresholds were chosen on, by weights fitted
# without them, and on those of four authors that nothing was learned from or chosen on
# (python benchmarks/bench_presets.py DATA; the second without DATA, tests/test_presets.py).
MEASURED: dict[str, tuple[Measured, Measured]] = {
    "strict": (Measured(0.064, 0.343), Measured(0.111, 0.292)),
    "moderate": (Measured(0.040, 0.280), Measured(0.081, 0.242)),
    "lenient": (Measured(0.013, 0.143), Measured(0.011, 0.146)),
}


class GateShares(NamedTuple):
    """Shares of questions: of answerable ones let through, of others declined."""

    let_through: float
    declined: float


# Of each gate, for retrieval by words: on the handbooks that its rules were fitted to, and on nine
# further ones, of strangers, newcomers, later and guests (python -m benchmarks.bench_gate).
GATE_SHARES: dict[str, tuple[GateShares, GateShares]] = {
    "strict": (GateShares(0.923, 0.904), GateShares(0.673, 0.809)),
    "moderate": (GateShares(0.960, 0.771), GateShares(0.785, 0.678)),
    "lenient": (GateShares(0.983, 0.529), GateShares(0.897, 0.435)),
}


def as_policy(policy: Policy | str | None) -> Policy:
    """Return the policy that is given, or meant by a preset's name; None means `moderate`.

    Raises `ConfigError` for another name, and for anything else.
    """
    if isinstance(policy, Policy):
        return policy
    if policy is None:
        return _moderate()
    if isinstance(policy, str):
        return Policy.preset(policy)
    raise wrong_type("policy", policy, f"a Policy or one of {', '.join(PRESETS)}")


@cache
def _moderate() -> Policy:
    return Policy()


def _explain(error: Any) -> str:
    kind, place, seen = error["type"], error["loc"] or ("policy",), repr(error["input"])
    where = ".".join(map(str, place))
    if kind == "extra_forbidden":
        from difflib import get_close_matches  # which a right policy needs not

        settings = _schema_at(place[:-1]).get("properties", {})
        near = get_close_matches(str(place[-1]), settings, n=1)
        known = "streamguard policy lists them"
        if isinstance(error["input"], dict):
            known = f"settings stand at the top level, in no table: {known}"
        return f"{where} is not a setting; " + (f"did you mean {near[0]}?" if near else known)
    if kind == "value_error" and not error["loc"]:  # of settings that do not fit together
        return str(error["ctx"]["error"])
    if kind == "value_error":  # our own, for the metric in force
        return f"{where} is {seen}, {error['ctx']['error']}"
    if kind == "missing" and isinstance(place[-1], int):  # a list that is too short
        where, place = ".".join(map(str, place[:-1])), place[:-1]
    elif kind == "missing":
        seen = "missing"
    return f"{where} is {seen}, expected {_allowed(_schema_at(place))}"


def _schema_at(place: Sequence[str | int]) -> dict[str, Any]:
    """Return the schema of a setting, or of a value in one; {} without any."""
    policy_schema = Policy.model_json_schema()
    schema: dict[str, Any] = policy_schema
    for part in (*place, None):
        schema = schema.get("anyOf", [schema])[0]  # or null
        if "$ref" in schema:
            schema = policy_schema["$defs"][schema["$ref"].rpartition("/")[2]]
        if part is not None:
            members = schema.get("properties", {})
            items = schema.get("prefixItems") or [schema.get("items", {})]
            inside = items[0] if isinstance(part, int) else schema.get("additionalProperties")
            schema = members.get(part, inside) or {}
    return schema


def _allowed(schema: dict[str, Any]) -> str:
    """Say which values a schema takes."""
    kind = schema.get("type")
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if "minimum" in schema:
        least, most = schema["minimum"], schema.get("maximum")
        return f"{kind} of at least {least}" if most is None else f"{least} to {most}"
    if kind == "array":
        exactly = schema.get("minItems")
        return f"a list of {exactly} numbers" if exactly else "a list of texts"
    if kind == "string":
        return "a text that is not empty" if schema.get("minLength") else "a text"
    return {"boolean": "true or false", "number": "a number"}.get(str(kind), "a table")
