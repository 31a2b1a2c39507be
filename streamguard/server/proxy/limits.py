"""Every limit and time-out of a proxy in one table, for its help and its metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from streamguard.core.machine.answer_text import MAX_TEXT_CHARS
from streamguard.core.machine.choices import MAX_CHOICES
from streamguard.core.machine.judging import MAX_SENTENCES
from streamguard.core.model.types import MAX_FINDINGS
from streamguard.server.http.inflating import MAX_INFLATED_BYTES
from streamguard.server.http.patience import BODY_S, HEAD_S, KEPT_S
from streamguard.server.relay.checking import MAX_TAIL_WAIT_S
from streamguard.server.relay.json_answer import MAX_ANSWER_BYTES
from streamguard.server.relay.relay import MAX_HELD_BYTES, MAX_HELD_LAST_BYTES
from streamguard.server.request_context import MAX_CHUNKS, MAX_CONTEXT_CHARS
from streamguard.server.results import context_store
from streamguard.server.workers.serve import GRACE_S
from streamguard.text.segmenter import MAX_SENTENCE_CHARS
from streamguard.wire.bounds import MAX_VALUES as MAX_EVENT_VALUES
from streamguard.wire.codecs.json_turns import MAX_DEPTH, MAX_VALUES
from streamguard.wire.codecs.sse import MAX_EVENT_BYTES, MAX_EVENT_LINES

CONNECT_TIMEOUT_S = 30.0  # guess


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit without a flag; its name ends with the unit."""

    name: str
    value: float
    beyond: str


FIXED = (
    Limit("sentence_characters", MAX_SENTENCE_CHARS, "the sentence is cut"),
    Limit("choice_characters", MAX_TEXT_CHARS, "unchecked"),
    Limit("choices", MAX_CHOICES, "unchecked"),
    Limit("sentences", MAX_SENTENCES, "unchecked"),
    Limit("findings", MAX_FINDINGS, "not listed"),
    Limit("event_bytes", MAX_EVENT_BYTES, "the event passes unread"),
    Limit("event_values", MAX_EVENT_VALUES, "the event passes unread"),
    Limit("event_lines", MAX_EVENT_LINES, "the event passes unread"),
    Limit("json_answer_bytes", MAX_ANSWER_BYTES, "unchecked"),
    Limit("inflated_bytes", MAX_INFLATED_BYTES, "a longer compressed body is unchecked"),
    Limit("held_bytes", MAX_HELD_BYTES, "an unfinished event goes on as it comes"),
    Limit("held_last_bytes", MAX_HELD_LAST_BYTES, "so does one that may be the last"),
    Limit("context_chunks", MAX_CHUNKS, "unchecked; 413 where it is posted"),
    Limit("context_characters", MAX_CONTEXT_CHARS, "unchecked; 413 where it is posted"),
    Limit("request_values", MAX_VALUES, "unchecked; 413 where it is posted"),
    Limit("request_depth", MAX_DEPTH, "unchecked; 413 where it is posted"),
    Limit("contexts", context_store.MAX_CONTEXTS, "the oldest goes first"),
    Limit("context_bytes", context_store.MAX_CONTEXT_BYTES, "the oldest goes first"),
    Limit("context_seconds", context_store.TTL_S, "forgotten"),
    Limit("head_seconds", HEAD_S, "the connection ends"),
    Limit("kept_seconds", KEPT_S, "a connection without a request ends"),
    Limit("request_seconds", BODY_S, "408, for a body of which nothing or too little comes"),
    Limit("connect_seconds", CONNECT_TIMEOUT_S, "504"),
    Limit("tail_seconds", MAX_TAIL_WAIT_S, "the annotation in the answer says pending"),
    Limit("grace_seconds", GRACE_S, "told to stop, open answers are cut"),
)


def table() -> str:
    """Return the fixed limits as text, one per line."""
    return "\n".join(
        f"  {limit.name.replace('_', ' '):20} {limit.value:>12,.0f}   {limit.beyond}"
        for limit in FIXED
    )


def in_force(chosen: Mapping[str, float]) -> dict[str, float]:
    """Return the fixed limits and the `chosen` ones by name; chosen ones take precedence."""
    return {**{limit.name: limit.value for limit in FIXED}, **chosen}
