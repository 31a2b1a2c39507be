"""One question from the page: retrieval, gate, prompt, model, guard, and their frames."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

from aiohttp import web

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.result import Annotation, SentenceAnnotation
from streamguard.core.model.types import Retrieval
from streamguard.errors import StreamguardError, UpstreamError
from streamguard.rag.followups import searched_for
from streamguard.rag.gate import Declined, assess, declined_by, log_line
from streamguard.rag.prompts import build_prompt
from streamguard.rag.smalltalk import (
    asks_for_documents,
    documents_answer,
    greeting_answer,
    is_greeting,
    is_thanks,
    thanks_answer,
)
from streamguard.server.chat.frames import (
    DONE,
    UTF16Spans,
    frame,
    result_frame,
    retrieval_frame,
)
from streamguard.server.chat.model import TURN_S, Model, pieces
from streamguard.server.chat.requests import ChatQuestion, recent
from streamguard.server.chat.settings import SCRIPTED, ChatSettings
from streamguard.server.observe.logs import annotation_fields, error_of
from streamguard.server.results.result_store import ResultStore
from streamguard.sinks.sql.records import About, keywords_of, policy_hash, sentences_of
from streamguard.stream import GuardedStream, guard
from streamguard.wire.protocols.openai_chat import text_of

log = logging.getLogger("streamguard.chat")

JUDGED_EVERY_S = 0.2  # between two looks for a judge's late verdicts; guess: seems immediate

_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One question: the model that answers it, and the evidence to check the answer against.

    `kind` is greeting, thanks, documents or question. Only a question has a `retrieval`; a
    follow-up was `searched_for` together with the earlier question.
    """

    kind: str
    source: AsyncGenerator[Any, None]
    context: Context
    retrieval: Retrieval | None = None
    searched_for: str | None = None
    declined: Declined | None = None


