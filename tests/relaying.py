"""A relay without sockets: what the doors do between two reads."""

import asyncio


async def examined(relay):
    """Return what goes on while all is examined that the relay took."""
    out = await relay.read()
    while relay.due:
        relay.turn()
        out += relay.told()
        await asyncio.sleep(0)
    return out


async def finished(relay):
    """Return what goes on last of a stream that ended in order, and conclude it."""
    out = await relay.finish()
    await relay.conclude()
    return out
