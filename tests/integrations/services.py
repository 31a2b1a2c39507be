"""A service on loopback that keeps what it is sent and answers as it is told to."""

import gzip
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Sent:
    """One request as the service got it."""

    path: str
    headers: Message  # names in any case
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Service:
    """Where it listens, what came, and what is answered by path."""

    def __init__(self, base, answers, other):
        self.base = base
        self.answers = answers  # of a path: status and body, or what gives them for what was sent
        self.other = other
        self.sent = []

    def to(self, path):
        """Return what was sent to `path`."""
        return [each for each in self.sent if each.path.partition("?")[0] == path]


@contextmanager
def service(other=(200, {}), **answers):
    """Run a service; an answer's name is a path with `__` for `/`, its value (status, body)."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.service = Service(
        f"http://127.0.0.1:{server.server_port}",
        {"/" + name.replace("__", "/"): answer for name, answer in answers.items()},
        other,
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server.service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        known = self.server.service
        known.sent.append(Sent(self.path, self.headers, body))
        answer = known.answers.get(self.path.partition("?")[0], known.other)
        status, said = answer(known.sent[-1]) if callable(answer) else answer
        said = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(said)))
        self.send_header("connection", "close")
        self.close_connection = True
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST

    def log_message(self, *_):
        """Say nothing."""
