"""Contexts of an audit: held as long as there is room, and never mistaken for each other."""

from streamguard.audit.contexts import Contexts
from streamguard.core.context import Context
from streamguard.core.model.types import RetrievedChunk

EACH = 10 + len("What of a?") + 100


def of(name, chars=10, **more):
    return Context(f"What of {name}?", [RetrievedChunk(name * chars, **more)])


def test_those_that_were_not_asked_for_the_longest_go_first():
    contexts = Contexts(max_chars=2 * EACH + 5)
    a, b, c = (of(name) for name in "abc")
    for each in (a, b, of("a"), c):
        contexts.known(each)
    assert contexts.known(of("a")) is a
    assert contexts.known(other := of("b")) is other
    long = of("d", 1_000)
    assert contexts.known(long) is long
    assert contexts.known(of("d", 1_000)) is long
    assert contexts.known(other := of("a")) is other
