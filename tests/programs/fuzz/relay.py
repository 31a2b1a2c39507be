"""The proxy's relay of chat streams: odd frames under a random cut, in every form, live or not."""

import asyncio
import random
from functools import cache

from streamguard import PATTERN_CHECKS, Context, Policy
from streamguard.server.relay import ahead
from streamguard.server.relay.checking import Checking
from streamguard.server.relay.opening import Opening
from streamguard.server.relay.relay import Relay
from streamguard.wire.dialect import IN_BAND
from streamguard.wire.protocols.openai_chat import CHAT
from tests.kit.frames import DONE, frame, usage
from tests.kit.relaying import examined, finished
from tests.programs.faults.answers import chat, two_choices
from tests.programs.faults.judge import stripped
from tests.programs.faults.kinds_content import ODD, event
from tests.programs.fuzz import grammar

CASE = "relayed streams under a random cut"
ID = "5a" * 16
CONTEXT = Context(query="What does Basic cost?", chunks=["The Basic plan costs $10 per month."])
FORMS = ("chunk", "chunk", "attach", "event", "header")
END_SIGNS = (b"[DONE]", b'"finish_reason":"')
ENDINGS = (b"", b"\n", b"\n\n", b"\r", b"\r\r")  # what a last frame may lack of its end
ASIDES = (b": ping\n\n", b"\n", b"id: 7\n\n", b"event: x\ndata: {}\n\n", b"retry: 5\n\n")


def stream(rng):
    """Return the bytes of one stream: an answer, spoilt here and there."""
    frames = list((chat if rng.random() < 0.7 else two_choices)(rng).frames)
    for _ in range(rng.choice((0, 0, 1, 2, 4))):
        odd = rng.choice((event(rng.choice(ODD)), rng.choice(ASIDES), grammar.stream(rng)))
        frames.insert(rng.randint(0, len(frames)), odd)
    if rng.random() < 0.2:
        error = rng.choice((b'data: {"error":{"code":1}}\n\n', b"event: error\ndata: x\n\n"))
        frames.insert(rng.randint(0, len(frames)), error)
    if rng.random() < 0.2:
        frames.append(rng.choice((DONE, usage(), frame("late"), b"data: [DONE]")))
    if rng.random() < 0.3:
        del frames[rng.randint(0, len(frames)) :]
    raw = b"".join(frames)
    if rng.random() < 0.3:
        raw = raw.replace(b"\n", rng.choice((b"\r\n", b"\r")))
    return raw[: rng.randint(0, len(raw))] if rng.random() < 0.3 else raw


async def ahead_of_reading(rng, pieces, form, live):
    """Return the same where what comes may go on ahead, and is read now and then."""
    checking = Checking(ID, CONTEXT, Policy(), PATTERN_CHECKS, on_sentence=str if live else None)
    opening = Opening("/v1/chat/completions", "text/event-stream", {}, checking, form)
    out = []
    for piece in pieces:
        ahead.DIRECT_LINES = rng.choice((0, 2, 32))
        out += [opening.receive(piece), await opening.read()]
        while rng.random() < 0.5 and (opening.held or opening.due):
            if opening.held:
                out.append(await opening.read())
            else:
                opening.turn()
                out.append(opening.sentence_frames())
    ahead.DIRECT_LINES = 32
    out.append(await finished(opening))
    return b"".join(out), checking.annotation.result


async def relayed(pieces, form, live):
    heard = str if live else None
    checking = Checking(ID, CONTEXT, Policy(), PATTERN_CHECKS, on_sentence=heard)
    relay = Relay(checking, CHAT, form)
    out = []
    for piece in pieces:
        out.append(relay.receive(piece))
        if relay.keep():
            out.append(await examined(relay))
    out.append(await finished(relay))
    return b"".join(out), checking.annotation.result


def case(seed):
    rng = random.Random(seed)
    raw, form, live = stream(rng), rng.choice(FORMS), rng.random() < 0.3
    pieces = [piece for piece in grammar.cut(rng, raw) if piece]
    if rng.random() < 0.5:  # as sockets cut: several frames at once
        size = rng.randint(1, 2_000)
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
    whole, expected = _loop().run_until_complete(relayed([raw] if raw else [], form, live))
    out, result = _loop().run_until_complete(relayed(pieces, form, live))
    said = f"{raw!r} in pieces of {list(map(len, pieces))}, {form}, live {live}"
    early, behind = _loop().run_until_complete(ahead_of_reading(rng, pieces, form, live))
    assert result == expected, f"{said}: the result depends on the cut"
    assert behind == expected, f"{said}: the result depends on when it is read"
    if not live:
        place = out.find(b"streamguard.result")
        assert place == whole.find(b"streamguard.result"), f"{said}: the place depends on the cut"
        assert place == early.find(b"streamguard.result"), f"{said}: the place depends on the turns"
    for each in (whole, out, early):
        _check(raw, each, result, form, said)


def _check(raw, out, result, form, said):
    plain, found = stripped(out, ID, raw)
    assert plain.startswith(raw), f"{said}: bytes were changed: {out!r}"
    assert plain[len(raw) :] in (ENDINGS if found else (b"",)), f"{said}: {plain[len(raw) :]!r}"
    results = [each for each in found if each["object"] == "streamguard.result"]
    assert len(results) <= (form in IN_BAND), f"{said}: {len(results)} annotations"
    if not any(sign in raw for sign in END_SIGNS):
        assert not result.complete, f"{said}: complete without an end"


@cache
def _loop():
    """Return one loop for all cases: making one takes longer than a case."""
    return asyncio.new_event_loop()
