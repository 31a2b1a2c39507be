"""A chat server over real sockets, and what its page would receive."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from yarl import URL

from streamguard.core.model.policy import Policy
from streamguard.demo.chat_samples import DOCUMENTS
from streamguard.rag.folder import FolderStore
from streamguard.rag.indexing import FolderTarget, index_folder
from streamguard.server.chat.app import make_app
from streamguard.server.chat.model import extractive_model, upstream_model
from streamguard.server.chat.settings import PRESETS, ChatSettings, in_metric_of
from streamguard.server.workers.serve import make_runner, start

PATIENCE_S = 20.0  # an event that does not come by then never comes
COLLECTION = "documents"


def folder_store(folder=DOCUMENTS):
    """Return a store in memory with the documents of a folder; the caller closes it."""
    store = FolderStore()
    index_folder(folder, FolderTarget(store, COLLECTION))
    return store


def policies_of(store, **overrides):
    """Return the presets in the store's metric."""
    presets = {name: Policy.preset(name, **overrides) for name in PRESETS}
    return in_metric_of(store, [COLLECTION], presets)


def asking(url, key=None, name="mock"):
    """Return what makes the model behind a server's address."""
    return lambda session: upstream_model(session, URL(url) / "v1", name, key)


@asynccontextmanager
async def chatting(store, upstream=None, key=None, **settings):
    """Run a chat server over `store`; gives its base URL."""
    make_model = (lambda _: extractive_model()) if upstream is None else asking(upstream, key)
    given = {"policies": policies_of(store), "make_model": make_model, **settings}
    runner = make_runner(make_app(ChatSettings(store, [COLLECTION], **given)))
    try:
        yield await start(runner, "127.0.0.1", 0)
    finally:
        await runner.cleanup()


@dataclass
class Said:
    """What one question was answered with, frame by frame."""

    status: int
    body: bytes

    @property
    def frames(self):
        """The frames but for the end sign, which must be the last."""
        *events, last, rest = self.body.split(b"\n\n")
        assert (last, rest) == (b"data: [DONE]", b"")
        return [json.loads(event.removeprefix(b"data: ")) for event in events]

    @property
    def kinds(self):
        """The types of the frames in order, neighbours of one kind once."""
        types = [frame["type"] for frame in self.frames]
        return [kind for at, kind in enumerate(types) if types[at - 1 : at] != [kind]]

    @property
    def text(self):
        """The answer."""
        return "".join(frame["text"] for frame in self.frames if frame["type"] == "token")

    def one(self, kind):
        """The only frame of this kind."""
        (found,) = [frame for frame in self.frames if frame["type"] == kind]
        return found

    @property
    def annotation(self):
        """The annotation of the result frame."""
        return self.one("result")["annotation"]

    @property
    def result(self):
        """The verdict."""
        return self.annotation["result"]


@asynccontextmanager
async def opened(base, question, **more):
    """Ask a question and give the response, to be read as the test likes."""
    async with (
        asyncio.timeout(PATIENCE_S),
        aiohttp.ClientSession() as session,
        session.post(f"{base}/api/chat", json={"question": question, **more}) as response,
    ):
        yield response


async def say(base, question, **more):
    """Ask a question and read the answer to its end."""
    async with opened(base, question, **more) as response:
        return Said(response.status, await response.read())


async def fetch(base, path, method="GET", **more):
    """Send a request; return status, headers and body (parsed where it is JSON)."""
    async with (
        asyncio.timeout(PATIENCE_S),
        aiohttp.ClientSession() as session,
        session.request(method, base + path, **more) as response,
    ):
        body = await response.read()
        parsed = json.loads(body) if response.content_type == "application/json" else body
        return response.status, response.headers, parsed
