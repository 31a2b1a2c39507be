"""Decodes WebSocket messages (RFC 6455), and finds the boundaries between them."""

from __future__ import annotations

from dataclasses import dataclass

_TEXT, _BINARY = 0x1, 0x2
_CLOSE = 0x8
_CONTROLS = frozenset({_CLOSE, 0x9, 0xA})


@dataclass(frozen=True, slots=True)
class WebSocketMessage:
    """One message; of one over the limit, its beginning."""

    data: bytes
    truncated: bool = False


class MessageDecoder:
    """Decodes the messages of one direction of a WebSocket without extensions.

    `feed` it every byte, in any pieces. Control frames are no messages. Decoding ends (`over`) with
    a close frame, a protocol error, or the use of an extension. Of each message at most the first
    `max_bytes` are kept.
    """

    def __init__(self, max_bytes: int) -> None:
        self.over = False
        self._max_bytes = max_bytes
        self._head = bytearray()  # of the current frame, as far as received
        self._left = 0  # bytes of its payload that are missing
        self._open = False  # a message has begun and is not over
        self._message = bytearray()  # the kept part of it
        self._truncated = False
        self._control = False  # a control frame, which may come within a message
        self._final = True
        self._mask = b""
        self._payload = bytearray()  # of the frame, still masked

    @property
    def between(self) -> bool:
        """Whether another party's message may be inserted here."""
        return not (self._head or self._left or self._open or self.over)

    def feed(self, data: bytes) -> tuple[list[WebSocketMessage], int]:
        """Return the messages that `data` completes, and the last message boundary in it.

        The boundary is the length of `data` if nothing is unfinished, -1 without one.
        """
        messages: list[WebSocketMessage] = []
        place = 0 if self.between else -1
        at = 0
        while at < len(data) and not self.over:
            if not self._left:
                at = self._read_head(data, at)
            else:
                at = self._read_payload(data, at)
            if not self._left and not self._head and (message := self._ended_frame()) is not None:
                messages.append(message)
            if self.between:
                place = at
        return messages, place

    def _read_head(self, data: bytes, at: int) -> int:
        """Read bytes of a frame's head; return the offset after them."""
        wanted = self._head_bytes()
        taken = data[at : at + wanted - len(self._head)]
        self._head += taken
        if len(self._head) == self._head_bytes():  # its second byte tells how long it is
            self._begin_frame()
        return at + len(taken)

    def _head_bytes(self) -> int:
        if len(self._head) < 2:
            return 2
        second = self._head[1]
        return 2 + {126: 2, 127: 8}.get(second & 0x7F, 0) + (4 if second & 0x80 else 0)

    def _begin_frame(self) -> None:
        head, opcode = bytes(self._head), self._head[0] & 0x0F
        self._head.clear()
        short, masked = head[1] & 0x7F, head[1] & 0x80
        end = len(head) - (4 if masked else 0)
        self._left = short if short < 126 else int.from_bytes(head[2:end], "big")
        self._mask = head[end:]
        self._final = bool(head[0] & 0x80)
        self._control = opcode in _CONTROLS
        self._payload.clear()
        known = self._control or opcode in (0, _TEXT, _BINARY)
        self.over = opcode == _CLOSE or bool(head[0] & 0x70) or not known
        if not self._control:
            continues = opcode == 0
            self.over = self.over or continues != self._open
            self._open = True

    def _read_payload(self, data: bytes, at: int) -> int:
        """Read bytes of a frame's payload; return the offset after them."""
        taken = data[at : at + self._left]
        self._left -= len(taken)
        if not self._control:
            room = self._max_bytes - len(self._message) - len(self._payload)
            self._payload += taken[:room] if room > 0 else b""
            self._truncated = self._truncated or len(taken) > room
        return at + len(taken)

    def _ended_frame(self) -> WebSocketMessage | None:
        """Finish a complete frame; return the message that it ends."""
        if self._control or self.over:
            return None
        self._message += _unmasked(bytes(self._payload), self._mask)
        self._payload.clear()
        if not self._final:
            return None
        message = WebSocketMessage(bytes(self._message), self._truncated)
        self._message.clear()
        self._open = self._truncated = False
        return message


def text_frame(text: str) -> bytes:
    """Return one unmasked message of ASCII text, as a server sends it."""
    payload = text.encode("ascii")
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 65_536:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


def close_frame(code: int, reason: str) -> bytes:
    """Return an unmasked close frame; `reason` is ASCII of at most 123 characters."""
    payload = code.to_bytes(2, "big") + reason.encode("ascii")
    return bytes((0x88, len(payload))) + payload


def _unmasked(payload: bytes, mask: bytes) -> bytes:
    if not mask or not payload:
        return payload
    key = (mask * (len(payload) // 4 + 1))[: len(payload)]
    mixed = int.from_bytes(payload, "little") ^ int.from_bytes(key, "little")
    return mixed.to_bytes(len(payload), "little")
