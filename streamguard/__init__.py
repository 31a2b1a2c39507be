"""Pass an LLM token stream through untouched and close it with one annotation.

Every sentence is checked against the retrieved chunks while the tokens flow; the annotation that
follows the last token carries the full `GuardrailsResult`.
"""

from streamguard.core.checks import DEFAULT_CHECKS, PATTERN_CHECKS, Checks
from streamguard.core.context import Context
from streamguard.core.guard import StreamGuard
from streamguard.core.late import LateContext
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, GuardrailsResult, SentenceAnnotation
from streamguard.core.model.types import Finding, Retrieval, RetrievedChunk, Verdict
from streamguard.core.reading.markers import refusal_message
from streamguard.core.reading.refusals import is_refusal
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
from streamguard.verify.verifier import Budget, Verifier
from streamguard.wire.sse import SSEDecoder, SSEEvent

__all__ = [
    "DEFAULT_CHECKS",
    "PATTERN_CHECKS",
    "Annotation",
    "Answer",
    "Budget",
    "Checks",
    "Context",
    "Finding",
    "GuardedStream",
    "GuardrailsInput",
    "GuardrailsResult",
    "LateContext",
    "Policy",
    "Retrieval",
    "RetrievedChunk",
    "SSEDecoder",
    "SSEEvent",
    "Scope",
    "Segmenter",
    "Sentence",
    "SentenceAnnotation",
    "StreamGuard",
    "SyncGuardedStream",
    "Verdict",
    "Verifier",
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
