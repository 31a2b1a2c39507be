"""A relay without sockets: what the doors do between two reads."""

import asyncio


async def examined(relay):
    """Return what goes on while all is examined that the relay took."""
    out = await relay.read()
    while relay.due:
        relay.turn()
        out += relay.sentence_frames()
        await asyncio.sleep(0)
    return out


async def finished(relay):
    """Return what goes on last of a stream that ended in order, and conclude it."""
    out = await relay.finish()
    await relay.conclude()
    return out


async def relayed(parts, relay, end="orderly"):
    """Return what goes on for `parts`, and the annotation.

    `end` is "orderly", why the stream is given up, or None for one that may go on.
    """
    out = []
    for part in parts:
        out.append(relay.receive(part))
        out.append(await examined(relay))
    if end == "orderly":
        out.append(await finished(relay))
    elif end is not None:
        relay.abandon(end)
        out.append(relay.rest())
    return b"".join(out), relay._checking.annotation
