"""What the chat server adds before the first token, and whether many chats at once end well.

    python benchmarks/bench_chat.py [--questions 300] [--chats 200] [--tokens 150]

The server runs in a process of its own; the model, a loopback server that streams a fixed answer,
and the clients share this one. Added is the time from sending a question to reading its first
token, less what the store's query took and less the time to the first token of the model when it
is asked directly, right after. The server's processor time from the question to the model's first
token, without the store's, says the same where other programs keep the machine busy. The documents
are the samples.
"""

import argparse
import asyncio
import json
import logging
import multiprocessing
import platform
import statistics
import sys
import time
from collections import Counter
from contextlib import aclosing
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from yarl import URL

from streamguard.core.model.policy import Policy
from streamguard.demo.chat_samples import DOCUMENTS
from streamguard.rag.folder import FolderStore
from streamguard.rag.indexing import FolderTarget, index_folder
from streamguard.server.chat.app import make_app
from streamguard.server.chat.model import extractive_model, upstream_model
from streamguard.server.chat.settings import PRESETS, ChatSettings, in_metric_of
from streamguard.server.workers.serve import make_runner, start

COLLECTION = "documents"
QUESTIONS = (
    "What are the vacation days?",
    "How do I configure the API?",
    "What does the Gold account cost?",
    "How many requests may a key send per minute?",
    "How many days a week may I work from home?",
)
SENTENCE = "Every full-time employee has 28 vacation days a year [C1]. "
THINKING_S = 0.02  # of the model, before its first token
TOKENS_PER_S = 50.0
FEW = 5  # tokens of an answer whose first one is timed: the rest is not what is measured


@dataclass
class TimedStore:
    """A store that remembers what its last query took: seconds, and seconds of a processor."""

    store: FolderStore
    took: float = 0.0
    worked: float = 0.0

    def query(self, collections, question, n):
        began, worked = time.perf_counter(), time.thread_time()
        found = self.store.query(collections, question, n)
        self.took, self.worked = time.perf_counter() - began, time.thread_time() - worked
        return found

    def __getattr__(self, name):
        return getattr(self.store, name)


