"""What a request says about the answer to come: question, passages, policy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError, DecodeError
from streamguard.wire.fields import text_at
from streamguard.wire.json_bytes import without_key
from streamguard.wire.reader import KEY
from streamguard.wire.shown import ContextFrom, context_of, context_of_request

__all__ = ["Asked", "Given", "Policies", "context_of", "given_in", "read_request", "without_given"]


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
    model: str = ""  # as the request names it


class _Chunk(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: str
    id: str | None = None
    source: str | None = None
    distance: float | None = None
    similarity: float | None = None
    metadata: dict[str, Any] = {}


class Given(BaseModel):
    """What an application says itself; it wins over what the request shows."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: str | None = None
    chunks: list[str | _Chunk] | None = None
    policy: str | None = None

    def over(self, other: Given) -> Given:
        """Return this, filled up from `other`."""
        said = {name: value for name, value in self if value is not None}
        return other.model_copy(update=said)


def read_request(
    body: bytes,
    policies: Policies,
    *,
    query: Mapping[str, str] | None = None,
    stored: Given | None = None,
    context_from: ContextFrom = "application",
) -> Asked:
    """Read a request's body; the key `streamguard` is taken out, every other byte stays.

    A body that is no JSON object goes on as it is; `query`, the address's, then stands for it.
    What the key says wins over a `stored` context, and that over what the request shows, of whose
    messages those count that `context_from` names (`context_of_request`). Raises
    `ConfigError` for a wrong key or a policy that is not allowed.
    """
    read = _object(body)
    request = (query or {}) if read is None else read
    given = given_in(request[KEY]) if KEY in request and read is not None else None
    said = (given or Given()).over(stored or Given())
    return Asked(
        body if given is None else without_given(body),
        _with_given(context_of_request(request, context_from=context_from), said),
        policies.named(said.policy),
        text_at(request, "model"),
    )


def given_in(value: Any) -> Given:
    """Return what the key's value says; `ConfigError` for a wrong one names the place."""
    try:
        return Given.model_validate(value)
    except ValidationError as exc:
        error = exc.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, (KEY, *error["loc"])))
        raise ConfigError(f"{where}: {error['msg']}; allowed are query, chunks, policy") from exc


def without_given(body: bytes) -> bytes:
    """Return `body` without the key `streamguard`; as it is where it is no JSON object."""
    try:
        return without_key(body, KEY)
    except DecodeError:
        return body


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        request = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    return request if isinstance(request, dict) else None


def _with_given(shown: Context, given: Given) -> Context:
    query = shown.query if given.query is None else given.query
    if given.chunks is None:
        return shown if query == shown.query else replace(shown, query=query)
    chunks = [
        RetrievedChunk(chunk) if isinstance(chunk, str) else RetrievedChunk(**chunk.model_dump())
        for chunk in given.chunks
    ]
    return Context(query=query, chunks=chunks)
