"""Pass an LLM token stream through untouched and close it with one annotation.

Every sentence is checked against the retrieved chunks while the tokens flow; the annotation that
follows the last token carries the full `GuardrailsResult`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from streamguard.version import __version__

if TYPE_CHECKING:
    from streamguard.core.checks import DEFAULT_CHECKS, PATTERN_CHECKS, Checks
    from streamguard.core.context import Context, LateContext
    from streamguard.core.machine.claim import Claim, NearUnit
    from streamguard.core.machine.guard import StreamGuard
    from streamguard.core.model.policy import Policy
    from streamguard.core.model.result import Annotation, GuardrailsResult, SentenceAnnotation
    from streamguard.core.model.types import (
        Finding,
        Quotation,
        Retrieval,
        RetrievedChunk,
        Score,
        Verdict,
    )
    from streamguard.core.reading.markers import refusal_message
    from streamguard.core.reading.roles import is_refusal
    from streamguard.core.sentence import Answer, Scope, Sentence
    from streamguard.core.validate import (
        GuardrailsInput,
        hallucination_markers,
        semantic_similarity,
        validate,
    )
    from streamguard.finished import check_text
    from streamguard.sinks.jsonl import jsonl_sink
    from streamguard.stream import GuardedStream, guard
    from streamguard.stream_sync import SyncGuardedStream, guard_sync
    from streamguard.text.segmenter import Segmenter
    from streamguard.verify.judge import Judge
    from streamguard.verify.verifier import Budget, Scorer, Verifier
    from streamguard.wire.codecs.sse import SSEDecoder, SSEEvent

__all__ = [
    "DEFAULT_CHECKS",
    "PATTERN_CHECKS",
    "Annotation",
    "Answer",
    "Budget",
    "Checks",
    "Claim",
    "Context",
    "Finding",
    "GuardedStream",
    "GuardrailsInput",
    "GuardrailsResult",
    "Judge",
    "LateContext",
    "NearUnit",
    "Policy",
    "Quotation",
    "Retrieval",
    "RetrievedChunk",
    "SSEDecoder",
    "SSEEvent",
    "Scope",
    "Score",
    "Scorer",
    "Segmenter",
    "Sentence",
    "SentenceAnnotation",
    "StreamGuard",
    "SyncGuardedStream",
    "Verdict",
    "Verifier",
    "__version__",
    "check_text",
    "guard",
    "guard_sync",
    "hallucination_markers",
    "is_refusal",
    "jsonl_sink",
    "refusal_message",
    "semantic_similarity",
    "validate",
]

# The module of each public name. It is imported when the name is first used, so that an import of
# few names is fast (benchmarks/bench_import.py).
_HOMES = {
    "core.checks": "DEFAULT_CHECKS PATTERN_CHECKS Checks",
    "core.context": "Context LateContext",
    "core.machine.claim": "Claim NearUnit",
    "core.machine.guard": "StreamGuard",
    "core.model.policy": "Policy",
    "core.model.result": "Annotation GuardrailsResult SentenceAnnotation",
    "core.model.types": "Finding Quotation Retrieval RetrievedChunk Score Verdict",
    "core.reading.markers": "refusal_message",
    "core.reading.roles": "is_refusal",
    "core.sentence": "Answer Scope Sentence",
    "core.validate": "GuardrailsInput hallucination_markers semantic_similarity validate",
    "finished": "check_text",
    "sinks.jsonl": "jsonl_sink",
    "stream": "GuardedStream guard",
    "stream_sync": "SyncGuardedStream guard_sync",
    "text.segmenter": "Segmenter",
    "verify.judge": "Judge",
    "verify.verifier": "Budget Scorer Verifier",
    "wire.codecs.sse": "SSEDecoder SSEEvent",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
