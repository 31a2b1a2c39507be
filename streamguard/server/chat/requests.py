"""The page's requests, parsed and bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Annotated, Literal, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from streamguard.errors import ConfigError
from streamguard.server.http.patience import BODY_S
from streamguard.server.results.feedback import explained

# All guesses: far above what people type, far below what costs noticeable time.
MAX_QUESTION_CHARS = 4_000
MAX_HISTORY_MESSAGES = 20  # ten questions and answers back
MAX_HISTORY_CHARS = 16_000  # of the messages that go to the model; the oldest go first
MAX_REQUEST_BYTES = 1_048_576

Model = TypeVar("Model", bound=BaseModel)


class ChatMessage(BaseModel):
    """One earlier turn of the conversation."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    role: Literal["user", "assistant"]
    content: str


class ChatQuestion(BaseModel):
    """`POST /api/chat`. `session` is an identifier of the page, for the log only."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS)]
    history: list[ChatMessage] = []
    preset: str | None = None
    session: Annotated[str | None, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] = None


async def read_json(request: web.Request, model: type[Model]) -> Model:
    """Return the request's JSON body as `model`; raises `ConfigError` with its fault.

    Only `application/json` is accepted: pages of other origins cannot send it without permission.
    """
    if request.content_type != "application/json":
        raise ConfigError(f"content type is {request.content_type}, expected application/json")
    try:
        async with asyncio.timeout(BODY_S):
            body = await request.read()
        return model.model_validate_json(body)
    except TimeoutError as exc:
        raise ConfigError("the request's body does not come") from exc
    except ValidationError as exc:
        raise ConfigError(explained(exc)) from exc


def recent(history: Sequence[ChatMessage]) -> list[dict[str, str]]:
    """Return the newest messages within both bounds, in order."""
    kept: list[dict[str, str]] = []
    room = MAX_HISTORY_CHARS
    for message in reversed(history[-MAX_HISTORY_MESSAGES:]):
        room -= len(message.content)
        if room < 0:
            break
        kept.append({"role": message.role, "content": message.content})
    return kept[::-1]


def chosen(name: str | None, default: str, allowed: Collection[str]) -> str:
    """Return the requested preset or the default; raises `ConfigError` for an unknown one."""
    if name is None:
        return default
    if name not in allowed:
        raise ConfigError(f"preset is {name!r}, expected one of {', '.join(allowed)}")
    return name
