"""The other protocols: their answers whole, cut, broken off, and their own errors."""

from streamguard.wire import dialects
from tests.kit import streams
from tests.programs.faults.fault import Act, Fault, begun, sent
from tests.programs.faults.kinds_ending import broken

PROTOCOLS = {
    "completions": ("/v1/completions", dialects.COMPLETIONS),
    "responses": ("/v1/responses", dialects.RESPONSES),
    "anthropic": ("/v1/messages", dialects.ANTHROPIC),
    "ollama_chat": ("/api/chat", dialects.OLLAMA),
    "ollama_generate": ("/api/generate", dialects.OLLAMA),
    "ui": ("/ui", dialects.UI_MESSAGE),
    "events": ("/events", dialects.PLAIN_EVENTS),
    "lines": ("/lines", dialects.PLAIN_LINES),
}
PATHS = ("/ui", "/events", "/lines")  # those that no proxy knows by itself
ENDED = tuple(name for name in PROTOCOLS if name not in ("events", "lines"))  # by a sign
LINES = "application/x-ndjson"
UI = "text/event-stream\r\nx-vercel-ai-ui-message-stream: v1"  # known by its header alone


def spoken(rng, names=tuple(PROTOCOLS), scenario="text"):
    """Return a random protocol's answer: its frames, and what requests and responses say of it."""
    name = rng.choice(names)
    path, dialect = PROTOCOLS[name]
    lines = dialect in (dialects.OLLAMA, dialects.PLAIN_LINES)
    about = {"kind": LINES} if lines else {"kind": UI} if name == "ui" else {}
    return streams.frames(name, scenario), about, {"path": path, "dialect": dialect}


def whole_in_other_protocols(rng):
    frames, about, of = spoken(rng)
    body = b"".join(frames)
    return Fault(sent(rng, body, size=rng.choice((7, 900)), **about), body, **of)


def cut_between_in_other_protocols(rng):
    frames, about, of = spoken(rng, ENDED)
    body = b"".join(frames[: rng.randint(1, len(frames) // 2)])
    return Fault(sent(rng, body, **about), body, finished=False, added=None, **of)


def cut_inside_in_other_protocols(rng):
    frames, about, of = spoken(rng)
    at = rng.randrange(len(frames) // 2)
    inside = frames[at]
    # Behind the brace there may be two line ends; one byte of the JSON must be missing.
    end = inside.rindex(b"}") if b"}" in inside else len(inside) - 3
    body = b"".join(frames[:at]) + inside[: rng.randint(1, end)]
    return Fault(sent(rng, body, **about), body, finished=False, added=False, **of)


def broken_in_other_protocols(rng):
    frames, about, of = spoken(rng)
    body = b"".join(frames[: rng.randint(1, len(frames) // 2)])
    how = rng.choice(((), (Act.RESET,), (Act.EOF,)))
    return broken((*begun(rng, body, **about), *how), body, whole=Act.RESET not in how, **of)


def error_in_other_protocols(rng):
    frames, about, of = spoken(rng, tuple(n for n in PROTOCOLS if n != "lines"), "error")
    body = b"".join(frames)
    return Fault(sent(rng, body, **about), body, finished=False, added=None, **of)


KINDS = {
    each.__name__: each
    for each in (
        whole_in_other_protocols, cut_between_in_other_protocols, cut_inside_in_other_protocols,
        broken_in_other_protocols, error_in_other_protocols,
    )
}  # fmt: skip