@dataclass
class FakeModel:
    """Streams `tokens` tokens, `TOKENS_PER_S` a second."""

    tokens: int

    async def chat(self, request):
        await request.read()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await asyncio.sleep(THINKING_S)
        text = SENTENCE * (self.tokens * 4 // len(SENTENCE) + 1)
        for n in range(self.tokens):
            await response.write(_chunk({"content": text[4 * n : 4 * n + 4]}, None))
            await asyncio.sleep(1 / TOKENS_PER_S)
        await response.write(_chunk({}, "stop") + b"data: [DONE]\n\n")
        return response


def _chunk(delta, finish):
    chunk = {
        "id": "chatcmpl-bench",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "bench",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


async def ask(session, base, question):
    """Ask one question; return seconds to the first token, to the end, and what went wrong."""
    began = time.perf_counter()
    first, body = None, b""
    async with session.post(f"{base}/api/chat", json={"question": question}) as response:
        async for piece in response.content.iter_any():
            body += piece
            if first is None and b'"type":"token"' in body:
                first = time.perf_counter() - began
    ended = time.perf_counter() - began
    wrong = []
    if response.status != 200:
        wrong.append(f"status {response.status}")
    if b'"type":"error"' in body:
        wrong.append("error frame")
    if body.count(b'"type":"result"') != 1 or b'"complete":true' not in body:
        wrong.append("no complete result")
    if not body.endswith(b"data: [DONE]\n\n"):
        wrong.append("no end")
    return first, ended, wrong


async def ask_model(session, url):
    """Ask the model itself; return seconds to its first token."""
    began = time.perf_counter()
    body = {"model": "bench", "messages": [{"role": "user", "content": "x" * 4_000}]}
    async with session.post(f"{url}/chat/completions", json=body) as response:
        await response.content.readany()
        first = time.perf_counter() - began
        await response.read()
    return first


async def first_tokens(base, url, questions):
    """Ask one after the other; return what each added, and what the server worked for it, in ms."""
    added, worked = [], []
    async with aiohttp.ClientSession() as session:
        for n in range(questions + 20):  # the first ones warm everything up
            first, _, wrong = await ask(session, base, QUESTIONS[n % len(QUESTIONS)])
            if wrong or first is None:
                sys.exit(f"question {n} went wrong: {wrong}")
            waited = await ask_model(session, url) if url else 0.0
            async with session.get(f"{base}/took") as response:
                took, work = await response.json()
            added.append((first - took - waited) * 1_000)
            worked.append(work * 1_000)
    return added[20:], worked[20:]


async def many(base, chats):
    """Ask `chats` questions at once; print how that went."""
    connector = aiohttp.TCPConnector(limit=0)
    began = time.perf_counter()
    async with aiohttp.ClientSession(connector=connector) as session:
        asked = (ask(session, base, QUESTIONS[n % len(QUESTIONS)]) for n in range(chats))
        answers = await asyncio.gather(*asked, return_exceptions=True)
    took = time.perf_counter() - began
    errors = Counter(
        type(answer).__name__ if isinstance(answer, BaseException) else ", ".join(answer[2])
        for answer in answers
        if isinstance(answer, BaseException) or answer[2]
    )
    firsts = [a[0] * 1_000 for a in answers if not isinstance(a, BaseException) and a[0]]
    print(f"  {chats} chats at once: {sum(errors.values())} errors {dict(errors) or ''}")
    print(f"  first token {_row(firsts)} ms; all ended after {took:.1f} s")
    return not errors


def _row(figures):
    ordered = sorted(figures)
    p99 = ordered[min(len(ordered) - 1, round(len(ordered) * 0.99))]
    p50 = statistics.median(ordered)
    return f"min {ordered[0]:.2f}  p50 {p50:.2f}  p99 {p99:.2f}  max {ordered[-1]:.2f}"


def serve(url, connection):
    """Run the server in a process of its own; tell its address, stop when told to."""
    logging.disable(logging.INFO)
    asyncio.run(_serve(url, connection))


async def _serve(url, connection):
    folder = FolderStore()
    index_folder(DOCUMENTS, FolderTarget(folder, COLLECTION))
    store = TimedStore(folder)
    policies = {preset: Policy.preset(preset) for preset in PRESETS}
    policies = in_metric_of(store, [COLLECTION], policies)

    began = worked = 0.0

    def make_model(session):
        model = upstream_model(session, URL(url), "bench", None) if url else extractive_model()

        async def timed(prompt):
            nonlocal worked
            first = True
            async with aclosing(model(prompt)) as chunks:
                async for chunk in chunks:
                    if first:
                        first, worked = False, time.process_time() - began - store.worked
                    yield chunk

        return timed

    async def took(_request):
        return web.json_response([store.took, worked])

    @web.middleware
    async def clock(request, handler):
        nonlocal began
        if request.path == "/api/chat":
            began = time.process_time()
        return await handler(request)

    app = make_app(ChatSettings(store, [COLLECTION], policies, make_model))
    app.middlewares.insert(0, clock)
    app.router.add_get("/took", took)
    runner = make_runner(app)
    connection.send(await start(runner, "127.0.0.1", 0))
    await asyncio.to_thread(connection.recv)
    await runner.cleanup()
    folder.close()


async def measure(options):
    model = FakeModel(options.tokens)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", model.chat)
    runner = make_runner(app)
    url = await start(runner, "127.0.0.1", 0) + "/v1"
    fine = True
    for name, upstream in (("a model behind HTTP", url), ("the embedded answerer", None)):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=serve, args=(upstream, theirs)
        )
        process.start()
        base = await asyncio.to_thread(ours.recv)
        model.tokens = FEW
        added, worked = await first_tokens(base, upstream, options.questions)
        what = "added before" if upstream else "answer and all before"
        print(f"{name}: {what} the first token {_row(added)} ms ({len(added)} questions)")
        print(f"  of which the server's processor worked {_row(worked)} ms")
        model.tokens = options.tokens
        fine &= await many(base, options.chats)
        ours.send("stop")
        process.join()
    await runner.cleanup()
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--chats", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=150)
    logging.disable(logging.INFO)
    print(f"Python {platform.python_version()}, aiohttp {aiohttp.__version__}")
    return 0 if asyncio.run(measure(parser.parse_args())) else 1


if __name__ == "__main__":
    sys.exit(main())
