"""One faulty answer: what goes over the wire, and what must come of it."""

import asyncio
import enum
import socket
import struct
from dataclasses import dataclass, replace

from streamguard.wire.dialect import Dialect
from streamguard.wire.protocols.openai_chat import CHAT

STREAM = "text/event-stream"


class Act(enum.Enum):
    """What an upstream does between two writes."""

    TURN = "let the other side run, so that what follows is a read of its own"
    RESET = "end the connection by RST"
    EOF = "end its own direction by FIN, and wait for the other side to hang up"
    WAIT = "wait for the other side to hang up"
    KEEP = "keep the connection for another request"


@dataclass(frozen=True, slots=True)
class Leave:
    """How a client leaves: once `after` bytes of the response came, by "fin" or "rst"."""

    after: int
    how: str


@dataclass(frozen=True, slots=True)
class Fault:
    """The upstream's side of one answer, and what client and verdict must see of it.

    `wire` is written in order, then the connection is closed. `body` is the decoded body as far as
    it was sent; `whole` says that the client gets all of it, else it gets a beginning. `clean`:
    the response ends in order; `finished`: the verdict is that of a complete answer; `added`: an
    annotation comes in band where the form is one of those. None: either may be. `or_refused`: what
    is wrong may be seen with the head already, and all of it answered with 502 or 504.
    """

    wire: tuple[bytes | Act, ...]
    body: bytes
    status: int = 200
    clean: bool | None = True
    whole: bool = True
    finished: bool | None = True
    added: bool | None = True
    or_refused: bool = False
    skipped: bool = False  # no answer that is checked: the verdict says so
    ending: bytes = b""  # what the last frame lacked and is given before an annotation
    leave: Leave | None = None
    silent: bool = False  # it ends by the proxy's limit on silence alone
    path: str = "/v1/chat/completions"
    dialect: Dialect = CHAT

    def but(self, **changes):
        return replace(self, **changes)

    async def play(self, writer, gone):
        """Answer one request; return whether the connection is kept.

        `gone()` is awaited where the other side is to hang up.
        """
        for step in self.wire:
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
            elif step is Act.TURN:
                await asyncio.sleep(0)
            elif step is Act.RESET:
                reset(writer)
            elif step is Act.KEEP:
                return True
            else:
                if step is Act.EOF:
                    writer.write_eof()
                await gone()
        return False

    async def script(self, received, writer):
        """Answer one request of `tests.kit.upstreams.upstream`."""
        await self.play(writer, received.gone.wait)


def reset(writer):
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


def head(*lines, status=200, kind=STREAM):
    """Return the head of a response with further header lines."""
    named = (f"HTTP/1.1 {status} As Told", f"Content-Type: {kind}", *lines)
    return "\r\n".join((*named, "", "")).encode()


CHUNKED = "Transfer-Encoding: chunked"


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


def pieces(rng, data, size=900):
    """Return `data` in pieces of 1 to `size` bytes, cut without regard to its frames."""
    cut, at = [], 0
    while at < len(data):
        end = at + rng.randint(1, size)
        cut.append(data[at:end])
        at = end
    return cut


def begun(rng, data, *lines, framing="chunked", length=0, size=900, **about):
    """Return the steps that send a head and `data`, without any end.

    `framing`: "chunked", "length" (a Content-Length, of `length`) or "close" (the body ends with
    the connection).
    """
    if framing == "chunked":
        lines = (*lines, CHUNKED)
    elif framing == "length":
        lines = (*lines, f"Content-Length: {length}")
    steps = [head(*lines, **about), Act.TURN]
    for piece in pieces(rng, data, size):
        steps.append(chunk(piece) if framing == "chunked" else piece)
        if rng.random() < 0.5:
            steps.append(Act.TURN)
    return steps


def sent(rng, data, *lines, framing=None, size=900, **about):
    """Return the steps that send a whole response with the body `data`."""
    framing = framing or rng.choice(("chunked", "chunked", "length", "close"))
    steps = begun(rng, data, *lines, framing=framing, length=len(data), size=size, **about)
    if framing == "chunked":
        steps.append(b"0\r\n\r\n")
    return tuple(steps) if framing == "close" else (*steps, Act.KEEP)
