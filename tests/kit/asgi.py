"""An ASGI server of one request, for applications and the middleware around them."""

import json
from dataclasses import dataclass, field

import anyio

from streamguard.wire.codecs.lines import LineDecoder
from streamguard.wire.codecs.sse import SSEDecoder

CHAT_PATH = "/v1/chat/completions"


def scope(path="/ask", method="POST", query=b"", **headers):
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1",
        "method": method, "path": path, "raw_path": path.encode(), "query_string": query,
        "root_path": "", "scheme": "http", "headers": named, "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2), "state": {},
    }  # fmt: skip


@dataclass
class Sent:
    """What an application sent."""

    messages: list[dict] = field(default_factory=list)

    @property
    def status(self):
        return self.messages[0]["status"]

    @property
    def headers(self):
        return {name.decode(): value.decode() for name, value in self.messages[0]["headers"]}

    @property
    def id(self):
        return self.headers.get("x-streamguard-id")

    @property
    def bodies(self):
        return [m["body"] for m in self.messages if m["type"] == "http.response.body"]

    @property
    def body(self):
        return b"".join(self.bodies)

    @property
    def ended(self):
        last = self.messages[-1]
        return last["type"] == "http.response.body" and not last["more_body"]


async def call(app, asked, body=b"", *, leave=None, sent=None, fail=None):
    """Serve one request; the client leaves when `leave` is set, `fail` raises in the nth send."""
    sent = Sent() if sent is None else sent
    given = []

    async def receive():
        if not given:
            given.append(body)
            return {"type": "http.request", "body": body, "more_body": False}
        if leave is None:
            await anyio.sleep_forever()
        await leave.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        if fail is not None and len(sent.messages) == fail:
            raise OSError("the client has left")
        sent.messages.append(dict(message))
        await anyio.lowlevel.checkpoint()

    await app(asked, receive, send)
    return sent


async def start(send, kind="text/event-stream", status=200, headers=()):
    headers = [(b"content-type", kind.encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def say(send, *pieces, more=True):
    """Send pieces of a body; the last of them ends it unless there is more."""
    for number, piece in enumerate(pieces, 1):
        is_more = more or number < len(pieces)
        await send({"type": "http.response.body", "body": piece, "more_body": is_more})


def saying(pieces, kind="text/event-stream", status=200, headers=()):
    """Return an application that answers with `pieces`, the last of them the end."""

    async def app(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await start(send, kind, status, headers)
        await say(send, *pieces, more=False)

    return app


def events(body, lines=False):
    """Return the frames of a body."""
    decoder = LineDecoder() if lines else SSEDecoder()
    return [*decoder.feed(body), *decoder.close()]


def annotations(body, lines=False):
    """Return frame and annotation of every frame that bears one, wherever it rides."""
    found = []
    for event in events(body, lines):
        if event.data is None or not event.data.startswith("{"):
            continue
        frame = json.loads(event.data)
        if frame.get("type") == "data-streamguard":
            found.append((event, frame["data"]))
        owners = (frame, frame.get("response"), frame.get("messageMetadata"))
        found += [
            (event, each["streamguard"])
            for each in owners
            if isinstance(each, dict) and "streamguard" in each
        ]
        if frame.get("object") == "streamguard.result":
            found.append((event, frame))
    return found
