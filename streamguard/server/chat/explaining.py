"""`POST /api/explain`: the reasons of an answer's status, for developers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field

from streamguard.core.context import Context
from streamguard.core.explain.explanation import Explanation
from streamguard.core.explain.recorder import explain_text
from streamguard.core.explain.telling import entries_of, scored_in_words
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import RetrievedChunk
from streamguard.errors import ConfigError
from streamguard.server.chat.requests import chosen, read_json
from streamguard.server.http.bodies import refused

# Guesses: longer than answers and retrieved passages are, and read within half a second.
MAX_ANSWER_CHARS = 50_000
MAX_PASSAGES = 100

_POLICIES = web.AppKey("explain_policies", Mapping[str, Policy])
_ONE = web.AppKey("explain_one", asyncio.Lock)  # the threads of many would take the streams' turns


class ShownPassage(BaseModel):
    """A passage on the page; its other fields are ignored."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    id: str
    text: str
    source: str | None = None


class ShownAnswer(BaseModel):
    """An answer on the page, with its evidence.

    `passages` is None if nothing was retrieved, as for small talk.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    answer: Annotated[str, Field(max_length=MAX_ANSWER_CHARS)]
    question: str | None = None
    passages: Annotated[list[ShownPassage], Field(max_length=MAX_PASSAGES)] | None = None
    preset: str
    citations_requested: bool = False


def add_explain(app: web.Application, policies: Mapping[str, Policy]) -> None:
    """Serve explanations of answers; `policies` are those that a page may name."""
    app[_POLICIES], app[_ONE] = policies, asyncio.Lock()
    app.router.add_post("/api/explain", _explain)


async def _explain(request: web.Request) -> web.Response:
    """Reply with the explanation and its statements by sentence; nothing is stored or logged."""
    policies = request.app[_POLICIES]
    try:
        shown = await read_json(request, ShownAnswer)
        policy = policies[chosen(shown.preset, shown.preset, policies)]
    except ConfigError as exc:
        return refused(400, str(exc), "bad_request")
    async with request.app[_ONE]:
        document = await asyncio.to_thread(_document, shown, policy)
    return web.json_response(document)


def _document(shown: ShownAnswer, policy: Policy) -> dict[str, Any]:
    passages = None
    if shown.passages is not None:
        passages = [RetrievedChunk(one.text, one.id, one.source) for one in shown.passages]
    context = Context(
        query=shown.question,
        chunks=passages,
        citations_requested=shown.citations_requested,
    )
    explanation = explain_text(shown.answer, context=context, policy=policy)
    return {"explanation": explanation.to_dict(), "sentences": _in_words(explanation)}


def _in_words(explanation: Explanation) -> list[dict[str, Any]]:
    """Return the statements about each sentence, as on the terminal."""
    return [
        {
            "text": sentence.text,
            "scored": scored_in_words(sentence, explanation),
            "entries": [entry._asdict() for entry in entries_of(sentence, explanation)],
        }
        for sentence in explanation.sentences
    ]