@dataclass(slots=True)
class Chat:
    """Answers the questions of one server, and counts open ones."""

    settings: ChatSettings
    model: Model
    results: ResultStore
    answers: ResultStore  # those that feedback is taken on
    open_chats: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def answer(
        self, request: web.Request, body: ChatQuestion, preset: str
    ) -> web.StreamResponse:
        """Stream the answer to one question as frames, errors included."""
        response = web.StreamResponse(headers=_HEADERS)
        self.open_chats += 1
        self.tasks.add(request.task)
        line: dict[str, Any] = {"session": body.session, "preset": preset, "outcome": "cancelled"}
        began = monotonic()
        try:
            await response.prepare(request)
            await self._speak(response, body, self.settings.policies[preset], line)
        except ConnectionError:
            line["outcome"] = "client_gone"
        finally:
            self.open_chats -= 1
            self.tasks.discard(request.task)
            line["duration_ms"] = round((monotonic() - began) * 1_000, 1)
            log.info(line.pop("event", "retrieval"), extra={"fields": line})
        return response

    async def drain(self, grace_s: float) -> None:
        """Let open answers end; cancel them after `grace_s` seconds."""
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=grace_s)

    async def sources(self) -> dict[str, int]:
        """Return the sources of all collections with the number of their chunks.

        Raises `UpstreamError` with a readable message if the store cannot be reached.
        """
        counts: Counter[str] = Counter()
        for name in self.settings.collections:
            with _for_everybody("the documents cannot be listed right now"):
                counts.update(await asyncio.to_thread(self.settings.store.sources, name))
        return dict(counts)

    async def retrieve(
        self, collections: list[str], question: str, policy: Policy
    ) -> tuple[Retrieval, Declined | None, dict[str, Any]]:
        """Query the store and the gate; return the retrieval, the refusal, and the log fields.

        Raises `UpstreamError` with a readable message if the store cannot be reached.
        """
        began = monotonic()
        store, count = self.settings.store, self.settings.passages
        with _for_everybody("the documents cannot be searched right now"):
            chunks = await asyncio.to_thread(store.query, collections, question, count)
        retrieval = assess(chunks, policy)
        line = log_line(retrieval, policy, collections)
        line["retrieval_ms"] = round((monotonic() - began) * 1_000, 1)
        declined = declined_by(chunks, retrieval, policy)
        line["declined_by"] = declined.setting if declined else None
        return retrieval, declined, line

    async def _speak(
        self,
        response: web.StreamResponse,
        body: ChatQuestion,
        policy: Policy,
        line: dict[str, Any],
    ) -> None:
        try:
            turn = await self._turn(body, policy, line)
            if turn.retrieval is not None:
                await response.write(
                    retrieval_frame(turn.retrieval, turn.searched_for, turn.declined)
                )
            await self._relay(response, turn, policy, line)
            line["outcome"] = "broken_off" if "error" in line else "answered"
        except UpstreamError as exc:
            line |= {"outcome": "failed", "error": error_of(exc)}
            await response.write(frame("error", message=_for_people(exc)))
        except ConnectionError:
            raise  # the client has left: there is nobody to reply to
        except Exception as exc:
            log.exception("chat_failed")
            line |= {"outcome": "failed", "error": error_of(exc)}
            await response.write(frame("error", message="Something went wrong here."))
        await response.write(DONE)

    async def _turn(self, body: ChatQuestion, policy: Policy, line: dict[str, Any]) -> Turn:
        rate = self.settings.tokens_per_s
        # Small talk needs no passages, so it is checked against none.
        for kind, is_kind, answer in (
            ("greeting", is_greeting, greeting_answer),
            ("thanks", is_thanks, thanks_answer),
            ("documents", asks_for_documents, documents_answer),
        ):
            if is_kind(body.question):
                line["event"] = kind
                text = answer(list(await self.sources()))
                return Turn(kind, pieces(text, rate), Context())
        question = body.question.removesuffix(SCRIPTED)
        script = self.settings.scripts.get(question) if question != body.question else None
        history = recent(body.history) if script is None else []  # a script follows nothing
        query = searched_for(question, history)
        follows = query != question
        collections = list(self.settings.collections)
        retrieval, declined, retrieved = await self.retrieve(collections, query, policy)
        line |= {**retrieved, "follow_up": follows}
        prompt = build_prompt(question, retrieval, policy, history)
        source = self.model(prompt) if script is None else pieces(script, rate)
        words = query if follows else None
        return Turn("question", source, prompt.context, retrieval, words, declined)

    async def _relay(
        self,
        response: web.StreamResponse,
        turn: Turn,
        policy: Policy,
        line: dict[str, Any],
    ) -> None:
        """Relay the answer's pieces as they come, then the verdict.

        An answer that breaks off after its first piece has a verdict too; the error is raised
        again.
        """
        texts: list[str] = []
        began = turn_began = monotonic()
        # The verdict is shown at once; the verifiers' scores follow.
        prompt_policy = policy.model_copy(update={"max_tail_wait_s": 0.0})
        stream = guard(
            turn.source,
            context=turn.context,
            policy=prompt_policy if self.settings.verifiers else policy,
            live=True,
            sinks=[partial(self._keep, turn, policy, texts, began)],
            verifiers=self.settings.verifiers,
        )
        self.results.open(stream.id)
        spans = UTF16Spans(turn.retrieval.chunks if turn.retrieval else ())
        try:
            async with stream:
                async for item in stream:
                    if isinstance(item, SentenceAnnotation):
                        await response.write(spans.sentence_frame(item))
                    elif not isinstance(item, Annotation) and (text := _text(item)):
                        spans.add(text)
                        texts.append(text)
                        if "first_token_ms" not in line:
                            line["first_token_ms"] = round((monotonic() - began) * 1_000, 1)
                        await response.write(frame("token", text=text))
                    await _send_judged(response, stream, spans)
                    if monotonic() - turn_began > TURN_S:
                        # A model that sends much at once must not keep the others waiting.
                        await asyncio.sleep(0)
                        turn_began = monotonic()
        except UpstreamError as exc:
            if "first_token_ms" not in line:
                raise
            line["error"] = error_of(exc)
            await response.write(frame("error", message=_for_people(exc)))
        finally:
            line |= annotation_fields(stream.annotation)
        await response.write(result_frame(stream.annotation, policy.on_refuse))
        if stream.annotation.state == "pending":
            self.answers.put(stream.annotation)  # people may say what they think of it by now
            awaited = asyncio.ensure_future(stream.final())
            try:
                while not awaited.done():
                    await asyncio.wait({awaited}, timeout=JUDGED_EVERY_S)
                    await _send_judged(response, stream, spans)
            finally:
                awaited.cancel()  # where the page has left: the sinks get it all the same
            final = awaited.result()
            line |= annotation_fields(final)
            await response.write(result_frame(final, policy.on_refuse))

    def _keep(
        self, turn: Turn, policy: Policy, texts: list[str], began: float, annotation: Annotation
    ) -> None:
        about = None
        if self.results.shared is not None:
            query = turn.searched_for or turn.context.query
            about = About(
                model=self.settings.model_name,
                collection=", ".join(self.settings.collections),
                policy_hash=policy_hash(policy),
                keywords=keywords_of(query),
                question=query,
                sentences=sentences_of(annotation, {0: texts}, policy),
                duration_ms=round((monotonic() - began) * 1_000, 1),
            )
        self.results.put(annotation, about)
        self.answers.put(annotation)


@contextmanager
def _for_everybody(message: str) -> Iterator[None]:
    """Raise `message` in place of a store's own error, which names paths of this machine."""
    try:
        yield
    except StreamguardError as exc:
        log.warning("store_failed", extra={"fields": {"error": error_of(exc)}})
        raise UpstreamError(message) from exc


async def _send_judged(
    response: web.StreamResponse, stream: GuardedStream[Any], spans: UTF16Spans
) -> None:
    """Send the judge's new scores of sentences."""
    for judge, choice, sentence, verdict in stream.examiner.take_judge_scores():
        if choice == 0:
            await response.write(spans.judged_frame(judge, sentence, verdict))


def _text(item: Any) -> str:
    return item if isinstance(item, str) else text_of(item).get(0, "")


def _for_people(error: UpstreamError) -> str:
    text = str(error)  # our own words, which hold no secret
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
