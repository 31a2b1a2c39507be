"""The settings of a chat server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from streamguard.core.model.policy import Policy
from streamguard.rag.gate import policy_on
from streamguard.rag.stores import Store
from streamguard.server.chat.model import Model
from streamguard.server.results.feedback import MAX_FILE_BYTES
from streamguard.server.results.result_store import MAX_RESULTS, TTL_S
from streamguard.server.results.shared import SharedSettings
from streamguard.verify.verifier import Verifier

LISTEN = "127.0.0.1:8090"  # loopback: more must be asked for
# Asked of the store for a question. With 6 one of eight questions that pass in a handbook by an
# author who knew nothing of this misses the file that answers it, with 8 it is there.
PASSAGES = 8
MAX_OPEN_CHATS = 1_024  # guess, five times the need of 200 people at once
PRESETS = ("strict", "moderate", "lenient")  # a person's choices
EMBEDDED = "no model: quotes the documents"  # the answerer of the page without a model
# Behind a question: it is answered with its scripted, faulty answer.
SCRIPTED = " (faulty answer)"
MAX_ANSWERS = 2_000  # the newest answers that feedback can be given on; guess, some 10 MB
FEEDBACK_FILE = "streamguard-feedback.jsonl"


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """The settings of a chat server.

    `policies`, in the store's metric, are those that a question may name; `preset` is the default
    among them. `make_model` is called once the server runs, with a session of the same lifetime.
    `show_documents`: their list is open at first. `scripts`: faulty answers by their question,
    requested with `SCRIPTED` after it. `verifiers` score claims in parallel: the page shows the
    verdict at once, and again with their scores. `hosts`: the only host names accepted, None for
    any.
    """

    store: Store
    collections: Sequence[str]
    policies: Mapping[str, Policy]
    make_model: Callable[[aiohttp.ClientSession], Model]
    model_name: str = EMBEDDED
    preset: str = "moderate"
    title: str = "streamguard chat"
    questions: Sequence[str] = ()
    show_documents: bool = False
    scripts: Mapping[str, str] = field(default_factory=dict)
    tokens_per_s: float = 0.0  # of answers that come from no model; 0: at once
    passages: int = PASSAGES
    feedback: Path = Path(FEEDBACK_FILE)
    store_text: bool = False
    shared: SharedSettings | None = None
    verifiers: Sequence[Verifier] = ()
    hosts: frozenset[str] | None = None
    max_open_chats: int = MAX_OPEN_CHATS
    max_results: int = MAX_RESULTS
    results_ttl_s: float = TTL_S
    max_feedback_answers: int = MAX_ANSWERS
    max_feedback_bytes: int = MAX_FILE_BYTES


def in_metric_of(
    store: Store, collections: Sequence[str], policies: Mapping[str, Policy]
) -> dict[str, Policy]:
    """Return the policies in the metric of these collections; asks the store, may block.

    Raises `ConfigError` for missing collections or different metrics, and for a policy that does
    not fit.
    """
    return {name: policy_on(store, collections, policy) for name, policy in policies.items()}
