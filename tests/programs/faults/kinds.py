"""Every kind of fault by its name: a function from a seeded generator to one `Fault`."""

import random

from tests.programs.faults import kinds_content, kinds_ending, kinds_protocol

KINDS = kinds_ending.KINDS | kinds_content.KINDS | kinds_protocol.KINDS


def made(kind, seed):
    """Return the fault of `kind` that `seed` makes, always the same."""
    return KINDS[kind](random.Random(f"{kind}:{seed}"))
