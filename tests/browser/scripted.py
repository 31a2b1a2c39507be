"""A chat server that streams scripts, in a thread of its own: the page's API, nothing behind it."""

import asyncio
from contextlib import asynccontextmanager, contextmanager

from aiohttp import web

from streamguard import Annotation, Context, Policy, SentenceAnnotation, guard
from streamguard.server.chat import pages as chat_page
from streamguard.server.chat.explaining import add_explain
from streamguard.server.chat.frames import DONE, UTF16Spans, frame, result_frame, retrieval_frame
from streamguard.server.chat.settings import PRESETS
from tests.browser.scripts import SCRIPTS
from tests.browser.threads import PATIENCE_S, in_thread
from tests.kit.serving import serving

PIECE_CHARS = 7


class ScriptedChat:
    """What was asked of the server, what it waits for, and the base URL it listens on."""

    def __init__(self):
        self.url = ""
        self.asked = []
        self.feedback = []
        self.feedback_status = 204
        self.questions = [*list(SCRIPTS)[:4], "What does a pass cost? (faulty answer)"]
        self.show_documents = False
        self._loop = asyncio.new_event_loop()
        self._go = asyncio.Semaphore(0)

    def go_on(self):
        """Let the script that waits at a hold run on to the next one."""
        self._loop.call_soon_threadsafe(self._go.release)

    @contextmanager
    def running(self):
        with in_thread(self._served(), self._loop) as self.url:
            yield self

    @asynccontextmanager
    async def _served(self):
        app = web.Application()
        app.on_response_prepare.append(chat_page.add_headers)
        chat_page.add_page(app)
        app.router.add_get("/api/config", self._config)
        app.router.add_post("/api/chat", self._chat)
        add_explain(app, {name: Policy.preset(name) for name in PRESETS})
        app.router.add_post("/streamguard/feedback", self._feedback)
        async with serving(app) as url:
            yield url
            for _ in range(100):  # whoever still waits at a hold
                self._go.release()

    async def _config(self, _request):
        sources = {"prices.md": 4, "javascript:alert(1)": 1}
        return web.json_response({
            "title": "Harbourlight help desk", "model": "scripted", "preset": "moderate",
            "presets": ["strict", "moderate", "lenient"], "on_refuse": "annotate",
            "documents": [{"source": name, "chunks": count} for name, count in sources.items()],
            "questions": self.questions, "show_documents": self.show_documents,
        })  # fmt: skip

    async def _feedback(self, request):
        self.feedback.append(await request.json())
        return web.Response(status=self.feedback_status)

    async def _chat(self, request):
        body = await request.json()
        self.asked.append(body)
        script = SCRIPTS[body["question"]]
        if script.ends == "refused":
            error = {"error": {"message": "Too many chats are open.", "code": "too_many_chats"}}
            return web.json_response(error, status=503)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await self._stream(response, script)
        if script.ends == "cut":
            request.transport.abort()
        return response

    async def _stream(self, response, script):
        chunks = script.passages
        if script.retrieval:
            await response.write(retrieval_frame(script.retrieval, None, script.declined))
        known = {"citations_requested": bool(chunks), "retrieval": script.retrieval}
        context = Context(query=script.query, chunks=chunks, **known)
        spans = UTF16Spans(chunks or ())
        stream = guard(self._pieces(script), context=context, policy=script.policy, live=True)
        async with stream:
            async for item in stream:
                if isinstance(item, SentenceAnnotation):
                    await response.write(spans.sentence_frame(item))
                elif isinstance(item, Annotation):
                    await self._end(response, script, item)
                else:
                    spans.add(item)
                    await response.write(frame("token", text=item))

    async def _end(self, response, script, annotation):
        if script.ends == "cut":
            return
        if script.ends == "error":
            await response.write(frame("error", message="The model cannot be reached."))
            if not script.answer:
                await response.write(DONE)
                return
        await response.write(frame("of a later version", anything=[1]))
        await response.write(result_frame(annotation, script.on_refuse))
        await response.write(DONE)

    async def _pieces(self, script):
        text = script.answer
        stops = sorted(text.index(mark) for mark in script.hold)
        for start in range(0, len(text), PIECE_CHARS):
            while stops and stops[0] < start + PIECE_CHARS:
                stops.pop(0)
                await asyncio.wait_for(self._go.acquire(), PATIENCE_S)
            yield text[start : start + PIECE_CHARS]
