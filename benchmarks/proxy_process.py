"""`streamguard proxy` in a process of its own, what it takes of the machine, and raw HTTP to it."""

import asyncio
import contextlib
import json
import socket
import struct
import sys
from collections import Counter
from pathlib import Path

PASSAGES = (
    "[C1] Source: plans.md\nThe Basic plan costs $10 per month and includes 5 projects."
    "\n[C2] Source: support.md\nSupport answers within 24 hours on working days."
)


def request(passages):
    """Return the body of a request that shows those passages."""
    messages = [
        {"role": "system", "content": passages},
        {"role": "user", "content": "What does the Basic plan cost?"},
    ]
    return json.dumps({"model": "bench", "stream": True, "messages": messages}).encode()


REQUEST = request(PASSAGES)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
DONE = b"data: [DONE]\n\n"


def chunk(data):
    """Return `data` as one chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def event(text=None, finish=None):
    """Return one frame of a chat."""
    delta = {} if text is None else {"content": text}
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    head = {
        "id": "chatcmpl-9yTqX1B3xvS0",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
    }
    said = {**head, "model": "bench", "choices": [choice]}
    return b"data: " + json.dumps(said, separators=(",", ":")).encode() + b"\n\n"


class ProxyProcess:
    """A proxy in front of `upstream`; every figure is the kernel's, of that process alone."""

    def __init__(self, upstream, *flags):
        self._flags = ("proxy", "--upstream", upstream, "--listen", "127.0.0.1:0", *flags)
        self.logged = Counter()  # lines by level and event

    async def __aenter__(self):
        """Start it, and wait until it listens."""
        if sys.platform != "linux":
            raise SystemExit("this needs Linux: it reads memory and descriptors from /proc")
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "streamguard", *self._flags), stderr=asyncio.subprocess.PIPE
        )
        listening = asyncio.get_running_loop().create_future()
        self._reading = asyncio.create_task(self._read_log(listening))
        self.base = await asyncio.wait_for(listening, 60)
        self.port = int(self.base.rpartition(":")[2])
        self._proc = Path(f"/proc/{self.process.pid}")
        return self

    async def __aexit__(self, *_):
        """Tell it to stop, and wait for that."""
        with contextlib.suppress(ProcessLookupError):
            self.process.terminate()
        await self.process.wait()
        await self._reading

    async def _read_log(self, listening):
        async for line in self.process.stderr:
            try:
                said = json.loads(line)
            except ValueError:
                said = {"level": "error", "event": line.decode(errors="replace").strip()}
            self.logged[said["level"], said["event"]] += 1
            if said["event"] == "listening" and not listening.done():  # each worker says so
                listening.set_result(said["address"])
        if not listening.done():
            listening.set_exception(RuntimeError(f"the proxy ended: {dict(self.logged)}"))

    def memory_kb(self, name="VmRSS"):
        """Return a figure of the process's status, in kB."""
        status = (self._proc / "status").read_text()
        return int(status.partition(f"{name}:")[2].split()[0])

    def forget_peak(self):
        """Let the peak (`VmHWM`) begin anew at what is in use."""
        (self._proc / "clear_refs").write_text("5")

    def descriptors(self):
        """Return how many descriptors are open."""
        return len(list((self._proc / "fd").iterdir()))

    async def health(self):
        """Return what the proxy says of itself."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"GET /streamguard/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        said = await reader.read()
        writer.close()
        return json.loads(said.partition(b"\r\n\r\n")[2])


async def ask(port, *headers, body=REQUEST):
    """Send the request; return reader and writer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    lines = ("POST /v1/chat/completions HTTP/1.1", "Host: bench", "Content-Type: application/json")
    lines = (*lines, "Connection: close", f"Content-Length: {len(body)}", *headers)
    writer.write("\r\n".join((*lines, "", "")).encode() + body)
    return reader, writer


def reset(writer):
    """End a connection by RST."""
    writer.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
    )
    writer.transport.abort()


@contextlib.asynccontextmanager
async def serving(answer):
    """Run an upstream on raw sockets that awaits `answer(reader, writer)`; gives its base URL."""
    tasks = set()

    async def serve(reader, writer):
        tasks.add(asyncio.current_task())
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split()[0])
            await reader.readexactly(length)
            await answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            tasks.discard(asyncio.current_task())

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=4_096)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
