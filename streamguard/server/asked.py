"""What a Chat Completions request says about the answer to come: question, passages, policy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from streamguard.core.context import Context
from streamguard.core.markers import context_block, passages, split_question
from streamguard.core.policy import Policy
from streamguard.core.types import RetrievedChunk
from streamguard.errors import ConfigError, DecodeError
from streamguard.wire.json_bytes import without_key
from streamguard.wire.openai_chat import KEY


@dataclass(frozen=True, slots=True)
class Policies:
    """The server's own policy, and those that a request may choose by name."""

    default: Policy = field(default_factory=Policy)
    allowed: Mapping[str, Policy] = field(default_factory=dict)

    def named(self, name: str | None) -> Policy:
        """Return the policy of that name; `ConfigError` where requests may not choose it."""
        if name is None or name == self.default.name:
            return self.default
        if name not in self.allowed:
            known = ", ".join(sorted({self.default.name, *self.allowed}))
            raise ConfigError(f"{KEY}.policy is {name!r}, this server allows {known}")
        return self.allowed[name]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it goes on, and what its answer is checked against."""

    body: bytes
    context: Context
    policy: Policy


class _Chunk(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    id: str | None = None
    source: str | None = None
    distance: float | None = None
    similarity: float | None = None
    metadata: dict[str, Any] = {}


class _Given(BaseModel):
    """The body key: what the application says itself wins over what the messages show."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: str | None = None
    chunks: list[str | _Chunk] | None = None
    policy: str | None = None


def read_request(body: bytes, policies: Policies) -> Asked:
    """Read a request's body; the key `streamguard` is taken out, every other byte stays.

    A body that is no JSON object goes on as it is, without context. Raises `ConfigError` for a
    wrong key or a policy that is not allowed.
    """
    request = _object(body)
    if request is None:
        return Asked(body, Context(), policies.default)
    given = _given(request)
    if given is None:
        return Asked(body, context_of(request.get("messages")), policies.default)
    return Asked(
        without_given(body),
        _with_given(context_of(request.get("messages")), given),
        policies.named(given.policy),
    )


def without_given(body: bytes) -> bytes:
    """Return `body` without the key `streamguard`; as it is where it is no JSON object."""
    try:
        return without_key(body, KEY)
    except DecodeError:
        return body


def context_of(messages: Any) -> Context:
    """Return what the messages show: the last question asked, and the last passages given.

    Passages stand between the boundary lines or behind `[Cn]` marks, in any message but the
    assistant's. Messages of any shape are accepted; what is not text is not read.
    """
    query: str | None = None
    block: str | None = None
    for message in messages if isinstance(messages, list) else ():
        role = message.get("role") if isinstance(message, dict) else None
        if role is None or role == "assistant":
            continue
        text = _text(message.get("content"))
        found, question = split_question(text)
        if found or context_block(text) is not None:
            block = found
        if role == "user":
            query = question or None
    cited = block is not None and bool(passages(block))
    return Context(query=query, prompt_context=block, citations_requested=cited)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        request = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    return request if isinstance(request, dict) else None


def _given(request: dict[str, Any]) -> _Given | None:
    if KEY not in request:
        return None
    try:
        return _Given.model_validate(request[KEY])
    except ValidationError as exc:
        error = exc.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, (KEY, *error["loc"])))
        raise ConfigError(f"{where}: {error['msg']}; allowed are query, chunks, policy") from exc


def _with_given(shown: Context, given: _Given) -> Context:
    query = shown.query if given.query is None else given.query
    if given.chunks is None:
        return Context(
            query=query,
            prompt_context=shown.prompt_context,
            citations_requested=shown.citations_requested,
        )
    chunks = [
        RetrievedChunk(chunk) if isinstance(chunk, str) else RetrievedChunk(**chunk.model_dump())
        for chunk in given.chunks
    ]
    return Context(query=query, chunks=chunks)
