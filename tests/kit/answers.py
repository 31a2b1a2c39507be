"""Self-written contexts and answers that the tests of the core share."""

from streamguard.core.context import Context
from streamguard.core.machine.guard import StreamGuard
from streamguard.core.model.types import RetrievedChunk
from streamguard.testing import feed_every_way

PLANS = (
    RetrievedChunk(
        "The Basic plan costs $49 per month and includes one seat. "
        "It was introduced on 5 March 2021.",
        id="plans.md#basic",
    ),
    RetrievedChunk(
        "The Pro plan costs $99 per month and includes five seats. "
        "Support for Pro customers answers within 24 hours.",
        id="plans.md#pro",
    ),
    RetrievedChunk(
        "Refunds are paid within 14 days of the order. "
        "Jane Miller leads the billing team and approves every refund above $500."
    ),
)
QUESTION = "What does the Basic plan cost?"
CLEAN = "The Basic plan costs $49 per month and includes one seat."


def plans(query=QUESTION, **changes):
    return Context(query=query, chunks=PLANS, **changes)


def result_of(answer, context=None, **arguments):
    """Return the result of `answer`, after asserting that no split changes it."""

    def read(pieces):
        fresh = context if context is not None else plans()
        guard = StreamGuard(fresh, **arguments)
        streamed = [finding for piece in pieces for finding in guard.feed(piece)]
        result = guard.close()
        assert tuple(streamed) == result.findings[: len(streamed)]
        return result

    return feed_every_way(answer, read)


def flagged(result, flag):
    """Return what the findings of a flag saw."""
    return [finding.value for finding in result.findings if finding.flag == flag]
