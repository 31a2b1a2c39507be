"""Event streams and lines once more: character by character, and nothing in common with ours.

Slow and plain on purpose. The prose it follows is "interpreting an event stream" of the WHATWG
standard, and our two additions: a block whose lines exceed a cap is skipped, and a last block that
lacks only its blank line counts.
"""

from dataclasses import dataclass, field

MAX_RETRY_DIGITS = 18


@dataclass(slots=True)
class Block:
    """The lines of one block, as far as they have come."""

    lines: list[str] = field(default_factory=list)
    size: int = 0  # in bytes, line ends included

    def event(self, last_id):
        """Return (event, data, id, retry) and the last id; data is None where nothing is sent."""
        data, event, retry = [], "", None
        for line in self.lines:
            if line[:1] == ":":
                continue
            name, value = line, ""
            if ":" in line:
                at = line.index(":")
                name, value = line[:at], line[at + 1 :]
                if value[:1] == " ":
                    value = value[1:]
            if name == "data":
                data.append(value)
            if name == "event":
                event = value
            if name == "id" and "\0" not in value:
                last_id = value
            digits = value != "" and all(each in "0123456789" for each in value)
            if name == "retry" and digits and len(value) <= MAX_RETRY_DIGITS:
                retry = int(value)
        joined = "\n".join(data) if data else None
        return (event or "message", joined, last_id, retry), last_id


def events(raw, cap):
    """Return the dispatched events of `raw`, and how many of them came only by its end."""
    text = raw[3:] if raw[:3] == b"\xef\xbb\xbf" else raw
    found, block, line, last_id, after_cr = [], Block(), bytearray(), None, False
    for byte in text:
        if byte == 10 and after_cr:
            after_cr = False
            # The other half of a CRLF belongs to the line that its CR ended.
            block.size += bool(block.lines)
            continue
        after_cr = byte == 13
        if byte not in (10, 13):
            line.append(byte)
        elif line:
            block.lines.append(line.decode(errors="replace"))
            block.size += len(line) + 1
            line = bytearray()
        else:
            last_id = _dispatch(block, last_id, cap, found)
            block = Block()
    before = len(found)
    if block.lines and not line:
        _dispatch(block, last_id, cap, found)
    return found, len(found) - before


def _dispatch(block, last_id, cap, found):
    if block.size > cap:
        return last_id
    event, last_id = block.event(last_id)
    if event[1] is not None:
        found.append(event)
    return last_id


def lines(raw, cap):
    """Return the data of the complete lines of `raw`: None for a blank or too long one."""
    found, line = [], bytearray()
    for byte in raw:
        line.append(byte)
        if byte == 10:
            text = line[:-1].decode(errors="replace")
            text = text.removesuffix("\r")
            found.append(text if len(line) <= cap and text.strip() else None)
            line = bytearray()
    return found
